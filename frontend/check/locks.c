/* Locks, in strict mode. A thread takes a lock by a compare-and-swap that succeeds, and gives it back by putting the
 * value of before there. Behind the compare-and-swap belongs a fence whose scope includes the lock's other users
 * (Kamath, George, Basu, "ScoRD: A Scoped Race Detector for GPUs", ISCA 2020). What a thread accesses before this fence
 * races with accesses of others that hold the same lock, although this schedule orders them: another schedule may take
 * the lock the other way round, and then nothing orders them. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/operation/flags.h"

#define NEVER UINT32_MAX

static uint64_t read_value(const void *at, uint64_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static uint64_t lane_value(const struct warp *w, struct operand o, unsigned lane, uint64_t bytes)
{
    return is_sink(o) ? 0 : read_value((const uint8_t *)operand_at(w, o) + lane * bytes, bytes);
}

static uint64_t value_before(const struct touch *t, uint64_t at)
{
    return read_value(t->a ? t->a->host + (at - t->a->base) : t->block->shared + at, t->bytes);
}

/* The value that the lane's store or atomic will leave there. */
static uint64_t value_after(struct warp_state *s, const struct touch *t, uint64_t at, unsigned lane)
{
    uint64_t stored = 0;
    if (t->u->memory->operand.kind == RP_ACCESS_STORE) {
        access_stored(s, t->u, lane, (uint8_t *)&stored);
        return stored;
    }
    return atomic_apply((enum rp_atomic)t->u->memory->operand.atomic, (enum lane_type)t->u->type, value_before(t, at),
                        lane_value(&s->w, t->u->b, lane, t->bytes), lane_value(&s->w, t->u->c, lane, t->bytes));
}

