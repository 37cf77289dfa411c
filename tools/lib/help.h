/* Prints struct command as help. */
#ifndef REPRISE_TOOLS_LIB_HELP_H
#define REPRISE_TOOLS_LIB_HELP_H

#include <stdio.h>

#include "tools/lib/command.h"

/* Print --help of all commands (the list ends in NULL), or of one. Lines are as wide as the terminal, at most 100
 * columns; 80 columns elsewhere. */
void help_all(const struct command *const *, FILE *);
void help_command(const struct command *, FILE *);

/* The exit statuses and environment variables of all commands; an empty row ends each list. */
struct help_row {
    const char *name, *text;
};
extern const struct help_row help_statuses[], help_environment[];

#endif
