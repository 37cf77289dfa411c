/* What struct command says, as people and shells read it. */
#ifndef REPRISE_TOOLS_LIB_HELP_H
#define REPRISE_TOOLS_LIB_HELP_H

#include <stdio.h>

#include "tools/lib/command.h"

/* --help: of all commands (the list ends in NULL), or of one. On a terminal it is as wide as that, up to 100 columns,
 * else 80. */
void help_all(const struct command *const *, FILE *);
void help_command(const struct command *, FILE *);

/* What exit statuses mean, and the environment, for all commands: rows that end in an empty one. */
struct help_row {
    const char *name, *text;
};
extern const struct help_row help_statuses[], help_environment[];

#endif
