/* reprise replay: how many cycles a trace takes on a machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/hotspots/hotspots.h"
#include "tools/hotspots/units.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/names.h"
#include "tools/lib/output.h"
#include "tools/replaying/options.h"
#include "tools/replaying/repeating.h"
#include "tools/replaying/replaying.h"
#include "tools/replaying/shares.h"
#include "tools/replaying/timeless.h"
#include "tools/ui/figure.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

struct args {
    const char *trace;
    struct machine_args machine;
    struct replay_options replay;
    const char *by; /* NULL: launches, not places */
    bool units;     /* --by unit: shares, from places that are instructions */
    enum place_kind kind;
    long long top; /* -1: as many as fit the output; 0: all */
    struct repeat_args repeat;
    bool exact;
    struct shares shares;
    const char *save_machine; /* NULL: nowhere */
    bool json, csv, quiet, explain, markdown;
};

enum { KEY_ENGINE = 256, KEY_EXPLAIN, KEY_EXACT, KEY_PROCESSORS, KEY_SAVE_MACHINE };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine to replay on", ""),
    ROW_LAUNCH("Replay"),
    ROW_THREADS("Threads for launches whose caches are not kept between them, and for the SMs of a launch",
                ", 1 unless given; pipeline staged takes one"),
    {"engine", KEY_ENGINE, "NAME", "fast (default), or reference: steps every cycle, same result"},
    {"by", KEY_BY, "instruction|line|function|subcore|unit",
     "Say where the cycles go: the hottest ones first, with how often they issued, what they waited for, and their "
     "source; or the shares of ALUs, shared memory, L1, L2, device memory and barriers"},
    ROW_TOP("N hottest"),
    REPEAT_ROWS,
    {"exact", KEY_EXACT, NULL,
     "Mean and deviation of the cycles, where they are known: with pipeline one-at-a-time; without a replay"},
    {"processors", KEY_PROCESSORS, "N", "With pipeline one-at-a-time: replay the first N sub-cores alone"},
    {"save-machine", KEY_SAVE_MACHINE, "FILE",
     "Write the machine to a machine file, with the probabilities that memory.from has given"},
    ROW_JSON(""),
    ROW_CSV("the table of launches, or of --batches, --exact, --by or --explain,", ""),
    ROW_QUIET(NO_WARNINGS),
    {"explain", KEY_EXPLAIN, "[FORMAT]", "List all statistics with their definitions; FORMAT: markdown"},
    {0},
};

static void engine(struct args *a, const char *name, struct command_line *line)
{
    if (!strcmp(name, "reference"))
        a->replay.engine = REPLAY_REFERENCE;
    else if (strcmp(name, "fast"))
        command_usage(line, "--engine %s: there are fast and reference", name);
}

static void replay_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    struct rp_error err;
    long long number;
    const struct shared_values shared = {&a->trace, &a->machine, &a->replay.launch, &a->replay.threads, &a->top,
                                         NULL,      &a->json,    &a->csv,           &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_BY:
        a->by = arg;
        a->units = !strcmp(arg, "unit");
        command_check(line, place_kind(a->units ? "instruction" : arg, true, &a->kind, &err), &err);
        break;
    case KEY_ENGINE: engine(a, arg, line); break;
    case KEY_EXACT: a->exact = true; break;
    case KEY_SAVE_MACHINE:
        a->save_machine = arg;
        command_check(line, output_check(arg, &err), &err);
        break;
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
        if (!a->explain)
            command_needs(line, a->trace, a->machine.machine, "reprise replay mm.wtr --machine jetson-tx2");
    }
}

/* ---- statistics explained --------------------------------------------------------------------------------------- */

static const struct explanation {
    const char *name, *unit, *help;
} explanations[] = {
#define X(field, name, unit, help) {name, unit, help},
    STATISTICS(X)
#undef X
};
static const struct explanation stall_explanations[] = {
#define X(id, name, help)                                                                                              \
    {STALL_##id == STALL_UNIT ? "issue.stall." name ".NAME" : "issue.stall." name, "sub-core cycles",                  \
     STALL_##id == STALL_DRAIN ? "nothing issued any more: " help                                                      \
                               : "nothing issued; the warp that issued next had to wait: " help},
    STALLS(X)
#undef X
        {"units.NAME.busy", "cycles", "cycles of initiation in the machine's unit NAME, summed over its instances"},
    {"ipc", "instructions per cycle", "(issue.issued + issue.dual) / cycles"},
    {"occupancy.achieved", "", "occupancy.warp_cycles / (occupancy.sm_cycles × limits.warps)"},
};

