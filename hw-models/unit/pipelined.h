/* The unit model `pipelined` inline, for engines that call it for every instruction of a trace: a call would be too
 * slow. hw-models/unit/pipelined.c describes the model.
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

/* There is room if the unit is free, or if the first of the last `queue` instructions has left the queue. */
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
