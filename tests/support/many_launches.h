/* Traces of many launches of several kernels, for sampled replay: quick to write, and random where a sample may go
 * wrong.
 *
 * A warp runs a loop of a load, some arithmetic, a store and a branch. How often depends on its launch and block; where
 * a load goes is regular, or random in 16 MiB. All follows from the options.
 */
#ifndef REPRISE_TESTS_MANY_LAUNCHES_H
#define REPRISE_TESTS_MANY_LAUNCHES_H

#include "tracefmt/writer.h"

struct many_launches {
    uint64_t seed;
    uint32_t kernels, launches, blocks, warps; /* warps of a block */
    uint32_t loops;                            /* on average */
    uint32_t launch_spread, block_spread;      /* per cent of loops: from launch to launch, from block to block */
    uint32_t random_percent;                   /* of loads that go anywhere, on average; it differs between launches */
    uint32_t repeats;                          /* each content comes in so many launches of a kernel; 0: 1 */
};
bool many_launches_write(const char *path, const struct many_launches *, struct rp_error *);

#endif
