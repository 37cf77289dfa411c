/* Accesses to run through a memory system, and through a direct statement of what one is. */
#ifndef REPRISE_TESTS_MEMORY_PLAN_H
#define REPRISE_TESTS_MEMORY_PLAN_H

#include "replay/base/layout.h"
#include "replay/memory/memory_system.h"

#define PLAN_TRANSACTIONS 8

/* Of one SM they issue in this order, each in its cycle or, if the LSU refuses, later. */
struct plan_access {
    unsigned sm, subcore;
    uint64_t issue, initiation;
    uint64_t waits; /* cycles by which it arrives later than its initiation says, if it has transactions */
    unsigned count;
    struct memory_transaction transactions[PLAN_TRANSACTIONS];
};

struct plan {
    unsigned count;
    struct plan_access *accesses;
};

struct outcome {
    uint64_t *ends; /* of the accesses */
    uint64_t l1_hits, l1_misses, l2_hits, l2_misses, dram;
    struct tlb_counts tlb; /* of plan_run only */
    bool tlb_counted;
};

/* By the memory system. */
void plan_run(const struct machine *, bool short_cuts, const struct plan *, struct outcome *);
/* Cycle by cycle, every request looked at in every cycle; caches `none`, `direct-mapped`, or `sectored`
 * without hash, device memory `fixed`. */
void plan_simulate(const struct machine *, const struct plan *, struct outcome *);

/* Look-ups in TLBs, and walks of page tables, in their order. */
#define PLAN_LOOK_UPS 8192
struct plan_translation {
    struct plan_look_up {
        int sm; /* negative: the TLB that all share */
        uint64_t page, ready;
    } look_ups[PLAN_LOOK_UPS];
    uint64_t walk_begin[PLAN_LOOK_UPS];
    unsigned count, walks;
};
/* From when the translation of a request is there that arrives now. */
uint64_t plan_translate(struct plan_translation *, const struct machine *, unsigned sm, uint64_t address, uint64_t now);

#endif
