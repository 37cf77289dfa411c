#include "tools/wcet/analysis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/interrupt.h"
#include "tools/wcet/blocks.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The terms of the overlap bound (Theorem 3). */
struct overlap {
    uint64_t slots;  /* cycles in which an issue slot is used or a unit initiates, on the sub-core of the chain */
    uint64_t work;   /* the same on all sub-cores, of the present block */
    uint64_t ports;  /* cycles for which ports are occupied */
    uint64_t chain;  /* the longest chain of latencies, of the present block */
    uint64_t silent; /* the same up to a result of a silent unit, without what is in its queue; 0: none */
};

struct analysis {
    struct rp_trace *trace;
    const struct wcet_watch *watch;
    struct wcet_model model;
    struct wcet_caches *caches; /* NULL: there are none, or their content is unknown */
    struct wcet_bounds *bounds;
    size_t section_capacity;
    struct overlap overlap;
    struct wcet_block *blocks;
    uint64_t silent; /* the last result of a silent unit by Theorem 2, without what is in its queue; 0: none */
    uint64_t queued; /* what may be in the queue of a silent unit (Lemma 4) */
};

/* A block under analysis. */
struct run {
    struct analysis *analysis;
    uint64_t block;
    struct rp_block *trace;
    uint32_t warps, section;
    struct lane *lanes;
    struct wcet_sums *sums; /* by warp, of the section */
};
struct lane { /* one warp */
    struct wcet_warp warp;
    struct wcet_sink sink;
    struct wcet_steps steps;
    struct run *run;
    uint32_t number;
    bool open, over; /* open: cursor and warp have to be freed; over: the warp has ended */
};

static struct wcet_location place_of(const struct lane *l)
{
    return (struct wcet_location){l->run->block, l->number, l->run->section};
}

static void on_phase(void *data, const struct wcet_phase *phase)
{
    const struct lane *l = data;
    struct wcet_location place = place_of(l);
    l->run->analysis->watch->phase(l->run->analysis->watch->data, &place, phase);
}

static void on_instant(void *data, const struct wcet_instant *instant)
{
    const struct lane *l = data;
    struct wcet_location place = place_of(l);
    l->run->analysis->watch->instant(l->run->analysis->watch->data, &place, instant);
}

/* ---- a section --------------------------------------------------------------------------------------------------- */

int wcet_run_section(struct wcet_warp *w, struct wcet_steps *steps, uint64_t *instructions, struct rp_error *err)
{
    struct rp_step step;
    struct wcet_op op;
    struct wcet_transactions list;
    int more;
    while ((more = wcet_steps_next(steps, &step, err)) > 0) {
        ++*instructions;
        if (!wcet_op_of(w->model, &step, &op, &list, err) ||
            (w->caches && !wcet_caches_charge(w->caches, &list, &op, err)))
            return -1;
        if (wcet_warp_step(w, step.index, wcet_steps_wait(steps, &step, err), &op))
            return 1;
    }
    return more;
}

static bool keep_section(struct analysis *a, const struct wcet_section *section, struct rp_error *err)
{
    struct wcet_bounds *b = a->bounds;
    if (b->section_count == a->section_capacity) {
        size_t capacity = a->section_capacity ? 2 * a->section_capacity : 16;
        struct wcet_section *more = realloc(b->sections, capacity * sizeof *more);
        if (!more)
            return rp_fail(err, RP_SYSTEM, "out of memory for the sections of a launch");
        b->sections = more;
        a->section_capacity = capacity;
    }
    b->sections[b->section_count++] = *section;
    b->gub += section->gub;
    b->serial += section->serial;
    if (section->silent)
        a->silent = later(a->silent, b->sections_bound + section->silent);
    b->sections_bound += section->sections;
    return true;
}

