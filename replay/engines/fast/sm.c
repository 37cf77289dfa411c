/* An SM of the fast engine: the loop over its events, and issue. */
#include <inttypes.h>

#include "replay/engines/fast/advance.h"
#include "replay/engines/fast/shared.h"

#define PAUSES_AHEAD 256u /* cycles after a pause for which it looks when blocks can leave */

/* The stall reason: what kept the warp from issuing in the cycle before this one, in which its sub-core issued nothing.
 * *level: the level of the response, if it was memory. */
HOT enum stall reason(const struct fast_sm *sm, const struct fast_subcore *sc, const struct fast_warp *w,
                      enum response_level *level)
{
    if (w->first_issue == sm->now)
        return STALL_DISPATCH;
    if (w->barrier_until == sm->now)
        return w->barrier == AT_OBJECT ? STALL_ASYNC : STALL_BARRIER;
    if (w->fetched == sm->now)
        return STALL_FETCH;
    if ((w->op->flags & OP_FENCE) && (w->op->flags & OP_BLOCK_FENCE ? w->ordered : w->memory_done) == sm->now)
        return STALL_FENCE;
    if ((w->op->flags & OP_GROUPS) && w->groups_done == sm->now)
        return STALL_ASYNC;
    if (w->control_until == sm->now)
        return w->signals ? STALL_CONTROL_WORD : STALL_CONTROL;
    enum stall awaited = w->signals ? fast_awaited_reason(sm, w, level) : STALL_COUNT;
    if (awaited != STALL_COUNT)
        return awaited;
    if (w->awaited >> PRODUCER_BITS == sm->now) {
        unsigned by = w->awaited & PRODUCER_MASK;
        *level = producer_level(by);
        return by >= PRODUCER_MEMORY ? STALL_MEMORY : by == PRODUCER_SHARED ? STALL_SHARED : STALL_SCOREBOARD;
    }
    return sc->accepts[w->unit] == sm->now || sc->refused >> w->slot & 1 ? STALL_UNIT : STALL_SCHEDULER;
}

/* Charges the cycle in which the warp issues, and the stall before it. Returns the stall. */
HOT struct engine_stall charge(const struct fast_sm *sm, struct fast_subcore *sc, const struct fast_warp *w,
                               uint64_t not_taken)
{
    struct engine_stall s = {.why = STALL_DISPATCH, .cycles = sm->now - sc->accounted};
    if (s.cycles) {
        s.why = reason(sm, sc, w, &s.level);
        w->part->statistics.stall[s.why] += s.cycles;
        if (s.why == STALL_UNIT)
            w->part->statistics.unit_stall[w->unit] += s.cycles;
    }
    sc->refused = not_taken;
    sc->accounted = sm->now + 1;
    w->part->statistics.issue_cycles++;
    return s;
}

/* A unit that the sub-core shares took an instruction: the others with it must wait, too. */
static __attribute__((noinline)) void tell_sharers(struct fast_sm *sm, const struct fast_subcore *sc, unsigned unit)
{
    const unsigned sharers = machine_unit_sharers(sm->chip->machine, unit), first = sc->number - sc->number % sharers;
    for (unsigned i = first; i < first + sharers; i++) {
        sm->subcores[i].accepts[unit] = sc->accepts[unit];
        sm->subcores[i].busy |= 1ull << unit;
    }
}

HOT uint64_t dispatch(struct fast_sm *sm, struct fast_subcore *sc, const struct fast_warp *w)
{
    struct pipelined *pipelined = sc->pipelined[w->unit];
    uint64_t at, accepts;
    if (pipelined) {
        at = pipelined_dispatch(pipelined, sm->now, w->initiation);
        accepts = pipelined_accepts(pipelined, sm->now);
    } else {
        const struct unit_model *unit = sm->chip->unit_models[w->unit];
        at = unit->dispatch(sc->units[w->unit], sm->now, w->initiation);
        accepts = unit->accepts(sc->units[w->unit], sm->now);
    }
    sc->accepts[w->unit] = accepts;
    if (accepts > sm->now) {
        sc->busy |= 1ull << w->unit;
        if (sc->shared_units >> w->unit & 1)
            tell_sharers(sm, sc, w->unit);
    }
    w->part->statistics.unit_busy[w->unit] += w->initiation;
    return at;
}

