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

/* NULL: no memory. */
static struct cell *cell_at(struct cells *c, uint64_t number)
{
    struct cell_page **page = &c->pages[number / CELLS];
    if (__builtin_expect(!*page, 0) && !(*page = calloc(1, sizeof **page)))
        return NULL;
    return &(*page)->at[number % CELLS];
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
static void keep_load(const struct checked_block *cb, struct cell *cell, struct past now, const struct touch *t)
{
    for (int i = 0; i < 2; i++)
        if (ordered(cb, &cell->load[i], t)) {
            cell->load[i] = now;
            return;
        }
}

static void touch_cell(struct checked_block *cb, struct cell *cell, struct past now, const struct touch *t)
{
    if (conflicts(cb, &cell->store, t))
        report(cb, &cell->store, t);
    if (!t->stores) {
        keep_load(cb, cell, now, t);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (conflicts(cb, &cell->load[i], t)) {
            report(cb, &cell->load[i], t);
            break;
        }
    cell->store = now;
}

void check_race(struct checked_block *cb, const struct touch *t)
{
    struct rp_check *c = cb->check;
    if (t->space == RP_SPACE_LOCAL || !t->bytes)
        return;
    struct cells *cells = cells_of(cb, t);
    uint64_t offset = t->at - (t->space == RP_SPACE_GLOBAL ? t->a->base : 0);
    struct past now = {agent_of(t->u, t->thread / RP_WARP_LANES, t->thread % RP_WARP_LANES, t->strong), c->now,
                       cb->index};
    for (uint64_t i = offset >> c->cell_shift; cells && i <= (offset + t->bytes - 1) >> c->cell_shift; i++) {
        struct cell *cell = cell_at(cells, i);
        if (cell)
            touch_cell(cb, cell, now, t);
        else
            c->incomplete = true;
    }
    c->incomplete |= !cells;
}
