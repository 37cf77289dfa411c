/* Accesses that conflict and are not ordered. For each cell of memory the last store and up to two loads are kept. Time
 * is a counter of everything that may order; an access is before an event if its time is less than the event's. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/inside.h"

void cells_free(struct cells *c)
{
    for (uint64_t i = 0; c->pages && i <= c->count / CELLS; i++)
        free(c->pages[i]);
    free(c->pages);
    *c = (struct cells){0};
}

void cells_clear(struct cells *c)
{
    for (uint64_t i = 0; c->pages && i <= c->count / CELLS; i++)
        if (c->pages[i])
            memset(c->pages[i], 0, sizeof *c->pages[i]);
}

/* The page of a cell. NULL: no memory. */
static struct cell_page *page_of(struct cells *c, uint64_t number)
{
    struct cell_page **page = &c->pages[number / CELLS];
    if (__builtin_expect(!*page, 0))
        *page = calloc(1, sizeof **page);
    return *page;
}

static struct past past_at(const struct cell_page *p, int which, uint64_t i)
{
    return (struct past){p->agent[which][i], p->when[which][i], p->block[which][i]};
}

static void keep(struct cell_page *p, int which, uint64_t i, struct past now)
{
    p->agent[which][i] = now.agent;
    p->when[which][i] = now.when;
    p->block[which][i] = now.block;
}

