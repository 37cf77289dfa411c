/* A subcommand of reprise: one cmd_*.c each, one line in commands.def each. */
#ifndef REPRISE_TOOLS_COMMAND_H
#define REPRISE_TOOLS_COMMAND_H

#include "tracefmt/error.h"

/* argv[0] is "reprise NAME" for argp's messages. Returns the exit status (enum rp_status). */
typedef int (*command_fn)(int argc, char **argv);
#define COMMAND(name, function, summary) int function(int argc, char **argv);
#include "tools/commands.def"
#undef COMMAND

/* Prints "reprise: <text>" to stderr and returns the status to exit with. */
int command_fail(const struct rp_error *);

#endif
