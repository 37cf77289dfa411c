/* All commands, and the man pages and completion scripts that are made from their rows. */
#ifndef REPRISE_TOOLS_COMMANDS_COMMANDS_H
#define REPRISE_TOOLS_COMMANDS_COMMANDS_H

#include <stdio.h>

#include "tools/lib/command.h"
#include "tools/lib/help.h"

#define COMMAND(name) extern const struct command command_##name;
#include "tools/commands/commands.def"
#undef COMMAND
extern const struct command *const commands[]; /* ends in NULL */

#define MOST_TOPICS 16
extern const struct topic *const topics[]; /* the same; fewer than MOST_TOPICS */
extern const struct help_row check_rows[]; /* the names of --check; ends in an empty row */

/* Print a man page in roff: reprise(1), reprise-NAME(1), or reprise-NAME(5) or (7) of a topic. "@PREFIX@" stands for
 * the folder of the installation. */
void manual_all(FILE *);
void manual_command(const struct command *, FILE *);
void manual_topic(const struct topic *, FILE *);

/* Prints a completion script for "bash", "zsh" or "fish". False: the shell is unknown. */
bool completion(const char *shell, FILE *);

#endif
