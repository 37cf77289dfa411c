#include "tools/wcet/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/names.h"
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

/* What one run of the grid has beside its options. */
struct grid_run {
    const struct wcet_grid *grid;
    const struct machine_args *args;
    const char *const *traces;
    size_t count;            /* traces */
    struct wcet_skips *told; /* [traces]: what has been said to be left out */
    json_t *skipped;         /* with --json: the same as a list; NULL */
    struct table *table;     /* without --json; made with the first row */
    size_t launches;         /* with bounds, of all values */
    size_t opened;           /* traces that were opened, once or more */
    bool damaged;            /* one of them is not whole */
};

/* Says which launches are left out, each reason once for a trace: other values of the option leave out the same. */
static void tell_skips(struct grid_run *g, size_t trace, const struct rp_trace *t, const struct wcet_skips *skips)
{
    struct wcet_skips *told = &g->told[trace];
    wcet_skips_print(skips, told, t, stderr);
    wcet_skips_join(told, skips);
}

static bool leave_out(struct grid_run *g, const struct rp_trace *t, uint32_t launch, const char *value,
                      struct rp_error *why, struct wcet_skips *skips)
{
    plain_error(why);
    const char *reason = wcet_skip_reason(t, launch, why->text);
    wcet_skip(skips, launch, reason);
    if (g->skipped)
        json_add(g->skipped, json_pack("{s:o, s:I, s:s, s:s}", "trace", json_text(rp_trace_path(t)), "launch",
                                       (json_int_t)launch, "value", value, "reason", reason));
    return true;
}

/* A launch that is not covered, as its addresses turned out, is not in the result. False: it failed otherwise. */
static bool drop_uncovered(struct wcet_result *out, const struct rp_error *err)
{
    if (err->status != RP_BAD_INPUT)
        return false;
    if (out->count && !out->launches[out->count - 1].bounds.unit_bound)
        out->count--;
    return true;
}

/* Compares the launches of a trace that are covered. */
static bool one_trace(struct grid_run *g, const struct machine_args *args, size_t trace, struct rp_trace *t,
                      const char *value, struct wcet_result *out, struct rp_error *err)
{
    struct rp_error why;
    struct wcet_skips skips = {0};
    struct machine *m = machine_args_open(args, NULL, 0, err);
    bool fine = m;
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(t); l++)
        if (!wcet_covers(t, l, NULL, m, g->grid->extensions, &why))
            leave_out(g, t, l, value, &why, &skips);
        else if (!wcet_compare(out, t, args, l, g->grid->extensions, NULL, err))
            fine = drop_uncovered(out, err) && leave_out(g, t, l, value, err, &skips);
    tell_skips(g, trace, t, &skips);
    wcet_skips_free(&skips);
    machine_free(m);
    return fine;
}

/* Compares all launches of all traces on the machine with this value of the option. */
static bool point(struct grid_run *g, const char *value, struct wcet_result *out, struct rp_error *err)
{
    struct machine_args here = *g->args;
    const char *key = g->grid->key;
    if (here.count + 2 > MOST_SETTINGS)
        return rp_fail(err, RP_USAGE, "too many --set");
    here.late_option = "--grid";
    here.late = here.count;
    if (key && !strcmp(key, "latency")) {
        here.settings[here.count++] = (struct machine_setting){"spaces.global.latency", value};
        here.settings[here.count++] = (struct machine_setting){"spaces.local.latency", value};
    } else if (key) {
        here.settings[here.count++] = (struct machine_setting){key, value};
    }
    bool fine = true;
    for (size_t i = 0; fine && i < g->count; i++) {
        struct rp_trace *t = trace_of_launches(g->traces[i], err);
        if (t && i == g->opened) {
            g->opened++;
            g->damaged |= trace_is_damaged(t, g->grid->quiet);
        }
        fine = t && one_trace(g, &here, i, t, value, out, err);
        if (t)
            rp_trace_close(t);
    }
    return fine;
}

/* One launch has no statistics, only the overestimation of its bound. */
static void rows(struct grid_run *g, const char *value, const struct wcet_result *r, bool alone)
{
    struct table *t = g->table;
    for (size_t p = 0; p < g->grid->policies.count; p++)
        for (unsigned b = 0; b < WCET_BOUNDS; b++) {
            struct wcet_summary s = wcet_summarise(r, p, b);
            if (g->grid->csv) {
                table_cell(t, "%s", g->args->machine);
                table_cell(t, "%s", g->grid->key ? g->grid->key : "");
            }
            table_cell(t, "%s", value);
            table_cell(t, "%s", g->grid->policies.names[p]);
            table_cell(t, "%s", wcet_bound_names[b]);
            if (!alone)
                table_number(t, s.launches);
            table_cell(t, "%.2f %%", s.mean);
            if (!alone) {
                table_cell(t, "%.2f %%", s.greatest);
                table_cell(t, "%.2f %%", s.weighted_mean);
                table_cell(t, "%.2f %%", s.deviation);
            }
            table_number(t, s.violations);
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
                               "mean", s.mean, "greatest", s.greatest, "weighted_mean", s.weighted_mean, "deviation",
                               s.deviation, "violations", (json_int_t)s.violations));
        }
}

