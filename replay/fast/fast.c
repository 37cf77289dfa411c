/* The fast engine: the loop over events, and issue. */
#include "hw-models/unit/pipelined.h"
#include "replay/fast/advance.h"

#include <stdlib.h>
#include <string.h>

/* What kept the warp from issuing in the cycle before this one, in which its sub-core issued nothing. */
static enum stall reason(const struct fast *f, const struct fast_subcore *sc, const struct fast_warp *w)
{
    if (w->first_issue == f->now)
        return STALL_DISPATCH;
    if (w->barrier_until == f->now)
        return STALL_BARRIER;
    if (w->fetched == f->now)
        return STALL_FETCH;
    if ((w->op->flags & OP_FENCE) && w->memory_done == f->now)
        return STALL_FENCE;
    if (w->control_until == f->now)
        return f->control_words ? STALL_CONTROL_WORD : STALL_CONTROL;
    enum stall awaited = f->control_words ? fast_awaited_reason(f, w) : STALL_COUNT;
    if (awaited != STALL_COUNT)
        return awaited;
    uint64_t entry = registers_free(f, w);
    if (entry >> PRODUCER_BITS == f->now) {
        enum producer by = entry & PRODUCER_MASK;
        return by == PRODUCER_MEMORY ? STALL_MEMORY : by == PRODUCER_SHARED ? STALL_SHARED : STALL_SCOREBOARD;
    }
    return sc->accepts[w->unit] == f->now ? STALL_UNIT : STALL_SCHEDULER;
}

HOT void charge(struct fast *f, struct fast_subcore *sc, const struct fast_warp *w)
{
    uint64_t gap = f->now - sc->accounted;
    if (gap)
        f->statistics->stall[reason(f, sc, w)] += gap;
    sc->accounted = f->now + 1;
    f->statistics->issue_cycles++;
}

HOT uint64_t dispatch(struct fast *f, struct fast_subcore *sc, const struct fast_warp *w)
{
    const struct unit_model *unit = f->unit_models[w->unit];
    void *state = sc->units[w->unit];
    uint64_t at, accepts;
    if (unit == &unit_pipelined) {
        at = pipelined_dispatch(state, f->now, w->initiation);
        accepts = pipelined_accepts(state, f->now);
    } else {
        at = unit->dispatch(state, f->now, w->initiation);
        accepts = unit->accepts(state, f->now);
    }
    sc->accepts[w->unit] = accepts;
    if (accepts > f->now)
        sc->busy |= 1ull << w->unit;
    f->statistics->unit_busy[w->unit] += w->initiation;
    return at;
}

/* Carries out the warp's next instruction, but for moving the warp on. Returns when it is done. */
HOT uint64_t execute(struct fast *f, struct fast_subcore *sc, struct fast_warp *w, uint64_t *dispatched)
{
    const struct op *op = w->op;
    *dispatched = dispatch(f, sc, w);
    uint64_t done = *dispatched + w->initiation;
    if (w->next.executed) {
        if (op->flags & OP_ACCESS)
            done = fast_memory(f, w, *dispatched, done);
        done += w->latency;
    }
    w->scoreboard[op->destination] = done << PRODUCER_BITS | w->producer;
    if (op->flags & OP_MANY) {
        const uint32_t *number = f->program.registers + op->registers;
        for (unsigned i = 1; i < op->destinations; i++)
            w->scoreboard[number[i]] = done << PRODUCER_BITS | w->producer;
    }
    w->completion = done > w->completion ? done : w->completion;
    w->control_until = f->now + 1;
    if (op->flags & OP_SPECIAL) {
        if ((op->flags & OP_PLAIN) && w->next.executed) {
            ++*op->counter[0];
            ++*op->counter[1];
        }
        if ((op->flags & (OP_ACCESS | OP_PLAIN)) && w->next.executed && done > w->memory_done)
            w->memory_done = done;
        if (op->flags & OP_CONTROL)
            w->control_until = f->now + (uint64_t)f->machine->control_interval;
        if ((op->flags & OP_BARRIER) && w->next.executed)
            fast_arrive(f, w);
    }
    return done;
}

