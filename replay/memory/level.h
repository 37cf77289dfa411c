/* One cache with its port: an L1, or a slice of L2. Who waits for what is the business of its owner. */
#ifndef REPRISE_REPLAY_MEMORY_LEVEL_H
#define REPRISE_REPLAY_MEMORY_LEVEL_H

#include "replay/memory/counts.h"
#include "replay/memory/layout.h"

struct level {
    const struct memory_level *kind;
    void *state;
    uint64_t free; /* when the port takes the next request */
    struct cache_counts counts;
};

/* A request at this level, to be looked up from `start`, when the port is free, under the name `fetch`. Returns the
 * cycle in which the look-up is over. */
static inline uint64_t level_look_up(struct level *l, uint64_t address, enum cache_kind kind, uint32_t repeats,
                                     uint64_t start, uint32_t fetch, struct cache_finding *finding)
{
    const struct cache_shape *shape = &l->kind->shape;
    uint64_t more = kind == CACHE_ATOMIC && shape->back ? (repeats - 1) * shape->atomic_interval : 0;
    l->free = start + shape->interval + more;
    struct cache_look_up request = {address, start + shape->latency + more, kind, fetch};
    l->kind->model->look_up(l->state, &request, finding);
    if (l->kind->keeps)
        *(finding->hit ? &l->counts.hits : &l->counts.misses) += 1;
    if (finding->written)
        l->counts.written_back += (unsigned)__builtin_popcount(finding->written);
    return request.cycle;
}

#endif
