#include "tools/replaying/repeating.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/lib/number.h"
#include "tools/replaying/replaying.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

bool repeat_option(struct command_line *line, int key, const char *arg, struct repeat_args *a)
{
    struct rp_error err;
    switch (key) {
    case KEY_BATCHES: command_check(line, repeat_parse("batches", arg, a, &err), &err); return true;
    case KEY_CONFIDENCE: command_check(line, repeat_parse("confidence", arg, a, &err), &err); return true;
    case KEY_WIDTH: command_check(line, repeat_parse("width", arg, a, &err), &err); return true;
    case KEY_SEED: command_check(line, read_number(arg, INT64_MAX, "--seed", &a->seed, &err), &err); return true;
    }
    return false;
}

void repeat_check(struct command_line *line, const struct repeat_args *a)
{
    struct rp_error err;
    command_check(line, repeat_agrees(a, &err), &err);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void repeat_print_summary(const struct repeat_args *a, const struct repeat_result *r)
{
    if (!r->chance) {
        puts("The machine has no chance in it: one replay says all.");
        return;
    }
    printf("%" PRIu32 " batch%s, seed %" PRIu64 ": half the interval at %g is ", r->batches,
           r->batches == 1 ? "" : "es", a->seed, a->request.confidence);
    printf(r->reached ? "within %g of the mean cycles.\n" : "not within %g of the mean cycles.\n", a->request.width);
}

static void exact_print_csv(const struct engine_exact *e, const struct csv_origin *origin)
{
    static const char *const heading[] = {"mean", "deviation", "processors", "warps_per_processor"};
    struct table *t = table_new("llllll");
    if (origin->heading)
        csv_origin_heading(t);
    for (size_t i = 0; origin->heading && i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    csv_origin_cells(t, origin);
    table_cell(t, "%.17g", e->mean);
    table_cell(t, "%.17g", sqrt(e->variance));
    table_cell(t, "%" PRIu64, e->processors);
    table_cell(t, "%" PRIu64, e->most_warps);
    table_print_csv(t, stdout);
}

void exact_print(const struct engine_exact *e, const struct csv_origin *origin)
{
    if (origin) {
        exact_print_csv(e, origin);
        return;
    }
    printf("Known without a replay: cycles have mean %.3f and deviation %.3f.\n", e->mean, sqrt(e->variance));
    printf("%" PRIu64 " processor%s, at most %" PRIu64 " warp%s each.\n", e->processors, rp_plural(e->processors),
           e->most_warps, rp_plural(e->most_warps));
}

struct printing {
    struct table *table;
    const struct repeat_row *row;
    const struct csv_origin *csv; /* NULL: text */
};

static void print_row(void *data, const char *name, uint64_t value)
{
    struct printing *p = data;
    const struct repeat_row *r = p->row++;
    (void)value;
    if (!r->greatest && !p->csv)
        return;
    if (p->csv)
        csv_origin_cells(p->table, p->csv);
    table_cell(p->table, "%s", name);
    table_cell(p->table, p->csv ? "%.17g" : "%.1f", r->mean);
    table_cell(p->table, p->csv ? "%.17g" : "%.1f", r->half_width);
    table_cell(p->table, p->csv ? "%.17g" : "%.1f", r->deviation);
    table_number(p->table, r->least);
    table_number(p->table, r->q5);
    table_number(p->table, r->q50);
    table_number(p->table, r->q95);
    table_number(p->table, r->greatest);
}

void repeat_print_table(const struct machine *m, const struct repeat_result *r, const struct csv_origin *csv)
{
    static const char *const heading[][9] = {
        {"statistic", "mean", "half width", "deviation", "least", "5 %", "50 %", "95 %", "greatest"},
        {"statistic", "mean", "half_width", "deviation", "least", "q5", "q50", "q95", "greatest"}};
    const struct statistics none = {0};
    struct printing p = {table_new(csv ? "lllrrrrrrrr" : "lrrrrrrrr"), r->rows, csv};
    if (csv && csv->heading)
        csv_origin_heading(p.table);
    for (size_t i = 0; (!csv || csv->heading) && i < MODEL_COUNT_OF(heading[0]); i++)
        table_cell(p.table, "%s", heading[csv != NULL][i]);
    statistics_each(m, &none, print_row, &p);
    (csv ? table_print_csv : table_print)(p.table, stdout);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

json_t *exact_json(const struct engine_exact *e)
{
    return json_pack("{s:f, s:f, s:I, s:I}", "mean", e->mean, "deviation", sqrt(e->variance), "processors",
                     (json_int_t)e->processors, "warps_per_processor", (json_int_t)e->most_warps);
}

struct listing {
    json_t *object;
    const struct repeat_row *row;
};

static void list_row(void *data, const char *name, uint64_t value)
{
    struct listing *l = data;
    const struct repeat_row *r = l->row++;
    (void)value;
    json_put_path(l->object, name,
                  json_pack("{s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I}", "mean", r->mean, "half_width", r->half_width,
                            "deviation", r->deviation, "least", (json_int_t)r->least, "q5", (json_int_t)r->q5, "q50",
                            (json_int_t)r->q50, "q95", (json_int_t)r->q95, "greatest", (json_int_t)r->greatest));
}

void repeat_json(struct json_stream *out, const struct machine *m, const struct repeat_args *a,
                 const struct repeat_result *r)
{
    const struct statistics none = {0};
    struct listing l = {json_object(), r->rows};
    json_part(out, "batches",
              json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:b, s:b}", "used", (json_int_t)r->batches, "least",
                        (json_int_t)a->request.least, "most", (json_int_t)a->request.most, "seed", (json_int_t)a->seed,
                        "confidence", a->request.confidence, "width", a->request.width, "reached", r->reached,
                        "deterministic", !r->chance));
    json_t *cycles = json_array();
    for (uint32_t b = 0; b < r->batches; b++)
        json_add(cycles, json_number(r->cycles[b]));
    json_part(out, "cycles", cycles);
    if (r->known)
        json_part(out, "exact", exact_json(&r->exact));
    statistics_each(m, &none, list_row, &l);
    json_part(out, "statistics", l.object);
}