static void names(struct table *t, const char *const *list)
{
    for (; *list; list++)
        table_cell(t, "%s", *list);
}

static struct table *heading(const struct wcet_grid *g, bool alone)
{
    static const char *const several[] = {"policy",        "bound",     "launches",   "mean", "greatest",
                                          "weighted mean", "std. dev.", "violations", NULL};
    static const char *const one[] = {"policy", "bound", "larger by", "violations", NULL};
    static const char *const csv[] = {"machine", "key",      "value",         "policy",    "bound",      "launches",
                                      "mean",    "greatest", "weighted_mean", "deviation", "violations", NULL};
    struct table *table = table_new(g->csv ? "lllllrrrrrr" : alone ? "rllrr" : "rllrrrrrr");
    if (!g->csv)
        table_cell(table, "%s", g->key ? g->key : "-");
    names(table, g->csv ? csv : alone ? one : several);
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

/* Analyses and replays everything for one value, and adds its rows. */
static bool one_value(struct grid_run *g, const char *value, json_t *list, struct rp_error *err)
{
    struct wcet_result r = {.policies = g->grid->policies, .exhaust = g->grid->exhaust};
    bool fine = point(g, value, &r, err), alone = r.count == 1 && !g->grid->csv;
    if (interrupted()) { /* the value has no rows: they would be of some launches only */
        wcet_result_free(&r);
        return fine || err->status == RP_PARTIAL;
    }
    g->launches += fine ? r.count : 0;
    if (fine && !list && (r.count || g->grid->csv)) {
        g->table = g->table ? g->table : heading(g->grid, alone);
        if (r.count)
            rows(g, value, &r, alone);
    }
    if (fine && list && r.count)
        add_json(list, g->grid, value, &r);
    fine = fine && wcet_holds(&r, NULL, err);
    wcet_result_free(&r);
    return fine;
}

static bool all_values(struct grid_run *g, json_t *list, struct rp_error *err)
{
    uint64_t done = 0, total;
    char *values = expand(g->grid->values ? g->grid->values : "-", &total, err), *state = NULL;
    bool fine = values;
    struct progress bar;
    progress_begin(&bar, "grid", "values", g->grid->quiet);
    for (char *value = fine ? strtok_r(values, ",", &state) : NULL; fine && value && !interrupted();
         value = strtok_r(NULL, ",", &state)) {
        fine = one_value(g, value, list, err);
        progress_update(&bar, ++done, total, 0, NULL);
    }
    progress_end(&bar);
    free(values);
    return fine;
}

static int print_grid(struct grid_run *g, json_t *list)
{
    const char *key = g->grid->key ? g->grid->key : "-";
    if (list) {
        json_t *json = json_document("wcet-grid");
        json_join(json, json_pack("{s:s, s:O, s:O}", "key", key, "rows", list, "skipped", g->skipped));
        return json_finish(json);
    }
    if (g->table)
        (g->grid->csv ? table_print_csv : table_print)(g->table, stdout);
    g->table = NULL;
    return RP_OK;
}

int wcet_grid_run(const struct wcet_grid *grid, const struct machine_args *args, const char *const *traces,
                  size_t count)
{
    struct rp_error err;
    json_t *list = grid->json ? json_array() : NULL;
    struct grid_run g = {.grid = grid,
                         .args = args,
                         .traces = traces,
                         .count = count,
                         .told = calloc(count, sizeof *g.told),
                         .skipped = grid->json ? json_array() : NULL};
    interrupt_watch();
    bool fine = g.told ? all_values(&g, list, &err) : rp_fail(&err, RP_SYSTEM, "out of memory");
    bool skips = false;
    int status = fine ? print_grid(&g, list) : RP_OK;
    for (size_t i = 0; g.told && i < count; i++) {
        skips |= g.told[i].count != 0;
        wcet_skips_free(&g.told[i]);
    }
    free(g.told);
    table_free(g.table);
    json_decref(list);
    json_decref(g.skipped);
    if (fine && interrupted()) {
        command_finish(status);
        fputs(g.launches ? "reprise: stopped: the rows are those of the values that were done\n"
                         : "reprise: stopped before any value was done\n",
              stderr);
        interrupt_end();
    }
    if (fine && !g.launches)
        fine = rp_fail(&err, RP_BAD_INPUT, "--grid: no launch of these traces has a bound");
    if (!fine)
        return command_fail(&err);
    return status != RP_OK ? status : skips ? RP_BAD_INPUT : g.damaged ? RP_PARTIAL : RP_OK;
}
