#include "frontend/guest/lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/guest/changes.h"
#include "frontend/guest/spins.h"

/* ---- counting ------------------------------------------------------------------------------------------------------
 */

void guest_settle(struct guest_warp *w)
{
    w->engine->add(w->apart, w->g.w.live, w->together);
    w->together = 0;
    for (unsigned l = 0; l < LANES; l++)
        w->apart[l] += w->recent[l];
    memset(w->recent, 0, sizeof w->recent);
}

/* The instructions before `end` are done. */
static void guest_end_run(struct guest_warp *w, uint32_t end)
{
    const uint32_t length = end - w->run_start, start = w->run_start;
    const lanemask active = w->g.w.active;
    w->run_start = end;
    if (!length)
        return;
    w->steps += length;
    if (active == w->g.w.live)
        w->together += length;
    else
        w->engine->add_few(w->recent, active, length);
    if (w->g.w.log)
        rp_log_run(w->g.w.log, start, length, active);
}

static void guest_log_variant(const struct guest_warp *w, uint32_t instruction, lanemask lanes)
{
    if (w->g.w.log)
        rp_log_run(w->g.w.log, instruction, 1, lanes);
}

/* An instruction that stands apart in the table has been executed by these lanes. */
static void guest_count_lanes(struct guest_warp *w, lanemask lanes)
{
    w->steps++;
    w->engine->add(w->apart, lanes, 1);
}

/* ---- splits --------------------------------------------------------------------------------------------------------
 */

static uint64_t guest_key(const struct guest_warp *w, uint32_t at, lanemask lanes)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const uint32_t depth = w->stack_top - lane * w->stack_pitch - w->stack_pointer[lane];
    return (uint64_t)depth << 32 | (uint32_t)~w->g.program->order[at];
}

/* Sets a key, which was less before or 0, or the slot was free. */
static void guest_set_key(struct guest_waiting *q, unsigned slot, uint64_t key)
{
    q->key[slot] = key;
    if (q->best == LANES ||
        (q->best != GUEST_UNKNOWN && (key > q->key[q->best] || (key == q->key[q->best] && slot < q->best))))
        q->best = slot;
}

/* The slot with the greatest key; LANES: all are 0. */
static unsigned guest_best(struct guest_warp *w)
{
    struct guest_waiting *q = &w->waiting;
    if (q->best != GUEST_UNKNOWN)
        return q->best;
    uint64_t most = 0;
    q->best = LANES;
    for (uint32_t m = q->used; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        const bool more = q->key[slot] > most;
        most = more ? q->key[slot] : most;
        q->best = more ? slot : q->best;
    }
    return q->best;
}

void guest_wait(struct guest_warp *w, uint32_t at, lanemask lanes)
{
    struct guest_waiting *q = &w->waiting;
    const bool same = q->slot_at[at];
    const unsigned slot = same ? q->slot_at[at] - 1u : (unsigned)__builtin_ctz(~q->used);
    if (!same) {
        guest_take_slot(q, slot, at);
        q->lanes[slot] = 0;
        q->since[slot] = w->steps;
        guest_set_key(q, slot, guest_key(w, at, lanes));
    } else if (q->spins >> slot & 1) {
        guest_set_key(q, slot, guest_key(w, at, lanes));
    }
    q->spins &= ~(1u << slot);
    q->lanes[slot] |= lanes;
}

static void guest_wait_at_barrier(struct guest_warp *w, uint32_t variant, uint32_t behind, lanemask lanes)
{
    struct guest_waiting *q = &w->waiting;
    const unsigned slot = (unsigned)__builtin_ctz(~q->used);
    q->used |= 1u << slot;
    q->barrier |= 1u << slot;
    q->unlogged |= 1u << slot;
    q->variant[slot] = variant;
    q->behind[slot] = behind;
    q->lanes[slot] = lanes;
}

