/* reprise compare: replayed launches beside what Nsight Compute measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/lib/command.h"
#include "tools/replaying/options.h"
#include "tools/replaying/timeless.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"

#define EXAMPLE "reprise compare gemm.wtr --machine v100 --measured gemm.csv"

#define CLOCK_TOLERANCE 0.1 /* a clock that differs by a larger part is another one */

enum { KEY_MEASURED = 256, KEY_SKIP, KEY_CONTROL, KEY_LAUNCHES };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine that stands for the measured GPU", ""),
    {"measured", KEY_MEASURED, "FILE",
     "What ncu printed: its CSV, or the text of --page raw or details; - is standard input"},
    {"launch-skip", KEY_SKIP, "N",
     "As with ncu: of the trace's launches of measured kernels the first N were not measured; the others are compared "
     "in order"},
    {"cache-control", KEY_CONTROL, "all|none", "As with ncu: all (default) empties the caches before each launch"},
    {"launches", KEY_LAUNCHES, NULL, "Show all quantities of each launch, however many there are"},
    ROW_THREADS("Replay one launch with N threads", ""),
    ROW_CSV("each launch's quantities", ""),
    ROW_JSON(""),
    ROW_CACHE(""),
    ROW_QUIET(NO_WARNINGS),
    {0},
};

static void compare_option(struct command_line *line, int key, char *arg)
{
    struct compare_args *a = line->input;
    struct rp_error err;
    const struct shared_values shared = {.trace = &a->trace,
                                         .machine = &a->machine,
                                         .threads = &a->threads,
                                         .cache = &a->cache,
                                         .json = &a->json,
                                         .csv = &a->csv,
                                         .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_MEASURED: a->measured = arg; break;
    case KEY_SKIP: command_check(line, parse_number("--launch-skip", arg, 0, UINT32_MAX, &a->skip, &err), &err); break;
    case KEY_CONTROL:
        if (strcmp(arg, "all") && strcmp(arg, "none"))
            command_usage(line, "--cache-control %s: give all or none, as ncu was called", arg);
        a->warm = !strcmp(arg, "none");
        break;
    case KEY_LAUNCHES: a->all_launches = true; break;
    case KEY_END:
        command_needs(line, a->trace, a->machine.machine, EXAMPLE);
        if (!a->measured)
            command_usage(line, "what was measured? Give what ncu --csv printed with --measured. Example: " EXAMPLE);
        cache_settle(line, &a->cache, true);
    }
}

/* ---- replaying --------------------------------------------------------------------------------------------------- */

static bool is_set(const struct machine_args *a, const char *key)
{
    for (size_t i = 0; i < a->count; i++)
        if (!strcmp(a->settings[i].key, key))
            return true;
    return false;
}

/* Caches as ncu leaves them, unless --set says otherwise. */
static struct machine *open_emptied(const struct compare_args *a, struct rp_error *err)
{
    static const struct machine_setting empty[] = {{"flush_caches", "yes"}, {"warm_l2", "no"}},
                                        kept[] = {{"flush_caches", "no"}};
    struct machine_setting extra[2];
    size_t count = 0;
    for (size_t i = 0; i < (a->warm ? MODEL_COUNT_OF(kept) : MODEL_COUNT_OF(empty)); i++) {
        const struct machine_setting *s = a->warm ? &kept[i] : &empty[i];
        if (!is_set(&a->machine, s->key))
            extra[count++] = *s;
    }
    return machine_args_open(&a->machine, extra, count, err);
}

/* A chip of cores has not these options, and replays nothing that ncu measures. */
static struct machine *open_machine(const struct compare_args *a, struct rp_error *err)
{
    struct rp_error unused;
    struct machine *plain = machine_args_open(&a->machine, NULL, 0, &unused);
    bool cores = plain && machine_is_cores(plain);
    if (cores)
        rp_fail(err, RP_USAGE,
                "machine %s has cores, which replay programs that 'reprise record --guest' records, and ncu measures "
                "kernels of a GPU: choose a GPU ('reprise machine list' names them)",
                plain->name);
    machine_free(plain);
    return cores ? NULL : open_emptied(a, err);
}

static void show_progress(void *bar, uint64_t done, uint64_t total)
{
    progress_update(bar, done, total, done, "warp instructions");
}