/* Adds a section to the overlap bound. During a section the chain is on one sub-core: the one with the largest sum. */
static void add_overlap(struct run *run)
{
    struct analysis *a = run->analysis;
    uint32_t subcores = (uint32_t)a->model.machine->subcores;
    uint64_t most = 0;
    for (uint32_t c = 0; c < subcores; c++) {
        uint64_t slots = 0;
        for (uint32_t w = c; w < run->warps; w += subcores) {
            const struct wcet_sums *s = &run->sums[w];
            slots += s->issues;
            for (uint32_t u = 0; u < a->model.machine->unit_count; u++)
                slots += a->model.silent[u] ? 0 : s->residue[u];
        }
        a->overlap.work += slots;
        most = later(most, slots);
    }
    a->overlap.slots += most;
    for (uint32_t w = 0; w < run->warps; w++)
        for (unsigned p = WCET_NO_PORT + 1; p < WCET_PORTS; p++)
            a->overlap.ports += run->sums[w].port[p];
}

static bool same_barrier(const struct run *run, struct rp_error *err)
{
    int32_t id = -1;
    for (uint32_t w = 0; w < run->warps; w++) {
        if (!run->sums[w].barrier)
            continue;
        if (id >= 0 && run->sums[w].barrier_id != id)
            return rp_fail(err, RP_BAD_INPUT,
                           "block %" PRIu64 ": in section %u, warps wait at different barriers (%d and %d); this is "
                           "not covered",
                           run->block, run->section, (int)id, (int)run->sums[w].barrier_id);
        id = run->sums[w].barrier_id;
    }
    return true;
}

/* Runs every warp that has not ended to its next barrier or its end. *chain: the cycle in which the section's chain of
 * latencies begins; on return, that of the next section. */
static bool section(struct run *run, uint64_t *chain, bool *more, struct rp_error *err)
{
    struct analysis *a = run->analysis;
    uint64_t next = 0;
    *more = false;
    if (a->caches && !wcet_caches_section(a->caches, run->warps, err))
        return false;
    for (uint32_t i = 0; i < run->warps; i++) {
        struct lane *l = &run->lanes[i];
        run->sums[i] = (struct wcet_sums){.empty = true};
        if (l->over)
            continue;
        if (a->caches)
            wcet_caches_warp(a->caches, i);
        wcet_warp_open(&l->warp, *chain);
        int at = wcet_run_section(&l->warp, &l->steps, &a->bounds->instructions, err);
        if (at < 0)
            return false;
        if (a->watch && a->watch->progress)
            a->watch->progress(a->watch->progress_data, a->bounds->instructions);
        l->over = at == 0;
        *more |= !l->over;
        wcet_warp_close(&l->warp, l->over);
        run->sums[i] = l->warp.sums;
        next = later(next, l->warp.chain);
        a->overlap.chain = later(a->overlap.chain, l->warp.chain_done);
        a->overlap.silent = later(a->overlap.silent, l->warp.chain_silent);
        a->bounds->exec += l->warp.sums.exec;
        a->bounds->idle += l->warp.sums.alone - l->warp.sums.exec;
    }
    if (!same_barrier(run, err))
        return false;
    for (uint32_t i = 0; a->caches && i < run->warps; i++)
        run->sums[i].fetches = wcet_caches_fetches(a->caches, i);
    struct wcet_section bounds;
    wcet_section_bounds(&a->model, run->sums, run->warps, &bounds);
    add_overlap(run);
    *chain = next + (uint64_t)a->model.machine->barrier_latency;
    run->section++;
    return keep_section(a, &bounds, err);
}

/* ---- a block ------------------------------------------------------------------------------------------------------
 */

static bool open_lanes(struct run *run, struct rp_error *err)
{
    struct analysis *a = run->analysis;
    run->warps = rp_block_warps(run->trace);
    run->lanes = calloc(run->warps + 1, sizeof *run->lanes);
    run->sums = calloc(run->warps + 1, sizeof *run->sums);
    if (!run->lanes || !run->sums)
        return rp_fail(err, RP_SYSTEM, "out of memory for the warps of a block");
    for (uint32_t i = 0; i < run->warps; i++) {
        struct lane *l = &run->lanes[i];
        l->run = run;
        l->number = i;
        l->sink = (struct wcet_sink){a->watch && a->watch->phase ? on_phase : NULL,
                                     a->watch && a->watch->instant ? on_instant : NULL, l};
        if (!wcet_warp_begin(&l->warp, &a->model, &l->sink, err))
            return false;
        l->warp.caches = a->caches;
        l->open = wcet_steps_open(&l->steps, run->trace, a->model.launch, i, err);
        if (!l->open) {
            wcet_warp_end(&l->warp);
            return false;
        }
    }
    return true;
}

