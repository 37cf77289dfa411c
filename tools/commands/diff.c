/* reprise diff: traces on several variants of a machine, side by side. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/diff/diff.h"
#include "tools/lib/command.h"
#include "tools/replaying/options.h"
#include "tools/replaying/timeless.h"

#define EXAMPLE "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial"

enum { KEY_LAUNCHES = 256, KEY_BASELINE, KEY_SORT };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine to replay on", " in all variants, or of a scheduler in those that have it"),
    {"vary", 'v', "KEY=A,B,C", "Replay " AXES_HELP},
    ROW_LAUNCH("Replay"),
    {"launches", KEY_LAUNCHES, NULL, "Show each launch, however many there are"},
    ROW_THREADS("Replay N variants at once", ""),
    {"baseline", KEY_BASELINE, "KEY=A[,KEY=B]", "Ratios are to the variant with these values (the first)"},
    {"sort", KEY_SORT, "cycles", "Fewest cycles first"},
    {"by", KEY_BY, "instruction|line|function",
     "Say where variants gain or lose against the first: the largest changes first; they add up to the whole"},
    ROW_TOP("N largest changes"),
    REPEAT_ROWS,
    ROW_CSV("the table", ""),
    ROW_JSON(""),
    ROW_CACHE(", not those of --by or --batches"),
    ROW_QUIET(NO_WARNINGS),
    {0},
};

/* A key that varies must not also be given by another option. */
static void check_axes(struct command_line *line, const struct diff_args *a)
{
    if (a->machine.machine && axes_machine(&a->axes))
        command_usage(line, "--machine %s beside --vary machine=...: leave out one of them", a->machine.machine);
    for (size_t i = 0; i < a->machine.count; i++)
        if (axes_have(&a->axes, a->machine.settings[i].key))
            command_usage(line, "--set %s=%s beside --vary %s=...: leave out one of them", a->machine.settings[i].key,
                          a->machine.settings[i].value, a->machine.settings[i].key);
}

static void diff_option(struct command_line *line, int key, char *arg)
{
    struct diff_args *a = line->input;
    struct rp_error err;
    const struct shared_values shared = {.machine = &a->machine,
                                         .launch = &a->launch,
                                         .threads = &a->threads,
                                         .top = &a->top,
                                         .cache = &a->cache,
                                         .json = &a->json,
                                         .csv = &a->csv,
                                         .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case 'v': command_check(line, axes_add(&a->axes, arg, &err), &err); break;
    case KEY_LAUNCHES: a->all_launches = true; break;
    case KEY_BY:
        if (a->by)
            command_usage(line, "--by %s, and --by %s before: one at a time", arg, a->by);
        a->by = arg;
        command_check(line, place_kind(arg, false, &a->kind, &err), &err);
        break;
    case KEY_BASELINE: a->baseline = arg; break;
    case KEY_SORT:
        a->by_cycles = true;
        if (strcmp(arg, "cycles"))
            command_usage(line, "--sort %s: rows are sorted by cycles, or not at all", arg);
        break;
    case KEY_BATCHES:
    case KEY_CONFIDENCE:
    case KEY_WIDTH:
    case KEY_SEED: repeat_option(line, key, arg, &a->repeat); break;
    case KEY_END:
        repeat_check(line, &a->repeat);
        if (a->repeat.request.least && (a->by || a->by_cycles || a->all_launches))
            command_usage(line, "%s is about one replay of each variant, not about --batches",
                          a->by          ? "--by"
                          : a->by_cycles ? "--sort"
                                         : "--launches");
        check_axes(line, a);
        a->machine.machine = a->machine.machine ? a->machine.machine : axes_machine(&a->axes);
        a->traces = line->arguments;
        a->trace_count = line->argument_count;
        command_needs(line, a->trace_count ? a->traces[0] : NULL, a->machine.machine, EXAMPLE);
        if (a->top >= 0 && !a->by)
            command_usage(line, "--top counts what --by lists; for example --by line --top %lld", a->top);
        if (!a->axes.count)
            command_usage(line, "what shall vary? 'reprise machine options' lists all keys. Example: " EXAMPLE);
        cache_settle(line, &a->cache, !a->by && !a->repeat.request.least);
    }
}

/* ---- replaying --------------------------------------------------------------------------------------------------- */

struct share {
    struct diff *diff;
    uint64_t reported;
};

static void add_progress(void *data, uint64_t done, uint64_t total)
{
    struct share *share = data;
    struct diff *d = share->diff;
    (void)total;
    pthread_mutex_lock(&d->lock);
    d->done += done - share->reported;
    share->reported = done;
    progress_update(&d->bar, d->done, d->total, d->done, "warp instructions");
    pthread_mutex_unlock(&d->lock);
}

/* Replays the variant, and sums up its cycles by place. */
static bool replay_variant(struct diff *d, struct diff_variant *v, struct replay_options *options)
{
    struct profile *p = d->places ? profile_new(d->trace, v->machine, &v->error) : NULL;
    if (d->places && !p)
        return false;
    options->observer = p ? &p->observer : NULL;
    bool fine = result_get(&d->cache, d->trace, v->machine, options, &v->once, &v->error);
    fine = fine && (!p || hotspots_sum(&v->hotspots, d->places, p, v->once.total.cycles, v->machine, &v->error));
    profile_free(p);
    return fine;
}

