/* The translation of addresses, between the ports of SMs and L2: a TLB for each SM, one that all share, and walks of
 * the page tables. L1s hold addresses that are not translated: what they serve needs no translation (Jia et al.,
 * arXiv:1804.06826, 3.8). */
#ifndef REPRISE_REPLAY_MEMORY_TRANSLATION_H
#define REPRISE_REPLAY_MEMORY_TRANSLATION_H

#include "replay/base/layout.h"
#include "replay/base/memory_counts.h"

struct translation {
    void **near;       /* [SMs] states of their TLBs */
    void *shared;      /* the state of the one behind them */
    uint64_t *walkers; /* from when each is free, in the order in which they are taken; NULL: there are always some */
    uint64_t walks;
    struct tlb_counts counts;
};

/* Nothing where nothing is translated. False: out of memory. */
bool translation_open(struct translation *, const struct memory_layout *);
void translation_close(struct translation *, const struct memory_layout *);
/* A request of this SM arrives in cycle `now`; returns from when its translation is there. To be called in the order of
 * cycles. */
uint64_t translation_of(struct translation *, const struct memory_layout *, uint32_t sm, uint64_t address,
                        uint64_t now);

#endif
