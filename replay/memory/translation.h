/* Address translation, between the ports of SMs and L2: a TLB for each SM, an L2 TLB that all share, and walks of the
 * page tables. L1s have virtual addresses: their hits need no translation (Jia et al., arXiv:1804.06826, 3.8). */
#ifndef REPRISE_REPLAY_MEMORY_TRANSLATION_H
#define REPRISE_REPLAY_MEMORY_TRANSLATION_H

#include "replay/base/layout.h"
#include "replay/base/memory_counts.h"

struct translation {
    void **near;  /* [SMs] states of the SMs' TLBs */
    void *shared; /* state of the L2 TLB */
    uint64_t
        *walkers; /* [walkers] cycle from which each is free, in the order in which they are taken; NULL: unbounded */
    uint64_t walks;
    struct tlb_counts counts;
};

/* Allocates nothing if the machine does not translate. False: out of memory. */
bool translation_open(struct translation *, const struct memory_layout *);
void translation_close(struct translation *, const struct memory_layout *);
/* A request of this SM arrives in cycle `now`. Returns the cycle in which its translation is there. Call it in the
 * order of cycles. */
uint64_t translation_of(struct translation *, const struct memory_layout *, uint32_t sm, uint64_t address,
                        uint64_t now);

#endif
