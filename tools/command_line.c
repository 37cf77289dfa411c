#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/help.h"
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

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool is_end(const struct option_row *o) { return !o->name && !o->help; }

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
    if (near)
        command_usage(l, "unknown option '--%s'; did you mean '--%s'?", word, near);
    command_usage(l, "unknown option '--%s'; 'reprise %s --help' lists them", word, l->command->name);
}

/* The row that is called so, or the only one that begins so. */
static const struct option_row *long_option(const struct command_line *l, const char *name, size_t length)
{
    const struct option_row *found = NULL;
    for (const struct option_row *o = l->command->options; !is_end(o); o++) {
        if (!o->name || strncmp(o->name, name, length))
            continue;
        if (!o->name[length])
            return o;
        if (found)
            command_usage(l, "'--%.*s' may be --%s or --%s", (int)length, name, found->name, o->name);
        found = o;
    }
    if (!found)
        unknown_option(l, name, length);
    return found;
}

static const struct option_row *short_option(const struct command_line *l, char letter)
{
    for (const struct option_row *o = l->command->options; !is_end(o); o++)
        if (o->name && o->key == letter)
            return o;
    command_usage(l, "unknown option '-%c'; 'reprise %s --help' lists them", letter, l->command->name);
}

static bool common_option(const struct command_line *l, const char *text)
{
    if (!strcmp(text, "--help") || !strcmp(text, "-h") || !strcmp(text, "-?"))
        help_command(l->command, stdout);
    else if (!strcmp(text, "--version") || !strcmp(text, "-V"))
        puts("reprise " REPRISE_VERSION);
    else
        return false;
    exit(command_finish(RP_OK));
}

/* --name, --name=VALUE, --name VALUE. Returns how many of argv it took. */
static int take_long(struct command_line *l, char **argv, int left)
{
    char *name = argv[0] + 2;
    size_t length = strcspn(name, "=");
    const struct option_row *o = long_option(l, name, length);
    char *value = name[length] ? name + length + 1 : NULL;
    if (value && !o->argument)
        command_usage(l, "--%s takes no value", o->name);
    if (value || !o->argument || *o->argument == '[') {
        l->command->option(l, o->key, value);
        return 1;
    }
    if (left < 2)
        command_usage(l, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
    l->command->option(l, o->key, argv[1]);
    return 2;
}

/* -x, -xVALUE, -x VALUE, and several that take none together. */
static int take_short(struct command_line *l, char **argv, int left)
{
    for (char *at = argv[0] + 1; *at; at++) {
        const struct option_row *o = short_option(l, *at);
        if (!o->argument) {
            l->command->option(l, o->key, NULL);
            continue;
        }
        if (!at[1] && left < 2)
            command_usage(l, "-%c needs a value: -%c %s", *at, *at, o->argument);
        l->command->option(l, o->key, at[1] ? at + 1 : argv[1]);
        return at[1] ? 1 : 2;
    }
    return 1;
}

void command_parse(struct command_line *l, const struct command *c, int argc, char **argv, void *input)
{
    *l = (struct command_line){c, input, argv + 1, 0};
    bool options = true;
    for (int i = 1; i < argc;) {
        char *text = argv[i];
        if (options && !strcmp(text, "--")) {
            options = false;
            i++;
        } else if (options && text[0] == '-' && text[1]) {
            if (!common_option(l, text))
                i += text[1] == '-' ? take_long(l, argv + i, argc - i) : take_short(l, argv + i, argc - i);
        } else {
            c->option(l, KEY_ARGUMENT, text);
            l->arguments[l->argument_count++] = text; /* over what has been read */
            i++;
        }
    }
    c->option(l, KEY_END, NULL);
}
