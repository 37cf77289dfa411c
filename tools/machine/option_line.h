/* The lines of a resolved machine's texts, `key = value`. */
#ifndef REPRISE_TOOLS_MACHINE_OPTION_LINE_H
#define REPRISE_TOOLS_MACHINE_OPTION_LINE_H

#include "replay/base/machine.h"

struct option_line {
    char key[128], value[OPTION_PRINTED];
};

/* Reads the line at *text and moves *text behind it. False: there is none. */
bool option_line_next(const char **text, struct option_line *);

/* All lines of a machine: first the options on which cycles depend, then those of DEVICE_OPTIONS. */
struct option_lines {
    const char *text, *device;
};
static inline struct option_lines option_lines_of(const struct machine *m)
{
    return (struct option_lines){m->text, m->device_text};
}
static inline bool option_lines_next(struct option_lines *lines, struct option_line *line)
{
    return option_line_next(&lines->text, line) || option_line_next(&lines->device, line);
}

#endif
