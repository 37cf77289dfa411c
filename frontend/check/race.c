/* Conflicting accesses that are not ordered. Each memory cell keeps the last store and up to two loads. */
#include <stdio.h>

#include "frontend/check/internal.h"

/* The position of a cell's past; NULL: its page does not exist. */
static check_past *find_past(const struct cells *c, int which, uint64_t cell)
{
    check_past *page = c->pages[which][cell / CELLS];
    return page ? page + cell % CELLS : NULL;
}

/* Like find_past, but creates the page. NULL: out of memory. */
static check_past *make_past(struct rp_check *check, struct cells *c, int which, uint64_t cell)
{
    check_past **page = &c->pages[which][cell / CELLS];
    if (__builtin_expect(!*page, 0) && !(*page = cells_new_page(check))) {
        check->missed |= MISSED_MEMORY;
        return NULL;
    }
    return *page + cell % CELLS;
}

static check_past past_at(const struct cells *c, int which, uint64_t cell)
{
    const check_past *p = find_past(c, which, cell);
    return p ? *p : 0;
}

static void keep(struct rp_check *check, struct cells *c, int which, uint64_t cell, check_past now)
{
    check_past *p = make_past(check, c, which, cell);
    if (p)
        *p = now;
}

/* NULL: out of memory. */
static struct cells *cells_of(struct checked_block *cb, const struct touch *t)
{
    struct rp_check *c = cb->check;
    if (t->space == RP_SPACE_SHARED)
        return &t->of->shared;
    struct checked_allocation *a = check_allocation(c, t->a);
    if (a && (a->cells.count || cells_make(&a->cells, (a->size >> c->global_shift) + 1)))
        return &a->cells;
    c->missed |= MISSED_MEMORY;
    return NULL;
}

static check_agent agent_of(const struct touch *t)
{
    uint8_t kind = touch_kind(t);
    bool loads = kind == RP_ACCESS_LOAD || kind == RP_ACCESS_BULK_LOAD;
    uint32_t access = loads                                                     ? AGENT_LOAD
                      : kind == RP_ACCESS_STORE || kind == RP_ACCESS_BULK_STORE ? AGENT_STORE
                                                                                : AGENT_ATOMIC;
    return (t->strong ? AGENT_STRONG : 0) | access << 29 | (t->u->index & (AGENT_INSTRUCTIONS - 1)) << 10;
}

/* enum rp_access_kind, precise enough for a report. */
static uint8_t access_kind(check_agent a)
{
    static const uint8_t kinds[] = {
        [AGENT_LOAD] = RP_ACCESS_LOAD, [AGENT_STORE] = RP_ACCESS_STORE, [AGENT_ATOMIC] = RP_ACCESS_ATOMIC};
    return kinds[agent_access(a)];
}

/* ---- windows of time --------------------------------------------------------------------------------------------- */

/* The time since when pasts are about this memory. */
static uint32_t begin_of(const struct checked_block *cb, const struct touch *t)
{
    return t->space == RP_SPACE_SHARED ? later(t->of->begun, cb->check->begin) : cb->check->begin;
}

/* The windows of open and of fresh pasts. In memory that only this block accesses all pasts are the block's; otherwise
 * only those of its slice are. */
static struct window open_window(const struct checked_block *cb, const struct touch *t)
{
    if (!t->apart)
        return (struct window){.since = past_of(cb->barrier, 0)};
    return (struct window){past_of(later(cb->barrier, cb->slice), 0), past_of(begin_of(cb, t), 0),
                           past_of(cb->slice, 0)};
}

