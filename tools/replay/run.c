#include <stdio.h>

#include "tools/lib/command.h"
#include "tools/replay/replay.h"
#include "tools/replaying/timeless.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"

static void show(void *bar, uint64_t done, uint64_t total)
{
    progress_update(bar, done, total, done, "warp instructions");
}

static uint32_t subcores_replayed(const struct replay_request *a, const struct machine *m)
{
    uint64_t all = (uint64_t)(m->sms * m->subcores), some = a->replay.processors;
    return (uint32_t)(some && some < all ? some : all);
}

/* Sets up the observer of --by before the replay, and sums up its counts afterwards. */
static bool begin_hotspots(struct replay_request *a, struct rp_trace *t, const struct machine *m, struct outcome *o,
                           struct rp_error *err)
{
    if (!a->by)
        return true;
    o->places = places_new(t, a->kind, subcores_replayed(a, m), err);
    if (o->places && !(o->files = source_files_new(rp_trace_path(t))))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    if (!o->places || !(o->profile = profile_new(t, m, err)))
        return false;
    a->replay.observer = &o->profile->observer;
    return true;
}

static bool end_hotspots(const struct replay_request *a, const struct machine *m, struct outcome *o,
                         struct rp_error *err)
{
    if (!a->by)
        return true;
    o->profile->subcore_count = subcores_replayed(a, m);
    return hotspots_sum(&o->hotspots, o->places, o->profile, o->result.total.cycles, m, err);
}

static int run(struct replay_request *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct progress bar;
    struct outcome outcome = {0};
    a->replay.progress = show;
    a->replay.progress_data = &bar;
    struct result_cache cache;
    result_cache_begin(&cache, a->cache, a->quiet);
    progress_begin(&bar, "replaying", "warp instructions", a->quiet);
    bool fine = begin_hotspots(a, trace, m, &outcome, &err) &&
                result_get(&cache, trace, m, &a->replay, &outcome.result, &err) && end_hotspots(a, m, &outcome, &err);
    progress_end(&bar);
    result_cache_end(&cache);
    int status = fine ? replay_print(a, trace, m, &outcome) : command_fail(&err);
    result_free(&outcome.result);
    hotspots_free(&outcome.hotspots);
    places_free(outcome.places);
    source_files_free(outcome.files);
    profile_free(outcome.profile);
    return status;
}

static int run_exact(struct replay_request *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct engine_exact exact;
    if (!repeat_exact(trace, m, &a->replay, &exact, &err))
        return command_fail(&err);
    int status = replay_print_exact(a, trace, m, &exact);
    return status == RP_OK && rp_trace_damage(trace) ? RP_PARTIAL : status;
}

static int run_repeated(struct replay_request *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct progress bar;
    struct repeat_result result;
    a->replay.progress = show;
    a->replay.progress_data = &bar;
    progress_begin(&bar, "replaying", "warp instructions", a->quiet);
    bool fine = repeat(trace, m, &a->replay, &a->repeat.request, &result, &err);
    progress_end(&bar);
    if (!fine)
        return command_fail(&err);
    int status = replay_print_repeated(a, trace, m, &result);
    repeat_result_free(&result);
    return status == RP_OK && rp_trace_damage(trace) ? RP_PARTIAL : status;
}

static int run_on(struct replay_request *a, struct rp_trace *trace)
{
    struct rp_error err;
    if (rp_trace_damage(trace) && !a->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(trace));
    struct machine *m =
        shares_machine_open(&a->machine, NULL, 0, trace, a->replay.launch, a->replay.threads, &a->shares, &err);
    if (!m || (a->save_machine && !shares_write(m, &a->shares, a->save_machine, &err))) {
        machine_free(m);
        return command_fail(&err);
    }
    unsigned told = 0;
    if (!a->quiet)
        timeless_warn(m, &told);
    if (!a->json && !a->csv)
        shares_print(&a->shares);
    int status = (a->repeat.request.least ? run_repeated : a->exact ? run_exact : run)(a, trace, m);
    machine_free(m);
    return status;
}

static int one_trace(void *data, const char *path)
{
    struct replay_request *a = data;
    struct rp_error err;
    a->trace = path;
    /* errors of the machine come before those of the trace */
    struct machine *m = machine_args_open(&a->machine, NULL, 0, &err);
    struct rp_trace *trace = m ? trace_of_launches(a->trace, &err) : NULL;
    machine_free(m);
    int status = trace ? run_on(a, trace) : command_fail(&err);
    if (trace)
        rp_trace_close(trace);
    return status;
}

int replay_command(struct replay_request *a)
{
    a->out = (struct trace_output){.json.name = a->json ? "replay" : NULL, .csv = a->csv};
    return each_trace(a->traces, a->trace_count, &a->out, one_trace, a);
}
