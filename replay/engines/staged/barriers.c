/* Barriers of blocks (docs/accelsim.md, rule 5). They have a number and a count of threads, as in the other pipelines;
 * or all are one barrier of the whole block, as in Accel-Sim. */
#include "replay/engines/staged/staged.h"

static bool is_complete(const struct staged_block *b, const struct staged_barrier *barrier)
{
    uint64_t all = ~0ull >> (64 - b->warps);
    if (!barrier->threads)
        return false;
    return barrier->expected ? barrier->threads >= barrier->expected : (barrier->arrived | b->ended) == all;
}

static void release(struct staged_sm *sm, struct staged_block *b, unsigned id)
{
    b->barriers[id] = (struct staged_barrier){0};
    for (unsigned i = 0; i < b->warps; i++) {
        struct staged_warp *w = &sm->warps[b->slot * sm->chip->warps_per_block + i];
        w->arrival.part[id] = 0;
        w->arrival.parts &= ~(1u << id);
        if (!w->waits_at_barrier || w->arrival.id != id)
            continue;
        w->waits_at_barrier = false;
        staged_look(sm, w);
    }
}

static void check_barriers(struct staged_sm *sm, struct staged_block *b)
{
    for (unsigned id = 0; id < BLOCK_BARRIERS; id++)
        if (is_complete(b, &b->barriers[id]))
            release(sm, b, id);
}

/* The gathered lanes arrive at the barrier. */
static void take(struct staged_sm *sm, struct staged_warp *w, bool waits)
{
    struct staged_barrier *barrier = &w->block->barriers[w->arrival.id];
    bool whole;
    barrier->threads += arrival_count(&w->arrival, &whole);
    barrier->arrived |= (uint64_t)(whole || waits) << w->number;
    barrier->expected = w->arrival.expected;
    w->waits_at_barrier = waits;
    w->gathers = false;
    if (waits)
        staged_scheduler(sm->chip)->wait(sm->scheduler[w->subcore], w->slot);
    check_barriers(sm, w->block);
}

static struct rp_step step_of(const struct staged *g, const struct inst *in)
{
    uint32_t index = (uint32_t)(in->s - g->statics);
    const struct rp_instruction *instruction = &g->kernel->instructions[index];
    return (struct rp_step){.instruction = instruction, .index = index, .executed = in->executed, .aux = in->aux};
}

void staged_arrive(struct staged_sm *sm, struct staged_warp *w, const struct inst *in)
{
    struct rp_step step = step_of(sm->chip, in);
    if (sm->chip->o[STAGED_ONE_BARRIER]) {
        step.executed = w->arrival.live;
        w->arrival.gathered = w->arrival.live;
        w->arrival.id = 0;
        w->arrival.expected = 0;
        take(sm, w, true);
        return;
    }
    w->gathers = arrival_gather(&w->arrival, &step);
    if (!w->gathers)
        take(sm, w, waits_at_barrier(step.instruction));
}

void staged_gathered(struct staged_sm *sm, struct staged_warp *w, const struct inst *next)
{
    struct rp_step step = next ? step_of(sm->chip, next) : (struct rp_step){0};
    if (!next || !next->s->is_barrier || !arrival_goes_on(&w->arrival, &step))
        take(sm, w, true);
}

void staged_exit(struct staged_sm *sm, struct staged_warp *w, rp_lanemask lanes)
{
    w->arrival.live &= ~lanes;
    for (unsigned id = 0; id < BLOCK_BARRIERS; id++) {
        uint64_t threads = w->arrival.parts >> id & 1 ? arrival_left(&w->arrival, id) : 0;
        w->block->barriers[id].threads += threads;
        w->block->barriers[id].arrived |= (uint64_t)(threads > 0) << w->number;
    }
    check_barriers(sm, w->block);
}

void staged_warp_ended(struct staged_sm *sm, struct staged_warp *w)
{
    w->block->ended |= 1ull << w->number;
    check_barriers(sm, w->block);
}
