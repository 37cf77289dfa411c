/* Launches, one after the other, and the clocks (docs/accelsim.md, rules 1 and 2). */
#include "replay/engines/staged/staged.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/base/carveout.h"
#include "replay/base/layout.h"
#include "replay/base/occupancy.h"
#include "replay/base/supported.h"
#include "replay/base/units.h"

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

static bool new_registers(struct staged *g, struct staged_sm *sm)
{
    for (int64_t w = 0; w < g->machine->warps; w++) {
        struct staged_warp *warp = &sm->warps[w];
        free(warp->is_pending);
        free(warp->is_long);
        free(warp->writes);
        free(warp->writer);
        free(warp->observed);
        warp->observed = g->reports_done ? calloc(g->registers, sizeof *warp->observed) : NULL;
        warp->writer = calloc(g->registers, sizeof *warp->writer);
        warp->is_pending = calloc(g->registers, 1);
        warp->is_long = calloc(g->registers, 1);
        warp->writes = calloc(g->registers, sizeof *warp->writes);
        if (!warp->is_pending || !warp->is_long || !warp->writes || !warp->writer ||
            (g->reports_done && !warp->observed))
            return false;
    }
    return true;
}

static bool new_schedulers(struct staged *g, struct staged_sm *sm)
{
    const struct machine_part *part = &g->machine->scheduler;
    const struct scheduler_model *m = (const struct scheduler_model *)part->model;
    for (int64_t s = 0; s < g->machine->subcores; s++) {
        if (!(sm->scheduler[s] = calloc(1, part->model->state_size(part->options) + 64)))
            return false;
        m->reset(sm->scheduler[s], part->options);
        if (m->limit)
            m->limit(sm->scheduler[s], (unsigned)(g->machine->warps / g->machine->subcores));
    }
    return true;
}

static bool new_icaches(struct staged *g, struct staged_sm *sm)
{
    const struct machine_part *part = &g->machine->icache;
    const struct instruction_cache_model *m = (const struct instruction_cache_model *)part->model;
    for (int64_t i = 0; i < g->machine->subcores / g->machine->icache_subcores; i++) {
        if (!(sm->icache[i] = machine_part_state(part)))
            return false;
        m->reset(sm->icache[i], part->options);
    }
    return true;
}

static bool new_stages(struct stages *p, int64_t length)
{
    *p = (struct stages){.length = (uint32_t)length, .entry = calloc((size_t)length, sizeof *p->entry)};
    return p->entry;
}

/* The ways of an L1 of so many bytes: at least one. */
static uint32_t l1_ways(const struct staged *g, int64_t bytes)
{
    const struct cache_shape *l1 = &g->layout.l1.shape;
    int64_t ways = bytes / (int64_t)(l1->line * l1->sets);
    return (uint32_t)(ways ? ways : 1);
}

static bool new_l1(struct staged *g, struct staged_sm *sm)
{
    const struct memory_level *l1 = &g->layout.l1;
    struct cache_shape shape = l1->shape;
    shape.ways = l1_ways(g, carveout_most(g->machine));
    sm->l1_queue = calloc(shape.banks, sizeof *sm->l1_queue);
    sm->refusal = calloc(shape.banks, sizeof *sm->refusal);
    sm->l1 = g->l1->open(l1->part->options, &shape, staged_bound(l1->mshrs));
    bool fine = sm->l1_queue && sm->refusal && sm->l1;
    for (uint64_t b = 0; fine && b < shape.banks; b++)
        fine = new_stages(&sm->l1_queue[b], (int64_t)shape.latency);
    return fine;
}

static bool new_sm(struct staged *g, unsigned number)
{
    struct staged_sm *sm = &g->sms[number];
    sm->chip = g;
    sm->number = number;
    sm->subcores = (unsigned)g->machine->subcores;
    sm->fetched = -1;
    sm->warps = calloc((size_t)g->machine->warps, sizeof *sm->warps);
    sm->slots = calloc((size_t)g->machine->blocks, sizeof *sm->slots);
    return sm->warps && sm->slots && (!g->l1 || new_l1(g, sm)) && new_schedulers(g, sm) && new_icaches(g, sm) &&
           new_stages(&sm->shared_pipe, g->o[STAGED_SHARED_LATENCY]);
}

static void free_inst(struct inst *in)
{
    if (in)
        free(in->accesses);
    free(in);
}

