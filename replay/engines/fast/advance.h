/* Advancing a warp: fetch, decode, and the cycle in which it can issue. In a header, for inlining: it runs once per
 * warp instruction. */
#ifndef REPRISE_REPLAY_ENGINES_FAST_ADVANCE_H
#define REPRISE_REPLAY_ENGINES_FAST_ADVANCE_H

#include "replay/engines/fast/control_words.h"

/* The wake, with the conditions that only some instructions or machines have. */
static __attribute__((noinline)) uint64_t wake_of_special(const struct fast_sm *sm, struct fast_warp *w, uint64_t wake)
{
    if (w->op->flags & OP_FENCE) {
        bool block = w->op->flags & OP_BLOCK_FENCE;
        uint64_t done = (block ? w->unordered : w->unresolved) ? UNKNOWN : block ? w->ordered : w->memory_done;
        wake = done > wake ? done : wake;
    }
    if (w->op->flags & OP_GROUPS) {
        uint64_t done = w->next.executed ? async_groups_done(w->block->async, w->number, &w->next) : 0;
        w->groups_done = done < UNKNOWN ? done : UNKNOWN;
        wake = w->groups_done > wake ? w->groups_done : wake;
    }
    wake = w->fetched > wake ? w->fetched : wake;
    if (w->signals) {
        uint64_t awaited = fast_awaited(sm, w);
        wake = awaited > wake ? awaited : wake;
    }
    w->earliest = wake;
    return wake;
}

/* Computes the wake of the next instruction, puts the warp on the wheel, and has its sub-core stepped at the wake. Not
 * for a warp that waits at a barrier. */
HOT void schedule(struct fast_sm *sm, struct fast_warp *w)
{
    w->awaited = registers_free(w);
    uint64_t wake = w->awaited >> PRODUCER_BITS;
    wake = w->released > wake ? w->released : wake;
    if (w->op->flags & (OP_FENCE | OP_EXTENDED))
        wake = wake_of_special(sm, w, wake);
    wake = w->control_until > wake ? w->control_until : wake;
    w->wake = wake;
    wheel_add(w->subcore, w->slot, sm->now, wake);
    uint64_t *next = &sm->next[w->subcore->number];
    wake = wake < UNKNOWN ? wake : NEVER;
    *next = wake < *next ? wake : *next;
}

/* Unit and times of a memory instruction with generic addresses. */
static inline void resolve_space(const struct fast_sm *sm, struct fast_warp *w)
{
    unsigned space = timing_space(w->part->grid->launch, w->block->rank, w->next.instruction, &w->next);
    const struct machine_timing *t = &sm->chip->machine->spaces[space];
    w->unit = t->unit;
    w->initiation = t->initiation;
    w->latency = t->latency;
    w->producer = path_of_space(space) == PATH_SHARED ? PRODUCER_SHARED : PRODUCER_MEMORY;
}

HOT void decode(const struct fast_sm *sm, struct fast_warp *w)
{
    const struct op *op = w->op;
    unsigned before = w->unit;
    w->unit = op->unit;
    w->initiation = op->initiation;
    w->latency = op->latency;
    w->producer = op->producer;
    if (op->flags & OP_BY_SPACE)
        resolve_space(sm, w);
    struct fast_subcore *sc = w->subcore;
    uint64_t slot = 1ull << w->slot;
    sc->uses[before] &= ~slot;
    sc->uses[w->unit] |= slot;
}

static __attribute__((noinline)) void fetch(const struct fast_sm *sm, struct fast_warp *w)
{
    uint64_t address = code_address(w->part->grid->launch->kernel, w->next.instruction);
    w->fetched = sm_memory_fetch(sm->memory, w->subcore->number, address, sm->now);
}

/* If the warp's next instruction, an access, goes to caches, notes that the LSU may refuse it. */
static __attribute__((noinline)) void note_caches(struct fast_warp *w)
{
    if (reaches_caches(w->part->grid->launch, &w->next))
        w->subcore->caches |= 1ull << w->slot;
}

HOT void prepare_access(struct fast_warp *w)
{
    __builtin_prefetch(w->cursor.access); /* used after other warps have issued */
    if (w->op->flags & OP_CACHES)
        note_caches(w);
}

HOT uint64_t lanes(rp_lanemask mask) { return mask == ~0u ? RP_WARP_LANES : rp_lane_count(mask); }

/* Ends the lanes of an exit that takes no time. The lanes that have come to a barrier before arrive first: an exit adds
 * no lanes to it. */
static __attribute__((noinline)) void leave_lanes(struct fast_sm *sm, struct fast_warp *w)
{
    w->op = NULL;
    if (w->arrival.gathered)
        fast_arrive_on(sm, w);
    fast_exit(sm, w, w->next.executed);
}

/* Whether the asynchronous work of the warp's next step is well formed. */
static __attribute__((noinline)) bool check_async(const struct fast_warp *w, struct rp_error *err)
{
    return async_check(w->part->grid->kernel, &w->next, err);
}

/* Mostly the next op is the one behind the last: a processor that predicts the branch need not wait for the index. */
HOT const struct op *next_op(struct fast_sm *sm, struct fast_warp *w, uint32_t index)
{
    const struct op *op = w->op;
    return index == w->next.index + 1 && op ? op + 1 : fast_jump(sm, w, w->next.index, index);
}

/* Takes the next instruction, whose op the warp has, from the trace. */
HOT void take_next(struct fast_warp *w)
{
    const struct op *op = w->op;
    uint32_t index = rp_cursor_index(&w->cursor);
    unsigned aux = op->flags & OP_AUX ? rp_aux_count(&w->cursor.instructions[index]) : 0;
    rp_cursor_take(&w->cursor, &w->next, index, op->flags & OP_GUARDED, aux, op->accesses);
}

/* Fetches the warp's next instruction and sets its wake, or ends the warp. */
HOT bool advance(struct fast_sm *sm, struct fast_warp *w, struct rp_error *err)
{
    int more;
    while ((more = rp_cursor_more(&w->cursor, err)) > 0) {
        w->op = next_op(sm, w, rp_cursor_index(&w->cursor));
        take_next(w);
        w->part->statistics.warp_instructions++;
        w->part->statistics.thread_instructions += lanes(w->next.executed);
        if (w->op->flags & (OP_FREE_EXIT | OP_FETCHED | OP_ACCESS)) {
            if (w->op->flags & OP_FREE_EXIT) {
                leave_lanes(sm, w);
                continue;
            }
            if (w->op->flags & OP_FETCHED)
                fetch(sm, w);
            if (w->op->flags & OP_ACCESS)
                prepare_access(w);
            if (w->op->flags & (OP_TESTS | OP_STARTS)) {
                if (!check_async(w, err))
                    return false;
                if (w->op->flags & OP_TESTS && !w->waiting) {
                    decode(sm, w);
                    if (fast_await(sm, w))
                        return true;
                }
            }
        }
        decode(sm, w);
        if (!w->waiting)
            schedule(sm, w);
        else if (w->arrival.gathered)
            fast_arrive_on(sm, w);
        return true;
    }
    if (more < 0)
        return false;
    fast_end_warp(sm, w);
    return true;
}

#endif
