/* reprise wcet: bounds on the cycles of recorded blocks under any work-conserving warp scheduler. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/sampled.h"
#include "replay/engines/engine.h"
#include "tools/lib/cleanup.h"
#include "tools/lib/command.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/names.h"
#include "tools/lib/number.h"
#include "tools/lib/output.h"
#include "tools/replaying/options.h"
#include "tools/report/report.h"
#include "tools/ui/nearest.h"
#include "tools/ui/progress.h"
#include "tools/wcet/csv.h"
#include "tools/wcet/grid.h"
#include "tools/wcet/output.h"
#include "tools/wcet/skips.h"
#include "tracefmt/plural.h"

#define MOST_TRACES 1024
#define REPORT_PHASES 100000 /* of all warps in a report */

struct args {
    const char *traces[MOST_TRACES];
    size_t count;
    struct machine_args machine;
    struct wcet_policies policies;
    struct wcet_grid grid;
    unsigned extensions;
    int64_t launch;    /* -1: all */
    const char *block; /* NULL: all */
    uint64_t attack;
    struct wcet_states_budget exhaust;
    const char *phases, *report; /* files to write; NULL: none */
    const char *command;         /* report_command() */
    bool json, csv, quiet, gridded, warps, relax;
    struct wcet_relaxed relaxed;
};

enum { KEY_PHASES = 256, KEY_CHECK, KEY_ASSUME, KEY_ATTACK, KEY_EXHAUST, KEY_GRID, KEY_REPORT, KEY_WARPS, KEY_RELAX };

static const struct option_row rows[] = {
    ROWS_MACHINE("Machine to analyse for", ", or of a scheduler that --check or policy= names"),
    ROW_LAUNCH("Analyse"),
    {"block", 'b', "N|X,Y,Z",
     "Analyse this block of the launch as if it were alone, by its linear index (x fastest) or coordinates"},
    {"check", KEY_CHECK, "POLICIES",
     "Replay under these warp schedulers too, with commas between, and say how much larger the bounds are: any that "
     "is work-conserving, such as gto,lrr"},
    {"phases", KEY_PHASES, "FILE",
     "Write the phases of all warps to a file: CSV, or protobuf with the times of every instruction if it ends in .pb"},
    {"report", KEY_REPORT, "FILE",
     "Write an HTML file with the bounds beside the replays, and the phases of warps over time"},
    {"assume", KEY_ASSUME, "WHAT",
     "Go beyond the paper's assumptions: subcores, conflicts, transactions, blocks, caches, dual-issue, "
     "instruction-cache; with commas between, or all"},
    {"relax", KEY_RELAX, NULL,
     "Change the machine, and assume what is needed, until the bounds cover it; prints what it changed"},
    {"attack", KEY_ATTACK, "N",
     "Search N schedules per launch for one that comes close to the bounds; the same N finds the same one"},
    {"exhaust", KEY_EXHAUST, "N",
     "Go through all schedules of launches that are small enough, up to N states each (200000, and 10 million for all "
     "launches; 0: of none): their unit-aware bound is exact"},
    {"grid", KEY_GRID, "KEY=VALUES",
     "Overestimation over values of a machine option (or 'latency' for that of global memory), such as "
     "latency=100..103,200, and 'policy=...'; takes several traces"},
    ROW_CSV("the bounds", ", with the cycles under each policy of --check in columns replay.POLICY"),
    ROW_JSON(""),
    {"warps", KEY_WARPS, NULL, "With --json: the phases of all warps, too"},
    ROW_QUIET("No progress"),
    {0},
};

static bool assume(unsigned *extensions, char *text, struct rp_error *err)
{
    char *rest, *name;
    const char *names[WCET_EXTENSION_COUNT + 1] = {"all"};
    memcpy(names + 1, wcet_extension_names, WCET_EXTENSION_COUNT * sizeof *names);
    for (name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        unsigned e = 0;
        if (!strcmp(name, "all")) {
            *extensions |= (1u << WCET_EXTENSION_COUNT) - 1;
            continue;
        }
        while (e < WCET_EXTENSION_COUNT && strcmp(wcet_extension_names[e], name))
            e++;
        const char *near = nearest_name(name, names, WCET_EXTENSION_COUNT + 1);
        if (e == WCET_EXTENSION_COUNT)
            return rp_fail(err, RP_USAGE, "--assume: unknown assumption '%.40s'; %s%s%s", name,
                           near ? "did you mean '" : "'reprise wcet --help' lists them", near ? near : "",
                           near ? "'?" : "");
        *extensions |= 1u << e;
    }
    return *extensions || rp_fail(err, RP_USAGE, "--assume: nothing is named; 'reprise wcet --help' lists what can be");
}