static void close_run(struct run *run)
{
    for (uint32_t i = 0; run->lanes && i < run->warps; i++)
        if (run->lanes[i].open) {
            wcet_steps_close(&run->lanes[i].steps);
            wcet_warp_end(&run->lanes[i].warp);
        }
    free(run->lanes);
    free(run->sums);
    if (run->trace)
        rp_block_close(run->trace);
}

/* Bounds what may be in the queue of a silent unit, from the runs of instructions that warps issue to it. */
static void add_queues(struct run *run)
{
    for (uint32_t u = 0; u < run->analysis->model.machine->unit_count; u++) {
        uint64_t queued = 0;
        for (uint32_t w = 0; w < run->warps; w++)
            queued += run->lanes[w].warp.most[u];
        run->analysis->queued = later(run->analysis->queued, queued);
    }
}

/* `place`: the index of the block among those that are analysed. */
static bool one_block(struct analysis *a, uint64_t block, uint64_t place, struct rp_error *err)
{
    struct run run = {.analysis = a, .block = block};
    uint64_t chain = (uint64_t)a->model.machine->dispatch_latency;
    bool more = true;
    a->overlap.chain = chain + 1; /* a block lasts a cycle at least */
    a->overlap.work = 0;
    if (a->caches)
        wcet_caches_block(a->caches);
    run.trace = rp_block_open(a->trace, a->bounds->launch, block, err);
    bool fine = run.trace && open_lanes(&run, err);
    while (fine && more)
        fine = section(&run, &chain, &more, err);
    if (fine)
        add_queues(&run);
    a->bounds->warps += run.warps;
    a->blocks[place] = (struct wcet_block){a->overlap.work, a->overlap.chain};
    close_run(&run);
    return fine;
}

/* ---- a launch -----------------------------------------------------------------------------------------------------
 */

static bool conclude(struct analysis *a, struct rp_error *err)
{
    struct wcet_bounds *b = a->bounds;
    uint64_t start = (uint64_t)a->model.machine->dispatch_latency, resident, together;
    if (!wcet_resident(&a->model, &resident, err) ||
        !wcet_blocks_bound(a->blocks, b->blocks, resident, (uint64_t)a->model.machine->sms, &together, err))
        return false;
    if (a->caches) {
        a->overlap.ports += wcet_caches_fetches_of_launch(a->caches);
        b->caches = *wcet_caches_counts(a->caches);
    }
    b->resident = resident < b->blocks ? resident : b->blocks;
    b->gub_applies = b->blocks == 1;
    if (!b->gub_applies) {
        b->gub = 0;
        b->overlap = together + a->overlap.ports;
        b->serial = b->sections_bound = b->overlap;
    } else {
        uint64_t silent = a->overlap.silent ? a->overlap.silent + a->queued : 0;
        b->overlap = a->overlap.slots + a->overlap.ports + later(a->overlap.chain, silent);
        b->sections_bound = later(b->sections_bound, a->silent ? a->silent + a->queued : 0);
        b->gub = start + later(b->gub, 1);
        b->serial = start + later(b->serial, 1);
        b->sections_bound = start + later(b->sections_bound, 1);
    }
    uint64_t launching = (uint64_t)a->model.machine->launch_latency;
    b->gub += b->gub_applies ? launching : 0;
    b->serial += launching;
    b->sections_bound += launching;
    b->overlap += launching;
    b->unit_bound = smaller(b->serial, smaller(b->sections_bound, b->overlap));
    return true;
}

/* A launch that was not recorded to its end has no bound: the missing part could take any time. */
static bool whole(struct rp_trace *t, uint32_t launch, struct rp_error *err)
{
    const struct rp_launch_end *end = rp_trace_launch_end(t, launch);
    bool all = rp_trace_launch_totals(t, launch).blocks == rp_launch_blocks(rp_trace_launch(t, launch));
    if (end && end->outcome == RP_OUTCOME_COMPLETE && all)
        return true;
    return rp_fail(err, RP_BAD_INPUT,
                   "%s: launch %" PRIu32 ": it was not recorded to its end, so nothing can be bounded",
                   rp_trace_path(t), launch);
}

