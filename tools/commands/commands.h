/* All commands, and what is made from their rows. */
#ifndef REPRISE_TOOLS_COMMANDS_COMMANDS_H
#define REPRISE_TOOLS_COMMANDS_COMMANDS_H

#include <stdio.h>

#include "tools/lib/command.h"

#define COMMAND(name) extern const struct command command_##name;
#include "tools/commands/commands.def"
#undef COMMAND
extern const struct command *const commands[]; /* ends in NULL */

/* A man page in roff: reprise(1), or reprise-NAME(1). "@PREFIX@" stands for where the program is installed. */
void manual_all(FILE *);
void manual_command(const struct command *, FILE *);

/* A script for "bash", "zsh" or "fish". False: there is none for this shell. */
bool completion(const char *shell, FILE *);

#endif