static void positional(struct args *a, char *arg, struct command_line *line)
{
    struct rp_error err;
    if (a->gridded && !strncmp(arg, "policy=", 7)) {
        command_check(line, wcet_grid_axis(&a->grid, arg, &err), &err);
        return;
    }
    if (a->count == MOST_TRACES)
        command_usage(line, "at most %d traces at once", MOST_TRACES);
    a->traces[a->count++] = arg;
}

static bool spares_traces(const struct args *a, struct rp_error *err)
{
    for (size_t i = 0; i < a->count; i++)
        if (!output_spares("--phases", a->phases, a->traces[i], "the trace", err) ||
            !output_spares("--report", a->report, a->traces[i], "the trace", err))
            return false;
    return output_spares("--report", a->report, a->phases, "the phases", err);
}

static void complete(struct args *a, struct command_line *line)
{
    struct rp_error err;
    command_needs(line, a->count ? a->traces[0] : NULL, a->machine.machine,
                  "reprise wcet one-block.wtr --machine orin-wcet --check gto");
    if (a->count > 1 && a->phases)
        command_usage(line, "--phases takes one trace: '%s' is one too many", a->traces[1]);
    if (a->gridded && (a->attack || a->phases || a->policies.count || a->launch >= 0))
        command_usage(line, "--grid goes with neither --attack, --phases, --check nor --launch; 'policy=' names the "
                            "schedulers to compare with");
    if (a->warps && !a->json)
        command_usage(line, "--warps goes with --json; --phases writes the phases to a file");
    if (a->report && (a->gridded || a->json))
        command_usage(line, "--report goes with neither --grid nor --json");
    if (a->block && (a->gridded || a->attack || a->policies.count))
        command_usage(line, "--block goes with neither --grid, --attack nor --check: a replay is of all blocks");
    if (a->gridded && !a->grid.policies.count)
        command_usage(line, "--grid needs policies to compare with. Example: --grid latency=200,100 policy=lrr,gto");
    command_check(line, spares_traces(a, &err), &err);
}

static void wcet_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    struct rp_error err;
    long long number = 0;
    const struct shared_values shared = {
        .machine = &a->machine, .launch = &a->launch, .json = &a->json, .csv = &a->csv, .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_PHASES:
        a->phases = arg;
        command_check(line, output_check(arg, INPUT_OTHER, &err), &err);
        cleanup_expect(arg);
        break;
    case KEY_REPORT:
        a->report = arg;
        command_check(line, report_check(arg, &err), &err);
        break;
    case KEY_CHECK: command_check(line, wcet_policies_parse(&a->policies, arg, &err), &err); break;
    case KEY_RELAX: a->relax = true; break;
    case KEY_WARPS: a->warps = true; break;
    case KEY_ASSUME: command_check(line, assume(&a->extensions, arg, &err), &err); break;
    case KEY_GRID:
        a->gridded = true;
        command_check(line, wcet_grid_axis(&a->grid, arg, &err), &err);
        break;
    case 'b': a->block = arg; break;
    case KEY_ATTACK:
        command_check(line, parse_number("--attack", arg, 1, 1000000000, &number, &err), &err);
        a->attack = (uint64_t)number;
        break;
    case KEY_EXHAUST:
        command_check(line, parse_number("--exhaust", arg, 0, 1000000000, &number, &err), &err);
        a->exhaust = (struct wcet_states_budget){(uint64_t)number, UINT64_MAX};
        break;
    case KEY_ARGUMENT: positional(a, arg, line); break;
    case KEY_END: complete(a, line);
    }
}

/* ---- one trace ------------------------------------------------------------------------------------------------------
 */

