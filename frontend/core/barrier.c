/* Named barriers. A barrier without a count waits for every thread of the block that has not exited; so warps that end
 * early do not hold the others up. A barrier with a count waits for that many threads, in whole warps: a thread that
 * has exited counts as soon as the rest of its warp has arrived, as PTX says.
 *
 * Where threads are not independent, a warp arrives as a whole: once all its lanes that have not exited stand before
 * the same barrier instruction, which may be in a function that they entered by different calls (paths_gather). Lanes
 * that stay elsewhere are a fault, where the hardware would count them as arrived and go on. Where they are
 * independent, every thread arrives by itself (CUDA C++ Programming Guide, "Synchronization Functions": enforced per
 * thread), at whatever instruction names the barrier, with or without .aligned. */
#include "frontend/core/engine.h"
#include "frontend/core/observe.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"

#include <stdio.h>
#include <string.h>

static uint32_t expected(const struct block *b, const struct barrier *bar)
{
    return bar->expected ? bar->expected : b->live_warps * RP_WARP_LANES;
}

/* Writes the result of a reduction to the lanes that waited at `u`; `window` is the offset of their registers. */
static void deliver(struct warp_state *s, uint32_t window, const struct uop *u, lanemask lanes,
                    const struct barrier *bar)
{
    if (u->barrier->kind != RP_BARRIER_REDUCE)
        return;
    if (u->mode == BARRIER_POPC) {
        uint32_t *d = operand_in(s, window, u->d);
        FOR_LANES(l, lanes)
        d[l] = bar->reduced_count;
        return;
    }
    if (is_sink(u->pd))
        return;
    lanemask *pd = operand_in(s, window, u->pd);
    bool value = u->mode == BARRIER_AND ? bar->reduced_and : bar->reduced_or;
    *pd = value ? *pd | lanes : *pd & ~lanes;
}

/* Releases the splits of a warp that wait at barrier `id`. Their steps are logged one after another; together they are
 * one arrival of the warp. */
static void release_parts(struct warp_state *s, uint32_t id, const struct barrier *bar)
{
    bool some = false;
    for (uint32_t i = s->split_count; i-- > 0;) {
        const struct split *split = &s->splits[i];
        if (split->waits != WAIT_BARRIER || split->barrier != id)
            continue;
        deliver(s, split->window, split->pc, split->lanes, bar);
        split_release(s, i, split->lanes);
        some = true;
    }
    if (some && s->status == WARP_WAITING)
        splits_next(s);
}

static bool in_use(const struct block *b, uint32_t id) { return b->barriers_in_use >> id & 1; }

/* Releases the waiting threads if all have arrived. True: they have. */
static bool complete(struct block *b, uint32_t id)
{
    struct barrier *bar = &b->barriers[id];
    if (!in_use(b, id) || bar->arrived + bar->part < expected(b, bar))
        return false;
    observe_event(b->warps, EVENT_BARRIER, NULL, 0);
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        struct warp_state *s = &b->warps[i];
        s->arrived[id] = 0;
        if (s->status != WARP_AT_BARRIER) {
            if (s->independent)
                release_parts(s, id, bar);
            continue;
        }
        if (s->barrier_id != id)
            continue;
        deliver(s, current_window(s), s->barrier, s->barrier_lanes, bar);
        s->status = WARP_READY;
    }
    b->barriers_in_use &= ~(1u << id);
    return true;
}