/* The slots whose next instruction the LSU would refuse now. */
HOT uint64_t refused(const struct fast_sm *sm, const struct fast_subcore *sc, uint64_t slots)
{
    uint64_t asked = slots & sc->caches; /* none on machines whose LSU never refuses */
    return asked && !sm_memory_accepts(sm->memory) ? asked : 0;
}

/* Notes when the accesses of the warp's instruction are performed for its block. */
static __attribute__((noinline)) void note_order(struct fast_sm *sm, struct fast_warp *w, uint64_t arrival,
                                                 uint64_t done)
{
    uint64_t at = !is_posted(w->part->grid->launch, &w->next) ? done : sm->chip->immediate ? arrival : sm->taken;
    if (sm->out_of_memory)
        return;
    if (at < UNKNOWN) {
        w->ordered = at > w->ordered ? at : w->ordered;
        return;
    }
    w->unordered++;
    sm->accesses[sm->token].unordered = true;
}

/* Not inline: with it issue would need more registers than there are. */
static __attribute__((noinline)) uint64_t access_shared(struct fast_sm *sm, const struct fast_warp *w,
                                                        uint64_t dispatched, uint64_t accepted)
{
    return shared_access(sm, w, dispatched, accepted);
}

/* Makes the accesses of the warp's next instruction. Returns when it is done, or UNKNOWN. */
HOT uint64_t access_memory(struct fast_sm *sm, struct fast_warp *w, uint64_t dispatched, uint64_t accepted)
{
    return w->op->flags & OP_SHARED ? access_shared(sm, w, dispatched, accepted)
                                    : fast_memory(sm, w, dispatched, accepted);
}

/* Executes the warp's next instruction, and does not advance the warp. Returns when it is done, or UNKNOWN. */
HOT uint64_t execute(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, uint64_t *dispatched)
{
    const struct op *op = w->op;
    *dispatched = dispatch(sm, sc, w);
    uint64_t done = *dispatched + w->initiation;
    if (w->next.executed)
        done = op->flags & OP_ACCESS ? access_memory(sm, w, *dispatched, done) : done + w->latency;
    w->scoreboard[op->destination] = done << PRODUCER_BITS | w->producer;
    if (op->flags & OP_MANY) {
        const uint32_t *number = w->part->grid->program.registers + op->registers;
        for (unsigned i = 1; i < op->destinations; i++)
            w->scoreboard[number[i]] = done << PRODUCER_BITS | w->producer;
    }
    uint64_t known = done;
    w->control_until = sm->now + 1;
    if (op->flags & OP_SPECIAL) {
        known = done < UNKNOWN ? done : 0;
        if (op->flags & OP_ACCESS)
            sc->caches &= ~(1ull << w->slot);
        if ((op->flags & OP_PLAIN) && w->next.executed)
            ++*part_counter(w->part, op->counter);
        if ((op->flags & (OP_ACCESS | OP_PLAIN)) && !(op->flags & OP_STARTS) && w->next.executed) {
            w->memory_done = known > w->memory_done ? known : w->memory_done;
            if (op->flags & OP_ORDERED)
                note_order(sm, w, op->flags & OP_ACCESS ? sm->arrival : *dispatched + w->initiation, done);
        }
        if (op->flags & OP_CONTROL)
            w->control_until = sm->now + (uint64_t)sm->chip->machine->control_interval;
        if ((op->flags & OP_BARRIER) && w->next.executed)
            fast_arrive(sm, w);
        if ((op->flags & OP_CLUSTER) && w->next.executed)
            fast_cluster_barrier(sm, w);
        if (op->flags & OP_EXIT)
            fast_exit(sm, w, w->next.executed);
    }
    w->completion = known > w->completion ? known : w->completion;
    return done;
}

/* The warp's instruction of this number has issued. It is done at `done` or, if that is UNKNOWN, when its access ends.
 */
