/* What the model `fixed` does where it never refuses, for those who ask it for every transaction of a trace and have no
 * time for a call. hw-models/dram/fixed.c says what it means.
 */
#ifndef REPRISE_HW_MODELS_DRAM_FIXED_H
#define REPRISE_HW_MODELS_DRAM_FIXED_H

#include "hw-models/dram/dram.h"

#define FIXED_LONGEST_QUEUE 256

struct fixed {
    uint64_t latency, interval, free;
    uint64_t queue;                       /* 0: any number */
    uint64_t count;                       /* requests so far, with a queue */
    uint64_t starts[FIXED_LONGEST_QUEUE]; /* of the last `queue` requests, by count modulo queue */
};

/* Returns when a request starts that is offered at `now`. */
static inline uint64_t fixed_start(struct fixed *f, uint32_t sectors, uint64_t now)
{
    uint64_t at = now > f->free ? now : f->free;
    f->free = at + f->interval * sectors;
    return at;
}

#endif