/* Checks id, count and lanes; false with a fault. */
static bool valid(struct warp_state *s, const struct uop *u, lanemask executed, uint32_t id, uint32_t count)
{
    struct block *b = s->w.block;
    unsigned lane = (unsigned)__builtin_ctz(executed);
    int here = __builtin_popcount(executed), elsewhere = __builtin_popcount(s->w.live & ~executed);
    if (elsewhere && !s->independent)
        block_fault(s, u, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(s->w.live & ~executed),
                    "a barrier is reached by %d thread%s of warp %u while %d other%s of it %s elsewhere", here,
                    rp_plural((unsigned)here), s->w.id, elsewhere, rp_plural((unsigned)elsewhere),
                    elsewhere == 1 ? "is" : "are");
    else if (id >= NAMED_BARRIERS && u->barrier->id != CLUSTER_BARRIER)
        block_fault(s, u, RP_FAULT_SYNC, lane, "barrier %u does not exist; a block has %d", id, NAMED_BARRIERS);
    else if (count % RP_WARP_LANES || count > b->grid->warps * RP_WARP_LANES)
        block_fault(s, u, RP_FAULT_SYNC, lane,
                    "barrier %u waits for %u thread%s; it must be a multiple of 32 and at most the block's %u", id,
                    count, rp_plural(count), b->grid->warps * RP_WARP_LANES);
    else if (u->barrier->kind == RP_BARRIER_ARRIVE && !count)
        block_fault(s, u, RP_FAULT_SYNC, lane, "arriving at barrier %u needs a thread count", id);
    else if (in_use(b, id) && b->barriers[id].expected != count)
        block_fault(s, u, RP_FAULT_SYNC, lane, "barrier %u is used with %u threads and with %u at the same time", id,
                    b->barriers[id].expected, count);
    return !b->faulted;
}

/* Counts lanes that arrive. Some lanes of the warp may have arrived earlier in this phase; lanes that have exited are
 * counted when the last live lane arrives. */
static void count_arrival(struct warp_state *s, struct barrier *bar, uint32_t id, lanemask lanes)
{
    lanemask before = s->arrived[id], all = before | lanes;
    bar->arrived +=
        (unsigned)__builtin_popcount(before & lanes); /* they arrived before in this phase, without waiting */
    if (s->w.live & ~all) {
        bar->part += (unsigned)__builtin_popcount(lanes & ~before);
        s->arrived[id] = all;
        return;
    }
    bar->arrived += RP_WARP_LANES;
    bar->part -= (unsigned)__builtin_popcount(before);
    s->arrived[id] = 0;
}

/* Counts the lanes that arrive at a barrier and accumulates their inputs to a reduction. NULL: a fault. */
static struct barrier *arrive(struct warp_state *s, const struct uop *u, lanemask lanes, uint32_t id, uint32_t count)
{
    if (!valid(s, u, lanes, id, count))
        return NULL;
    struct barrier *bar = &s->w.block->barriers[id];
    observe_event(s, EVENT_ARRIVE, u, lanes);
    if (!in_use(s->w.block, id))
        *bar = (struct barrier){.expected = count, .reduced_and = true};
    s->w.block->barriers_in_use |= 1u << id;
    count_arrival(s, bar, id, lanes);
    bar->instruction = u->index;
    bar->thread = s->w.id * RP_WARP_LANES + (unsigned)__builtin_ctz(lanes);
    if (u->barrier->kind == RP_BARRIER_REDUCE) {
        lanemask set = predicate(&s->w, u) & lanes;
        bar->reduced_count += (uint32_t)__builtin_popcount(set);
        bar->reduced_and = bar->reduced_and && set == lanes;
        bar->reduced_or = bar->reduced_or || set;
    }
    return bar;
}

bool barrier_arrive(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct block *b = s->w.block;
    /* of the current split: lanes from another call have their registers in another window */
    unsigned lane = (unsigned)__builtin_ctz(executed & s->w.active);
    uint32_t id = barrier_id(&s->w, u, lane);
    if (!arrive(s, u, executed, id, barrier_count(&s->w, u, lane)))
        return false;
    if (u->barrier->kind == RP_BARRIER_ARRIVE) {
        complete(b, id);
        return true;
    }
    s->status = WARP_AT_BARRIER;
    s->barrier = u;
    s->barrier_lanes = executed;
    s->barrier_id = id;
    return complete(b, id);
}

/* The lanes of `left` that name the same barrier and the same count as the lowest lane. */
static lanemask same_barrier(const struct warp *w, const struct uop *u, lanemask left)
{
    unsigned first = (unsigned)__builtin_ctz(left);
    lanemask same = 0;
    FOR_LANES(l, left)
    same |= (lanemask)(barrier_id(w, u, l) == barrier_id(w, u, first) &&
                       barrier_count(w, u, l) == barrier_count(w, u, first))
            << l;
    return same;
}