struct job {
    const struct args *args;
    struct rp_trace *trace;
    struct machine *machine;
    struct wcet_result result;
    struct wcet_profile profile;
    struct wcet_attack *attacks; /* per launch of the result */
    struct progress bar;
    uint64_t done, total; /* warp instructions: of the launches that are complete, and of all that were asked for */
    json_t *launches;     /* with --json or --report */
    json_t *skipped;      /* with --json, --report or --csv: launches that are not covered */
    struct wcet_skips skips;
    size_t shown;       /* phases in them */
    size_t asked, left; /* launches that were asked for, and those of them that were not analysed because of a signal */
};

static bool attack(struct job *j, struct rp_error *err)
{
    size_t n = j->result.count;
    if (!j->args->attack)
        return true;
    struct wcet_attack *more = realloc(j->attacks, n * sizeof *more);
    if (!more)
        return rp_fail(err, RP_SYSTEM, "out of memory for the results of a launch");
    j->attacks = more;
    return wcet_attack(j->trace, &j->result.launches[n - 1].bounds, &j->args->machine, j->args->attack, j->args->quiet,
                       &j->attacks[n - 1], err);
}

static void analysed(void *data, uint64_t instructions)
{
    struct job *j = data;
    uint64_t done = j->done + instructions;
    progress_update(&j->bar, done, j->total, done, "warp instructions");
}

static void searched(void *data, uint64_t states, uint64_t issues)
{
    struct job *j = data;
    progress_update(&j->bar, j->done + issues, j->total, states, "states of schedules");
}

static bool same_warp(const struct wcet_profile_phase *a, const struct wcet_profile_phase *b)
{
    return a->place.block == b->place.block && a->place.warp == b->place.warp;
}

/* Keeps the phases of whole warps, as many as a report has room for. Returns how many warps it left out. */
static size_t limit_phases(struct job *j)
{
    size_t room = REPORT_PHASES > j->shown ? REPORT_PHASES - j->shown : 0, count = j->profile.phase_count, left = 0;
    const struct wcet_profile_phase *all = j->profile.phases;
    size_t end = count < room ? count : room;
    while (end < count && end && same_warp(&all[end - 1], &all[end]))
        end--;
    for (size_t i = end; i < count; i++)
        left += i == end || !same_warp(&all[i - 1], &all[i]);
    j->profile.phase_count = end;
    j->shown += end;
    return left;
}

static void keep_launch(struct job *j)
{
    size_t last = j->result.count - 1, left = j->args->report ? limit_phases(j) : 0;
    json_t *launch = wcet_launch_json(j->trace, j->machine, &j->result, &j->result.launches[last],
                                      j->profile.keep ? &j->profile : NULL, j->attacks ? &j->attacks[last] : NULL);
    if (left)
        json_put(launch, "warps_left_out", json_number(left));
    json_add(j->launches, launch);
}

static bool one_launch(struct job *j, uint32_t launch, struct rp_error *err)
{
    struct wcet_watch watch = wcet_profile_watch(&j->profile);
    const struct rp_launch *l = rp_trace_launch(j->trace, launch);
    if (j->args->block && !read_block(j->args->block, l->grid, &j->result.block, err))
        return false;
    watch.progress = analysed;
    watch.searched = searched;
    watch.progress_data = j;
    wcet_profile_begin(&j->profile, launch, rp_trace_kernel(j->trace, l->kernel));
    if (!wcet_compare(&j->result, j->trace, &j->args->machine, launch, j->args->extensions, &watch, err) ||
        !attack(j, err) || !wcet_profile_end(&j->profile, err))
        return false;
    if (j->launches)
        keep_launch(j);
    return true;
}

/* A launch is left out. */
static void skip(struct job *j, uint32_t launch, struct rp_error *why)
{
    plain_error(why);
    const char *reason = wcet_skip_reason(j->trace, launch, why->text);
    wcet_skip(&j->skips, launch, reason);
    json_t *skipped = j->skipped ? json_pack("{s:I, s:s}", "launch", (json_int_t)launch, "reason", reason) : NULL;
    if (skipped)
        json_add(j->skipped, skipped);
}

