/* What a launch costs: elapsed time, as threads are part of it. */
#include "tests/bench/figures/figures.h"
#include "tests/support/launch_cost.h"

#define MANY_THREADS 16

static double launches(struct measurement *m, struct launch_cost cost, double *freeing)
{
    struct rp_error err;
    double best = 0, unused;
    m->ok = true;
    for (int i = 0; i < BENCH_RUNS && m->ok; i++) {
        double microseconds;
        m->ok = launch_cost(&cost, &microseconds, freeing ? freeing : &unused, &err);
        best = !i || microseconds < best ? microseconds : best;
    }
    if (!m->ok)
        snprintf(m->error, sizeof m->error, "%s", err.text);
    return best;
}

static void empty_launch(struct measurement *m, unsigned threads, bool recorded)
{
    m->value = launches(m, (struct launch_cost){recorded ? 500 : 1000, 64, threads, recorded, 0, 0}, NULL);
}
static void empty_alone(struct measurement *m) { empty_launch(m, 1, false); }
static void empty_threads(struct measurement *m) { empty_launch(m, MANY_THREADS, false); }
static void empty_recorded(struct measurement *m) { empty_launch(m, 1, true); }
static void empty_recorded_threads(struct measurement *m) { empty_launch(m, MANY_THREADS, true); }

/* The time of launches that store 512 bytes: into 256 MB against into 4 KB, and beside 10,000 allocations against none.
 */
static void large_buffer(struct measurement *m)
{
    double large = launches(m, (struct launch_cost){100, 4, 1, false, 256 << 20, 0}, NULL);
    if (m->ok)
        m->value = large / launches(m, (struct launch_cost){100, 4, 1, false, 4 << 10, 0}, NULL);
}
static void many_allocations(struct measurement *m, bool recorded)
{
    double many = launches(m, (struct launch_cost){100, 4, 1, recorded, 4 << 10, 10000}, NULL);
    if (m->ok)
        m->value = many / launches(m, (struct launch_cost){100, 4, 1, recorded, 4 << 10, 0}, NULL);
}
static void many_run(struct measurement *m) { many_allocations(m, false); }
static void many_recorded(struct measurement *m) { many_allocations(m, true); }
static void freeing(struct measurement *m)
{
    launches(m, (struct launch_cost){1, 4, 1, false, 4 << 10, 10000}, &m->value);
}

const struct figure launches_figures[] = {
    {"Empty launch, 1 thread", "us", 10, 5, 1, true, false, empty_alone},
    {"Empty launch, 16 threads", "us", 10, 5, 1, true, false, empty_threads},
    {"Empty launch, 1 thread, recording", "us", 40, 20, 1, true, false, empty_recorded},
    {"Empty launch, 16 threads, recording", "us", 40, 20, 1, true, false, empty_recorded_threads},
    {"Storing 512 bytes, 256 MB against 4 KB", "times the time", 2, 1.2, 1, true, false, large_buffer},
    {"A launch beside 10,000 allocations", "times the time", 2, 1.2, 1, true, false, many_run},
    {"The same, recording", "times the time", 2, 1.2, 1, true, false, many_recorded},
    {"Freeing one of 10,000 allocations", "us", 2, 1, 1, true, false, freeing},
    {0},
};