/* One launch after the other, as ncu carries them out. */
static bool replay_launches(struct compare *c, struct rp_error *err)
{
    struct progress bar;
    struct result_cache cache;
    struct replay_options options = {
        .launch = -1, .serial = true, .threads = c->args->threads, .progress = show_progress, .progress_data = &bar};
    result_cache_begin(&cache, c->args->cache, c->args->quiet);
    progress_begin(&bar, "replaying", "warp instructions", c->args->quiet);
    bool fine = result_get(&cache, c->trace, c->machine, &options, &c->result, err);
    progress_end(&bar);
    result_cache_end(&cache);
    return fine;
}

/* The statistics of each measured launch's launch. */
static bool take_statistics(struct compare *c, struct rp_error *err)
{
    struct replay_launch launch;
    struct launch_reader reader = launch_log_read(&c->result.launches);
    size_t *partner = calloc(c->result.launches.count + 1, sizeof *partner); /* index + 1 */
    c->replayed = calloc(c->measured.count, sizeof *c->replayed);
    for (size_t i = 0; partner && i < c->measured.count; i++)
        if (c->launch_of[i] >= 0)
            partner[c->launch_of[i]] = i + 1;
    while (partner && c->replayed && launch_log_next(&reader, &launch))
        if (partner[launch.launch])
            c->replayed[partner[launch.launch] - 1] = launch.statistics;
    bool fine = partner && c->replayed;
    free(partner);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory");
}

/* Launches that other hardware measured than the machine stands for are compared, too. */
static void warn_of_devices(const struct compare *c)
{
    const struct measured *m = &c->measured;
    const struct measured_launch *first = &m->launches[0];
    const char *capability = machine_capabilities[c->machine->device_capability];
    unsigned own = (unsigned)strtoul(capability, NULL, 10); /* "unknown" is 0 */
    for (size_t i = 0; i < m->count; i++) {
        const struct measured_launch *l = &m->launches[i];
        bool other = own && l->capability && l->capability != own;
        if (!other && l->device == first->device && l->capability == first->capability)
            continue;
        if (other)
            fprintf(stderr,
                    "reprise: warning: %s, line %zu: measured on a device of compute capability %u.%u; %s has %u.%u\n",
                    m->path, l->line, l->capability / 10, l->capability % 10, c->machine->name, own / 10, own % 10);
        else
            fprintf(stderr, "reprise: warning: %s, line %zu: measured on another device than the launch of line %zu\n",
                    m->path, l->line, first->line);
        return;
    }
}

static void warn_of_order(const struct compare *c)
{
    if (!c->by_order)
        return;
    const struct measured_launch *l = &c->measured.launches[c->by_order - 1];
    fprintf(stderr,
            "reprise: warning: %s, line %zu: the %s of launches is missing (ncu prints it from 2022.1 on); their order "
            "alone says which is which\n",
            c->measured.path, l->line,
            l->has_grid    ? "block"
            : l->has_block ? "grid"
                           : "shape");
}

/* The compared launch with the most measured cycles; NULL: none was compared. Of a short launch, much of the duration
 * passes before its cycles are counted. */
static const struct measured_launch *longest(const struct compare *c)
{
    const struct measured_launch *longest = NULL, *l = c->measured.launches;
    for (size_t i = 0; i < c->measured.count; i++)
        if (c->launch_of[i] >= 0 && (!longest || l[i].value[QUANTITY_CYCLES] > longest->value[QUANTITY_CYCLES]))
            longest = &l[i];
    return longest;
}

/* A launch that ran at another clock than the machine's has other times, and other cycles where it waits for memory. */
static void warn_of_clock(const struct compare *c)
{
    const struct measured_launch *l = longest(c);
    const double own = fraction_value(c->machine->clock_mhz);
    if (!l)
        return;
    const double cycles = l->value[QUANTITY_CYCLES], us = l->value[QUANTITY_DURATION];
    const bool known = l->has[QUANTITY_CLOCK];
    const double clock = known ? l->value[QUANTITY_CLOCK] : us > 0 ? cycles / us : 0;
    if (clock <= 0 || fabs(clock / own - 1) <= CLOCK_TOLERANCE)
        return;
    fprintf(stderr, "reprise: warning: %s, line %zu: ", c->measured.path, l->line);
    if (known)
        fprintf(stderr,
                "measured at %.0f MHz, and clock_mhz of %s is %g: where a kernel waits for memory, its cycles differ, "
                "too; --set clock_mhz=%.0f replays at that clock\n",
                clock, c->machine->name, own, clock);
    else
        fprintf(stderr,
                "%.0f cycles in %.2f us are about %.0f MHz, and clock_mhz of %s is %g, which its durations are of; "
                "have ncu measure the clock, too (gpc__cycles_elapsed.avg.per_second), or give --set clock_mhz\n",
                cycles, us, clock, c->machine->name, own);
}