/* Records the arrivals at the barrier that have not been recorded. */
static void guest_log_arrivals(struct guest_warp *w)
{
    struct guest_waiting *q = &w->waiting;
    for (uint32_t m = q->unlogged; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        guest_log_variant(w, q->variant[slot], q->lanes[slot]);
    }
    q->unlogged = 0;
}

/* A group's arrivals are recorded one behind the other, once all of its cores that live wait. To replay, a warp that
 * has come to a barrier waits, unless its next steps bring more of its lanes there. */
static void guest_log_complete_arrival(struct guest_warp *w)
{
    lanemask waiting = 0;
    for (uint32_t m = w->waiting.barrier; m; m &= m - 1)
        waiting |= w->waiting.lanes[__builtin_ctz(m)];
    if (waiting == w->g.w.live)
        guest_log_arrivals(w);
}

/* Somebody has stored: whoever spins looks again. False: nobody spins, or nobody has stored. */
static bool guest_end_spinning(struct guest_warp *w)
{
    struct guest_waiting *q = &w->waiting;
    const bool some = w->news && q->spins;
    for (uint32_t m = some ? q->spins : 0; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        guest_set_key(q, slot, guest_key(w, q->at[slot], q->lanes[slot]));
    }
    q->spins = some ? 0 : q->spins;
    w->news = false;
    return some;
}

/* From 0 to `most`. Turns and patience that are always as long could end again and again where another core holds a
 * lock. */
static uint32_t guest_random(uint32_t *state, uint32_t most)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes, 7.1: "ranqd1" */
    return (*state >> 16) % (most + 1);
}

/* The slot that has waited longest, if that is longer than patience allows; LANES: none has. */
static unsigned guest_longest(struct guest_warp *w, uint32_t patience)
{
    const struct guest_waiting *q = &w->waiting;
    uint64_t first = w->steps;
    unsigned longest = LANES;
    for (uint32_t m = q->used & ~q->barrier; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        if (q->since[slot] < first) {
            first = q->since[slot];
            longest = slot;
        }
    }
    w->overdue = first + patience + 1 + guest_random(&w->random, patience / 4);
    return w->steps - first > patience ? longest : LANES;
}

/* The slot that runs next: one that has waited too long, or the first by depth and address; LANES: all wait for the
 * barrier, or for others to store. */
static unsigned guest_choose(struct guest_warp *w, uint32_t patience)
{
    const unsigned longest = w->steps >= w->overdue ? guest_longest(w, patience) : LANES;
    return longest < LANES ? longest : guest_best(w);
}

/* Makes the best split the current one. UOP_NOWHERE: none can run. */
static uint32_t guest_next_split(struct guest_warp *w, uint32_t patience)
{
    struct guest_waiting *q = &w->waiting;
    guest_note_stores(w);
    unsigned slot = guest_choose(w, patience);
    if (slot == LANES && guest_end_spinning(w))
        slot = guest_choose(w, patience);
    if (slot == LANES) {
        w->g.w.active = 0;
        return UOP_NOWHERE;
    }
    const uint32_t at = q->at[slot];
    w->g.w.active = q->lanes[slot];
    w->run_start = w->g.program->uops[at].index;
    guest_watch_split(w, at, q->lanes[slot]);
    guest_free_slot(q, slot);
    return at;
}

/* The current split, at `at`, takes in those that wait there. */
static void guest_join(struct guest_warp *w, uint32_t at)
{
    const unsigned slot = w->waiting.slot_at[at] - 1u;
    w->g.w.active |= w->waiting.lanes[slot];
    guest_free_slot(&w->waiting, slot);
    guest_watch_joined(w);
}

/* Whether the current split, which is at `at`, goes on before all others. */
static inline __attribute__((always_inline)) bool guest_stays(struct guest_warp *w, uint32_t at)
{
    if (w->steps >= w->overdue)
        return false;
    const unsigned slot = guest_best(w);
    return slot == LANES || guest_key(w, at, w->g.w.active) > w->waiting.key[slot];
}