/* A launch whose analysis failed is not in the result. */
static void drop_failed(struct job *j)
{
    if (j->result.count && !j->result.launches[j->result.count - 1].bounds.unit_bound)
        j->result.count--;
}

static bool take_launch(struct job *j, uint32_t launch, struct rp_error *err)
{
    struct rp_error why;
    bool data = j->args->json || j->args->csv; /* says what is left out */
    bool only = !data && j->args->count == 1 && (j->args->launch >= 0 || rp_trace_launch_count(j->trace) == 1);
    if (!only && !wcet_covers(j->trace, launch, j->args->block, j->machine, j->args->extensions, &why)) {
        skip(j, launch, &why);
        return true;
    }
    if (one_launch(j, launch, err))
        return true;
    bool stopped = err->status == RP_PARTIAL && interrupted();
    bool uncovered = !only && !j->args->phases && err->status == RP_BAD_INPUT; /* as addresses turn out */
    if (!stopped && !uncovered)
        return false;
    drop_failed(j);
    if (uncovered)
        skip(j, launch, err);
    else
        j->left++;
    return true;
}

static bool all_launches(struct job *j, struct rp_error *err)
{
    uint32_t count = rp_trace_launch_count(j->trace);
    int64_t only = j->args->launch;
    if (only >= 0 && (uint64_t)only >= count)
        return rp_fail(err, RP_USAGE, "%s: there is no launch %" PRId64 "; the trace has %" PRIu32,
                       rp_trace_path(j->trace), only, count);
    uint32_t first = only < 0 ? 0 : (uint32_t)only, end = only < 0 ? count : first + 1;
    bool fine = true;
    for (uint32_t l = first; l < end; l++)
        j->total += rp_trace_launch_totals(j->trace, l).warp_instructions;
    progress_begin(&j->bar, "analysing", "warp instructions", j->args->quiet);
    uint32_t l = first;
    for (; fine && !interrupted() && l < end; l++) {
        fine = take_launch(j, l, err);
        j->done += rp_trace_launch_totals(j->trace, l).warp_instructions;
    }
    j->asked = end - first;
    j->left += end - l;
    progress_end(&j->bar);
    wcet_skips_print(&j->skips, NULL, j->trace, stderr);
    return fine;
}

/* The tables that span all traces. */
struct tables {
    struct table *launches, *replays; /* NULL: there are none */
    struct wcet_csv csv;              /* with --csv: what `launches` has */
    char *relaxed;                    /* wcet_relaxed_text() */
    json_t *traces;                   /* with --json or --report */
    struct wcet_exactness exactness;
    struct wcet_validity validity;
    size_t shown, skips; /* launches with bounds, and without */
    size_t asked, left; /* those that were asked for, and not analysed because of a signal, of traces that were begun */
    size_t left_traces; /* not begun because of a signal */
    bool beyond;        /* a replay took longer than its bound */
    bool damaged;       /* a trace is not whole, and may lack launches */
};

static void add_assumptions(unsigned *all, const struct wcet_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        *all |= r->launches[i].bounds.assumed;
}

static json_t *job_json(struct job *j, const struct tables *t, struct rp_error *err)
{
    json_t *trace = trace_json(j->trace, err);
    if (!trace)
        return NULL;
    struct wcet_validity validity = t->validity;
    add_assumptions(&validity.assumed, &j->result);
    return json_pack("{s:o, s:o, s:o, s:O, s:O, s:o}", "trace", trace, "machine", machine_json(j->machine), "valid_for",
                     wcet_validity_json(&validity), "launches", j->launches, "skipped", j->skipped, "summary",
                     wcet_summary_json(&j->result));
}

static bool add_results(struct job *j, struct tables *t, struct rp_error *err)
{
    struct wcet_view view = {j->trace, j->machine, j->args->count > 1};
    wcet_count_exact(&t->exactness, &j->result);
    if (j->args->csv)
        wcet_csv_rows(t->launches, &t->csv, j->trace, &j->result, j->attacks, j->skipped);
    else if (t->launches)
        wcet_launch_rows(t->launches, &view, &j->result, j->attacks);
    if (t->replays)
        wcet_replay_rows(t->replays, &view, &j->result);
    json_t *json = t->traces ? job_json(j, t, err) : NULL;
    if (json)
        json_add(t->traces, json);
    return !t->traces || json;
}

