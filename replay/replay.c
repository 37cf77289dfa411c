/* Replaying all launches of a trace, several at once where they do not depend on one another. */
#include "replay/replay.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/engine.h"
#include "replay/meaning.h"
#include "replay/memory/memory_system.h"

/* A launch that is done and waits for those before it. */
struct finished {
    struct replay_launch launch;
    bool done;
};

struct session {
    struct rp_trace *trace;
    const struct machine *machine;
    const struct replay_options *options;
    struct replay_result *result;
    struct memory_system *kept; /* NULL: every launch has one of its own */
    unsigned launch_threads;    /* for each launch */
    uint32_t first;             /* launch to replay */
    pthread_t reporter;         /* the thread that reports progress */
    pthread_mutex_t lock;       /* of what follows */
    pthread_cond_t handed_on;
    uint32_t next, handed;     /* the next launch to take, and to hand on, counted from `first` */
    struct finished *finished; /* [window], by number modulo window */
    uint32_t window;
    bool failed;
    uint32_t failed_launch; /* the first that failed, so that the message does not depend on threads */
    struct rp_error error;
    uint64_t done, total; /* warp instructions */
};

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

/* What the trace has of the launch, and whether that is all. */
static void plan(const struct session *s, struct engine_launch *job, struct replay_launch *out)
{
    const struct rp_launch *launch = rp_trace_launch(s->trace, job->launch);
    const struct rp_launch_end *end = rp_trace_launch_end(s->trace, job->launch);
    uint64_t grid = rp_launch_blocks(launch);
    job->blocks = rp_trace_launch_totals(s->trace, job->launch).blocks;
    bool fault = end && end->outcome == RP_OUTCOME_FAULT;
    job->cut_short = !end || fault || job->blocks < grid;
    if (job->cut_short)
        snprintf(out->warning, sizeof out->warning, "%s; replayed %" PRIu64 " of %" PRIu64 " blocks",
                 fault  ? "the kernel misbehaved while it was recorded"
                 : !end ? "the recording of this launch was cut short"
                        : "the trace does not hold the whole launch",
                 job->blocks, grid);
}

/* With what the host had written before the launch. */
static bool warm(const struct rp_trace *t, struct memory_system *memory, uint32_t launch, struct rp_error *err)
{
    struct rp_allocation *list;
    size_t count;
    if (!rp_trace_allocations(t, launch, &list, &count, err))
        return false;
    memory_system_warm(memory, list, count);
    free(list);
    return true;
}

static struct memory_system *new_memory(const struct session *s, struct rp_error *err)
{
    return memory_system_new(s->machine, s->options->engine == REPLAY_FAST, err);
}

static bool replay_one(struct session *s, struct replay_launch *out, struct rp_error *err)
{
    struct engine_launch job = {.trace = s->trace,
                                .machine = s->machine,
                                .memory = s->kept ? s->kept : new_memory(s, err),
                                .launch = out->launch,
                                .threads = s->launch_threads,
                                .progress = add_progress,
                                .progress_data = s,
                                .issued = s->options->issued,
                                .issued_data = s->options->issued_data};
    if (!job.memory)
        return false;
    const struct rp_launch *launch = rp_trace_launch(s->trace, out->launch);
    if (s->machine->warm_l2 && (!s->kept || out->launch == s->first) && !warm(s->trace, job.memory, out->launch, err)) {
        if (!s->kept)
            memory_system_free(job.memory);
        return false;
    }
    plan(s, &job, out);
    out->control_words = obeys_control_words(s->machine, rp_trace_kernel(s->trace, launch->kernel));
    bool fine = s->options->engine == REPLAY_REFERENCE ? reference_launch(&job, out, err) : fast_launch(&job, out, err);
    if (!s->kept)
        memory_system_free(job.memory);
    return fine;
}

static void fail(struct session *s, uint32_t number, const struct rp_error *err)
{
    if (s->failed && s->failed_launch <= number)
        return;
    s->failed = true;
    s->failed_launch = number;
    s->error = *err;
}