static __attribute__((noinline)) void observe_done(struct fast_sm *sm, const struct fast_warp *w, uint64_t number,
                                                   uint64_t dispatched, uint64_t done)
{
    if (sm->out_of_memory)
        return;
    if (done == UNKNOWN) {
        sm->observed[sm->token] = (struct fast_observed){number, dispatched};
        return;
    }
    struct engine_location at = fast_location(sm, w);
    engine_report_done(sm->chip->job, &at, number, dispatched, done);
}

/* The warp's next instruction issues. s: the stall that it ends; NULL: it issues in the same cycle as the one before
 * it. */
HOT void observe_issue(const struct fast_sm *sm, const struct fast_warp *w, struct engine_stall *s)
{
    const struct engine_job *job = sm->chip->job;
    const struct engine_location at = fast_location(sm, w);
    if (s) {
        s->unit = w->unit;
        s->level = s->why == STALL_MEMORY ? s->level : RESPONSE_NONE;
        engine_report_stall(job, &at, &w->next, s, sm->now);
    }
    engine_report_issue(
        job, &at, &w->next,
        &(struct engine_issue){.number = w->issued, .initiation = w->initiation, .unit = w->unit, .second = !s},
        sm->now);
}

/* Executes an instruction with OP_EXTENDED, and advances the warp. *pair: the next instruction may issue with this one.
 */
HOT bool execute_extended(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, bool observed, bool *pair,
                          struct rp_error *err)
{
    const struct rp_instruction *in = w->next.instruction;
    unsigned unit = w->unit;
    bool acts = w->op->flags & OP_ACTS;
    uint64_t dispatched, done = execute(sm, sc, w, &dispatched);
    uint64_t number = w->issued;
    w->issued += observed;
    if (observed && sm->chip->observes_done)
        observe_done(sm, w, number, dispatched, done);
    if (acts)
        fast_act(sm, w, done);
    if (w->signals && !fast_apply_control_word(sm, sc, w, dispatched, done, err))
        return false;
    if (!advance(sm, w, err))
        return false;
    *pair = w->earliest <= sm->now && w->unit != unit && sc->accepts[w->unit] <= sm->now && !w->ended && !w->waiting &&
            !refused(sm, sc, 1ull << w->slot) &&
            (w->signals ? rp_control_pairs(in->control) : in->unit_class != RP_CLASS_CONTROL);
    return true;
}

/* Issues the second instruction of a pair. */
static bool issue_second(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, bool observed,
                         struct rp_error *err)
{
    bool third;
    wheel_remove(sc, w->slot, w->wake);
    w->part->statistics.dual_issues++;
    if (observed)
        observe_issue(sm, w, NULL);
    return execute_extended(sm, sc, w, observed, &third, err);
}

HOT bool issue_first(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, bool observed,
                     uint64_t not_taken, struct rp_error *err)
{
    bool pair;
    struct engine_stall stalled = charge(sm, sc, w, not_taken);
    if (observed)
        observe_issue(sm, w, &stalled);
    if (!execute_extended(sm, sc, w, observed, &pair, err))
        return false;
    return !pair || sm->chip->machine->issue_width == 1 || issue_second(sm, sc, w, observed, err);
}

static __attribute__((noinline)) bool issue_extended(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w,
                                                     uint64_t not_taken, struct rp_error *err)
{
    return issue_first(sm, sc, w, false, not_taken, err);
}

static __attribute__((noinline)) bool issue_observed(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w,
                                                     uint64_t not_taken, struct rp_error *err)
{
    return issue_first(sm, sc, w, true, not_taken, err);
}

HOT bool issue(struct fast_sm *sm, struct fast_subcore *sc, struct fast_warp *w, uint64_t not_taken,
               struct rp_error *err)
{
    sm->last_issue = sm->now;
    if (w->op->flags & OP_EXTENDED)
        return (w->op->flags & OP_OBSERVED ? issue_observed : issue_extended)(sm, sc, w, not_taken, err);
    uint64_t dispatched;
    charge(sm, sc, w, not_taken);
    execute(sm, sc, w, &dispatched);
    return advance(sm, w, err);
}

