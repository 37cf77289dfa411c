/* Clusters: blocks that run concurrently and access each other's shared memory (PTX ISA, "Cluster of Cooperative Thread
 * Arrays"). The blocks of a cluster start together, and one host thread runs them in turns, so everything here has a
 * fixed order.
 *
 * In the shared window, a block's own memory begins at offset 0. The memory of all blocks of the cluster begins at
 * CLUSTER_SHARED, CLUSTER_STEP bytes for each, by rank. mapa returns addresses of the second kind; in a block without a
 * cluster, the address itself. */
#ifndef REPRISE_FRONTEND_CORE_CLUSTER_H
#define REPRISE_FRONTEND_CORE_CLUSTER_H

#include "frontend/core/engine.h"
#include "frontend/operation/address_map.h"

/* The most blocks of a cluster (CUDA C++ Programming Guide, "Thread Block Clusters"): 8, and 16 on H100 on request. */
#define CLUSTER_BLOCKS 16u

struct cluster {
    uint32_t blocks;                     /* blocks in the cluster */
    uint32_t open;                       /* blocks that have not ended */
    uint32_t idle;                       /* consecutive turns of its blocks, up to now, in which no warp could run */
    struct block *block[CLUSTER_BLOCKS]; /* by rank; NULL: it has ended */
};

/* A block's rank in its cluster. */
uint32_t cluster_rank(const struct grid *, const uint32_t ctaid[3]);
/* Removes the block from its cluster; the last block frees the cluster. A block without a cluster is allowed. */
void cluster_leave(struct block *);
/* To be called when the block's turn is over and none of its warps could run. True: no warp of the whole cluster could
 * run since. */
bool cluster_stuck(struct block *);

/* The block to which an offset in the shared window belongs; the offset becomes one in the block's own memory. NULL,
 * with a fault of this lane: there is no such block, or it has ended. */
struct block *cluster_owner(struct warp_state *, const struct uop *, unsigned lane, uint64_t *offset);

/* The offset in the shared window at which block `rank` of the cluster has what this block has at `offset`. */
static inline uint64_t cluster_offset(const struct block *b, uint64_t offset, uint32_t rank)
{
    return b->cluster ? (offset & ~(uint64_t)CLUSTER_RANKS) + CLUSTER_SHARED + (uint64_t)rank * CLUSTER_STEP : offset;
}
/* The blocks that the mask of a multicast names, a bit each; in a block without a cluster always that block. */
static inline uint32_t cluster_named(const struct block *b, uint32_t mask)
{
    return b->cluster ? mask & 0xffff : (mask & 0xffff) != 0;
}

/* The blocks that a multicast goes to, for the trace; each lane's `mask` names them. A fault if lanes name different
 * blocks, which a trace cannot record. 0: the one block to which the address belongs, as without a cluster. */
uint32_t cluster_recorded(struct warp_state *, const struct uop *, struct operand mask, lanemask);

/* barrier.cluster. A thread arrives, may do other work, and then waits until all threads of the cluster that have not
 * exited have arrived. False: the warp stops here. */
bool cluster_barrier(struct warp_state *, const struct uop *, lanemask executed);
/* To be called when lanes have exited: others may have waited for them only. */
void cluster_lanes_exited(struct warp_state *);

#endif
