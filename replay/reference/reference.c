/* The reference engine: the loop over cycles. */
#include "replay/reference/reference.h"
#include "replay/covered.h"
#include "replay/memory/layout.h"

#include <stdlib.h>

static bool begin(struct reference *r, struct rp_error *err)
{
    const struct machine *m = r->machine;
    r->sms = calloc((size_t)m->sms, sizeof *r->sms);
    bool fine = r->sms;
    for (int64_t s = 0; fine && s < m->sms; s++) {
        room_of_sm(m, &r->sms[s].left);
        r->sms[s].subcores = calloc((size_t)m->subcores, sizeof *r->sms[s].subcores);
        fine = r->sms[s].subcores;
        for (int64_t c = 0; fine && c < m->subcores; c++) {
            struct ref_subcore *sc = &r->sms[s].subcores[c];
            fine = (sc->scheduler = machine_part_state(&m->scheduler));
            if (fine)
                r->scheduler->reset(sc->scheduler, m->scheduler.options);
            for (uint32_t u = 0; fine && u < m->unit_count; u++) {
                fine = (sc->units[u] = machine_part_state(&m->units[u]));
                if (fine)
                    ((const struct unit_model *)m->units[u].model)->reset(sc->units[u], m->units[u].options);
            }
        }
    }
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for machine %s", m->name);
}

static void end(struct reference *r)
{
    for (int64_t s = 0; r->sms && s < r->machine->sms; s++) {
        struct ref_sm *sm = &r->sms[s];
        for (struct ref_block *b = sm->blocks, *next; b; b = next) {
            next = b->next;
            ref_free_block(b);
        }
        for (int64_t c = 0; sm->subcores && c < r->machine->subcores; c++) {
            free(sm->subcores[c].scheduler);
            for (uint32_t u = 0; u < r->machine->unit_count; u++)
                free(sm->subcores[c].units[u]);
        }
        free(sm->subcores);
    }
    free(r->sms);
    free(r->flights);
    free(r->reports);
}

/* By control words: only now it is known which of the signals that it waited for came last. */
static bool waited_for_signals(const struct reference *r, const struct ref_warp *w)
{
    return r->control_words && w->blocked >= STALL_MEMORY && w->blocked <= STALL_OPERANDS;
}

/* Charges this cycle. What kept the warp that issues now from issuing in the cycle before ends the stall. */
static void charge(struct reference *r, struct ref_subcore *sc, const struct ref_warp *issuing)
{
    if (issuing) {
        r->statistics->issue_cycles++;
        bool seen = issuing->blocked_at == r->now - 1;
        enum stall why = !seen                             ? STALL_DISPATCH
                         : issuing->blocked == STALL_COUNT ? STALL_SCHEDULER
                         : waited_for_signals(r, issuing)  ? ref_awaited(issuing, r->now - 1)
                                                           : issuing->blocked;
        r->statistics->stall[why] += sc->gap;
        if (why == STALL_UNIT)
            r->statistics->unit_stall[ref_unit(r, issuing)] += sc->gap;
        sc->gap = 0;
    } else if (sc->resident) {
        sc->gap++;
    } else {
        r->statistics->idle_cycles++;
    }
}

/* The scheduler's choice. A warp that yields is offered only if it will have no other. */
static int pick(struct reference *r, struct ref_subcore *sc, uint64_t ready)
{
    uint64_t eager = 0;
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        if ((ready >> s & 1) && sc->slots[s]->yields_at != r->now)
            eager |= 1ull << s;
    int slot = eager ? r->scheduler->pick(sc->scheduler, eager) : -1;
    return slot < 0 && eager != ready ? r->scheduler->pick(sc->scheduler, ready) : slot;
}

