/* The lines of a resolved machine's text, `key = value`. */
#ifndef REPRISE_TOOLS_MACHINE_OPTION_LINE_H
#define REPRISE_TOOLS_MACHINE_OPTION_LINE_H

#include "replay/base/machine.h"

struct option_line {
    char key[128], value[OPTION_PRINTED];
};

/* Takes the line at *text, which goes on behind it. False: there is none. */
bool option_line_next(const char **text, struct option_line *);

#endif
