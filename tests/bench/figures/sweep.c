/* What `reprise sweep` adds to the replays, and what a second thread gains: 1,000 runs, of 10 traces on 100 machines.
 *
 * The replays alone go through opened traces and machines, one after the other, and keep nothing. A sweep does the same
 * with machines to open, a plan, and a database. What is compared takes turns, and of each the best round counts.
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

enum { TRACES = 10, SCHEDULERS = 2, LATENCIES = 50, MACHINES = SCHEDULERS * LATENCIES };
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

static bool record_all(struct rp_error *err)
{
    for (unsigned t = 0; t < TRACES; t++) {
        char name[128];
        snprintf(name, sizeof name, "sweep-%s", cases[t].name);
        snprintf(paths[t], sizeof paths[t], "%s", bench_path(name));
        struct kernel_options options = {.size = cases[t].size, .skip_check = true, .trace = paths[t], .threads = 1};
        if (!kernel_run(kernel_case_find(cases[t].name), &options, NULL, err))
            return false;
    }
    return true;
}

/* ---- the replays alone ------------------------------------------------------------------------------------------- */

static struct machine *open_machine(unsigned scheduler, unsigned latency, struct rp_error *err)
{
    char text[16];
    snprintf(text, sizeof text, "%u", LEAST_LATENCY + latency);
    const struct machine_setting settings[] = {{"scheduler", schedulers[scheduler]}, {"dram.latency", text}};
    return machine_open(&(struct machine_request){.name = MACHINE, .settings = settings, .setting_count = 2}, err);
}

static bool replay_on(struct rp_trace *t, struct machine *const machines[MACHINES], struct rp_error *err)
{
    struct replay_result result;
    for (unsigned m = 0; m < MACHINES; m++) {
        if (!replay(t, machines[m], &(struct replay_options){.launch = -1, .seed = 1}, &result, err))
            return false;
        replay_result_free(&result);
    }
    return true;
}

static bool replay_all(struct machine *const machines[MACHINES], struct rp_error *err)
{
    bool fine = true;
    for (unsigned i = 0; fine && i < TRACES; i++) {
        struct rp_trace *t = rp_trace_open(paths[i], err);
        fine = t && replay_on(t, machines, err);
        if (t)
            rp_trace_close(t);
    }
    return fine;
}

/* Seconds of processor time; below 0: err says why not. */
static double alone(struct rp_error *err)
{
    struct machine *machines[MACHINES] = {NULL};
    bool fine = true;
    for (unsigned m = 0; fine && m < MACHINES; m++)
        fine = (machines[m] = open_machine(m / LATENCIES, m % LATENCIES, err));
    double seconds = bench_seconds();
    fine = fine && replay_all(machines, err);
    seconds = bench_seconds() - seconds;
    for (unsigned m = 0; m < MACHINES; m++)
        machine_free(machines[m]);
    return fine ? seconds : -1;
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

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

static bool sweep(const char *threads, struct times *best, struct rp_error *err)
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
        return rp_fail(err, RP_SYSTEM, "%s sweep: it failed", program);
    keep_least(&best->wall, wall() - began);
    keep_least(&best->processor, of_children() - processor);
    return true;
}

/* Processor time, whatever else the computer does. */
static void beside_replays(struct measurement *m)
{
    struct rp_error err;
    struct times one = {0};
    double replays = 0, seconds = 0;
    m->ok = record_all(&err);
    for (unsigned round = 0; m->ok && round < BENCH_RUNS; round++) {
        m->ok = (seconds = alone(&err)) > 0 && sweep("1", &one, &err);
        keep_least(&replays, seconds);
    }
    if (m->ok)
        m->value = one.processor / replays;
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

/* By the clock on the wall, of an idle computer. */
static void on_two_threads(struct measurement *m)
{
    struct rp_error err;
    struct times one = {0}, two = {0};
    m->ok = record_all(&err);
    for (unsigned round = 0; m->ok && round < BENCH_RUNS; round++)
        m->ok = sweep("1", &one, &err) && sweep("2", &two, &err);
    if (m->ok)
        m->value = one.wall / two.wall;
    else
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

const struct figure sweep_figures[] = {
    {"Sweep of 1,000 runs", "times the replays alone", 1.05, 1.02, 1, true, false, beside_replays},
    {"Sweep of 1,000 runs on two threads", "times as fast", 1.8, 1.9, 1, false, false, on_two_threads},
    {0},
};