/* The current split takes in those that wait at `at`. If there are none: whether it goes on at once. */
static __attribute__((noinline)) bool guest_meets(struct guest_warp *w, uint32_t at, uint64_t end)
{
    const bool some = w->waiting.slot_at[at];
    if (some)
        guest_join(w, at);
    return !some && w->steps < end && guest_stays(w, at);
}

/* ---- faults --------------------------------------------------------------------------------------------------------
 */

struct guest_core *guest_core_at(struct guest_warp *w, const struct uop *u, unsigned lane)
{
    struct guest_core *c = guest_lane_core(&w->g, lane);
    c->pc = (uint32_t)w->g.program->instructions[u->index].pc;
    return c;
}

/* Without the bit that says the encoding. */
static uint32_t guest_plain_address(const struct guest_warp *w, uint32_t address)
{
    return address & ~(uint32_t)w->g.program->guest->isa->interworks;
}

void guest_trap(struct guest_warp *w, const struct uop *u)
{
    struct guest_core *c = guest_core_at(w, u, (unsigned)__builtin_ctz(guest_executed(w, u)));
    const struct rp_instruction *in = &w->g.program->instructions[u->index];
    w->g.failed = true;
    if (u->mode == GUEST_TRAP_OUTSIDE)
        guest_fault_access(w->g.machine, c, guest_plain_address(w, u->target), 2, GUEST_EXECUTE);
    else
        guest_fault(w->g.machine, c, "%s%s", in->text,
                    u->mode == GUEST_TRAP_DIVISION ? ": " GUEST_BAD_DIVISION
                    : u->mode == GUEST_TRAP_STOP   ? " (" GUEST_STOPS ")"
                                                   : "");
}

/* ---- transfers of control ------------------------------------------------------------------------------------------
 */

/* A register leads to where the program has no instruction. */
static void guest_bad_jump(struct guest_warp *w, const struct guest_core *c, uint32_t address)
{
    const struct guest *g = w->g.program->guest;
    uint8_t byte;
    if (guest_memory_read(&w->g.machine->memory, address, 1, GUEST_EXECUTE, &byte))
        guest_fault(w->g.machine, c, "jump to 0x%" PRIx32 ", where lock step has found no code: %s", address,
                    g->symbol_count ? "it is data, or within an instruction (--engine reference tries to execute it)"
                                    : "the file has no symbols; link it without -s, or take --engine reference");
    else
        guest_fault_access(w->g.machine, c, address, 2, GUEST_EXECUTE);
}

/* Where the code at an address in a register begins; UOP_NOWHERE: nowhere, and the run has failed. */
static uint32_t guest_jump_target(struct guest_warp *w, const struct uop *u, unsigned lane)
{
    const struct guest_isa *isa = w->g.program->guest->isa;
    const uint32_t ignored = isa->interworks ? 0 : isa->alignment - 1u;
    const uint32_t address = lane_u32(&w->g.w, u->a, lane) & ~ignored, at = guest_uop_at(w->g.program, address);
    if (at == UOP_NOWHERE) {
        w->g.failed = true;
        guest_bad_jump(w, guest_core_at(w, u, lane), guest_plain_address(w, address));
    }
    return at;
}

/* Each of these lanes goes to the address in a register. Where all lanes of the split go, if they go to one place where
 * nobody waits; else UOP_NOWHERE, and they wait at theirs. */
static uint32_t guest_jump(struct guest_warp *w, const struct uop *u, lanemask lanes)
{
    const uint32_t *to = operand_at(&w->g.w, u->a);
    for (lanemask m = lanes; m;) {
        const unsigned first = (unsigned)__builtin_ctz(m);
        const lanemask same = m & w->engine->find(to, to[first]);
        const uint32_t at = guest_jump_target(w, u, first);
        if (at == UOP_NOWHERE)
            break;
        if (same == w->g.w.active && !w->waiting.slot_at[at])
            return at;
        guest_wait(w, at, same);
        m &= ~same;
    }
    return UOP_NOWHERE;
}

