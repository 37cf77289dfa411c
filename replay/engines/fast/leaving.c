/* The earliest cycles in which blocks can leave. They follow from how many instructions warps have yet to issue, from
 * registers that are not free yet, and from requests whose replies cannot have come.
 */
#include <stdlib.h>

#include "replay/engines/fast/fast.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The least number of cycles in which a warp can issue the rest of its instructions; counted up to `most`. */
static uint64_t cycles_left(const struct fast *f, const struct fast_grid *g, const struct rp_cursor *c, uint64_t most)
{
    uint64_t width = (uint64_t)f->machine->issue_width;
    return rp_cursor_left(c, g->program.free_exits, most * width) / width;
}

/* ---- resident blocks --------------------------------------------------------------------------------------------- */

/* The first cycle in which the warp can issue its next instruction. With control words that may be earlier than `wake`.
 */
static uint64_t first_issue(const struct fast_warp *w, uint64_t now)
{
    bool known = w->op && !w->waiting && !w->signals && w->wake < UNKNOWN;
    return known ? later(w->wake, now) : now;
}

uint64_t fast_first_leave(const struct fast *f, const struct fast_block *b, uint64_t now, uint64_t enough)
{
    if (!b->live)
        return b->unresolved || b->completion < now ? now : earlier(b->completion, enough);
    uint64_t first = now;
    for (unsigned i = 0; i < b->warp_count && first < enough; i++) {
        const struct fast_warp *w = &b->warps[i];
        uint64_t from = w->ended ? now : earlier(first_issue(w, now), enough);
        if (!w->ended)
            first = later(first, from + cycles_left(f, b->part->grid, &w->cursor, enough - from));
    }
    return earlier(first, enough);
}

/* ---- blocks that are not placed yet ------------------------------------------------------------------------------ */

/* Returns the first cycle from `from` on in which the op can issue. ready: per register, the first cycle in which it
 * can be free. */
static uint64_t issue_early(const struct fast_grid *g, uint32_t index, uint64_t from, uint64_t *ready)
{
    const struct op *op = &g->program.ops[index];
    const uint32_t *number = g->program.registers + op->registers;
    bool at_once = (g->kernel->instructions[index].flags & RP_GUARDED) || (op->flags & (OP_BY_SPACE | OP_STARTS));
    for (unsigned i = 0; i < op->waits; i++)
        from = later(from, ready[number[i]]);
    for (unsigned i = 0; i < op->destinations; i++)
        ready[number[i]] = from + op->initiation + (at_once ? 0 : op->latency);
    return from;
}

/* The least number of cycles from the placing of a warp to the cycle after its first run has issued. */
static uint64_t cycles_of_run(const struct fast *f, const struct fast_grid *g, const struct rp_run *run)
{
    uint64_t *ready = calloc(g->program.shared_entries, sizeof *ready), from = 0, at = 0;
    for (uint32_t i = run->start; ready && i < run->start + run->length; i++) {
        if (g->program.ops[i].flags & OP_FREE_EXIT)
            continue;
        at = issue_early(g, i, from, ready);
        from = at + (f->machine->issue_width == 1);
    }
    free(ready);
    return at + 1;
}

uint64_t fast_shortest_stay(const struct fast *f, struct fast_grid *g, uint64_t index, uint64_t most)
{
    uint64_t width = (uint64_t)f->machine->issue_width, left;
    struct first_run *kept = &g->first_run;
    struct rp_run run;
    if (!rp_trace_peek(f->job->trace, g->of.number, index, 0, g->program.free_exits, most * width, &run, &left))
        return 0;
    if (kept->start != run.start || kept->length != run.length)
        *kept = (struct first_run){run.start, run.length, cycles_of_run(f, g, &run)};
    uint64_t cycles = kept->cycles + (left > run.length ? left - run.length : 0) / width;
    return later(cycles, left / width);
}

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

uint64_t fast_leaves_from(const struct fast_sm *sm, uint64_t enough)
{
    uint64_t first = enough, horizon = fast_sm_horizon(sm);
    for (const struct fast_block *b = sm->first; b && first > sm->now; b = b->next) {
        bool away = sm_memory_away(sm->memory, b->number);
        first = earlier(first, away ? horizon : fast_first_leave(sm->chip, b, sm->now, first));
    }
    return later(first, sm->now);
}

uint64_t fast_pauses_from(const struct fast_sm *sm, uint64_t enough)
{
    uint64_t first = earlier(earlier(sm->next_room, sm->leaves_from), enough);
    for (unsigned i = 0; i < sm->assigned_count && first > sm->now; i++) {
        const struct fast_assigned *a = &sm->assigned[i];
        uint64_t stay = fast_shortest_stay(sm->chip, a->part->grid, a->index, first - sm->now);
        first = earlier(first, sm->now + stay);
    }
    return first;
}
