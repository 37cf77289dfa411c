/* What struct command says, as people and shells read it. */
#ifndef REPRISE_TOOLS_HELP_H
#define REPRISE_TOOLS_HELP_H

#include <stdio.h>

#include "tools/command.h"

/* --help: all commands, or one. On a terminal it is as wide as that, up to 100 columns, else 80. */
void help_all(FILE *);
void help_command(const struct command *, FILE *);

/* A man page in roff: reprise(1), or reprise-NAME(1). "@PREFIX@" stands for where the program is installed. */
void manual_all(FILE *);
void manual_command(const struct command *, FILE *);

/* A script for "bash", "zsh" or "fish". False: there is none for this shell. */
bool completion(const char *shell, FILE *);

/* What exit statuses mean, and the environment, for all commands: rows that end in an empty one. */
struct help_row {
    const char *name, *text;
};
extern const struct help_row help_statuses[], help_environment[];

#endif
