/* The warp loop. Instructions are counted and logged per straight run, at transfers of control, never one by one: a run
 * is a sequence of consecutive static instructions under one active mask. The loop exists thrice: with and
 * without recording, and for observers of values. */
#include <stdatomic.h>
#include <stdio.h>

#include "frontend/core/access.h"
#include "frontend/core/cluster.h"
#include "frontend/core/observe.h"
#include "frontend/core/stack.h"
#include "frontend/operation/flags.h"
#include "tracefmt/plural.h"
#include "tracefmt/writer.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { PREFETCHED_UOPS = 8 }; /* prefetch distance */

ALWAYS_INLINE void end_run(struct warp_state *s, uint32_t end, const bool record)
{
    uint32_t length = end - s->run_start;
    s->run_start = end;
    if (!length)
        return;
    s->w.clock += length;
    s->lanes_run += (uint64_t)length * rp_lane_count(s->w.active);
    if (record)
        rp_log_run(s->w.log, end - length, length, s->w.active);
}

void warp_end_run(struct warp_state *s, uint32_t end)
{
    if (s->w.log)
        end_run(s, end, true);
    else
        end_run(s, end, false);
}

/* Returns the lanes that execute a guarded uop; logs the guard. */
ALWAYS_INLINE lanemask guarded(struct warp_state *s, const struct uop *u, const bool record)
{
    struct warp *w = &s->w;
    lanemask executed = w->active & guard(w, u);
    if (u->flags & UF_FIRST) {
        s->lanes_off += rp_lane_count(w->active ^ executed);
        if (record)
            rp_log_guard(w->log, executed);
    }
    return executed;
}

/* Executes a lane uop that reads the clock, which then includes the current run. */
static void read_clock(struct warp_state *s, const struct uop *u, lanemask executed)
{
    uint64_t before = s->w.clock;
    s->w.clock += (uint64_t)((int64_t)u->index - (int64_t)s->run_start);
    u->fn(&s->w, u, executed);
    s->w.clock = before;
}

/* Stops a warp whose lanes have all exited. */
static void finish_warp(struct warp_state *s)
{
    s->status = WARP_DONE;
    barrier_warp_exited(s->w.block);
    cluster_lanes_exited(s);
}

static void trap(struct warp_state *s, const struct uop *u, lanemask executed)
{
    block_fault(s, u, RP_FAULT_TRAP, (unsigned)__builtin_ctz(executed), "the kernel executed a trap");
}

/* Instructions are counted where runs end, so a warp may have executed more than the limit. */
static void over_limit(struct warp_state *s, const struct uop *u, const char *why)
{
    unsigned long long executed = s->w.clock, limit = s->w.block->grid->limit;
    char than[48] = "";
    if (executed > limit)
        snprintf(than, sizeof than, "more than the limit of %llu", limit);
    block_fault(s, u, RP_FAULT_LIMIT, (unsigned)__builtin_ctz(s->w.active),
                "%sthe warp has executed %llu instruction%s, %s", why, executed, rp_plural(executed),
                *than ? than : "the limit");
}

/* Executes a transfer of control other than a uniform branch. False: the warp stops here. */
static bool transfer(struct warp_state *s, const struct uop *u, lanemask executed)
{
    switch (u->kind) {
    case UOP_BRANCH: paths_branch(s, u, executed); break;
    case UOP_BRANCH_TABLE: paths_branch_table(s, u, executed); break;
    case UOP_CALL: paths_call(s, u, executed); break;
    case UOP_RETURN: paths_return(s, u, executed); break;
    case UOP_EXIT: paths_exit(s, u, executed); break;
    case UOP_POP: paths_pop_token(s, u, executed); break;
    default: paths_meet(s); break; /* UOP_RECONVERGE */
    }
    if (s->w.block->faulted)
        return false;
    if (!s->w.live)
        finish_warp(s);
    return s->w.active;
}

void warp_log_guard(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (!is_register(u->guard) || !(u->flags & UF_FIRST))
        return;
    s->lanes_off += rp_lane_count(s->w.active ^ executed);
    if (s->w.log)
        rp_log_guard(s->w.log, executed);
}

/* All live lanes of the warp arrive at a barrier. False: the warp stops here. */
static bool barrier_of_warp(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct warp *w = &s->w;
    if (w->log && u->flags & UF_LOG_AUX)
        rp_log_aux(w->log, barrier_aux(w, u, (unsigned)__builtin_ctz(executed & w->active)));
    warp_end_run(s, u->index + 1);
    s->pc = u + 1;
    s->run_start = run_start_at(s->pc);
    return barrier_arrive(s, u, executed);
}

