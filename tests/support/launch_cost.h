/* What a launch costs besides the work of its blocks: microseconds per launch, for tests/bench. */
#ifndef REPRISE_TESTS_SUPPORT_LAUNCH_COST_H
#define REPRISE_TESTS_SUPPORT_LAUNCH_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct launch_cost {
    uint32_t launches, blocks; /* blocks of 32 threads in each launch */
    unsigned threads;          /* of the host, as in struct rp_launch_config */
    bool recorded;
    uint64_t buffer;      /* bytes of the buffer of which each block stores 128, 0: the kernel is empty */
    uint32_t allocations; /* others that are alive */
};

/* microseconds of elapsed time per launch, the first left out; freeing: per allocation that is freed, in the order in
 * which they were made. */
bool launch_cost(const struct launch_cost *, double *microseconds, double *freeing, struct rp_error *);

#endif
