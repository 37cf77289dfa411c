/* Accesses to shared memory, and the tables of results of accesses. In a header, for inlining: programs that use shared
 * memory do little else. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_SHARED_H
#define REPRISE_REPLAY_ENGINES_FAST_SHARED_H

#include "replay/base/access_key.h"
#include "replay/engines/fast/fast.h"

#define MEMO_ENTRIES 1024u /* of each table, a power of two */
#define MEMO_SEGMENTS 32u  /* accesses with more transactions are not kept */

struct shared_entry {
    _Alignas(HOST_LINE) struct access_key key;
    struct shared_memory_cost cost;
    struct kept_offsets offsets; /* of a general pattern */
};

struct global_entry {
    struct access_key key;
    uint32_t count;
    int64_t segment[MEMO_SEGMENTS]; /* relative to the base less the residue */
    struct kept_offsets offsets;
};

struct memo {
    struct shared_entry shared[MEMO_ENTRIES];
    struct global_entry global[MEMO_ENTRIES];
    uint32_t bytes[MEMO_ENTRIES][MEMO_SEGMENTS]; /* of each segment in global[], if bytes matter */
};

HOT uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Performs an access of this cost, and adds its transactions to a counter. Returns the cycle in which it ends. */
HOT uint64_t take_shared(struct fast_sm *sm, struct fast_part *part, uint64_t *counter,
                         const struct shared_memory_cost *cost, uint64_t dispatched)
{
    *counter += cost->transactions;
    part->statistics.shared_conflicts += cost->conflicts;
    uint64_t start = cost->occupancy ? later(dispatched, sm->shared_free) : dispatched;
    if (cost->occupancy)
        sm->shared_free = start + cost->occupancy;
    sm->shared_end = later(sm->shared_end, start + cost->duration);
    return start + cost->duration;
}

/* Fills in the entry of an access with this key. */
void fast_compute_cost(const struct fast_sm *, const struct rp_memory_operand *, uint64_t base,
                       const struct rp_pattern *, const struct access_key *, struct shared_entry *);

/* width, atomic: the operand's. */
HOT const struct shared_memory_cost *cost_of(const struct fast_sm *sm, const struct rp_memory_operand *o,
                                             uint32_t width, bool atomic, uint64_t base, const struct rp_pattern *p)
{
    struct access_key key = access_key_of(p, base, sm->chip->shared_period, width, atomic);
    struct shared_entry *e = &sm->memo->shared[access_key_index(&key, p, MEMO_ENTRIES)];
    if (!access_key_same(&e->key, &e->offsets, &key, p))
        fast_compute_cost(sm, o, base, p, &key, e);
    return &e->cost;
}

/* Makes the access of the warp's next instruction, which has OP_SHARED. Returns the cycle of its result, latency
 * included. */
HOT uint64_t shared_access(struct fast_sm *sm, const struct fast_warp *w, uint64_t dispatched, uint64_t accepted)
{
    const struct rp_dynamic_access *a = w->next.accesses;
    const struct op *op = w->op;
    sm->shared_end = accepted;
    if (!a->pattern->mask)
        return accepted + w->latency;
    const struct shared_memory_cost *cost =
        cost_of(sm, w->next.instruction->memory, op->width, op->flags & OP_ATOMIC, a->base, a->pattern);
    uint64_t end = take_shared(sm, w->part, part_counter(w->part, op->counter), cost, dispatched);
    return later(accepted, end) + w->latency;
}

#endif