/* The executed lanes arrive by themselves; the others of the split go on. */
static bool barrier_of_lanes(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct warp *w = &s->w;
    warp_end_run(s, run_start_at(u)); /* the instruction is counted when the wait is over */
    if (executed && !barrier_arrive_in_part(s, u, executed)) {
        warp_end_run(s, u->index + 1);
        return false;
    }
    if (!w->active) {
        bool next = splits_next(s);
        s->run_start = next ? run_start_at(s->pc) : s->run_start;
        return next;
    }
    executed &= w->active; /* those that arrived without waiting */
    warp_log_guard(s, u, executed);
    if (executed && w->log && u->flags & UF_LOG_AUX)
        rp_log_aux(w->log, barrier_aux(w, u, (unsigned)__builtin_ctz(executed)));
    s->run_start = run_start_at(u);
    s->pc = u + 1;
    return true;
}

/* Executes a barrier. False: the warp stops here. */
static bool execute_barrier(struct warp_state *s, const struct uop *u, lanemask executed)
{
    struct warp *w = &s->w;
    bool nothing = !s->independent && u->barrier->id == CLUSTER_BARRIER && u->barrier->kind == RP_BARRIER_ARRIVE;
    if (u->barrier->kind == RP_BARRIER_WARP_SYNC || nothing) {
        s->pc = u + 1;
        return true;
    }
    if (s->independent && u->barrier->id == CLUSTER_BARRIER)
        return cluster_barrier(s, u, executed);
    if (s->independent) {
        if (is_register(u->guard))
            executed &= guard(w, u);
        if (executed != w->live)
            return barrier_of_lanes(s, u, executed);
        warp_log_guard(s, u, executed);
    } else if (w->active != w->live && !(u->flags & UF_GUARDED)) {
        /* the instruction is counted when the lanes arrive, not when they begin to wait */
        warp_end_run(s, run_start_at(u));
        if (!paths_gather(s, u)) {
            s->run_start = run_start_at(s->pc);
            return !w->block->faulted;
        }
        executed = w->live;
    }
    return barrier_of_warp(s, u, executed);
}

/* Executes a poll or a publication. False: the split hands over after it. */
static bool execute_strong(struct warp_state *s, const struct uop *u, lanemask executed)
{
    u->fn(&s->w, u, executed);
    return s->w.block->faulted || !polling_ends(s, u, executed);
}

/* The split hands over after `u`. NULL: the warp stops here. */
static const struct uop *hand_over(struct warp_state *s, const struct uop *u)
{
    warp_end_run(s, u->index + 1);
    const struct uop *next = polling_hand_over(s, u);
    if (next)
        s->run_start = run_start_at(next);
    else if (!s->w.block->faulted && s->w.clock >= s->w.block->grid->limit)
        over_limit(s, s->pc, "endless loop? ");
    return next;
}

/* Executes a fence, a group, an order, a push, a break, a host call, a stack operation, a trap, a poll or a
 * publication. False: the split hands over after it. */
static bool execute_side_effect(struct warp_state *s, const struct uop *u, lanemask executed)
{
    switch (u->kind) {
    case UOP_STRONG: return execute_strong(s, u, executed);
    case UOP_FENCE:
        atomic_thread_fence(memory_order_seq_cst);
        observe_event(s, EVENT_FENCE, u, executed);
        break;
    case UOP_GROUP: observe_event(s, EVENT_GROUP, u, executed); break;
    case UOP_ORDER: observe_event(s, EVENT_ORDER, u, executed); break;
    case UOP_PUSH: paths_push_token(s, u); break;
    case UOP_BREAK: convergence_break(s, u, executed); break;
    case UOP_HOST_CALL: host_call(s, u, executed); break;
    case UOP_STACK: stack_change(s, u, executed); break;
    default: trap(s, u, executed); break; /* UOP_TRAP */
    }
    return true;
}

/* Stops the warp: its turn is over, or a fault occurred. */
ALWAYS_INLINE void stop_warp(struct warp_state *s, const struct uop *u, const bool record)
{
    const struct block *b = s->w.block;
    if (b->faulted)
        end_run(s, u->index + 1, record); /* the faulting instruction is the last of the warp's instruction stream */
    else if (s->w.clock >= b->grid->limit)
        over_limit(s, u, "endless loop? ");
    s->pc = u;
}

