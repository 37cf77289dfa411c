#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/help.h"
#include "tools/ui/nearest.h"
#include "tools/ui/style.h"

static void say(const struct command_line *l, const char *text)
{
    fprintf(stderr, "%sreprise %s:%s %s\n", style(stderr, STYLE_ERROR), l->command->name, style(stderr, STYLE_PLAIN),
            text);
}

_Noreturn void command_usage(const struct command_line *l, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(l, text);
    exit(RP_USAGE);
}

void command_check(const struct command_line *l, bool fine, const struct rp_error *err)
{
    if (fine)
        return;
    say(l, err->text);
    exit((int)err->status);
}

void command_needs(const struct command_line *l, const char *trace, const char *machine, const char *example)
{
    if (!trace)
        command_usage(l, "which trace? Example: %s", example);
    if (!machine)
        command_usage(l, "which machine? 'reprise machine list' names those there are. Example: %s", example);
}

enum { KEY_HELP = -3, KEY_VERSION = -4, ARGUMENT_IN_ORDER = 1 };

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool is_end(const struct option_row *o) { return !o->name && !o->help; }

const char *option_name(const struct option_row *rows, int key)
{
    while (!is_end(rows) && (!rows->name || rows->key != key))
        rows++;
    return rows->name;
}

static const struct command *const *all_commands;

void command_know(const struct command *const *all) { all_commands = all; }

/* Another command with an option of this name; NULL: none. */
static const struct command *who_has(const struct command *but, const char *name)
{
    for (const struct command *const *c = all_commands; c && *c; c++)
        for (const struct option_row *o = (*c)->options; *c != but && !is_end(o); o++)
            if (o->name && !strcmp(o->name, name))
                return *c;
    return NULL;
}

