/* Two replays of a trace, place by place. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tools/hotspots/cells.h"

/* How the cycles of a place changed, in cycles of the replays. */
struct change {
    size_t place;
    double cycles, from, to;
    double issue, stall[STALL_COUNT]; /* differences */
};

static double part(const struct hotspots *h, uint64_t cycles) { return (double)cycles / (double)h->subcores; }

static struct change change_of(const struct hotspots *from, const struct hotspots *to, const struct profile_row *a,
                               const struct profile_row *b)
{
    struct change c = {.from = part(from, profile_row_cycles(a)), .to = part(to, profile_row_cycles(b))};
    c.cycles = c.to - c.from;
    c.issue = part(to, b->issue_cycles) - part(from, a->issue_cycles);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        c.stall[i] = part(to, b->stall[i]) - part(from, a->stall[i]);
    return c;
}

static int larger(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    double da = fabs(a->cycles), db = fabs(b->cycles);
    return da != db ? (da < db ? 1 : -1) : (a->place > b->place) - (a->place < b->place);
}

/* The changes of all places that have cycles, the largest first. Those beyond the first `top` are summed up in *others.
 */
static struct change *changes_of(const struct hotspots *from, const struct hotspots *to, size_t top, size_t *shown,
                                 struct change *others, size_t *left)
{
    size_t count = from->places->count;
    struct change *list = calloc(count + 1, sizeof *list);
    struct profile_row a = {0}, b = {0};
    *shown = *left = 0;
    if (!list)
        return no_memory();
    for (size_t i = 0; i < count; i++) {
        struct change c = change_of(from, to, &from->rows[i], &to->rows[i]);
        c.place = i;
        if (c.from || c.to)
            list[(*shown)++] = c;
    }
    qsort(list, *shown, sizeof *list, larger);
    for (; *shown > top; (*left)++) {
        size_t at = list[--*shown].place;
        profile_row_add(&a, &from->rows[at]);
        profile_row_add(&b, &to->rows[at]);
    }
    *others = change_of(from, to, &a, &b);
    return list;
}

static struct change idleness(const struct hotspots *from, const struct hotspots *to)
{
    struct change c = {.from = part(from, from->idle), .to = part(to, to->idle)};
    c.cycles = c.to - c.from;
    return c;
}

