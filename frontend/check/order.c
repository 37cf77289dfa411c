/* The order of accesses. Time is a counter of all events that may order accesses; an access is before an event if its
 * time is less than the event's. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

/* False: times are exhausted. */
static bool next_time(struct rp_check *c)
{
    c->missed |= c->now == UINT32_MAX ? MISSED_TIME : 0;
    c->now += c->now != UINT32_MAX;
    return c->now != UINT32_MAX;
}

/* False: times are exhausted. */
bool race_tick(struct checked_block *cb)
{
    if (cb->waiting)
        loads_keep(cb);
    return next_time(cb->check);
}

void race_event(struct checked_block *cb, const struct warp_state *s, enum block_event event)
{
    struct rp_check *c = cb->check;
    if (event == EVENT_BARRIER)
        cb->waiting = 0; /* nothing can race with them any more */
    else if (cb->waiting)
        loads_keep(cb);
    if (!next_time(c))
        return;
    switch (event) {
    case EVENT_BARRIER: cb->barrier = c->now; break;
    case EVENT_CLUSTER:
        cb->barrier = c->now;
        c->fenced[cb->index] = c->released[cb->index] = c->acquired[cb->index] = c->now;
        break;
    default: cb->collective[s->w.id] = c->now; break;
    }
}

void race_fence(struct checked_block *cb, const struct warp_state *s, bool stores_too, bool in_block)
{
    struct rp_check *c = cb->check;
    uint32_t warp = s->w.id, block = cb->index;
    if (!race_tick(cb))
        return;
    cb->acquired[warp] = cb->released[warp] = c->now;
    cb->fenced[warp] = stores_too ? c->now : cb->fenced[warp];
    if (in_block)
        return;
    c->acquired[block] = c->released[block] = c->now;
    c->fenced[block] = stores_too ? c->now : c->fenced[block];
}

void race_seen(struct checked_block *cb, const struct warp_state *s, bool in_block)
{
    cb->seen[s->w.id] = cb->check->now;
    if (!in_block)
        cb->check->seen[cb->index] = cb->check->now;
}

uint32_t race_acquired(const struct checked_block *cb, const struct touch *t, uint32_t warp)
{
    return t->uncached ? later(cb->acquired[warp], cb->seen[warp]) : cb->acquired[warp];
}

uint32_t race_acquired_from_others(const struct checked_block *cb, const struct touch *t)
{
    const struct rp_check *c = cb->check;
    return t->uncached ? later(c->acquired[cb->index], c->seen[cb->index]) : c->acquired[cb->index];
}

#define SLICES (1u << 20) /* the most slices that are kept; when there are more, the later half stays */

/* Makes room for a slice. Accesses before the first slice that is kept count as ordered. False: out of memory. */
static bool make_room_for_slice(struct rp_check *c)
{
    if (c->slice_count == SLICES) {
        c->slice_count /= 2;
        memmove(c->slices, c->slices + c->slice_count, c->slice_count * sizeof *c->slices);
        c->begin = c->slices[0].when;
    }
    if (c->slice_count < c->slice_room)
        return true;
    size_t room = 2 * c->slice_room + 16;
    struct check_slice *more = realloc(c->slices, room * sizeof *more);
    if (!more)
        return false;
    c->slices = more;
    c->slice_room = room;
    return true;
}

/* Another block runs now. */
void race_begin_slice(struct checked_block *cb)
{
    struct rp_check *c = cb->check;
    if (c->now == UINT32_MAX || !make_room_for_slice(c)) {
        c->missed |= c->now == UINT32_MAX ? MISSED_TIME : MISSED_MEMORY;
        return;
    }
    cb->slice = ++c->now;
    c->current = cb;
    c->slices[c->slice_count++] = (struct check_slice){cb->slice, cb->index};
}

/* The block that made an access to global memory in this launch. */
uint32_t race_block_of(const struct checked_block *cb, check_past p)
{
    const struct rp_check *c = cb->check;
    size_t from = 0, to = c->slice_count; /* the slice is in [from, to) */
    if (past_when(p) >= cb->slice)
        return cb->index;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (c->slices[middle].when <= past_when(p))
            from = middle;
        else
            to = middle;
    }
    return c->slices[from].block;
}

/* Only stores that are not strong need a fence after them to become visible in time. */
static bool needs_fence(check_past past)
{
    return agent_access(past_agent(past)) == AGENT_STORE && !(past_agent(past) & AGENT_STRONG);
}

/* Whether it is a store that is not strong, and that nothing has made visible to others yet. */
bool race_unfenced(const struct checked_block *cb, check_past past, const struct touch *t)
{
    if (!within(past, t->open) || !needs_fence(past))
        return false;
    uint32_t block = t->apart ? race_block_of(cb, past) : cb->index;
    return past_when(past) >=
           (block == cb->index ? cb->fenced[agent_warp(past_agent(past))] : cb->check->fenced[block]);
}

