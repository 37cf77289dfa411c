/* The engine of chips of many cores: a launch from its first cycle to its last, and which machines fit. */
#include "replay/engines/cores/cores.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/machine_parts.h"
#include "replay/engines/cores/chip.h"

void chip_out_of_memory(struct chip *c)
{
    c->failed = true;
    rp_fail(c->err, RP_SYSTEM, "out of memory for machine %s", c->machine->name);
}

void chip_add_event(struct chip *c, uint64_t cycle, enum event_kind kind, uint32_t who, uint64_t number, uint32_t what)
{
    if (!agenda_add(&c->agenda, (struct event){cycle, event_order(kind, who, number), what}))
        chip_out_of_memory(c);
}

/* ---- beginning ----------------------------------------------------------------------------------------------------
 */

static unsigned log_of(int64_t power) { return (unsigned)__builtin_ctzll((uint64_t)power); }

static uint32_t sets_of(int64_t size, int64_t line, int64_t ways) { return (uint32_t)(size / line / ways); }

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

static bool open_core(struct chip *c, uint32_t id)
{
    const struct machine *m = c->machine;
    struct core *core = &c->cores[id];
    core->id = id;
    core->lane = id % c->block_cores % RP_WARP_LANES;
    return lines_open(&core->l1i, sets_of(m->l1i_size, m->l1i_line, m->l1i_ways), (uint32_t)m->l1i_ways,
                      m->l1i_replacement) &&
           lines_open(&core->l1d, sets_of(m->l1d_size, m->l1d_line, m->l1d_ways), (uint32_t)m->l1d_ways,
                      m->l1d_replacement);
}

static bool open_cores(struct chip *c)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < c->core_count; i++)
        fine = open_core(c, i);
    return fine;
}

static bool open_memory(struct chip *c)
{
    const struct machine *m = c->machine;
    bool fine = true;
    for (uint32_t b = 0; fine && b < c->bank_count; b++) {
        c->banks[b].tile = mesh_spread(c, b, c->bank_count);
        fine = lines_open(&c->banks[b].lines, sets_of(m->l2_size / m->l2_banks, m->l2_line, m->l2_ways),
                          (uint32_t)m->l2_ways, m->l2_replacement);
    }
    for (uint32_t i = 0; fine && i < c->channel_count; i++) {
        c->channels[i] = (struct channel){.state = machine_part_state(&m->dram),
                                          .tile = mesh_spread(c, i, c->channel_count),
                                          .advance = ENGINE_NEVER};
        if ((fine = c->channels[i].state))
            c->dram->reset(c->channels[i].state, m->dram.options);
    }
    return fine && (!c->msi || directory_open(&c->directory, c->core_count));
}

static void place_tiles(struct chip *c)
{
    for (uint32_t t = 0; t < (uint32_t)c->machine->cores; t++) {
        c->column[t] = (uint16_t)(t % (uint32_t)c->machine->mesh_columns);
        c->row[t] = (uint16_t)(t / (uint32_t)c->machine->mesh_columns);
    }
}

static bool chip_open(struct chip *c, const struct machine *m, const struct rp_launch *l)
{
    struct memory_layout layout;
    memory_layout_of(m, &layout);
    c->msi = m->coherence == COHERENCE_MSI;
    c->block_cores = rp_launch_threads(l);
    c->core_count = least(rp_launch_blocks(l) * c->block_cores, (uint64_t)m->cores);
    c->bank_count = (uint32_t)m->l2_banks;
    c->channel_count = (uint32_t)m->dram_channels;
    c->parts = layout.channels;
    c->dram = layout.dram;
    c->dram_sector = (uint64_t)machine_part_value(&m->dram, "sector", m->l2_line);
    c->l1i_shift = log_of(m->l1i_line);
    c->l1d_shift = log_of(m->l1d_line);
    c->l2_shift = log_of(m->l2_line);
    c->miss_free = NOBODY;
    memset(c->miss_heads, 0xff, sizeof c->miss_heads);
    c->cores = calloc(c->core_count, sizeof *c->cores);
    c->column = calloc((size_t)m->cores, sizeof *c->column);
    c->row = calloc((size_t)m->cores, sizeof *c->row);
    c->banks = calloc(c->bank_count, sizeof *c->banks);
    c->channels = calloc(c->channel_count, sizeof *c->channels);
    if (!c->cores || !c->column || !c->row || !c->banks || !c->channels)
        return false;
    place_tiles(c);
    return open_cores(c) && open_memory(c);
}

