#include "tests/support/thread_gain.h"
#include "replay/session/machine_open.h"

#include <time.h>

static bool timed_replay(struct rp_trace *trace, const struct machine *machine, unsigned threads, double *seconds,
                         struct rp_error *err)
{
    struct timespec begin, end;
    struct replay_result result;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (!replay(trace, machine, &(struct replay_options){.threads = threads, .launch = -1}, &result, err))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &end);
    replay_result_free(&result);
    *seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    return true;
}

bool thread_gain(const char *path, const struct machine_request *request, unsigned runs, double *times,
                 struct rp_error *err)
{
    double best[2] = {0, 0};
    struct rp_trace *trace = rp_trace_open(path, err);
    struct machine *machine = trace ? machine_open(request, err) : NULL;
    bool ok = machine != NULL;
    for (unsigned i = 0; ok && i < 2 * runs; i++) {
        double seconds = 0;
        ok = timed_replay(trace, machine, 1 + i % 2, &seconds, err);
        best[i % 2] = i < 2 || seconds < best[i % 2] ? seconds : best[i % 2];
    }
    *times = best[0] / best[1];
    machine_free(machine);
    rp_trace_close(trace);
    return ok;
}