/* Those of device memory are of one launch. NULL: no memory. */
static struct cells *cells_of(struct checked_block *cb, const struct touch *t)
{
    struct rp_check *c = cb->check;
    if (t->space == RP_SPACE_SHARED)
        return &cb->shared;
    struct checked_allocation *a = check_allocation(c, t->a);
    if (!a)
        return NULL;
    if (a->launch == c->launch)
        return &a->cells;
    cells_free(&a->cells); /* the cells of another kernel may be of another size */
    a->launch = c->launch;
    a->cells.count = (a->size >> c->cell_shift) + 1;
    a->cells.pages = calloc(a->cells.count / CELLS + 1, sizeof *a->cells.pages);
    return a->cells.pages ? &a->cells : NULL;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

void race_event(struct checked_block *cb, const struct warp_state *s, enum block_event event)
{
    struct rp_check *c = cb->check;
    uint32_t warp = s->w.id;
    if (c->now == UINT32_MAX) {
        c->incomplete = true;
        return;
    }
    c->now++;
    switch (event) {
    case EVENT_BARRIER: cb->barrier = c->now; break;
    case EVENT_COLLECTIVE: cb->collective[warp] = c->now; break;
    case EVENT_FENCE:
        cb->released[warp] = cb->acquired[warp] = c->now;
        c->released[cb->index] = c->acquired[cb->index] = c->now;
        break;
    default: break;
    }
}

/* Whether something orders what `p` was before what the thread does now. */
static bool ordered(const struct checked_block *cb, const struct past *p, const struct touch *t)
{
    const struct rp_check *c = cb->check;
    uint32_t warp = t->thread / RP_WARP_LANES, other = agent_warp(p->agent);
    if (!p->when)
        return true;
    if (t->space == RP_SPACE_GLOBAL && p->block != cb->index)
        return c->released[p->block] > p->when && c->acquired[cb->index] > p->when;
    if (p->when < cb->barrier || agent_thread(p->agent) == t->thread)
        return true;
    if (other == warp && (!t->block->warps[warp].independent || p->when < cb->collective[warp]))
        return true;
    return cb->released[other] > p->when && cb->acquired[warp] > p->when;
}

static bool conflicts(const struct checked_block *cb, const struct past *p, const struct touch *t)
{
    if (!p->when || (t->strong && p->agent & AGENT_STRONG))
        return false;
    /* lanes of one instruction that store to one place */
    bool together = agent_instruction(p->agent) == t->u->index && agent_warp(p->agent) == t->thread / RP_WARP_LANES &&
                    (t->space == RP_SPACE_SHARED || p->block == cb->index);
    return !together && !ordered(cb, p, t);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* Where a thread of any block of the grid was. */
static struct rp_check_place place_of(const struct checked_block *cb, const struct past *p, const struct touch *t)
{
    const struct grid *g = cb->check->grid;
    struct rp_check_place at =
        check_place(t->block, agent_instruction(p->agent), agent_thread(p->agent), agent_access(p->agent));
    if (t->space != RP_SPACE_GLOBAL)
        return at;
    at.block[0] = p->block % g->dim[0];
    at.block[1] = p->block / g->dim[0] % g->dim[1];
    at.block[2] = p->block / g->dim[0] / g->dim[1];
    return at;
}

static void report(struct checked_block *cb, const struct past *p, const struct touch *t)
{
    char detail[160];
    bool apart = t->space == RP_SPACE_GLOBAL && p->block != cb->index;
    snprintf(detail, sizeof detail, "and nothing orders it behind a %s by another %s",
             check_access_name(agent_access(p->agent)),
             apart                                               ? "block"
             : agent_warp(p->agent) == t->thread / RP_WARP_LANES ? "thread of the warp"
                                                                 : "warp");
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_RACE,
                     .space = (uint8_t)t->space,
                     .address = t->at,
                     .size = (uint32_t)t->bytes,
                     .here = check_place(t->block, t->u->index, t->thread, t->u->memory->operand.kind),
                     .other = place_of(cb, p, t),
                     .two = true,
                 },
                 detail);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Keeps a load beside one of another thread that is not ordered before it. */
static void keep_load(const struct checked_block *cb, struct cell_page *p, uint64_t i, struct past now,
                      const struct touch *t)
{
    for (int which = PAST_LOAD; which <= PAST_SECOND_LOAD; which++) {
        struct past before = past_at(p, which, i);
        if (ordered(cb, &before, t)) {
            keep(p, which, i, now);
            return;
        }
    }
}

/* Cell `i` of the page, by one lane. */
static void touch_cell(struct checked_block *cb, struct cell_page *p, uint64_t i, struct past now,
                       const struct touch *t)
{
    struct past store = past_at(p, PAST_STORE, i);
    if (conflicts(cb, &store, t))
        report(cb, &store, t);
    if (!t->stores) {
        keep_load(cb, p, i, now, t);
        return;
    }
    for (int which = PAST_LOAD; which <= PAST_SECOND_LOAD; which++) {
        struct past load = past_at(p, which, i);
        if (conflicts(cb, &load, t)) {
            report(cb, &load, t);
            break;
        }
    }
    keep(p, PAST_STORE, i, now);
}

/* Whether `count` pasts from cell `i` on are all over: none, or of this block before its last barrier. */
static bool all_over(const struct checked_block *cb, const struct cell_page *p, int which, uint64_t i, uint64_t count)
{
    const uint32_t *when = p->when[which] + i, *block = p->block[which] + i, barrier = cb->barrier, me = cb->index;
    uint32_t open = 0;
    for (uint64_t k = 0; k < count; k++)
        open |= (when[k] != 0) & ((block[k] != me) | (when[k] >= barrier));
    return !open;
}

static bool none_over(const struct checked_block *cb, const struct cell_page *p, int which, uint64_t i, uint64_t count)
{
    const uint32_t *when = p->when[which] + i, *block = p->block[which] + i, barrier = cb->barrier, me = cb->index;
    uint32_t over = 0;
    for (uint64_t k = 0; k < count; k++)
        over |= (when[k] == 0) | ((block[k] == me) & (when[k] < barrier));
    return !over;
}

/* Whether they all are of the threads that touch the cells now, `shift` cells a thread. */
static bool all_own(const struct cell_page *p, int which, uint64_t i, uint64_t count, const struct touch *t,
                    const struct checked_block *cb, unsigned shift)
{
    uint32_t other = 0;
    for (uint64_t k = 0; k < count; k++)
        other |= (p->block[which][i + k] ^ cb->index) |
                 (agent_thread(p->agent[which][i + k]) ^ (t->thread + (uint32_t)(k >> shift)));
    return !other;
}

static void keep_all(struct cell_page *p, int which, uint64_t i, uint64_t count, struct past now, unsigned shift)
{
    for (uint64_t k = 0; k < count; k++) {
        p->when[which][i + k] = now.when;
        p->block[which][i + k] = now.block;
        p->agent[which][i + k] = now.agent + (k >> shift);
    }
}

/* Neighbouring lanes and cells of which all are alike: no race, and what is to be kept is clear. False: they must be
 * looked at one by one. */
static bool touch_alike(const struct checked_block *cb, struct cell_page *p, uint64_t i, uint64_t count,
                        struct past now, const struct touch *t, unsigned shift)
{
    if (!all_over(cb, p, PAST_STORE, i, count))
        return false;
    if (!t->stores && none_over(cb, p, PAST_SECOND_LOAD, i, count))
        return true; /* two are enough */
    bool free = all_over(cb, p, PAST_LOAD, i, count) || all_own(p, PAST_LOAD, i, count, t, cb, shift);
    if (!free && (t->stores || !none_over(cb, p, PAST_LOAD, i, count)))
        return false;
    if ((t->stores || !free) && !all_over(cb, p, PAST_SECOND_LOAD, i, count))
        return false;
    keep_all(p, t->stores ? PAST_STORE : free ? PAST_LOAD : PAST_SECOND_LOAD, i, count, now, shift);
    return true;
}

/* `count` cells from number `first` on, within one page; `t` begins there. */
static void touch_page(struct checked_block *cb, struct cell_page *p, uint64_t first, uint64_t count,
                       const struct touch *t)
{
    const struct rp_check *c = cb->check;
    uint64_t i = first % CELLS;
    struct past now = {agent_of(t->u, t->thread / RP_WARP_LANES, t->thread % RP_WARP_LANES, t->strong), c->now,
                       cb->index};
    unsigned shift = t->bytes >> c->cell_shift ? (unsigned)__builtin_ctzll(t->bytes >> c->cell_shift) : 0;
    if (t->lanes > 1 && touch_alike(cb, p, i, count, now, t, shift))
        return;
    for (uint64_t k = 0; k < count; k++) {
        uint32_t lane = t->lanes > 1 ? (uint32_t)(k >> shift) : 0;
        struct touch one = touch_of_lane(t, lane);
        now.agent = agent_of(t->u, one.thread / RP_WARP_LANES, one.thread % RP_WARP_LANES, t->strong);
        touch_cell(cb, p, i + k, now, &one);
    }
}

void check_race(struct checked_block *cb, const struct touch *t)
{
    struct rp_check *c = cb->check;
    if (t->space == RP_SPACE_LOCAL || !t->bytes)
        return;
    struct cells *cells = cells_of(cb, t);
    c->incomplete |= !cells;
    uint64_t offset = t->at - (t->space == RP_SPACE_GLOBAL ? t->a->base : 0);
    uint64_t end = cells ? ((offset + t->lanes * t->bytes - 1) >> c->cell_shift) + 1 : 0;
    struct touch part = *t;
    for (uint64_t i = offset >> c->cell_shift, count; i < end; i += count) {
        struct cell_page *p = page_of(cells, i);
        count = end - i < CELLS - i % CELLS ? end - i : CELLS - i % CELLS;
        if (p)
            touch_page(cb, p, i, count, &part);
        c->incomplete |= !p;
        if (part.lanes > 1)
            part = touch_of_lanes(&part, (uint32_t)((count << c->cell_shift) / t->bytes));
    }
}