uint32_t guest_transfer(struct guest_warp *w, const struct guest_engine *e, const struct uop *u)
{
    uint32_t next = (uint32_t)(u - w->g.program->uops) + 1;
    const lanemask active = w->g.w.active;
    lanemask taken = guest_executed(w, u);
    if (u->kind == UOP_BRANCH_TABLE) {
        if (!taken)
            return next;
        if (taken != active)
            guest_wait(w, next, active & ~taken);
        return guest_jump(w, u, taken);
    }
    taken = w->branch == u ? w->taken : guest_taken(w, e, u);
    w->branch = NULL;
    if (taken == active)
        return u->target;
    next = u->reconverge == UOP_NOWHERE ? next : u->reconverge;
    if (!taken)
        return next;
    guest_wait(w, u->target, taken);
    guest_wait(w, next, active & ~taken);
    return UOP_NOWHERE;
}

/* ---- environment calls ---------------------------------------------------------------------------------------------
 */

void guest_registers_out(struct guest_warp *w, unsigned lane, struct guest_core *c)
{
    for (unsigned r = 0; r < w->g.program->guest->isa->registers; r++)
        c->registers[r] = lane_u32(&w->g.w, GUEST_REGISTER(r), lane);
    c->retired = w->apart[lane];
}

static void guest_set_register(struct guest_warp *w, unsigned r, unsigned lane, uint32_t value)
{
    ((uint32_t *)register_at(&w->g.w, GUEST_REGISTER(r)))[lane] = value;
}

/* The calls of the active lanes, in ascending order; *barrier and *ended: the lanes that wait or have exited. */
static void guest_calls(struct guest_warp *w, const struct uop *u, lanemask *barrier, lanemask *ended)
{
    const struct guest_isa *isa = w->g.program->guest->isa;
    *barrier = *ended = 0;
    for (lanemask m = guest_executed(w, u); m && !w->g.failed && !w->g.machine->ended; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        struct guest_core *c = guest_core_at(w, u, l);
        guest_registers_out(w, l, c);
        if (!isa->call(w->g.machine, c)) {
            w->g.failed = true;
            return;
        }
        guest_set_register(w, isa->result, l, c->registers[isa->result]);
        *barrier |= (lanemask)(c->status == GUEST_AT_BARRIER) << l;
        *ended |= (lanemask)(c->status == GUEST_EXITED) << l;
    }
}

void guest_environment_call(struct guest_warp *w, const struct uop *u)
{
    const uint32_t next = (uint32_t)(u - w->g.program->uops) + 1, variant = w->g.program->variants[u->index];
    const lanemask active = w->g.w.active;
    lanemask barrier, ended;
    w->changed = true;
    guest_end_run(w, u->index);
    guest_settle(w);
    guest_calls(w, u, &barrier, &ended);
    if (w->g.failed)
        return;
    const lanemask go_on = active & ~barrier & ~ended;
    if (go_on) {
        guest_count_lanes(w, go_on);
        guest_log_variant(w, u->index, go_on);
        guest_wait(w, next, go_on);
    }
    if (barrier) {
        guest_count_lanes(w, barrier);
        guest_wait_at_barrier(w, variant, next, barrier);
    }
    if (ended) {
        guest_count_lanes(w, ended);
        guest_log_variant(w, variant + 1, ended);
    }
    w->g.w.live &= ~ended;
    guest_log_complete_arrival(w);
}

/* ---- the loop ------------------------------------------------------------------------------------------------------
 */

static void guest_over_limit(struct guest_warp *w, const struct guest_engine *e, uint32_t at)
{
    guest_settle(w);
    const unsigned lane = (unsigned)__builtin_ctz(w->g.w.active);
    if (!e->options.limit || w->apart[lane] < e->options.limit)
        return;
    w->g.failed = true;
    guest_fault(w->g.machine, guest_core_at(w, &w->g.program->uops[at], lane),
                "endless loop? The core has executed %" PRIu64 " instructions, the limit is %" PRIu64
                " (--limit gives more)",
                w->apart[lane], e->options.limit);
}

