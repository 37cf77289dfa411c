/* Arrays that grow, and rings kept in order. */
#ifndef REPRISE_REPLAY_MEMORY_GROWING_H
#define REPRISE_REPLAY_MEMORY_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/memory/memory_system.h"

/* Room for one more than `count` items of this size. False: out of memory, and nothing has changed. */
bool array_grow(void **items, size_t *room, size_t count, size_t size);

struct due {
    uint64_t cycle, order; /* order: among those of the cycle */
    void *place;           /* in L1, of what was fetched; of credits: NULL */
};
/* Sorted by cycle and order. */
struct ring {
    struct due *items;
    size_t first, count, room; /* room: a power of two */
};

/* False: out of memory, and nothing has changed. */
bool ring_add(struct ring *, struct due);
/* The cycle of the first; MEMORY_NEVER of an empty one. */
static inline uint64_t ring_first(const struct ring *r) { return r->count ? r->items[r->first].cycle : MEMORY_NEVER; }
/* Takes the first out, of a ring that is not empty, and returns its place. */
static inline void *ring_drop(struct ring *r)
{
    void *place = r->items[r->first].place;
    r->first = (r->first + 1) & (r->room - 1);
    r->count--;
    return place;
}

#endif
