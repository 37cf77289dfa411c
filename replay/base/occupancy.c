#include "replay/base/occupancy.h"

#include <inttypes.h>

static int64_t round_up(int64_t value, int64_t granularity)
{
    return (value + granularity - 1) / granularity * granularity;
}

void room_of_sm(const struct machine *m, struct room *room)
{
    int64_t by_threads = m->threads / RP_WARP_LANES;
    *room = (struct room){m->blocks, m->warps < by_threads ? m->warps : by_threads, m->registers, m->shared_bytes};
}

bool room_of_block(const struct machine *m, const struct rp_kernel *kernel, const struct rp_launch *launch,
                   struct room *block, struct rp_error *err)
{
    struct room sm;
    room_of_sm(m, &sm);
    uint64_t threads = 1;
    for (int d = 0; d < 3; d++) {
        threads *= launch->block[d];
        if (!launch->block[d] || threads > (uint64_t)sm.warps * RP_WARP_LANES)
            return rp_fail(err, RP_BAD_INPUT,
                           "kernel %s: a block of %" PRIu32 " × %" PRIu32 " × %" PRIu32
                           " threads does not fit on an SM of %s, which holds %" PRId64,
                           kernel->name, launch->block[0], launch->block[1], launch->block[2], m->name,
                           sm.warps * RP_WARP_LANES);
    }
    block->blocks = 1;
    block->warps = (int64_t)((threads + RP_WARP_LANES - 1) / RP_WARP_LANES);
    block->registers = block->warps * round_up((int64_t)kernel->registers * RP_WARP_LANES, m->register_granularity);
    block->shared =
        round_up((int64_t)kernel->static_shared + launch->dynamic_shared + m->shared_reserved, m->shared_granularity);
    if (block->registers > sm.registers)
        return rp_fail(err, RP_BAD_INPUT,
                       "kernel %s: a block needs %" PRId64 " registers, an SM of %s has %" PRId64
                       " (limits.registers); --launch N takes another launch; record this one with smaller blocks, "
                       "or compiled with __launch_bounds__",
                       kernel->name, block->registers, m->name, sm.registers);
    if (block->shared > sm.shared)
        return rp_fail(err, RP_BAD_INPUT,
                       "kernel %s: a block needs %" PRId64 " bytes of shared memory, an SM of %s has %" PRId64
                       " (limits.shared)",
                       kernel->name, block->shared, m->name, sm.shared);
    return true;
}

uint64_t room_count(const struct machine *m, const struct room *block, uint64_t most)
{
    struct room left;
    uint64_t count = 0;
    for (room_of_sm(m, &left); count < most && room_fits(&left, block); count++)
        room_take(&left, block, 1);
    return count;
}

bool cooperative_fits(const struct machine *m, const struct rp_kernel *kernel, const struct rp_launch *launch,
                      uint64_t each, struct rp_error *err)
{
    uint64_t blocks = rp_launch_blocks(launch), room = each * (uint64_t)m->sms;
    return !launch->cooperative || blocks <= room ||
           rp_fail(err, RP_BAD_INPUT,
                   "kernel %s: a cooperative launch of %" PRIu64
                   " blocks, which wait for one another, does not fit on %s, "
                   "which holds %" PRIu64 " at a time (sms = %" PRId64
                   "); record it with as many, or choose a larger machine",
                   kernel->name, blocks, m->name, room, (int64_t)m->sms);
}

uint64_t room_shared(const struct machine *m, const struct rp_kernel *kernel, const struct rp_launch *launch)
{
    struct room block;
    struct rp_error unused;
    uint64_t blocks = rp_launch_blocks(launch), sms = (uint64_t)m->sms;
    if (!room_of_block(m, kernel, launch, &block, &unused))
        return 0;
    return room_count(m, &block, (blocks + sms - 1) / sms) * (uint64_t)block.shared;
}
