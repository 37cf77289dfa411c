/* The emulator: running kernels, and recording them. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/figures/figures.h"
#include "tests/support/matrix_rate.h"
#include "tests/support/straight_line.h"
#include "tests/support/texture_cost.h"

/* Thread instructions per second of SGEMM on one thread. */
void bench_run_sgemm(struct measurement *m, uint32_t size, const char *trace, const char *cubin)
{
    const struct kernel_options options = {
        .threads = 1, .size = size, .trace = trace, .cubin = cubin, .skip_check = true};
    struct rp_error err;
    m->ok = true;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        struct kernel_totals totals;
        m->ok = kernel_run(kernel_case_find("sgemm_naive"), &options, &totals, &err);
        double rate = m->ok ? (double)totals.thread_instructions / totals.cpu_seconds : 0;
        m->value = rate > m->value ? rate : m->value;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

static void functional(struct measurement *m) { bench_run_sgemm(m, 256, NULL, NULL); }
/* Whether ptxas is there, so that what it makes of the kernels is, too. */
static bool has_machine_code(struct measurement *m)
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/toolchain/complete", build ? build : "build");
    m->missing = access(path, R_OK) != 0;
    if (m->missing)
        snprintf(m->error, sizeof m->error, "no %.400s: make toolchain fetches ptxas", path);
    return !m->missing;
}

static void machine_code(struct measurement *m)
{
    if (has_machine_code(m))
        bench_run_sgemm(m, 256, NULL, "sm_62.O3");
}
static void late_machine_code(struct measurement *m)
{
    if (has_machine_code(m))
        bench_run_sgemm(m, 256, NULL, "sm_86.O3");
}
static void recording(struct measurement *m) { bench_run_sgemm(m, 256, bench_path("sgemm-256"), NULL); }

/* Multiply-adds per second of a product with mma.sync. */
static void matrix_product(struct measurement *m, const char *module, const char *trace)
{
    struct rp_error err;
    m->ok = true;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        double rate = 0;
        m->ok = matrix_rate(module, 1024, trace, &rate, &err);
        m->value = rate > m->value ? rate : m->value;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void matrix_functional(struct measurement *m) { matrix_product(m, MATRIX_RATE_PTX, NULL); }
static void matrix_machine_code(struct measurement *m)
{
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/cubin/matrices.sm_80.O3.cubin", build ? build : "build");
    if (has_machine_code(m))
        matrix_product(m, path, NULL);
}
static void matrix_recording(struct measurement *m)
{
    char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/bench/mma-1024.wtr", build ? build : "build");
    matrix_product(m, MATRIX_RATE_PTX, path);
}

/* Seconds for 10 MB of cubins: one of all kernels of tests/kernels, without optimisation, as often as it takes. */
static void loading(struct measurement *m)
{
    struct rp_error err;
    struct stat st;
    const char *build = getenv("BUILD");
    char path[512];
    snprintf(path, sizeof path, "%s/cubin/all/sm_90.O0.cubin", build ? build : "build");
    if (!has_machine_code(m))
        return;
    m->ok = !stat(path, &st) || !rp_fail(&err, RP_SYSTEM, "%s is not there", path);
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        uint64_t bytes = 0;
        double before = bench_seconds(), seconds;
        struct rp_device *device = rp_device_new(&err);
        for (m->ok = device; m->ok && bytes < 10000000; bytes += (uint64_t)st.st_size)
            m->ok = rp_device_load(device, path, &err);
        seconds = (bench_seconds() - before) * 1e7 / (double)(bytes ? bytes : 1);
        m->value = !i || seconds < m->value ? seconds : m->value;
        rp_device_free(device);
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}

/* The speed of long straight-line code, in parts of that of short: what caches hold of it. */
static void straight_line(struct measurement *m, enum straight_mix mix)
{
    struct rp_error err;
    double rate, best[2] = {0, 0};
    static const uint32_t lengths[2] = {200, 20000};
    m->ok = true;
    for (int i = 0; i < 2 * BENCH_RUNS && m->ok; i++) {
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

static void fetches(struct measurement *m, bool linear)
{
    struct rp_error err;
    m->ok = texture_cost(linear, 3 * BENCH_RUNS, &m->value, &err);
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
}
static void fetches_point(struct measurement *m) { fetches(m, false); }
static void fetches_linear(struct measurement *m) { fetches(m, true); }

const struct figure functional_figures[] = {
    {"SGEMM 256, functional", "G thread instructions/s", 1, 2, 1e9, false, false, functional},
    {"SGEMM 256, functional, machine code", "G thread instructions/s", 1, 2, 1e9, false, false, machine_code},
    {"SGEMM 256, functional, machine code of sm_86", "G thread instructions/s", 1, 1.5, 1e9, false, false,
     late_machine_code},
    {"SGEMM 256, recording", "G thread instructions/s", 0.5, 1, 1e9, false, false, recording},
    {"mma.sync f16 product 1024, functional", "G multiply-adds/s", 3, 5, 1e9, false, false, matrix_functional},
    {"mma.sync f16 product 1024, machine code of sm_80", "G multiply-adds/s", 3, 5, 1e9, false, false,
     matrix_machine_code},
    {"mma.sync f16 product 1024, recording", "G multiply-adds/s", 2.5, 4, 1e9, false, false, matrix_recording},
    {"Texture fetches, point filter", "times the loads", 5, 4, 1, true, false, fetches_point},
    {"Texture fetches, linear filter", "times the loads", 8, 4, 1, true, false, fetches_linear},
    {"10 MB of cubins, loading", "s", 0.5, 0.2, 1, true, false, loading},
    {"Straight-line code, one kind", "times the speed", 0.5, 0.9, 1, false, false, straight_line_one},
    {"Straight-line code, eight in turn", "times the speed", 0.5, 0.9, 1, false, false, straight_line_turns},
    {"Straight-line code, random", "times the speed", 0.5, 0.9, 1, false, false, straight_line_random},
    {0},
};