HOT int pick_of(const struct fast_sm *sm, const struct fast_subcore *sc, uint64_t candidates)
{
    return sc->gto ? gto_pick(sc->gto, candidates, false) : sm->chip->scheduler->pick(sc->scheduler, candidates);
}

/* The scheduler's choice. A warp that yields is a candidate only if there is no other. */
HOT int pick(const struct fast_sm *sm, const struct fast_subcore *sc, uint64_t candidates)
{
    uint64_t eager = sc->yielding && sc->yields_at == sm->now ? candidates & ~sc->yielding : candidates;
    int slot = eager ? pick_of(sm, sc, eager) : -1;
    return slot < 0 && eager != candidates ? pick_of(sm, sc, candidates) : slot;
}

/* Slots whose next instruction goes to a unit that does not accept it now. */
HOT uint64_t blocked(const struct fast_sm *sm, struct fast_subcore *sc)
{
    uint64_t slots = 0;
    for (uint64_t busy = sc->busy; busy; busy &= busy - 1) {
        unsigned unit = (unsigned)__builtin_ctzll(busy);
        if (sc->accepts[unit] <= sm->now)
            sc->busy &= ~(1ull << unit);
        else
            slots |= sc->uses[unit];
    }
    return slots;
}

/* Nothing issued: the next cycle in which an instruction may. Instructions that the LSU refused do not count: they wait
 * for the LSU. */
static uint64_t next_chance(const struct fast_sm *sm, const struct fast_subcore *sc, uint64_t not_taken)
{
    uint64_t next = wheel_next(sc, sm->now);
    for (uint64_t busy = sc->busy; busy; busy &= busy - 1) {
        unsigned unit = (unsigned)__builtin_ctzll(busy);
        if ((sc->ready & ~not_taken & sc->uses[unit]) && sc->accepts[unit] < next)
            next = sc->accepts[unit];
    }
    return next;
}

/* Not inline: the loops around it then keep what they need in registers. */
static __attribute__((noinline)) bool step(struct fast_sm *sm, unsigned index, struct rp_error *err)
{
    struct fast_subcore *sc = &sm->subcores[index];
    wheel_turn(sc, sm->now);
    uint64_t not_taken = refused(sm, sc, sc->ready), candidates = sc->ready & ~blocked(sm, sc) & ~not_taken;
    int slot = pick(sm, sc, candidates);
    if (slot < 0) {
        sc->refused = not_taken;
        sm->refused |= (uint32_t)(not_taken != 0) << index;
        sm->next[index] = next_chance(sm, sc, not_taken);
        return true;
    }
    if (slot >= SCHEDULER_SLOTS || !(candidates >> slot & 1))
        return rp_fail(err, RP_BAD_INPUT, "scheduler '%s' picked a warp that is not ready",
                       sm->chip->machine->scheduler.model->name);
    /* Before the warp issues, as that can only make it earlier: the processor need not wait for the warp's wake. */
    sc->ready &= ~(1ull << slot);
    sm->next[index] = sc->ready ? sm->now + 1 : wheel_next(sc, sm->now);
    return issue(sm, sc, sc->slots[slot], not_taken, err);
}

HOT void report(struct fast_sm *sm)
{
    struct fast_part *part = sm->part;
    if (!part || part->statistics.warp_instructions < part->report_at)
        return;
    uint64_t done = part->statistics.warp_instructions;
    const struct engine_job *job = sm->chip->job;
    job->progress(job->progress_data, done - part->reported);
    part->reported = done;
    part->report_at = done + PROGRESS_EVERY;
}

/* The next cycle in which something happens outside the sub-cores. */
HOT uint64_t next_outside(const struct fast_sm *sm)
{
    uint64_t next = sm->next_leave < sm->memory_next ? sm->next_leave : sm->memory_next;
    return sm->next_room < next ? sm->next_room : next;
}

/* The next cycle in which a sub-core must be looked at. */
HOT uint64_t next_inside(const struct fast_sm *sm)
{
    uint64_t next = NEVER;
    for (unsigned i = 0; i < sm->subcore_count; i += 4) {
        const uint64_t *of = sm->next + i;
        uint64_t a = of[0] < of[1] ? of[0] : of[1], b = of[2] < of[3] ? of[2] : of[3];
        a = a < b ? a : b;
        next = a < next ? a : next;
    }
    return next;
}

