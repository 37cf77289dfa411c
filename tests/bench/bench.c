/* Measures the speeds and sizes that docs/performance.md states and prints them beside their floors and aims.
 *
 *     bench             a table
 *     bench TEXT        the rows whose figure has this text in its name
 *     bench --markdown  the whole of docs/performance.md
 *
 * Every measurement runs in a process of its own, so that its peak memory is its own. Rates are per second of processor
 * time, so that other work on the machine counts little, and the best of a few runs. The exit status says whether the
 * measurements worked, not whether they are fast.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/repeat.h"
#include "replay/replay.h"
#include "tests/support/check_cost.h"
#include "tests/support/kernel_case.h"
#include "tests/support/launch_cost.h"
#include "tests/support/matrix_rate.h"
#include "tests/support/straight_line.h"
#include "tests/support/thread_gain.h"
#include "tools/wcet/exhaust.h"

#define RUNS 3

struct measurement {
    bool ok, missing; /* missing: what it needs is not there; error says what */
    double value;
    char error[1024];
};

static double cpu_seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *trace_path(uint32_t size)
{
    static char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/bench/sgemm-%u.wtr", build ? build : "build", size);
    return path;
}

/* ---- what is measured: each fills in value or error -------------------------------------------------------------- */

/* Thread instructions per second of SGEMM on one thread. */
static void run_sgemm(struct measurement *m, uint32_t size, const char *trace, const char *cubin)
{
    const struct kernel_options options = {
        .threads = 1, .size = size, .trace = trace, .cubin = cubin, .skip_check = true};
    struct rp_error err;
    m->ok = true;
    for (int i = 0; i < RUNS && m->ok; i++) {
        struct kernel_totals totals;
        m->ok = kernel_run(kernel_case_find("sgemm_naive"), &options, &totals, &err);
        double rate = m->ok ? (double)totals.thread_instructions / totals.cpu_seconds : 0;
        m->value = rate > m->value ? rate : m->value;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static void functional(struct measurement *m) { run_sgemm(m, 256, NULL, NULL); }
/* The same kernel as ptxas compiles it for sm_62. */
static void machine_code(struct measurement *m)
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/toolchain/complete", build ? build : "build");
    m->missing = access(path, R_OK) != 0;
    if (m->missing)
        snprintf(m->error, sizeof m->error, "no %.400s: make toolchain fetches ptxas", path);
    else
        run_sgemm(m, 256, NULL, "sm_62.O3");
}
static void recording(struct measurement *m) { run_sgemm(m, 256, trace_path(256), NULL); }

/* Multiply-adds per second of a product with mma.sync. */
static void matrix_product(struct measurement *m, const char *trace)
{
    struct rp_error err;
    m->ok = true;
    for (int i = 0; i < RUNS && m->ok; i++) {
        double rate = 0;
        m->ok = matrix_rate(512, trace, &rate, &err);
        m->value = rate > m->value ? rate : m->value;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void matrix_functional(struct measurement *m) { matrix_product(m, NULL); }
static void matrix_recording(struct measurement *m)
{
    char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/bench/mma-512.wtr", build ? build : "build");
    matrix_product(m, path);
}

/* The speed of long straight-line code, in parts of that of short: what caches hold of it. */
static void straight_line(struct measurement *m, enum straight_mix mix)
{
    struct rp_error err;
    double rate, best[2] = {0, 0};
    static const uint32_t lengths[2] = {200, 20000};
    m->ok = true;
    for (int i = 0; i < 2 * RUNS && m->ok; i++) {
        m->ok = straight_line_rate(mix, lengths[i % 2], &rate, &err);
        best[i % 2] = m->ok && rate > best[i % 2] ? rate : best[i % 2];
    }
    if (m->ok)
        m->value = best[1] / best[0];
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static void straight_line_one(struct measurement *m) { straight_line(m, STRAIGHT_ONE); }
static void straight_line_turns(struct measurement *m) { straight_line(m, STRAIGHT_TURNS); }
static void straight_line_random(struct measurement *m) { straight_line(m, STRAIGHT_RANDOM); }

/* Where the trace of a case is that several measurements read. */
static const char *case_path(const char *name)
{
    static char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/bench/%s.wtr", build ? build : "build", name);
    return path;
}

static struct rp_trace *open_trace(struct measurement *m, const char *path)
{
    struct rp_error err;
    struct rp_trace *trace = rp_trace_open(path, &err);
    if (!trace)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    return trace;
}

/* Records the trace that other measurements read. */
static void trace_bits(struct measurement *m)
{
    run_sgemm(m, 512, trace_path(512), NULL);
    struct rp_trace *trace = m->ok ? open_trace(m, trace_path(512)) : NULL;
    m->ok = trace != NULL;
    if (!m->ok)
        return;
    m->value = 8.0 * (double)rp_trace_file_bytes(trace) / (double)rp_trace_launch_totals(trace, 0).warp_instructions;
    rp_trace_close(trace);
}

/* What a replay took. */
struct replayed {
    double seconds; /* of processor time, the least of a few runs */
    struct statistics total;
};

static bool replay_once(struct rp_trace *trace, const struct machine *machine, struct replayed *r, struct rp_error *err)
{
    struct replay_result result;
    double start = cpu_seconds_now();
    if (!replay(trace, machine, &(struct replay_options){.threads = 1, .launch = -1}, &result, err))
        return false;
    double seconds = cpu_seconds_now() - start;
    r->seconds = !r->seconds || seconds < r->seconds ? seconds : r->seconds;
    r->total = result.total;
    replay_result_free(&result);
    return true;
}

/* The trace at `path` on a machine with settings besides its own. */
static struct replayed replay_at(struct measurement *m, const char *path, const char *name,
                                 const struct machine_setting *settings, size_t setting_count)
{
    struct rp_error err;
    struct replayed r = {0};
    struct machine_request request = {.name = name, .settings = settings, .setting_count = setting_count};
    struct rp_trace *trace = open_trace(m, path);
    struct machine *machine = trace ? machine_open(&request, &err) : NULL;
    m->ok = machine != NULL;
    for (int i = 0; i < RUNS && m->ok; i++)
        m->ok = replay_once(trace, machine, &r, &err);
    if (trace && !m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    machine_free(machine);
    rp_trace_close(trace);
    return r;
}

/* Warp instructions per second. */
static void replay_on(struct measurement *m, const char *name)
{
    struct replayed r = replay_at(m, trace_path(512), name, NULL, 0);
    m->value = (double)r.total.warp_instructions / r.seconds;
}

static void replay_orin(struct measurement *m) { replay_on(m, "orin-wcet"); }
static void replay_tx2(struct measurement *m) { replay_on(m, "tx2-pastis"); }
static void replay_whole_tx2(struct measurement *m) { replay_on(m, "jetson-tx2"); }

/* How many times as long an instruction takes on 144 SMs as on 4. */
static void many_sms(struct measurement *m)
{
    static const struct machine_setting few = {"sms", "4"}, many = {"sms", "144"};
    struct replayed base = replay_at(m, trace_path(512), "tx2-pastis", &few, 1);
    if (m->ok)
        m->value = replay_at(m, trace_path(512), "tx2-pastis", &many, 1).seconds / base.seconds;
}

/* How many times as fast a trace is replayed on two threads as on one. */
static void two_threads(struct measurement *m, const char *path, const struct machine_request *request)
{
    struct rp_error err;
    m->ok = thread_gain(path, request, RUNS, &m->value, &err);
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static const struct machine_setting sixteen_sms = {.key = "sms", .value = "16"};
static const struct machine_request tx2_of_16 = {.name = "tx2-pastis", .settings = &sixteen_sms, .setting_count = 1},
                                    rtx2060 = {.name = "rtx2060"};

static void two_threads_launch(struct measurement *m) { two_threads(m, trace_path(512), &tx2_of_16); }
static void two_threads_sgemm(struct measurement *m) { two_threads(m, trace_path(512), &rtx2060); }
static void two_threads_copy(struct measurement *m) { two_threads(m, case_path("stream_copy"), &rtx2060); }
static void two_threads_gather(struct measurement *m) { two_threads(m, case_path("stream_gather"), &rtx2060); }

/* Four streams of four launches each, which overlap. */
static void two_threads_streams(struct measurement *m)
{
    const struct kernel_options options = {
        .size = 256, .trace = case_path("sgemm-streams"), .streams = 4, .times = 4, .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find("sgemm_naive"), &options, NULL, &err))
        two_threads(m, case_path("sgemm-streams"), &tx2_of_16);
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

/* A case of tests/kernels, recorded and replayed. */
static struct replayed replay_case(struct measurement *m, const char *kernel, uint32_t size, const char *machine)
{
    const struct kernel_options options = {.size = size, .trace = case_path(kernel), .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find(kernel), &options, NULL, &err))
        return replay_at(m, case_path(kernel), machine, NULL, 0);
    snprintf(m->error, sizeof m->error, "%s", err.text);
    return (struct replayed){0};
}

static struct replayed replay_spmv(struct measurement *m) { return replay_case(m, "spmv_scalar", 32768, "tx2-pastis"); }

/* With the whole hierarchy: sectored caches, crossbar, banks of device memory. */
static void replay_rtx2060(struct measurement *m) { replay_on(m, "rtx2060"); }
static void replay_copy(struct measurement *m)
{
    struct replayed r = replay_case(m, "stream_copy", 1 << 21, "rtx2060");
    m->value = (double)r.total.warp_instructions / r.seconds;
}
static void replay_gather(struct measurement *m)
{
    struct replayed r = replay_case(m, "stream_gather", 1 << 19, "rtx2060");
    m->value = (double)r.total.warp_instructions / r.seconds;
}

static void spmv_instructions(struct measurement *m)
{
    struct replayed r = replay_spmv(m);
    m->value = (double)r.total.warp_instructions / r.seconds;
}

/* Requests that leave an SM are translated: the chip works by events. */
static void spmv_translated(struct measurement *m)
{
    struct replayed r = replay_case(m, "spmv_scalar", 32768, "jetson-tx2");
    m->value = (double)r.total.warp_instructions / r.seconds;
}

static void spmv_transactions(struct measurement *m)
{
    struct replayed r = replay_spmv(m);
    m->value = (double)(r.total.global_load_transactions + r.total.global_store_transactions) / r.seconds;
}

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

static void count_phase(void *data, const struct wcet_place *place, const struct wcet_phase *phase)
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
    for (int i = 0; i < RUNS && m->ok; i++) {
        struct wcet_bounds b;
        double start = cpu_seconds_now();
        m->ok = wcet_analyse(trace, 0, machine, 0, &watch, &b, &err);
        if (!m->ok) {
            snprintf(m->error, sizeof m->error, "%s", err.text);
            break;
        }
        double seconds = 1e7 * (cpu_seconds_now() - start) / (double)b.instructions;
        m->value = !i || seconds < m->value ? seconds : m->value;
        wcet_bounds_free(&b);
    }
    machine_free(machine);
    if (trace)
        rp_trace_close(trace);
}

/* States per second, through which all schedules lead: four warps of a sparse matrix by a vector. */
static void schedules(struct measurement *m)
{
    struct machine *machine;
    struct rp_trace *trace = record_block(m, "spmv_vector", 4, &machine);
    struct rp_error err;
    m->ok = trace != NULL;
    for (int i = 0; i < RUNS && m->ok; i++) {
        struct wcet_states_budget left = {3000000, 3000000};
        struct wcet_exact exact;
        double start = cpu_seconds_now();
        m->ok = wcet_exhaust(trace, 0, machine, 0, &left, NULL, &exact, &err);
        if (!m->ok) {
            snprintf(m->error, sizeof m->error, "%s", err.text);
            break;
        }
        double rate = (double)exact.states / (cpu_seconds_now() - start);
        m->value = rate > m->value ? rate : m->value;
    }
    machine_free(machine);
    if (trace)
        rp_trace_close(trace);
}

/* ---- what a launch costs: elapsed time, as threads are part of it ---------------------------------------------------
 */

#define MANY_THREADS 16

static double launches(struct measurement *m, struct launch_cost cost, double *freeing)
{
    struct rp_error err;
    double best = 0, unused;
    m->ok = true;
    for (int i = 0; i < RUNS && m->ok; i++) {
        double microseconds;
        m->ok = launch_cost(&cost, &microseconds, freeing ? freeing : &unused, &err);
        best = !i || microseconds < best ? microseconds : best;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    return best;
}

static void empty_launch(struct measurement *m, unsigned threads, bool recorded)
{
    m->value = launches(m, (struct launch_cost){recorded ? 500 : 1000, 64, threads, recorded, 0, 0}, NULL);
}
static void empty_alone(struct measurement *m) { empty_launch(m, 1, false); }
static void empty_threads(struct measurement *m) { empty_launch(m, MANY_THREADS, false); }
static void empty_recorded(struct measurement *m) { empty_launch(m, 1, true); }
static void empty_recorded_threads(struct measurement *m) { empty_launch(m, MANY_THREADS, true); }

/* The time of launches that store 512 bytes: into 256 MB against into 4 KB, and beside 10,000 allocations against none.
 */
static void large_buffer(struct measurement *m)
{
    double large = launches(m, (struct launch_cost){100, 4, 1, false, 256 << 20, 0}, NULL);
    if (m->ok)
        m->value = large / launches(m, (struct launch_cost){100, 4, 1, false, 4 << 10, 0}, NULL);
}
static void many_allocations(struct measurement *m, bool recorded)
{
    double many = launches(m, (struct launch_cost){100, 4, 1, recorded, 4 << 10, 10000}, NULL);
    if (m->ok)
        m->value = many / launches(m, (struct launch_cost){100, 4, 1, recorded, 4 << 10, 0}, NULL);
}
static void many_run(struct measurement *m) { many_allocations(m, false); }
static void many_recorded(struct measurement *m) { many_allocations(m, true); }
static void freeing(struct measurement *m)
{
    launches(m, (struct launch_cost){1, 4, 1, false, 4 << 10, 10000}, &m->value);
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Processor time of 100 batches of a GEMM of 512 x 512, 8,192 warps, on so many processors of san-rtx2080; 0: all 184.
 */
static void batches(struct measurement *m, uint64_t processors)
{
    struct rp_error err = {0};
    struct rp_trace *trace = open_trace(m, case_path("gemm"));
    struct machine *machine = trace ? machine_open(&(struct machine_request){.name = "san-rtx2080"}, &err) : NULL;
    struct replay_options options = {.launch = -1, .seed = 1, .processors = processors, .threads = 1};
    struct repeat_request request = {100, 100, 0.95, 0.1};
    struct repeat_result result;
    double start = cpu_seconds_now();
    m->ok = machine && repeat(trace, machine, &options, &request, &result, &err);
    m->value = cpu_seconds_now() - start;
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
    const struct kernel_options options = {.size = 512, .trace = case_path("gemm"), .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find("gemm"), &options, NULL, &err))
        batches(m, 1);
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void batches_all(struct measurement *m) { batches(m, 0); }

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static void checked(struct measurement *m, const char *kernel, uint32_t size, bool races)
{
    struct rp_error err;
    m->ok = check_cost(kernel, size, races, RUNS, &m->value, &err);
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void init_sgemm(struct measurement *m) { checked(m, "sgemm_naive", 256, false); }
static void init_spmv(struct measurement *m) { checked(m, "spmv_scalar", 1 << 15, false); }
static void init_copy(struct measurement *m) { checked(m, "stream_copy", 1 << 21, false); }
static void init_gather(struct measurement *m) { checked(m, "stream_gather", 1 << 19, false); }
static void race_sgemm(struct measurement *m) { checked(m, "sgemm_naive", 256, true); }
static void race_spmv(struct measurement *m) { checked(m, "spmv_scalar", 1 << 15, true); }
static void race_copy(struct measurement *m) { checked(m, "stream_copy", 1 << 21, true); }
static void race_gather(struct measurement *m) { checked(m, "stream_gather", 1 << 19, true); }
static void race_add(struct measurement *m) { checked(m, "vector_add", 1 << 20, true); }
static void race_tiles(struct measurement *m) { checked(m, "gemm", 256, true); }
static void race_histogram(struct measurement *m) { checked(m, "histogram_shared", 1 << 20, true); }
static void race_bins(struct measurement *m) { checked(m, "histogram_global", 1 << 20, true); }
static void race_sort(struct measurement *m) { checked(m, "bitonic", 1 << 16, true); }

/* ---- the figures ------------------------------------------------------------------------------------------------- */

/* With `memory` the value is the peak resident memory of the process that runs `measure`, whatever that fills in. */
static const struct figure {
    const char *name, *unit;
    double floor, aim, scale; /* value / scale is in `unit` */
    bool smaller_is_better, memory;
    void (*measure)(struct measurement *);
} figures[] = {
    {"SGEMM 256, functional", "G thread instructions/s", 1, 2, 1e9, false, false, functional},
    {"SGEMM 256, functional, machine code", "G thread instructions/s", 1, 2, 1e9, false, false, machine_code},
    {"SGEMM 256, recording", "G thread instructions/s", 0.5, 1, 1e9, false, false, recording},
    {"mma.sync f16 product 512, functional", "G multiply-adds/s", 3, 5, 1e9, false, false, matrix_functional},
    {"mma.sync f16 product 512, recording", "G multiply-adds/s", 2.5, 4, 1e9, false, false, matrix_recording},
    {"Straight-line code, one kind", "times the speed", 0.5, 0.9, 1, false, false, straight_line_one},
    {"Straight-line code, eight in turn", "times the speed", 0.5, 0.9, 1, false, false, straight_line_turns},
    {"Straight-line code, random", "times the speed", 0.5, 0.9, 1, false, false, straight_line_random},
    {"SGEMM 512, size of the trace", "bit/warp instruction", 0.1, 0.05, 1, true, false, trace_bits},
    {"SGEMM 512, replay on orin-wcet", "M warp instructions/s", 20, 40, 1e6, false, false, replay_orin},
    {"SGEMM 512, replay on tx2-pastis", "M warp instructions/s", 5, 10, 1e6, false, false, replay_tx2},
    {"SGEMM 512, replay on 144 SMs against 4", "times the time", 1.5, 1.1, 1, true, false, many_sms},
    {"SGEMM 512, one launch on two threads", "times as fast", 1.3, 1.6, 1, false, false, two_threads_launch},
    {"SGEMM 256, overlapping launches on two threads", "times as fast", 1.3, 1.6, 1, false, false, two_threads_streams},
    {"SpMV, replay on tx2-pastis", "M warp instructions/s", 2, 4.6, 1e6, false, false, spmv_instructions},
    {"SGEMM 512, replay on jetson-tx2", "M warp instructions/s", 5, 10, 1e6, false, false, replay_whole_tx2},
    {"SpMV, replay on jetson-tx2", "M warp instructions/s", .5, 1, 1e6, false, false, spmv_translated},
    {"SpMV, transactions on tx2-pastis", "M transactions/s", 10, 23, 1e6, false, false, spmv_transactions},
    {"SGEMM 512, replay on rtx2060", "M warp instructions/s", 2.5, 5, 1e6, false, false, replay_rtx2060},
    {"Copy, replay on rtx2060", "M warp instructions/s", 0.5, 1, 1e6, false, false, replay_copy},
    {"Random gather, replay on rtx2060", "M warp instructions/s", 0.25, 0.5, 1e6, false, false, replay_gather},
    {"SGEMM 512, rtx2060 on two threads", "times as fast", 1.3, 1.6, 1, false, false, two_threads_sgemm},
    {"Copy, rtx2060 on two threads", "times as fast", 1.3, 1.6, 1, false, false, two_threads_copy},
    {"Random gather, rtx2060 on two threads", "times as fast", 1.3, 1.6, 1, false, false, two_threads_gather},
    {"GEMM 512, 100 batches of one processor", "s", 1, 0.1, 1, true, false, batches_one},
    {"GEMM 512, 100 batches of all 184", "s", 60, 10, 1, true, false, batches_all},
    {"GEMM 512, memory of 100 batches of all 184", "MB", 256, 64, 1e6, true, true, batches_all},
    {"SGEMM 512, memory of replay on orin-wcet", "MB", 256, 128, 1e6, true, true, replay_orin},
    {"SGEMM 512, memory of replay on tx2-pastis", "MB", 256, 128, 1e6, true, true, replay_tx2},
    {"Empty launch, 1 thread", "us", 10, 5, 1, true, false, empty_alone},
    {"Empty launch, 16 threads", "us", 10, 5, 1, true, false, empty_threads},
    {"Empty launch, 1 thread, recording", "us", 40, 20, 1, true, false, empty_recorded},
    {"Empty launch, 16 threads, recording", "us", 40, 20, 1, true, false, empty_recorded_threads},
    {"Storing 512 bytes, 256 MB against 4 KB", "times the time", 2, 1.2, 1, true, false, large_buffer},
    {"A launch beside 10,000 allocations", "times the time", 2, 1.2, 1, true, false, many_run},
    {"The same, recording", "times the time", 2, 1.2, 1, true, false, many_recorded},
    {"Freeing one of 10,000 allocations", "us", 2, 1, 1, true, false, freeing},
    {"SGEMM 256, init check", "times the time", 3, 2.5, 1, true, false, init_sgemm},
    {"SGEMM 256, race check", "times the time", 3, 2.5, 1, true, false, race_sgemm},
    {"SpMV, init check", "times the time", 3, 2.5, 1, true, false, init_spmv},
    {"SpMV, race check", "times the time", 3, 2.5, 1, true, false, race_spmv},
    {"Copy, init check", "times the time", 3, 2.5, 1, true, false, init_copy},
    {"Copy, race check", "times the time", 3, 2.5, 1, true, false, race_copy},
    {"Random gather, init check", "times the time", 3, 2.5, 1, true, false, init_gather},
    {"Random gather, race check", "times the time", 3, 2.5, 1, true, false, race_gather},
    {"Vector add, race check", "times the time", 3, 2.5, 1, true, false, race_add},
    {"GEMM in tiles 256, race check", "times the time", 3, 2.5, 1, true, false, race_tiles},
    {"Histogram in shared memory, race check", "times the time", 3, 2.5, 1, true, false, race_histogram},
    {"Histogram in device memory, race check", "times the time", 3, 2.5, 1, true, false, race_bins},
    {"Bitonic sort, race check", "times the time", 3, 2.5, 1, true, false, race_sort},
    {"10 M warp instructions, bounds", "s", 2, 1, 1, true, false, bounds},
    {"All schedules, four warps", "M states/s", 0.5, 1, 1e6, false, false, schedules},
};
#define FIGURES (sizeof figures / sizeof *figures)

static bool fail(struct measurement *m, const char *what)
{
    m->ok = false;
    snprintf(m->error, sizeof m->error, "%s", what);
    return false;
}

static bool in_own_process(const struct figure *f, struct measurement *m)
{
    int ends[2];
    if (pipe(ends))
        return fail(m, "no pipe");
    pid_t child = fork();
    if (child < 0)
        return fail(m, "no process");
    if (child == 0) {
        struct measurement mine = {0};
        f->measure(&mine);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], m, sizeof *m) == (ssize_t)sizeof *m;
    close(ends[0]);
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child || !whole)
        return fail(m, "the measurement died");
    if (f->memory)
        m->value = (double)usage.ru_maxrss * 1024; /* Linux counts KiB */
    m->value /= f->scale;
    return m->ok;
}

static bool reached(const struct figure *f, double limit, double value)
{
    return f->smaller_is_better ? value <= limit : value >= limit;
}

static void processor(char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "unknown processor");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

static void print_row(const struct figure *f, const struct measurement *m, bool markdown)
{
    const char *sign = f->smaller_is_better ? "<=" : ">=";
    const char *verdict = reached(f, f->aim, m->value)     ? "aim reached"
                          : reached(f, f->floor, m->value) ? "floor reached"
                                                           : "BELOW FLOOR";
    printf(markdown ? "| %s | %s | %s %g | %s %g | %.3g | %s |\n" : "%-42s %-24s %s %-6g %s %-6g %8.3g  %s\n", f->name,
           f->unit, sign, f->floor, sign, f->aim, m->value, verdict);
    fflush(stdout);
}

static void print_head(bool markdown)
{
    char cpu[256];
    processor(cpu, sizeof cpu);
    if (!markdown) {
        printf("%s, one thread\n%-42s %-24s %-9s %-9s %8s\n", cpu, "figure", "unit", "floor", "aim", "measured");
        return;
    }
    printf(
        "# Performance\n\n"
        "`make bench` measures these figures. `make bench-docs` writes this page. Where a row names no "
        "threads, it uses one. Speeds\n"
        "are per second of processor time. Each figure is the best of %d runs on:\n"
        "%s.\n"
        "\n"
        "* SGEMM is `sgemm_naive` of tests/kernels/sgemm.cu, with tiles of 32 x 32 in shared memory. "
        "*Functional* runs it. *Machine\n"
        "  code* runs what ptxas -O3 makes of it for sm_62 (`make toolchain`). *Recording* also writes "
        "its trace. A thread instruction\n"
        "  is one instruction of one thread.\n"
        "* The mma.sync product is `tiled` of tests/golden/nvcc/matrices.cu. It multiplies f16, adds in "
        "f32, and loads tiles from\n"
        "  shared memory with ldmatrix.\n"
        "* Straight-line code is the speed of a loop of 20,000 arithmetic instructions beside that of one "
        "of 200, in one warp.\n"
        "  These are of one kind, of eight kinds in turn, or of eight at random, which no branch predictor "
        "learns. All immediates\n"
        "  are different.\n"
        "* Overlapping launches are 16 of SGEMM in four streams. They, and one launch on two threads, are "
        "replayed on tx2-pastis\n  with 16 SMs, unless another machine is named. Gains of two threads are "
        "by the clock on the wall; one thread and two take turns.\n"
        "* SpMV is `spmv_scalar` of tests/kernels/spmv.cu. A thread has a row of a sparse matrix, so "
        "warps diverge, and their\n"
        "  accesses are scattered. Transactions are those of its loads and stores after coalescing.\n"
        "* Copy and random gather are `stream_copy` of 2 M words and `stream_gather` of 512 K words of "
        "tests/kernels/stream.cu. Both are bound by device memory.\n"
        "* jetson-tx2 is tx2-pastis with instruction caches and TLBs: each instruction and each request that leaves an "
        "SM is looked up.\n"
        "* 144 SMs against 4 compares replays on tx2-pastis with that many SMs.\n"
        "* The batches are those of `reprise replay --batches` on san-rtx2080, of 8,192 warps of `gemm` of "
        "tests/kernels/gemm.cu:\n  45 of them on one processor.\n"
        "* Checks are those of docs/checks.md: the time of launches with `--check init` or `race` in parts of that "
        "without, in turns.\n"
        "* The size of the trace is that of the whole file.\n"
        "* Memory is the peak resident memory of the process that replays.\n"
        "* Bounds are those of `reprise wcet` on orin-wcet, with phases, for 32 warps of SGEMM in one "
        "block. All schedules are gone\n"
        "  through with `--exhaust`.\n"
        "\n"
        "| figure | unit | floor | aim | measured | |\n|---|---|---|---|---|---|\n",
        RUNS, cpu);
}

/* Where TEXT leaves out the rows that record traces, rows behind them want these nevertheless. */
static bool record_missing(void)
{
    static const struct {
        const char *trace;
        struct figure records;
    } rows[] = {{"sgemm-512", {.scale = 1, .measure = trace_bits}}, {"gemm", {.scale = 1, .measure = batches_one}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measurement m = {0};
        if (access(case_path(rows[i].trace), R_OK) && !in_own_process(&rows[i].records, &m)) {
            fprintf(stderr, "bench: trace of %s: %s\n", rows[i].trace, m.error);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    bool markdown = argc == 2 && !strcmp(argv[1], "--markdown"), ok = true;
    if (argc > 2) {
        fprintf(stderr, "usage: bench [--markdown | TEXT]\n");
        return RP_USAGE;
    }
    const char *only = argc > 1 && !markdown ? argv[1] : "";
    if (*only && !record_missing())
        return RP_SYSTEM;
    print_head(markdown);
    fflush(stdout);
    for (size_t i = 0; i < FIGURES; i++) {
        struct measurement m = {0};
        if (!strstr(figures[i].name, only))
            continue;
        if (in_own_process(&figures[i], &m)) {
            print_row(&figures[i], &m, markdown);
        } else {
            fprintf(stderr, "bench: %s: %s%s\n", figures[i].name, m.missing ? "skipped: " : "", m.error);
            ok &= m.missing;
        }
    }
    return ok ? RP_OK : RP_SYSTEM;
}