static void free_insts(struct staged_sm *sm)
{
    for (unsigned u = 0; u < STAGED_UNITS; u++)
        for (unsigned s = 0; s < STAGED_SUBCORES; s++) {
            free_inst(sm->issued[u][s]);
            free_inst(sm->collected[u][s]);
        }
    for (unsigned c = 0; c < STAGED_MOST_COLLECTORS; c++)
        free_inst(sm->collectors[c].inst);
    for (unsigned e = 0; e < STAGED_RING; e++)
        for (struct inst *in = sm->ends[e], *next; in; in = next) {
            next = in->next;
            free_inst(in);
        }
    free_inst(sm->dispatch);
    for (; sm->shared_pipe.count; stages_pop(&sm->shared_pipe))
        free_inst(sm->shared_pipe.entry[sm->shared_pipe.head].item);
}

static void free_blocks(struct staged *g, struct staged_sm *sm)
{
    for (int64_t w = 0; sm->warps && w < g->machine->warps; w++) {
        struct staged_warp *warp = &sm->warps[w];
        for (unsigned i = warp->buffer_at; warp->block && i < warp->buffer_at + warp->buffered; i++)
            free_inst(warp->buffer[i]);
        if (warp->block && warp->cursor.block)
            rp_cursor_close(&warp->cursor);
        free(warp->is_pending);
        free(warp->is_long);
        free(warp->writes);
        free(warp->writer);
        free(warp->observed);
    }
    for (int64_t b = 0; sm->slots && b < g->machine->blocks; b++)
        if (sm->slots[b]) {
            rp_block_close(sm->slots[b]->trace);
            free(sm->slots[b]);
        }
}

static void free_sm(struct staged *g, struct staged_sm *sm)
{
    free_insts(sm);
    free_blocks(g, sm);
    for (unsigned s = 0; s < STAGED_SUBCORES; s++) {
        free(sm->scheduler[s]);
        free(sm->icache[s]);
    }
    free(sm->misses.item);
    free(sm->replies.item);
    free(sm->ejected.item);
    free(sm->warps);
    free(sm->slots);
    free(sm->shared_pipe.entry);
    for (uint64_t b = 0; sm->l1_queue && b < g->layout.l1.shape.banks; b++)
        free(sm->l1_queue[b].entry);
    free(sm->l1_queue);
    free(sm->refusal);
    if (g->l1)
        g->l1->close(sm->l1);
}

void staged_catch_up(struct staged_sm *sm)
{
    uint64_t slept = sm->chip->cycle - sm->seen;
    sm->seen = sm->chip->cycle;
    if (!sm->live_warps || !slept)
        return;
    sm->cycle += slept;
    sm->chip->statistics->sm_cycles += slept;
    sm->chip->statistics->warp_cycles += slept * sm->live_warps;
}

/* The next cycle of the chip in which the SM may do something by itself. */
static uint64_t next_of_sm(const struct staged_sm *sm)
{
    uint64_t units = staged_units_next(sm), lsu = staged_lsu_next(sm), next = units < lsu ? units : lsu;
    uint64_t fetch = staged_fetch_next(sm);
    next = fetch < next ? fetch : next;
    return next == UINT64_MAX ? next : sm->chip->cycle + (next > sm->cycle ? next - sm->cycle : 1);
}

static void sm_cycle(struct staged_sm *sm)
{
    struct staged *g = sm->chip;
    if (!sm->live_warps || (g->skips && sm->wake > g->cycle))
        return;
    staged_catch_up(sm);
    sm->seen++;
    sm->cycle++;
    g->statistics->sm_cycles++;
    g->statistics->warp_cycles += sm->live_warps;
    sm->changed = false;
    staged_write_back(sm);
    staged_execute(sm);
    staged_read_operands(sm);
    staged_front(sm);
    staged_fetch(sm);
    staged_mark_busy(g);
    sm->wake = sm->changed ? 0 : next_of_sm(sm);
}

/* ---- the clocks -------------------------------------------------------------------------------------------------- */

static void empty_l1s(struct staged *g)
{
    for (int64_t s = 0; g->emptied && s < g->machine->sms; s++)
        if (!g->sms[s].live_warps && g->sms[s].l1_used) {
            g->sms[s].l1_used = false;
            staged_empty_l1(&g->sms[s]);
        }
    g->emptied = false;
}

static void core_end(struct staged *g)
{
    g->cycle++;
    if (!g->countdown)
        staged_place_blocks(g);
    g->countdown -= g->countdown != 0;
    empty_l1s(g);
}

/* SMs, crossbar, L2 and device memory have clocks. Their times are sums of doubles, as in Accel-Sim; only their order
 * matters. Returns the clocks that step now, 1 << enum staged_clock each. */
