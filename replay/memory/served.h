/* Transactions by kind (enum draw_kind of hw-models/memory) and by the level that serves them. An atomic is a load and
 * a store. A transaction that waits for a fetch in flight to a level is served by this level, as a hit is. Without L2,
 * device memory serves the misses of L1. Without any cache nothing is counted. */
#ifndef REPRISE_REPLAY_MEMORY_SERVED_H
#define REPRISE_REPLAY_MEMORY_SERVED_H

#include "hw-models/cache/cache.h"
#include "hw-models/memory/memory.h"

struct served {
    uint64_t count[DRAW_KINDS][DRAW_LEVELS];
};

static inline void served_add(struct served *to, bool local, enum cache_kind kind, enum draw_level level, uint64_t n)
{
    if (kind != CACHE_WRITE)
        to->count[local ? DRAW_LOCAL_LOAD : DRAW_GLOBAL_LOAD][level] += n;
    if (kind != CACHE_READ)
        to->count[local ? DRAW_LOCAL_STORE : DRAW_GLOBAL_STORE][level] += n;
}

/* Adds `from` and sets it to 0. */
static inline void served_move(struct served *to, struct served *from)
{
    for (unsigned k = 0; k < DRAW_KINDS; k++)
        for (unsigned l = 0; l < DRAW_LEVELS; l++) {
            to->count[k][l] += from->count[k][l];
            from->count[k][l] = 0;
        }
}

#endif