/* Prints what concerns one trace alone. */
static void print_details(struct job *j)
{
    wcet_print_sections(j->machine, &j->result);
    wcet_print_attacks(&j->result, j->attacks);
    wcet_print_caches(&j->result, j->machine);
    if (j->result.policies.count && j->result.count > 1) {
        puts("\nOverestimation over launches");
        wcet_print_summary(&j->result);
    }
}

static bool analyse_trace(struct job *j, const char *path, struct rp_error *err)
{
    const struct args *a = j->args;
    j->trace = trace_of_launches(path, err);
    bool fine = j->trace;
    if (fine && a->phases)
        fine = (j->profile.file = wcet_profile_open(a->phases, j->trace, j->machine, err));
    fine = fine && all_launches(j, err);
    if (j->profile.file)
        fine = wcet_profile_close(j->profile.file, fine, err) && fine;
    return fine;
}

static void job_free(struct job *j)
{
    json_decref(j->launches);
    json_decref(j->skipped);
    wcet_skips_free(&j->skips);
    wcet_result_free(&j->result);
    wcet_profile_free(&j->profile);
    free(j->attacks);
    if (j->trace)
        rp_trace_close(j->trace);
}

static void print_tables(const struct args *a, const struct machine *m, struct tables *t)
{
    void (*print)(struct table *, FILE *) = a->csv ? table_print_csv : table_print;
    if (!a->csv)
        printf("%s%s on %s at %.9g MHz, any work-conserving scheduler\n\n", a->traces[0],
               a->count > 1 ? " and others" : "", m->name, fraction_value(m->clock_mhz));
    if (!a->csv && a->block)
        printf("Block %s alone\n\n", a->block);
    print(t->launches, stdout);
    if (t->replays) {
        puts("\nReplays");
        table_print(t->replays, stdout);
    }
    t->launches = t->replays = NULL;
}

/* Whether a signal has ended the analysis before its end. */
static bool is_partial(const struct tables *t) { return t->left || t->left_traces; }

static json_t *stopped_json(const struct tables *t)
{
    return json_pack("{s:o, s:o, s:o}", "launches", json_number(t->asked), "analysed", json_number(t->shown),
                     "traces_left", json_number(t->left_traces));
}

static bool write_report(const struct args *a, const struct machine *m, struct tables *t, struct rp_error *err)
{
    json_t *data = report_begin("wcet", a->traces[0], a->command);
    json_put(data, "assumptions", wcet_assumptions_json(a->extensions));
    json_put(data, "machine", machine_json(m));
    json_put(data, "traces", json_incref(t->traces));
    if (is_partial(t))
        json_put(data, "stopped", stopped_json(t));
    return report_write(a->report, data, err);
}

static int print_json(struct tables *t)
{
    json_t *json = json_document("wcet");
    json_put(json, "traces", json_incref(t->traces));
    return json_finish(json);
}

/* What no setting of --relax changes. */
static bool machine_has_bounds(const struct machine *m, struct rp_error *err)
{
    if (m->pipeline.model != &pipeline_direct)
        return rp_fail(err, RP_USAGE, "machine %s: bounds are for pipeline 'direct', not '%s'", m->name,
                       m->pipeline.model->name);
    return !machine_samples(m) || rp_fail(err, RP_USAGE,
                                          "machine %s: there are no bounds where accesses draw how long they take; "
                                          "choose memory 'hierarchy'",
                                          m->name);
}

/* Of several traces one that is damaged is left out, and said to be. */
static bool is_left_out(const struct args *a, const struct rp_error *err)
{
    return a->count > 1 && err->status == RP_BAD_INPUT;
}

static bool relax_for(struct args *a, const char *path, struct rp_error *err)
{
    struct rp_trace *t = trace_of_launches(path, err);
    bool fine = t ? wcet_relax(&a->relaxed, &a->machine, &a->extensions, t, a->block, err) : is_left_out(a, err);
    if (t)
        rp_trace_close(t);
    return fine;
}

