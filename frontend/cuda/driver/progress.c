#include "frontend/cuda/driver/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "tracefmt/plural.h"

#define SILENT 10 /* seconds before the first line; each further one comes after twice the time */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(void *data, uint64_t done, uint64_t blocks, uint64_t warp_instructions)
{
    struct launch_progress *p = data;
    double at = now(), seconds = at - p->begun;
    if (at < p->next)
        return;
    p->next = p->begun + (2 * seconds > SILENT ? 2 * seconds : SILENT);
    say("kernel '%s' has run for %.0f s: %" PRIu64 " of %" PRIu64
        " block%s (%.0f %%), %.1f million warp instructions per "
        "second",
        p->kernel, seconds, done, blocks, rp_plural(blocks), 100 * (double)done / (double)blocks,
        seconds > 0 ? 1e-6 * (double)warp_instructions / seconds : 0);
}

void progress_of(struct launch_progress *p, const struct program *program, struct rp_launch_config *c)
{
    const char *silent = session_value(SESSION_PROGRESS);
    if (session_value(SESSION_QUIET))
        return;
    *p = (struct launch_progress){.kernel = program->name, .begun = now()};
    p->next = p->begun + (silent ? strtod(silent, NULL) : SILENT);
    c->progress = report;
    c->progress_data = p;
}