static struct change whole(const struct hotspots *from, const struct hotspots *to)
{
    return (struct change){
        .from = (double)from->cycles, .to = (double)to->cycles, .cycles = (double)to->cycles - (double)from->cycles};
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* The largest part of the change: 0 for issue, 1 + stall for a stall. */
static unsigned weightiest(const struct change *c, unsigned except)
{
    unsigned most = 1 + STALL_COUNT;
    double size = 0.05; /* smaller parts would be printed as 0.0 */
    for (unsigned i = 0; i <= STALL_COUNT; i++) {
        double one = fabs(i ? c->stall[i - 1] : c->issue);
        if (i != except && one >= size) {
            most = i;
            size = one;
        }
    }
    return most;
}

static int print_part(char *to, size_t room, const struct change *c, unsigned number)
{
    if (number > STALL_COUNT)
        return 0;
    return snprintf(to, room, "%s %+.1f", number ? statistics_stall_name((enum stall)(number - 1)) : "issue",
                    number ? c->stall[number - 1] : c->issue);
}

static void parts_cell(struct table *t, const struct change *c)
{
    char text[120] = "";
    unsigned first = weightiest(c, STALL_COUNT + 2), second = weightiest(c, first);
    int n = print_part(text, sizeof text, c, first);
    if (second <= STALL_COUNT) {
        n += snprintf(text + n, sizeof text - (size_t)n, ", ");
        print_part(text + n, sizeof text - (size_t)n, c, second);
    }
    table_cell(t, "%s", text);
}

static void row(struct table *t, const struct change *c, const char *name, const char *source)
{
    cycles_cell(t, c->cycles, true);
    cycles_cell(t, c->from, false);
    cycles_cell(t, c->to, false);
    parts_cell(t, c);
    table_cell(t, "%s", name);
    if (source)
        table_cell(t, "%s", source);
}

void difference_print(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *files)
{
    static const char *const heading[] = {"change", "before", "after", "of it"};
    enum place_kind kind = from->places->kind;
    bool sources = kind == BY_INSTRUCTION || kind == BY_LINE;
    char name[PLACE_TEXT], source[PLACE_TEXT];
    size_t shown, left;
    struct change others, *list = changes_of(from, to, top, &shown, &others, &left), idle = idleness(from, to),
                          all = whole(from, to);
    struct table *t = table_new(sources ? "rrrlnn" : "rrrln");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    table_cell(t, "%s", place_title(kind));
    if (sources)
        table_cell(t, "source");
    for (size_t i = 0; i < shown; i++)
        row(t, &list[i], place_name(from->places, list[i].place, from->subcores_per_sm, name),
            sources ? place_source(from->places, list[i].place, files, source) : NULL);
    if (left) {
        snprintf(name, sizeof name, "(%zu others)", left);
        row(t, &others, name, sources ? "" : NULL);
    }
    row(t, &idle, "(no warp)", sources ? "" : NULL);
    row(t, &all, "total", sources ? "" : NULL);
    table_print(t, stdout);
    free(list);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void csv_numbers(struct table *t, const struct change *c)
{
    table_cell(t, "%.3f", c->cycles);
    table_cell(t, "%.3f", c->from);
    table_cell(t, "%.3f", c->to);
    table_cell(t, "%.3f", c->issue);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        table_cell(t, "%.3f", c->stall[i]);
}

void difference_csv_heading(struct table *t)
{
    static const char *const heading[] = {"change", "before", "after", "issue"};
    place_cells_heading(t);
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        table_cell(t, "stall.%s", statistics_stall_name((enum stall)i));
}

void difference_csv(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *files,
                    void (*before)(void *, struct table *), void *data, struct table *t)
{
    size_t shown, left;
    struct change others, *list = changes_of(from, to, top, &shown, &others, &left), idle = idleness(from, to);
    for (size_t i = 0; i < shown; i++) {
        before(data, t);
        place_cells(t, from, list[i].place, files);
        csv_numbers(t, &list[i]);
    }
    if (left) {
        before(data, t);
        place_cells_named(t, "(others)");
        csv_numbers(t, &others);
    }
    before(data, t);
    place_cells_named(t, "(no warp)");
    csv_numbers(t, &idle);
    free(list);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *with_change(json_t *out, const struct change *c)
{
    json_t *stalls = json_object();
    for (unsigned i = 0; i < STALL_COUNT; i++)
        if (c->stall[i] != 0)
            json_put(stalls, statistics_stall_name((enum stall)i), json_real(c->stall[i]));
    json_put(out, "change", json_real(c->cycles));
    json_put(out, "before", json_real(c->from));
    json_put(out, "after", json_real(c->to));
    json_put(out, "issue", json_real(c->issue));
    json_put(out, "stall", stalls);
    return out;
}

json_t *difference_json(const struct hotspots *from, const struct hotspots *to, size_t top, struct source_files *files)
{
    size_t shown, left;
    struct change others, *list = changes_of(from, to, top, &shown, &others, &left), idle = idleness(from, to);
    json_t *out = json_object(), *places = json_array();
    json_put(out, "by", json_string(place_kind_name(from->places->kind)));
    json_put(out, "change", json_real(whole(from, to).cycles));
    for (size_t i = 0; i < shown; i++)
        json_add(places, with_change(place_json(from->places, list[i].place, from->subcores_per_sm, files), &list[i]));
    json_put(out, "places", places);
    if (left)
        json_put(out, "others", with_change(json_object(), &others));
    json_put(out, "idle", with_change(json_object(), &idle));
    free(list);
    return out;
}
