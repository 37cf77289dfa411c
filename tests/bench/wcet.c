/* How fast reprise wcet makes phases and bounds: the double-buffered SGEMM in one block of 32 warps, ten million warp
 * instructions, on one core. Aim: under 2 seconds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/kernel_case.h"
#include "tools/wcet/analysis.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const struct rp_error *err)
{
    fprintf(stderr, "bench: %s\n", err->text);
    return 1;
}

static void count_phase(void *data, const struct wcet_place *place, const struct wcet_phase *phase)
{
    (void)place;
    (void)phase;
    ++*(uint64_t *)data;
}

int main(void)
{
    char path[] = "/tmp/reprise-bench-XXXXXX";
    if (mkstemp(path) < 0)
        return 1;
    struct rp_error err;
    struct kernel_options options = {.size = 70016, .trace = path, .skip_check = true};
    bool recorded = kernel_run(kernel_case_find("sgemm_double_32"), &options, NULL, &err);
    struct rp_trace *t = recorded ? rp_trace_open(path, &err) : NULL;
    unlink(path);
    struct machine *m = t ? machine_open(&(struct machine_request){.name = "orin-wcet"}, &err) : NULL;
    if (!m)
        return fail(&err);
    struct wcet_bounds b;
    uint64_t phases = 0;
    struct wcet_watch watch = {.phase = count_phase, .data = &phases};
    double begin = now();
    if (!wcet_analyse(t, 0, m, 0, &watch, &b, &err))
        return fail(&err);
    double took = now() - begin;
    printf("wcet: %" PRIu64 " warp instructions, %" PRIu64 " phases and the bounds in %.2f s: %.0f M instructions/s; "
           "10 M take %.2f s (aim: under 2)\n",
           b.instructions, phases, took, (double)b.instructions / took / 1e6, 1e7 * took / (double)b.instructions);
    wcet_bounds_free(&b);
    rp_trace_close(t);
    machine_free(m);
    return 0;
}
