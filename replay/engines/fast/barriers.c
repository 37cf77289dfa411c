/* Block barriers in the fast engine. */
#include <inttypes.h>
#include <stdio.h>

#include "replay/engines/fast/advance.h"

static uint64_t all_warps(const struct fast_block *block) { return ~0ull >> (64 - block->warp_count); }

/* Forgets the lanes that arrived at the barrier without the rest of their warps. */
static __attribute__((noinline)) void forget_parts(struct fast_block *block, unsigned id)
{
    for (unsigned i = 0; i < block->warp_count; i++) {
        block->warps[i].arrival.part[id] = 0;
        block->warps[i].arrival.parts &= ~(1u << id);
    }
}

static void release(struct fast_sm *sm, struct fast_block *block, unsigned id, uint64_t now)
{
    if (block->barriers[id].parts)
        forget_parts(block, id);
    block->barriers[id] = (struct fast_barrier){0};
    block->active_barriers &= ~(1u << id);
    for (uint64_t waiting = block->waiting; waiting; waiting &= waiting - 1) {
        struct fast_warp *w = &block->warps[__builtin_ctzll(waiting)];
        if (w->barrier != id)
            continue;
        block->waiting &= ~(1ull << w->number);
        w->waiting = false;
        w->barrier_until = now + 1 + (uint64_t)sm->chip->machine->barrier_latency;
        if (w->released < w->barrier_until)
            w->released = w->barrier_until;
        if (w->op && !(w->op->flags & OP_TESTS && fast_await(sm, w)))
            schedule(sm, w);
    }
}

/* ---- barrier objects --------------------------------------------------------------------------------------------- */

bool fast_await(struct fast_sm *sm, struct fast_warp *w)
{
    struct fast_block *block = w->block;
    if (!async_waits(&w->next) || async_over(block->async, w->part->grid->launch, &w->next))
        return false;
    w->waiting = true;
    w->barrier = AT_OBJECT;
    block->waiting |= 1ull << w->number;
    sm->chip->scheduler->wait(w->subcore->scheduler, w->slot);
    return true;
}

void fast_release_objects(struct fast_block *block)
{
    struct fast_sm *sm = block->sm;
    for (uint64_t waiting = block->waiting; waiting; waiting &= waiting - 1) {
        struct fast_warp *w = &block->warps[__builtin_ctzll(waiting)];
        if (w->barrier != AT_OBJECT || !async_over(block->async, w->part->grid->launch, &w->next))
            continue;
        block->waiting &= ~(1ull << w->number);
        w->waiting = false;
        w->barrier_until = sm->now + 1 + (uint64_t)sm->chip->machine->barrier_latency;
        if (w->released < w->barrier_until)
            w->released = w->barrier_until;
        schedule(sm, w);
    }
}

/* Makes sure that the SM applies its updates of barrier objects in time. */
static void note_updates(struct fast_sm *sm)
{
    sm->out_of_memory |= sm->updates.out_of_memory;
    if (sm->updates.next >= sm->memory_next)
        return;
    sm->memory_next = sm->updates.next;
    fast_sm_stop(sm, sm->memory_next);
}

void fast_act(struct fast_sm *sm, struct fast_warp *w, uint64_t done)
{
    struct fast_block *block = w->block;
    uint64_t known = done < UNKNOWN ? done : ASYNC_UNKNOWN, read = known, number;
    if (w->next.instruction->async.kind == RP_ASYNC_BULK && w->next.instruction->memory_count)
        read = sm->shared_end + w->latency;
    bool over = async_issue(block->async, &sm->updates, block, w->number, w->part->grid->launch, &w->next, sm->now,
                            known, read, &number);
    if (done >= UNKNOWN && !sm->out_of_memory)
        sm->accesses[sm->token].name = number;
    if (over)
        fast_release_objects(block);
    note_updates(sm);
}

void fast_apply_updates(struct fast_sm *sm, uint64_t now)
{
    struct async_update t;
    while (async_due(&sm->updates, now, &t)) {
        struct fast_block *block = t.block;
        if (t.rank != block->rank && block->cluster)
            block = block->cluster->block[t.rank];
        if (!block || !async_update(block->async, &sm->updates, &t))
            continue;
        fast_sm_come(block->sm, now);
        fast_release_objects(block);
        if (block->sm != sm)
            fast_sm_look(block->sm);
    }
    note_updates(sm);
}

/* ---- block barriers ---------------------------------------------------------------------------------------------- */

static bool is_complete(const struct fast_block *block, unsigned id)
{
    const struct fast_barrier *b = &block->barriers[id];
    return b->expected ? b->threads >= b->expected : (b->arrived | block->ended) == all_warps(block);
}

/* Whether all warps of the block that have not ended wait for those of other blocks. */
static bool meets(const struct fast_block *block)
{
    return !block->live || (block->barriers[LAUNCH_BARRIER].of_launch && is_complete(block, LAUNCH_BARRIER));
}

/* Whether all blocks of the launch have been placed, and each meets the others or has ended. */
static bool all_meet(const struct fast *f, const struct fast_grid *grid)
{
    uint64_t placed = 0;
    bool all = true;
    for (unsigned s = 0; s < f->sm_count && all; s++) {
        placed += grid->parts[s] ? grid->parts[s]->statistics.blocks : 0;
        for (const struct fast_block *b = f->sms[s].first; b && all; b = b->next)
            all = b->part->grid != grid || meets(b);
    }
    return all && placed == grid->of.blocks;
}

