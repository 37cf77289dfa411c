/* What --check costs, in parts of the time without. */
#include "tests/bench/figures/figures.h"
#include "tests/support/check_cost.h"

static void checked(struct measurement *m, const char *kernel, uint32_t size, bool races)
{
    struct rp_error err;
    m->ok = check_cost(kernel, size, races, BENCH_RUNS, &m->value, &err);
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

const struct figure checks_figures[] = {
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
    {0},
};