/* With several launches the error names the one that is not supported. */
static bool begin_model(struct analysis *a, const struct rp_launch *l, const struct machine *machine,
                        unsigned extensions, struct rp_error *err)
{
    struct rp_error why;
    if (wcet_model_begin(&a->model, machine, rp_trace_kernel(a->trace, l->kernel), l, extensions, &why)) {
        a->bounds->assumed = a->model.assumed;
        return true;
    }
    if (rp_trace_launch_count(a->trace) == 1)
        return rp_fail(err, why.status, "%s", why.text);
    return rp_fail(err, why.status, "launch %" PRIu32 ": %s", a->bounds->launch, why.text);
}

/* The launch of one block alone. */
static struct rp_launch alone_launch(const struct rp_launch *l)
{
    struct rp_launch alone = *l;
    alone.grid[0] = alone.grid[1] = alone.grid[2] = 1;
    return alone;
}

bool wcet_covers(struct rp_trace *t, uint32_t launch, const char *block, const struct machine *machine,
                 unsigned extensions, struct rp_error *err)
{
    struct wcet_bounds unused = {.launch = launch};
    struct analysis a = {.trace = t, .bounds = &unused};
    struct rp_launch l = *rp_trace_launch(t, launch);
    if (block)
        l = alone_launch(&l);
    if (!whole(t, launch, err) || !begin_model(&a, &l, machine, extensions, err))
        return false;
    wcet_model_end(&a.model);
    return true;
}

/* Between blocks: a launch whose analysis is broken off has no bound. */
static bool goes_on(struct rp_error *err) { return !interrupted() || rp_fail(err, RP_PARTIAL, "stopped by a signal"); }

bool wcet_analyse(struct rp_trace *t, uint32_t launch, const struct machine *machine, unsigned extensions,
                  const struct wcet_watch *watch, struct wcet_bounds *out, struct rp_error *err)
{
    struct analysis a = {.trace = t, .watch = watch, .bounds = out};
    const struct rp_launch *l = rp_trace_launch(t, launch);
    *out = (struct wcet_bounds){.launch = launch, .blocks = rp_launch_blocks(l)};
    if (!whole(t, launch, err) || !begin_model(&a, l, machine, extensions, err))
        return false;
    a.blocks = calloc(out->blocks, sizeof *a.blocks);
    bool fine = a.blocks || rp_fail(err, RP_SYSTEM, "out of memory for the blocks of a launch");
    fine = fine && wcet_caches_open(&a.caches, &a.model, t, launch, err);
    for (uint64_t b = 0; fine && b < out->blocks; b++)
        fine = goes_on(err) && one_block(&a, b, b, err);
    fine = fine && conclude(&a, err);
    wcet_caches_free(a.caches);
    free(a.blocks);
    wcet_model_end(&a.model);
    if (!fine)
        wcet_bounds_free(out);
    return fine;
}

bool wcet_analyse_block(struct rp_trace *t, uint32_t launch, uint64_t block, const struct machine *machine,
                        unsigned extensions, const struct wcet_watch *watch, struct wcet_bounds *out,
                        struct rp_error *err)
{
    struct wcet_block only;
    struct analysis a = {.trace = t, .watch = watch, .bounds = out, .blocks = &only};
    struct rp_launch alone = alone_launch(rp_trace_launch(t, launch));
    uint64_t blocks = rp_launch_blocks(rp_trace_launch(t, launch));
    *out = (struct wcet_bounds){.launch = launch, .blocks = 1};
    if (block >= blocks)
        return rp_fail(err, RP_USAGE,
                       "%s: launch %" PRIu32 " has no block %" PRIu64 "; it has %" PRIu64 ", counted from 0",
                       rp_trace_path(t), launch, block, blocks);
    if (!whole(t, launch, err) || !begin_model(&a, &alone, machine, extensions, err))
        return false;
    bool fine = one_block(&a, block, 0, err) && conclude(&a, err);
    wcet_model_end(&a.model);
    if (!fine)
        wcet_bounds_free(out);
    return fine;
}

void wcet_bounds_free(struct wcet_bounds *b)
{
    free(b->sections);
    b->sections = NULL;
}
