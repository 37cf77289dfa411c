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
    int64_t first;                                /* index of the earliest of the last `queue` instructions */
    uint64_t dispatched[PIPELINED_LONGEST_QUEUE]; /* their dispatch cycles, in a ring of `queue`; 0: not one so far */
};

/* There is room if the unit is free, or if the first of the last `queue` instructions has left the queue. */
static inline uint64_t pipelined_accepts(const struct pipelined *p, uint64_t now)
{
    if (p->queue < 0 || p->free <= now)
        return now;
    if (p->queue == 0)
        return p->free;
    uint64_t first = p->dispatched[p->first];
    return first > now ? first : now;
}

static inline uint64_t pipelined_dispatch(struct pipelined *p, uint64_t now, uint32_t initiation)
{
    uint64_t at = p->free > now ? p->free : now;
    p->free = at + initiation;
    if (p->queue > 0) {
        p->dispatched[p->first] = at;
        p->first = p->first + 1 < p->queue ? p->first + 1 : 0;
    }
    return at;
}

#endif
