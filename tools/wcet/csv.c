/* Bounds as CSV: a row for each launch, also for those that have no bound. */
#include "tools/wcet/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/wcet/output.h"

/* As JSON names them; `replay.POLICY` follows, and then `error`. */
/* clang-format off */
static const char *const place[] = {"trace", "machine", "launch", "kernel", "grid", "block"};
static const char *const figures[] = {"blocks", "warp_count", "warp_instructions", "section_count", "gub",
                                      "serial_bound", "overlap_bound", "unit_bound", "exact", "us", "assumptions", "relaxed"};
static const char *const attacks[] = {"attack.longest", "attack.per_cent_of_unit_bound"};
/* clang-format on */
enum {
    PLACE = sizeof place / sizeof *place,
    FIGURES = sizeof figures / sizeof *figures,
    ATTACKS = sizeof attacks / sizeof *attacks,
    MOST_COLUMNS = PLACE + FIGURES + ATTACKS + WCET_POLICIES + 1,
};

static void names(struct table *t, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_cell(t, "%s", list[i]);
}

static void empty(struct table *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_cell(t, "%s", "");
}

struct table *wcet_csv_new(const struct wcet_csv *c)
{
    char columns[MOST_COLUMNS + 1];
    size_t own = FIGURES + (c->attacked ? ATTACKS : 0) + c->policies->count;
    memset(columns, 'l', PLACE);
    memset(columns + PLACE, 'r', own);
    memset(columns + PLACE + FIGURES - 2, 'l', 2); /* assumptions, relaxed */
    memcpy(columns + PLACE + own, "l", 2);
    struct table *t = table_new(columns);
    names(t, place, PLACE);
    names(t, figures, FIGURES);
    names(t, attacks, c->attacked ? ATTACKS : 0);
    for (size_t p = 0; p < c->policies->count; p++)
        table_cell(t, "replay.%s", c->policies->names[p]);
    table_cell(t, "error");
    return t;
}

static void place_cells(struct table *t, const struct rp_trace *trace, const struct machine *m, uint32_t number)
{
    const struct rp_launch *l = rp_trace_launch(trace, number);
    char plain[PLAIN_NAME], grid[40], block[40];
    table_cell(t, "%s", rp_trace_path(trace));
    table_cell(t, "%s", m->name);
    table_cell(t, "%" PRIu32, number);
    table_cell(t, "%s", plain_kernel_name(rp_trace_kernel(trace, l->kernel)->name, plain));
    table_cell(t, "%s", dimensions(l->grid, grid));
    table_cell(t, "%s", dimensions(l->block, block));
}

/* What the bound is valid for, beside the path and the machine: "blocks caches", "tlb=none l2_tlb=none". */
static void validity_cells(struct table *t, const struct wcet_csv *c, unsigned assumed)
{
    char text[1024] = "";
    size_t n = 0;
    for (unsigned e = 0; e < WCET_EXTENSION_COUNT; e++)
        if (assumed >> e & 1)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", wcet_extension_names[e]);
    table_cell(t, "%s", text);
    table_cell(t, "%s", c->relaxed);
}

static void bound_cells(struct table *t, const struct wcet_csv *c, const struct wcet_bounds *b)
{
    table_number(t, b->blocks);
    table_number(t, b->warps);
    table_number(t, b->instructions);
    table_number(t, b->section_count);
    if (b->gub_applies)
        table_number(t, b->gub);
    else
        table_cell(t, "%s", "");
    table_number(t, b->serial);
    table_number(t, b->overlap);
    table_number(t, b->unit_bound);
    if (b->exact)
        table_number(t, b->exact);
    else
        table_cell(t, "%s", "");
    table_cell(t, "%.3f", (double)b->unit_bound / fraction_value(c->machine->clock_mhz));
    validity_cells(t, c, b->assumed);
}

static void bound_row(struct table *t, const struct wcet_csv *c, const struct rp_trace *trace,
                      const struct wcet_launch *l, const struct wcet_attack *attack)
{
    place_cells(t, trace, c->machine, l->bounds.launch);
    bound_cells(t, c, &l->bounds);
    if (attack) {
        table_number(t, attack->longest);
        table_cell(t, "%.2f", wcet_attack_closeness(&l->bounds, attack));
    }
    for (size_t p = 0; p < c->policies->count; p++)
        table_number(t, l->cycles[p]);
    table_cell(t, "%s", "");
}

static void skipped_row(struct table *t, const struct wcet_csv *c, const struct rp_trace *trace, const json_t *skipped)
{
    place_cells(t, trace, c->machine, (uint32_t)json_integer_value(json_object_get(skipped, "launch")));
    empty(t, FIGURES + (c->attacked ? ATTACKS : 0) + c->policies->count);
    table_cell(t, "%s", json_string_value(json_object_get(skipped, "reason")));
}

void wcet_csv_rows(struct table *t, const struct wcet_csv *c, const struct rp_trace *trace, const struct wcet_result *r,
                   const struct wcet_attack *found, const json_t *skipped)
{
    size_t s = 0;
    for (size_t i = 0; i <= r->count; i++) {
        const json_t *next;
        while ((next = json_array_get(skipped, s)) &&
               (i == r->count || json_integer_value(json_object_get(next, "launch")) < r->launches[i].bounds.launch)) {
            skipped_row(t, c, trace, next);
            s++;
        }
        if (i < r->count)
            bound_row(t, c, trace, &r->launches[i], found ? &found[i] : NULL);
    }
}

void wcet_csv_no_trace(struct table *t, const struct wcet_csv *c, const char *path, const char *why)
{
    table_cell(t, "%s", path);
    table_cell(t, "%s", c->machine->name);
    empty(t, PLACE - 2 + FIGURES + (c->attacked ? ATTACKS : 0) + c->policies->count);
    table_cell(t, "%s", why);
}
