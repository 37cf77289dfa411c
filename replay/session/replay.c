/* Replaying all launches of a trace, unit by unit. If no caches are kept between units, several threads replay units at
 * once. */
#include <inttypes.h>
#include <stdlib.h>

#include "hw-models/dram/stepped.h"
#include "replay/base/carveout.h"
#include "replay/base/occupancy.h"
#include "replay/base/queue.h"
#include "replay/memory/memory_system.h"
#include "replay/memory/warm_up.h"
#include "replay/session/devices.h"
#include "replay/session/engines.h"
#include "replay/session/session.h"

static bool can(const struct session *s, enum engine_capability what) { return s->engine->capabilities & what; }

static void add_progress(void *data, uint64_t done)
{
    struct session *s = data;
    pthread_mutex_lock(&s->lock);
    s->done += done;
    uint64_t all = s->done;
    pthread_mutex_unlock(&s->lock);
    if (s->options->progress && pthread_equal(pthread_self(), s->reporter))
        s->options->progress(s->options->progress_data, all, s->total);
}

static struct memory_system *new_memory(const struct session *s, const struct machine *machine, struct rp_error *err)
{
    return memory_system_new(machine, s->options->engine == REPLAY_FAST, err);
}

static void move_counters_of(struct session *s, struct memory_system *m)
{
    if (!s->result->channels)
        return;
    pthread_mutex_lock(&s->lock);
    memory_system_move_counters(m, s->result->channels);
    pthread_mutex_unlock(&s->lock);
}

static void close_engine(struct worker *w)
{
    for (uint32_t d = 0; d < RP_DEVICES_MOST; d++) {
        if (w->session->engine->close && w->state[d])
            w->session->engine->close(w->state[d]);
        w->state[d] = NULL;
    }
}

/* The memory that the launch's device keeps; NULL after an error. */
static struct memory_system *kept_memory(struct worker *w, struct rp_error *err)
{
    struct session *s = w->session;
    struct memory_system **kept = &s->kept[w->device];
    if (!*kept)
        *kept = new_memory(s, s->machine, err);
    return *kept;
}

/* Sets the size of L1 for the launch that begins the period: its share of a unified array. */
static bool divide(struct worker *w, uint32_t launch, struct rp_error *err)
{
    const struct session *s = w->session;
    const struct rp_launch *l = rp_trace_launch(s->trace, launch);
    int64_t bytes = carveout_l1(s->machine, room_shared(s->machine, rp_trace_kernel(s->trace, l->kernel), l));
    if (s->keeps)
        return memory_system_divide_l1(s->kept[w->device], bytes, err);
    if (w->fitted && w->l1 == bytes)
        return true;
    close_engine(w);
    memory_system_free(w->memory);
    w->memory = NULL;
    w->l1 = bytes;
    if (!w->fitted && !(w->fitted = malloc(sizeof *w->fitted)))
        return rp_fail(err, RP_SYSTEM, "out of memory for machine %s", s->machine->name);
    carveout_apply(s->machine, bytes, w->fitted);
    return true;
}

/* Prepares a memory system with empty caches, unless caches are kept. */
static bool prepare_memory(struct worker *w, struct engine_job *job, uint32_t launch, struct rp_error *err)
{
    struct session *s = w->session;
    if (s->keeps && !(job->memory = kept_memory(w, err)))
        return false;
    if (s->machine->l1_unified && !divide(w, launch, err))
        return false;
    if (s->keeps)
        return true;
    const struct machine *machine = w->fitted ? w->fitted : s->machine;
    bool fine = w->memory ? memory_system_clear(w->memory, err) : (w->memory = new_memory(s, machine, err)) != NULL;
    job->memory = w->memory;
    return fine;
}

static bool run_engine(struct worker *w, struct engine_job *job, struct statistics *sum, struct rp_error *err)
{
    const struct session *s = w->session;
    const struct engine *e = s->engine;
    void **state = &w->state[w->device];
    if (e->open && !*state && !(*state = e->open(job->machine, s->options->engine, job->memory, err)))
        return false;
    return e->run(*state, job, s->options->engine, sum, err);
}

