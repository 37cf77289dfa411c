/* The fast engine: its state, created and freed. */
#include <stdlib.h>
#include <string.h>

#include "hw-models/scheduler/schedulers.h"
#include "replay/base/layout.h"
#include "replay/base/lsu_lines.h"
#include "replay/engines/fast/fast.h"
#include "replay/engines/fast/round_pool.h"

/* The most cycles that SMs are ahead of one another: those that are near each other read the same part of the trace,
 * which is decoded once. */
#define MOST_AHEAD 8192u

#define CROWDED 8 /* SMs: each has 100 KB of warps, and a host's L2 has 1 or 2 MB */

static bool begin_subcore(const struct fast *f, struct fast_sm *sm, unsigned number)
{
    const struct machine *m = f->machine;
    struct fast_subcore *sc = &sm->subcores[number];
    unsigned s = (unsigned)(sm - f->sms);
    sc->far_first = NEVER;
    sc->number = (uint8_t)number;
    sc->chip_number = s * (unsigned)m->subcores + number;
    if (!(sc->scheduler = machine_part_state(&m->scheduler)))
        return false;
    sc->gto = f->scheduler == &scheduler_gto ? sc->scheduler : NULL;
    f->scheduler->reset(sc->scheduler, m->scheduler.options);
    for (uint32_t u = 0; u < m->unit_count; u++) {
        const unsigned sharers = machine_unit_sharers(m, u), first = number - number % sharers;
        if (!(sc->units[u] = number == first ? machine_part_state(&m->units[u]) : sm->subcores[first].units[u]))
            return false;
        if (number == first)
            f->unit_models[u]->reset(sc->units[u], m->units[u].options);
        sc->shared_units |= (uint64_t)(sharers > 1) << u;
        sc->pipelined[u] = f->unit_models[u] == &unit_pipelined ? sc->units[u] : NULL;
    }
    return true;
}

static void begin_sm(struct fast *f, struct fast_sm *sm)
{
    memset(sm, 0, offsetof(struct fast_sm, assigned));
    sm->chip = f;
    sm->memory = memory_system_sm(f->memory, (unsigned)(sm - f->sms));
    sm->next_leave = sm->next_room = sm->memory_next = sm->last_issue = NEVER;
    for (unsigned i = 0; i < MOST_SUBCORES; i++)
        sm->next[i] = NEVER;
    sm->free_access = NO_ACCESS;
    sm->updates.next = ASYNC_UNKNOWN;
    room_of_sm(f->machine, &sm->left);
}

bool fast_sm_open(struct fast_sm *sm)
{
    const struct fast *f = sm->chip;
    unsigned count = (unsigned)f->machine->subcores;
    size_t bytes = count * sizeof *sm->subcores;
    if (!sm->subcores && !(sm->subcores = aligned_alloc(HOST_LINE, bytes)))
        return false;
    memset(sm->subcores, 0, bytes);
    for (; sm->subcore_count < count; sm->subcore_count++)
        if (!begin_subcore(f, sm, sm->subcore_count))
            return false;
    return true;
}

static void begin(struct fast *f, const struct engine_job *job)
{
    const struct machine *m = f->machine;
    f->job = job;
    f->observes_done = observer_events(job->observer) & OBSERVE_DONE;
    f->observes = observer_events(job->observer) & (OBSERVE_ISSUE | OBSERVE_STALL | OBSERVE_DONE);
    uint64_t wanted = job->observer ? job->observer->most_ahead : 0;
    f->most_ahead = wanted && wanted < MOST_AHEAD ? wanted : MOST_AHEAD;
    f->period = (struct engine_period){.job = job};
    f->grid_count = 0;
    f->launches = 0;
    f->next_sm = 0;
    f->from = f->delivered = 0;
    f->plain_shared = m->shared.model == &shared_memory_ideal.model;
    f->shared_period = ((const struct shared_memory_model *)m->shared.model)->period;
    f->constants = ((const struct instruction_cache_model *)m->constants.model)->keeps;
    f->immediate = memory_system_is_immediate(f->memory);
    f->delay = f->immediate ? memory_system_delay(f->memory) : 0;
    f->plain_global = m->coalescer.model == &coalescer_ideal.model && f->immediate;
    f->plain_global &= !f->job->sampled && !lsu_line_cycles(m, CACHE_READ) && !lsu_line_cycles(m, CACHE_WRITE);
    f->plain_shared &= !f->job->sampled || f->job->sampled->separate_shared;
    f->may_refuse = memory_system_may_refuse(f->memory);
    f->lookahead = memory_system_lookahead(f->memory);
    f->chip_delay = memory_system_request_latency(f->memory);
    f->light = memory_system_is_light(f->memory);
    f->shared = false;
    /* without lookahead, the chip knows its next cycle only once a request arrives */
    f->stepped = memory_system_is_stepped(f->memory) || !f->lookahead;
    f->chip_next = NEVER;
    for (unsigned s = 0; s < f->sm_count; s++)
        begin_sm(f, &f->sms[s]);
}