static void warn_of_text(const struct measured *m)
{
    if (m->passed_over)
        fprintf(
            stderr,
            "reprise: warning: %s, line %zu: %zu launch%s in the text of ncu %s passed over; the file has CSV, too, "
            "which is read\n",
            m->path, m->passed_line, m->passed_over, m->passed_over == 1 ? "" : "es",
            m->passed_over == 1 ? "is" : "are");
}

static void warn_of_shares(const struct measured *m)
{
    if (!m->above.count)
        return;
    fprintf(stderr, "reprise: warning: %s, line %zu: %s is %g %%, and no share is above 100 %%", m->path, m->above.line,
            m->above.metric, m->above.value);
    if (m->above.count > 1)
        fprintf(stderr, " (of %zu values this is the first)", m->above.count);
    fputs(": ncu divides counts of passes that may have been unlike; its error is one of this value\n", stderr);
}

static int compare_run(struct compare *c)
{
    struct rp_error err;
    unsigned told = 0;
    if (!(c->machine = open_machine(c->args, &err)) || !measured_read(c->args->measured, &c->measured, &err) ||
        !(c->trace = trace_of_launches(c->args->trace, &err)))
        return command_fail(&err);
    if (rp_trace_damage(c->trace) && !c->args->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(c->trace));
    if (!c->args->quiet) {
        timeless_warn(c->machine, &told);
        warn_of_devices(c);
        warn_of_text(&c->measured);
        warn_of_shares(&c->measured);
    }
    if (!compare_match(c, &err))
        return command_fail(&err);
    if (!c->args->quiet) {
        warn_of_order(c);
        warn_of_clock(c);
    }
    if (!replay_launches(c, &err) || !take_statistics(c, &err))
        return command_fail(&err);
    if (!c->args->quiet)
        print_warnings(c->trace, &c->result.launches);
    int status = compare_print(c);
    return status == RP_OK ? replay_status(c->trace, &c->result.launches) : status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct compare_args args = {.skip = -1, .threads = 1};
    struct compare c = {.args = &args};
    struct command_line line = {0};
    command_parse(&line, command, argc, argv, &args);
    int status = compare_run(&c);
    for (size_t i = 0; i < c.stray_count; i++)
        free(c.strays[i].why);
    free(c.strays);
    free(c.launch_of);
    free(c.replayed);
    result_free(&c.result);
    measured_free(&c.measured);
    machine_free(c.machine);
    rp_trace_close(c.trace);
    return status;
}

static const struct command_example examples[] = {
    {"What 'ncu --csv --page raw ./mm > mm.csv' measured, beside a replay of the same program",
     "reprise compare mm.wtr --machine v100 --measured mm.csv"},
    {"Of a report of Nsight Compute",
     "ncu --import mm.ncu-rep --csv --page raw |\n  reprise compare mm.wtr --machine v100 --measured -"},
    {"Only the first launch was measured, with --launch-count 1",
     "reprise compare mm.wtr --machine v100 --measured mm.csv --launch-skip 0 --json"},
    {NULL, NULL},
};
const struct command command_compare = {
    .name = "compare",
    .summary = "show what a GPU measured beside what a machine replays",
    .usage = "TRACE --machine NAME --measured FILE",
    .about = "Replays a trace on a machine, one launch after the other, and prints cycles and counters of each launch "
             "beside "
             "those that Nsight Compute measured, with the error of the replayed ones; % in units are shares, and "
             "their errors "
             "are differences in points.\n"
             "Launches belong together by kernel, grid and block, in order. What does not fit is listed, and is not "
             "compared. "
             "docs/compare.md says which metrics are read.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, or no launch was measured, 4 the system failed, 5 the "
              "trace is not "
              "whole: it was replayed as far as it goes.",
    .option = compare_option,
    .run = run,
};