/* False: an access has failed. */
static inline bool guest_execute(struct guest_warp *w, const struct uop *u)
{
    const lanemask executed = guest_executed(w, u);
    if (executed)
        u->fn(&w->g.w, u, executed);
    return u->kind != UOP_MEMORY || !w->g.failed;
}

/* Executes uops that all lanes of the split execute. Returns the first other one, or an access that has failed. */
static inline const struct uop *guest_execute_plain(struct guest_warp *w, const struct uop *u)
{
    const lanemask active = w->g.w.active;
    for (; u->flags & UF_PLAIN; u++) {
        __builtin_prefetch(u + 8); /* code that is executed once a loop does not stay in the first-level cache */
        u->fn(&w->g.w, u, active);
        if (w->g.failed)
            break;
    }
    return u;
}

/* Executes uops of lanes and accesses. Returns the first other one, or an access that has failed. */
static inline const struct uop *guest_execute_line(struct guest_warp *w, const struct uop *u)
{
    u = guest_execute_plain(w, u);
    while (u->kind <= UOP_MEMORY && !w->g.failed && guest_execute(w, u))
        u = guest_execute_plain(w, u + 1);
    return u;
}

/* Where all lanes go on behind a uop of another kind, if they go on at one place further down and nothing else is to be
 * done; else NULL, and guest_transfer need not compare again. */
static const struct uop *guest_way_on(struct guest_warp *w, const struct guest_engine *e, const struct uop *u)
{
    const struct uop *uops = w->g.program->uops, *to = u + 1;
    if (u->kind == UOP_FENCE || (u->kind == UOP_TRAP && !guest_executed(w, u)))
        return to;
    if (u->kind != UOP_BRANCH)
        return NULL;
    const lanemask taken = guest_taken(w, e, u);
    if (taken == w->g.w.active)
        to = &uops[u->target];
    else if (u->reconverge != UOP_NOWHERE)
        to = &uops[u->reconverge];
    if ((!taken || taken == w->g.w.active) && to > u)
        return to;
    w->branch = u;
    w->taken = taken;
    return NULL;
}

/* Goes there, unless the turn is over: a run of instructions that goes on need not end. */
static const struct uop *guest_pass(struct guest_warp *w, const struct guest_engine *e, const struct uop *u,
                                    uint64_t end)
{
    const struct uop *to = w->steps + (u->index + 1 - w->run_start) < end ? guest_way_on(w, e, u) : NULL;
    if (to && u->kind == UOP_BRANCH && to->index != u->index + 1) {
        guest_end_run(w, u->index + 1);
        w->run_start = to->index;
    }
    if (to != u + 1)
        w->g.in_place = 0;
    return to;
}

/* Executes uops of a split from `at` on to one of another kind, or to one where another split waits or the order lets
 * it wait: *meets. Returns where it stands. */
static __attribute__((noinline)) uint32_t guest_line_of_split(struct guest_warp *w, uint32_t at, bool *meets)
{
    const struct uop *uops = w->g.program->uops, *u = uops + at;
    const uint8_t *slot_at = w->waiting.slot_at;
    const bool *waits = w->g.program->waits;
    while (u->kind <= UOP_MEMORY && !*meets && guest_execute(w, u)) {
        u++;
        *meets = slot_at[u - uops] | waits[u - uops];
    }
    return (uint32_t)(u - uops);
}

/* The same, of all cores that live, to one that guest_pass() does not pass. */
static uint32_t guest_straight_line(struct guest_warp *w, const struct guest_engine *e, uint32_t at, uint64_t end,
                                    bool *meets)
{
    const struct uop *uops = w->g.program->uops, *u = uops + at;
    w->g.in_place = 0;
    *meets = false;
    if (w->waiting.used)
        return guest_line_of_split(w, at, meets);
    for (const struct uop *to = u; to; to = w->g.failed ? NULL : guest_pass(w, e, u, end))
        u = guest_execute_line(w, to);
    return (uint32_t)(u - uops);
}

