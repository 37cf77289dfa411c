/* Several blocks of one launch (Theorem 4 of docs/wcet-proofs.md): how many are resident at a time, and how long the
 * launch can take. */
#ifndef REPRISE_TOOLS_WCET_BLOCKS_H
#define REPRISE_TOOLS_WCET_BLOCKS_H

#include "replay/base/occupancy.h"
#include "tools/wcet/model.h"

/* The sums of one block, in cycles. */
struct wcet_block {
    uint64_t work;  /* issue slots, and initiation that no issue hides, on all sub-cores */
    uint64_t chain; /* its longest chain of latencies */
};

/* How many blocks of the launch an SM holds at a time, at least 1. False: it cannot hold one. */
bool wcet_resident(const struct wcet_model *, uint64_t *blocks, struct rp_error *);

/* The longest time that the blocks can take if SMs get them as replay places them. The time for which ports are
 * occupied has to be added. False: out of memory. */
bool wcet_blocks_bound(const struct wcet_block *, uint64_t count, uint64_t resident, uint64_t sms, uint64_t *bound,
                       struct rp_error *);

#endif
