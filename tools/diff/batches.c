#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/interval.h"
#include "tools/diff/diff.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/ui/table.h"

/* ---- replaying --------------------------------------------------------------------------------------------------- */

/* False: the system failed. */
static bool batches_run_variant(struct diff *d, struct diff_variant *v, const struct repeat_request *request,
                                struct rp_error *err)
{
    struct replay_options options = {
        .launch = d->args->launch, .seed = d->args->repeat.seed, .threads = d->args->threads};
    repeat_result_free(&v->result);
    v->fine = repeat(d->trace, v->machine, &options, request, &v->result, &v->error);
    if (!v->fine)
        plain_error(&v->error);
    if (!v->fine && v->error.status == RP_SYSTEM)
        *err = v->error;
    return v->fine || v->error.status != RP_SYSTEM;
}

/* Replays each variant until it has the requested width, then all as often as the one that needed most replays. */
static bool batches_replay(struct diff *d, struct rp_error *err)
{
    struct repeat_request all = d->args->repeat.request;
    uint32_t most = 0;
    for (size_t v = 0; v < d->count; v++) {
        struct diff_variant *one = &d->variants[v];
        if (one->machine && !batches_run_variant(d, one, &d->args->repeat.request, err))
            return false;
        most = one->result.batches > most ? one->result.batches : most;
    }
    all.least = all.most = most;
    for (size_t v = 0; v < d->count; v++) {
        struct diff_variant *one = &d->variants[v];
        if (!one->fine || !one->result.chance || one->result.batches == most)
            continue;
        bool reached = one->result.reached;
        if (!batches_run_variant(d, one, &all, err))
            return false;
        one->result.reached |= reached;
    }
    return diff_find_baseline(d, err);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static uint64_t cycles_of(const struct repeat_result *r, uint32_t batch) { return r->cycles[r->chance ? batch : 0]; }

/* Collects the differences to the baseline, batch by batch. */
static struct running difference(const struct diff *d, const struct diff_variant *v)
{
    const struct repeat_result *one = &v->result, *base = &d->variants[d->baseline].result;
    uint32_t count = one->batches > base->batches ? one->batches : base->batches;
    struct running r = {0};
    for (uint32_t i = 0; i < count; i++)
        running_add(&r, (double)cycles_of(one, i) - (double)cycles_of(base, i));
    return r;
}

static double half_width(const struct diff *d, const struct running *r)
{
    return r->count > 1 ? running_half_width(r, d->args->repeat.request.confidence) : 0;
}

static void batches_row(struct table *t, const struct diff *d, const struct diff_variant *v)
{
    bool csv = d->args->csv;
    if (csv)
        diff_csv_cells(t, d, v);
    for (size_t k = 0; !csv && k < d->args->axes.key_count; k++)
        table_cell(t, "%s", v->values[k] ? v->values[k] : "-");
    if (!v->fine) {
        for (unsigned i = 0; i < (csv ? 8 : 7); i++)
            table_cell(t, "-");
        table_cell(t, "%s", v->error.text);
        return;
    }
    const struct repeat_row *cycles = &v->result.rows[0];
    double base = d->variants[d->baseline].result.rows[0].mean;
    struct running change = difference(d, v);
    table_number(t, v->result.batches);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->mean);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->half_width);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->deviation);
    table_cell(t, csv ? "%.17g" : "%.4f", base > 0 ? cycles->mean / base : 1);
    table_cell(t, csv ? "%.17g" : "%.1f", change.mean);
    table_cell(t, csv ? "%.17g" : "%.1f", half_width(d, &change));
    if (csv) {
        table_cell(t, "%s", v->result.reached ? "true" : "false");
        table_cell(t, "%s", "");
    } else {
        table_cell(t, "%s", !v->result.chance ? "no chance" : v->result.reached ? "yes" : "no");
    }
}

static void batches_print_table(const struct diff *d)
{
    static const char *const people[] = {"batches", "mean cycles", "half width", "deviation",
                                         "ratio",   "difference",  "half width", "reached"};
    static const char *const json[] = {"batches.used",          "cycles.mean",     "cycles.half_width",
                                       "cycles.deviation",      "ratio",           "difference.mean",
                                       "difference.half_width", "batches.reached", "error"};
    bool csv = d->args->csv, heading = !csv || !d->args->out.follows;
    char columns[CSV_ORIGIN_CELLS + MOST_KEYS + 16] = "";
    memset(columns, 'l', csv ? diff_csv_count(d) : d->args->axes.key_count);
    struct table *t = table_new(strcat(columns, csv ? "rrrrrrrll" : "rrrrrrrl"));
    if (csv && heading)
        diff_csv_heading(t, d);
    for (size_t k = 0; !csv && k < d->args->axes.key_count; k++)
        table_cell(t, "%s", d->args->axes.keys[k]);
    for (size_t i = 0; heading && i < (csv ? MODEL_COUNT_OF(json) : MODEL_COUNT_OF(people)); i++)
        table_cell(t, "%s", csv ? json[i] : people[i]);
    for (size_t v = 0; v < d->count; v++)
        batches_row(t, d, &d->variants[v]);
    (csv ? table_print_csv : table_print)(t, stdout);
}

static void batches_variant_json(struct json_stream *out, const struct diff *d, const struct diff_variant *v)
{
    json_open(out, NULL, '{');
    json_part(out, "varied", diff_varied_json(d, v));
    if (v->fine) {
        struct running change = difference(d, v);
        json_part(out, "machine", machine_json(v->machine));
        repeat_json(out, v->machine, &d->args->repeat, &v->result);
        json_part(out, "difference",
                  json_pack("{s:f, s:f, s:f}", "mean", change.mean, "half_width", half_width(d, &change), "deviation",
                            running_deviation(&change)));
    } else {
        json_part(out, "error", json_text(v->error.text));
    }
    json_close(out, '}');
}

static int batches_print(const struct diff *d)
{
    if (d->args->json)
        return diff_print_json(d, NULL, batches_variant_json);
    if (!d->args->csv)
        printf("%s on %s, seed %" PRIu64 ": batch by batch, all variants draw the same random numbers\n\n",
               rp_trace_path(d->trace), d->variants[d->baseline].machine->name, d->args->repeat.seed);
    batches_print_table(d);
    if (!d->args->csv)
        printf("\nHalf widths are of intervals at %g, of the mean and of the mean difference. Reached: the mean's is "
               "within %g of it.\n",
               d->args->repeat.request.confidence, d->args->repeat.request.width);
    return RP_OK;
}

int diff_batches(struct diff *d)
{
    struct rp_error err;
    int status = batches_replay(d, &err) ? batches_print(d) : command_fail(&err);
    for (size_t v = 0; v < d->count; v++)
        repeat_result_free(&d->variants[v].result);
    return status == RP_OK && rp_trace_damage(d->trace) ? RP_PARTIAL : status;
}