/* Carries out what ended the straight line at `at`. Returns where the current split goes on; UOP_NOWHERE: its lanes
 * wait at their places. */
static uint32_t guest_step_over(struct guest_warp *w, const struct guest_engine *e, uint32_t at)
{
    const struct uop *u = &w->g.program->uops[at];
    uint32_t to = at + 1;
    switch (u->kind) {
    case UOP_FENCE: guest_end_run(w, u->index + 1); return to;
    case UOP_BRANCH:
    case UOP_BRANCH_TABLE:
        guest_end_run(w, u->index + 1);
        to = guest_transfer(w, e, u);
        break;
    case UOP_HOST_CALL: guest_environment_call(w, u); return UOP_NOWHERE;
    default:
        guest_end_run(w, u->index + (u->flags & UF_GUARDED ? 1 : 0)); /* the trace has its guard */
        if (!guest_executed(w, u))
            return to;
        guest_trap(w, u);
        return UOP_NOWHERE;
    }
    if (to != UOP_NOWHERE)
        w->run_start = w->g.program->uops[to].index;
    return to;
}

/* The current split waits at `at`, as it spins, or for another to run first. */
static void guest_give_way(struct guest_warp *w, uint32_t at, bool spins)
{
    struct guest_waiting *q = &w->waiting;
    guest_wait(w, at, w->g.w.active);
    const unsigned slot = q->slot_at[at] - 1u;
    if (!spins || q->lanes[slot] != w->g.w.active)
        return;
    q->spins |= 1u << slot;
    w->spin.spinners |= w->g.w.active;
    q->key[slot] = 0;
    q->best = q->best == slot ? GUEST_UNKNOWN : q->best;
}

/* Instructions of a group until its turn is over: `length`, or fewer if a core comes to the limit before. A core
 * executes at most as many as its group. */
static uint64_t guest_turn_length(struct guest_warp *w, uint64_t length, uint64_t limit)
{
    uint64_t most = 0;
    if (!limit || w->steps + length <= limit)
        return length;
    guest_settle(w);
    for (unsigned l = 0; l < LANES; l++)
        most = w->g.w.live >> l & 1 && w->apart[l] > most ? w->apart[l] : most;
    return most + length <= limit ? length : most < limit ? limit - most : 1;
}

/* Runs a group for a turn. */
static void guest_turn_of_group(struct guest_engine *e, struct guest_warp *w)
{
    const uint64_t end = w->steps + guest_turn_length(w, e->turn, e->options.limit);
    const uint32_t patience = e->options.patience;
    w->news = true; /* other groups may have stored */
    w->changed = false;
    guest_settle(w); /* a turn adds few to `recent` */
    uint32_t at = guest_next_split(w, patience);
    while (at != UOP_NOWHERE && !w->g.failed && !e->machine->ended) {
        bool spins = false, meets;
        at = guest_straight_line(w, e, at, end, &meets);
        if (w->g.failed) {
            guest_log_rest(&w->g, &w->g.program->uops[at]);
            guest_end_run(w, w->g.program->uops[at].index + 1); /* the trace has its addresses */
            return;
        }
        if (meets) {
            guest_end_run(w, w->g.program->uops[at].index);
            if (guest_meets(w, at, end))
                continue;
        } else {
            const uint32_t from = at;
            at = guest_step_over(w, e, at);
            spins = at <= from && guest_spins(w, at);
            if (at != UOP_NOWHERE && !spins && w->steps < end && (!w->waiting.used || guest_stays(w, at)))
                continue;
        }
        if (at != UOP_NOWHERE && w->steps >= end) {
            guest_over_limit(w, e, at);
            guest_give_way(w, at, false);
            w->changed = true;
            return;
        }
        if (at != UOP_NOWHERE)
            guest_give_way(w, at, spins);
        at = guest_next_split(w, patience);
    }
}

