#include "tools/ui/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR 30

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress *p, const char *label, const char *unit, bool quiet)
{
    *p = (struct progress){
        .label = label, .unit = unit, .quiet = quiet, .started = now(), .terminal = isatty(STDERR_FILENO)};
    p->shown = p->started;
}

static void print_rate(double per_second, const char *unit)
{
    const char *scale = "";
    if (per_second >= 1e9)
        per_second /= 1e9, scale = " G";
    else if (per_second >= 1e6)
        per_second /= 1e6, scale = " M";
    else if (per_second >= 1e3)
        per_second /= 1e3, scale = " k";
    fprintf(stderr, ", %.1f%s %s/s", per_second, scale, unit);
}

void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t rate_count, const char *rate_unit)
{
    if (p->quiet)
        return;
    double t = now(), elapsed = t - p->started;
    if (elapsed < 1 || t - p->shown < (p->terminal ? 0.1 : 10))
        return;
    p->shown = t;
    double part = total ? (double)done / (double)total : 0;
    if (p->terminal) {
        char bar[BAR + 1];
        int full = (int)(part * BAR);
        for (int i = 0; i < BAR; i++)
            bar[i] = i < full ? '#' : '-';
        bar[BAR] = 0;
        fprintf(stderr, "\r%s [%s] %" PRIu64 "/%" PRIu64 " %s", p->label, bar, done, total, p->unit);
    } else {
        fprintf(stderr, "%s: %" PRIu64 "/%" PRIu64 " %s", p->label, done, total, p->unit);
    }
    if (rate_unit)
        print_rate((double)rate_count / elapsed, rate_unit);
    if (part > 0)
        fprintf(stderr, ", %.0f s left", elapsed / part - elapsed);
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    p->visible = p->terminal;
}

void progress_end(struct progress *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    p->visible = false;
}
