#include "frontend/core/cluster.h"

#include <stdlib.h>

#include "frontend/core/observe.h"
#include "frontend/operation/flags.h"

/* ---- membership -------------------------------------------------------------------------------------------------- */

uint32_t cluster_rank(const struct grid *g, const uint32_t ctaid[3])
{
    const uint32_t *c = g->cluster;
    return ctaid[0] % c[0] + c[0] * (ctaid[1] % c[1] + c[1] * (ctaid[2] % c[2]));
}

void cluster_leave(struct block *b)
{
    struct cluster *c = b->cluster;
    if (!c)
        return;
    c->block[cluster_rank(b->grid, b->ctaid)] = NULL;
    b->cluster = NULL;
    if (!--c->open)
        free(c);
}

bool cluster_stuck(struct block *b) { return !b->cluster || ++b->cluster->idle > b->cluster->open; }

struct block *cluster_owner(struct warp_state *s, const struct uop *u, unsigned lane, uint64_t *offset)
{
    struct block *b = s->w.block;
    if (*offset < CLUSTER_SHARED || !b->cluster)
        return b;
    uint32_t blocks = b->cluster->blocks, rank = (uint32_t)((*offset - CLUSTER_SHARED) >> CLUSTER_STEP_LOG);
    struct block *of = rank < blocks ? b->cluster->block[rank] : NULL;
    if (!of) {
        block_fault(s, u, RP_FAULT_BOUNDS, lane,
                    rank >= blocks ? "shared memory of block %u of a cluster of %u"
                                   : "shared memory of block %u of the cluster of %u, which has ended",
                    rank, blocks);
        s->w.block->fault.address = *offset;
        return NULL;
    }
    *offset &= CLUSTER_STEP - 1;
    return of;
}

uint32_t cluster_recorded(struct warp_state *s, const struct uop *u, struct operand mask, lanemask m)
{
    if (!s->w.block->cluster)
        return 0;
    unsigned first = (unsigned)__builtin_ctz(m);
    uint32_t blocks = lane_u32(&s->w, mask, first) & 0xffff;
    FOR_LANES(l, m)
    if ((lane_u32(&s->w, mask, l) & 0xffff) != blocks) {
        block_fault(s, u, RP_FAULT_BOUNDS, l, "lanes copy to different blocks at once; that cannot be recorded");
        break;
    }
    return blocks;
}

/* ---- barrier.cluster --------------------------------------------------------------------------------------------- */

/* The blocks of the cluster; *all is NULL for a block without a cluster, which counts as one. */
static uint32_t members(struct block *b, struct block ***all)
{
    *all = b->cluster ? b->cluster->block : NULL;
    return b->cluster ? b->cluster->blocks : 1;
}
static struct block *member(struct block *b, struct block **all, uint32_t i) { return all ? all[i] : b; }

static bool all_arrived(const struct block *b)
{
    for (uint32_t i = 0; i < b->grid->warps; i++)
        if (b->warps[i].w.live & ~b->warps[i].cluster_arrived)
            return false;
    return true;
}

/* Releases the lanes that wait. */
static void release(struct warp_state *s)
{
    bool some = false;
    s->cluster_passed |= s->cluster_arrived;
    s->cluster_arrived = 0;
    for (uint32_t i = s->split_count; i-- > 0;) {
        lanemask lanes = s->splits[i].lanes;
        if (s->splits[i].waits != WAIT_CLUSTER)
            continue;
        s->cluster_passed &= ~lanes;
        split_release(s, i, lanes);
        some = true;
    }
    if (some && s->status == WARP_WAITING)
        splits_next(s);
}

static void complete(struct block *b)
{
    struct block **all, *of;
    uint32_t count = members(b, &all);
    for (uint32_t i = 0; i < count; i++)
        if ((of = member(b, all, i)) && !all_arrived(of))
            return;
    for (uint32_t i = 0; i < count; i++) {
        if (!(of = member(b, all, i)))
            continue;
        of->cluster_awaited = false;
        observe_event(of->warps, EVENT_CLUSTER, NULL, 0);
        for (uint32_t w = 0; w < of->grid->warps; w++)
            release(&of->warps[w]);
    }
}

static bool arrive(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    struct block **all, *of;
    lanemask twice = lanes & (s->cluster_arrived | s->cluster_passed);
    if (twice) {
        block_fault(s, u, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(twice),
                    "a thread arrives at the cluster's barrier again before it has waited there");
        return false;
    }
    s->cluster_arrived |= lanes;
    for (uint32_t i = 0, count = members(s->w.block, &all); i < count; i++)
        if ((of = member(s->w.block, all, i)))
            of->cluster_awaited = true;
    complete(s->w.block);
    return true;
}

static bool wait_here(struct warp_state *s, const struct uop *u, lanemask lanes)
{
    lanemask strange = lanes & ~(s->cluster_arrived | s->cluster_passed), waiting = lanes & s->cluster_arrived;
    if (strange) {
        block_fault(s, u, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(strange),
                    "a thread waits at the cluster's barrier and has not arrived there");
        return false;
    }
    s->cluster_passed &= ~lanes;
    if (waiting)
        split_wait(s, u, waiting, WAIT_CLUSTER, 0);
    return true;
}

bool cluster_barrier(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct warp *w = &s->w;
    if (is_register(u->guard))
        executed &= guard(w, u);
    warp_end_run(s, run_start_at(u)); /* the instruction is counted when the wait is over */
    bool arrives = u->barrier->kind == RP_BARRIER_ARRIVE;
    if (executed && !(arrives ? arrive(s, u, executed) : wait_here(s, u, executed))) {
        warp_end_run(s, u->index + 1);
        return false;
    }
    if (!w->active) {
        bool next = splits_next(s);
        s->run_start = next ? run_start_at(s->pc) : s->run_start;
        return next;
    }
    warp_log_guard(s, u, executed & w->active);
    s->run_start = run_start_at(u);
    s->pc = u + 1;
    return true;
}

void cluster_lanes_exited(struct warp_state *s)
{
    if (s->w.block->cluster_awaited)
        complete(s->w.block);
}
