/* reprise report: a sweep or a replay as one HTML file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/replaying/options.h"
#include "tools/report/report.h"

enum { KEY_ALL_RUNS = 256, KEY_WAIT, KEY_VALUE, KEY_BASELINE, KEY_PARETO, KEY_RUNS, KEY_TOP_LINES, KEY_SEED_OF };

#define USUAL_RUNS 100000

static const struct option_row rows[] = {
    ROW_OUTPUT("FILE", "The report, an HTML file"),
    {"top", KEY_TOP_LINES, "N", "Source lines to list: those that change most, or take most cycles (20; 0: all)"},
    ROW_QUIET("No progress, no warnings, no summary"),
    {NULL, 0, NULL, "Of a sweep's database"},
    {"value", KEY_VALUE, "VALUE",
     "The best run has the least of this: a statistic, a ratio (ipc, occupancy) or an option (cycles); +VALUE: the "
     "most"},
    {"baseline", KEY_BASELINE, "RUN|KEY=VALUE,...",
     "What the best run is compared with: the number of a run, or values; else the run on the first machine of the "
     "sweep"},
    {"pareto", KEY_PARETO, "VALUE,VALUE", "Show the runs that no other beats in both; +VALUE: more of it is better"},
    {"runs", KEY_RUNS, "N", "Of more runs the N best (100000; 0: all)"},
    {"all", KEY_ALL_RUNS, NULL, "Also runs of other versions of reprise, which else are left out"},
    {"wait", KEY_WAIT, "SECONDS", "Wait so long for a program that has the database locked (60)"},
    {NULL, 0, NULL, "Of a trace"},
    ROWS_MACHINE("Machine to replay on", ""),
    ROW_LAUNCH("Replay"),
    ROW_THREADS("Threads for the replay", ", 1 unless given"),
    {"seed", KEY_SEED_OF, "N", "Of chance: the same seed gives the same replay (1)"},
    ROW_CACHE("; the report then has no source lines"),
    {0},
};

static void number(struct command_line *line, const char *option, const char *arg, long long *value)
{
    struct rp_error err;
    command_check(line, parse_number(option, arg, 0, INT64_MAX, value, &err), &err);
}

static void pareto(struct command_line *line, struct report_request *r, char *arg)
{
    char *comma = strchr(arg, ',');
    if (comma && comma > arg && comma[1] && !strchr(comma + 1, ',')) {
        *comma = 0;
        r->pareto[0] = arg;
        r->pareto[1] = comma + 1;
    } else {
        command_usage(line, "--pareto %s: give two values; for example --pareto cycles,l1.size", arg);
    }
}

static void end(struct command_line *line, struct report_request *r)
{
    struct rp_error err;
    if (!r->input)
        command_usage(line, "which database, or which trace? Example: reprise report r.db -o r.html");
    if (!r->output)
        command_usage(line, "where shall the report go? Name a file with -o. Example: reprise report %s -o r.html",
                      r->input);
    command_check(line, report_check(r->output, &err), &err);
    cache_settle(line, &r->cache, true);
}

static void report_option(struct command_line *line, int key, char *arg)
{
    struct report_request *r = line->input;
    long long value;
    const struct shared_values shared = {.trace = &r->input,
                                         .machine = &r->machine,
                                         .launch = &r->replay.launch,
                                         .threads = &r->replay.threads,
                                         .output = &r->output,
                                         .cache = &r->cache,
                                         .quiet = &r->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_TOP_LINES: number(line, "--top", arg, &r->top); break;
    case KEY_RUNS: number(line, "--runs", arg, &r->runs); break;
    case KEY_SEED_OF:
        number(line, "--seed", arg, &value);
        r->replay.seed = (uint64_t)value;
        break;
    case KEY_VALUE: r->value = arg; break;
    case KEY_BASELINE: r->baseline = arg; break;
    case KEY_PARETO: pareto(line, r, arg); break;
    case KEY_ALL_RUNS: r->all = true; break;
    case KEY_WAIT:
        number(line, "--wait", arg, &value);
        r->wait = value > 1000000 ? 1000000 : (unsigned)value;
        break;
    case KEY_END: end(line, r); break;
    }
}

/* What only the other kind of report has is refused, so that nobody believes that it had an effect. */
static void check_kind(struct command_line *line, const struct report_request *r, bool database)
{
    if (database && (r->machine.machine || r->machine.count || r->replay.launch >= 0 || r->cache))
        command_usage(line,
                      "%s is a database, which has its machines and launches: leave --machine, --set, --launch and "
                      "--cache out",
                      r->input);
    if (!database && !r->machine.machine)
        command_usage(line, "%s: on which machine? Example: reprise report mm.wtr --machine rtx2060 -o mm.html",
                      r->input);
    if (!database && (strcmp(r->value, "cycles") || r->baseline || r->pareto[0] || r->all || r->runs != USUAL_RUNS))
        command_usage(line, "--value, --baseline, --pareto, --runs and --all are about the runs of a database");
}

