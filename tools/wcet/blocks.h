/* Several blocks of one launch (Theorem 4 of docs/wcet.md): how many run at once, and how long the launch can take. */
#ifndef REPRISE_TOOLS_WCET_BLOCKS_H
#define REPRISE_TOOLS_WCET_BLOCKS_H

#include "replay/base/occupancy.h"
#include "tools/wcet/model.h"

/* What one block amounts to, in cycles. */
struct wcet_block {
    uint64_t work;  /* issue slots, and initiation that no issue hides, on all sub-cores */
    uint64_t chain; /* its longest chain of latencies */
};

/* How many blocks of the launch an SM holds at once: at least 1. False: it cannot hold one, and err says why. */
bool wcet_resident(const struct wcet_model *, uint64_t *blocks, struct rp_error *);

/* The longest that blocks, which come to the SMs as replay places them, can take: without the time for which ports are
 * kept, which comes on top. False when out of memory. */
bool wcet_blocks_bound(const struct wcet_block *, uint64_t count, uint64_t resident, uint64_t sms, uint64_t *bound,
                       struct rp_error *);

#endif
