/* The choice of the scheduler `gto` inline, for engines that ask it for every instruction of a trace. gto.c describes
 * it.
 */
#ifndef REPRISE_HW_MODELS_SCHEDULER_GTO_H
#define REPRISE_HW_MODELS_SCHEDULER_GTO_H

#include "hw-models/scheduler/scheduler.h"

struct gto {
    uint64_t greedy; /* the slot that issued last, as a mask; 0: none */
    bool slot;
    struct scheduler_ages ages;
};

static inline int gto_pick(struct gto *gto, uint64_t ready, bool youngest)
{
    if (ready & gto->greedy)
        return __builtin_ctzll(gto->greedy);
    int slot = youngest ? scheduler_ages_youngest(&gto->ages, ready) : scheduler_ages_oldest(&gto->ages, ready);
    gto->greedy = 1ull << slot;
    return slot;
}

#endif