static void chip_close(struct chip *c)
{
    for (uint32_t i = 0; c->cores && i < c->core_count; i++) {
        if (c->cores[i].open)
            rp_cursor_close(&c->cores[i].cursor);
        lines_close(&c->cores[i].l1i);
        lines_close(&c->cores[i].l1d);
    }
    for (uint32_t b = 0; c->banks && b < c->bank_count; b++)
        lines_close(&c->banks[b].lines);
    for (uint32_t i = 0; c->channels && i < c->channel_count; i++) {
        free(c->channels[i].state);
        free(c->channels[i].waiting);
    }
    directory_close(&c->directory);
    agenda_free(&c->agenda);
    void *all[] = {c->cores, c->column, c->row, c->banks, c->channels, c->misses};
    for (size_t i = 0; i < MODEL_COUNT_OF(all); i++)
        free(all[i]);
}

/* ---- a launch -----------------------------------------------------------------------------------------------------
 */

/* Opens the blocks that the trace holds, and a cursor for each of their cores. The others never have a program. */
static bool open_blocks(struct chip *c, struct rp_block **blocks)
{
    uint32_t count = least(c->of->blocks * c->block_cores, c->core_count);
    for (uint32_t i = 0; i < count; i++) {
        struct core *core = &c->cores[i];
        uint32_t b = i / c->block_cores, warp = i % c->block_cores / RP_WARP_LANES;
        if (!blocks[b] && !(blocks[b] = rp_block_open(c->job->trace, c->of->number, b, c->err)))
            return false;
        if (!(core->open = rp_cursor_open(&core->cursor, blocks[b], warp, c->err)))
            return false;
        c->barrier.live++;
        chip_add_event(c, 0, EVENT_CORE, i, 0, 0);
    }
    return !c->failed;
}

static void handle(struct chip *c, const struct event *e)
{
    uint32_t who = event_who(e);
    switch (event_kind(e)) {
    case EVENT_FILL: bank_filled(c, e->what); break;
    case EVENT_ADVANCE: channel_advance(c, who); break;
    case EVENT_READ: channel_read(c, who, e->what); break;
    case EVENT_WRITE: channel_write(c, who, e->what); break;
    case EVENT_WRITE_BACK: bank_write_back(c, &c->cores[who], e->what); break;
    case EVENT_REQUEST: bank_request(c, &c->cores[who]); break;
    case EVENT_CORE: core_run(c, &c->cores[who]); break;
    }
}

/* Until nothing is left to happen: also what cores have written back reaches device memory. */
static bool run_chip(struct chip *c)
{
    uint64_t told = 0;
    while (c->agenda.count && !c->failed) {
        const struct event e = agenda_take(&c->agenda);
        c->now = e.cycle;
        handle(c, &e);
        if (c->job->progress && c->counts->thread_instructions - told >= RP_WARP_LANES * PROGRESS_EVERY) {
            c->job->progress(c->job->progress_data, (c->counts->thread_instructions - told) / RP_WARP_LANES);
            told = c->counts->thread_instructions;
        }
    }
    return !c->failed;
}

/* Adds what cores and channels counted. */
static void sum_up(struct chip *c)
{
    struct statistics *s = c->counts;
    const unsigned counters = c->dram->model.counter_count;
    uint64_t cores = (uint64_t)c->machine->cores;
    for (uint32_t i = 0; i < c->core_count; i++) {
        struct core_counts *k = &c->cores[i].counts;
        k->idle = c->end - (k->base + k->fetch + k->load + k->store + k->barrier);
        core_counts_add(&s->cores, k);
        if (c->job->cores)
            core_counts_add(&c->job->cores[i], k);
    }
    for (uint32_t i = c->core_count; c->job->cores && i < cores; i++)
        c->job->cores[i].idle += c->end;
    s->cores.idle += (cores - c->core_count) * c->end;
    for (uint32_t i = 0; counters && i < c->channel_count; i++)
        move_counters(c->dram->model.counted(c->channels[i].state, c->now), counters, s->memory.dram_counters,
                      c->job->channels + (size_t)i * counters);
    s->issue_cycles = s->cores.base;
    s->stall[STALL_FETCH] = s->cores.fetch;
    s->stall[STALL_MEMORY] = s->cores.load + s->cores.store;
    s->stall[STALL_BARRIER] = s->cores.barrier;
    s->idle_cycles = s->cores.idle;
    s->sm_cycles = s->warp_cycles = cores * c->end - s->cores.idle;
}

