/* reprise machine: lists machines, shows one in full, and explains all options. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tools/diff/machine_diff.h"
#include "tools/lib/command.h"
#include "tools/machine/machine_file.h"
#include "tools/machine/option_line.h"
#include "tools/replaying/options.h"
#include "tools/ui/nearest.h"
#include "tools/ui/table.h"

struct args {
    const char *action;
    struct machine_args machine, other; /* other: of diff */
    bool json, csv, markdown;
};

enum { KEY_MARKDOWN = 256 };

static const struct option_row rows[] = {
    ROW_SET("show: change", ""),
    ROW_JSON(""),
    ROW_CSV("the result", ""),
    {"markdown", KEY_MARKDOWN, NULL, "options: print the table of docs/machines.md"},
    {0},
};

static const char *known_action(struct command_line *line, const char *given)
{
    static const char *const actions[] = {"list", "show", "diff", "options"};
    for (size_t i = 0; i < MODEL_COUNT_OF(actions); i++)
        if (!strcmp(actions[i], given))
            return given;
    const char *near = nearest_name(given, actions, MODEL_COUNT_OF(actions));
    if (near)
        command_usage(line, "'%s' is unknown; did you mean '%s'?", given, near);
    command_usage(line, "'%s' is unknown; there are list, show NAME, diff A B and options", given);
}

static void machine_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    const struct shared_values shared = {.machine = &a->machine, .json = &a->json, .csv = &a->csv};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_MARKDOWN: a->markdown = true; break;
    case KEY_ARGUMENT:
        if (!a->action)
            a->action = known_action(line, arg);
        else if (!a->machine.machine && !strcmp(a->action, "show"))
            a->machine.machine = arg;
        else if (!strcmp(a->action, "diff") && !a->other.machine)
            *(a->machine.machine ? &a->other.machine : &a->machine.machine) = arg;
        else
            command_usage(line, "'%s' is one argument too many", arg);
        break;
    case KEY_END:
        if (!a->action)
            command_usage(line, "give list, show NAME, diff A B or options");
        if (a->markdown && strcmp(a->action, "options"))
            command_usage(line, "--markdown goes with options alone");
        if (a->machine.count && strcmp(a->action, "show"))
            command_usage(line, "--set goes with show alone");
        if (!strcmp(a->action, "diff") && !a->other.machine)
            command_usage(line, "diff wants two machines: reprise machine diff jetson-tx2 mine.cfg");
    }
}

/* ---- list ------------------------------------------------------------------------------------------------------- */

/* The first sentence of a machine's summary. */
static char *sentence(const char *name)
{
    char *text = machine_summary(name);
    char *end = text ? strpbrk(text, ".:;") : NULL;
    while (end && *end && end[1] && end[1] != ' ')
        end = strpbrk(end + 1, ".:;");
    if (end)
        *end = 0;
    return text;
}

static int list(const struct args *a)
{
    char **names;
    size_t count = machine_list(&names);
    json_t *json = a->json ? json_array() : NULL;
    struct table *table = a->json ? NULL : table_new("ln");
    if (a->csv && !json) {
        table_cell(table, "name");
        table_cell(table, "summary");
    }
    for (size_t i = 0; i < count; i++) {
        char *text = sentence(names[i]);
        if (json) {
            json_add(json,
                     json_pack("{s:o, s:o}", "name", json_text(names[i]), "summary", json_text(text ? text : "")));
        } else {
            table_cell(table, "%s", names[i]);
            table_cell(table, "%s", text ? text : "");
        }
        free(text);
    }
    free(names);
    if (json)
        return json_finish(json);
    (a->csv ? table_print_csv : table_print)(table, stdout);
    return RP_OK;
}

/* ---- show ------------------------------------------------------------------------------------------------------- */

/* A result's JSON has only the options on which cycles depend. Here the options of the device join them. */
static json_t *whole_json(const struct machine *m)
{
    json_t *json = machine_json(m), *options = json_object_get(json, "options");
    struct option_line line;
    for (const char *text = m->device_text; option_line_next(&text, &line);)
        json_put(options, line.key, option_json(line.value));
    return json;
}

/* Prints a row per option, with the values that JSON has. */
static int show_csv(const struct machine *m)
{
    struct option_line line;
    puts("key,value");
    for (struct option_lines lines = option_lines_of(m); option_lines_next(&lines, &line);) {
        printf("%s,", line.key);
        csv_cell(line.value, stdout);
        putchar('\n');
    }
    return RP_OK;
}