static void *work(void *data)
{
    struct diff *d = data;
    for (size_t v; (v = atomic_fetch_add(&d->next, 1)) < d->count;) {
        struct share share = {d, 0};
        struct diff_variant *variant = &d->variants[v];
        struct replay_options options = {
            .launch = d->args->launch, .seed = d->args->repeat.seed, .progress = add_progress, .progress_data = &share};
        if (variant->machine)
            variant->fine = replay_variant(d, variant, &options);
    }
    return NULL;
}

static bool replay_all(struct diff *d, struct rp_error *err)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = d->args->threads ? d->args->threads : cpus > 0 ? (size_t)cpus : 1;
    pthread_t helpers[64];
    size_t started = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(d->trace); l++)
        if (d->args->launch < 0 || d->args->launch == l)
            d->total += rp_trace_launch_totals(d->trace, l).warp_instructions * d->count;
    if (d->args->by && (!(d->files = source_files_new(rp_trace_path(d->trace))) ||
                        !(d->places = places_new(d->trace, d->args->kind, 0, err))))
        return d->files ? false : rp_fail(err, RP_SYSTEM, "out of memory");
    result_cache_begin(&d->cache, d->args->cache, d->args->quiet);
    progress_begin(&d->bar, "replaying", "warp instructions", d->args->quiet);
    while (started + 1 < threads && started + 1 < d->count && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, work, d))
        started++;
    work(d);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    progress_end(&d->bar);
    result_cache_end(&d->cache);
    for (size_t v = 0; v < d->count; v++)
        if (!d->variants[v].fine && d->variants[v].error.status == RP_SYSTEM) {
            *err = d->variants[v].error;
            return false;
        }
    return true;
}

static int run(struct diff *d)
{
    struct rp_error err;
    if (!diff_make_variants(d, &err))
        return command_fail(&err);
    if (!(d->trace = trace_of_launches(d->args->trace, &err)))
        return command_fail(&err);
    if (rp_trace_damage(d->trace) && !d->args->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(d->trace));
    if (!diff_resolve_shares(d, &err))
        return command_fail(&err);
    unsigned told = 0;
    for (size_t i = 0; i < d->count && !d->args->quiet; i++)
        if (d->variants[i].machine)
            timeless_warn(d->variants[i].machine, &told);
    if (d->args->repeat.request.least)
        return diff_batches(d);
    if (!replay_all(d, &err) || !diff_find_baseline(d, &err))
        return command_fail(&err);
    const struct launch_log *base = &d->variants[d->baseline].once.launches;
    if (!d->args->quiet)
        print_warnings(d->trace, base);
    int status = diff_print_results(d);
    return status == RP_OK ? replay_status(d->trace, base) : status;
}

static int one_trace(void *data, const char *path)
{
    struct diff_args *a = data;
    a->trace = path;
    struct diff d = {.args = a, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = run(&d);
    for (size_t v = 0; d.variants && v < d.count; v++) {
        result_free(&d.variants[v].once);
        hotspots_free(&d.variants[v].hotspots);
        machine_free(d.variants[v].machine);
    }
    free(d.variants);
    places_free(d.places);
    source_files_free(d.files);
    if (d.trace)
        rp_trace_close(d.trace);
    return status;
}

static int diff_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct diff_args a = {.launch = -1, .top = -1, .repeat = REPEAT_ARGS};
    command_parse(&line, c, argc, argv, &a);
    variant_base(&a.machine, &a.axes);
    a.out = (struct trace_output){.json.name = a.json ? "diff" : NULL, .csv = a.csv};
    int status = each_trace(a.traces, a.trace_count, &a.out, one_trace, &a);
    axes_free(&a.axes);
    return status;
}

static const struct command_example examples[] = {
    {"Three schedulers", "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial"},
    {"Where the schedulers differ, by source line",
     "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr --by line"},
    {"Two machines", "reprise diff mm.wtr --vary machine=jetson-tx2,orin-wcet --by function"},
    {"Options that change together, fastest first",
     "reprise diff mm.wtr --machine jetson-tx2 \\\n"
     "        --vary subcores,l1.subcores,icache.subcores=1,1,1:2,2,2:4,2,4 --sort cycles"},
    {"Sizes of a cache that some variants have, beside none",
     "reprise diff mm.wtr --machine jetson-tx2 --vary l1=none,direct-mapped --vary l1.size=8K,24K --csv"},
    {"Every combination", "reprise diff mm.wtr --machine jetson-tx2 --vary l1=none,direct-mapped \\\n        --vary "
                          "dram.latency=100,200,400"},
    {"Machines with chance in them: differences with intervals, from the same random numbers",
     "reprise diff mm.wtr --machine jetson-tx2 --set memory=stochastic \\\n"
     "        --set memory.global_load=0.3,0.6,0.1 --vary scheduler=serial,gto --batches 400"},
    {"More of them later, without replaying those that are done",
     "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial,oldest --cache results"},
    {NULL, NULL},
};
const struct command command_diff = {
    .name = "diff",
    .summary = "replay a trace on variants of a machine, side by side",
    .usage = "TRACE... --machine NAME --vary KEY=A,B,C",
    .about = "Replays a trace on variants of a machine and compares them. Ratios are to the first, or to --baseline. "
             "A variant whose values do not go together is a row with the reason.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = diff_option,
    .run = diff_run,
};