/* Ends the run and follows the uop's transfer of control. NULL: the warp stops here. */
ALWAYS_INLINE const struct uop *leave_run(struct warp_state *s, const struct uop *u, lanemask executed,
                                          const bool record)
{
    end_run(s, u->index + 1, record);
    if (u->kind == UOP_BRANCH && executed == s->w.active)
        return s->w.block->program->uops + u->target;
    s->pc = u;
    if (__builtin_expect(s->w.clock > s->w.block->grid->limit, 0)) {
        over_limit(s, u, "");
        return NULL;
    }
    return transfer(s, u, executed) ? s->pc : NULL;
}

/* Executes lane uops from `u` on for these lanes, up to the first guarded or other uop, which it returns. It loads the
 * next handler's address and prefetches later uops early, so that the CPU notices a mispredicted handler sooner. */
ALWAYS_INLINE const struct uop *straight_line(struct warp *w, const struct uop *u, lanemask executed)
{
    uop_fn fn = u->fn;
    for (;;) {
        uop_fn next = u[1].fn; /* there is one: the last uop of a program transfers control */
        __builtin_prefetch(u + PREFETCHED_UOPS);
        fn(w, u, executed);
        u++;
        if (__builtin_expect(u->kind != UOP_LANE, 0) || u->flags & UF_GUARDED)
            return u;
        fn = next;
        executed = w->active;
    }
}

/* Where a warp goes on: at the next uop, at *u, or not in this turn. */
enum step { STEP_NEXT, STEP_ELSEWHERE, STEP_STOP };

/* Tells the observer of a uop that is about to execute. A collective tells it when its lanes are there. */
static __attribute__((noinline)) void watch_values(struct warp_state *s, const struct uop *u, lanemask executed)
{
    if (u->kind != UOP_COLLECTIVE && u->kind != UOP_RECONVERGE)
        observe_values(s, u, executed);
}

/* Executes a memory uop. One that faults is the warp's last. */
ALWAYS_INLINE enum step handle_memory(struct warp_state *s, const struct uop *u, lanemask executed, const bool record)
{
    if (executed)
        u->fn(&s->w, u, executed);
    if (__builtin_expect(!s->w.block->faulted, 1))
        return STEP_NEXT;
    if (record && executed)
        access_record_rest(&s->w, u, executed);
    stop_warp(s, u, record);
    return STEP_STOP;
}

/* Executes a uop that transfers control, for the lanes in `executed`. */
ALWAYS_INLINE enum step handle_transfer(struct warp_state *s, const struct uop **u, lanemask executed,
                                        const bool record)
{
    if (!executed)
        return STEP_NEXT;
    if (!(*u = leave_run(s, *u, executed, record)))
        return STEP_STOP;
    s->run_start = run_start_at(*u);
    if (__builtin_expect(s->w.clock < s->stop_at, 1))
        return STEP_ELSEWHERE;
    const struct uop *next = split_look(s, *u);
    if (!next) {
        stop_warp(s, *u, record);
        return STEP_STOP;
    }
    *u = next;
    s->run_start = run_start_at(next);
    return STEP_ELSEWHERE;
}

ALWAYS_INLINE enum step handle_reconverge(struct warp_state *s, const struct uop **u, lanemask executed,
                                          const bool record)
{
    if (*u != s->meet)
        return STEP_NEXT;
    end_run(s, (*u)->index, record);
    if (!transfer(s, *u, executed))
        return STEP_STOP;
    *u = s->pc;
    s->run_start = run_start_at(*u);
    return STEP_ELSEWHERE;
}

/* Where the warp goes on after an instruction that other lanes or warps take part in. */
ALWAYS_INLINE enum step step_after(const struct warp_state *s, const struct uop **u, enum collective_outcome outcome)
{
    if (outcome == COLLECTIVE_ELSEWHERE)
        *u = s->pc;
    return outcome == COLLECTIVE_DONE ? STEP_NEXT : outcome == COLLECTIVE_ELSEWHERE ? STEP_ELSEWHERE : STEP_STOP;
}

ALWAYS_INLINE enum step handle_barrier(struct warp_state *s, const struct uop **u, lanemask executed)
{
    if (!executed)
        return STEP_NEXT;
    if (!execute_barrier(s, *u, executed))
        return STEP_STOP;
    *u = s->pc;
    return STEP_ELSEWHERE;
}

ALWAYS_INLINE enum step handle_side_effect(struct warp_state *s, const struct uop **u, lanemask executed,
                                           const bool record)
{
    if (executed && !execute_side_effect(s, *u, executed))
        return (*u = hand_over(s, *u)) ? STEP_ELSEWHERE : STEP_STOP;
    if (!s->w.block->faulted)
        return STEP_NEXT;
    stop_warp(s, *u, record);
    return STEP_STOP;
}

