#include <stdlib.h>
#include <time.h>

#include "tests/bench/figures/figures.h"

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *bench_path(const char *name)
{
    static char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/bench/%s.wtr", build ? build : "build", name);
    return path;
}

struct rp_trace *bench_open(struct measurement *m, const char *path)
{
    struct rp_error err;
    struct rp_trace *trace = rp_trace_open(path, &err);
    if (!trace)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    return trace;
}
