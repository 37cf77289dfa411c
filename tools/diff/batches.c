#include "tools/diff/batches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/interval.h"
#include "tools/replaying.h"
#include "tools/ui/table.h"

/* ---- replaying --------------------------------------------------------------------------------------------------- */

static bool run_variant(struct batches_variant *v, struct rp_trace *t, const struct replay_options *options,
                        const struct repeat_request *request, struct rp_error *err)
{
    struct rp_error why;
    repeat_result_free(&v->result);
    if (repeat(t, v->machine, options, request, &v->result, &why))
        return true;
    if (why.status == RP_SYSTEM)
        return rp_fail(err, RP_SYSTEM, "%s", why.text);
    v->error = strdup(why.text);
    return v->error || rp_fail(err, RP_SYSTEM, "out of memory for the variants");
}

bool diff_batches_run(struct batches *b, struct rp_trace *t, const struct replay_options *options, struct rp_error *err)
{
    struct repeat_request all = b->repeat->request;
    uint32_t most = 0;
    for (size_t v = 0; v < b->count; v++) {
        if (!b->variants[v].error && !run_variant(&b->variants[v], t, options, &b->repeat->request, err))
            return false;
        most = b->variants[v].result.batches > most ? b->variants[v].result.batches : most;
    }
    all.least = all.most = most;
    for (size_t v = 0; v < b->count; v++) {
        struct batches_variant *one = &b->variants[v];
        if (one->error || !one->result.chance || one->result.batches == most)
            continue;
        bool reached = one->result.reached;
        if (!run_variant(one, t, options, &all, err))
            return false;
        one->result.reached |= reached;
    }
    return true;
}

void diff_batches_free(struct batches *b)
{
    for (size_t v = 0; v < b->count; v++)
        repeat_result_free(&b->variants[v].result);
    free(b->variants);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static uint64_t cycles_of(const struct repeat_result *r, uint32_t batch) { return r->cycles[r->chance ? batch : 0]; }

/* Batch by batch. */
static struct running difference(const struct batches *b, size_t v)
{
    const struct repeat_result *one = &b->variants[v].result, *base = &b->variants[b->baseline].result;
    uint32_t count = one->batches > base->batches ? one->batches : base->batches;
    struct running r = {0};
    for (uint32_t i = 0; i < count; i++)
        running_add(&r, (double)cycles_of(one, i) - (double)cycles_of(base, i));
    return r;
}

static double half_width(const struct batches *b, const struct running *r)
{
    return r->count > 1 ? running_half_width(r, b->repeat->request.confidence) : 0;
}

static void print_variant(struct table *t, const struct batches *b, size_t number, bool csv)
{
    const struct batches_variant *v = &b->variants[number];
    for (size_t k = 0; k < b->axes->key_count; k++)
        table_cell(t, "%s", v->values[k] ? v->values[k] : "-");
    if (v->error) {
        for (unsigned i = 0; i < 7; i++)
            table_cell(t, "-");
        table_cell(t, "%s", v->error);
        return;
    }
    const struct repeat_row *cycles = &v->result.rows[0];
    double base = b->variants[b->baseline].result.rows[0].mean;
    struct running d = difference(b, number);
    table_number(t, v->result.batches);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->mean);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->half_width);
    table_cell(t, csv ? "%.17g" : "%.1f", cycles->deviation);
    table_cell(t, csv ? "%.17g" : "%.4f", base > 0 ? cycles->mean / base : 1);
    table_cell(t, csv ? "%.17g" : "%.1f", d.mean);
    table_cell(t, csv ? "%.17g" : "%.1f", half_width(b, &d));
    table_cell(t, "%s", !v->result.chance ? "no chance" : v->result.reached ? "yes" : "no");
}

void diff_batches_print(const struct batches *b, bool csv)
{
    static const char *const heading[] = {"batches", "mean cycles", "half width", "deviation",
                                          "ratio",   "difference",  "half width", "reached"};
    char columns[MOST_KEYS + 16] = "";
    for (size_t k = 0; k < b->axes->key_count; k++)
        strcat(columns, "l");
    struct table *t = table_new(strcat(columns, "rrrrrrrl"));
    for (size_t k = 0; k < b->axes->key_count; k++)
        table_cell(t, "%s", b->axes->keys[k]);
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (size_t v = 0; v < b->count; v++)
        print_variant(t, b, v, csv);
    (csv ? table_print_csv : table_print)(t, stdout);
}

void diff_batches_json(struct json_stream *out, const struct batches *b, size_t number)
{
    const struct batches_variant *v = &b->variants[number];
    struct running d = difference(b, number);
    repeat_json(out, v->machine, b->repeat, &v->result);
    json_part(out, "difference",
              json_pack("{s:f, s:f, s:f}", "mean", d.mean, "half_width", half_width(b, &d), "deviation",
                        running_deviation(&d)));
}