static struct window fresh_window(const struct checked_block *cb, const struct touch *t)
{
    uint32_t warp = t->thread / RP_WARP_LANES;
    uint32_t ordered = later(cb->barrier, later(cb->collective[warp], race_acquired(cb, t, warp)));
    if (!t->apart)
        return (struct window){.since = past_of(ordered, 0)};
    return (struct window){past_of(later(ordered, cb->slice), 0),
                           past_of(later(begin_of(cb, t), race_acquired_from_others(cb, t)), 0), past_of(cb->slice, 0)};
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* The source location of a past access of any block of the grid, with its thread. */
static struct rp_check_location location_of(const struct checked_block *cb, check_past past, const struct touch *t)
{
    check_agent agent = past_agent(past);
    struct rp_check_location at =
        check_location(t->block, agent_instruction(agent), agent_thread(agent), access_kind(agent));
    if (!t->apart)
        return at;
    check_block_at(cb->check->grid, race_block_of(cb, past), at.block);
    return at;
}

static void report(struct checked_block *cb, check_past past, const struct touch *t, uint32_t thread)
{
    char detail[160];
    check_agent agent = past_agent(past);
    bool apart = t->apart && race_block_of(cb, past) != cb->index;
    const char *name = check_access_name(access_kind(agent));
    snprintf(detail, sizeof detail, "and nothing orders it behind a%s %s by another %s%s", *name == 'a' ? "n" : "",
             name,
             apart                                         ? "block"
             : agent_warp(agent) == thread / RP_WARP_LANES ? "thread of the warp"
                                                           : "warp",
             apart && race_strong_in_block(cb->check, t, agent) ? ", of a scope that ends at its block" : "");
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_RACE,
                     .space = (uint8_t)t->space,
                     .address = t->at + (thread - t->thread) * t->bytes,
                     .size = (uint32_t)t->bytes,
                     .memory = touch_buffer(t),
                     .here = check_location(t->block, t->u->index, thread, touch_kind(t)),
                     .other = location_of(cb, past, t),
                     .two = true,
                 },
                 detail);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Keeps a load; beside one of another thread if that is not ordered before it. */
static void keep_load(struct checked_block *cb, const struct touch *t, uint64_t cell, check_past now)
{
    for (int which = PAST_LOAD; which <= PAST_SECOND_LOAD; which++)
        if (race_ordered(cb, past_at(t->cells, which, cell), t, agent_thread(past_agent(now)))) {
            keep(cb->check, t->cells, which, cell, now);
            return;
        }
}

/* Checks one cell for one lane. */
static __attribute__((noinline)) void touch_cell(struct checked_block *cb, const struct touch *t, uint64_t cell,
                                                 check_past now)
{
    uint32_t thread = agent_thread(past_agent(now));
    check_past store = past_at(t->cells, PAST_STORE, cell);
    if (race_conflicts(cb, store, t, thread))
        report(cb, store, t, thread);
    if (!t->stores) {
        keep_load(cb, t, cell, now);
        return;
    }
    for (int which = PAST_LOAD; which <= PAST_SECOND_LOAD; which++) {
        check_past load = past_at(t->cells, which, cell);
        if (race_conflicts(cb, load, t, thread)) {
            report(cb, load, t, thread);
            break;
        }
    }
    if (!t->strong || !race_unfenced(cb, store, t)) /* otherwise the store that can be in more races stays */
        keep(cb->check, t->cells, PAST_STORE, cell, now);
}

/* So few cells are checked without a call of the vector loops. */
#define FEW_CELLS 4
static bool all_within(const struct rp_check *c, const check_past *p, uint64_t count, struct window w)
{
    bool all = true;
    if (count > FEW_CELLS)
        return c->all(p, count, w);
    for (uint64_t k = 0; k < count; k++)
        all &= within(p[k], w);
    return all;
}

static bool any_within(const struct rp_check *c, const check_past *p, uint64_t count, struct window w)
{
    bool any = false;
    if (count > FEW_CELLS)
        return c->any(p, count, w);
    for (uint64_t k = 0; k < count; k++)
        any |= within(p[k], w);
    return any;
}

/* Whether both are strong: then they do not conflict, nor does what was before the strong store. */
static bool both_strong(const struct touch *t, check_past p)
{
    return t->strong && t->stores && past_agent(p) & AGENT_STRONG;
}

/* Whether no past in `count` cells of a page matters: a barrier has ordered it, or both accesses are strong. */
static bool all_over(const struct checked_block *cb, const struct touch *t, int which, uint64_t cell, uint64_t count)
{
    const check_past *p = find_past(t->cells, which, cell);
    if (!p || !any_within(cb->check, p, count, t->open))
        return true;
    bool strong = true;
    for (uint64_t k = 0; k < count && strong; k++)
        strong = both_strong(t, p[k]);
    return strong;
}

