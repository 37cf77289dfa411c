/* One cache with its port: an L1, or a slice of L2. Its owner keeps the queues. */
#ifndef REPRISE_REPLAY_MEMORY_LEVEL_H
#define REPRISE_REPLAY_MEMORY_LEVEL_H

#include <stdlib.h>

#include "hw-models/cache/direct-mapped.h"
#include "replay/base/layout.h"
#include "replay/base/memory_counts.h"
#include "replay/base/observer.h"

/* The observer that wants accesses or DRAM commands. */
struct memory_listener {
    const struct observer *observer;
    uint64_t origin; /* the cycle of the memory system's clock that is cycle 0 of the replay's, modulo 2^64 */
};

struct level {
    const struct memory_level *kind;
    void *state;
    bool direct;                              /* the model is direct-mapped */
    enum response_level level;                /* in its responses */
    uint64_t free;                            /* the cycle of its clock in which the port of the first bank is free */
    uint64_t bank_free[CACHE_MOST_BANKS - 1]; /* the same of the other banks */
    struct cache_counts counts;
    const struct memory_listener *listener; /* NULL: no observer wants accesses */
    bool last;                              /* with it: what it does not serve ends in device memory */
};

/* The SM's request was looked up until this cycle. Only with a listener. */
static inline void level_report(const struct level *l, unsigned sm, uint64_t address, enum cache_kind kind, bool served,
                                uint64_t cycle)
{
    const struct memory_listener *to = l->listener;
    if (served || l->last)
        to->observer->access(to->observer->data, &(struct observed_access){.sm = sm,
                                                                           .local = address >> 62 & 1,
                                                                           .beyond = l->level == RESPONSE_L2,
                                                                           .kind = kind,
                                                                           .level = served ? l->level : RESPONSE_DRAM,
                                                                           .address = address,
                                                                           .cycle = cycle - to->origin});
}

/* Makes an empty level with the options of `part`. False: out of memory. */
static inline bool level_open(struct level *l, enum response_level number, const struct memory_level *kind,
                              const struct machine_part *part)
{
    l->kind = kind;
    l->level = number;
    l->direct = kind->model == &cache_direct_mapped;
    l->state = machine_part_state(part);
    if (l->state)
        kind->model->reset(l->state, part->options);
    return l->state;
}

/* Empties the level and gives it the options of `part`, which has the same model. Call it between launches. False: out
 * of memory. */
static inline bool level_remake(struct level *l, const struct machine_part *part)
{
    void *state = machine_part_state(part);
    if (!state)
        return false;
    free(l->state);
    l->state = state;
    l->kind->model->reset(state, part->options);
    return true;
}

static inline void level_close(struct level *l) { free(l->state); }

/* The cycle of the level's clock in which the port for this address is free. */
static inline uint64_t *level_port(struct level *l, uint64_t address)
{
    const struct cache_shape *shape = &l->kind->shape;
    if (shape->banks <= 1)
        return &l->free;
    uint64_t bank = address / shape->sector & (shape->banks - 1);
    return bank ? &l->bank_free[bank - 1] : &l->free;
}

/* Has the model look up a request whose look-up ends in request.cycle. The model only compares cycles and returns them,
 * so it gets responses (replay/base/response.h) in their place, and the cycle of its finding is a response. */
static inline __attribute__((always_inline)) struct cache_finding level_find(const struct level *l,
                                                                             struct cache_look_up request)
{
    struct cache_look_up asked = request;
    asked.cycle = response_of(request.cycle, l->level);
    if (l->direct)
        return direct_mapped_look_up(l->state, asked);
    struct cache_finding finding;
    l->kind->model->look_up(l->state, &asked, &finding);
    return finding;
}

/* The cycle of the core in which the port for this address is free. */
static inline uint64_t level_free_from(struct level *l, uint64_t address)
{
    return clock_in_core(&l->kind->clock, *level_port(l, address));
}

/* Looks a request up from `start`, a cycle in which the port is free. request->cycle becomes the cycle in which the
 * look-up ends; the cycle of the finding is a response. If the finding is `refused`, nothing has changed. */
static inline __attribute__((always_inline)) struct cache_finding
level_look_up(struct level *l, struct cache_look_up *request, uint32_t repeats, uint64_t start)
{
    const struct cache_shape *shape = &l->kind->shape;
    uint64_t more = request->kind == CACHE_ATOMIC && shape->back ? (repeats - 1) * shape->atomic_interval : 0;
    const struct clock_domain *clock = &l->kind->clock;
    uint64_t *port = level_port(l, request->address), begin = start;
    if (!clock_is_core(clock)) {
        begin = clock_from_core(clock, start);
        begin = begin < *port ? *port : begin;
    }
    request->cycle = clock_after_core(clock, begin + shape->latency + more);
    struct cache_finding finding = level_find(l, *request);
    if (finding.refused)
        return finding;
    *port = begin + shape->interval + more;
    l->counts.hits += finding.hit;
    l->counts.misses += !finding.hit;
    l->counts.fetches += finding.fetches && request->kind != CACHE_WRITE;
    if (finding.written)
        l->counts.written_back += (unsigned)__builtin_popcount(finding.written);
    return finding;
}

/* The sector that `fetch` fetches to this place of the model's arrives with this response. */
static inline void level_filled(struct level *l, void *place, uint32_t fetch, uint64_t response)
{
    if (l->direct)
        direct_mapped_filled(place, fetch, response);
    else
        l->kind->model->filled(l->state, place, fetch, response);
}

#endif