static unsigned next_tick(const struct staged *g)
{
    double first = g->next[0];
    unsigned tick = 0;
    for (unsigned c = 1; c < STAGED_CLOCKS; c++)
        first = g->next[c] < first ? g->next[c] : first;
    for (unsigned c = 0; c < STAGED_CLOCKS; c++)
        tick |= (g->next[c] <= first) << c;
    return tick;
}

static void advance_clocks(struct staged *g, unsigned tick)
{
    for (unsigned c = 0; c < STAGED_CLOCKS; c++)
        if (tick >> c & 1)
            g->next[c] += g->period[c];
}

static void receive_replies(struct staged *g)
{
    for (int64_t s = 0; s < g->machine->sms; s++)
        staged_lsu_receive(&g->sms[s]);
}

static void core_pass(struct staged *g)
{
    for (int64_t s = 0; s < g->machine->sms; s++)
        sm_cycle(&g->sms[s]);
    core_end(g);
}

#define IS(clock) (tick >> (clock)&1)

/* One step of the clocks. True: the clock of the core stepped. */
static bool pass(struct staged *g)
{
    unsigned tick = next_tick(g);
    advance_clocks(g, tick);
    g->quiet |= (uint8_t)tick;
    if (IS(CLOCK_CORE))
        receive_replies(g);
    if (IS(CLOCK_CROSSBAR))
        staged_slices_reply(g);
    if (IS(CLOCK_DRAM))
        staged_dram_cycle(g);
    if (IS(CLOCK_L2))
        staged_slices_cycle(g);
    if (IS(CLOCK_CROSSBAR)) {
        staged_crossbar_cycle(g, &g->requests);
        staged_crossbar_cycle(g, &g->replies);
    }
    if (IS(CLOCK_CORE))
        core_pass(g);
    return IS(CLOCK_CORE);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

#define SLEEP 100000u /* cycles at most, so that a standstill is noticed */

/* Whether all components but device memory sleep. Device memory reports its next cycle itself. */
static bool all_sleep(const struct staged *g)
{
    const uint8_t others = 1u << CLOCK_CORE | 1u << CLOCK_CROSSBAR | 1u << CLOCK_L2;
    return g->skips && (g->quiet & others) == others;
}

/* Advances the clocks to the first cycle in which a component wakes. */
static void sleep_on(struct staged *g)
{
    struct staged_wake wake;
    staged_chip_next(g, &wake);
    for (int64_t s = 0; s < g->machine->sms; s++)
        if (g->sms[s].live_warps)
            wake.core = least(wake.core, g->sms[s].wake);
    if (g->may_place) /* blocks are placed at the end of the cycle in which the countdown is over */
        wake.core = least(wake.core, g->cycle + g->countdown);
    wake.core = least(wake.core, g->cycle + SLEEP);
    for (;;) {
        unsigned tick = next_tick(g);
        if ((IS(CLOCK_CORE) && g->cycle >= wake.core) || (IS(CLOCK_L2) && g->cycle >= wake.l2) ||
            (IS(CLOCK_DRAM) && (g->dram_cycle >= wake.dram || g->cycle >= wake.dram_core)))
            return;
        advance_clocks(g, tick);
        g->dram_cycle += IS(CLOCK_DRAM);
        g->l2_cycle += IS(CLOCK_L2);
        g->cycle += IS(CLOCK_CORE);
        g->countdown -= IS(CLOCK_CORE) && g->countdown;
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Sets how many blocks an SM holds: at most its share of the grid. */
static bool set_limit(struct staged *g, struct rp_error *err)
{
    const struct machine *m = g->machine;
    uint64_t warps = rp_launch_warps(g->launch),
             shared = (uint64_t)g->kernel->static_shared + g->launch->dynamic_shared;
    uint64_t grain = (uint64_t)m->register_granularity, registers = (uint64_t)g->kernel->registers * RP_WARP_LANES;
    registers = (registers + grain - 1) / grain * grain * warps;
    uint64_t limit =
        least((uint64_t)m->blocks, least((uint64_t)m->warps, (uint64_t)m->threads / RP_WARP_LANES) / warps);
    limit = shared ? least(limit, (uint64_t)m->shared_bytes / shared) : limit;
    limit = registers ? least(limit, (uint64_t)m->registers / registers) : limit;
    if (!limit)
        return rp_fail(err, RP_BAD_INPUT, "%s: launch %" PRIu32 " (%s): a block of it does not fit on an SM of %s",
                       rp_trace_path(g->trace), g->launch_number, g->kernel->name, m->name);
    if (!cooperative_fits(m, g->kernel, g->launch, limit, err))
        return false;
    uint64_t sms = (uint64_t)m->sms;
    g->limit = (unsigned)(g->blocks < limit * sms ? (g->blocks + sms - 1) / sms : limit);
    g->warps_per_block = (unsigned)warps;
    for (uint64_t s = 0; g->l1 && s < sms; s++) {
        g->sms[s].l1_ways = l1_ways(g, carveout_l1(m, g->limit * shared));
        staged_empty_l1(&g->sms[s]);
    }
    return true;
}

static void copies_before(struct staged *g)
{
    size_t at = operations_after(g->trace, g->launch_number), end = operations_after(g->trace, g->launch_number + 1);
    for (; g->machine->warm_l2 && at < end; at++) {
        const struct rp_host_operation *o = rp_trace_host_operation(g->trace, at);
        if (o->kind == RP_HOST_COPY && o->direction == RP_COPY_TO_DEVICE)
            staged_copy(g, o->address, o->size);
    }
}

static bool begin_launch(struct staged *g, struct rp_trace *trace, const struct engine_launch *l, struct rp_error *err)
{
    g->trace = trace;
    g->launch_number = l->number;
    g->launch = l->launch;
    g->kernel = l->kernel;
    g->blocks = l->blocks;
    g->next_block = 0;
    g->begin = g->cycle;
    g->may_place = true;
    for (int64_t s = 0; s < g->machine->sms; s++)
        staged_begin_launch(&g->sms[s]);
    g->countdown = (uint64_t)g->o[STAGED_LAUNCH_LATENCY];
    g->statistics = &l->out->statistics;
    g->err = err;
    free(g->statics);
    g->statics = NULL;
    if (!launch_is_supported(g->kernel, g->launch, false, err) || !staged_statics(g, err) || !set_limit(g, err))
        return false;
    for (int64_t s = 0; s < g->machine->sms; s++)
        if (!new_registers(g, &g->sms[s]))
            return rp_fail(err, RP_SYSTEM, "out of memory for machine %s", g->machine->name);
    copies_before(g);
    return true;
}

#define STUCK 3000000u /* cycles without an instruction: no access takes that long */

static bool is_stuck(struct staged *g, const struct engine_launch *l)
{
    if (l->cut_short) {
        snprintf(l->out->warning, sizeof l->out->warning, "the recording ended early: warps wait for ever");
        return true;
    }
    return rp_fail(g->err, RP_BAD_INPUT, "%s: launch %" PRIu32 " (%s): its warps wait for ever; at different barriers?",
                   rp_trace_path(g->trace), g->launch_number, g->kernel->name);
}

static bool run_launch(struct staged *g, const struct engine_job *job, const struct engine_launch *l)
{
    uint64_t last = g->age, since = g->cycle, reported = 0, patience = STUCK + g->countdown;
    while (g->next_block < g->blocks || g->live_blocks) {
        if (pass(g) && all_sleep(g))
            sleep_on(g);
        if (g->no_memory && !g->failed)
            return rp_fail(g->err, RP_SYSTEM, "out of memory for machine %s", g->machine->name);
        if (g->failed)
            return false;
        since = g->age != last ? g->cycle : since;
        last = g->age;
        if (g->cycle - since > patience)
            return is_stuck(g, l);
        uint64_t here = g->statistics->warp_instructions;
        if (job->progress && here - reported >= PROGRESS_EVERY) {
            job->progress(job->progress_data, here - reported);
            reported = here;
        }
    }
    if (job->progress)
        job->progress(job->progress_data, g->statistics->warp_instructions - reported);
    return true;
}

/* Runs the next launch, alone. Caches, device memory and clocks are as the launch before left them. */
static bool staged_run(void *state, const struct engine_job *job, enum replay_engine mode, struct statistics *sum,
                       struct rp_error *err)
{
    struct staged *g = state;
    (void)mode;
    struct engine_period period = {.job = job};
    struct engine_launch l;
    if (!engine_take_alone(&period, &l, err))
        return false;
    staged_observe(g, job);
    bool fine = begin_launch(g, job->trace, &l, err) && run_launch(g, job, &l);
    for (int64_t s = 0; s < g->machine->sms; s++)
        staged_charge_idle(&g->sms[s]);
    if (!fine)
        return false;
    staged_dram_count(g, job->channels);
    engine_ended(&period, &l, g->cycle - g->begin);
    *sum = period.sum;
    return true;
}

static void staged_close(void *state)
{
    struct staged *g = state;
    if (!g)
        return;
    for (int64_t s = 0; g->sms && s < g->machine->sms; s++)
        free_sm(g, &g->sms[s]);
    free(g->sms);
    staged_chip_free(g);
    for (struct inst *in = g->spare, *next; in; in = next) {
        next = in->next;
        free_inst(in);
    }
    free(g->statics);
    free(g->lists);
    free(g);
}

/* The length of the ring of results: the time of the longest instruction. A launch with longer ones is refused when it
 * begins. */
static unsigned ring_of(const struct machine *m)
{
    int64_t most = 0;
    unsigned ring = 64;
    for (unsigned c = 0; c < RP_CLASS_COUNT; c++)
        most = m->classes[c].initiation + m->classes[c].latency > most
                   ? m->classes[c].initiation + m->classes[c].latency
                   : most;
    for (unsigned s = 0; s < RP_SPACE_COUNT; s++)
        most = m->spaces[s].initiation + m->spaces[s].latency > most ? m->spaces[s].initiation + m->spaces[s].latency
                                                                     : most;
    while (ring < STAGED_RING && ring < most + 4)
        ring *= 2;
    return ring;
}

static double period_of(const struct staged *g, const struct clock_domain *clock)
{
    return 1 / ((double)clock_mhz_of(clock, g->machine->clock_mhz) / 1e3);
}

static void take_clocks(struct staged *g)
{
    const struct memory_layout *l = &g->layout;
    const struct clock_domain core = {1, 1};
    g->period[CLOCK_CORE] = period_of(g, &core);
    g->period[CLOCK_CROSSBAR] = period_of(g, &l->links);
    g->period[CLOCK_L2] = period_of(g, &l->l2.clock);
    g->period[CLOCK_DRAM] = period_of(g, &l->dram_clock);
    g->one_clock = clock_is_core(&l->links) && clock_is_core(&l->l2.clock);
}

static void take_machine(struct staged *g, const struct machine *m)
{
    const struct memory_layout *l = &g->layout;
    g->machine = m;
    g->o = m->pipeline.options;
    memory_layout_of(m, &g->layout);
    g->l1 = l->l1.model->stepped;
    g->l2 = l->l2.model->stepped;
    g->dram = l->dram->stepped;
    g->l1_misses = g->l1 ? g->l1->misses(l->l1.part->options) : 0;
    g->l2_misses = g->l2 ? g->l2->misses(l->l2.part->options) : 0;
    g->has_crossbar = l->interconnect.flit;
    g->slice_queues = staged_bound(l->l2.queue);
    /* as in Accel-Sim, each slice has an entry of its own in the channel, and shares the other entries */
    g->channel_most = g->dram ? g->dram->holds(m->dram.options) - l->channel_slices.count + 1 : 0;
    g->channel_latency = l->dram->ahead(m->dram.options);
    take_clocks(g);
}

/* In fast mode, components sleep while nothing can change in them. */
static void *staged_open(const struct machine *machine, enum replay_engine mode, struct memory_system *memory,
                         struct rp_error *err)
{
    (void)memory;
    struct staged *g = calloc(1, sizeof *g);
    bool fine = g;
    if (fine) {
        take_machine(g, machine);
        g->skips = mode == REPLAY_FAST;
        g->ring_mask = ring_of(machine) - 1;
        g->sms = calloc((size_t)machine->sms, sizeof *g->sms);
        fine = g->sms && staged_chip_new(g);
    }
    for (unsigned s = 0; fine && s < (unsigned)machine->sms; s++)
        fine = new_sm(g, s);
    if (fine)
        return g;
    rp_fail(err, RP_SYSTEM, "out of memory for machine %s", machine->name);
    staged_close(g);
    return NULL;
}

const struct engine engine_staged = {.name = "staged",
                                     .pipeline = &pipeline_staged,
                                     .modes = 1u << REPLAY_FAST | 1u << REPLAY_REFERENCE,
                                     .capabilities = ENGINE_KEEPS_STATE,
                                     .events = OBSERVE_LAUNCH | OBSERVE_BLOCK | OBSERVE_ISSUE | OBSERVE_DONE |
                                               OBSERVE_STALL | OBSERVE_ACCESS | OBSERVE_DRAM,
                                     .fits = staged_fits,
                                     .open = staged_open,
                                     .run = staged_run,
                                     .close = staged_close};
