/* reprise env: prints the environment that reprise run and record start CUDA programs with. */
#include <stdio.h>
#include <string.h>

#include "tools/program/program.h"

static const struct option_row rows[] = {
    {"output", PROGRAM_OUTPUT, "FILE", "The trace to write; without, nothing is recorded"},
    ROWS_PROGRAM,
    ROW_EVERY_LAUNCH,
    {NULL, 0, NULL, "What is recorded and checked"},
    ROWS_FILTERS,
    {"check", PROGRAM_CHECK, "LIST", "Look for more than bad addresses, as 'reprise run --check'"},
    {"threads", PROGRAM_THREADS, "N", "Host threads (0: one per CPU); result and trace do not depend on it"},
    {"quiet", PROGRAM_QUIET, NULL, "Say nothing at the end"},
    {0},
};

static void env_option(struct command_line *line, int key, char *argument)
{
    struct rp_error err;
    if (key == KEY_ARGUMENT)
        command_usage(line, "'%s' belongs to no option; 'reprise run -- %s' starts a program", argument, argument);
    if (key != KEY_END)
        command_check(line, program_take(line->input, line->command->options, key, argument, &err), &err);
}

/* Prints the text in quotes within which a shell replaces nothing. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        *text == '\'' ? (void)fputs("'\\''", stdout) : (void)putchar(*text);
    putchar('\'');
}

static int env_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct program_options p = {.findings = FINDING_OPTIONS};
    struct environment e;
    struct rp_error err;
    command_parse(&line, c, argc, argv, &p);
    if (!program_check_files(&p, &err) || !program_environment(&p, NULL, &e, &err))
        return command_fail(&err);
    for (size_t i = 0; i < e.count; i++) {
        if (e.list[i].value) {
            printf("export %s=", e.list[i].name);
            print_quoted(e.list[i].value);
        } else
            printf("unset %s", e.list[i].name);
        putchar('\n');
    }
    environment_free(&e);
    return RP_OK;
}

static const struct command_example examples[] = {
    {"Keep it in a file", "reprise env --device v100 -o t.%p.wtr >session.sh"},
    {"Start a program by other means than 'reprise run --'", "eval \"$(reprise env --device v100)\" && ./app 1024"},
    {"For a program that uses two devices", "eval \"$(reprise env --device a100 --devices 2)\" && ./app"},
    {NULL, NULL},
};

const struct command command_env = {
    .name = "env",
    .summary = "print the environment that runs CUDA programs here",
    .usage = "[--device MACHINE] [-o TRACE] [OPTION]...",
    .about = "Prints, for a shell, what 'reprise run --' and 'reprise record --' set for the programs that they start.",
    .options = rows,
    .examples = examples,
    .option = env_option,
    .run = env_run,
};