static int show(const struct args *a)
{
    struct rp_error err;
    if (!a->machine.machine) {
        rp_fail(&err, RP_USAGE, "machine show: which one? 'reprise machine list' shows their names");
        return command_fail(&err);
    }
    struct machine *m = machine_args_open(&a->machine, NULL, 0, &err);
    if (!m)
        return command_fail(&err);
    int status;
    if (a->json) {
        status = json_finish(whole_json(m));
    } else if (a->csv) {
        status = show_csv(m);
    } else {
        printf("# %s, hash %s\n", m->name, m->hash);
        machine_file_print(m, stdout);
        status = RP_OK;
    }
    machine_free(m);
    return status;
}

/* ---- diff ------------------------------------------------------------------------------------------------------- */

static int diff(const struct args *a)
{
    struct rp_error err;
    struct machine *m = machine_args_open(&a->machine, NULL, 0, &err);
    struct machine *other = m ? machine_args_open(&a->other, NULL, 0, &err) : NULL;
    int status = other ? machine_diff(m, other,
                                      a->json  ? MACHINE_DIFF_JSON
                                      : a->csv ? MACHINE_DIFF_CSV
                                               : MACHINE_DIFF_TABLE)
                       : command_fail(&err);
    machine_free(m);
    machine_free(other);
    return status;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

struct listing {
    json_t *json;        /* NULL: the table */
    struct table *table; /* NULL: Markdown */
};

static void row(const struct listing *l, const char *key, const char *limits, const char *initial, const char *help)
{
    if (l->json) {
        json_add(l->json,
                 json_pack("{s:s, s:s, s:s, s:s}", "key", key, "values", limits, "default", initial, "meaning", help));
        return;
    }
    if (!l->table) {
        printf("| `%s` | %s | %s | %s |\n", key, limits, initial, help);
        return;
    }
    table_cell(l->table, "%s", key);
    table_cell(l->table, "%s", limits);
    table_cell(l->table, "%s", initial);
    table_cell(l->table, "%s", help);
}

static void option_row(const struct listing *l, const char *prefix, const struct model_option *o)
{
    char key[128], limits[OPTION_PRINTED], initial[OPTION_PRINTED];
    snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", o->key);
    option_print_limits(o, limits);
    option_print_initial(o, initial);
    row(l, key, limits, initial, o->help);
}

static void own_option(void *data, const struct model_option *o) { option_row(data, "", o); }

static void model_rows(void *data, const char *part, const struct model *m)
{
    char value[160];
    snprintf(value, sizeof value, "%s", m->name);
    row(data, part, value, "", m->help);
    for (unsigned o = 0; o < m->option_count; o++)
        option_row(data, part, &m->options[o]);
}

static int list_options(const struct args *a)
{
    struct listing l = {a->json ? json_array() : NULL, a->json || a->markdown ? NULL : table_new("lllw")};
    if (l.table)
        row(&l, "key", "values", "default", "meaning");
    else if (a->markdown && !a->json)
        puts("| key | values | default | meaning |\n|---|---|---|---|");
    machine_each_option(own_option, &l);
    struct model_set models = machine_models(NULL);
    machine_each_model(&models, model_rows, &l);
    row(&l, "classes.CLASS.unit", "a unit", "", "the unit of a class of instructions; every class needs a row");
    row(&l, "classes.CLASS.initiation", "1..100000 cycles", "", "cycles for which an instruction keeps its unit");
    row(&l, "classes.CLASS.latency", "0..1000000 cycles", "", "cycles after these until the result is ready");
    row(&l, "spaces.SPACE.unit", "a unit", "", "the same three for memory instructions, by the space they access");
    if (l.json)
        return json_finish(l.json);
    if (l.table)
        (a->csv ? table_print_csv : table_print)(l.table, stdout);
    return RP_OK;
}

static int machine_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args a = {0};
    command_parse(&line, c, argc, argv, &a);
    if (!strcmp(a.action, "list"))
        return list(&a);
    if (!strcmp(a.action, "show"))
        return show(&a);
    if (!strcmp(a.action, "diff"))
        return diff(&a);
    return list_options(&a);
}

static const struct command_example examples[] = {
    {"The machines that are found by name", "reprise machine list"},
    {"A machine file of one's own", "reprise machine show jetson-tx2 --set l1=none > mine.cfg"},
    {"What is set differently on two machines", "reprise machine diff jetson-tx2 orin-wcet"},
    {"Every option of every model, explained", "reprise machine options"},
    {NULL, NULL},
};
const struct command command_machine = {
    .name = "machine",
    .summary = "list machines, show one as a machine file, list all options",
    .usage = "list\nshow NAME\ndiff A B\noptions",
    .about = "Lists machines, shows one as a machine file with every option, prints the options in which two differ, "
             "or lists "
             "all options.",
    .options = rows,
    .examples = examples,
    .option = machine_option,
    .run = machine_run,
};