/* One cycle of one sub-core. *waits: some warp waits for nothing but time. */
static bool step(struct reference *r, struct ref_subcore *sc, bool *issued, bool *waits, struct rp_error *err)
{
    uint64_t ready = 0;
    enum stall blocked[SCHEDULER_SLOTS];
    if (!sc->resident) {
        charge(r, sc, NULL);
        return true;
    }
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++) {
        struct ref_warp *w = sc->slots[s];
        if (!w || w->ended)
            continue;
        blocked[s] = ref_blocked(r, w);
        if (blocked[s] == STALL_COUNT)
            ready |= 1ull << s;
        else if (!w->waiting)
            *waits = true;
    }
    int slot = ready ? pick(r, sc, ready) : -1;
    if (slot >= 0 && (slot >= SCHEDULER_SLOTS || !(ready >> slot & 1)))
        return rp_fail(err, RP_BAD_INPUT, "scheduler '%s' picked a warp that is not ready",
                       r->machine->scheduler.model->name);
    charge(r, sc, slot >= 0 ? sc->slots[slot] : NULL);
    for (unsigned s = 0; s < SCHEDULER_SLOTS; s++)
        if (sc->slots[s] && !sc->slots[s]->ended) {
            sc->slots[s]->blocked = blocked[s];
            sc->slots[s]->blocked_at = r->now;
        }
    if (slot < 0)
        return true;
    *issued = true;
    struct ref_warp *w = sc->slots[slot];
    unsigned unit = ref_unit(r, w);
    return ref_issue(r, w, err) && (r->machine->issue_width == 1 || ref_pair(r, w, unit, err));
}

static bool cycle(struct reference *r, struct rp_error *err)
{
    bool issued = false, waits = false;
    for (int64_t s = 0; s < r->machine->sms; s++) {
        struct ref_sm *sm = &r->sms[s];
        r->statistics->sm_cycles += sm->blocks != NULL;
        for (int64_t c = 0; c < r->machine->subcores; c++)
            if (!step(r, &sm->subcores[c], &issued, &waits, err))
                return false;
    }
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (const struct ref_block *b = r->sms[s].blocks; b; b = b->next)
            waits |= !b->live;                    /* it will leave */
    for (int64_t s = 0; s < r->machine->sms; s++) /* it will get a block */
        waits |= r->next_block < r->job->blocks && room_fits(&r->sms[s].left, &r->block_room);
    return issued || waits || ref_stuck(r, err);
}

static void report(struct reference *r)
{
    uint64_t done = r->statistics->warp_instructions;
    if (!r->job->progress || done - r->reported < PROGRESS_EVERY)
        return;
    r->job->progress(r->job->progress_data, done - r->reported);
    r->reported = done;
}

static bool run(struct reference *r, struct rp_error *err)
{
    for (;; r->now++) {
        if (!ref_memory_cycle(r, err))
            return false;
        if (r->job->issued)
            ref_report(r);
        ref_leave_blocks(r);
        if (!ref_place_blocks(r, err))
            return false;
        if (!r->resident_blocks && r->next_block == r->job->blocks)
            return true;
        if (!cycle(r, err))
            return false;
        report(r);
    }
}

bool reference_launch(const struct engine_launch *job, struct replay_launch *out, struct rp_error *err)
{
    struct reference r = {.job = job,
                          .machine = job->machine,
                          .launch = rp_trace_launch(job->trace, job->launch),
                          .scheduler = (const struct scheduler_model *)job->machine->scheduler.model,
                          .control_words = out->control_words,
                          .statistics = &out->statistics,
                          .out = out};
    r.kernel = rp_trace_kernel(job->trace, r.launch->kernel);
    bool fine = kernel_is_covered(r.kernel, err) && room_of_block(r.machine, r.kernel, r.launch, &r.block_room, err) &&
                begin(&r, err) && run(&r, err);
    end(&r);
    r.statistics->cycles = r.now;
    fine = memory_system_end_launch(job->memory, r.now, r.statistics, fine ? err : NULL) && fine;
    if (fine && job->progress)
        job->progress(job->progress_data, r.statistics->warp_instructions - r.reported);
    return fine;
}