static bool relax(struct args *a, struct rp_error *err)
{
    struct machine *m = machine_args_open(&a->machine, NULL, 0, err);
    bool fine = m && machine_has_bounds(m, err);
    machine_free(m);
    for (size_t i = 0; fine && a->relax && i < a->count; i++)
        fine = relax_for(a, a->traces[i], err);
    return fine;
}

static void tables_begin(const struct args *a, const struct machine *m, struct tables *t)
{
    bool several = a->count > 1;
    t->relaxed = wcet_relaxed_text(&t->validity);
    t->csv = (struct wcet_csv){m, &a->policies, a->attack != 0, t->relaxed ? t->relaxed : ""};
    if (a->json || a->report)
        t->traces = json_array();
    if (a->csv)
        t->launches = wcet_csv_new(&t->csv);
    else if (!a->json)
        t->launches = wcet_launch_table(several, a->attack != 0);
    if (!a->json && !a->csv && a->policies.count)
        t->replays = wcet_replay_table(several);
}

/* One trace into the tables; a single one is printed at once. */
static bool one_trace(const struct args *a, struct machine *m, const char *path, struct tables *t, struct rp_error *err)
{
    bool several = a->count > 1;
    struct job j = {.args = a,
                    .machine = m,
                    .result = {.policies = a->policies, .exhaust = a->exhaust, .one_block = a->block != NULL},
                    .launches = t->traces ? json_array() : NULL,
                    .skipped = t->traces || a->csv ? json_array() : NULL};
    j.profile.keep = a->warps || a->report;
    bool fine = analyse_trace(&j, path, err) && add_results(&j, t, err);
    t->damaged |= fine && trace_is_damaged(j.trace, a->quiet);
    t->skips += j.skips.launches;
    t->shown += j.result.count;
    t->asked += j.asked;
    t->left += j.left;
    add_assumptions(&t->validity.assumed, &j.result);
    if (fine && !several && !a->json && (j.result.count || a->csv))
        print_tables(a, m, t);
    if (fine && !several && !a->json && !a->csv && j.result.count)
        print_details(&j);
    t->beyond = t->beyond || (fine && !wcet_holds(&j.result, j.attacks, err));
    job_free(&j);
    return fine;
}

/* A trace that cannot be read. */
static void leave_out(const struct args *a, const char *path, struct tables *t, const struct rp_error *why)
{
    command_fail(why);
    if (a->csv)
        wcet_csv_no_trace(t->launches, &t->csv, path, why->text);
    if (a->json)
        json_add(t->traces, json_pack("{s:{s:o}, s:[], s:[], s:o}", "trace", "file", json_text(path), "launches",
                                      "skipped", "error", json_text(why->text)));
}

/* What stands below all tables. */
static void print_notes(const struct args *a, const struct tables *t)
{
    wcet_print_exact(&t->exactness, a->block != NULL);
    wcet_print_validity(&t->validity);
    puts("GUB is the published bound and not safe in every case; serial and unit-aware are (docs/wcet.md).");
}

static bool print_all(const struct args *a, struct machine *m, struct tables *t, int *status, struct rp_error *err)
{
    bool nothing = !t->shown && (t->skips || is_partial(t));
    if (a->report && !nothing && !write_report(a, m, t, err))
        return false;
    if (a->json)
        *status = print_json(t);
    else if (a->count > 1)
        print_tables(a, m, t);
    if (!a->json && !a->csv)
        print_notes(a, t);
    return true;
}

static void say_stopped(const struct args *a, const struct tables *t)
{
    if (t->shown)
        fprintf(stderr, "reprise: stopped: the bounds above are those of %zu of %zu launch%s", t->shown, t->asked,
                t->asked == 1 ? "" : "es");
    else
        fputs("reprise: stopped before any launch was analysed", stderr);
    if (t->shown && t->left_traces)
        fprintf(stderr, ", and %zu trace%s %s not begun", t->left_traces, rp_plural(t->left_traces),
                t->left_traces == 1 ? "was" : "were");
    if (a->report && !t->shown)
        fprintf(stderr, "; '%s' was not written", a->report);
    else if (a->report && is_partial(t))
        fprintf(stderr, "; '%s' has these alone", a->report);
    putc('\n', stderr);
}

