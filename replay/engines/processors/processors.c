/* The pipeline one-at-a-time: which processor gets which warp, and its launches. */
#include "replay/engines/processors/processors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/base/supported.h"
#include "replay/engines/processors/inside.h"

void processors_of(const struct machine *m, const struct rp_launch *l, uint64_t only, struct processors *p)
{
    uint64_t count = (uint64_t)(m->sms * m->subcores);
    *p = (struct processors){.count = count,
                             .replayed = only && only < count ? only : count,
                             .sms = (uint64_t)m->sms,
                             .subcores = (uint64_t)m->subcores,
                             .placement = (uint64_t)m->placement,
                             .warps = rp_launch_warps(l)};
}

uint64_t processor_of_warp(const struct processors *p, uint64_t block, uint64_t warp)
{
    uint64_t sm = block % p->sms, before = block / p->sms * p->warps; /* warps of the SM's earlier blocks */
    switch (p->placement) {
    case PLACEMENT_EVEN: return (block * p->warps + warp) % p->count;
    case PLACEMENT_BALANCED: return sm * p->subcores + (before + warp) % p->subcores;
    case PLACEMENT_ROTATING: return sm * p->subcores + (block / p->sms + warp) % p->subcores;
    default: return sm * p->subcores + warp % p->subcores;
    }
}

/* ---- a launch's end ---------------------------------------------------------------------------------------------- */

uint64_t processors_measure(const struct machine *m, const uint64_t *time, uint64_t count)
{
    uint64_t sum = 0, most = 0, used = 0;
    for (uint64_t p = 0; p < count; p++) {
        sum += time[p];
        most = time[p] > most ? time[p] : most;
        used += time[p] > 0;
    }
    return m->measure == MEASURE_GRID || !used ? most : (2 * sum + used) / (2 * used);
}

void processors_close(const struct machine *m, const struct processors *p, const uint64_t *time, struct statistics *s)
{
    uint64_t busy = 0, most = 0;
    for (uint64_t sm = 0; sm * p->subcores < p->replayed; sm++) {
        uint64_t longest = 0;
        for (uint64_t at = sm * p->subcores; at < (sm + 1) * p->subcores && at < p->replayed; at++) {
            busy += time[at];
            longest = time[at] > longest ? time[at] : longest;
        }
        s->sm_cycles += longest;
        most = longest > most ? longest : most;
    }
    s->warp_cycles += busy;
    s->idle_cycles += p->replayed * most - busy;
    s->cycles += processors_measure(m, time, p->replayed);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static bool run_launch(const struct processors_launch *l, enum replay_engine engine, struct statistics *s,
                       struct rp_error *err)
{
    if (!launch_is_supported(l->costs.kernel, l->costs.launch, false, err))
        return false;
    if (engine == REPLAY_REFERENCE || l->job->observer) /* sums.c does not see single instructions */
        return processors_step(l, s, err);
    return processors_sum(l, l->random.batch, 1, s, NULL, err);
}

/* Runs the next launch of the queue. */
static bool processors_run(void *none, const struct engine_job *job, enum replay_engine engine, struct statistics *sum,
                           struct rp_error *err)
{
    (void)none;
    struct engine_period period = {.job = job};
    struct engine_launch of;
    if (!engine_take_alone(&period, &of, err))
        return false;
    struct processors_launch l = {.trace = job->trace,
                                  .number = of.number,
                                  .blocks = of.blocks,
                                  .costs = {job->machine, job->sampled, of.launch, of.kernel},
                                  .random = job->random,
                                  .threads = job->threads,
                                  .job = job};
    processors_of(job->machine, of.launch, job->processors, &l.processors);
    if (!run_launch(&l, engine, &of.out->statistics, err))
        return false;
    engine_ended(&period, &of, of.out->statistics.cycles);
    *sum = period.sum;
    return true;
}

static bool batches_of_launch(const struct engine_batches *b, const struct stochastic *sampled, uint32_t number,
                              struct statistics *totals, struct engine_exact *exact, struct rp_error *err)
{
    const struct rp_launch *launch = rp_trace_launch(b->trace, number);
    const struct rp_kernel *kernel = rp_trace_kernel(b->trace, launch->kernel);
    struct processors_launch l = {.trace = b->trace,
                                  .number = number,
                                  .blocks = rp_trace_launch_totals(b->trace, number).blocks,
                                  .costs = {b->machine, sampled, launch, kernel},
                                  .random = {b->seed, b->first},
                                  .threads = b->threads};
    processors_of(b->machine, launch, b->processors, &l.processors);
    return launch_is_supported(kernel, launch, false, err) &&
           processors_sum(&l, b->first, b->count, totals, exact, err);
}

static bool processors_batches(const struct engine_batches *b, struct statistics *totals, struct engine_exact *exact,
                               struct rp_error *err)
{
    struct stochastic sampled;
    stochastic_of(b->machine->memory.options, &sampled);
    uint32_t all = rp_trace_launch_count(b->trace);
    if (b->launch >= (int64_t)all)
        return rp_fail(err, RP_USAGE, "%s: there is no launch %" PRId64 "; the trace has %" PRIu32,
                       rp_trace_path(b->trace), b->launch, all);
    if (exact)
        *exact = (struct engine_exact){.known = true};
    for (uint32_t l = 0; l < all; l++)
        if ((b->launch < 0 || b->launch == (int64_t)l) && !batches_of_launch(b, &sampled, l, totals, exact, err))
            return false;
    return true;
}

/* ---- which machines fit ------------------------------------------------------------------------------------------ */

static bool misfit(struct machine_misfit *out, const char *key, const char *why)
{
    out->keys[0] = key;
    out->keys[1] = "pipeline.model";
    snprintf(out->text, sizeof out->text, "%s", why);
    return false;
}

/* What memory it needs, and which parts and options need it. */
static bool processors_fit(const struct machine *m, struct machine_misfit *out)
{
    bool chosen = m->pipeline.model == &pipeline_one_at_a_time;
    if (chosen && !((const struct memory_model *)m->memory.model)->sampled)
        return misfit(out, "memory.model",
                      "pipeline 'one-at-a-time' needs memory whose accesses take a time of their own: choose memory "
                      "'stochastic'");
    if (m->launch_latency && chosen)
        return misfit(out, "launch_latency", "pipeline 'one-at-a-time' does not look at launch_latency: choose 0");
    if (m->placement == PLACEMENT_EVEN && !chosen)
        return misfit(out, "placement", "placement 'even' parts the warps of a block: choose pipeline 'one-at-a-time'");
    return m->measure != MEASURE_PROCESSOR || chosen ||
           misfit(out, "measure",
                  "measure 'processor' needs sub-cores that do not wait for one another: choose pipeline "
                  "'one-at-a-time'");
}

const struct engine engine_processors = {.name = "processors",
                                         .pipeline = &pipeline_one_at_a_time,
                                         .modes = 1u << REPLAY_FAST | 1u << REPLAY_REFERENCE,
                                         .capabilities = ENGINE_SUMS,
                                         .events = OBSERVE_LAUNCH | OBSERVE_ISSUE | OBSERVE_DONE | OBSERVE_STALL,
                                         .fits = processors_fit,
                                         .run = processors_run,
                                         .batches = processors_batches};
