/* reprise replay: how many cycles a trace takes on a machine. */
#include <string.h>

#include "tools/lib/cleanup.h"
#include "tools/lib/command.h"
#include "tools/lib/output.h"
#include "tools/replay/replay.h"
#include "tools/replaying/options.h"
#include "tools/replaying/sampling.h"

enum { KEY_ENGINE = 256, KEY_EXPLAIN, KEY_EXACT, KEY_PROCESSORS, KEY_SAVE_MACHINE, KEY_SAMPLE };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine to replay on", ""),
    ROW_LAUNCH("Replay"),
    ROW_THREADS("Threads for launches whose caches are not kept between them, and for the SMs of a launch",
                ", 1 unless given; pipeline staged takes one"),
    {"engine", KEY_ENGINE, "fast|reference", "fast (default), or reference: steps every cycle, same result"},
    {"by", KEY_BY, "instruction|line|function|subcore|unit",
     "Say where the cycles go: the hottest ones first, with how often they issued, what they waited for, and their "
     "source; or the shares of ALUs, shared memory, L1, L2, device memory and barriers"},
    ROW_TOP("N hottest"),
    ROW_SAMPLE(KEY_SAMPLE),
    REPEAT_ROWS,
    {"exact", KEY_EXACT, NULL,
     "Mean and deviation of the cycles, where they are known: with pipeline one-at-a-time; without a replay"},
    {"processors", KEY_PROCESSORS, "N", "With pipeline one-at-a-time: replay the first N sub-cores alone"},
    {"save-machine", KEY_SAVE_MACHINE, "FILE",
     "Write the machine to a machine file, with the probabilities that memory.from has given"},
    ROW_JSON(""),
    ROW_CSV("the table of launches, or of --batches, --exact, --by or --explain,", ""),
    ROW_CACHE(", not those of --by, --batches or --exact"),
    ROW_QUIET(NO_WARNINGS),
    {"explain", KEY_EXPLAIN, "[FORMAT]", "List all statistics with their definitions; FORMAT: markdown"},
    {0},
};

static void engine(struct replay_request *a, const char *name, struct command_line *line)
{
    if (!strcmp(name, "reference"))
        a->replay.engine = REPLAY_REFERENCE;
    else if (strcmp(name, "fast"))
        command_usage(line, "--engine %s: there are fast and reference", name);
}