static bool all_fresh(const struct checked_block *cb, const struct touch *t, int which, uint64_t cell, uint64_t count)
{
    const check_past *p = find_past(t->cells, which, cell);
    return p && all_within(cb->check, p, count, t->fresh);
}

/* Of pasts in global memory, only those of the current slice are known to be this block's. */
static check_past own_since(const struct checked_block *cb, const struct touch *t)
{
    return t->apart ? past_of(cb->slice, 0) : 0;
}

/* Handles neighbouring lanes and cells that are all in the same state: there is no race, and what to keep is clear.
 * False: they need the check one by one. `now`: the past of the first cell; `shift`: log2 of the cells per thread. */
static bool touch_alike(struct checked_block *cb, const struct touch *t, uint64_t cell, uint64_t count, check_past now,
                        unsigned shift)
{
    struct rp_check *c = cb->check;
    if (!all_over(cb, t, PAST_STORE, cell, count))
        return false;
    if (!t->stores && all_fresh(cb, t, PAST_SECOND_LOAD, cell, count))
        return true; /* two are enough */
    bool free = all_over(cb, t, PAST_LOAD, cell, count) ||
                c->owned(find_past(t->cells, PAST_LOAD, cell), count, now, shift, own_since(cb, t));
    if (!free && (t->stores || !all_fresh(cb, t, PAST_LOAD, cell, count)))
        return false;
    if ((t->stores || !free) && !all_over(cb, t, PAST_SECOND_LOAD, cell, count))
        return false;
    int which = t->stores ? PAST_STORE : free ? PAST_LOAD : PAST_SECOND_LOAD;
    check_past *to = make_past(c, t->cells, which, cell);
    if (to)
        c->keep(to, count, now, shift);
    return true;
}

/* The same for one cell, without a call of the loops. Each access to cells may be a cache miss. */
static bool touch_alone(struct checked_block *cb, const struct touch *t, uint64_t cell, check_past now)
{
    check_past load = past_at(t->cells, PAST_LOAD, cell);
    check_past store = past_at(t->cells, PAST_STORE, cell);
    bool free =
        !within(load, t->open) || both_strong(t, load) || (load >= own_since(cb, t) && !((load ^ now) & AGENT_THREADS));
    if ((within(store, t->open) && !both_strong(t, store)) || (t->stores && !free))
        return false;
    if (t->stores || !free) {
        check_past second = past_at(t->cells, PAST_SECOND_LOAD, cell);
        if (!t->stores && within(second, t->fresh))
            return true;
        if ((within(second, t->open) && !both_strong(t, second)) || (!free && !within(load, t->fresh)))
            return false;
    }
    keep(cb->check, t->cells, t->stores ? PAST_STORE : free ? PAST_LOAD : PAST_SECOND_LOAD, cell, now);
    return true;
}

static uint64_t first_cell(const struct checked_block *cb, const struct touch *t, uint64_t at)
{
    return (at - (t->space == RP_SPACE_GLOBAL ? t->a->base : 0)) >> cell_shift(cb->check, t->space);
}

/* Loads of at most so many cells may be checked together, whatever lanes make them. */
#define QUIET_CELLS 128

bool race_quiet(struct checked_block *cb, const struct touch *t, uint64_t low, uint64_t end)
{
    const struct rp_check *c = cb->check;
    if (c->current != cb)
        race_begin_slice(cb);
    const struct cells *cells = cells_of(cb, t);
    if (!cells)
        return false;
    uint64_t first = first_cell(cb, t, low), last = first_cell(cb, t, end - 1), count = last - first + 1;
    if (count > QUIET_CELLS || first / CELLS != last / CELLS)
        return false;
    bool row = !t->apart && first % ROW_CELLS == 0 && count == ROW_CELLS;
    struct window fresh = fresh_window(cb, t);
    if (row && past_when(fresh.since) <= cb->quiet[first / ROW_CELLS])
        return true;
    const check_past *second = find_past(cells, PAST_SECOND_LOAD, first), *store = find_past(cells, PAST_STORE, first);
    if (!second || !within(*second, fresh) || !all_within(c, second, count, fresh) ||
        (store && any_within(c, store, count, open_window(cb, t))))
        return false;
    if (row)
        cb->quiet[first / ROW_CELLS] = past_when(fresh.since);
    return true;
}