/* The same on machines with more than the scoreboard and one issue per cycle, and moves the warp on. *pair: the next
 * instruction may issue with this one. */
static bool execute_extended(struct fast *f, struct fast_subcore *sc, struct fast_warp *w, bool *pair,
                             struct rp_error *err)
{
    const struct rp_instruction *in = w->next.instruction;
    unsigned unit = w->unit;
    uint64_t dispatched, done = execute(f, sc, w, &dispatched);
    if (f->control_words && !fast_obey(f, sc, w, dispatched, done, err))
        return false;
    if (!advance(f, w, err))
        return false;
    *pair = w->earliest <= f->now && w->unit != unit && sc->accepts[w->unit] <= f->now && !w->ended && !w->waiting &&
            (f->control_words ? rp_control_pairs(in->control) : in->unit_class != RP_CLASS_CONTROL);
    return true;
}

static bool issue_extended(struct fast *f, struct fast_subcore *sc, struct fast_warp *w, struct rp_error *err)
{
    bool pair, third;
    if (!execute_extended(f, sc, w, &pair, err))
        return false;
    if (!pair || f->machine->issue_width == 1)
        return true;
    wheel_remove(sc, w->slot, w->wake);
    f->statistics->dual_issues++;
    return execute_extended(f, sc, w, &third, err);
}

HOT bool issue(struct fast *f, struct fast_subcore *sc, struct fast_warp *w, struct rp_error *err)
{
    charge(f, sc, w);
    f->last_issue = f->now;
    sc->ready &= ~(1ull << w->slot);
    if (w->op->flags & OP_EXTENDED)
        return issue_extended(f, sc, w, err);
    uint64_t dispatched;
    execute(f, sc, w, &dispatched);
    return advance(f, w, err);
}

/* The scheduler's choice. A warp that yields is offered only if there is no other. */
HOT int pick(const struct fast *f, const struct fast_subcore *sc, uint64_t candidates)
{
    uint64_t eager = sc->yielding && sc->yields_at == f->now ? candidates & ~sc->yielding : candidates;
    int slot = eager ? f->scheduler->pick(sc->scheduler, eager) : -1;
    return slot < 0 && eager != candidates ? f->scheduler->pick(sc->scheduler, candidates) : slot;
}

/* Slots whose next instruction's unit does not accept it now. */
HOT uint64_t blocked(struct fast *f, struct fast_subcore *sc)
{
    uint64_t slots = 0;
    for (uint64_t busy = sc->busy; busy; busy &= busy - 1) {
        unsigned unit = (unsigned)__builtin_ctzll(busy);
        if (sc->accepts[unit] <= f->now)
            sc->busy &= ~(1ull << unit);
        else
            slots |= sc->uses[unit];
    }
    return slots;
}

/* Nothing issued: the next cycle in which that may change by itself. */
static uint64_t next_chance(const struct fast *f, const struct fast_subcore *sc)
{
    uint64_t next = wheel_next(sc, f->now);
    for (uint64_t busy = sc->busy; busy; busy &= busy - 1) {
        unsigned unit = (unsigned)__builtin_ctzll(busy);
        if ((sc->ready & sc->uses[unit]) && sc->accepts[unit] < next)
            next = sc->accepts[unit];
    }
    return next;
}

HOT bool step(struct fast *f, unsigned index, struct rp_error *err)
{
    struct fast_subcore *sc = &f->subcores[index];
    wheel_turn(sc, f->now);
    uint64_t candidates = sc->ready & ~blocked(f, sc);
    int slot = pick(f, sc, candidates);
    if (slot < 0) {
        f->next[index] = next_chance(f, sc);
        return true;
    }
    if (slot >= SCHEDULER_SLOTS || !(candidates >> slot & 1))
        return rp_fail(err, RP_BAD_INPUT, "scheduler '%s' picked a warp that is not ready",
                       f->machine->scheduler.model->name);
    bool fine = issue(f, sc, sc->slots[slot], err);
    f->next[index] = sc->ready ? f->now + 1 : wheel_next(sc, f->now);
    return fine;
}

