/* Clusters: blocks that run side by side and reach each other's shared memory (PTX ISA, "Cluster of Cooperative Thread
 * Arrays"). The blocks of a cluster begin together; one host thread runs them in turn, so all of this has a fixed
 * order.
 *
 * The shared window holds a block's own memory from offset 0 on; from CLUSTER_SHARED on it holds that of all blocks of
 * the cluster, CLUSTER_STEP bytes for each, by rank. mapa gives addresses of the second kind, in a block alone the
 * address itself. */
#ifndef REPRISE_FRONTEND_CORE_CLUSTER_H
#define REPRISE_FRONTEND_CORE_CLUSTER_H

#include "frontend/core/engine.h"

#define CLUSTER_SHARED 0x800000u
#define CLUSTER_STEP_LOG 19
#define CLUSTER_STEP (1u << CLUSTER_STEP_LOG)
#define CLUSTER_RANKS 0xf80000u /* the bits of an offset that say of which block it is; 0: of the own one */
/* Blocks in a cluster: CUDA C++ Programming Guide, "Thread Block Clusters": 8, and 16 on H100 for who asks for it. */
#define CLUSTER_BLOCKS 16u

struct cluster {
    uint32_t blocks;                     /* in it */
    uint32_t open;                       /* of them that have not ended */
    uint32_t idle;                       /* turns of its blocks, the last ones, in which no warp could run */
    struct block *block[CLUSTER_BLOCKS]; /* by rank; NULL: it has ended */
};

/* A block's place in its cluster. */
uint32_t cluster_rank(const struct grid *, const uint32_t ctaid[3]);
/* The block leaves its cluster, which goes with the last one. One that is in none is fine. */
void cluster_leave(struct block *);
/* The block's turn is over and no warp of it could run. True: nor could any other warp of the cluster since. */
bool cluster_stuck(struct block *);

/* The block that an offset in the shared window is of, and the offset in its own memory. NULL, with a fault of this
 * lane: there is no such block, or it has ended. */
struct block *cluster_owner(struct warp_state *, const struct uop *, unsigned lane, uint64_t *offset);

/* The place in the shared window where block `rank` of the cluster has what this block has at `offset`. */
static inline uint64_t cluster_offset(const struct block *b, uint64_t offset, uint32_t rank)
{
    return b->cluster ? (offset & ~(uint64_t)CLUSTER_RANKS) + CLUSTER_SHARED + (uint64_t)rank * CLUSTER_STEP : offset;
}
/* The blocks, a bit each, that a mask of a multicast names; a block alone stands for all. */
static inline uint32_t cluster_named(const struct block *b, uint32_t mask)
{
    return b->cluster ? mask & 0xffff : (mask & 0xffff) != 0;
}

/* The blocks that a multicast goes to, for the trace; `mask` of each lane names them. With a fault where lanes name
 * different ones, which cannot be recorded. 0: the one block that an address is of, as in a block alone. */
uint32_t cluster_recorded(struct warp_state *, const struct uop *, struct operand mask, lanemask);

/* barrier.cluster. A thread arrives, and may do something else before it waits until all threads of the cluster that
 * have not exited have arrived. False: the warp stops here. */
bool cluster_barrier(struct warp_state *, const struct uop *, lanemask executed);
/* Some lanes have exited: others may have waited for them only. */
void cluster_lanes_exited(struct warp_state *);

#endif