/* ---- all groups ----------------------------------------------------------------------------------------------------
 */

static void guest_leave_barrier(struct guest_warp *w)
{
    struct guest_waiting *q = &w->waiting;
    for (uint32_t m = q->barrier; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        const lanemask lanes = q->lanes[slot];
        guest_free_slot(q, slot);
        guest_wait(w, q->behind[slot], lanes);
    }
}

bool guest_open_barrier(struct guest_engine *e)
{
    if (!guest_release_barrier(e->machine))
        return false;
    for (uint32_t i = 0; i < e->group_count; i++)
        guest_leave_barrier(&e->groups[i]);
    return true;
}

static bool guest_can_run(const struct guest_warp *w) { return w->waiting.used & ~w->waiting.barrier; }

static void guest_start_group(struct guest_engine *e, uint32_t i)
{
    struct guest_warp *w = &e->groups[i];
    const uint32_t first = i * LANES, cores = e->machine->cores - first;
    w->engine = e;
    w->g.machine = e->machine;
    w->g.program = e->program;
    w->g.changes = &e->changes[i];
    w->g.first = w->random = first;
    guest_set_stacks(&w->g.stacks, &e->machine->memory, first);
    w->g.w.live = cores < LANES ? (1u << cores) - 1 : ~(lanemask)0;
    warp_set_window(&w->g.w, e->windows + (size_t)i * GUEST_WINDOW_BYTES);
    warp_set_constants(&w->g.w, e->program->constants);
    w->stack_pointer = register_at(&w->g.w, GUEST_REGISTER(e->program->guest->isa->stack_pointer));
    w->stack_top = guest_stack_top(&e->machine->memory, first);
    w->stack_pitch = e->machine->memory.stack_pitch;
    for (unsigned l = 0; l < LANES && l < cores; l++)
        for (unsigned r = 0; r < e->program->guest->isa->registers; r++)
            guest_set_register(w, r, l, e->machine->core[first + l].registers[r]);
    memset(w->waiting.at, 0xff, sizeof w->waiting.at);
    w->waiting.best = LANES;
    w->waiting.slot_at = e->slot_at + (size_t)i * (e->program->uop_count + 1);
    guest_wait(w, e->program->entry, w->g.w.live);
}

bool guest_engine_open(struct guest_engine *e, struct guest_machine *m, const struct guest_program *p,
                       const struct guest_run_options *o)
{
    *e = (struct guest_engine){.machine = m, .program = p, .options = *o};
    e->options.patience = o->patience ? o->patience : GUEST_PATIENCE;
    e->group_count = (m->cores + LANES - 1) / LANES;
    e->groups = aligned_alloc(64, e->group_count * sizeof *e->groups);
    e->windows = aligned_alloc(64, (size_t)e->group_count * GUEST_WINDOW_BYTES);
    e->slot_at = calloc(e->group_count, p->uop_count + 1);
    e->changes = aligned_alloc(64, e->group_count * sizeof *e->changes);
    if (!e->groups || !e->windows || !e->slot_at || !e->changes)
        return rp_fail(m->err, RP_SYSTEM, "out of memory");
    memset(e->groups, 0, e->group_count * sizeof *e->groups);
    memset(e->windows, 0, (size_t)e->group_count * GUEST_WINDOW_BYTES);
    for (uint32_t i = 0; i < e->group_count; i++)
        e->changes[i].count = 0;
    e->find = SIMD_SELECT(guest_find);
    e->add_few = SIMD_SELECT(guest_add_few);
    e->add = SIMD_SELECT(guest_add);
    for (unsigned c = 0; c <= CMP_HS; c++)
        e->compare[c] = SIMD_SELECT(guest_compare)(c);
    for (uint32_t i = 0; i < e->group_count; i++)
        guest_start_group(e, i);
    return true;
}

