/* What a sweep is about to do. */
#include <stdio.h>

#include "tools/sweep/sweep.h"
#include "tools/ui/figure.h"

/* Warp instructions per second and thread where nothing is known: the order of what docs/performance.md states. */
#define USUAL_RATE 3e6
/* What --stalls makes of the time, where no such run is known: on rtx2060 and jetson-tx2, 1.1 for SGEMM 512 to 1.4 for
 * nbody and mandelbrot (seconds of runs with and without it). */
#define STALLS_TIME 1.25

static void print_seconds(double seconds, FILE *to)
{
    if (seconds < 1)
        fputs("less than a second", to);
    else if (seconds < 120)
        fprintf(to, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(to, "%.0f min", seconds / 60);
    else
        fprintf(to, "%.1f h", seconds / 3600);
}

/* Runs that are replayed at once: as many as threads, or as tasks of an array. */
static uint64_t at_once(const struct sweep *s)
{
    const struct sweep_args *a = s->args;
    uint64_t all = a->array ? (uint64_t)a->array * (a->threads_given ? a->threads : 1) : a->threads;
    return all < s->task_count ? all : s->task_count ? s->task_count : 1;
}

/* Warp instructions per second and thread: of runs like these that are in the database, else of others there, else the
 * usual rate. *known: it is from the database. */
static double rate_of(struct sweep *s, bool *known)
{
    struct rp_error unused;
    double rate = 0, other = 0;
    const struct sweep_plan *p = &s->args->plan;
    bool exact = !(p->replay.sample.error > 0) && !p->batches.request.least, stalls = p->detail & STORE_STALLS;
    bool fine = s->has_store && store_rate(&s->store, exact, stalls, &rate, &unused) &&
                (rate > 0 || store_rate(&s->store, exact, !stalls, &other, &unused));
    *known = fine && (rate > 0 || other > 0);
    if (*known && rate > 0)
        return rate;
    if (*known)
        return stalls ? other / STALLS_TIME : other * STALLS_TIME;
    return stalls ? USUAL_RATE / STALLS_TIME : USUAL_RATE;
}

static void print_estimate(struct sweep *s, FILE *to)
{
    bool known;
    char text[FIGURE];
    const struct sweep_args *a = s->args;
    double rate = rate_of(s, &known);
    uint32_t workers = a->array ? a->array : a->threads;
    fprintf(to, "to do:      %s run%s, %s warp instructions: ", figure(s->task_count, text),
            s->task_count == 1 ? "" : "s", figure(s->warp_instructions, (char[FIGURE]){0}));
    print_seconds((double)s->warp_instructions / rate / (double)at_once(s), to);
    fprintf(to, " on %u %s%s, %s\n", workers, a->array ? "task" : "thread", workers == 1 ? "" : "s",
            known ? "as fast as the runs before" : "if they are as fast as usual");
}

static void print_line(FILE *to, const char *name, size_t count, const char *what)
{
    char text[FIGURE];
    if (count)
        fprintf(to, "%-11s %s%s%s\n", name, figure(count, text), *what ? " " : "", what);
}

void sweep_print_plan(struct sweep *s)
{
    FILE *to = s->args->dry_run ? stdout : stderr;
    print_line(to, "traces:", s->args->plan.trace_count, "");
    print_line(to, "variants:", s->count.variants,
               s->count.variants == 1 ? "combination of values" : "combinations of values");
    if (s->args->plan.excluded.count && !s->count.excluded && !s->count.excluded_runs)
        fprintf(to, "excluded:   0 by --exclude\n");
    print_line(to, "excluded:", s->count.excluded, "by --exclude");
    print_line(to, "excluded:", s->count.excluded_runs,
               s->count.excluded_runs == 1 ? "run on one of the traces, by --exclude"
                                           : "runs on some of the traces, by --exclude");
    print_line(to, "impossible:", s->count.refused, "whose values do not go together");
    print_line(to, "the same:", s->count.same, "as another, option by option");
    print_line(to, "machines:", s->point_count, "");
    print_line(to, "runs:", s->count.runs, "");
    print_line(to, "others:", s->count.others, "of other shards");
    print_line(to, "done:", s->count.there, "in the database already");
    print_estimate(s, to);
    for (size_t i = 0; i < s->count.refused && s->args->dry_run; i++)
        fprintf(to, "impossible: %s %s: %s\n", s->refusals[i].machine, s->refusals[i].settings, s->refusals[i].reason);
}