bool barrier_arrive_in_part(struct warp_state *s, const struct uop *u, lanemask executed)
{
    bool waits = u->barrier->kind != RP_BARRIER_ARRIVE;
    observe_event(s, EVENT_PART, u, executed);
    for (lanemask left = executed, some; left; left &= ~some) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t id = barrier_id(&s->w, u, lane), count = barrier_count(&s->w, u, lane);
        some = same_barrier(&s->w, u, left);
        if (!arrive(s, u, some, id, count))
            return false;
        if (waits)
            split_wait(s, u, some, WAIT_BARRIER, id);
        complete(s->w.block, id);
    }
    return true;
}

void barrier_lanes_exited(struct warp_state *s)
{
    for (uint32_t left = s->w.block->barriers_in_use; left; left &= left - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(left);
        struct barrier *bar = &s->w.block->barriers[id];
        if (!s->arrived[id] || s->w.live & ~s->arrived[id])
            continue;
        count_arrival(s, bar, id, 0);
        complete(s->w.block, id);
    }
}

void barrier_warp_exited(struct block *b)
{
    b->live_warps--;
    for (uint32_t left = b->barriers_in_use; left; left &= left - 1)
        if (!b->barriers[__builtin_ctz(left)].expected)
            complete(b, (uint32_t)__builtin_ctz(left));
}

/* ---- deadlock ---------------------------------------------------------------------------------------------------- */

/* A group of lanes that wait together. */
struct waiting_group {
    struct warp_state *s;
    struct split split;
};
struct group_iterator {
    struct block *block;
    uint32_t warp, split; /* position of the next group */
};

/* Finds the next group of waiting lanes; false: there are no more. */
static bool next_group(struct group_iterator *all, struct waiting_group *p)
{
    for (; all->warp < all->block->grid->warps; all->warp++, all->split = 0) {
        p->s = &all->block->warps[all->warp];
        if (p->s->status == WARP_AT_BARRIER && !all->split++) {
            p->split = (struct split){.pc = p->s->barrier,
                                      .lanes = p->s->barrier_lanes,
                                      .waits = WAIT_BARRIER,
                                      .barrier = (uint8_t)p->s->barrier_id};
            return true;
        }
        if (p->s->status == WARP_WAITING && all->split < p->s->split_count) {
            p->split = p->s->splits[all->split++];
            return true;
        }
    }
    return false;
}

static size_t list_group(const struct waiting_group *p, bool first, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s ", first ? "" : ",");
    if (p->split.lanes != p->s->w.live && used < size)
        used += (size_t)snprintf(text + used, size - used, "lanes 0x%08x of ", p->split.lanes);
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, "warp %u at ", p->s->w.id);
    return used < size ? used + describe_split(p->s, &p->split, text + used, size - used) : size;
}

void block_deadlock(struct block *b)
{
    char who[330] = "";
    size_t used = 0;
    uint32_t warps = 0, listed = 0;
    struct group_iterator all = {.block = b};
    struct waiting_group p, first = {0};
    const struct warp_state *last = NULL;
    bool several = false;
    while (next_group(&all, &p)) {
        if (!first.s)
            first = p;
        warps += p.s != last;
        last = p.s;
        several |= p.split.waits != WAIT_BARRIER || p.split.barrier != first.split.barrier;
        if (listed++ < 4 && used < sizeof who)
            used += list_group(&p, listed == 1, who + used, sizeof who - used);
    }
    char count[60] = "";
    const struct barrier *bar = &b->barriers[first.split.barrier];
    if (first.split.waits == WAIT_BARRIER)
        snprintf(count, sizeof count, "; barrier %u has %u of %u threads", first.split.barrier,
                 bar->arrived + bar->part, expected(b, bar));
    block_fault(first.s, first.split.pc, several ? RP_FAULT_DEADLOCK : RP_FAULT_BARRIER,
                (unsigned)__builtin_ctz(first.split.lanes), "%s%u warp%s left wait%s %sforever:%s%s%s",
                warps == 1 ? "the " : "all ", warps, rp_plural(warps), warps == 1 ? "s" : "",
                several && first.s->independent ? "" : "at barriers ", who, listed > 4 ? ", ..." : "", count);
}