/* With kept caches: they get ready for the launch as the launches that were not chosen would leave them. */
static bool pass_over(struct worker *w, uint32_t launch, struct rp_error *err)
{
    const struct session *s = w->session;
    const struct footprint between = {.launch = w->next, .until_launch = launch, .step = UINT64_MAX};
    struct memory_touches touches;
    if (!s->keeps || !s->choice || w->next >= launch)
        return true;
    if (!footprint_touches(s->trace, s->kept[w->device], &between, &touches, err))
        return false;
    memory_system_touch(s->kept[w->device], &touches);
    free(touches.list);
    return true;
}

/* Replays a busy period of the machine. */
static bool replay_period(struct worker *w, struct engine_job *job, struct statistics *sum, struct rp_error *err)
{
    struct session *s = w->session;
    uint32_t next;
    if (!launch_queue_next(job->queue, &next))
        return rp_fail(err, RP_BAD_INPUT, "%s: its launches wait for one another", rp_trace_path(s->trace));
    w->device = s->keeps || can(s, ENGINE_KEEPS_STATE) ? rp_trace_launch(s->trace, next)->device : 0;
    if (!can(s, ENGINE_USES_MEMORY))
        return run_engine(w, job, sum, err);
    if (!prepare_memory(w, job, next, err))
        return false;
    bool warms = s->machine->warm_l2 && (!s->keeps || !(w->warmed >> w->device & 1));
    w->warmed |= UINT64_C(1) << w->device;
    memory_system_observe(job->memory, job->observer, job->clock);
    bool fine = (!warms || warm_l2(s->trace, job->memory, next, err)) && pass_over(w, job->first, err) &&
                run_engine(w, job, sum, err);
    w->next = w->next > job->first ? w->next : job->first;
    move_counters_of(s, job->memory);
    return fine;
}

/* The machine is idle for so many cycles. */
static void pass(const struct session *s, struct engine_job *job, uint64_t cycles, struct statistics *sum)
{
    job->begin += cycles;
    sum->cycles += cycles;
    sum->idle_cycles += cycles * (uint64_t)(s->machine->sms * s->machine->subcores);
}

/* Lets time pass until the first launches are ready. */
static void wait_for_launch(const struct session *s, struct engine_job *job, struct statistics *sum)
{
    uint32_t next;
    launch_queue_advance(job->queue, job->begin);
    for (uint64_t wakes;
         !launch_queue_next(job->queue, &next) && (wakes = launch_queue_wakes(job->queue)) != UINT64_MAX;) {
        pass(s, job, wakes - job->begin, sum);
        launch_queue_advance(job->queue, job->begin);
    }
}

/* The cycle in which the next launch unit begins. It is known only if units run in order, as with an observer. */
static uint64_t clock_of(const struct session *s) { return s->options->observer ? s->clock : 0; }

static struct engine_job job_of(struct session *s, const struct launch_unit *unit, struct replay_launch *launches,
                                const struct copy_listener *listener, struct rp_error *err)
{
    return (struct engine_job){.trace = s->trace,
                               .machine = s->machine,
                               .queue = launch_queue_new(s->trace, s->machine, unit, listener, err),
                               .launches = launches,
                               .first = unit->launch,
                               .threads = s->launch_threads,
                               .observer = s->options->observer,
                               .sampled = machine_samples(s->machine) ? &s->sampled : NULL,
                               .random = {s->options->seed, s->options->batch},
                               .processors = s->options->processors,
                               .channels = s->result->channels,
                               .cores = s->result->cores,
                               .progress = add_progress,
                               .progress_data = s};
}

bool session_run_blocks(struct worker *w, const struct launch_unit *unit, const struct engine_blocks *blocks,
                        struct replay_launch *launch, struct rp_error *err)
{
    struct session *s = w->session;
    const struct copy_listener listener = {0};
    struct statistics sum = {0};
    struct engine_job job = job_of(s, unit, launch, &listener, err);
    job.blocks = blocks;
    if (job.queue)
        launch_queue_advance(job.queue, 0);
    bool fine = job.queue && replay_period(w, &job, &sum, err);
    launch_queue_free(job.queue);
    return fine;
}

