/* One cache with its port: an L1, or a slice of L2. Who waits for what is the business of its owner. */
#ifndef REPRISE_REPLAY_MEMORY_LEVEL_H
#define REPRISE_REPLAY_MEMORY_LEVEL_H

#include "hw-models/cache/direct-mapped.h"
#include "replay/memory/counts.h"
#include "replay/memory/layout.h"

struct level {
    const struct memory_level *kind;
    void *state;
    bool direct;   /* the model is direct-mapped */
    uint64_t free; /* when the port takes the next request */
    struct cache_counts counts;
};

/* Empty, as `part` says. False: out of memory. */
static inline bool level_open(struct level *l, const struct memory_level *kind, const struct machine_part *part)
{
    l->kind = kind;
    l->direct = kind->model == &cache_direct_mapped;
    l->state = machine_part_state(part);
    if (l->state)
        kind->model->reset(l->state, part->options);
    return l->state;
}

/* What the model says of a request that is looked up until `cycle`. */
static inline __attribute__((always_inline)) struct cache_finding level_find(const struct level *l,
                                                                             struct cache_look_up request)
{
    if (l->direct)
        return direct_mapped_look_up(l->state, request);
    struct cache_look_up asked = request;
    struct cache_finding finding;
    l->kind->model->look_up(l->state, &asked, &finding);
    return finding;
}

/* A request at this level, to be looked up from `start`, when the port is free, under the name `fetch`. *cycle: the one
 * in which the look-up is over. */
static inline __attribute__((always_inline)) struct cache_finding level_look_up(struct level *l, uint64_t address,
                                                                                enum cache_kind kind, uint32_t repeats,
                                                                                uint64_t start, uint32_t fetch,
                                                                                uint64_t *cycle)
{
    const struct cache_shape *shape = &l->kind->shape;
    uint64_t more = kind == CACHE_ATOMIC && shape->back ? (repeats - 1) * shape->atomic_interval : 0;
    l->free = start + shape->interval + more;
    *cycle = start + shape->latency + more;
    struct cache_finding finding = level_find(l, (struct cache_look_up){address, *cycle, kind, fetch});
    l->counts.hits += finding.hit;
    l->counts.misses += !finding.hit;
    if (finding.written)
        l->counts.written_back += (unsigned)__builtin_popcount(finding.written);
    return finding;
}

/* What was found for `fetch` to be fetched to this place arrives at `cycle`. */
static inline void level_filled(struct level *l, void *place, uint32_t fetch, uint64_t cycle)
{
    if (l->direct)
        direct_mapped_filled(place, fetch, cycle);
    else
        l->kind->model->filled(l->state, place, fetch, cycle);
}

#endif