static bool run_launch(struct chip *c, struct rp_error *err)
{
    struct rp_block **blocks = calloc(rp_launch_blocks(c->of->launch), sizeof *blocks);
    const struct rp_launch_totals totals = rp_trace_launch_totals(c->job->trace, c->of->number);
    bool fine = blocks && chip_open(c, c->machine, c->of->launch);
    if (!fine)
        rp_fail(err, RP_SYSTEM, "out of memory for machine %s", c->machine->name);
    fine = fine && open_blocks(c, blocks) && run_chip(c);
    if (fine) {
        sum_up(c);
        c->counts->blocks = totals.blocks;
        c->counts->warps = totals.blocks * rp_launch_warps(c->of->launch);
        c->counts->warp_instructions = totals.warp_instructions;
    }
    chip_close(c);
    for (uint64_t b = 0; blocks && b < rp_launch_blocks(c->of->launch); b++)
        if (blocks[b])
            rp_block_close(blocks[b]);
    free(blocks);
    return fine;
}

/* Whether the trace has an instruction of the core: 1, 0, or -1 after an error. The last block of a launch may have
 * more threads than there were cores. */
static int core_does_something(const struct engine_job *job, const struct engine_launch *l, uint64_t core,
                               struct rp_error *err)
{
    uint32_t threads = rp_launch_threads(l->launch), thread = (uint32_t)(core % threads);
    struct rp_block *block = rp_block_open(job->trace, l->number, core / threads, err);
    struct rp_cursor cursor;
    struct rp_step step;
    int does = -1;
    if (block && rp_cursor_open(&cursor, block, thread / RP_WARP_LANES, err)) {
        does = rp_cursor_next_of(&cursor, thread % RP_WARP_LANES, &step, err);
        rp_cursor_close(&cursor);
    }
    if (block)
        rp_block_close(block);
    return does;
}

/* How many cores a machine needs for the launch, if that is more than it has; else how many it has. 0: an error. */
static uint64_t cores_needed(const struct engine_job *job, const struct engine_launch *l, struct rp_error *err)
{
    const uint64_t threads = rp_launch_threads(l->launch), has = (uint64_t)job->machine->cores;
    const uint64_t blocks = rp_launch_blocks(l->launch), recorded = l->blocks < blocks ? l->blocks : blocks;
    for (uint64_t needed = recorded * threads; needed > has; needed--) {
        int does = core_does_something(job, l, needed - 1, err);
        if (does)
            return does > 0 ? needed : 0;
    }
    return has;
}

/* Whether the launch is a guest with no more cores than the machine has. */
static bool launch_fits(const struct engine_job *job, const struct engine_launch *l, struct rp_error *err)
{
    const struct rp_module *module = l->kernel->module ? rp_trace_module(job->trace, l->kernel->module - 1) : NULL;
    if (!module || strcmp(module->isa, "guest"))
        return rp_fail(err, RP_USAGE,
                       "%s: launch %" PRIu32
                       " (%.80s) is of a GPU's kernel, but machine %s has cores, which replay programs "
                       "that 'reprise record --guest' records",
                       rp_trace_path(job->trace), l->number, l->kernel->name, job->machine->name);
    const uint64_t needed = cores_needed(job, l, err);
    return needed && (needed <= (uint64_t)job->machine->cores ||
                      rp_fail(err, RP_USAGE,
                              "%s: the program ran on more cores than machine %s has (%" PRId64
                              "); choose another one, or give --set cores=%" PRIu64,
                              rp_trace_path(job->trace), job->machine->name, job->machine->cores, needed));
}