static bool replay_unit(struct worker *w, const struct launch_unit *unit, struct finished *out, struct rp_error *err)
{
    struct session *s = w->session;
    const struct copy_listener listener = {s->options->observer, clock_of(s)};
    bool done = false;
    if (s->choice && !session_sample_blocks(w, unit, out, &done, err))
        return false;
    if (done)
        return true;
    struct engine_job job = job_of(s, unit, out->launches, &listener, err);
    bool fine = job.queue;
    while (fine && launch_queue_left(job.queue)) {
        struct statistics sum = {0};
        wait_for_launch(s, &job, &out->sum);
        job.clock = listener.clock + job.begin;
        fine = replay_period(w, &job, &sum, err);
        statistics_add(&out->sum, &sum);
        job.begin += sum.cycles;
    }
    uint64_t end = fine ? launch_queue_finish(job.queue, out->copies) : 0;
    if (end > job.begin)
        pass(s, &job, end - job.begin, &out->sum);
    w->next = unit->end;
    launch_queue_free(job.queue);
    return fine;
}

static void fail(struct session *s, uint32_t number, const struct rp_error *err)
{
    if (s->failed && s->failed_unit <= number)
        return;
    s->failed = true;
    s->failed_unit = number;
    s->error = *err;
}

static uint64_t instructions_of(const struct session *s, const struct finished *f)
{
    uint64_t sum = f->instructions;
    for (uint32_t i = 0; !f->estimate && i < f->count; i++)
        sum += rp_trace_launch_totals(s->trace, f->launches[i].launch).warp_instructions;
    return sum;
}

static bool hand_on(struct session *s, struct finished *f, struct rp_error *err)
{
    if (s->choice)
        return s->choice->done(s->choice->data, s->handed, f, instructions_of(s, f), err);
    uint64_t begin = s->clock;
    statistics_add(&s->result->total, &f->sum);
    s->clock = s->result->total.cycles;
    for (unsigned p = 0; p < COPY_PATHS; p++)
        copy_counts_add(&s->result->copies[p], &f->copies[p]);
    bool fine = true;
    for (uint32_t i = 0; fine && i < f->count; i++) {
        struct replay_launch *l = &f->launches[i];
        l->begin += begin;
        l->end += begin;
        if (s->devices)
            fine = devices_place(s->devices, l, err);
        if (!fine)
            break;
        if (s->options->launch_done)
            fine = s->options->launch_done(s->options->launch_done_data, l, err);
        else
            s->result->launches[s->launches_handed++] = *l;
    }
    return fine;
}

/* Hands on finished units, in trace order. */
static void hand_on_finished(struct session *s)
{
    for (struct finished *f; !s->failed && (f = &s->finished[s->handed % s->window])->done; s->handed++) {
        struct rp_error err = {0};
        if (!hand_on(s, f, &err))
            fail(s, s->handed, &err);
        free(f->launches);
        free(f->estimate);
        *f = (struct finished){0};
    }
    pthread_cond_broadcast(&s->handed_on);
}