static _Noreturn void unknown_option(const struct command_line *l, const char *name, size_t length)
{
    const char *names[64];
    char word[64];
    size_t count = 0;
    for (const struct option_row *o = l->command->options; !is_end(o) && count < 64; o++)
        if (o->name)
            names[count++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *near = nearest_name(word, names, count);
    const struct command *other = who_has(l->command, word);
    if (near && other)
        command_usage(l, "unknown option '--%s'; did you mean '--%s'? 'reprise %s' has --%s", word, near, other->name,
                      word);
    if (near)
        command_usage(l, "unknown option '--%s'; did you mean '--%s'?", word, near);
    if (other)
        command_usage(l, "unknown option '--%s'; 'reprise %s' has it, 'reprise %s --help' lists those of this command",
                      word, other->name, l->command->name);
    command_usage(l, "unknown option '--%s'; 'reprise %s --help' lists them", word, l->command->name);
}

/* Reports "--name" or "--name=VALUE" that names no option: it is unknown, or several options begin with it. */
static _Noreturn void no_long_option(const struct command_line *l, const char *text)
{
    const char *name = text + 2, *first = NULL;
    size_t length = strcspn(name, "=");
    for (const struct option_row *o = l->command->options; !is_end(o); o++) {
        if (!o->name || strncmp(o->name, name, length))
            continue;
        if (first)
            command_usage(l, "'--%.*s' may be --%s or --%s", (int)length, name, first, o->name);
        first = o->name;
    }
    unknown_option(l, name, length);
}

static const struct option_row *row_of(const struct command_line *l, int key)
{
    for (const struct option_row *o = l->command->options; !is_end(o); o++)
        if (o->name && o->key == key)
            return o;
    return NULL;
}

/* getopt_long takes "--launch" for a switch "--launches", though other commands have an option --launch with a value.
 */
static void refuse_abbreviation(const struct command_line *l, const struct option_row *o, const char *word)
{
    bool whole = !o || !o->name || o->argument || strncmp(word, "--", 2) || !strcmp(word + 2, o->name);
    const struct command *other = whole ? NULL : who_has(l->command, word + 2);
    if (other)
        command_usage(l, "%s is an option of 'reprise %s'; the switch of %s is --%s", word, other->name,
                      l->command->name, o->name);
}

/* Reports what getopt_long could not read: its return value, and the word that it read last. */
static _Noreturn void bad_option(const struct command_line *l, int answer, const char *word)
{
    const struct option_row *o = row_of(l, optopt);
    if (!o && optopt)
        command_usage(l, "unknown option '-%c'; 'reprise %s --help' lists them", optopt, l->command->name);
    if (!o)
        no_long_option(l, word);
    if (answer == '?')
        command_usage(l, "--%s takes no value", o->name);
    if (word[1] == '-')
        command_usage(l, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
    command_usage(l, "-%c needs a value: -%c %s", o->key, o->key, o->argument);
}

static _Noreturn void common_option(const struct command_line *l, int key)
{
    if (key == KEY_HELP)
        help_command(l->command, stdout);
    else
        puts("reprise " REPRISE_VERSION);
    exit(command_finish(RP_OK));
}

/* ---- getopt_long's form of the rows ------------------------------------------------------------------------------ */

#define MOST_OPTIONS 96

struct getopt_rows {
    struct option names[MOST_OPTIONS];
    char letters[3 * MOST_OPTIONS];
};

static void add_option(struct getopt_rows *g, size_t at, const char *name, int key, const char *argument)
{
    int takes = !argument ? no_argument : *argument == '[' ? optional_argument : required_argument;
    g->names[at] = (struct option){name, takes, NULL, key};
    if (key > 0 && key <= UCHAR_MAX)
        snprintf(g->letters + strlen(g->letters), 4, "%c%s", key, takes == no_argument ? "" : ":");
}

/* The short options for getopt_long. They begin with "-", which keeps arguments in order, and ":", which tells errors
 * apart and prints none. */
static void convert_rows(const struct option_row *rows, struct getopt_rows *g)
{
    size_t count = 0;
    memset(g, 0, sizeof *g);
    strcpy(g->letters, "-:hV");
    for (const struct option_row *o = rows; !is_end(o); o++)
        if (o->name && count < MOST_OPTIONS - 3)
            add_option(g, count++, o->name, o->key, o->argument);
    add_option(g, count++, "help", KEY_HELP, NULL);
    add_option(g, count, "version", KEY_VERSION, NULL);
}

void command_parse(struct command_line *l, const struct command *c, int argc, char **argv, void *input)
{
    struct getopt_rows rows;
    int key;
    bool json = false, csv = false;
    *l = (struct command_line){c, input, argv + 1, 0};
    convert_rows(c->options, &rows);
    optind = 0; /* tells glibc to begin a new command line */
    opterr = 0;
    while ((key = getopt_long(argc, argv, rows.letters, rows.names, NULL)) != -1) {
        if (key == KEY_HELP || key == KEY_VERSION || key == 'h' || key == 'V' || (key == '?' && optopt == '?'))
            common_option(l, key == 'V' || key == KEY_VERSION ? KEY_VERSION : KEY_HELP);
        if (key == '?' || key == ':')
            bad_option(l, key, argv[optind - 1]);
        const struct option_row *row = row_of(l, key);
        refuse_abbreviation(l, row, argv[optind - 1]);
        json |= row && !strcmp(row->name, "json");
        csv |= row && !strcmp(row->name, "csv");
        if (json && csv)
            command_usage(l, "either --json or --csv");
        if (key == ARGUMENT_IN_ORDER) {
            c->option(l, KEY_ARGUMENT, optarg);
            l->arguments[l->argument_count++] = optarg; /* overwrites words that have been read */
        } else
            c->option(l, key, optarg);
    }
    for (int i = optind; i < argc; i++) { /* behind "--" */
        c->option(l, KEY_ARGUMENT, argv[i]);
        l->arguments[l->argument_count++] = argv[i];
    }
    c->option(l, KEY_END, NULL);
}
