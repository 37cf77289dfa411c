/* Accesses to shared memory of another block of the cluster, which must end before that block does (CUDA C++
 * Programming Guide, "Distributed Shared Memory"). An access to a block that has ended is a fault. This check finds
 * those that were early enough by chance: nothing orders the last one before the block's end. */
#include "frontend/check/internal.h"

void remote_access(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    t->of->remote = (struct remote_access){
        .there = true,
        .when = cb->check->now,
        .from = cb->index,
        .address = lane_address(la, lane),
        .bytes = (uint32_t)t->bytes,
        .instruction = t->u->index,
        .thread = t->thread + lane,
        .access = touch_kind(t),
    };
}

void remote_block_end(struct checked_block *cb, const struct block *b)
{
    const struct rp_check *c = cb->check;
    const struct remote_access *r = &cb->remote;
    if (!r->there || r->when < cb->barrier || (c->released[r->from] > r->when && c->acquired[cb->index] > r->when))
        return;
    struct rp_check_location here = check_location(b, r->instruction, r->thread, r->access);
    check_block_at(c->grid, r->from, here.block); /* the other block may have ended */
    check_report(
        cb->check, b,
        (struct rp_finding){
            .kind = RP_CHECK_RACE, .space = RP_SPACE_SHARED, .address = r->address, .size = r->bytes, .here = here},
        "and nothing orders it before the end of the block whose memory it is");
}