static bool hand_on(struct session *s, const struct replay_launch *launch, struct rp_error *err)
{
    statistics_add(&s->result->total, &launch->statistics);
    if (s->options->launch_done)
        return s->options->launch_done(s->options->launch_done_data, launch, err);
    s->result->launches[s->handed] = *launch;
    return true;
}

/* Hands on what is done, in trace order. */
static void hand_on_finished(struct session *s)
{
    for (struct finished *f; !s->failed && (f = &s->finished[s->handed % s->window])->done; s->handed++) {
        struct rp_error err = {0};
        f->done = false;
        if (!hand_on(s, &f->launch, &err))
            fail(s, s->handed, &err);
    }
    pthread_cond_broadcast(&s->handed_on);
}

/* Takes the next launch, not too far ahead of those that are handed on. False: there is none. */
static bool take(struct session *s, uint32_t *number)
{
    pthread_mutex_lock(&s->lock);
    while (!s->failed && s->next < s->result->count && s->next - s->handed >= s->window)
        pthread_cond_wait(&s->handed_on, &s->lock);
    bool more = !s->failed && s->next < s->result->count;
    *number = more ? s->next++ : 0;
    pthread_mutex_unlock(&s->lock);
    return more;
}

/* Launches are taken in order, and those before a failed one are finished. */
static void *work(void *data)
{
    struct session *s = data;
    for (uint32_t number; take(s, &number);) {
        struct rp_error err = {0};
        struct replay_launch out = {.launch = s->first + number};
        bool fine = replay_one(s, &out, &err);
        pthread_mutex_lock(&s->lock);
        if (fine)
            s->finished[number % s->window] = (struct finished){out, true};
        else
            fail(s, number, &err);
        hand_on_finished(s);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static bool run(struct session *s, struct rp_error *err)
{
    struct memory_system *own = NULL;
    if (!s->machine->flush_caches) {
        if (!s->options->caches && !(own = new_memory(s, err)))
            return false;
        s->kept = s->options->caches ? s->options->caches : own;
    }
    unsigned threads = s->options->threads ? s->options->threads : 1;
    unsigned at_once = s->kept ? 1 : threads < s->result->count ? threads : s->result->count;
    s->launch_threads = at_once ? threads / at_once : 1;
    s->window = at_once < 2 ? 1 : 4 * at_once;
    if (!(s->finished = calloc(s->window, sizeof *s->finished))) {
        memory_system_free(own);
        return rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
    }
    pthread_t helpers[64];
    unsigned started = 0;
    s->reporter = pthread_self();
    while (started + 1 < at_once && started < sizeof helpers / sizeof *helpers &&
           !pthread_create(&helpers[started], NULL, work, s))
        started++;
    work(s);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    memory_system_free(own);
    free(s->finished);
    if (s->failed && err)
        *err = s->error;
    return !s->failed;
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
    if (s->options->launch_done)
        return true;
    s->result->launches = calloc(s->result->count ? s->result->count : 1, sizeof *s->result->launches);
    return s->result->launches ||
           rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(s->trace));
}

bool replay(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
            struct replay_result *result, struct rp_error *err)
{
    *result = (struct replay_result){0};
    if (options->issued && (options->engine != REPLAY_REFERENCE || options->threads > 1))
        return rp_fail(err, RP_USAGE, "only the reference engine on one thread reports what issues when");
    struct session s = {.trace = trace,
                        .machine = machine,
                        .options = options,
                        .result = result,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .handed_on = PTHREAD_COND_INITIALIZER};
    bool fine = choose_launches(&s, err) && run(&s, err);
    pthread_cond_destroy(&s.handed_on);
    pthread_mutex_destroy(&s.lock);
    if (!fine)
        replay_result_free(result);
    return fine;
}

void replay_result_free(struct replay_result *result)
{
    free(result->launches);
    *result = (struct replay_result){0};
}
