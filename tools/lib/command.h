/* The subcommands of reprise: one file of tools/commands each, which describes itself in a struct command; one line in
 * commands.def each. --help, the man pages and completion in shells are made from the same rows (help.h). */
#ifndef REPRISE_TOOLS_LIB_COMMAND_H
#define REPRISE_TOOLS_LIB_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

/* An option. A row with neither name nor key is the heading of those that follow, an empty one ends the list. A short
 * option, a key that is a letter, means the same in every command. */
struct option_row {
    const char *name;
    int key;
    const char *argument; /* NULL: it takes none; in brackets: it may be left out, and is given as --name=VALUE only */
    const char *help;
};

struct command_example {
    const char *what, *command; /* the command as it is typed, perhaps with several lines */
};

struct command_line;
/* An option's key with its argument; KEY_ARGUMENT with one of the others; KEY_END after the last. */
typedef void (*option_fn)(struct command_line *, int key, char *argument);
enum { KEY_ARGUMENT = -1, KEY_END = -2 };

struct command {
    const char *name, *summary;
    const char *usage; /* what stands behind the name; several forms in lines */
    const char *about; /* paragraphs in lines */
    const struct option_row *options;
    const char *forms;                      /* NULL, or more about arguments, in lines that stay as they are */
    const struct command_example *examples; /* ends in an empty one */
    const char *status;                     /* NULL, or what exit statuses mean here that they do not mean everywhere */
    option_fn option;
    int (*run)(const struct command *, int argc, char **argv); /* returns the exit status (enum rp_status) */
};

/* ---- reading a command line -------------------------------------------------------------------------------------- */

struct command_line {
    const struct command *command;
    void *input;      /* the command's */
    char **arguments; /* those that are no options, at KEY_END and after */
    size_t argument_count;
};

/* Says once which commands there are (the list ends in NULL), so that messages can name another command's option. */
void command_know(const struct command *const *all);
/* Calls the command's `option` for each; ends the program after --help, --version and wrong usage. Options may be
 * shortened while they are clear, and "--" ends them. argv[0] is not looked at. */
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
/* What a command printed must have arrived, whichever it is; a failure of its own counts first. Returns the status. */
int command_finish(int status);

#endif
