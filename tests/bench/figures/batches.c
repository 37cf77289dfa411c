/* Batches on a stochastic machine. */
#include "replay/session/machine_open.h"
#include "replay/session/repeat.h"
#include "replay/session/replay.h"
#include "tests/bench/figures/figures.h"

/* Processor time of 100 batches of a GEMM of 512 x 512, 8,192 warps, on so many processors of san-rtx2080; 0: all 184.
 */
static void batches(struct measurement *m, uint64_t processors)
{
    struct rp_error err = {0};
    struct rp_trace *trace = bench_open(m, bench_path("gemm"));
    struct machine *machine = trace ? machine_open(&(struct machine_request){.name = "san-rtx2080"}, &err) : NULL;
    struct replay_options options = {.launch = -1, .seed = 1, .processors = processors, .threads = 1};
    struct repeat_request request = {100, 100, 0.95, 0.1};
    struct repeat_result result;
    double start = bench_seconds();
    m->ok = machine && repeat(trace, machine, &options, &request, &result, &err);
    m->value = bench_seconds() - start;
    if (m->ok)
        repeat_result_free(&result);
    else if (trace)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    machine_free(machine);
    if (trace)
        rp_trace_close(trace);
}

/* Records the trace that other measurements read. */
static void batches_one(struct measurement *m)
{
    const struct kernel_options options = {.size = 512, .trace = bench_path("gemm"), .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find("gemm"), &options, NULL, &err))
        batches(m, 1);
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void batches_all(struct measurement *m) { batches(m, 0); }

const struct figure batches_figures[] = {
    {"GEMM 512, 100 batches of one processor", "s", 1, 0.1, 1, true, false, batches_one},
    {"GEMM 512, 100 batches of all 184", "s", 60, 10, 1, true, false, batches_all},
    {"GEMM 512, memory of 100 batches of all 184", "MB", 256, 64, 1e6, true, true, batches_all},
    {0},
};