static void replay_option(struct command_line *line, int key, char *arg)
{
    struct replay_request *a = line->input;
    struct rp_error err;
    long long number;
    const struct shared_values shared = {.machine = &a->machine,
                                         .launch = &a->replay.launch,
                                         .threads = &a->replay.threads,
                                         .top = &a->top,
                                         .cache = &a->cache,
                                         .json = &a->json,
                                         .csv = &a->csv,
                                         .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_BY:
        if (a->by)
            command_usage(line, "--by %s --by %s: give one of them", a->by, arg);
        a->by = arg;
        a->units = !strcmp(arg, "unit");
        command_check(line, place_kind(a->units ? "instruction" : arg, true, &a->kind, &err), &err);
        break;
    case KEY_ENGINE: engine(a, arg, line); break;
    case KEY_EXACT: a->exact = true; break;
    case KEY_SAVE_MACHINE:
        a->save_machine = arg;
        command_check(line, output_check(arg, INPUT_MACHINE, &err), &err);
        cleanup_expect(arg);
        break;
    case KEY_SAMPLE: command_check(line, sample_parse(arg, &a->replay.sample, &err), &err); break;
    case KEY_PROCESSORS:
        command_check(line, parse_number("--processors", arg, 1, INT64_MAX, &number, &err), &err);
        a->replay.processors = (uint64_t)number;
        break;
    case KEY_BATCHES:
    case KEY_CONFIDENCE:
    case KEY_WIDTH:
    case KEY_SEED: repeat_option(line, key, arg, &a->repeat); break;
    case KEY_EXPLAIN:
        a->explain = true;
        a->markdown = arg && !strcmp(arg, "markdown");
        if (arg && !a->markdown)
            command_usage(line, "--explain=%s: the only format is markdown", arg);
        break;
    case KEY_END:
        if (a->top >= 0 && !a->by)
            command_usage(line, "--top counts what --by lists; for example --by line --top %lld", a->top);
        repeat_check(line, &a->repeat);
        a->replay.seed = a->repeat.seed;
        if (a->top >= 0 && a->units)
            command_usage(line, "--by unit lists all units: leave --top out");
        if (a->by && (a->exact || a->repeat.request.least))
            command_usage(line, "--by is about one replay, not about %s", a->exact ? "--exact" : "--batches");
        if (a->replay.sample.error > 0 && (a->by || a->exact || a->repeat.request.least || a->replay.processors))
            command_usage(line, "--sample estimates what one replay would say; leave out %s",
                          a->by                     ? "--by"
                          : a->exact                ? "--exact"
                          : a->repeat.request.least ? "--batches"
                                                    : "--processors");
        command_check(line,
                      output_spares("--save-machine", a->save_machine, a->machine.machine, "the machine's file", &err),
                      &err);
        a->traces = line->arguments;
        a->trace_count = line->argument_count;
        if (a->trace_count > 1 && (a->save_machine || a->explain))
            command_usage(line, "%s goes with one trace: '%s' is one too many",
                          a->explain ? "--explain" : "--save-machine", a->traces[1]);
        if (!a->explain)
            command_needs(line, a->trace_count ? a->traces[0] : NULL, a->machine.machine,
                          "reprise replay mm.wtr --machine jetson-tx2");
        cache_settle(line, &a->cache, !a->explain && !a->by && !a->exact && !a->repeat.request.least);
    }
}

static int replay_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct replay_request a = {.replay = {.launch = -1}, .top = -1, .repeat = REPEAT_ARGS};
    command_parse(&line, c, argc, argv, &a);
    return a.explain ? replay_explain(a.markdown, a.csv) : replay_command(&a);
}

static const struct command_example examples[] = {
    {"Cycles on a Jetson TX2", "reprise replay mm.wtr --machine jetson-tx2"},
    {"With another scheduler and no L1, for programs",
     "reprise replay mm.wtr --machine jetson-tx2 --set scheduler=lrr --set l1=none --json"},
    {"A row for each launch of several traces, with all statistics", "reprise replay *.wtr --machine jetson-tx2 --csv"},
    {"A guest's trace on a chip of 32 cores with smaller caches (docs/guests.md)",
     "reprise replay guest.wtr --machine manycore-32 --set l1d.size=4096"},
    {"The source lines where most cycles go", "reprise replay mm.wtr --machine jetson-tx2 --by line --top 10"},
    {"The shares of ALUs, L1, L2, device memory and barriers", "reprise replay mm.wtr --machine jetson-tx2 --by unit"},
    {"Cycles within 2 % of the true ones, from a part of the launches and blocks",
     "reprise replay mm.wtr --machine jetson-tx2 --sample 2%@95%"},
    {"Cycles with sampled memory latencies, within a tenth of the mean",
     "reprise replay mm.wtr --machine san-rtx2080 --batches 100..1000 --width 0.1 --seed 1"},
    {"Their mean and deviation, without a replay", "reprise replay mm.wtr --machine san-rtx2080 --exact"},
    {"Again in no time, and for other commands: results are kept in a folder",
     "reprise replay mm.wtr --machine jetson-tx2 --cache results"},
    {"What the statistics mean", "reprise replay --explain"},
    {NULL, NULL},
};
const struct command command_replay = {
    .name = "replay",
    .summary = "replay a trace on a machine: cycles, and where they go",
    .usage = "TRACE... --machine NAME",
    .about = "Replays a trace on a machine and says how many cycles it takes, and where they go.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = replay_option,
    .run = replay_run,
};
