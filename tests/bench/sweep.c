/* What `reprise sweep` adds to the replays, and what a second thread gains: 1,000 runs, of 10 traces on 100 machines.
 *
 * The replays alone go through opened traces and machines, one after the other, and keep nothing. Then sweeps do the
 * same on one thread and on two, with machines to open, a plan, and a database. All take turns, and of each the best
 * round counts. Processor time says what a sweep costs, whatever else the computer does; the clock on the wall says
 * what two threads gain on an idle one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/session/machine_open.h"
#include "replay/session/replay.h"
#include "tests/bench/figures/figures.h"

enum { TRACES = 10, SCHEDULERS = 2, LATENCIES = 50, MACHINES = SCHEDULERS * LATENCIES, ROUNDS = 3 };
#define MACHINE "jetson-tx2"
#define LEAST_LATENCY 100

static const struct {
    const char *name;
    uint32_t size;
} cases[TRACES] = {
    {"matmul", 96},           {"sgemm_naive", 96},      {"spmv_scalar", 4096}, {"histogram_shared", 1 << 16},
    {"nbody", 256},           {"stencil", 128},         {"scan", 1 << 14},     {"kmeans", 4096},
    {"stream_copy", 1 << 16}, {"transpose_padded", 256}};
static char paths[TRACES][512];
static const char *const schedulers[SCHEDULERS] = {"gto", "lrr"};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "sweep: %s: %s\n", what, why);
    exit(1);
}

static void record_all(void)
{
    struct rp_error err;
    for (unsigned t = 0; t < TRACES; t++) {
        char name[128];
        snprintf(name, sizeof name, "sweep-%s", cases[t].name);
        snprintf(paths[t], sizeof paths[t], "%s", bench_path(name));
        struct kernel_options options = {.size = cases[t].size, .skip_check = true, .trace = paths[t], .threads = 1};
        if (!kernel_run(kernel_case_find(cases[t].name), &options, NULL, &err))
            die(cases[t].name, err.text);
    }
}

static struct machine *open_machine(unsigned scheduler, unsigned latency)
{
    char text[16];
    struct rp_error err;
    snprintf(text, sizeof text, "%u", LEAST_LATENCY + latency);
    const struct machine_setting settings[] = {{"scheduler", schedulers[scheduler]}, {"dram.latency", text}};
    struct machine *m =
        machine_open(&(struct machine_request){.name = MACHINE, .settings = settings, .setting_count = 2}, &err);
    if (!m)
        die(MACHINE, err.text);
    return m;
}

static void replay_on(struct rp_trace *t, struct machine *const machines[MACHINES])
{
    struct rp_error err;
    struct replay_result result;
    for (unsigned m = 0; m < MACHINES; m++) {
        if (!replay(t, machines[m], &(struct replay_options){.launch = -1, .seed = 1}, &result, &err))
            die(rp_trace_path(t), err.text);
        replay_result_free(&result);
    }
}

/* The replays alone; prints nothing and keeps nothing. */
static double alone(void)
{
    struct rp_error err;
    struct machine *machines[MACHINES];
    for (unsigned m = 0; m < MACHINES; m++)
        machines[m] = open_machine(m / LATENCIES, m % LATENCIES);
    double seconds = bench_seconds();
    for (unsigned i = 0; i < TRACES; i++) {
        struct rp_trace *t = rp_trace_open(paths[i], &err);
        if (!t)
            die(paths[i], err.text);
        replay_on(t, machines);
        rp_trace_close(t);
    }
    seconds = bench_seconds() - seconds;
    for (unsigned m = 0; m < MACHINES; m++)
        machine_free(machines[m]);
    return seconds;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double of_children(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct times {
    double processor, wall;
};

static void keep_least(double *least, double seconds) { *least = *least > 0 && *least < seconds ? *least : seconds; }

static void sweep(const char *threads, struct times *best)
{
    char program[512], database[512], latencies[64];
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    snprintf(program, sizeof program, "%s/reprise", build);
    snprintf(database, sizeof database, "%s/bench/sweep.db", build);
    snprintf(latencies, sizeof latencies, "dram.latency=%u..%u", LEAST_LATENCY, LEAST_LATENCY + LATENCIES - 1);
    unlink(database);
    const char *arguments[TRACES + 20] = {program,  "sweep",   "-q", "-m",     MACHINE, "--vary", "scheduler=gto,lrr",
                                          "--vary", latencies, "-o", database, "-t",    threads};
    for (unsigned t = 0; t < TRACES; t++)
        arguments[13 + t] = paths[t];
    double processor = of_children(), began = wall();
    int status;
    pid_t child = fork();
    if (!child) {
        execv(program, (char **)arguments);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        die(program, "it failed");
    keep_least(&best->wall, wall() - began);
    keep_least(&best->processor, of_children() - processor);
}

int main(void)
{
    double replays = 0;
    struct times one = {0}, two = {0};
    record_all();
    for (unsigned round = 0; round < ROUNDS; round++) {
        keep_least(&replays, alone());
        sweep("1", &one);
        sweep("2", &two);
    }
    printf("%u runs of reprise sweep, best of %u rounds\n", TRACES * MACHINES, ROUNDS);
    printf("%-42s %8.2f s of processor time\n", "the replays alone", replays);
    printf("%-42s %8.2f s (%+.1f %%), at most +5 %%\n", "a sweep on one thread", one.processor,
           100 * (one.processor / replays - 1));
    printf("%-42s %8.2f s (%+.1f %%)\n", "a sweep on two threads", two.processor, 100 * (two.processor / replays - 1));
    printf("%-42s %8.2f times as fast by the clock on the wall, at least 1.8 on an idle computer\n", "two threads",
           one.wall / two.wall);
    return 0;
}
