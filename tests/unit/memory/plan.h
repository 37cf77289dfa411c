/* Accesses to run through a memory system, and through a direct statement of what one is. */
#ifndef REPRISE_TESTS_MEMORY_PLAN_H
#define REPRISE_TESTS_MEMORY_PLAN_H

#include "replay/memory/layout.h"
#include "replay/memory/memory_system.h"

#define PLAN_TRANSACTIONS 8

/* Of one SM they issue in this order, each in its cycle or, if the LSU refuses, later. */
struct plan_access {
    unsigned sm, subcore;
    uint64_t issue, initiation;
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
};

/* By the memory system. */
void plan_run(const struct machine *, bool short_cuts, const struct plan *, struct outcome *);
/* Cycle by cycle, every request looked at in every cycle; caches `none`, `direct-mapped`, or `sectored`
 * without hash, device memory `fixed`. */
void plan_simulate(const struct machine *, const struct plan *, struct outcome *);

#endif