/* Takes the next unit, not too far ahead of those that are handed on. False: there is none. */
static bool take(struct session *s, uint32_t *number)
{
    pthread_mutex_lock(&s->lock);
    while (!s->failed && s->next < s->unit_count && s->next - s->handed >= s->window)
        pthread_cond_wait(&s->handed_on, &s->lock);
    bool more = !s->failed && s->next < s->unit_count;
    *number = more ? s->next++ : 0;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static struct launch_unit unit_of(const struct session *s, uint32_t unit)
{
    if (s->choice)
        return s->choice->list[unit];
    return s->units.list ? s->units.list[unit]
                         : (struct launch_unit){.launch = s->first + unit, .end = s->first + unit + 1};
}

/* Units are taken in order, and those before a failed one are finished. */
static void *work(void *data)
{
    struct session *s = data;
    struct worker w = {.session = s};
    for (uint32_t number; take(s, &number);) {
        struct rp_error err = {0};
        struct launch_unit unit = unit_of(s, number);
        struct finished out = {.count = unit.end - unit.launch, .done = true};
        out.launches = calloc(out.count, sizeof *out.launches);
        bool fine = out.launches
                        ? replay_unit(&w, &unit, &out, &err)
                        : rp_fail(&err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
        pthread_mutex_lock(&s->lock);
        if (fine) {
            s->finished[number % s->window] = out;
        } else {
            fail(s, number, &err);
            free(out.launches);
            free(out.estimate);
        }
        hand_on_finished(s);
        pthread_mutex_unlock(&s->lock);
    }
    close_engine(&w);
    memory_system_free(w.memory);
    free(w.fitted);
    return NULL;
}

/* Frees the memory that was kept, but for the caller's. */
static void free_kept(struct session *s)
{
    for (uint32_t d = 0; d < RP_DEVICES_MOST; d++)
        if (s->kept[d] != s->options->caches)
            memory_system_free(s->kept[d]);
}

static bool run(struct session *s, struct rp_error *err)
{
    bool keeps = can(s, ENGINE_USES_MEMORY) && !s->machine->flush_caches;
    if (machine_samples(s->machine))
        stochastic_of(s->machine->memory.options, &s->sampled);
    s->keeps = keeps;
    s->kept[0] = keeps ? s->options->caches : NULL;
    const struct observer *observer = s->options->observer;
    unsigned threads = s->options->threads && (!observer || observer->concurrent) ? s->options->threads : 1;
    bool in_order = s->keeps || observer || can(s, ENGINE_KEEPS_STATE);
    unsigned at_once = in_order ? 1 : threads < s->unit_count ? threads : s->unit_count;
    s->launch_threads = at_once ? threads / at_once : 1;
    s->window = at_once < 2 ? 1 : 4 * at_once;
    if (!(s->finished = calloc(s->window, sizeof *s->finished)))
        return rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
    pthread_t helpers[64];
    unsigned started = 0;
    s->reporter = pthread_self();
    while (started + 1 < at_once && started < sizeof helpers / sizeof *helpers &&
           !pthread_create(&helpers[started], NULL, work, s))
        started++;
    work(s);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    free_kept(s);
    for (uint32_t i = 0; i < s->window; i++) {
        free(s->finished[i].launches);
        free(s->finished[i].estimate);
    }
    free(s->finished);
    if (s->failed && err)
        *err = s->error;
    return !s->failed;
}

/* The units of a choice, which hands its results on itself. */
static void take_choice(struct session *s)
{
    const struct unit_choice *c = s->choice;
    s->first = c->count ? c->list[0].launch : 0;
    s->unit_count = c->count;
    for (uint32_t u = 0; u < c->count; u++)
        for (uint32_t l = c->list[u].launch; l < c->list[u].end; l++)
            s->total += rp_trace_launch_totals(s->trace, l).warp_instructions;
}

static bool choose_launches(struct session *s, struct rp_error *err)
{
    uint32_t all = rp_trace_launch_count(s->trace);
    int64_t only = s->options->launch;
    if (only >= (int64_t)all)
        return rp_fail(err, RP_USAGE, "%s: there is no launch %" PRId64 "; the trace has %" PRIu32,
                       rp_trace_path(s->trace), only, all);
    s->result->count = only >= 0 ? 1 : all;
    s->first = only >= 0 ? (uint32_t)only : 0;
    for (uint32_t i = 0; i < s->result->count; i++)
        s->total += rp_trace_launch_totals(s->trace, s->first + i).warp_instructions;
    s->unit_count = s->result->count;
    bool several = only < 0 && devices_of(s->trace) > 1;
    bool ordered = several && !s->options->serial && !s->options->observer && !can(s, ENGINE_SUMS);
    if (ordered && !(s->devices = devices_new(s->trace, s->machine, s->result, err)))
        return false;
    if (only < 0 && !several && !s->options->serial && can(s, ENGINE_OVERLAPS)) {
        if (!launch_units(&s->units, s->trace, s->machine, err))
            return false;
        s->unit_count = s->units.count;
    }
    if (s->options->launch_done)
        return true;
    s->result->launches = calloc(s->result->count ? s->result->count : 1, sizeof *s->result->launches);
    return s->result->launches ||
           rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
}

unsigned replay_events(const struct machine *m, enum replay_engine mode)
{
    const struct engine *e = engine_of(m, mode);
    unsigned events = e->events;
    if (machine_samples(m))
        events &= ~(unsigned)(OBSERVE_ACCESS | OBSERVE_DRAM);
    const struct dram_model *dram = (const struct dram_model *)m->dram.model;
    if (!(dram->stepped ? dram->stepped->listen : dram->listen))
        events &= ~(unsigned)OBSERVE_DRAM;
    return events;
}

/* Whether the machine reports all kinds of events that the observer wants. */
static bool can_report(const struct machine *m, const struct replay_options *options, struct rp_error *err)
{
    static const char *const names[] = {
#define X(id, member, text) text,
        OBSERVER_EVENTS(X)
#undef X
    };
    const struct model *pipeline = engine_of(m, options->engine)->pipeline;
    unsigned lacks = observer_events(options->observer) & ~replay_events(m, options->engine);
    if (!lacks)
        return true;
    const char *what = names[__builtin_ctz(lacks)];
    return rp_fail(err, RP_USAGE, "machine %s does not report %s: pipeline '%s', memory '%s', dram '%s'", m->name, what,
                   pipeline->name, m->memory.model->name, m->dram.model->name);
}

size_t replay_channel_counters(const struct machine *m)
{
    return (size_t)m->dram_channels * m->dram.model->counter_count;
}

size_t replay_core_counters(const struct machine *m) { return machine_is_cores(m) ? (size_t)m->cores : 0; }

static bool new_counters(const struct machine *m, struct replay_result *result, struct rp_error *err)
{
    size_t channels = replay_channel_counters(m), cores = replay_core_counters(m);
    result->channels = channels ? calloc(channels, sizeof *result->channels) : NULL;
    result->cores = cores ? calloc(cores, sizeof *result->cores) : NULL;
    return (result->channels || !channels) && (result->cores || !cores)
               ? true
               : rp_fail(err, RP_SYSTEM, "out of memory for machine %s", m->name);
}

/* The total's cycles are those until everything has ended, and a device is idle in those in which it runs nothing. */
static bool end_devices(struct session *s, struct rp_error *err)
{
    struct statistics *total = &s->result->total;
    uint64_t end;
    if (!devices_finish(s->devices, &end, err))
        return false;
    for (uint32_t d = 0; d < s->result->device_count; d++)
        total->idle_cycles += (end - s->result->devices[d].cycles) * (uint64_t)(s->machine->sms * s->machine->subcores);
    total->cycles = end;
    return true;
}

bool replay_units(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
                  const struct unit_choice *choice, struct replay_result *result, struct rp_error *err)
{
    *result = (struct replay_result){0};
    if (!can_report(machine, options, err))
        return false;
    const struct engine *engine = engine_of(machine, options->engine);
    if (options->processors && !(engine->capabilities & ENGINE_SUMS))
        return rp_fail(err, RP_USAGE, "machine %s: only pipeline 'one-at-a-time' replays some processors alone",
                       machine->name);
    struct session s = {.trace = trace,
                        .machine = machine,
                        .engine = engine,
                        .options = options,
                        .choice = choice,
                        .result = result,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .handed_on = PTHREAD_COND_INITIALIZER};
    if (choice)
        take_choice(&s);
    bool fine = new_counters(machine, result, err) && (choice || choose_launches(&s, err)) && run(&s, err) &&
                (!s.devices || end_devices(&s, err));
    devices_free(s.devices);
    launch_units_free(&s.units);
    pthread_cond_destroy(&s.handed_on);
    pthread_mutex_destroy(&s.lock);
    if (!fine)
        replay_result_free(result);
    return fine;
}

bool replay(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
            struct replay_result *result, struct rp_error *err)
{
    uint32_t devices = options->sample.error > 0 && options->launch < 0 ? devices_of(trace) : 1;
    *result = (struct replay_result){0};
    if (devices > 1)
        return rp_fail(err, RP_USAGE, "%s is of %" PRIu32 " devices: replay it whole, without sampling",
                       rp_trace_path(trace), devices);
    return options->sample.error > 0 ? sample_replay(trace, machine, options, result, err)
                                     : replay_units(trace, machine, options, NULL, result, err);
}

void replay_result_free(struct replay_result *result)
{
    free(result->launches);
    free(result->channels);
    free(result->cores);
    free(result->devices);
    free(result->links);
    *result = (struct replay_result){0};
}
