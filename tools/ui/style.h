/* Bold and coloured text. Only terminals get it, and none with NO_COLOR or TERM=dumb. */
#ifndef REPRISE_TOOLS_UI_STYLE_H
#define REPRISE_TOOLS_UI_STYLE_H

#include <stdbool.h>
#include <stdio.h>

enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_ERROR };
/* The escape sequence that begins the style; "": the stream gets no styles. */
const char *style(FILE *, enum style);
/* Whether the stream is a terminal that understands escape sequences. */
bool style_terminal(FILE *);

#endif