/* Whether it accesses single values that may be locks. */
static bool may_be_lock(const struct checked_block *cb, const struct touch *t)
{
    const struct memory_descriptor *d = t->u->memory;
    bool own = t->space == RP_SPACE_GLOBAL || t->of == cb;
    return t->stores && own && d->operand.width <= sizeof(uint64_t) && d->count <= 1 &&
           (d->operand.kind == RP_ACCESS_STORE || d->operand.kind == RP_ACCESS_ATOMIC ||
            d->operand.kind == RP_ACCESS_REDUCTION);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static struct lock_section *held_by(const struct checked_block *cb, uint32_t warp, uint32_t i)
{
    return &cb->held[warp]->list[i];
}

static uint32_t held_count(const struct checked_block *cb, uint32_t warp)
{
    return cb->held[warp] ? cb->held[warp]->count : 0;
}

static void drop_held(struct held_locks *h, uint32_t i)
{
    h->count--;
    memmove(&h->list[i], &h->list[i + 1], (h->count - i) * sizeof *h->list);
}

static bool same_lock(const struct lock_section *one, const struct lock_section *two)
{
    return one->at == two->at && one->space == two->space && one->free == two->free &&
           (one->space == RP_SPACE_GLOBAL || one->block == two->block);
}

/* Keeps a section that is over, if something was accessed before its fence. */
static void end_section(struct checked_block *cb, struct lock_section s)
{
    struct rp_check *c = cb->check;
    if (!s.bare || !race_tick(cb))
        return;
    s.end = c->now;
    c->sections[c->section_count++ % LOCK_SECTIONS] = s;
}

void locks_access(struct checked_block *cb, struct warp_state *s, const struct touch *t,
                  const struct lane_addresses *la, lanemask lanes)
{
    bool may = may_be_lock(cb, t);
    for (uint32_t i = held_count(cb, s->w.id); i-- > 0;) {
        struct lock_section *held = held_by(cb, s->w.id, i);
        unsigned lane = held->thread % RP_WARP_LANES;
        if (!(lanes >> lane & 1))
            continue;
        if (!may || held->space != t->space || held->at != lane_address(la, lane)) {
            held->bare |= held->fenced == NEVER;
            continue;
        }
        uint64_t after = value_after(s, t, held->at, lane);
        if (after == held->taken)
            continue; /* it has not changed */
        if (after == held->free)
            end_section(cb, *held);
        drop_held(cb->held[s->w.id], i);
    }
}

/* False: out of memory. */
static bool hold(struct checked_block *cb, uint32_t warp, struct lock_section s)
{
    if (!cb->held[warp] && !(cb->held[warp] = calloc(1, sizeof *cb->held[warp])))
        return false;
    struct held_locks *h = cb->held[warp];
    if (h->count == HELD_LOCKS)
        drop_held(h, 0);
    h->list[h->count++] = s;
    return true;
}

void locks_taken(struct checked_block *cb, struct warp_state *s, const struct touch *t, const struct lane_addresses *la,
                 lanemask lanes)
{
    const struct rp_memory_operand *m = &t->u->memory->operand;
    bool acquires = m->order == RP_ORDER_ACQUIRE || m->order >= RP_ORDER_ACQ_REL, in_block = m->scope == RP_SCOPE_CTA;
    if (m->atomic != RP_ATOMIC_CAS || !may_be_lock(cb, t) || !race_tick(cb))
        return;
    FOR_LANES(l, lanes)
    {
        uint64_t at = lane_address(la, l), free = value_before(t, at), taken = value_after(s, t, at, l);
        struct lock_section section = {.at = at,
                                       .free = free,
                                       .taken = taken,
                                       .space = t->space,
                                       .block = cb->index,
                                       .thread = s->w.id * RP_WARP_LANES + l,
                                       .begin = cb->check->now,
                                       .fenced_in_block = acquires ? cb->check->now : NEVER,
                                       .fenced = acquires && !in_block ? cb->check->now : NEVER};
        if (free != taken && !hold(cb, s->w.id, section))
            cb->check->missed |= MISSED_MEMORY;
    }
}

void locks_fence(struct checked_block *cb, const struct warp_state *s, lanemask lanes, bool in_block)
{
    uint32_t now = cb->check->now;
    for (uint32_t i = 0; i < held_count(cb, s->w.id); i++) {
        struct lock_section *held = held_by(cb, s->w.id, i);
        if (!(lanes >> held->thread % RP_WARP_LANES & 1))
            continue;
        held->fenced_in_block = held->fenced_in_block == NEVER ? now : held->fenced_in_block;
        held->fenced = held->fenced == NEVER && !in_block ? now : held->fenced;
    }
}

void locks_block_begin(struct checked_block *cb)
{
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        if (cb->held[w])
            cb->held[w]->count = 0;
}

void locks_free(struct checked_block *cb)
{
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        free(cb->held[w]);
}

/* ---- races ------------------------------------------------------------------------------------------------------- */

/* Whether the access at this time lies in the section, before a fence that counts for a thread of block `to`. */
static bool before_fence(const struct lock_section *s, uint32_t when, uint32_t to)
{
    return when >= s->begin && when < s->end && when < (s->block == to ? s->fenced_in_block : s->fenced);
}

bool locks_unfenced(const struct checked_block *cb, check_past past, uint32_t block, uint32_t thread)
{
    const struct rp_check *c = cb->check;
    uint32_t other = agent_thread(past_agent(past)), warp = thread / RP_WARP_LANES;
    uint64_t kept = c->section_count < LOCK_SECTIONS ? c->section_count : LOCK_SECTIONS;
    for (uint32_t i = 0; i < held_count(cb, warp); i++) {
        const struct lock_section *held = held_by(cb, warp, i);
        for (uint64_t k = 0; held->thread == thread && k < kept; k++) {
            const struct lock_section *s = &c->sections[k];
            if (same_lock(s, held) && s->block == block && s->thread == other &&
                before_fence(s, past_when(past), cb->index))
                return true;
        }
    }
    return false;
}