void guest_engine_close(struct guest_engine *e)
{
    free(e->groups);
    free(e->windows);
    free(e->slot_at);
    free(e->changes);
}

/* All cores that could run spin, and nobody has stored since they began to. */
static void guest_wait_for_ever(struct guest_engine *e)
{
    for (uint32_t i = 0; i < e->group_count; i++) {
        struct guest_warp *w = &e->groups[i];
        if (!guest_can_run(w))
            continue;
        const unsigned slot = (unsigned)__builtin_ctz(w->waiting.used & ~w->waiting.barrier);
        const struct uop *u = &w->g.program->uops[w->waiting.at[slot]];
        guest_fault(e->machine, guest_core_at(w, u, (unsigned)__builtin_ctz(w->waiting.lanes[slot])),
                    "waits for ever: it repeats the same instructions, and no core stores anything");
        return;
    }
}

/* Each group takes a turn. *some: there is more to do. *changed: somebody stored, made a call, or ran to the end of its
 * turn. False: the trace could not be written. */
static bool guest_round(struct guest_engine *e, bool *some, bool *changed)
{
    *some = *changed = false;
    /* Shorter in one round of eight, for all groups: what they record is alike then, and takes less time. */
    const uint32_t less = guest_random(&e->random, GUEST_QUANTUM - 1);
    e->turn = GUEST_QUANTUM - (less < GUEST_QUANTUM / 8 ? less : 0);
    for (uint32_t i = 0; i < e->group_count && !e->machine->failed && !e->machine->ended; i++) {
        struct guest_warp *w = &e->groups[i];
        guest_turn_of_group(e, w);
        guest_note_stores(w);
        *some |= guest_can_run(w);
        *changed |= w->changed;
        if (!guest_recorder_flush(&e->recorder, e->machine->err))
            return false;
    }
    return guest_recorder_flush_turn(&e->recorder, e->machine->err);
}

static bool guest_take_turns(struct guest_engine *e)
{
    for (bool some = true, changed; some && !e->machine->failed && !e->machine->ended;) {
        if (!guest_round(e, &some, &changed) || guest_interrupted(e->machine))
            return false;
        if (guest_open_barrier(e))
            some = true;
        else if (some && !changed && !e->machine->failed && !e->machine->ended)
            guest_wait_for_ever(e);
    }
    return !e->machine->failed;
}

/* What the cores have come to. */
static void guest_collect(struct guest_engine *e, struct guest_run_result *result)
{
    *result = (struct guest_run_result){0};
    for (uint32_t i = 0; i < e->group_count; i++) {
        struct guest_warp *w = &e->groups[i];
        guest_settle(w);
        guest_log_arrivals(w); /* of a run that ended early */
        result->steps += w->steps;
        result->most_steps = w->steps > result->most_steps ? w->steps : result->most_steps;
        for (unsigned l = 0; l < LANES && w->g.first + l < e->machine->cores; l++) {
            guest_registers_out(w, l, guest_lane_core(&w->g, l));
            result->instructions += w->apart[l];
        }
    }
}

static void guest_set_logs(struct guest_engine *e)
{
    for (uint32_t i = 0; i < e->group_count; i++)
        e->groups[i].g.w.log = guest_recorder_log(&e->recorder, i);
}

bool guest_run_lockstep(struct guest_machine *m, const struct guest_program *p, const struct guest_run_options *o,
                        struct guest_run_result *result)
{
    struct guest_engine e;
    bool ok = guest_engine_open(&e, m, p, o) && guest_recorder_begin(&e.recorder, p, m, o);
    if (ok) {
        guest_set_logs(&e);
        ok = guest_take_turns(&e);
        guest_collect(&e, result);
    }
    ok = guest_recorder_end(&e.recorder, ok, m->err) && ok;
    guest_engine_close(&e);
    return ok;
}
