/* What the unit model `pipelined` does, for those who ask it for every instruction of a trace and have no time for a
 * call. hw-models/unit/pipelined.c says what it means.
 */
#ifndef REPRISE_HW_MODELS_PIPELINED_H
#define REPRISE_HW_MODELS_PIPELINED_H

#include "hw-models/unit/unit.h"

#define PIPELINED_LONGEST_QUEUE 64

struct pipelined {
    uint64_t free;                                /* the cycle in which the last initiation ends */
    int64_t queue;                                /* the option */
    uint64_t count;                               /* instructions dispatched so far */
    uint64_t dispatched[PIPELINED_LONGEST_QUEUE]; /* dispatch cycles of the last `queue` instructions, by count modulo
                                                     queue */
};

/* There is room when the unit is free, or when of the last `queue` instructions the first has left the queue. */
static inline uint64_t pipelined_accepts(const struct pipelined *p, uint64_t now)
{
    if (p->queue < 0 || p->free <= now)
        return now;
    if (p->queue == 0)
        return p->free;
    uint64_t first = p->count < (uint64_t)p->queue ? 0 : p->dispatched[p->count % (uint64_t)p->queue];
    return first > now ? first : now;
}

static inline uint64_t pipelined_dispatch(struct pipelined *p, uint64_t now, uint32_t initiation)
{
    uint64_t at = p->free > now ? p->free : now;
    p->free = at + initiation;
    if (p->queue > 0)
        p->dispatched[p->count++ % (uint64_t)p->queue] = at;
    return at;
}

#endif
