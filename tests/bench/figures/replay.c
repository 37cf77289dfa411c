/* Sizes of traces, and replays of one on machines. */
#include "replay/session/replay.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "tests/bench/figures/figures.h"
#include "tests/support/thread_gain.h"

/* Records the trace that other measurements read. */
static void trace_bits(struct measurement *m)
{
    bench_run_sgemm(m, 512, bench_path("sgemm-512"), NULL);
    struct rp_trace *trace = m->ok ? bench_open(m, bench_path("sgemm-512")) : NULL;
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
    double start = bench_seconds();
    if (!replay(trace, machine, &(struct replay_options){.threads = 1, .launch = -1}, &result, err))
        return false;
    double seconds = bench_seconds() - start;
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
    struct rp_trace *trace = bench_open(m, path);
    struct machine *machine = trace ? machine_open(&request, &err) : NULL;
    m->ok = machine != NULL;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++)
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
    struct replayed r = replay_at(m, bench_path("sgemm-512"), name, NULL, 0);
    m->value = (double)r.total.warp_instructions / r.seconds;
}

static void replay_orin(struct measurement *m) { replay_on(m, "orin-wcet"); }
static void replay_tx2(struct measurement *m) { replay_on(m, "tx2-pastis"); }
static void replay_whole_tx2(struct measurement *m) { replay_on(m, "jetson-tx2"); }

/* How many times as long an instruction takes on 144 SMs as on 4. */
static void many_sms(struct measurement *m)
{
    static const struct machine_setting few = {"sms", "4"}, many = {"sms", "144"};
    struct replayed base = replay_at(m, bench_path("sgemm-512"), "tx2-pastis", &few, 1);
    if (m->ok)
        m->value = replay_at(m, bench_path("sgemm-512"), "tx2-pastis", &many, 1).seconds / base.seconds;
}

/* How many times as fast a trace is replayed on two threads as on one. */
static void two_threads(struct measurement *m, const char *path, const struct machine_request *request)
{
    struct rp_error err;
    m->ok = thread_gain(path, request, BENCH_RUNS, &m->value, &err);
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static const struct machine_setting sixteen_sms = {.key = "sms", .value = "16"};
static const struct machine_request tx2_of_16 = {.name = "tx2-pastis", .settings = &sixteen_sms, .setting_count = 1},
                                    rtx2060 = {.name = "rtx2060"};

static void two_threads_launch(struct measurement *m) { two_threads(m, bench_path("sgemm-512"), &tx2_of_16); }
static void two_threads_sgemm(struct measurement *m) { two_threads(m, bench_path("sgemm-512"), &rtx2060); }
static void two_threads_copy(struct measurement *m) { two_threads(m, bench_path("stream_copy"), &rtx2060); }
static void two_threads_gather(struct measurement *m) { two_threads(m, bench_path("stream_gather"), &rtx2060); }

/* Four streams of four launches each, which overlap. */
static void two_threads_streams(struct measurement *m)
{
    const struct kernel_options options = {
        .size = 256, .trace = bench_path("sgemm-streams"), .streams = 4, .times = 4, .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find("sgemm_naive"), &options, NULL, &err))
        two_threads(m, bench_path("sgemm-streams"), &tx2_of_16);
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

/* A case of tests/kernels, recorded and replayed. */
static struct replayed replay_case(struct measurement *m, const char *kernel, uint32_t size, const char *machine)
{
    const struct kernel_options options = {.size = size, .trace = bench_path(kernel), .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find(kernel), &options, NULL, &err))
        return replay_at(m, bench_path(kernel), machine, NULL, 0);
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

/* Nanoseconds that the first thread of a process has run, which has ended and is not waited for; 0: not known. */
static uint64_t of_first_thread(pid_t process)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)process);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%llu", &ns) != 1)
        ns = 0;
    if (f)
        fclose(f);
    return ns;
}

/* Seconds that a command of reprise on a trace, on rtx2060, needs on so many processors of its own: the processor time
 * of its first thread, which replays, or its part of what all its threads take, if that is more. */
static double command_seconds(struct measurement *m, unsigned processors, const char *command, const char *trace,
                              const char *more)
{
    char line[2048];
    const char *build = getenv("BUILD");
    snprintf(line, sizeof line, "REPRISE_MACHINES=hw-models/machines exec %s/reprise %s -q %s -m rtx2060 %s >/dev/null",
             build ? build : "build", command, bench_path(trace), more);
    siginfo_t ended;
    struct rusage u = {0};
    int status = 1;
    uint64_t ns = 0;
    pid_t child = fork();
    if (!child) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    if (child > 0 && !waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT)) {
        ns = of_first_thread(child);
        wait4(child, &status, 0, &u);
    }
    m->ok = !status && ns;
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "it failed: %.900s", line);
    double all =
        (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    double first = 1e-9 * (double)ns;
    return first > all / processors ? first : all / processors;
}

