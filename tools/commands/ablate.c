/* reprise ablate: what each part of a machine is worth, over many launches. */
#include <stdio.h>

#include "tools/ablate/ablation.h"
#include "tools/lib/command.h"
#include "tools/replaying/options.h"
#include "tools/replaying/timeless.h"

#define EXAMPLE "reprise ablate mm.wtr --machine jetson-tx2"

struct args {
    struct ablation_request request;
    bool own_steps, launches, json, csv;
};

enum { KEY_STEP = 256, KEY_ALONE, KEY_CUMULATIVE, KEY_LAUNCHES };

static const struct option_row rows[] = {
    ROWS_MACHINE("The machine with all its parts", ""),
    {"step", KEY_STEP, "NAME:KEY=VALUE,...", "A step, instead of those of the paper; may be repeated"},
    {"alone", KEY_ALONE, NULL, "Take each step by itself, against the whole machine (the default)"},
    {"cumulative", KEY_CUMULATIVE, NULL, "Take each step after those before it, as the paper does"},
    {"launches", KEY_LAUNCHES, NULL, "Print the cycles of each launch after each step, too"},
    ROW_THREADS("Replay N machines at once", ""),
    ROW_CSV("all statistics of each launch after each step", ""),
    ROW_JSON(""),
    ROW_CACHE(""),
    ROW_QUIET(NO_WARNINGS),
    {0},
};

static void ablate_option(struct command_line *line, int key, char *arg)
{
    struct args *args = line->input;
    struct ablation_request *a = &args->request;
    struct rp_error err;
    const struct shared_values shared = {.machine = &a->machine,
                                         .threads = &a->threads,
                                         .json = &args->json,
                                         .csv = &args->csv,
                                         .cache = &a->cache,
                                         .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_ALONE: a->alone = true; break;
    case KEY_CUMULATIVE: a->alone = false; break;
    case KEY_LAUNCHES: args->launches = true; break;
    case KEY_STEP:
        args->own_steps = true;
        command_check(line, steps_add(&a->steps, arg, &err), &err);
        break;
    case KEY_END:
        a->traces = line->arguments;
        a->trace_count = line->argument_count;
        command_needs(line, a->trace_count ? a->traces[0] : NULL, a->machine.machine, EXAMPLE);
        cache_settle(line, &a->cache, true);
    }
}

static void warn_of_damage(const struct ablation *a)
{
    for (size_t t = 0; a->traces && t < a->request->trace_count; t++)
        if (a->traces[t] && rp_trace_damage(a->traces[t]) && !a->request->quiet)
            fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(a->traces[t]));
}

/* Prints the warnings of the replays, and returns the exit status that the traces ask for. */
static int warnings(const struct ablation *a)
{
    int status = RP_OK;
    unsigned told = 0;
    for (size_t s = 0; s < a->count && !a->request->quiet; s++)
        timeless_warn(a->stages[s].machine, &told);
    for (size_t t = 0; t < a->request->trace_count; t++) {
        if (!a->request->quiet)
            print_warnings(a->traces[t], ablation_log(a, 0, t));
        int one = replay_status(a->traces[t], ablation_log(a, 0, t));
        status = one == RP_OK ? status : one;
    }
    return status;
}

static int print_results(const struct ablation *a, const struct args *args)
{
    struct rp_error err;
    int status = warnings(a), printed = RP_OK;
    if (args->json)
        printed = ablation_print_json(a);
    else if (args->csv)
        printed = ablation_print_csv(a, &err) ? RP_OK : command_fail(&err);
    else
        ablation_print(a, args->launches);
    return printed == RP_OK ? status : printed;
}

static int ablate_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args args = {.request.alone = true};
    command_parse(&line, c, argc, argv, &args);
    struct ablation a = {0};
    struct rp_error err;
    struct ablation_request *r = &args.request;
    bool open =
        (args.own_steps || steps_of_paper(&r->steps, r->alone, &r->machine, &err)) && ablation_open(&a, r, &err);
    warn_of_damage(&a);
    int status = open && ablation_replay(&a, &err) ? print_results(&a, &args) : command_fail(&err);
    ablation_free(&a);
    steps_free(&args.request.steps);
    return status;
}

static const struct command_example examples[] = {
    {"What each part of a Jetson TX2 is worth", "reprise ablate mm.wtr --machine jetson-tx2"},
    {"Over several traces, for a table of one's own",
     "reprise ablate *.wtr --machine jetson-tx2 --step 'no L1:l1=none' \\\n"
     "        --step 'DRAM twice as far:dram.latency=200' --csv"},
    {"Launch by launch", "reprise ablate mm.wtr --machine jetson-tx2 --launches"},
    {"Step by step, as in the paper", "reprise ablate mm.wtr --machine jetson-tx2 --cumulative"},
    {"Again, with what was replayed before", "reprise ablate mm.wtr --machine jetson-tx2 --cache results"},
    {NULL, NULL},
};
const struct command command_ablate = {
    .name = "ablate",
    .summary = "take a machine's parts away: what each is worth",
    .usage = "TRACE... --machine NAME",
    .about =
        "Replays traces on a machine, then without one of its parts, or with an ideal one: a perfect "
        "instruction cache; one sub-core instead of all; one instruction a cycle; no data caches; all accesses of a "
        "warp "
        "coalesced. These are the steps of \"Bounding the WCET of a GPU Thread Block with a Multi-Phase Representation "
        "of Warps Execution\" (ECRTS 2025), Table 2; --step gives others.\n"
        "A launch's speedup is its cycles before the step, divided by those after it: above 1 the step made it "
        "faster, below 1 slower. Printed are the mean over launches, the standard deviation, the least and the "
        "greatest.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 a trace is not whole: it was "
              "replayed as far as it goes.",
    .option = ablate_option,
    .run = ablate_run,
};
