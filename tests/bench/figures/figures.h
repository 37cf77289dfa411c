/* The figures of docs/performance.md: how each is measured, with its floor and its aim. */
#ifndef REPRISE_TESTS_BENCH_FIGURES_H
#define REPRISE_TESTS_BENCH_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/support/kernel_case.h"
#include "tracefmt/reader.h"

#define BENCH_RUNS 3 /* of which the best counts */

struct measurement {
    bool ok, missing; /* missing: what it needs is not there; error says what */
    double value;
    char error[1024];
};

/* With `memory` the value is the peak resident memory of the process that runs `measure`, whatever that fills in. */
struct figure {
    const char *name, *unit;
    double floor, aim, scale; /* value / scale is in `unit` */
    bool smaller_is_better, memory;
    void (*measure)(struct measurement *); /* fills in value or error */
};
/* Each list ends in a row without a name. Rows of replay need the trace of SGEMM 512, which the first of them records;
 * the second of batches needs that of the first. */
extern const struct figure functional_figures[], replay_figures[], batches_figures[], launches_figures[],
    checks_figures[], wcet_figures[], sweep_figures[];

/* Of processor time, of this process. */
double bench_seconds(void);
/* Where the trace is that several measurements read: good until the next call. */
const char *bench_path(const char *name);
/* NULL: the error is in m. */
struct rp_trace *bench_open(struct measurement *m, const char *path);
/* Thread instructions per second of SGEMM on one thread; records a trace and runs a cubin if these are not NULL. */
void bench_run_sgemm(struct measurement *m, uint32_t size, const char *trace, const char *cubin);

#endif
