/* Arrays that grow, and rings kept in order. */
#ifndef REPRISE_REPLAY_MEMORY_GROWING_H
#define REPRISE_REPLAY_MEMORY_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/memory/memory_system.h"

/* Makes room for one more than `count` items of `size` bytes. False: out of memory, and nothing has changed. */
bool array_grow(void **items, size_t *room, size_t count, size_t size);

struct due {
    uint64_t cycle, order; /* order: within the cycle */
    void *place;           /* of the fetched sector in L1; NULL: a credit */
    uint64_t entries;      /* of a credit: entries of the port's queue */
};
/* A ring buffer, sorted by cycle and order. */
struct ring {
    struct due *items;
    size_t first, count, room; /* room: a power of two */
};

/* False: out of memory, and nothing has changed. */
bool ring_add(struct ring *, struct due);
/* The cycle of the first item; MEMORY_NEVER: the ring is empty. */
static inline uint64_t ring_first(const struct ring *r) { return r->count ? r->items[r->first].cycle : MEMORY_NEVER; }
/* Removes the first item of a ring that is not empty, and returns it, which the next ring_add() may overwrite. */
static inline const struct due *ring_drop(struct ring *r)
{
    const struct due *dropped = &r->items[r->first];
    r->first = (r->first + 1) & (r->room - 1);
    r->count--;
    return dropped;
}

#endif
