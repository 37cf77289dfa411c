#include "tools/wcet/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/number.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"
#include "tools/wcet/attack.h"
#include "tools/wcet/skips.h"

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

/* Compares the launches of a trace that are covered. *skips counts the others, of which the first is named. */
static bool one_trace(const struct wcet_grid *g, const struct machine_args *args, struct rp_trace *t, size_t traces,
                      struct wcet_result *out, size_t *skips, struct rp_error *err)
{
    struct rp_error why;
    struct machine *m = machine_args_open(args, NULL, 0, err);
    bool fine = m, only = traces == 1 && rp_trace_launch_count(t) == 1;
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        if (only || wcet_covers(t, l, NULL, m, g->extensions, &why))
            fine = wcet_compare(out, t, args, l, g->extensions, NULL, err);
        else if (!(*skips)++)
            fprintf(stderr, "reprise: %s: launch %" PRIu32 " is left out: %s\n", rp_trace_path(t), l,
                    wcet_skip_reason(t, l, why.text));
    machine_free(m);
    return fine;
}

/* Compares all launches of all traces on the machine with this value of the option. */
static bool point(const struct wcet_grid *g, const struct machine_args *args, const char *value,
                  const char *const *traces, size_t count, struct wcet_result *out, size_t *skips, struct rp_error *err)
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
        struct rp_trace *t = trace_of_launches(traces[i], err);
        fine = t && one_trace(g, &here, t, count, out, skips, err);
        if (t)
            rp_trace_close(t);
    }
    return fine;
}

/* One launch has no statistics, only the overestimation of its bound. */
static void rows(struct table *table, const struct wcet_grid *g, const char *value, const struct wcet_result *r,
                 bool alone)
{
    for (size_t p = 0; p < g->policies.count; p++)
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            table_cell(table, "%s", value);
            table_cell(table, "%s", g->policies.names[p]);
            table_cell(table, "%s", wcet_bound_names[b]);
            if (!alone)
                table_number(table, s.launches);
            table_cell(table, "%.2f %%", s.mean);
            if (!alone) {
                table_cell(table, "%.2f %%", s.max);
                table_cell(table, "%.2f %%", s.weighted_mean);
                table_cell(table, "%.2f %%", s.deviation);
            }
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

static struct table *heading(const struct wcet_grid *g, bool alone)
{
    static const char *const several[] = {"policy", "bound",         "launches",  "mean",
                                          "max",    "weighted mean", "std. dev.", "violations"};
    static const char *const one[] = {"policy", "bound", "larger by", "violations"};
    struct table *table = table_new(alone ? "rllrr" : "rllrrrrrr");
    table_cell(table, "%s", g->key ? g->key : "-");
    for (size_t i = 0; i < (alone ? sizeof one / sizeof *one : sizeof several / sizeof *several); i++)
        table_cell(table, "%s", alone ? one[i] : several[i]);
    return table;
}

/* Expands "5,1..3" to "5,1,2,3", which the caller frees; *count: the number of values. */
#define MOST_VALUES 4096
static char *expand(const char *values, uint64_t *count, struct rp_error *err)
{
    char *out = NULL, *copy = strdup(values), *state = NULL;
    size_t size;
    FILE *text = copy ? open_memstream(&out, &size) : NULL;
    bool fine = text || rp_fail(err, RP_SYSTEM, "out of memory");
    *count = 0;
    for (char *value = fine ? strtok_r(copy, ",", &state) : NULL; fine && value; value = strtok_r(NULL, ",", &state)) {
        long long from = 0, to = 0;
        bool range = read_range(value, &from, &to);
        if (!range)
            from = to = 0;
        if (from > to || (unsigned long long)to - (unsigned long long)from >= MOST_VALUES)
            fine = rp_fail(err, RP_USAGE, "--grid: %s is no range of 1 to %d values", value, MOST_VALUES);
        for (long long i = from; fine && i <= to; i++, ++*count) {
            fputs(*count ? "," : "", text);
            range ? fprintf(text, "%lld", i) : fputs(value, text);
        }
    }
    if (text && fclose(text))
        fine = rp_fail(err, RP_SYSTEM, "out of memory");
    free(copy);
    if (fine)
        return out;
    free(out);
    return NULL;
}

int wcet_grid_run(const struct wcet_grid *g, const struct machine_args *args, const char *const *traces, size_t count)
{
    struct rp_error err;
    uint64_t done = 0, total;
    size_t skips = 0;
    char *values = expand(g->values ? g->values : "-", &total, &err), *state = NULL;
    if (!values)
        return command_fail(&err);
    struct table *table = NULL;
    json_t *list = g->json ? json_array() : NULL;
    struct progress bar;
    progress_begin(&bar, "grid", "values", g->quiet);
    bool fine = true;
    for (char *value = strtok_r(values, ",", &state); fine && value; value = strtok_r(NULL, ",", &state)) {
        struct wcet_result r = {.policies = g->policies, .exhaust = g->exhaust};
        fine = point(g, args, value, traces, count, &r, &skips, &err);
        fine = fine && (r.count || rp_fail(&err, RP_BAD_INPUT, "--grid: no launch of these traces has a bound"));
        bool alone = r.count == 1 && !g->csv;
        if (fine && !list) {
            table = table ? table : heading(g, alone);
            rows(table, g, value, &r, alone);
        }
        if (fine && list)
            add_json(list, g, value, &r);
        fine = fine && wcet_holds(&r, NULL, &err);
        wcet_result_free(&r);
        progress_update(&bar, ++done, total, 0, NULL);
    }
    progress_end(&bar);
    free(values);
    if (!fine) {
        table_free(table);
        json_decref(list);
        return command_fail(&err);
    }
    int status = RP_OK;
    if (list)
        status = json_finish(json_pack("{s:s, s:s, s:o}", "tool", "reprise " REPRISE_VERSION, "key",
                                       g->key ? g->key : "-", "rows", list));
    else
        (g->csv ? table_print_csv : table_print)(table, stdout);
    return status == RP_OK && skips ? RP_BAD_INPUT : status;
}