static bool cores_run(void *none, const struct engine_job *job, enum replay_engine engine, struct statistics *sum,
                      struct rp_error *err)
{
    (void)none;
    struct engine_period period = {.job = job};
    struct engine_launch of;
    if (!engine_take_alone(&period, &of, err) || !launch_fits(job, &of, err))
        return false;
    struct chip *c = calloc(1, sizeof *c);
    if (!c)
        return rp_fail(err, RP_SYSTEM, "out of memory for machine %s", job->machine->name);
    c->machine = job->machine;
    c->job = job;
    c->of = &of;
    c->plain = engine == REPLAY_REFERENCE;
    c->counts = &of.out->statistics;
    c->err = err;
    bool fine = run_launch(c, err);
    uint64_t end = c->end;
    free(c);
    if (!fine)
        return false;
    engine_ended(&period, &of, end);
    *sum = period.sum;
    return true;
}

/* ---- which machines fit -------------------------------------------------------------------------------------------
 */

static bool misfit(struct machine_misfit *out, const char *key, const char *why)
{
    out->keys[0] = key;
    snprintf(out->text, sizeof out->text, "%s", why);
    return false;
}

static bool is_power(int64_t n) { return !(n & (n - 1)); }

/* A cache of these bytes, in so many parts, has whole sets. */
static bool has_sets(int64_t size, int64_t parts, int64_t line, int64_t ways)
{
    return is_power(line) && size % (parts * line * ways) == 0 && size >= parts * line * ways;
}

static bool caches_fit(const struct machine *m, struct machine_misfit *out)
{
    enum { MOST_GIB = 4 };
    if (!has_sets(m->l1i_size, 1, m->l1i_line, m->l1i_ways))
        return misfit(out, "l1i.", "l1i: line must be a power of two, and size a multiple of line × ways");
    if (!has_sets(m->l1d_size, 1, m->l1d_line, m->l1d_ways))
        return misfit(out, "l1d.", "l1d: line must be a power of two, and size a multiple of line × ways");
    if (!has_sets(m->l2_size, m->l2_banks, m->l2_line, m->l2_ways))
        return misfit(out, "l2.", "l2: line must be a power of two, and size a multiple of banks × line × ways");
    if (m->l1i_line > m->l2_line || m->l1d_line > m->l2_line) {
        out->keys[1] = "l2.line";
        return misfit(out, m->l1i_line > m->l2_line ? "l1i.line" : "l1d.line", "a line of L1 must fit into one of L2");
    }
    uint64_t all = (uint64_t)(m->cores * (m->l1i_size + m->l1d_size) + m->l2_size);
    return all <= (uint64_t)MOST_GIB << 30 ||
           misfit(out, "l2.size", "the caches of all cores and L2 are larger than 4 GiB, the most that is simulated");
}

static bool memory_fits(const struct machine *m, struct machine_misfit *out)
{
    if (m->l2_line % machine_part_value(&m->dram, "sector", m->l2_line)) {
        out->keys[1] = "l2.line";
        return misfit(out, "dram.sector", "a line of L2 must be a multiple of dram.sector");
    }
    if (m->dram_channels > 1 && m->dram_interleave < m->l2_line) {
        out->keys[1] = "l2.line";
        return misfit(out, "dram.interleave", "a line of L2 must lie in one channel (dram.interleave)");
    }
    return true;
}

static bool cores_fit(const struct machine *m, struct machine_misfit *out)
{
    bool chosen = m->pipeline.model == &pipeline_cores;
    if (!machine_is_cores(m))
        return !chosen || misfit(out, "pipeline.model",
                                 "pipeline 'cores' is that of machines of kind 'cores', which do not name it");
    if (m->mesh_columns > m->cores) {
        out->keys[1] = "cores";
        return misfit(out, "mesh.columns",
                      "a row of the mesh has more tiles than there are cores; set mesh.columns to fewer");
    }
    if (m->l2_banks > m->cores || m->dram_channels > m->cores) {
        out->keys[1] = "cores";
        return misfit(out, m->l2_banks > m->cores ? "l2.banks" : "dram.channels",
                      "a tile has at most one bank of L2 and one channel; set l2.banks and dram.channels to at most "
                      "the number of cores");
    }
    return caches_fit(m, out) && memory_fits(m, out);
}

const struct engine engine_cores = {.name = "cores",
                                    .pipeline = &pipeline_cores,
                                    .modes = 1u << REPLAY_FAST | 1u << REPLAY_REFERENCE,
                                    .events = OBSERVE_LAUNCH | OBSERVE_ISSUE | OBSERVE_STALL,
                                    .fits = cores_fit,
                                    .run = cores_run};
