/* The subcommands of reprise. Each is a file of tools/commands with a struct command, and a line in commands.def.
 * --help, man pages and completion in shells are made from the same rows (help.h). */
#ifndef REPRISE_TOOLS_LIB_COMMAND_H
#define REPRISE_TOOLS_LIB_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

/* An option. A row without name and key is the heading of the rows after it; an empty row ends the list. A short
 * option, whose key is a letter, means the same in every command. */
struct option_row {
    const char *name;
    int key;
    const char *argument; /* NULL: it takes none; in brackets: it is optional, and is given as --name=VALUE only */
    const char *help;
};

struct command_example {
    const char *what, *command; /* the command as it is typed, perhaps with several lines */
};

struct command_line;
/* Gets an option's key and argument; KEY_ARGUMENT with a word that is no option; KEY_END after the last word. */
typedef void (*option_fn)(struct command_line *, int key, char *argument);
enum { KEY_ARGUMENT = -1, KEY_END = -2 };

struct command {
    const char *name, *summary;
    const char *usage; /* the words behind the name; a line for each form */
    const char *about; /* a paragraph per line */
    const struct option_row *options;
    const char *forms;                      /* NULL, or more about arguments, in lines that stay as they are */
    const struct command_example *examples; /* ends in an empty one */
    const char *status; /* NULL, or the exit statuses that mean something else here than in other commands */
    option_fn option;
    int (*run)(const struct command *, int argc, char **argv); /* returns the exit status (enum rp_status) */
};

/* ---- reading a command line -------------------------------------------------------------------------------------- */

struct command_line {
    const struct command *command;
    void *input;      /* the command's own; `option` reads it */
    char **arguments; /* the words that are no options, from KEY_END on */
    size_t argument_count;
};

/* The name of the option with this key; NULL: there is none. */
const char *option_name(const struct option_row *, int key);
/* Registers all commands (the list ends in NULL), so that messages can name the command that has an option. */
void command_know(const struct command *const *all);
/* Calls the command's `option` for each word. --help, --version and wrong usage end the program. A unique prefix of an
 * option stands for it, and "--" ends the options. argv[0] is skipped. */
void command_parse(struct command_line *, const struct command *, int argc, char **argv, void *input);
/* Prints "reprise NAME: <text>" and ends the program with RP_USAGE. */
_Noreturn void command_usage(const struct command_line *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with an error's text and status, unless `fine`. */
void command_check(const struct command_line *, bool fine, const struct rp_error *);
/* Wrong usage unless both a trace and a machine are given (not NULL). */
void command_needs(const struct command_line *, const char *trace, const char *machine, const char *example);

/* Prints "reprise: <text>" to stderr and returns the status to exit with. */
int command_fail(const struct rp_error *);
/* Flushes stdout. Returns `status`, but RP_SYSTEM in place of RP_OK if some output could not be written. */
int command_finish(int status);

#endif