static int run(struct args *a)
{
    struct rp_error err;
    struct tables t = {0};
    int status = RP_OK;
    struct machine *m = relax(a, &err) ? machine_args_open(&a->machine, NULL, 0, &err) : NULL;
    bool fine = m;
    t.validity = (struct wcet_validity){m, 0, &a->relaxed, &a->machine};
    if (!a->phases) /* or the file that is not whole would stay */
        interrupt_watch();
    if (fine)
        tables_begin(a, m, &t);
    size_t i = 0;
    for (; fine && !interrupted() && i < a->count; i++)
        if (!one_trace(a, m, a->traces[i], &t, &err)) {
            fine = is_left_out(a, &err);
            t.skips++;
            if (fine)
                leave_out(a, a->traces[i], &t, &err);
        }
    t.left_traces = a->count - i;
    bool nothing = !t.shown && (t.skips || is_partial(&t));
    if (fine && (!nothing || a->json || a->csv))
        fine = print_all(a, m, &t, &status, &err);
    if (!fine || (status == RP_OK && t.beyond))
        status = command_fail(&err);
    else if (status == RP_OK && t.skips)
        status = RP_BAD_INPUT;
    else if (status == RP_OK && t.damaged)
        status = RP_PARTIAL;
    table_free(t.launches);
    table_free(t.replays);
    json_decref(t.traces);
    free(t.relaxed);
    machine_free(m);
    if (fine && interrupted()) {
        command_finish(status);
        say_stopped(a, &t);
        interrupt_end();
    }
    return status;
}

static int wcet_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    char *command = report_command(argv); /* before arguments are parted */
    struct args a = {.launch = -1, .exhaust = WCET_STATES_BUDGET, .command = command};
    command_parse(&line, c, argc, argv, &a);
    a.machine.schedulers = (const char *const *)(a.gridded ? a.grid.policies.names : a.policies.names);
    a.machine.scheduler_count = a.gridded ? a.grid.policies.count : a.policies.count;
    if (!a.gridded) {
        int status = run(&a);
        free(command);
        return status;
    }
    free(command);
    a.grid.extensions = a.extensions;
    a.grid.exhaust = a.exhaust;
    a.grid.json = a.json;
    a.grid.csv = a.csv;
    a.grid.quiet = a.quiet;
    return wcet_grid_run(&a.grid, &a.machine, a.traces, a.count);
}

static const struct command_example examples[] = {
    {"A kernel on a Jetson Orin", "reprise wcet mm.wtr --machine orin-bound --assume all"},
    {"Bounds on the published model, beside replays", "reprise wcet one-block.wtr --machine orin-wcet --check gto,lrr"},
    {"Phases of all warps, and a search for bad schedules",
     "reprise wcet one-block.wtr --machine orin-wcet --phases p.csv --attack 1000"},
    {"The same as a page with plots",
     "reprise wcet one-block.wtr --machine orin-wcet --check gto,lrr --report bounds.html"},
    {"All schedules, if they are few", "reprise wcet one-block.wtr --machine orin-wcet --check gto --exhaust 5000000"},
    {"One block of a larger launch", "reprise wcet mm.wtr --machine orin-wcet --block 5"},
    {"Two traces in one table, with all that goes beyond the paper",
     "reprise wcet one-block.wtr mm.wtr --machine tx2-pastis --assume all"},
    {"The overestimation over latencies and policies",
     "reprise wcet one-block.wtr --machine orin-wcet --grid latency=400,200,100 policy=lrr,gto"},
    {NULL, NULL},
};
const struct command command_wcet = {
    .name = "wcet",
    .summary = "bound the cycles of a trace's blocks under any work-conserving scheduler",
    .usage = "TRACE... --machine NAME",
    .about = "Bounds how long recorded blocks can take on a machine under any work-conserving warp scheduler, from the "
             "multi-phase profiles of their warps.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, or a launch has no bound and is left out, 4 the system "
              "failed, or a replay or the exact worst case "
              "is beyond the bound, 5 a trace is not whole and may lack launches. Being beyond is a defect of Reprise; "
              "please report it.",
    .option = wcet_option,
    .run = wcet_run,
};
