/* Bounds and all schedules on orin-wcet. */
#include <stdlib.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/bench/figures/figures.h"
#include "tools/wcet/exhaust.h"

/* One launch of a case, for a bound on orin-wcet. NULL: m says why. */
static struct rp_trace *record_block(struct measurement *m, const char *name, uint32_t size, struct machine **machine)
{
    char path[] = "/tmp/reprise-bench-XXXXXX";
    struct rp_error err;
    int file = mkstemp(path);
    const struct kernel_options options = {.size = size, .trace = path, .skip_check = true};
    if (file >= 0)
        close(file);
    *machine = machine_open(&(struct machine_request){.name = "orin-wcet"}, &err);
    bool recorded = *machine && kernel_run(kernel_case_find(name), &options, NULL, &err);
    struct rp_trace *trace = recorded ? rp_trace_open(path, &err) : NULL;
    unlink(path);
    if (!trace)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    return trace;
}

static void count_phase(void *data, const struct wcet_location *place, const struct wcet_phase *phase)
{
    (void)place;
    (void)phase;
    ++*(uint64_t *)data;
}

/* Seconds for phases and bounds of ten million warp instructions: the double-buffered SGEMM in one block of 32 warps.
 */
static void bounds(struct measurement *m)
{
    struct machine *machine;
    struct rp_trace *trace = record_block(m, "sgemm_double_32", 70016, &machine);
    struct rp_error err;
    uint64_t phases = 0;
    struct wcet_watch watch = {.phase = count_phase, .data = &phases};
    m->ok = trace != NULL;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        struct wcet_bounds b;
        double start = bench_seconds();
        m->ok = wcet_analyse(trace, 0, machine, 0, &watch, &b, &err);
        if (!m->ok) {
            snprintf(m->error, sizeof m->error, "%s", err.text);
            break;
        }
        double seconds = 1e7 * (bench_seconds() - start) / (double)b.instructions;
        m->value = !i || seconds < m->value ? seconds : m->value;
        wcet_bounds_free(&b);
    }
    machine_free(machine);
    if (trace)
        rp_trace_close(trace);
}

/* How many states per second the search through all schedules visits. The block multiplies a sparse matrix by a vector
 * with four warps. */
static void schedules(struct measurement *m)
{
    struct machine *machine;
    struct rp_trace *trace = record_block(m, "spmv_vector", 4, &machine);
    struct rp_error err;
    m->ok = trace != NULL;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        struct wcet_states_budget left = {3000000, 3000000};
        struct wcet_exact exact;
        double start = bench_seconds();
        m->ok = wcet_exhaust(trace, 0, machine, 0, &left, NULL, &exact, &err);
        if (!m->ok) {
            snprintf(m->error, sizeof m->error, "%s", err.text);
            break;
        }
        double rate = (double)exact.states / (bench_seconds() - start);
        m->value = rate > m->value ? rate : m->value;
    }
    machine_free(machine);
    if (trace)
        rp_trace_close(trace);
}

const struct figure wcet_figures[] = {
    {"10 M warp instructions, bounds", "s", 2, 1, 1, true, false, bounds},
    {"All schedules, four warps", "M states/s", 0.5, 1, 1e6, false, false, schedules},
    {0},
};