static inline uint64_t next_event(const struct fast *f)
{
    uint64_t next = f->next_leave;
    for (unsigned i = 0; i < f->subcore_count; i++)
        next = f->next[i] < next ? f->next[i] : next;
    return next;
}

HOT void report(struct fast *f)
{
    uint64_t done = f->statistics->warp_instructions;
    if (done < f->report_at)
        return;
    f->job->progress(f->job->progress_data, done - f->reported);
    f->reported = done;
    f->report_at = done + PROGRESS_EVERY;
}

/* All sub-cores in one cycle. */
static bool cycle(struct fast *f, struct rp_error *err)
{
    for (unsigned i = 0; i < f->subcore_count; i++)
        if (f->next[i] == f->now && !step(f, i, err))
            return false;
    return true;
}

/* The same for a machine with one sub-core, up to the next time that a block leaves. */
static bool run_single(struct fast *f, struct rp_error *err)
{
    for (;;) {
        if (!step(f, 0, err))
            return false;
        report(f);
        if (f->next[0] >= f->next_leave)
            return true;
        f->now = f->next[0];
    }
}

static bool run(struct fast *f, struct rp_error *err)
{
    f->next_leave = 0; /* the first blocks are placed as if some had left */
    for (;;) {
        uint64_t next = next_event(f);
        if (next == NEVER) {
            if (!fast_stuck(f, err))
                return false;
            continue;
        }
        f->now = next;
        if (f->next_leave == next) {
            fast_leave_blocks(f);
            if (!fast_place_blocks(f, err))
                return false;
            if (!f->resident_blocks)
                return true;
        }
        if (f->subcore_count == 1 && f->next[0] == next ? !run_single(f, err) : !cycle(f, err))
            return false;
        report(f);
    }
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

static bool begin_sm(struct fast *f, unsigned s)
{
    struct fast_sm *sm = &f->sms[s];
    size_t warps = (size_t)f->block_places * (size_t)f->block_room.warps, registers = f->program.register_count;
    room_of_sm(f->machine, &sm->left);
    sm->blocks = calloc(f->block_places, sizeof *sm->blocks);
    sm->warps = calloc(warps, sizeof *sm->warps);
    sm->scoreboards = calloc(warps * registers + 1, sizeof *sm->scoreboards);
    if (!sm->blocks || !sm->warps || !sm->scoreboards)
        return false;
    if (f->control_words && !(sm->signals = calloc(warps, sizeof *sm->signals)))
        return false;
    for (size_t w = 0; w < warps; w++) {
        sm->warps[w].scoreboard = sm->scoreboards + w * registers;
        sm->warps[w].signals = f->control_words ? &sm->signals[w] : NULL;
    }
    return true;
}

static bool begin_subcore(struct fast *f, unsigned index)
{
    const struct machine *m = f->machine;
    struct fast_subcore *sc = &f->subcores[index];
    f->next[index] = NEVER;
    sc->far_first = NEVER;
    sc->sm = (uint16_t)(index / m->subcores);
    sc->number = (uint16_t)(index % m->subcores);
    sc->icache = f->job->hierarchy->icache[hierarchy_icache_of(m, sc->sm, sc->number)];
    sc->l1 = f->job->hierarchy->l1[hierarchy_l1_of(m, sc->sm, sc->number)];
    if (!(sc->scheduler = model_state(&m->scheduler)))
        return false;
    f->scheduler->reset(sc->scheduler, m->scheduler.options);
    for (uint32_t u = 0; u < m->unit_count; u++) {
        if (!(sc->units[u] = model_state(&m->units[u])))
            return false;
        f->unit_models[u] = (const struct unit_model *)m->units[u].model;
        f->unit_models[u]->reset(sc->units[u], m->units[u].options);
    }
    return true;
}

static bool begin(struct fast *f, struct rp_error *err)
{
    const struct machine *m = f->machine;
    struct room sm;
    room_of_sm(m, &sm);
    f->plain_shared = m->shared.model == &shared_memory_ideal.model;
    f->plain_global = m->coalescer.model == &coalescer_ideal.model && m->l1.model == &cache_none.model &&
                      m->l2.model == &cache_none.model && m->dram.model == &dram_ideal.model;
    if (!room_of_block(m, f->kernel, f->launch, &f->block_room, err) || !program_build(&f->program, f, err))
        return false;
    int64_t by_warps = sm.warps / f->block_room.warps;
    f->block_places = (unsigned)(by_warps < sm.blocks ? by_warps : sm.blocks);
    f->sm_count = (unsigned)m->sms;
    f->subcore_count = (unsigned)(m->sms * m->subcores);
    f->memo = memo_new();
    f->sms = calloc(f->sm_count, sizeof *f->sms);
    f->subcores = calloc(f->subcore_count, sizeof *f->subcores);
    f->next = calloc(f->subcore_count, sizeof *f->next);
    bool fine = f->memo && f->sms && f->subcores && f->next;
    for (unsigned s = 0; fine && s < f->sm_count; s++)
        fine = begin_sm(f, s);
    for (unsigned i = 0; fine && i < f->subcore_count; i++)
        fine = begin_subcore(f, i);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for machine %s", m->name);
}

static void end_block(struct fast_block *block)
{
    for (unsigned i = 0; i < block->warp_count; i++)
        rp_cursor_close(&block->warps[i].cursor);
    if (block->trace)
        rp_block_close(block->trace);
}

static void end(struct fast *f)
{
    for (unsigned i = 0; f->subcores && i < f->subcore_count; i++) {
        free(f->subcores[i].scheduler);
        for (uint32_t u = 0; u < f->machine->unit_count; u++)
            free(f->subcores[i].units[u]);
    }
    for (unsigned s = 0; f->sms && s < f->sm_count; s++) {
        for (unsigned b = 0; f->sms[s].blocks && b < f->block_places; b++)
            if (f->sms[s].blocks[b].used)
                end_block(&f->sms[s].blocks[b]);
        for (size_t w = 0; f->sms[s].signals && w < f->block_places * (size_t)f->block_room.warps; w++)
            fast_signals_free(&f->sms[s].signals[w]);
        free(f->sms[s].signals);
        free(f->sms[s].blocks);
        free(f->sms[s].warps);
        free(f->sms[s].scoreboards);
    }
    free(f->subcores);
    free(f->sms);
    free(f->next);
    memo_free(f->memo);
    program_free(&f->program);
}

bool fast_launch(const struct engine_launch *job, struct replay_launch *out, struct rp_error *err)
{
    struct fast f = {.job = job,
                     .machine = job->machine,
                     .launch = rp_trace_launch(job->trace, job->launch),
                     .scheduler = (const struct scheduler_model *)job->machine->scheduler.model,
                     .control_words = out->control_words,
                     .statistics = &out->statistics,
                     .out = out,
                     .report_at = job->progress ? PROGRESS_EVERY : NEVER,
                     .last_issue = NEVER};
    f.kernel = rp_trace_kernel(job->trace, f.launch->kernel);
    bool fine = begin(&f, err) && run(&f, err);
    for (unsigned i = 0; fine && i < f.subcore_count; i++)
        f.statistics->idle_cycles += f.now - f.subcores[i].accounted;
    f.statistics->cycles = f.now;
    job->hierarchy->clock += f.now;
    if (fine && job->progress)
        job->progress(job->progress_data, f.statistics->warp_instructions - f.reported);
    end(&f);
    return fine;
}
