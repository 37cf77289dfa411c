#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tools/ablate/ablation.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"

/* What the threads share. They take the replays, `stages` x `traces`, in turn. */
struct replays {
    struct ablation *ablation;
    atomic_size_t next;
    struct result_cache cache;
    pthread_mutex_t lock; /* of all that follows */
    bool failed;
    struct rp_error error;
    uint64_t done, total; /* warp instructions */
    struct progress bar;
};

/* One replay, and how much of it is in `done`. */
struct share {
    struct replays *replays;
    uint64_t reported;
};

static void add_progress(void *data, uint64_t done, uint64_t total)
{
    struct share *share = data;
    struct replays *r = share->replays;
    (void)total;
    pthread_mutex_lock(&r->lock);
    r->done += done - share->reported;
    share->reported = done;
    progress_update(&r->bar, r->done, r->total, r->done, "warp instructions");
    pthread_mutex_unlock(&r->lock);
}

static void replay_one(struct replays *r, size_t stage, size_t trace)
{
    struct share share = {r, 0};
    struct rp_error err;
    struct stage *s = &r->ablation->stages[stage];
    struct replay_options options = {.launch = -1, .progress = add_progress, .progress_data = &share};
    if (result_get(&r->cache, r->ablation->traces[trace], s->machine, &options, &s->results[trace], &err))
        return;
    pthread_mutex_lock(&r->lock);
    if (!r->failed)
        r->error = err;
    r->failed = true;
    pthread_mutex_unlock(&r->lock);
}

static void *work(void *data)
{
    struct replays *r = data;
    const struct ablation *a = r->ablation;
    size_t traces = a->request->trace_count;
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < a->count * traces;)
        if (a->stages[i / traces].same == i / traces)
            replay_one(r, i / traces, i % traces);
    return NULL;
}

static void work_in_threads(struct replays *r, unsigned wanted)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = wanted ? wanted : cpus > 0 ? (size_t)cpus : 1, started = 0;
    pthread_t helpers[64];
    while (started + 1 < threads && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, work, r))
        started++;
    work(r);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
}

static uint64_t warp_instructions(const struct ablation *a)
{
    uint64_t machines = 0, instructions = 0;
    for (size_t s = 0; s < a->count; s++)
        machines += a->stages[s].same == s;
    for (size_t t = 0; t < a->request->trace_count; t++)
        for (uint32_t l = 0; l < rp_trace_launch_count(a->traces[t]); l++)
            instructions += rp_trace_launch_totals(a->traces[t], l).warp_instructions;
    return machines * instructions;
}

bool ablation_replay(struct ablation *a, struct rp_error *err)
{
    struct replays r = {.ablation = a, .lock = PTHREAD_MUTEX_INITIALIZER, .total = warp_instructions(a)};
    result_cache_begin(&r.cache, a->request->cache, a->request->quiet);
    progress_begin(&r.bar, "replaying", "warp instructions", a->request->quiet);
    work_in_threads(&r, a->request->threads);
    progress_end(&r.bar);
    result_cache_end(&r.cache);
    if (r.failed)
        *err = r.error;
    return !r.failed;
}
