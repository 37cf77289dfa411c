/* Accesses whose end is not known when they issue: their tokens, and what happens at their completion. */
#include <stdlib.h>

#include "replay/engines/fast/advance.h"

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

static bool more_accesses(struct fast_sm *sm)
{
    uint32_t count = sm->access_count ? 2 * sm->access_count : 64;
    struct fast_access *accesses = realloc(sm->accesses, count * sizeof *accesses);
    if (!accesses)
        return false;
    sm->accesses = accesses;
    if (sm->chip->observes_done) {
        struct fast_observed *observed = realloc(sm->observed, count * sizeof *observed);
        if (!observed)
            return false;
        sm->observed = observed;
    }
    for (uint32_t i = sm->access_count; i < count; i++)
        accesses[i] = (struct fast_access){.next = i + 1 < count ? i + 1 : NO_ACCESS};
    sm->free_access = sm->access_count;
    sm->access_count = count;
    return true;
}

uint32_t fast_access_new(struct fast_sm *sm)
{
    if (sm->free_access == NO_ACCESS && !more_accesses(sm)) {
        sm->out_of_memory = true;
        return 0;
    }
    uint32_t token = sm->free_access;
    sm->free_access = sm->accesses[token].next;
    return token;
}

void fast_access_free(struct fast_sm *sm, uint32_t token)
{
    if (sm->out_of_memory)
        return;
    sm->accesses[token] = (struct fast_access){.next = sm->free_access};
    sm->free_access = token;
}

/* ---- completion ------------------------------------------------------------------------------------------------- */

static void write_registers(struct fast_warp *w, const struct fast_access *a, uint64_t entry)
{
    w->scoreboard[a->op->destination] = entry;
    if (!(a->op->flags & OP_MANY))
        return;
    const uint32_t *number = w->part->grid->program.registers + a->op->registers;
    for (unsigned i = 1; i < a->op->destinations; i++)
        w->scoreboard[number[i]] = entry;
}

/* The warp's next instruction may be able to issue earlier than was known: schedules it again. */
static void wake_up(struct fast_sm *sm, struct fast_warp *w)
{
    if (w->ended || w->waiting || !w->op || (w->wake < UNKNOWN && (!w->signals || w->wake <= sm->now)))
        return;
    wheel_withdraw(w->subcore, w->slot, sm->now, w->wake);
    schedule(sm, w);
}

/* One of the warp's accesses is performed for the block in this cycle. */
static void put_in_order(struct fast_warp *w, uint64_t cycle)
{
    w->unordered--;
    w->ordered = cycle > w->ordered ? cycle : w->ordered;
}

/* The LSU has handed on all transactions of the access. */
static void taken(struct fast_sm *sm, uint32_t token, uint64_t cycle)
{
    struct fast_access *a = &sm->accesses[token];
    a->unordered = false;
    put_in_order(a->warp, cycle);
    wake_up(sm, a->warp);
}

static void report_done(const struct fast_sm *sm, const struct fast_warp *w, const struct fast_observed *i,
                        uint64_t done)
{
    struct engine_location at = fast_location(sm, w);
    engine_report_done(sm->chip->job, &at, i->number, i->dispatched, done);
}

static void complete(struct fast_sm *sm, const struct memory_completion *c)
{
    struct fast_access a = sm->accesses[c->token];
    struct fast_warp *w = a.warp;
    uint64_t done = (c->cycle > a.done ? c->cycle : a.done) + a.latency;
    uint64_t entry = done << PRODUCER_BITS | producer_served(a.producer, c->level);
    if (a.op->flags & OP_OBSERVED && sm->chip->observes_done)
        report_done(sm, w, &sm->observed[c->token], done);
    fast_access_free(sm, c->token);
    write_registers(w, &a, entry);
    w->completion = done > w->completion ? done : w->completion;
    if (a.starts) {
        async_known(w->block->async, &sm->updates, w->block, w->number, a.name, done);
    } else {
        w->memory_done = done > w->memory_done ? done : w->memory_done;
        w->unresolved--;
    }
    if (a.unordered)
        put_in_order(w, done);
    if (a.record)
        fast_resolve(w, a.record, entry);
    struct fast_block *block = w->block;
    if (w->ended && block->completion < w->completion)
        block->completion = w->completion;
    if (!--block->unresolved && !block->live && block->completion < sm->next_leave)
        sm->next_leave = block->completion;
    wake_up(sm, w);
}

/* If the LSU accepts again, steps the sub-cores with instructions that it refused. */
static void ask_again(struct fast_sm *sm, uint64_t now)
{
    if (!sm->refused || !sm_memory_accepts(sm->memory))
        return;
    for (uint32_t left = sm->refused; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (sm->subcores[i].ready & sm->subcores[i].refused)
            sm->next[i] = now;
    }
    sm->refused = 0;
}

void fast_advance_memory(struct fast_sm *sm, uint64_t now)
{
    struct memory_completion done;
    sm->now = now;
    sm->memory_next = sm_memory_advance(sm->memory, now);
    while (sm_memory_completed(sm->memory, &done))
        if (done.taken)
            taken(sm, done.token, done.cycle);
        else
            complete(sm, &done);
    if (sm->updates.count || sm->updates.out_of_memory)
        fast_apply_updates(sm, now);
    ask_again(sm, now);
    if (sm->chip->stepped)
        fast_sm_limit(sm);
}
