/* Texts of files on a terminal. */
#ifndef REPRISE_TOOLS_UI_PRINTABLE_H
#define REPRISE_TOOLS_UI_PRINTABLE_H

#include <stddef.h>

/* Copies a text, with "\x1b" for a control character; line ends and tabs stay. It is cut where there is no room.
 * Returns out. */
const char *printable(const char *text, char *out, size_t room);

#endif
