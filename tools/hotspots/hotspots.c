#include "tools/hotspots/hotspots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/session/engines.h"
#include "tools/hotspots/cells.h"
#include "tools/hotspots/units.h"

bool hotspots_sum(struct hotspots *h, const struct places *places, const struct profile *p, uint64_t cycles,
                  const struct machine *m, struct rp_error *err)
{
    uint64_t counted = 0, all = cycles * p->subcore_count;
    *h = (struct hotspots){.places = places,
                           .rows = profile_end(p, err) ? places_sum(places, p, err) : NULL,
                           .cycles = cycles,
                           .subcores = p->subcore_count,
                           .subcores_per_sm = m->subcores,
                           .cores = machine_is_cores(m),
                           .one_at_a_time = engine_of(m, REPLAY_FAST)->capabilities & ENGINE_SUMS};
    for (size_t i = 0; h->rows && i < places->count; i++)
        counted += profile_row_cycles(&h->rows[i]);
    h->idle = counted < all ? all - counted : 0; /* the cycles may be a mean that was rounded down */
    return h->rows;
}

void hotspots_free(struct hotspots *h)
{
    free(h->rows);
    h->rows = NULL;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

struct rank {
    size_t place;
    uint64_t cycles;
};

static int hotter(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Sorts the places that have cycles or issues, the hottest first. The places after the first `top` are summed up in
 * *others; *left: their number. NULL: out of memory. */
static struct rank *rank(const struct hotspots *h, size_t top, size_t *shown, struct profile_row *others, size_t *left)
{
    struct rank *ranks = calloc(h->places->count + 1, sizeof *ranks);
    *shown = *left = 0;
    *others = (struct profile_row){0};
    for (size_t i = 0; ranks && i < h->places->count; i++) {
        uint64_t cycles = profile_row_cycles(&h->rows[i]);
        if (cycles || h->rows[i].issued || h->places->kind == BY_SUBCORE)
            ranks[(*shown)++] = (struct rank){i, cycles};
    }
    if (!ranks)
        return no_memory();
    qsort(ranks, *shown, sizeof *ranks, hotter);
    for (; *shown > top; (*left)++)
        profile_row_add(others, &h->rows[ranks[--*shown].place]);
    return ranks;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void row(struct table *t, const struct hotspots *h, const struct profile_row *r, uint64_t cycles,
                const char *name, const char *source)
{
    uint64_t all = h->cycles * h->subcores;
    cycles_cell(t, (double)cycles / (double)h->subcores, false);
    table_cell(t, "%.1f %%", all ? 100 * (double)cycles / (double)all : 0.0);
    if (r) {
        table_number(t, r->issued);
        table_cell(t, r->issued ? "%.1f" : "-", r->issued ? (double)r->threads / (double)r->issued : 0);
        if (h->cores)
            table_number(t, r->misses);
        stalls_cell(t, r);
    } else {
        for (unsigned i = 0; i < 3u + h->cores; i++)
            table_cell(t, " ");
    }
    table_cell(t, "%s", name);
    if (source)
        table_cell(t, "%s", source);
}

void hotspots_print(const struct hotspots *h, size_t top, struct source_files *files)
{
    static const char *const heading[] = {"cycles", "share", "issued", "lanes", "misses", "stalls"};
    bool sources = h->places->kind == BY_INSTRUCTION || h->places->kind == BY_LINE;
    char name[PLACE_TEXT], source[PLACE_TEXT];
    size_t shown, left;
    struct profile_row others;
    struct rank *ranks = rank(h, top, &shown, &others, &left);
    struct table *t = table_new(h->cores ? sources ? "rrrrrlnn" : "rrrrrln" : sources ? "rrrrlnn" : "rrrrln");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        if (h->cores || strcmp(heading[i], "misses"))
            table_cell(t, "%s", heading[i]);
    table_cell(t, "%s", place_title(h->places->kind));
    if (sources)
        table_cell(t, "source");
    for (size_t i = 0; i < shown; i++) {
        size_t at = ranks[i].place;
        row(t, h, &h->rows[at], ranks[i].cycles, place_name(h->places, at, h->subcores_per_sm, name),
            sources ? place_source(h->places, at, files, source) : NULL);
    }
    if (left) {
        snprintf(name, sizeof name, "(%zu others)", left);
        row(t, h, &others, profile_row_cycles(&others), name, sources ? "" : NULL);
    }
    row(t, h, NULL, h->idle, "(no warp)", sources ? "" : NULL);
    row(t, h, NULL, h->cycles * h->subcores, "total", sources ? "" : NULL);
    table_print(t, stdout);
    free(ranks);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

#define CSV_CELLS 5 /* of csv_row, without stalls and misses */
static void csv_row(struct table *t, const struct hotspots *h, const struct profile_row *r, uint64_t cycles)
{
    table_cell(t, "%" PRIu64, cycles);
    table_cell(t, "%.3f", (double)cycles / (double)h->subcores);
    table_cell(t, "%" PRIu64, r ? r->issued : 0);
    table_cell(t, "%" PRIu64, r ? r->threads : 0);
    table_cell(t, "%" PRIu64, r ? r->issue_cycles : 0);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        table_cell(t, "%" PRIu64, r ? r->stall[i] : 0);
    if (h->cores)
        table_cell(t, "%" PRIu64, r ? r->misses : 0);
}

/* Cells of the shares of units, summed over `count` places from ranks[from] on. Only places that are instructions have
 * these columns. */
static void csv_units(struct table *t, const struct hotspots *h, const struct rank *ranks, size_t from, size_t count)
{
    struct unit_shares s = {{0}};
    if (h->places->kind != BY_INSTRUCTION)
        return;
    for (size_t i = from; i < from + count; i++)
        unit_shares_add(&s, h, h->places->list[ranks[i].place].instruction, &h->rows[ranks[i].place]);
    for (unsigned i = 0; i < SHARE_IDLE; i++)
        table_cell(t, "%" PRIu64, s.cycles[i]);
}

static void csv_units_heading(struct table *t, const struct hotspots *h)
{
    for (unsigned i = 0; h->places->kind == BY_INSTRUCTION && i < SHARE_IDLE; i++)
        table_cell(t, "units.%s", share_name((enum share)i));
}

static void csv_heading(struct table *t, const struct hotspots *h)
{
    static const char *const heading[] = {"subcore_cycles", "cycles", "issued", "threads", "issue_cycles"};
    csv_origin_heading(t);
    place_cells_heading(t);
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        table_cell(t, "stall.%s", statistics_stall_name((enum stall)i));
    if (h->cores)
        table_cell(t, "misses");
    csv_units_heading(t, h);
}

void hotspots_print_csv(const struct hotspots *h, const struct csv_origin *origin, size_t top,
                        struct source_files *files)
{
    size_t shown, left;
    struct profile_row others;
    struct rank *ranks = rank(h, top, &shown, &others, &left);
    char columns[CSV_ORIGIN_CELLS + PLACE_CELLS + CSV_CELLS + STALL_COUNT + SHARE_IDLE + 2] = {0};
    memset(columns, 'l', sizeof columns - 2 + h->cores - (h->places->kind == BY_INSTRUCTION ? 0 : SHARE_IDLE));
    struct table *t = table_new(columns);
    if (origin->heading)
        csv_heading(t, h);
    for (size_t i = 0; i < shown; i++) {
        csv_origin_cells(t, origin);
        place_cells(t, h, ranks[i].place, files);
        csv_row(t, h, &h->rows[ranks[i].place], ranks[i].cycles);
        csv_units(t, h, ranks, i, 1);
    }
    if (left) {
        csv_origin_cells(t, origin);
        place_cells_named(t, "(others)");
        csv_row(t, h, &others, profile_row_cycles(&others));
        csv_units(t, h, ranks, shown, left);
    }
    csv_origin_cells(t, origin);
    place_cells_named(t, "(no warp)");
    csv_row(t, h, NULL, h->idle);
    csv_units(t, h, ranks, 0, 0);
    table_print_csv(t, stdout);
    free(ranks);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *units_json(const struct hotspots *h, const struct rp_instruction *in, const struct profile_row *r)
{
    struct unit_shares s = {{0}};
    json_t *out = json_object();
    unit_shares_add(&s, h, in, r);
    for (unsigned i = 0; i < SHARE_COUNT; i++)
        if (s.cycles[i])
            json_put(out, share_name((enum share)i), json_number(s.cycles[i]));
    return out;
}

/* in: NULL for the sum of other places, whose shares of units are left out. */
static json_t *with_row(json_t *out, const struct hotspots *h, const struct rp_instruction *in,
                        const struct profile_row *r)
{
    json_t *stalls = json_object();
    for (unsigned i = 0; i < STALL_COUNT; i++)
        if (r->stall[i])
            json_put(stalls, statistics_stall_name((enum stall)i), json_number(r->stall[i]));
    json_put(out, "issued", json_number(r->issued));
    json_put(out, "threads", json_number(r->threads));
    json_put(out, "subcore_cycles", json_number(profile_row_cycles(r)));
    json_put(out, "issue_cycles", json_number(r->issue_cycles));
    json_put(out, "stall", stalls);
    if (h->cores)
        json_put(out, "misses", json_number(r->misses));
    if (in)
        json_put(out, "units", units_json(h, in, r));
    return out;
}

json_t *hotspots_json(const struct hotspots *h, size_t top, struct source_files *files)
{
    size_t shown, left;
    struct profile_row others;
    struct rank *ranks = rank(h, top, &shown, &others, &left);
    json_t *out = json_object(), *list = json_array();
    json_put(out, "by", json_string(place_kind_name(h->places->kind)));
    json_put(out, "cycles", json_number(h->cycles));
    json_put(out, "subcores", json_number(h->subcores));
    json_put(out, "idle", json_number(h->idle));
    for (size_t i = 0; i < shown; i++) {
        size_t at = ranks[i].place;
        json_add(list,
                 with_row(place_json(h->places, at, h->subcores_per_sm, files), h,
                          h->places->kind == BY_INSTRUCTION ? h->places->list[at].instruction : NULL, &h->rows[at]));
    }
    json_put(out, "places", list);
    if (left)
        json_put(out, "others", with_row(json_object(), h, NULL, &others));
    free(ranks);
    return out;
}
