/* Clusters of blocks, for both engines: their blocks, the block whose shared memory an address is in, and the SMs that
 * may hold a cluster (docs/timing-model.md, "Clusters"). */
#ifndef REPRISE_REPLAY_BASE_CLUSTER_H
#define REPRISE_REPLAY_BASE_CLUSTER_H

#include "replay/base/occupancy.h"
#include "replay/base/trace_semantics.h"

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static inline bool is_cluster_barrier(const struct rp_instruction *in)
{
    return in->barrier.kind == RP_BARRIER_CLUSTER_ARRIVE || in->barrier.kind == RP_BARRIER_CLUSTER_WAIT;
}
/* Whether the launch has clusters, or its kernel has a cluster barrier; such a kernel may run in clusters of one block.
 */
bool cluster_matters(const struct rp_kernel *, const struct rp_launch *);
/* Whether several blocks of the launch may meet at its barrier. */
bool launch_meets(const struct rp_kernel *, const struct rp_launch *);

static inline bool in_clusters(const struct rp_launch *l) { return rp_launch_cluster(l) > 1; }
/* Clusters are numbered as blocks are, x fastest. */
static inline uint64_t cluster_count(const struct rp_launch *l) { return rp_launch_blocks(l) / rp_launch_cluster(l); }
/* The number, in the grid, of the cluster's block with this rank. */
uint64_t cluster_block(const struct rp_launch *, uint64_t cluster, uint32_t rank);

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

/* The rank of the block whose shared memory holds *offset, as the block of rank `rank` addresses it. *offset becomes
 * the offset in that block. */
static inline uint32_t cluster_owner(const struct rp_launch *l, uint32_t rank, uint64_t *offset)
{
    if (!in_clusters(l) || *offset < l->cluster_shared)
        return rank;
    uint64_t at = *offset - l->cluster_shared, of = at / l->cluster_step;
    *offset = of < rp_launch_cluster(l) ? at % l->cluster_step : *offset;
    return of < rp_launch_cluster(l) ? (uint32_t)of : rank;
}

/* The space that an operand's address is in, for the block of this rank; *address becomes the offset there. In clusters
 * shared memory is SHARED if it is the block's own, with the offset in the block, and SHARED_CLUSTER if it is another
 * block's: cluster_owner() then gets the rank from the offset. */
static inline unsigned resolve_operand(const struct rp_launch *l, uint32_t rank, unsigned space, uint64_t *address)
{
    if (space == RP_SPACE_GENERIC)
        space = resolve_generic(l, *address, address);
    if (!in_clusters(l) || path_of_space(space) != PATH_SHARED)
        return space;
    uint64_t own = *address;
    if (cluster_owner(l, rank, &own) != rank)
        return RP_SPACE_SHARED_CLUSTER;
    *address = own;
    return RP_SPACE_SHARED;
}
/* Whether lanes of an operand in this space may access different spaces. */
static inline bool needs_resolving(const struct rp_launch *l, unsigned space)
{
    return space == RP_SPACE_GENERIC || (in_clusters(l) && path_of_space(space) == PATH_SHARED);
}

/* The space whose row in the machine times a memory instruction: the space of its first operand. Where lanes may access
 * different spaces, the lowest lane decides; a generic operand that no lane executes is global. */
static inline unsigned timing_space(const struct rp_launch *l, uint32_t rank, const struct rp_instruction *in,
                                    const struct rp_step *step)
{
    if (!in->memory_count || in->memory[0].space == RP_SPACE_NONE)
        return RP_SPACE_GLOBAL;
    unsigned space = in->memory[0].space;
    if (!needs_resolving(l, space))
        return space;
    uint64_t address = step->executed ? step->accesses[0].base : 0;
    return step->executed              ? resolve_operand(l, rank, space, &address)
           : space == RP_SPACE_GENERIC ? RP_SPACE_GLOBAL
                                       : space;
}

/* The blocks to which an operand of a bulk copy is written, a bit for each rank; 0: the block that its addresses name.
 */
static inline uint32_t bulk_blocks(const struct rp_launch *l, const struct rp_step *s, uint32_t operand)
{
    return in_clusters(l) ? rp_bulk_blocks(*rp_step_operand_aux(s, operand)) : 0;
}
/* The address, in the block of rank `of`, that corresponds to this address of the operand. */
uint64_t cluster_address(const struct rp_launch *, uint32_t rank, unsigned space, uint64_t address, uint32_t of);

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

/* SM s belongs to GPC ⌊s × gpcs / sms⌋, so that their sizes differ by one at most. */
static inline unsigned gpc_of(const struct machine *m, unsigned sm)
{
    return (unsigned)((int64_t)sm * m->gpcs / m->sms);
}
/* The first SM of a GPC. gpc_first(m, gpcs) is the number of SMs. */
static inline unsigned gpc_first(const struct machine *m, unsigned gpc)
{
    return (unsigned)(((int64_t)gpc * m->sms + m->gpcs - 1) / m->gpcs);
}
/* False: no GPC can hold a cluster of the launch. `block`: what each of its blocks takes. */
bool cluster_fits(const struct machine *, const struct rp_kernel *, const struct rp_launch *, const struct room *block,
                  struct rp_error *);

/* Cycles for which an access of so many bytes occupies an SM's port to the other SMs of its cluster. */
static inline uint64_t cluster_cycles(const struct machine *m, uint64_t bytes)
{
    if (!m->cluster_bandwidth)
        return 0;
    unsigned __int128 width = (unsigned __int128)m->cluster_bandwidth, billionths = FRACTION_ONE;
    return (uint64_t)((bytes * billionths + width - 1) / width);
}

#endif