/* Whether the order of its own block's threads, or a barrier, puts a past access of this block before what the thread
 * does now. */
static bool ordered_in_block(const struct checked_block *cb, check_past past, const struct touch *t, uint32_t thread)
{
    uint32_t warp = thread / RP_WARP_LANES, when = past_when(past);
    if (when < cb->barrier || agent_thread(past_agent(past)) == thread)
        return true;
    return agent_warp(past_agent(past)) == warp && (!t->block->warps[warp].independent || when < cb->collective[warp]);
}

/* Whether anything orders the past access before what the thread does now. */
bool race_ordered(const struct checked_block *cb, check_past past, const struct touch *t, uint32_t thread)
{
    const struct rp_check *c = cb->check;
    uint32_t warp = thread / RP_WARP_LANES, other = agent_warp(past_agent(past)), when = past_when(past);
    if (!within(past, t->open))
        return true;
    uint32_t block = t->apart ? race_block_of(cb, past) : cb->index;
    if (block != cb->index)
        return (needs_fence(past) ? c->fenced : c->released)[block] > when && race_acquired_from_others(cb, t) > when;
    if (ordered_in_block(cb, past, t, thread))
        return true;
    return (needs_fence(past) ? cb->fenced : cb->released)[other] > when && race_acquired(cb, t, warp) > when;
}

/* NULL: an access without a memory operand of its own. */
static const struct rp_memory_operand *operand_of(const struct touch *t, check_agent agent)
{
    const struct rp_instruction *in = &t->block->program->kernel.instructions[agent_instruction(agent)];
    return in->memory_count ? in->memory : NULL;
}

/* Whether both are strong, within one block, so that their scopes do not matter. */
bool race_strong_in_block(const struct rp_check *c, const struct touch *t, check_agent agent)
{
    const struct rp_memory_operand *other = operand_of(t, agent);
    return t->u->memory && check_strong(c, &t->u->memory->operand) && other && check_strong(c, other);
}

static bool is_swap(const struct rp_memory_operand *o)
{
    return o->kind == RP_ACCESS_ATOMIC && o->atomic == RP_ATOMIC_CAS;
}

/* A load and a compare-and-swap, which does nothing if the loaded value is out of date: CUDA C++ Programming Guide,
 * "Atomic Functions", builds other atomics this way. */
static bool swap_and_load(const struct touch *t, check_agent agent)
{
    const struct rp_memory_operand *one = t->u->memory ? &t->u->memory->operand : NULL, *two = operand_of(t, agent);
    return one && two &&
           ((is_swap(one) && two->kind == RP_ACCESS_LOAD) || (is_swap(two) && one->kind == RP_ACCESS_LOAD));
}

/* A plain store that does not change the value; the past access must be a plain store, too (compute-sanitizer's
 * racecheck does not report these by default). */
static bool stores_the_same(const struct touch *t, check_agent agent, uint32_t thread)
{
    uint8_t value[RP_WARP_LANES];
    const struct rp_memory_operand *other = operand_of(t, agent);
    bool own = t->space == RP_SPACE_SHARED ? !t->apart : t->space == RP_SPACE_GLOBAL;
    if (!own || !t->stores || touch_kind(t) != RP_ACCESS_STORE || !other || other->kind != RP_ACCESS_STORE ||
        t->bytes > sizeof value || t->copies)
        return false;
    struct warp_state *s = &((struct block *)t->block)->warps[thread / RP_WARP_LANES];
    uint64_t at = t->at + (thread - t->thread) * t->bytes;
    const uint8_t *there = t->a ? t->a->host + (at - t->a->base) : t->block->shared + at;
    access_stored(s, t->u, thread % RP_WARP_LANES, value);
    return !memcmp(there, value, t->bytes);
}

/* Whether fences order the two by chance: both threads had one lock, and the past one's lacks its fence. */
static bool by_chance(const struct checked_block *cb, check_past past, const struct touch *t, uint32_t thread)
{
    uint32_t block = t->apart ? race_block_of(cb, past) : cb->index;
    bool in_order = block == cb->index && ordered_in_block(cb, past, t, thread);
    return !in_order && locks_unfenced(cb, past, block, thread);
}

bool race_conflicts(const struct checked_block *cb, check_past past, const struct touch *t, uint32_t thread)
{
    check_agent agent = past_agent(past);
    if (!within(past, t->open) || (t->strong && agent & AGENT_STRONG) || swap_and_load(t, agent))
        return false;
    bool here = !t->apart || race_block_of(cb, past) == cb->index;
    /* lanes of one instruction that store to one address */
    bool together = here && agent_instruction(agent) == t->u->index && agent_warp(agent) == thread / RP_WARP_LANES;
    return !together && !(here && race_strong_in_block(cb->check, t, agent)) &&
           (!race_ordered(cb, past, t, thread) || by_chance(cb, past, t, thread)) && !stores_the_same(t, agent, thread);
}