static void end_sm(struct fast *f, struct fast_sm *sm)
{
    for (unsigned i = 0; sm->subcores && i < (unsigned)f->machine->subcores; i++) {
        free(sm->subcores[i].scheduler);
        for (uint32_t u = 0; u < f->machine->unit_count; u++)
            if (i % machine_unit_sharers(f->machine, u) == 0)
                free(sm->subcores[i].units[u]);
    }
    free(sm->subcores);
    free(sm->accesses);
    free(sm->observed);
    async_queue_free(&sm->updates);
    sm->subcores = NULL;
    sm->accesses = NULL;
    sm->observed = NULL;
}

static void end(struct fast *f)
{
    for (unsigned s = 0; s < f->sm_count; s++)
        fast_close_blocks(&f->sms[s]);
    fast_free_grids(f);
    for (unsigned s = 0; s < f->sm_count; s++)
        end_sm(f, &f->sms[s]);
}

/* Counts the statistics of the machine that belong to no single launch. */
static void count_machine(const struct fast *f, struct statistics *s, uint64_t cycles)
{
    for (unsigned i = 0; i < f->sm_count; i++) {
        const struct fast_sm *sm = &f->sms[i];
        s->sm_cycles += sm->occupied_cycles;
        s->idle_cycles += sm->idle_cycles;
        for (unsigned c = 0; c < (unsigned)f->machine->subcores; c++)
            s->idle_cycles += cycles - (c < sm->subcore_count ? sm->subcores[c].accounted : 0);
    }
}

static bool fast_run(void *state, const struct engine_job *job, enum replay_engine mode, struct statistics *sum,
                     struct rp_error *err)
{
    struct fast *f = state;
    (void)mode;
    struct statistics machine = {0};
    uint64_t cycles = 0;
    begin(f, job);
    bool fine = fast_run_period(f, &cycles, err);
    if (fine)
        count_machine(f, &machine, cycles);
    end(f);
    return engine_finish(&f->period, cycles, &machine, sum, fine ? err : NULL) && fine;
}

/* ---- from period to period --------------------------------------------------------------------------------------- */

static void fast_close(void *state)
{
    struct fast *f = state;
    if (!f)
        return;
    round_pool_free(f->round_pool);
    for (unsigned i = 0; i < f->memo_count; i++)
        memo_free(f->memos[i]);
    free(f->memos);
    free(f->sms);
    free(f->next);
    free(f);
}

static void *fast_open(const struct machine *m, enum replay_engine mode, struct memory_system *memory,
                       struct rp_error *err)
{
    (void)mode;
    struct fast *f = calloc(1, sizeof *f);
    struct memory_layout layout;
    if (f) {
        f->machine = m;
        f->memory = memory;
        f->scheduler = (const struct scheduler_model *)m->scheduler.model;
        memory_layout_of(m, &layout);
        f->atomics_repeat = layout.l1.shape.atomic_interval || layout.l2.shape.atomic_interval;
        f->sector = memory_system_sector(memory);
        f->crowded = m->sms >= CROWDED;
        for (uint32_t u = 0; u < m->unit_count; u++)
            f->unit_models[u] = (const struct unit_model *)m->units[u].model;
        f->sms = aligned_alloc(_Alignof(struct fast_sm), (size_t)m->sms * sizeof *f->sms);
        f->next = calloc((size_t)m->sms, sizeof *f->next);
        f->sm_count = f->sms && f->next ? (unsigned)m->sms : 0;
    }
    if (f && f->sm_count)
        return f;
    fast_close(f);
    rp_fail(err, RP_SYSTEM, "out of memory for machine %s", m->name);
    return NULL;
}

const struct engine engine_fast = {.name = "fast",
                                   .pipeline = &pipeline_direct,
                                   .modes = 1u << REPLAY_FAST,
                                   .capabilities = ENGINE_OVERLAPS | ENGINE_USES_MEMORY | ENGINE_BLOCKS,
                                   .events = ENGINE_DIRECT_EVENTS,
                                   .open = fast_open,
                                   .run = fast_run,
                                   .close = fast_close};
