/* The fast engine: a launch's state, made and taken apart. */
#include <stdlib.h>
#include <string.h>

#include "replay/covered.h"
#include "replay/fast/fast.h"
#include "replay/memory/layout.h"

#define CROWDED 8 /* SMs: 100 KB of warps each, and a computer's L2 has 1 or 2 MB */

static bool begin_subcore(struct fast *f, struct fast_sm *sm, unsigned number)
{
    const struct machine *m = f->machine;
    struct fast_subcore *sc = &sm->subcores[number];
    unsigned s = (unsigned)(sm - f->sms);
    sm->next[number] = NEVER;
    sc->far_first = NEVER;
    sc->number = (uint8_t)number;
    sc->chip_number = s * sm->subcore_count + number;
    if (!(sc->scheduler = machine_part_state(&m->scheduler)))
        return false;
    f->scheduler->reset(sc->scheduler, m->scheduler.options);
    for (uint32_t u = 0; u < m->unit_count; u++) {
        if (!(sc->units[u] = machine_part_state(&m->units[u])))
            return false;
        f->unit_models[u]->reset(sc->units[u], m->units[u].options);
        sc->pipelined[u] = f->unit_models[u] == &unit_pipelined ? sc->units[u] : NULL;
    }
    return true;
}

static bool begin_sm(struct fast *f, struct fast_sm *sm)
{
    *sm = (struct fast_sm){.chip = f,
                           .subcore_count = (unsigned)f->machine->subcores,
                           .next_leave = NEVER,
                           .next_room = NEVER,
                           .memory = memory_system_sm(f->job->memory, (unsigned)(sm - f->sms)),
                           .memory_next = NEVER,
                           .free_access = NO_ACCESS,
                           .last_issue = NEVER,
                           .report_at = f->job->progress ? PROGRESS_EVERY : NEVER,
                           .part = {.grid = &f->grid}};
    room_of_sm(f->machine, &sm->left);
    sm->subcores = aligned_alloc(64, sm->subcore_count * sizeof *sm->subcores);
    if (!sm->subcores)
        return false;
    memset(sm->subcores, 0, sm->subcore_count * sizeof *sm->subcores);
    for (unsigned i = 0; i < sm->subcore_count; i++)
        if (!begin_subcore(f, sm, i))
            return false;
    return true;
}

static bool begin(struct fast *f, struct rp_error *err)
{
    const struct machine *m = f->machine;
    struct fast_grid *grid = &f->grid;
    f->plain_shared = m->shared.model == &shared_memory_ideal.model;
    f->immediate = memory_system_is_immediate(f->job->memory);
    f->delay = f->immediate ? memory_system_delay(f->job->memory) : 0;
    f->plain_global = m->coalescer.model == &coalescer_ideal.model && f->immediate;
    f->may_refuse = memory_system_may_refuse(f->job->memory);
    f->lookahead = memory_system_lookahead(f->job->memory);
    struct memory_layout layout;
    memory_layout_of(m, &layout);
    f->atomics_repeat = layout.l1.shape.atomic_interval || layout.l2.shape.atomic_interval;
    /* without lookahead, it is in the cycle of arrival that the chip says when it must be advanced next */
    f->stepped = memory_system_is_stepped(f->job->memory) || !f->lookahead;
    f->crowded = m->sms >= CROWDED;
    f->chip_next = NEVER;
    for (uint32_t u = 0; u < m->unit_count; u++)
        f->unit_models[u] = (const struct unit_model *)m->units[u].model;
    if (!kernel_is_covered(grid->kernel, err) ||
        !room_of_block(m, grid->kernel, grid->launch, &grid->block_room, err) ||
        !program_build(&grid->program, f, grid, err))
        return false;
    f->sms = calloc((size_t)m->sms, sizeof *f->sms);
    f->next = calloc((size_t)m->sms, sizeof *f->next);
    bool fine = f->sms && f->next;
    for (; fine && f->sm_count < (unsigned)m->sms; f->sm_count++)
        fine = begin_sm(f, &f->sms[f->sm_count]);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory for machine %s", m->name);
}

static void end_sm(struct fast *f, struct fast_sm *sm)
{
    fast_close_blocks(sm);
    for (unsigned i = 0; sm->subcores && i < sm->subcore_count; i++) {
        free(sm->subcores[i].scheduler);
        for (uint32_t u = 0; u < f->machine->unit_count; u++)
            free(sm->subcores[i].units[u]);
    }
    free(sm->subcores);
    free(sm->accesses);
}

static void end(struct fast *f)
{
    for (unsigned s = 0; f->sms && s < (unsigned)f->machine->sms; s++)
        end_sm(f, &f->sms[s]);
    free(f->sms);
    free(f->next);
    program_free(&f->grid.program);
}

/* What an immediate memory system was not asked. */
static void count_immediate(struct sm_memory *memory, const struct statistics *s)
{
    sm_memory_count(memory, CACHE_READ, s->global_load_transactions);
    sm_memory_count(memory, CACHE_WRITE, s->global_store_transactions);
    sm_memory_count(memory, CACHE_ATOMIC, s->global_atomic_transactions);
}

/* What the SMs counted, and the cycles that they were idle at the end. */
static void sum_up(const struct fast *f, struct statistics *sum, uint64_t cycles)
{
    for (unsigned s = 0; s < f->sm_count; s++) {
        const struct fast_sm *sm = &f->sms[s];
        statistics_add(sum, &sm->part.statistics);
        const struct statistics *own = &sm->part.statistics;
        if (f->immediate)
            count_immediate(sm->memory, own);
        for (unsigned i = 0; i < sm->subcore_count; i++)
            sum->idle_cycles += cycles - sm->subcores[i].accounted;
        if (f->job->progress)
            f->job->progress(f->job->progress_data, sm->part.statistics.warp_instructions - sm->reported);
    }
    sum->cycles = cycles;
}

bool fast_launch(const struct engine_launch *job, struct replay_launch *out, struct rp_error *err)
{
    struct fast f = {.job = job,
                     .machine = job->machine,
                     .scheduler = (const struct scheduler_model *)job->machine->scheduler.model,
                     .grid = {.job = job,
                              .launch = rp_trace_launch(job->trace, job->launch),
                              .control_words = out->control_words,
                              .out = out}};
    uint64_t cycles = 0;
    f.grid.kernel = rp_trace_kernel(job->trace, f.grid.launch->kernel);
    bool fine = begin(&f, err) && fast_run_grid(&f, &cycles, err);
    if (fine)
        sum_up(&f, &out->statistics, cycles);
    fine = memory_system_end_launch(job->memory, cycles, &out->statistics, fine ? err : NULL) && fine;
    end(&f);
    return fine;
}
