/* Named barriers, as Pascal has them: they count warps, not threads. A barrier without a count waits for every warp of
 * the block that has not exited; so warps that end early do not hold the others up. A barrier with a count waits for
 * that many threads, exited or not, as PTX says. A warp arrives as a whole: once all its lanes that have not exited
 * stand before the same barrier instruction, which may be in a function that they entered by different calls
 * (paths_gather). Lanes that stay elsewhere are a fault, where the hardware would count them as arrived and go on. */
#include "frontend/core/engine.h"
#include "frontend/core/flags.h"
#include "tracefmt/plural.h"

#include <stdio.h>
#include <string.h>

static uint32_t expected(const struct block *b, const struct barrier *bar)
{
    return bar->expected ? bar->expected : b->live_warps * RP_WARP_LANES;
}

static void deliver(struct warp_state *s, const struct barrier *bar)
{
    const struct uop *u = s->barrier;
    if (u->barrier->kind != RP_BARRIER_REDUCE)
        return;
    if (u->mode == BARRIER_POPC) {
        uint32_t *d = operand_at(&s->w, u->d);
        FOR_LANES(l, s->barrier_lanes)
        d[l] = bar->reduced_count;
        return;
    }
    if (is_sink(u->pd))
        return;
    lanemask *pd = operand_at(&s->w, u->pd);
    bool value = u->mode == BARRIER_AND ? bar->reduced_and : bar->reduced_or;
    *pd = value ? *pd | s->barrier_lanes : *pd & ~s->barrier_lanes;
}

/* Lets the waiting warps go once all are there. True: it did. */
static bool complete(struct block *b, uint32_t id)
{
    struct barrier *bar = &b->barriers[id];
    if (!bar->in_use || bar->arrived < expected(b, bar))
        return false;
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        struct warp_state *s = &b->warps[i];
        if (s->status != WARP_AT_BARRIER || s->barrier_id != id)
            continue;
        deliver(s, bar);
        s->status = WARP_READY;
    }
    *bar = (struct barrier){.reduced_and = true};
    return true;
}

/* Checks id, count and lanes; false with a fault. */
static bool valid(struct warp_state *s, const struct uop *u, lanemask executed, uint32_t id, uint32_t count)
{
    struct block *b = s->w.block;
    unsigned lane = (unsigned)__builtin_ctz(executed);
    int here = __builtin_popcount(executed), elsewhere = __builtin_popcount(s->w.live & ~executed);
    if (executed != s->w.live)
        block_fault(s, u, RP_FAULT_BARRIER, (unsigned)__builtin_ctz(s->w.live & ~executed),
                    "a barrier is reached by %d thread%s of warp %u while %d other%s of it %s elsewhere", here,
                    rp_plural((unsigned)here), s->w.id, elsewhere, rp_plural((unsigned)elsewhere),
                    elsewhere == 1 ? "is" : "are");
    else if (id >= BARRIERS)
        block_fault(s, u, RP_FAULT_BARRIER, lane, "barrier %u does not exist; a block has %d", id, BARRIERS);
    else if (count % RP_WARP_LANES || count > b->grid->warps * RP_WARP_LANES)
        block_fault(s, u, RP_FAULT_BARRIER, lane,
                    "barrier %u waits for %u thread%s; it must be a multiple of 32 and at most the block's %u", id,
                    count, rp_plural(count), b->grid->warps * RP_WARP_LANES);
    else if (u->barrier->kind == RP_BARRIER_ARRIVE && !count)
        block_fault(s, u, RP_FAULT_BARRIER, lane, "arriving at barrier %u needs a thread count", id);
    else if (b->barriers[id].in_use && b->barriers[id].expected != count)
        block_fault(s, u, RP_FAULT_BARRIER, lane, "barrier %u is used with %u threads and with %u at the same time", id,
                    b->barriers[id].expected, count);
    return !b->faulted;
}

bool barrier_arrive(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct block *b = s->w.block;
    /* of the current path: lanes that came by another call have their registers elsewhere */
    unsigned lane = (unsigned)__builtin_ctz(executed & s->w.active);
    uint32_t id = barrier_id(&s->w, u, lane), count = barrier_count(&s->w, u, lane);
    if (!valid(s, u, executed, id, count))
        return false;
    struct barrier *bar = &b->barriers[id];
    if (!bar->in_use)
        *bar = (struct barrier){.in_use = true, .expected = count, .reduced_and = true};
    bar->arrived += RP_WARP_LANES;
    if (u->barrier->kind == RP_BARRIER_REDUCE) {
        lanemask set = predicate(&s->w, u) & executed;
        bar->reduced_count += (uint32_t)__builtin_popcount(set);
        bar->reduced_and = bar->reduced_and && set == executed;
        bar->reduced_or = bar->reduced_or || set;
    }
    if (u->barrier->kind == RP_BARRIER_ARRIVE) {
        complete(b, id);
        return true;
    }
    s->status = WARP_AT_BARRIER;
    s->barrier = u;
    s->barrier_lanes = executed;
    s->barrier_id = id;
    return complete(b, id);
}

void barrier_warp_exited(struct block *b)
{
    b->live_warps--;
    for (uint32_t id = 0; id < BARRIERS; id++)
        if (b->barriers[id].in_use && !b->barriers[id].expected)
            complete(b, id);
}

/* "warp 0 at barrier 1 (line 12), ...": up to four of the warps that wait. Returns how many wait. */
static uint32_t list_waiting(const struct block *b, char *text, size_t size)
{
    uint32_t waiting = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < b->grid->warps; i++) {
        const struct warp_state *s = &b->warps[i];
        if (s->status != WARP_AT_BARRIER || waiting++ >= 4 || used >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s warp %u at barrier %u", used ? "," : "", s->w.id,
                                 s->barrier_id);
        uint32_t line = b->program->kernel.instructions[s->barrier->index].line;
        if (line && used < size)
            used += (size_t)snprintf(text + used, size - used, " (line %u)", line);
    }
    return waiting;
}

void barrier_deadlock(struct block *b)
{
    char who[300];
    uint32_t waiting = list_waiting(b, who, sizeof who), at = 0;
    while (b->warps[at].status != WARP_AT_BARRIER) /* one there is: the block has warps left, and none is ready */
        at++;
    struct warp_state *first = &b->warps[at];
    bool several = false;
    for (uint32_t i = at; i < b->grid->warps; i++)
        several |= b->warps[i].status == WARP_AT_BARRIER && b->warps[i].barrier_id != first->barrier_id;
    const struct barrier *bar = &b->barriers[first->barrier_id];
    block_fault(first, first->barrier, several ? RP_FAULT_DEADLOCK : RP_FAULT_BARRIER,
                (unsigned)__builtin_ctz(first->w.live),
                "%s%u warp%s left wait%s at barriers forever:%s%s; barrier %u has %u of %u threads",
                waiting == 1 ? "the " : "all ", waiting, rp_plural(waiting), waiting == 1 ? "s" : "", who,
                waiting > 4 ? ", ..." : "", first->barrier_id, bar->arrived, expected(b, bar));
}
