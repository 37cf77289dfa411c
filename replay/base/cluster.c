#include "replay/base/cluster.h"

#include <inttypes.h>

bool cluster_matters(const struct rp_kernel *k, const struct rp_launch *l)
{
    bool found = in_clusters(l);
    for (uint32_t i = 0; i < k->instruction_count && !found; i++)
        found = is_cluster_barrier(&k->instructions[i]);
    return found;
}

bool launch_meets(const struct rp_kernel *k, const struct rp_launch *l)
{
    bool found = false;
    for (uint32_t i = 0; i < k->instruction_count && !found && rp_launch_blocks(l) > 1; i++)
        found = k->instructions[i].barrier.kind == RP_BARRIER_LAUNCH;
    return found;
}

uint64_t cluster_block(const struct rp_launch *l, uint64_t cluster, uint32_t rank)
{
    uint64_t index = 0, step = 1;
    if (!in_clusters(l))
        return cluster;
    for (int d = 0; d < 3; d++) {
        uint64_t clusters = l->grid[d] / l->cluster[d];
        index += step * (cluster % clusters * l->cluster[d] + rank % l->cluster[d]);
        step *= l->grid[d];
        cluster /= clusters;
        rank /= l->cluster[d];
    }
    return index;
}

uint64_t cluster_address(const struct rp_launch *l, uint32_t rank, unsigned space, uint64_t address, uint32_t of)
{
    uint64_t offset = address;
    if (space == RP_SPACE_GENERIC)
        resolve_generic(l, address, &offset);
    uint64_t window = address - offset;
    cluster_owner(l, rank, &offset);
    return window + l->cluster_shared + of * l->cluster_step + offset;
}

bool cluster_fits(const struct machine *m, const struct rp_kernel *k, const struct rp_launch *l,
                  const struct room *block, struct rp_error *err)
{
    uint32_t wanted = rp_launch_cluster(l);
    uint64_t sms = 0, each = room_count(m, block, wanted);
    for (unsigned g = 0; g < (unsigned)m->gpcs; g++) {
        uint64_t size = gpc_first(m, g + 1) - gpc_first(m, g);
        sms = size > sms ? size : sms;
    }
    if (sms * each >= wanted)
        return true;
    return rp_fail(err, RP_BAD_INPUT,
                   "kernel %s: a cluster of %" PRIu32 " blocks does not fit on %s: %" PRIu64
                   " SMs (sms, gpcs) hold %" PRIu64 " of its blocks each",
                   k->name, wanted, m->name, sms, each);
}