/* Opens the barrier of the launch, in the same cycle on all SMs. */
static void open_all(const struct fast *f, const struct fast_grid *grid, uint64_t now)
{
    for (unsigned s = 0; s < f->sm_count; s++) {
        struct fast_sm *sm = &f->sms[s];
        bool opens = false;
        for (struct fast_block *b = sm->first; b; b = b->next) {
            if (b->part->grid != grid || !b->live)
                continue;
            fast_sm_come(sm, now);
            release(sm, b, LAUNCH_BARRIER, now);
            opens = true;
        }
        if (opens)
            fast_sm_look(sm);
    }
}

void fast_check_barriers(struct fast_sm *sm, struct fast_block *block)
{
    const struct fast_grid *grid = block->part->grid;
    for (uint32_t active = block->active_barriers; active; active &= active - 1) {
        unsigned id = (unsigned)__builtin_ctz(active);
        if (is_complete(block, id) && !(block->barriers[id].of_launch && grid->meets))
            release(sm, block, id, sm->now);
    }
    if (grid->meets && meets(block) && all_meet(sm->chip, grid))
        open_all(sm->chip, grid, sm->now);
}

/* The lanes that the warp has gathered arrive at the barrier. */
static void take(struct fast_sm *sm, struct fast_warp *w, bool waits)
{
    struct fast_block *block = w->block;
    unsigned id = w->arrival.id;
    struct fast_barrier *b = &block->barriers[id];
    bool whole;
    block->active_barriers |= 1u << id;
    b->threads += arrival_count(&w->arrival, &whole);
    b->arrived |= (uint64_t)(whole || waits) << w->number;
    b->expected = w->arrival.expected;
    b->of_launch = w->arrival.at_launch;
    b->parts |= !whole;
    if (waits) {
        w->waiting = true;
        w->barrier = (uint8_t)id;
        block->waiting |= 1ull << w->number;
        sm->chip->scheduler->wait(w->subcore->scheduler, w->slot);
    }
    fast_check_barriers(sm, block);
}

void fast_arrive(struct fast_sm *sm, struct fast_warp *w)
{
    bool waits = waits_at_barrier(w->next.instruction);
    w->op = NULL; /* the instruction after the barrier is not fetched yet */
    if (arrival_gather(&w->arrival, &w->next))
        w->waiting = true; /* until that is */
    else
        take(sm, w, waits);
}

void fast_arrive_on(struct fast_sm *sm, struct fast_warp *w)
{
    if (!w->op || !arrival_goes_on(&w->arrival, &w->next)) {
        take(sm, w, true);
        return;
    }
    w->waiting = false;
    schedule(sm, w);
}

void fast_exit(struct fast_sm *sm, struct fast_warp *w, rp_lanemask lanes)
{
    struct fast_block *block = w->block;
    w->arrival.live &= ~lanes;
    if (block->cluster)
        fast_check_cluster(block->cluster, sm->now);
    if (!w->arrival.parts)
        return;
    for (uint32_t parts = w->arrival.parts; parts; parts &= parts - 1) {
        unsigned id = (unsigned)__builtin_ctz(parts);
        uint64_t threads = arrival_left(&w->arrival, id);
        block->barriers[id].threads += threads;
        block->barriers[id].arrived |= (uint64_t)(threads > 0) << w->number;
    }
    fast_check_barriers(sm, block);
}

/* For the message: a warp that waits, the first of the first block of the launch. */
static const struct fast_warp *waiter(const struct fast *f, const struct fast_grid *grid)
{
    const struct fast_block *first = NULL;
    for (unsigned s = 0; s < f->sm_count; s++)
        for (const struct fast_block *b = f->sms[s].first; b; b = b->next)
            if (b->part->grid == grid && b->waiting && (!first || b->index < first->index))
                first = b;
    return first ? &first->warps[__builtin_ctzll(first->waiting)] : NULL;
}

static void end_block(struct fast_sm *sm, struct fast_block *block, uint64_t end)
{
    for (uint64_t live = all_warps(block) & ~block->ended; live; live &= live - 1) {
        struct fast_warp *w = &block->warps[__builtin_ctzll(live)];
        w->ended = true;
        w->completion = end;
        sm->chip->scheduler->end(w->subcore->scheduler, w->slot);
    }
    block->waiting = 0;
    block->live = 0;
    block->completion = end;
    sm->next_leave = end;
}

static void end_all(struct fast *f)
{
    uint64_t end = 0;
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        end = sm->last_leave > end ? sm->last_leave : end;
        if (sm->last_issue != NEVER && sm->last_issue + 1 > end)
            end = sm->last_issue + 1;
    }
    end++;
    for (unsigned s = 0; s < f->sm_count; s++)
        for (const struct fast_block *b = f->sms[s].first; b; b = b->next)
            for (unsigned i = 0; i < b->warp_count; i++)
                end = b->warps[i].completion > end ? b->warps[i].completion : end;
    for (unsigned s = 0; s < f->sm_count; s++) {
        for (struct fast_block *b = f->sms[s].first; b; b = b->next)
            end_block(&f->sms[s], b, end);
        f->next[s] = fast_sm_next(&f->sms[s]);
    }
}

bool fast_stuck(struct fast *f, struct rp_error *err)
{
    bool any = false;
    for (const struct fast_grid *g = f->grids; g; g = g->next) {
        const struct fast_warp *w = waiter(f, g);
        if (w && !engine_stuck(f->job, &w->part->grid->of, w->block->index, w->number, w->barrier, &w->next, err))
            return false;
        any |= w != NULL;
    }
    if (!any)
        return rp_fail(err, RP_BAD_INPUT, "scheduler '%s' holds ready warps for ever",
                       f->machine->scheduler.model->name);
    end_all(f);
    return true;
}