void race_prepare(struct checked_block *cb, struct touch *t)
{
    if (cb->check->current != cb)
        race_begin_slice(cb);
    t->cells = cells_of(cb, t);
    t->agent = agent_of(t);
    t->copies = copies_starts(t);
    t->open = open_window(cb, t);
    t->fresh = fresh_window(cb, t);
    if (t->stores && t->space == RP_SPACE_SHARED)
        t->of->stored = cb->check->now;
}

void race_prefetch(const struct checked_block *cb, const struct touch *t, const struct lane_addresses *la)
{
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        const check_past *p = find_past(t->cells, t->stores ? PAST_STORE : PAST_LOAD, first_cell(cb, t, la->at[l]));
        if (p)
            __builtin_prefetch(p, 1);
    }
}

/* Rows of shared memory have been stored to. */
static void end_quiet(struct checked_block *cb, uint64_t first, uint64_t end)
{
    for (uint64_t row = first / ROW_CELLS; row <= (end - 1) / ROW_CELLS; row++)
        cb->quiet[row] = 0;
}

void race_stored(struct checked_block *cb, struct touch *t)
{
    race_prepare(cb, t);
    if (!t->cells)
        return;
    uint64_t first = first_cell(cb, t, t->at), end = first_cell(cb, t, t->at + t->bytes - 1) + 1;
    end_quiet(cb, first, end);
    for (uint64_t cell = first; cell < end; cell++)
        keep(cb->check, t->cells, PAST_STORE, cell, past_of(cb->check->now, t->agent | t->thread));
}

bool check_race_pair(struct checked_block *cb, const struct touch *t)
{
    struct rp_check *c = cb->check;
    uint64_t cell = first_cell(cb, t, t->at), last = first_cell(cb, t, t->at + t->bytes - 1), count = last - cell + 1;
    if (t->stores || cell / CELLS != last / CELLS)
        return false;
    for (int which = 0; which < PASTS; which++)
        if (!all_over(cb, t, which, cell, count))
            return false;
    check_past *load = make_past(c, t->cells, PAST_LOAD, cell), now = past_of(c->now, t->agent | t->thread);
    check_past *second = make_past(c, t->cells, PAST_SECOND_LOAD, cell);
    for (uint64_t k = 0; load && second && k < count; k++) {
        load[k] = now;
        second[k] = now + 1;
    }
    return true;
}

static bool all_differ(const struct scattered *s)
{
    uint64_t taken[CELLS / 64] = {0}, twice = 0;
    for (unsigned i = 0; i < s->count; i++) {
        uint64_t *word = &taken[s->cell[i] / 64], bit = (uint64_t)1 << s->cell[i] % 64;
        twice |= *word & bit;
        *word |= bit;
    }
    return !twice;
}

/* Finds the lanes' cells in the page that begins with `first`. False: two lanes share a cell, or not all cells are
 * there. */
static bool place_scattered(const struct rp_check *c, const struct lane_addresses *la, lanemask lanes, uint64_t first,
                            check_past start, struct scattered *s)
{
    uint64_t least = 0;
    if (!~lanes)
        return c->place(la, c->shared_shift, first, start, s) && (s->ascends || all_differ(s));
    s->count = 0;
    s->ascends = true;
    FOR_LANES(l, lanes)
    {
        uint64_t cell = (lane_address(la, l) >> c->shared_shift) - first;
        if (cell >= CELLS)
            return false;
        s->ascends &= cell >= least;
        least = cell + 1;
        s->cell[s->count] = (uint32_t)cell;
        s->now[s->count++] = start + l;
    }
    return s->ascends || all_differ(s);
}

