/* Block barriers in the reference engine. */
#include <inttypes.h>
#include <stdio.h>

#include "replay/engines/reference/reference.h"

static bool complete(const struct ref_block *block, const struct ref_barrier *barrier)
{
    uint64_t all = ~0ull >> (64 - block->warp_count);
    if (!barrier->threads)
        return false;
    return barrier->expected ? barrier->threads >= barrier->expected : (barrier->arrived | block->ended) == all;
}

static void release(struct reference *r, struct ref_block *block, unsigned id)
{
    block->barriers[id] = (struct ref_barrier){0};
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct ref_warp *w = &block->warps[i];
        w->arrival.part[id] = 0;
        w->arrival.parts &= ~(1u << id);
        if (!w->waiting || w->barrier != id)
            continue;
        w->waiting = false;
        w->barrier_until = r->now + 1 + (uint64_t)r->machine->barrier_latency;
        ref_await(r, w);
    }
}

void ref_await(struct reference *r, struct ref_warp *w)
{
    if (w->waiting || w->ended || !w->block->async || !async_waits(&w->next) ||
        async_over(w->block->async, w->block->grid->of.launch, &w->next))
        return;
    w->waiting = true;
    w->barrier = AT_OBJECT;
    r->scheduler->wait(r->sms[w->sm].subcores[w->subcore].scheduler, w->slot);
}

void ref_release_objects(struct reference *r, struct ref_block *block)
{
    for (unsigned i = 0; i < block->warp_count; i++) {
        struct ref_warp *w = &block->warps[i];
        if (!w->waiting || w->barrier != AT_OBJECT || !async_over(block->async, block->grid->of.launch, &w->next))
            continue;
        w->waiting = false;
        w->barrier_until = r->now + 1 + (uint64_t)r->machine->barrier_latency;
    }
}

/* Whether all blocks of the launch have been placed, and each has ended or waits for the others. */
static bool all_meet(const struct reference *r, const struct ref_grid *g)
{
    if (g->next_block != g->of.blocks)
        return false;
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (const struct ref_block *b = r->sms[s].blocks; b; b = b->next) {
            const struct ref_barrier *barrier = &b->barriers[LAUNCH_BARRIER];
            if (b->grid == g && b->live && !(barrier->of_launch && complete(b, barrier)))
                return false;
        }
    return true;
}

static void open_all(struct reference *r, const struct ref_grid *g)
{
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (struct ref_block *b = r->sms[s].blocks; b; b = b->next)
            if (b->grid == g && b->live)
                release(r, b, LAUNCH_BARRIER);
}

void ref_check_barriers(struct reference *r, struct ref_block *block)
{
    for (unsigned id = 0; id < BLOCK_BARRIERS; id++)
        if (complete(block, &block->barriers[id]) && !(block->barriers[id].of_launch && block->grid->meets))
            release(r, block, id);
    if (block->grid->meets && all_meet(r, block->grid))
        open_all(r, block->grid);
}

/* The gathered lanes arrive at the barrier. */
static void take(struct reference *r, struct ref_warp *w, bool waits)
{
    struct ref_barrier *barrier = &w->block->barriers[w->arrival.id];
    bool whole;
    barrier->threads += arrival_count(&w->arrival, &whole);
    barrier->arrived |= (uint64_t)(whole || waits) << w->number;
    barrier->expected = w->arrival.expected;
    barrier->of_launch = w->arrival.at_launch;
    if (waits) {
        w->waiting = true;
        w->barrier = w->arrival.id;
        r->scheduler->wait(r->sms[w->sm].subcores[w->subcore].scheduler, w->slot);
    }
    ref_check_barriers(r, w->block);
}

void ref_arrive(struct reference *r, struct ref_warp *w)
{
    if (!arrival_gather(&w->arrival, &w->next))
        take(r, w, waits_at_barrier(w->next.instruction));
}

void ref_arrived(struct reference *r, struct ref_warp *w) { take(r, w, true); }

void ref_exit(struct reference *r, struct ref_warp *w, rp_lanemask lanes)
{
    w->arrival.live &= ~lanes;
    for (unsigned id = 0; id < BLOCK_BARRIERS; id++) {
        uint64_t threads = w->arrival.parts >> id & 1 ? arrival_left(&w->arrival, id) : 0;
        w->block->barriers[id].threads += threads;
        w->block->barriers[id].arrived |= (uint64_t)(threads > 0) << w->number;
    }
    ref_check_barriers(r, w->block);
    ref_check_cluster(r, w->block->cluster);
}

/* For the message: a warp that waits, the first of the first block of the launch. */
static const struct ref_warp *waiter(const struct reference *r, const struct ref_grid *g)
{
    const struct ref_warp *first = NULL;
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (const struct ref_block *b = r->sms[s].blocks; b; b = b->next)
            for (unsigned i = b->warp_count; i-- > 0;)
                if (b->grid == g && b->warps[i].waiting && (!first || b->index <= first->block->index))
                    first = &b->warps[i];
    return first;
}

static void end_all(struct reference *r)
{
    uint64_t end = r->now + 1;
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (struct ref_block *b = r->sms[s].blocks; b; b = b->next)
            for (unsigned i = 0; i < b->warp_count; i++)
                end = b->warps[i].completion > end ? b->warps[i].completion : end;
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (struct ref_block *b = r->sms[s].blocks; b; b = b->next) {
            for (unsigned i = 0; i < b->warp_count; i++) {
                struct ref_warp *w = &b->warps[i];
                if (w->ended)
                    continue;
                w->ended = true;
                w->waiting = false;
                w->completion = end;
                r->scheduler->end(r->sms[s].subcores[w->subcore].scheduler, w->slot);
            }
            b->live = 0;
        }
}

bool ref_stuck(struct reference *r, struct rp_error *err)
{
    bool any = false;
    for (const struct ref_grid *g = r->grids; g; g = g->next) {
        const struct ref_warp *w = waiter(r, g);
        if (w && !engine_stuck(r->job, &w->block->grid->of, w->block->index, w->number, w->barrier, &w->next, err))
            return false;
        any |= w != NULL;
    }
    if (!any)
        return rp_fail(err, RP_BAD_INPUT, "scheduler '%s' holds ready warps for ever",
                       r->machine->scheduler.model->name);
    end_all(r);
    return true;
}