static __attribute__((noinline)) void shuffle_here(struct warp_state *s, const struct uop *u, lanemask executed)
{
    observe_event(s, EVENT_SHUFFLE, u, executed);
    u->fn(&s->w, u, executed);
}

/* Executes a store before which the warp's first turn ends. */
ALWAYS_INLINE enum step handle_together(struct warp_state *s, const struct uop *u, lanemask executed, const bool record)
{
    if (s->begun || s->w.block->grid->warps == 1)
        return handle_memory(s, u, executed, record);
    s->begun = true;
    end_run(s, u->index, record);
    s->pc = u;
    return STEP_STOP;
}

/* Executes a uop of any kind but UOP_LANE and UOP_MEMORY. */
ALWAYS_INLINE enum step handle_other(struct warp_state *s, const struct uop **u, lanemask executed, const bool record)
{
    switch ((*u)->kind) {
    case UOP_CLOCK:
        if (executed)
            read_clock(s, *u, executed);
        return STEP_NEXT;
    case UOP_UNIFORM:
        if (executed)
            (*u)->fn(&s->w, *u, ~(lanemask)0);
        return STEP_NEXT;
    case UOP_SHUFFLE:
        if (executed)
            shuffle_here(s, *u, executed);
        return STEP_NEXT;
    case UOP_RECONVERGE: return handle_reconverge(s, u, executed, record);
    case UOP_BRANCH:
    case UOP_BRANCH_TABLE:
    case UOP_CALL:
    case UOP_RETURN:
    case UOP_EXIT:
    case UOP_POP: return handle_transfer(s, u, executed, record);
    case UOP_COLLECTIVE: return step_after(s, u, collective(s, *u));
    case UOP_OBJECT_WAIT: return step_after(s, u, object_wait(s, *u));
    case UOP_BARRIER: return handle_barrier(s, u, executed);
    case UOP_STRONG:
        if (!s->w.block->program->polls)
            return handle_together(s, *u, executed, record);
        return handle_side_effect(s, u, executed, record);
    default: return handle_side_effect(s, u, executed, record);
    }
}

/* watched: an observer may want to see values, which it says with warp_state.undefined. */
ALWAYS_INLINE void run(struct warp_state *s, const bool record, const bool watched)
{
    struct warp *w = &s->w;
    const struct uop *u = s->pc;
    s->run_start = run_start_at(u);
    for (;;) {
        lanemask executed = u->flags & UF_GUARDED ? guarded(s, u, record) : w->active;
        if (watched && __builtin_expect(s->undefined, 0)) {
            watch_values(s, u, executed);
            if (u->kind == UOP_LANE) { /* one by one */
                if (executed)
                    u->fn(w, u, executed);
                u++;
                continue;
            }
        }
        /* most uops are of these two kinds: they avoid the jump table of the other kinds */
        if (__builtin_expect(u->kind == UOP_LANE, 1)) {
            u = executed ? straight_line(w, u, executed) : u + 1;
            continue;
        }
        enum step step =
            u->kind == UOP_MEMORY ? handle_memory(s, u, executed, record) : handle_other(s, &u, executed, record);
        if (step == STEP_STOP)
            return;
        if (step == STEP_NEXT)
            u += u->flags & UF_TOGETHER ? 1 + s->also : 1;
    }
}

/* Checks for an interrupt between two turns of a warp, where no run is open. */
static bool interrupt(struct warp_state *s)
{
    const _Atomic bool *wanted = s->w.block->grid->interrupted;
    if (!wanted || !atomic_load_explicit(wanted, memory_order_relaxed))
        return false;
    block_fault(s, s->pc, RP_FAULT_INTERRUPTED, s->w.active ? (unsigned)__builtin_ctz(s->w.active) : 0,
                "somebody stopped the program, after %llu instruction%s of this warp", (unsigned long long)s->w.clock,
                rp_plural(s->w.clock));
    return true;
}

void warp_run(struct warp_state *s)
{
    const struct grid *g = s->w.block->grid;
    s->turn_end = s->stop_at = s->w.clock + g->quantum < g->limit ? s->w.clock + g->quantum : g->limit;
    if (s->independent)
        split_turn(s);
    if (s->w.block->program->polls)
        polling_turn(s);
    if (interrupt(s))
        return;
    const struct observer *o = s->w.block->observer;
    if (o && o->calls->values)
        run(s, s->w.log, true);
    else if (s->w.log)
        run(s, true, false);
    else
        run(s, false, false);
}
