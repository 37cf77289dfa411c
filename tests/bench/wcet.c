/* How fast reprise wcet makes phases and bounds: the double-buffered SGEMM in one block of 32 warps, ten million warp
 * instructions, on one core. Aim: under 2 seconds. And how fast it goes through schedules. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/kernel_case.h"
#include "tools/wcet/exhaust.h"

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

/* One launch of the case. */
static struct rp_trace *recorded(const char *name, uint32_t size, struct rp_error *err)
{
    char path[] = "/tmp/reprise-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) {
        rp_fail(err, RP_SYSTEM, "cannot write '%s'", path);
        return NULL;
    }
    close(fd);
    struct kernel_options options = {.size = size, .trace = path, .skip_check = true};
    struct rp_trace *t = kernel_run(kernel_case_find(name), &options, NULL, err) ? rp_trace_open(path, err) : NULL;
    unlink(path);
    return t;
}

static bool phases_and_bounds(struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    struct wcet_bounds b;
    uint64_t phases = 0;
    struct wcet_watch watch = {.phase = count_phase, .data = &phases};
    double begin = now();
    if (!wcet_analyse(t, 0, m, 0, &watch, &b, err))
        return false;
    double took = now() - begin;
    printf("wcet: %" PRIu64 " warp instructions, %" PRIu64 " phases and the bounds in %.2f s: %.0f M instructions/s; "
           "10 M take %.2f s (aim: under 2)\n",
           b.instructions, phases, took, (double)b.instructions / took / 1e6, 1e7 * took / (double)b.instructions);
    wcet_bounds_free(&b);
    return true;
}

static bool all_schedules(struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    struct wcet_states_budget left = {3000000, 3000000};
    struct wcet_exact exact;
    double begin = now();
    if (!wcet_exhaust(t, 0, m, 0, &left, NULL, &exact, err))
        return false;
    double took = now() - begin;
    printf("wcet: %" PRIu64 " states of schedules of four warps in %.2f s: %.1f M states/s\n", exact.states, took,
           (double)exact.states / took / 1e6);
    return true;
}

int main(void)
{
    struct rp_error err;
    struct machine *m = machine_open(&(struct machine_request){.name = "orin-wcet"}, &err);
    struct rp_trace *large = m ? recorded("sgemm_double_32", 70016, &err) : NULL;
    struct rp_trace *small = large ? recorded("spmv_vector", 4, &err) : NULL;
    if (!small || !phases_and_bounds(large, m, &err) || !all_schedules(small, m, &err))
        return fail(&err);
    rp_trace_close(large);
    rp_trace_close(small);
    machine_free(m);
    return 0;
}
