/* Taking launches from the queue, and giving their results back. */
#include "replay/engines/period.h"

#include <inttypes.h>
#include <stdio.h>

#include "replay/base/async.h"
#include "replay/base/trace_semantics.h"
#include "replay/memory/memory_system.h"

/* How many blocks of the launch the trace holds, and whether these are all. */
static void plan_launch(const struct rp_trace *t, const struct engine_blocks *some, struct engine_launch *l)
{
    if (some) {
        l->blocks = some->count;
        return;
    }
    const struct rp_launch_end *end = rp_trace_launch_end(t, l->number);
    uint64_t grid = rp_launch_blocks(l->launch);
    l->blocks = rp_trace_launch_totals(t, l->number).blocks;
    bool fault = end && end->outcome == RP_OUTCOME_FAULT;
    l->cut_short = !end || fault || l->blocks < grid;
    if (l->cut_short)
        snprintf(l->out->warning, sizeof l->out->warning, "%s; replayed %" PRIu64 " of %" PRIu64 " blocks",
                 fault  ? "the kernel misbehaved while it was recorded"
                 : !end ? "the recording of this launch was cut short"
                        : "the trace does not hold the whole launch",
                 l->blocks, grid);
}

uint64_t engine_wakes(const struct engine_period *p)
{
    const struct launch_queue *q = p->job->queue;
    uint64_t cycle = launch_queue_left(q) ? launch_queue_wakes(q) : ENGINE_NEVER;
    return cycle == ENGINE_NEVER ? cycle : cycle - p->job->begin;
}

bool engine_take(struct engine_period *p, struct engine_launch *l, uint64_t cycle)
{
    const struct engine_job *job = p->job;
    uint32_t number;
    if (launch_queue_left(job->queue))
        launch_queue_advance(job->queue, job->begin + cycle);
    if (!launch_queue_take(job->queue, &number))
        return false;
    const struct rp_launch *launch = rp_trace_launch(job->trace, number);
    const struct rp_kernel *kernel = rp_trace_kernel(job->trace, launch->kernel);
    *l = (struct engine_launch){.number = number,
                                .launch = launch,
                                .kernel = kernel,
                                .control_words = obeys_control_words(job->machine, kernel),
                                .begin = ENGINE_NEVER,
                                .out = &job->launches[number - job->first]};
    *l->out = (struct replay_launch){.launch = number, .control_words = l->control_words, .overlaps = p->count > 0};
    plan_launch(job->trace, job->blocks, l);
    if (!p->count++)
        p->first = l->out;
    p->first->overlaps = p->count > 1;
    return true;
}

static void report_launch(const struct engine_job *job, uint32_t launch, bool ends, uint64_t cycle)
{
    const struct observer *o = job->observer;
    if (o && o->launch)
        o->launch(o->data, &(struct observed_launch){launch, ends, job->clock + cycle});
}

void engine_began(const struct engine_period *p, struct engine_launch *l, uint64_t cycle)
{
    l->begin = cycle;
    report_launch(p->job, l->number, false, cycle);
}

bool engine_take_alone(struct engine_period *p, struct engine_launch *l, struct rp_error *err)
{
    if (!engine_take(p, l, 0))
        return rp_fail(err, RP_BAD_INPUT, "%s: its launches wait for one another", rp_trace_path(p->job->trace));
    engine_began(p, l, 0);
    l->out->control_words = false;
    return true;
}

void engine_placed(const struct engine_period *p, struct engine_launch *l, uint64_t placed, uint64_t cycle)
{
    const struct engine_blocks *some = p->job->blocks;
    if (!some)
        return;
    uint64_t next = l->left_out + placed, then = some->placed(some->data, next - 1, cycle);
    uint64_t left_out = (then < some->count ? then : some->count) - next;
    l->left_out += left_out;
    l->blocks -= left_out;
}

void engine_ended(struct engine_period *p, struct engine_launch *l, uint64_t cycle)
{
    if (l->begin == ENGINE_NEVER)
        engine_began(p, l, cycle);
    uint64_t end = cycle + (uint64_t)p->job->machine->launch_latency;
    report_launch(p->job, l->number, true, end);
    l->out->begin = p->job->begin + l->begin;
    l->out->end = p->job->begin + end;
    l->out->statistics.cycles = end - l->begin;
    statistics_add(&p->sum, &l->out->statistics);
    launch_queue_ended(p->job->queue, l->number, l->out->end);
}

/* The machine is idle while a launch drains; the session adds that to the total. */
static void add_launch_latency(const struct machine *m, struct statistics *s)
{
    s->cycles += (uint64_t)m->launch_latency;
    s->idle_cycles += (uint64_t)(m->launch_latency * m->sms * m->subcores);
}

bool engine_finish(struct engine_period *p, uint64_t cycles, struct statistics *machine, struct statistics *sum,
                   struct rp_error *err)
{
    bool fine = memory_system_end_launch(p->job->memory, cycles, machine, err);
    *sum = p->sum;
    sum->cycles = cycles;
    sum->idle_cycles = machine->idle_cycles;
    sum->sm_cycles = machine->sm_cycles;
    sum->memory = machine->memory;
    if (p->count == 1) {
        p->first->statistics = *sum;
        add_launch_latency(p->job->machine, &p->first->statistics);
    }
    return fine;
}

bool engine_stuck(const struct engine_job *job, const struct engine_launch *l, uint64_t block, uint32_t warp,
                  unsigned barrier, const struct rp_step *next, struct rp_error *err)
{
    char text[500], what[400];
    snprintf(what, sizeof what, barrier == AT_CLUSTER ? "at the barrier of its cluster" : "at barrier %u", barrier);
    if (barrier == AT_OBJECT)
        async_describe(l->kernel, next, what, sizeof what);
    snprintf(text, sizeof text, "block %" PRIu64 ", warp %u waits for ever %s", block, warp, what);
    if (!l->cut_short)
        return rp_fail(err, RP_BAD_INPUT,
                       "%s: launch %" PRIu32 " (%s): %s; the other warps have ended or wait elsewhere",
                       rp_trace_path(job->trace), l->number, l->kernel->name, text);
    snprintf(l->out->warning, sizeof l->out->warning, "the recording ended early: %.220s", text);
    return true;
}