uint64_t fast_sm_next(const struct fast_sm *sm)
{
    uint64_t inside = next_inside(sm), outside = next_outside(sm);
    return inside < outside ? inside : outside;
}

HOT bool step_if_due(struct fast_sm *sm, unsigned index, struct rp_error *err)
{
    return sm->next[index] != sm->now || step(sm, index, err);
}

/* Steps all sub-cores in one cycle. Those that the SM does not have are never due. */
HOT bool cycle(struct fast_sm *sm, struct rp_error *err)
{
    for (unsigned i = 0; i < sm->subcore_count; i += 4)
        if (!step_if_due(sm, i, err) || !step_if_due(sm, i + 1, err) || !step_if_due(sm, i + 2, err) ||
            !step_if_due(sm, i + 3, err))
            return false;
    return true;
}

/* Steps the sub-cores from cycle to cycle, up to the next event outside of them. */
static bool run_subcores(struct fast_sm *sm, struct rp_error *err)
{
    const uint64_t other = next_outside(sm);
    sm->stop = sm->until < other ? sm->until : other;
    for (;;) {
        if (!cycle(sm, err))
            return false;
        uint64_t next = next_inside(sm);
        if (next >= sm->stop)
            return true;
        sm->now = next;
    }
}

/* The same for an SM with one sub-core, which is due. */
static bool run_single(struct fast_sm *sm, struct rp_error *err)
{
    const uint64_t other = next_outside(sm);
    sm->stop = sm->until < other ? sm->until : other;
    for (;;) {
        if (!step(sm, 0, err))
            return false;
        if (sm->next[0] >= sm->stop)
            return true;
        sm->now = sm->next[0];
    }
}

void fast_sm_leave(struct fast_sm *sm, uint64_t now)
{
    bool left = sm->next_leave == now;
    sm->now = now;
    if (left)
        fast_leave_blocks(sm);
    sm->paused = sm->pauses && (left || sm->next_room == now);
    sm->leaves_from = now;
    sm->next_room = sm->next_room == now ? NEVER : sm->next_room;
}

/* *next: the next cycle in which something happens. */
static bool run(struct fast_sm *sm, uint64_t *next, struct rp_error *err)
{
    if (sm->assigned_count && !fast_place_blocks(sm, err))
        return false;
    while ((*next = fast_sm_next(sm)) < sm->until) {
        if (sm->memory_next <= *next)
            fast_advance_memory(sm, *next);
        if (sm->next_leave == *next || sm->next_room == *next)
            fast_sm_leave(sm, *next);
        if (sm->paused)
            return true;
        sm->now = *next;
        if (sm->subcore_count == 1 && sm->next[0] == *next ? !run_single(sm, err) : !run_subcores(sm, err))
            return false;
        if (sm->out_of_memory)
            return rp_fail(err, RP_SYSTEM, "out of memory for the accesses of a launch");
        report(sm);
    }
    return true;
}

/* Other SMs may have got their blocks already, as this one was not to pause so early. */
static bool pause_was_foreseen(const struct fast_sm *sm, struct rp_error *err)
{
    return !sm->paused || sm->now >= sm->pauses_from ||
           rp_fail(err, RP_SYSTEM,
                   "SM %u: a block leaves in cycle %" PRIu64 ", and was not to leave before %" PRIu64
                   ". Please report this, and replay on one thread",
                   (unsigned)(sm - sm->chip->sms), sm->now, sm->pauses_from);
}

uint64_t fast_sm_run(struct fast_sm *sm, struct memo *memo)
{
    uint64_t next = NEVER;
    sm->memo = memo;
    if (sm->chip->crowded)
        fast_prefetch(sm);
    sm->failed = !run(sm, &next, &sm->error) || !pause_was_foreseen(sm, &sm->error);
    if (sm->paused && sm->chip->shared)
        sm->leaves_from = fast_leaves_from(sm, sm->now + PAUSES_AHEAD);
    return sm->failed ? sm->now : next;
}