/* What can have no report is not asked for a machine. */
static bool check_input(const struct report_request *r, enum input kind, struct rp_error *err)
{
    static const char wanted[] = "give a database of 'reprise sweep', or a trace";
    if (access(r->input, F_OK))
        return rp_fail(err, RP_BAD_INPUT, "%s: %s; %s", r->input, strerror(errno), wanted);
    if (kind == INPUT_DATABASE || kind == INPUT_TRACE || r->machine.machine)
        return true;
    if (kind != INPUT_OTHER)
        return rp_fail(err, RP_BAD_INPUT, "%s is %s; %s", r->input, input_name(kind), wanted);
    return rp_fail(err, RP_BAD_INPUT,
                   "%s is neither a database of results nor a trace, or its first bytes are damaged; %s", r->input,
                   wanted);
}

static int report_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct rp_error err;
    char *command = report_command(argv); /* before arguments are parted */
    struct report_request r = {.command = command,
                               .value = "cycles",
                               .runs = USUAL_RUNS,
                               .top = -1,
                               .wait = 60,
                               .replay = {.launch = -1, .seed = 1}};
    command_parse(&line, c, argc, argv, &r);
    enum input kind = input_kind(r.input);
    if (!input_check(r.input, INPUT_OTHER, &err) || !check_input(&r, kind, &err))
        return command_fail(&err);
    bool database = kind == INPUT_DATABASE;
    check_kind(&line, &r, database);
    int status = database ? report_sweep(&r) : report_replay(&r);
    free(command);
    return status;
}

static const struct command_example examples[] = {
    {"A sweep, with what changes between the best run and the first",
     "reprise sweep mm.wtr --machine jetson-tx2 -q --stalls -o swept.db \\\n"
     "        --vary scheduler=gto,lrr --vary l1.size=8K,24K\n"
     "reprise report swept.db -o swept.html"},
    {"Against another baseline, and small caches beside few cycles",
     "reprise report swept.db --baseline scheduler=lrr,l1.size=8K --pareto cycles,l1.size -o swept.html"},
    {"One replay", "reprise report mm.wtr --machine rtx2060 -o mm.html"},
    {"Bounds and the phases of warps",
     "reprise wcet one-block.wtr --machine orin-wcet --check gto,lrr --report bounds.html"},
    {NULL, NULL},
};
const struct command command_report = {
    .name = "report",
    .summary = "a sweep or a replay as one HTML file: plots, tables, provenance",
    .usage = "DB -o FILE\nTRACE --machine NAME -o FILE",
    .about =
        "Writes an HTML file that needs nothing else: it opens from a folder, without a network, in any current "
        "browser, "
        "and prints. Of a sweep it shows the cycles over each axis, a heat map over two, stalls, the Pareto front "
        "of two values, a roofline, all runs in a table to search and sort, and what changes between the baseline and "
        "the best run. Of a replay it shows the launches, stalls, source lines and all statistics. docs/report.md says "
        "how each is computed.",
    .options = rows,
    .examples = examples,
    .status =
        "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: the report is "
        "of what was replayed.",
    .option = report_option,
    .run = report_run,
};
