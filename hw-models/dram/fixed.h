/* The model `fixed` inline, as far as it never refuses, for engines that call it for every transaction of a trace: a
 * call would be too slow. hw-models/dram/fixed.c describes the model.
 */
#ifndef REPRISE_HW_MODELS_DRAM_FIXED_H
#define REPRISE_HW_MODELS_DRAM_FIXED_H

#include "hw-models/dram/dram.h"

#define FIXED_LONGEST_QUEUE 256

struct fixed {
    uint64_t latency, interval, free;
    uint64_t queue;                       /* 0: any number */
    uint64_t count;                       /* requests so far, with a queue */
    uint64_t starts[FIXED_LONGEST_QUEUE]; /* starts of the last `queue` requests, at count modulo queue */
};

/* The cycle in which a request that is offered at `now` starts. */
static inline uint64_t fixed_start(struct fixed *f, uint32_t sectors, uint64_t now)
{
    uint64_t at = now > f->free ? now : f->free;
    f->free = at + f->interval * sectors;
    return at;
}

#endif
