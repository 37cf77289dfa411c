/* reprise: finds the subcommand and hands over. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/ui/nearest.h"

static const struct {
    const char *name;
    command_fn run;
    const char *summary;
} commands[] = {
#define COMMAND(name, function, summary) {name, function, summary},
#include "tools/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static const char *const names[] = {
#define COMMAND(name, function, summary) name,
#include "tools/commands.def"
#undef COMMAND
    NULL,
};

int command_fail(const struct rp_error *err)
{
    fprintf(stderr, "reprise: %s\n", err->text);
    return err->status;
}

/* What a command printed must have arrived, whichever it is; a failure of its own counts first. */
static int finish(int status)
{
    bool printed = !fflush(stdout) && !ferror(stdout);
    if (printed || status != RP_OK)
        return status;
    struct rp_error err;
    rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", strerror(errno));
    return command_fail(&err);
}

static void help(FILE *to)
{
    fputs("Usage: reprise COMMAND [OPTION...]\n"
          "Record a GPU kernel once, replay its timing on any hardware.\n\n"
          "Commands:\n",
          to);
    for (size_t i = 0; commands[i].name; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'reprise COMMAND --help' describes a command and gives examples.\n\n"
          "Exit status: 0 fine, 1 wrong usage, 2 bad input, 3 the kernel misbehaved, 4 the system failed\n"
          "(no memory, no space, input/output error) or a replay exceeded its bound.\n"
          "With 1 and 2 no output file is left behind.\n",
          to);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return RP_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return finish(RP_OK);
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts("reprise " REPRISE_VERSION);
        return finish(RP_OK);
    }
    for (size_t i = 0; commands[i].name; i++) {
        if (strcmp(argv[1], commands[i].name))
            continue;
        char name[64];
        snprintf(name, sizeof name, "reprise %s", argv[1]);
        argv[1] = name;
        return finish(commands[i].run(argc - 1, argv + 1));
    }
    const char *near = nearest_name(argv[1], names, sizeof names / sizeof *names - 1);
    if (near)
        fprintf(stderr, "reprise: unknown command '%s'; did you mean '%s'?\n", argv[1], near);
    else
        fprintf(stderr, "reprise: unknown command '%s'; 'reprise --help' lists them\n", argv[1]);
    return RP_USAGE;
}
