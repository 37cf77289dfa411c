/* The reference engine: the loop over cycles. */
#include "replay/engines/reference/reference.h"
#include "replay/base/layout.h"

#include <stdlib.h>

static bool begin(struct reference *r, struct rp_error *err)
{
    const struct machine *m = r->machine;
    r->sms = calloc((size_t)m->sms, sizeof *r->sms);
    bool fine = r->sms;
    for (int64_t s = 0; fine && s < m->sms; s++) {
        room_of_sm(m, &r->sms[s].left);
        r->sms[s].updates.next = ASYNC_UNKNOWN;
        r->sms[s].subcores = calloc((size_t)m->subcores, sizeof *r->sms[s].subcores);
        fine = r->sms[s].subcores;
        for (int64_t c = 0; fine && c < m->subcores; c++) {
            struct ref_subcore *sc = &r->sms[s].subcores[c];
            fine = (sc->scheduler = machine_part_state(&m->scheduler));
            if (fine)
                r->scheduler->reset(sc->scheduler, m->scheduler.options);
            for (uint32_t u = 0; fine && u < m->unit_count; u++) {
                const int64_t sharers = machine_unit_sharers(m, u), first = c - c % sharers;
                fine =
                    (sc->units[u] = c == first ? machine_part_state(&m->units[u]) : r->sms[s].subcores[first].units[u]);
                if (fine && c == first)
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
                if (c % machine_unit_sharers(r->machine, u) == 0)
                    free(sm->subcores[c].units[u]);
        }
        free(sm->subcores);
        async_queue_free(&sm->updates);
    }
    for (struct ref_grid *g = r->grids, *next; g; g = next) {
        next = g->next;
        free(g);
    }
    free(r->sms);
    free(r->in_flight);
}

/* Whether the warp waited for signals of control words. Only now it is known which of them came last. */
static bool waited_for_signals(const struct ref_warp *w)
{
    return w->block->grid->of.control_words && w->blocked >= STALL_MEMORY && w->blocked <= STALL_OPERANDS;
}

static void report_stall(const struct reference *r, const struct ref_warp *issuing, enum stall why,
                         enum response_level level, uint64_t cycles)
{
    struct engine_location at = ref_location(issuing);
    struct engine_stall stall = {why, why == STALL_MEMORY ? level : RESPONSE_NONE, ref_unit(r, issuing), cycles};
    engine_report_stall(r->job, &at, &issuing->next, &stall, r->now);
}

/* Charges this cycle. The stall ends with the issue, and its reason is what kept the issuing warp from issuing in the
 * cycle before. */
static void charge(struct reference *r, struct ref_subcore *sc, const struct ref_warp *issuing)
{
    if (issuing) {
        struct statistics *statistics = issuing->block->grid->statistics;
        statistics->issue_cycles++;
        enum response_level level = RESPONSE_NONE;
        bool seen = issuing->blocked_at == r->now - 1;
        enum stall why = !seen                             ? STALL_DISPATCH
                         : issuing->blocked == STALL_COUNT ? STALL_SCHEDULER
                         : waited_for_signals(issuing)     ? ref_awaited(issuing, r->now - 1, &level)
                                                           : issuing->blocked;
        if (why == STALL_MEMORY && !waited_for_signals(issuing))
            ref_pending(issuing, r->now - 1, &level); /* the level is known only now */
        statistics->stall[why] += sc->gap;
        report_stall(r, issuing, why, level, sc->gap);
        if (why == STALL_UNIT)
            statistics->unit_stall[ref_unit(r, issuing)] += sc->gap;
        sc->gap = 0;
    } else if (sc->resident) {
        sc->gap++;
    } else {
        r->of_machine.idle_cycles++;
    }
}

/* The choice of the scheduler. A warp that yields is a candidate only if there is no other. */
static int pick(struct reference *r, struct ref_subcore *sc, uint64_t ready)
{
    uint64_t eager = 0;
    for (unsigned s = 0; s < sc->slot_count; s++)
        if ((ready >> s & 1) && sc->slots[s]->yields_at != r->now)
            eager |= 1ull << s;
    int slot = eager ? r->scheduler->pick(sc->scheduler, eager) : -1;
    return slot < 0 && eager != ready ? r->scheduler->pick(sc->scheduler, ready) : slot;
}

/* One cycle of one sub-core. *waits: some warp waits only for time to pass. */
static bool step(struct reference *r, struct ref_subcore *sc, bool *issued, bool *waits, struct rp_error *err)
{
    uint64_t ready = 0;
    enum stall blocked[SCHEDULER_SLOTS];
    if (!sc->resident) {
        charge(r, sc, NULL);
        return true;
    }
    for (unsigned s = 0; s < sc->slot_count; s++) {
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
    for (unsigned s = 0; s < sc->slot_count; s++)
        if (sc->slots[s] && !sc->slots[s]->ended) {
            sc->slots[s]->blocked = blocked[s];
            sc->slots[s]->blocked_at = r->now;
        }
    if (slot < 0)
        return true;
    *issued = true;
    struct ref_warp *w = sc->slots[slot];
    unsigned unit = ref_unit(r, w);
    return ref_issue(r, w, false, err) && (r->machine->issue_width == 1 || ref_pair(r, w, unit, err));
}

/* Counts the cycle for each launch that has a block on the SM. */
static void count_sm_cycle(struct reference *r, const struct ref_sm *sm)
{
    r->of_machine.sm_cycles += sm->blocks != NULL;
    for (struct ref_grid *g = r->grids; g; g = g->next) {
        const struct ref_block *b = sm->blocks;
        while (b && b->grid != g)
            b = b->next;
        g->statistics->sm_cycles += b != NULL;
    }
}

static bool cycle(struct reference *r, struct rp_error *err)
{
    bool issued = false, waits = false;
    const struct ref_grid *first = ref_first_waiting(r);
    for (int64_t s = 0; s < r->machine->sms; s++) {
        struct ref_sm *sm = &r->sms[s];
        count_sm_cycle(r, sm);
        for (int64_t c = 0; c < r->machine->subcores; c++)
            if (!step(r, &sm->subcores[c], &issued, &waits, err))
                return false;
    }
    for (int64_t s = 0; s < r->machine->sms; s++)
        for (const struct ref_block *b = r->sms[s].blocks; b; b = b->next)
            waits |= !b->live;                    /* it will leave */
    for (int64_t s = 0; s < r->machine->sms; s++) /* it will get a block */
        waits |= first && !first->clusters && room_fits(&r->sms[s].left, &first->block_room);
    waits |= first && first->clusters && ref_cluster_has_room(r, first);
    for (int64_t s = 0; s < r->machine->sms; s++) /* updates of barrier objects are pending */
        waits |= r->sms[s].updates.count > 0;
    return issued || waits || ref_stuck(r, err);
}

static void report(struct reference *r, struct ref_grid *g, uint64_t least)
{
    uint64_t done = g->statistics->warp_instructions;
    if (!r->job->progress || done - g->reported < least)
        return;
    r->job->progress(r->job->progress_data, done - g->reported);
    g->reported = done;
}

void ref_end_launches(struct reference *r)
{
    for (struct ref_grid **at = &r->grids; *at;) {
        struct ref_grid *g = *at;
        if (g->resident || g->next_block < g->of.blocks) {
            at = &g->next;
            continue;
        }
        report(r, g, 0);
        engine_ended(&r->period, &g->of, r->now);
        *at = g->next;
        r->grid_count--;
        free(g);
    }
}

static bool any_without_blocks(const struct reference *r)
{
    for (const struct ref_grid *g = r->grids; g; g = g->next)
        if (!g->of.blocks)
            return true;
    return false;
}

static bool run(struct reference *r, struct rp_error *err)
{
    bool first = true;
    for (;; r->now++) {
        if (!ref_memory_cycle(r, err))
            return false;
        ref_leave_blocks(r);
        do { /* launches without blocks end at once */
            ref_end_launches(r);
            if (!r->grids && !first)
                return true;
            first = false;
            if (!ref_take_launches(r, err))
                return false;
        } while (any_without_blocks(r));
        if (!ref_place_blocks(r, err) || !cycle(r, err))
            return false;
        for (struct ref_grid *g = r->grids; g; g = g->next)
            report(r, g, PROGRESS_EVERY);
    }
}

static bool reference_run(void *none, const struct engine_job *job, enum replay_engine mode, struct statistics *sum,
                          struct rp_error *err)
{
    (void)none;
    (void)mode;
    struct reference r = {.job = job,
                          .machine = job->machine,
                          .scheduler = (const struct scheduler_model *)job->machine->scheduler.model,
                          .period = {.job = job}};
    bool fine = begin(&r, err) && run(&r, err);
    end(&r);
    return engine_finish(&r.period, r.now, &r.of_machine, sum, fine ? err : NULL) && fine;
}

const struct engine engine_reference = {.name = "reference",
                                        .pipeline = &pipeline_direct,
                                        .modes = 1u << REPLAY_REFERENCE,
                                        .capabilities = ENGINE_OVERLAPS | ENGINE_USES_MEMORY | ENGINE_BLOCKS,
                                        .events = ENGINE_DIRECT_EVENTS,
                                        .run = reference_run};