/* How many times as long as the replay alone a timeline takes, in turns. */
static void timeline_beside_replay(struct measurement *m, unsigned processors, const char *trace, const char *options)
{
    char file[600], more[1024];
    double alone = 0, shown = 0;
    snprintf(file, sizeof file, "%s.shown", bench_path(trace));
    snprintf(more, sizeof more, "%s -o %s", options, file);
    m->ok = true;
    for (int run = 0; m->ok && run < BENCH_RUNS; run++) {
        double seconds = command_seconds(m, 1, "replay", trace, "--threads 1");
        alone = !run || seconds < alone ? seconds : alone;
        seconds = m->ok ? command_seconds(m, processors, "timeline", trace, more) : 0;
        shown = !run || seconds < shown ? seconds : shown;
        remove(file); /* to write over one takes longer */
    }
    m->value = m->ok ? shown / alone : 0;
}

/* The same of a case of tests/kernels. */
static void timeline_of_case(struct measurement *m, unsigned processors, const char *kernel, uint32_t size,
                             const char *options)
{
    const struct kernel_options case_options = {.size = size, .trace = bench_path(kernel), .skip_check = true};
    struct rp_error err;
    if (kernel_run(kernel_case_find(kernel), &case_options, NULL, &err))
        timeline_beside_replay(m, processors, kernel, options);
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static void timeline_all(struct measurement *m) { timeline_beside_replay(m, 2, "sgemm-512", ""); }
static void timeline_window(struct measurement *m)
{
    timeline_beside_replay(m, 2, "sgemm-512", "--cycles 10000..20000");
}
static void konata_window(struct measurement *m)
{
    timeline_beside_replay(m, 2, "sgemm-512", "--konata --cycles 10000..20000");
}
static void timeline_nbody(struct measurement *m) { timeline_of_case(m, 2, "nbody", 2048, ""); }
static void konata_mandelbrot(struct measurement *m) { timeline_of_case(m, 2, "mandelbrot", 256, "--konata"); }
static void timeline_alone(struct measurement *m) { timeline_of_case(m, 1, "nbody", 2048, ""); }
static void konata_alone(struct measurement *m) { timeline_of_case(m, 1, "mandelbrot", 256, "--konata"); }
static void timeline_vectors(struct measurement *m) { timeline_of_case(m, 2, "vector_add", 1 << 20, ""); }
static void konata_vectors(struct measurement *m) { timeline_of_case(m, 2, "vector_add", 1 << 20, "--konata"); }

const struct figure replay_figures[] = {
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
    {"SGEMM 512, timeline on rtx2060", "times the replay", 2.5, 2, 1, true, false, timeline_all},
    {"SGEMM 512, timeline of 10,000 cycles", "times the replay", 2, 1.5, 1, true, false, timeline_window},
    {"SGEMM 512, Konata of 10,000 cycles", "times the replay", 2, 1.5, 1, true, false, konata_window},
    {"N-body, timeline on rtx2060", "times the replay", 4, 2, 1, true, false, timeline_nbody},
    {"N-body, timeline on one processor", "times the replay", 5, 3.5, 1, true, false, timeline_alone},
    {"Mandelbrot, Konata on rtx2060", "times the replay", 3, 2, 1, true, false, konata_mandelbrot},
    {"Mandelbrot, Konata on one processor", "times the replay", 5, 3.5, 1, true, false, konata_alone},
    {"Vector add, timeline on rtx2060", "times the replay", 2, 1.5, 1, true, false, timeline_vectors},
    {"Vector add, Konata on rtx2060", "times the replay", 2, 1.5, 1, true, false, konata_vectors},
    {"Copy, replay on rtx2060", "M warp instructions/s", 0.5, 1, 1e6, false, false, replay_copy},
    {"Random gather, replay on rtx2060", "M warp instructions/s", 0.25, 0.5, 1e6, false, false, replay_gather},
    {"SGEMM 512, rtx2060 on two threads", "times as fast", 1.3, 1.7, 1, false, false, two_threads_sgemm},
    {"Copy, rtx2060 on two threads", "times as fast", 1.3, 1.7, 1, false, false, two_threads_copy},
    {"Random gather, rtx2060 on two threads", "times as fast", 1.3, 1.7, 1, false, false, two_threads_gather},
    {"SGEMM 512, memory of replay on orin-wcet", "MB", 256, 128, 1e6, true, true, replay_orin},
    {"SGEMM 512, memory of replay on tx2-pastis", "MB", 256, 128, 1e6, true, true, replay_tx2},
    {0},
};
