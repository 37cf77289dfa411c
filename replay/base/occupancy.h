/* Occupancy: what a block takes of an SM, and how many blocks fit.
 *
 * A block of W warps of a kernel with R registers per thread and S bytes of shared memory (static and dynamic) takes
 *   W warps and 32 W threads,
 *   W × roundup(32 R, limits.register_granularity) registers,
 *   roundup(S + limits.shared_reserved, limits.shared_granularity) bytes of shared memory, and one of limits.blocks.
 * (CUDA C++ Programming Guide, "Hardware Multithreading".)
 */
#ifndef REPRISE_REPLAY_BASE_OCCUPANCY_H
#define REPRISE_REPLAY_BASE_OCCUPANCY_H

#include "replay/base/machine.h"
#include "tracefmt/trace.h"

struct room {
    int64_t blocks, warps, registers, shared;
};

/* Writes what a block of the launch takes. False: an empty SM cannot hold it. */
bool room_of_block(const struct machine *, const struct rp_kernel *, const struct rp_launch *, struct room *,
                   struct rp_error *);
void room_of_sm(const struct machine *, struct room *);

/* How many such blocks an empty SM holds, at most `most`. */
uint64_t room_count(const struct machine *, const struct room *block, uint64_t most);

/* False: the launch is cooperative, and its blocks cannot all be resident with `each` blocks on an SM. A GPU refuses
 * such a launch (cudaErrorCooperativeLaunchTooLarge; CUDA C++ Programming Guide, "Grid Synchronization").
 */
bool cooperative_fits(const struct machine *, const struct rp_kernel *, const struct rp_launch *, uint64_t each,
                      struct rp_error *);

/* Bytes of shared memory of the blocks that are resident on an SM at a time: as many as fit, and no more than the SM's
 * share of the grid. 0: not even one block fits. */
uint64_t room_shared(const struct machine *, const struct rp_kernel *, const struct rp_launch *);

static inline bool room_fits(const struct room *left, const struct room *block)
{
    return left->blocks >= block->blocks && left->warps >= block->warps && left->registers >= block->registers &&
           left->shared >= block->shared;
}

/* Cycles between the placement of such a block on an SM and that of the next one. */
static inline uint64_t room_interval(const struct machine *m, const struct room *block)
{
    return (uint64_t)(m->dispatch_interval + block->warps * m->dispatch_warp_interval);
}

static inline void room_take(struct room *left, const struct room *block, int64_t sign)
{
    left->blocks -= sign * block->blocks;
    left->warps -= sign * block->warps;
    left->registers -= sign * block->registers;
    left->shared -= sign * block->shared;
}

#endif