static void explain_one(void *data, const char *name, const char *unit, const char *help)
{
    struct table *table = data;
    if (!table) {
        printf("| `%s` | %s | %s |\n", name, unit, help);
        return;
    }
    table_cell(table, "%s", name);
    table_cell(table, "%s", unit);
    table_cell(table, "%s", help);
}

static int explain(bool markdown, bool csv)
{
    struct table *table = markdown ? NULL : table_new("llw");
    if (csv && table)
        explain_one(table, "statistic", "unit", "definition");
    if (markdown)
        puts("| statistic | unit | definition |\n|---|---|---|");
    for (size_t i = 0; i < MODEL_COUNT_OF(explanations); i++)
        explain_one(table, explanations[i].name, explanations[i].unit, explanations[i].help);
    statistics_each_count(explain_one, table);
    for (size_t i = 0; i < MODEL_COUNT_OF(stall_explanations); i++)
        explain_one(table, stall_explanations[i].name, stall_explanations[i].unit, stall_explanations[i].help);
    if (table)
        (csv ? table_print_csv : table_print)(table, stdout);
    return RP_OK;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* What was replayed. */
struct outcome {
    struct launch_log launches;
    struct replay_result result;
    struct places *places; /* with --by */
    struct hotspots hotspots;
    struct source_files *files;
};

static size_t top(const struct args *a)
{
    return a->top > 0 ? (size_t)a->top : a->top < 0 && !a->json && !a->csv ? SHOWN : EVERY;
}

/* What all of them begin with. */
static void begin_json(struct json_stream *out, const struct args *a, json_t *trace, const struct machine *m)
{
    json_open(out, NULL, '{');
    json_part(out, "tool", json_string("reprise " REPRISE_VERSION));
    json_part(out, "engine", json_string(a->replay.engine == REPLAY_FAST ? "fast" : "reference"));
    json_part(out, "trace", trace);
    json_part(out, "machine", machine_json(m));
    if (*a->shares.from)
        json_part(out, "memory_from", shares_json(&a->shares));
}

static json_t *copies_json(const struct copy_counts copies[COPY_PATHS])
{
    json_t *object = json_object();
    for (unsigned p = 0; p < COPY_PATHS; p++)
        json_put(object, copy_path_names[p],
                 json_pack("{s:o, s:o, s:o}", "count", json_number(copies[p].count), "bytes",
                           json_number(copies[p].bytes), "cycles", json_number(copies[p].cycles)));
    return object;
}

static int print_json(const struct args *a, struct rp_trace *t, const struct machine *m, const struct outcome *o)
{
    struct rp_error err;
    json_t *trace = trace_json(t, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream out = {0};
    begin_json(&out, a, trace, m);
    results_json(&out, t, m, &o->launches, &o->result.total);
    if (copies_take_time(m))
        json_part(&out, "copies", copies_json(o->result.copies));
    if (a->units)
        json_part(&out, "units", unit_shares_json(&o->hotspots));
    else if (a->by)
        json_part(&out, "hotspots", hotspots_json(&o->hotspots, top(a), o->files));
    json_close(&out, '}');
    return json_stream_end(&out);
}

/* begin: NULL without such a column. */
static void launch_row(struct table *t, const char *name, const char *kernel, const char *grid, const char *block,
                       const uint64_t *begin, const struct machine *m, const struct statistics *s)
{
    table_cell(t, "%s", name);
    table_cell(t, "%s", kernel);
    table_cell(t, "%s", grid);
    table_cell(t, "%s", block);
    if (begin)
        table_number(t, *begin);
    table_number(t, s->cycles);
    table_cell(t, "%.3f", (double)s->cycles / fraction_value(m->clock_mhz));
    table_number(t, s->warp_instructions);
    table_cell(t, "%.3f", statistics_ipc(s));
    table_cell(t, "%.1f %%", 100 * statistics_occupancy(m, s));
    table_cell(t, "%s", statistics_main_stall(m, s, (char[STALL_NAME]){0}));
}

static void launch_rows(struct table *t, struct rp_trace *trace, const struct machine *m, const struct launch_log *log,
                        bool begins, bool csv)
{
    struct replay_launch launch;
    for (struct launch_reader r = {.log = log}; launch_log_next(&r, &launch);) {
        const struct rp_launch *l = rp_trace_launch(trace, launch.launch);
        const char *whole = rp_trace_kernel(trace, l->kernel)->name;
        char name[16], grid[40], block[40], plain[PLAIN_NAME];
        snprintf(name, sizeof name, "%" PRIu32, launch.launch);
        launch_row(t, name, csv ? whole : plain_kernel_name(whole, plain), dimensions(l->grid, grid),
                   dimensions(l->block, block), begins ? &launch.begin : NULL, m, &launch.statistics);
    }
}

static void print_launches(struct rp_trace *trace, const struct machine *m, const struct outcome *o, bool csv)
{
    static const char *const heading[] = {"launch", "kernel",    "grid",      "block",
                                          "begin",  "cycles",    "us",        "warp instructions",
                                          "IPC",    "occupancy", "main stall"};
    bool begins = csv || o->launches.overlaps;
    const uint64_t zero = 0;
    struct table *t = table_new(begins ? "rnllrrrrrrl" : "rnllrrrrrl");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        if (begins || strcmp(heading[i], "begin"))
            table_cell(t, "%s", heading[i]);
    launch_rows(t, trace, m, &o->launches, begins, csv);
    if (o->launches.count != 1 && !csv)
        launch_row(t, "total", "", "", "", begins ? &zero : NULL, m, &o->result.total);
    if (csv)
        table_print_csv(t, stdout);
    else
        table_print(t, stdout);
}

/* Says so where the machine goes by control words and the trace has none. */
static void print_dependencies(const struct machine *m, const struct launch_log *log)
{
    if (m->dependencies == DEPENDENCIES_CONTROL_WORDS && log->no_control_words)
        printf("\n%s no control words (PTX has none): the scoreboard held instructions back.\n",
               log->no_control_words == log->count ? "The trace has" : "Some of these kernels have");
}

static void statistic_row(void *table, const char *name, uint64_t value)
{
    if (!value)
        return;
    table_cell(table, "%s", name);
    table_number(table, value);
}

/* What the host copied, where that takes time. */
static void print_copies(const struct machine *m, const struct copy_counts copies[COPY_PATHS])
{
    static const char *const names[COPY_PATHS] = {"to the device", "to the host", "within the device"};
    if (!copies_take_time(m))
        return;
    struct table *t = table_new("lrrrr");
    puts("");
    for (size_t i = 0; i < 5; i++)
        table_cell(t, "%s", (const char *const[]){"copies", "count", "bytes", "cycles", "us"}[i]);
    for (unsigned p = 0; p < COPY_PATHS; p++) {
        table_cell(t, "%s", names[p]);
        table_number(t, copies[p].count);
        table_number(t, copies[p].bytes);
        table_number(t, copies[p].cycles);
        table_cell(t, "%.3f", (double)copies[p].cycles / fraction_value(m->clock_mhz));
    }
    table_print(t, stdout);
}

static int print_text(struct rp_trace *trace, const struct machine *m, const struct outcome *o)
{
    printf("%s on %s (scheduler %s, %.9g MHz)\n\n", rp_trace_path(trace), m->name, m->scheduler.model->name,
           fraction_value(m->clock_mhz));
    print_launches(trace, m, o, false);
    print_dependencies(m, &o->launches);
    if (o->launches.overlaps)
        printf("\n%" PRIu32 " launches overlap others. 'begin' counts cycles since the first launch began, and the "
               "total's cycles end with the last one%s.\n",
               o->launches.overlaps, copies_take_time(m) ? " or the last copy" : "");
    print_copies(m, o->result.copies);
    puts(o->launches.count == 1 ? "" : "\nSums over all launches");
    struct table *t = table_new("lr");
    statistics_each(m, &o->result.total, statistic_row, t);
    table_print(t, stdout);
    puts("\nStatistics that are 0 are left out; 'reprise replay --explain' defines them all.");
    return RP_OK;
}

static int print_hotspots(const struct args *a, struct rp_trace *trace, const struct machine *m,
                          const struct outcome *o)
{
    char cycles[FIGURE];
    printf("%s on %s (scheduler %s): %s cycles, %" PRIu64 " sub-core%s\n\n", rp_trace_path(trace), m->name,
           m->scheduler.model->name, figure(o->hotspots.cycles, cycles), o->hotspots.subcores,
           rp_plural(o->hotspots.subcores));
    if (a->units) {
        unit_shares_print(&o->hotspots);
        return RP_OK;
    }
    hotspots_print(&o->hotspots, top(a), o->files);
    puts("\nA sub-core's cycle goes to the instruction that issues in it, and so do those that it waited for before: "
         "'stalls' says for\nwhat. Cycles are those of all sub-cores, divided by their number. 'lanes' is the mean of "
         "'issued'.");
    if ((a->kind == BY_LINE || a->kind == BY_INSTRUCTION) && !places_have_lines(trace))
        puts("The trace names no lines: compile with -lineinfo (nvcc) or -gline-tables-only (clang).");
    return RP_OK;
}

struct shown {
    struct progress bar;
};

static void show(void *data, uint64_t done, uint64_t total)
{
    progress_update(&((struct shown *)data)->bar, done, total, done, "warp instructions");
}

static int print_outcome(const struct args *a, struct rp_trace *trace, const struct machine *m, const struct outcome *o)
{
    if (!a->quiet)
        print_warnings(&o->launches);
    int status = RP_OK;
    if (a->csv && a->units)
        unit_shares_print_csv(&o->hotspots);
    else if (a->csv && a->by)
        hotspots_print_csv(&o->hotspots, top(a), o->files);
    else if (a->csv)
        print_launches(trace, m, o, true);
    else if (a->by && !a->json)
        status = print_hotspots(a, trace, m, o);
    else
        status = a->json ? print_json(a, trace, m, o) : print_text(trace, m, o);
    return status == RP_OK ? replay_status(trace, &o->launches) : status;
}

static uint32_t subcores_replayed(const struct args *a, const struct machine *m)
{
    uint64_t all = (uint64_t)(m->sms * m->subcores), some = a->replay.processors;
    return (uint32_t)(some && some < all ? some : all);
}

/* What --by needs before and after the replay. */
static bool begin_hotspots(struct args *a, struct rp_trace *t, const struct machine *m, struct outcome *o,
                           struct rp_error *err)
{
    if (!a->by)
        return true;
    o->places = places_new(t, a->kind, subcores_replayed(a, m), err);
    if (o->places && !(o->files = source_files_new(rp_trace_path(t))))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    return o->places && (a->replay.profile = profile_new(t, m, err));
}

static bool end_hotspots(const struct args *a, const struct machine *m, struct outcome *o, struct rp_error *err)
{
    if (a->by)
        a->replay.profile->subcore_count = subcores_replayed(a, m);
    return !a->by || hotspots_sum(&o->hotspots, o->places, a->replay.profile, m, err);
}

static int run(struct args *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct shown shown;
    struct outcome outcome = {0};
    a->replay.progress = show;
    a->replay.progress_data = &shown;
    a->replay.launch_done = launch_log_add;
    a->replay.launch_done_data = &outcome.launches;
    progress_begin(&shown.bar, "replaying", "warp instructions", a->quiet);
    bool fine = begin_hotspots(a, trace, m, &outcome, &err) && replay(trace, m, &a->replay, &outcome.result, &err) &&
                end_hotspots(a, m, &outcome, &err);
    progress_end(&shown.bar);
    int status = fine ? print_outcome(a, trace, m, &outcome) : command_fail(&err);
    replay_result_free(&outcome.result);
    launch_log_free(&outcome.launches);
    hotspots_free(&outcome.hotspots);
    places_free(outcome.places);
    source_files_free(outcome.files);
    profile_free(a->replay.profile);
    return status;
}

/* ---- many replays, or none --------------------------------------------------------------------------------------- */

/* repeated: NULL with --exact alone. */
static int print_repeated_json(const struct args *a, struct rp_trace *t, const struct machine *m,
                               const struct repeat_result *repeated, const struct engine_exact *exact)
{
    struct rp_error err;
    json_t *trace = trace_json(t, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream out = {0};
    begin_json(&out, a, trace, m);
    if (repeated)
        repeat_json(&out, m, &a->repeat, repeated);
    else
        json_part(&out, "exact", exact_json(exact));
    json_close(&out, '}');
    return json_stream_end(&out);
}

static void print_heading(struct rp_trace *trace, const struct machine *m)
{
    printf("%s on %s (scheduler %s, pipeline %s, memory %s)\n\n", rp_trace_path(trace), m->name,
           m->scheduler.model->name, m->pipeline.model->name, m->memory.model->name);
}

static int run_exact(struct args *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct engine_exact exact;
    if (!repeat_exact(trace, m, &a->replay, &exact, &err))
        return command_fail(&err);
    if (a->json)
        return print_repeated_json(a, trace, m, NULL, &exact);
    if (!a->csv)
        print_heading(trace, m);
    exact_print(&exact, a->csv);
    return rp_trace_damage(trace) ? RP_PARTIAL : RP_OK;
}

static int print_repeated(const struct args *a, struct rp_trace *trace, const struct machine *m,
                          const struct repeat_result *r)
{
    if (a->json)
        return print_repeated_json(a, trace, m, r, NULL);
    if (!a->csv) {
        print_heading(trace, m);
        repeat_print_summary(&a->repeat, r);
        if (r->known)
            exact_print(&r->exact, false);
        puts("");
    }
    repeat_print_table(m, r, a->csv);
    return RP_OK;
}

static int run_repeated(struct args *a, struct rp_trace *trace, const struct machine *m)
{
    struct rp_error err;
    struct shown shown;
    struct repeat_result result;
    a->replay.progress = show;
    a->replay.progress_data = &shown;
    progress_begin(&shown.bar, "replaying", "warp instructions", a->quiet);
    bool fine = repeat(trace, m, &a->replay, &a->repeat.request, &result, &err);
    progress_end(&shown.bar);
    if (!fine)
        return command_fail(&err);
    int status = print_repeated(a, trace, m, &result);
    repeat_result_free(&result);
    return status == RP_OK && rp_trace_damage(trace) ? RP_PARTIAL : status;
}

static int run_on(struct args *a, struct rp_trace *trace)
{
    struct rp_error err;
    if (rp_trace_damage(trace) && !a->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(trace));
    struct machine *m =
        shares_machine_open(&a->machine, NULL, 0, trace, a->replay.launch, a->replay.threads, &a->shares, &err);
    if (!m || (a->save_machine && !shares_write(m, &a->shares, a->save_machine, &err))) {
        machine_free(m);
        return command_fail(&err);
    }
    unsigned told = 0;
    if (!a->quiet)
        timeless_warn(m, &told);
    if (!a->json && !a->csv)
        shares_print(&a->shares);
    int status = (a->repeat.request.least ? run_repeated : a->exact ? run_exact : run)(a, trace, m);
    machine_free(m);
    return status;
}

static int replay_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args a = {.replay = {.launch = -1}, .top = -1, .repeat = REPEAT_ARGS};
    command_parse(&line, c, argc, argv, &a);
    if (a.explain)
        return explain(a.markdown, a.csv);
    struct rp_error err;
    /* errors of the machine come before those of the trace */
    struct machine *m = machine_args_open(&a.machine, NULL, 0, &err);
    struct rp_trace *trace = m && input_check(a.trace, INPUT_TRACE, &err) ? rp_trace_open(a.trace, &err) : NULL;
    machine_free(m);
    int status = trace ? run_on(&a, trace) : command_fail(&err);
    if (trace)
        rp_trace_close(trace);
    return status;
}

static const struct command_example examples[] = {
    {"Cycles on a Jetson TX2", "reprise replay mm.wtr --machine jetson-tx2"},
    {"With another scheduler and no L1, for programs",
     "reprise replay mm.wtr --machine jetson-tx2 --set scheduler=lrr --set l1=none --json"},
    {"The source lines where most cycles go", "reprise replay mm.wtr --machine jetson-tx2 --by line --top 10"},
    {"The shares of ALUs, L1, L2, device memory and barriers", "reprise replay mm.wtr --machine jetson-tx2 --by unit"},
    {"Cycles where memory draws how long accesses take, within a tenth of the mean",
     "reprise replay mm.wtr --machine san-rtx2080 --batches 100..1000 --width 0.1 --seed 1"},
    {"Their mean and deviation, without a replay", "reprise replay mm.wtr --machine san-rtx2080 --exact"},
    {"What the statistics mean", "reprise replay --explain"},
    {NULL, NULL},
};
const struct command command_replay = {
    .name = "replay",
    .summary = "replay a trace on a machine: cycles, and where they go",
    .usage = "TRACE --machine NAME",
    .about = "Replays a trace on a machine and says how many cycles it takes, and where they go.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = replay_option,
    .run = replay_run,
};