/* Handles lanes that access one element each in the page that begins with `first`, all different. True: there is no
 * race, and the accesses are kept. */
static bool touch_page(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la, lanemask lanes,
                       uint64_t first)
{
    struct rp_check *c = cb->check;
    struct scattered s;
    struct scattered_pasts is;
    check_past *page[PASTS];
    if (!place_scattered(c, la, lanes, first, past_of(c->now, t->agent | t->thread), &s))
        return false;
    for (int which = 0; which < PASTS; which++)
        if (!(s.page[which] = page[which] = make_past(c, t->cells, which, first)))
            return false;
    s.open = t->open;
    s.fresh = t->fresh;
    s.strong_store = t->strong && t->stores;
    c->scattered(&s, &is);
    lanemask all = ~(lanemask)0 >> (RP_WARP_LANES - s.count), second = all & ~is.load_over & ~is.second_fresh;
    if (all &
        ~(is.store_over & (t->stores ? is.load_over & is.second_over : ~second | (is.second_over & is.load_fresh))))
        return false;
    for (unsigned i = 0; i < s.count; i++) {
        if (t->stores || is.load_over >> i & 1)
            page[t->stores ? PAST_STORE : PAST_LOAD][s.cell[i]] = s.now[i];
        else if (second >> i & 1)
            page[PAST_SECOND_LOAD][s.cell[i]] = s.now[i];
    }
    return true;
}

static lanemask in_page(const struct checked_block *cb, const struct touch *t, const struct lane_addresses *la,
                        lanemask lanes, uint64_t page)
{
    lanemask in = 0;
    FOR_LANES(l, lanes)
    in |= (lanemask)(first_cell(cb, t, lane_address(la, l)) / CELLS == page) << l;
    return in;
}

lanemask check_race_scattered(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la,
                              lanemask lanes)
{
    lanemask done = 0;
    if (t->space != RP_SPACE_SHARED || t->apart || t->bytes != 1u << cb->check->shared_shift)
        return 0;
    bool one_page = first_cell(cb, t, la->low) / CELLS == first_cell(cb, t, la->high) / CELLS;
    for (lanemask left = lanes, part; left; left &= ~part) {
        uint64_t page = first_cell(cb, t, lane_address(la, (unsigned)__builtin_ctz(left))) / CELLS;
        part = one_page ? left : in_page(cb, t, la, left, page);
        if (touch_page(cb, t, la, part, page * CELLS))
            done |= part;
    }
    if (t->stores && done)
        end_quiet(cb, first_cell(cb, t, la->low), first_cell(cb, t, la->high) + 1);
    return done;
}

/* Handles the cells from `first` to before `end`, page by page. */
static __attribute__((noinline)) void touch_range(struct checked_block *cb, const struct touch *t, uint64_t first,
                                                  uint64_t end, check_past start, unsigned shift)
{
    for (uint64_t cell = first, count; cell < end; cell += count) {
        count = end - cell < CELLS - cell % CELLS ? end - cell : CELLS - cell % CELLS;
        if (touch_alike(cb, t, cell, count, start + ((cell - first) >> shift), shift))
            continue;
        for (uint64_t k = 0; k < count; k++)
            touch_cell(cb, t, cell + k, start + ((cell - first + k) >> shift));
    }
}

void check_race(struct checked_block *cb, const struct touch *t)
{
    uint64_t first = first_cell(cb, t, t->at), end = first_cell(cb, t, t->at + t->lanes * t->bytes - 1) + 1;
    check_past start = past_of(cb->check->now, t->agent | t->thread);
    if (t->stores && !t->apart)
        end_quiet(cb, first, end);
    unsigned shift = t->lanes > 1 ? (unsigned)__builtin_ctzll(t->bytes >> cell_shift(cb->check, t->space)) : 31;
    if (end - first > FEW_CELLS) {
        touch_range(cb, t, first, end, start, shift);
        return;
    }
    for (uint64_t k = 0; k < end - first; k++)
        if (!touch_alone(cb, t, first + k, start + (k >> shift)))
            touch_cell(cb, t, first + k, start + (k >> shift));
}
