#include "tools/wcet/grid.h"

#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/input.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"
#include "tools/wcet/attack.h"

bool wcet_grid_axis(struct wcet_grid *g, char *text, struct rp_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals || !equals[1] || equals[1 + strspn(equals + 1, ",")] == 0)
        return rp_fail(err, RP_USAGE, "--grid %s: an axis looks like latency=400,200,100", text);
    *equals = 0;
    if (!strcmp(text, "policy"))
        return wcet_policies_parse(&g->policies, equals + 1, err);
    if (g->key)
        return rp_fail(err, RP_USAGE, "--grid has %s already; one option and policy are all it takes", g->key);
    g->key = text;
    g->values = equals + 1;
    return true;
}

/* All launches of all traces on the machine with the option at this value. */
static bool point(const struct wcet_grid *g, const struct machine_args *args, const char *value,
                  const char *const *traces, size_t count, struct wcet_result *out, struct rp_error *err)
{
    struct machine_args here = *args;
    bool latency = g->key && !strcmp(g->key, "latency");
    if (here.count + 2 > MOST_SETTINGS)
        return rp_fail(err, RP_USAGE, "too many --set");
    here.late_option = "--grid";
    here.late = here.count;
    if (latency) {
        here.settings[here.count++] = (struct machine_setting){"spaces.global.latency", value};
        here.settings[here.count++] = (struct machine_setting){"spaces.local.latency", value};
    } else if (g->key) {
        here.settings[here.count++] = (struct machine_setting){g->key, value};
    }
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        struct rp_trace *t = input_check(traces[i], INPUT_TRACE, err) ? rp_trace_open(traces[i], err) : NULL;
        fine = t && wcet_compare(out, t, &here, -1, g->extensions, NULL, err);
        if (t)
            rp_trace_close(t);
    }
    return fine;
}

static void rows(struct table *table, const struct wcet_grid *g, const char *value, const struct wcet_result *r)
{
    for (size_t p = 0; p < g->policies.count; p++)
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            table_cell(table, "%s", value);
            table_cell(table, "%s", g->policies.names[p]);
            table_cell(table, "%s", wcet_bound_names[b]);
            table_number(table, s.launches);
            table_cell(table, "%.2f %%", s.mean);
            table_cell(table, "%.2f %%", s.max);
            table_cell(table, "%.2f %%", s.weighted_mean);
            table_cell(table, "%.2f %%", s.deviation);
            table_number(table, s.violations);
        }
}

static void add_json(json_t *list, const struct wcet_grid *g, const char *value, const struct wcet_result *r)
{
    for (size_t p = 0; p < g->policies.count; p++)
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            json_add(list,
                     json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:I}", "value", value, "policy",
                               g->policies.names[p], "bound", wcet_bound_names[b], "launches", (json_int_t)s.launches,
                               "mean", s.mean, "max", s.max, "weighted_mean", s.weighted_mean, "standard_deviation",
                               s.deviation, "violations", (json_int_t)s.violations));
        }
}

static struct table *heading(const struct wcet_grid *g)
{
    static const char *const cells[] = {"policy", "bound",         "launches",  "mean",
                                        "max",    "weighted mean", "std. dev.", "violations"};
    struct table *table = table_new("rllrrrrrr");
    table_cell(table, "%s", g->key ? g->key : "-");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_cell(table, "%s", cells[i]);
    return table;
}

int wcet_grid_run(const struct wcet_grid *g, const struct machine_args *args, const char *const *traces, size_t count)
{
    struct rp_error err;
    char *values = strdup(g->values ? g->values : "-"), *state = NULL;
    struct table *table = g->json ? NULL : heading(g);
    json_t *list = g->json ? json_array() : NULL;
    struct progress bar;
    uint64_t done = 0, total = 1;
    for (const char *c = values; *c; c++)
        total += *c == ',';
    progress_begin(&bar, "grid", "values", g->quiet);
    bool fine = true;
    for (char *value = strtok_r(values, ",", &state); fine && value; value = strtok_r(NULL, ",", &state)) {
        struct wcet_result r = {.policies = g->policies, .exhaust = g->exhaust};
        fine = point(g, args, value, traces, count, &r, &err);
        if (fine && table)
            rows(table, g, value, &r);
        if (fine && list)
            add_json(list, g, value, &r);
        fine = fine && wcet_holds(&r, NULL, &err);
        wcet_result_free(&r);
        progress_update(&bar, ++done, total, 0, NULL);
    }
    progress_end(&bar);
    free(values);
    if (!fine) {
        json_decref(list);
        return command_fail(&err);
    }
    if (list)
        return json_finish(json_pack("{s:s, s:s, s:o}", "tool", "reprise " REPRISE_VERSION, "key",
                                     g->key ? g->key : "-", "rows", list));
    (g->csv ? table_print_csv : table_print)(table, stdout);
    return RP_OK;
}
