/* reprise sweep: traces on many machines, into a database. */
#include <signal.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/replaying/options.h"
#include "tools/replaying/sampling.h"
#include "tools/sweep/sweep.h"

#define EXAMPLE "reprise sweep mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr -o r.db"

enum {
    KEY_EXCLUDE = 256,
    KEY_SEED_OF,
    KEY_ENGINE,
    KEY_SAMPLE,
    KEY_BATCHES_OF,
    KEY_CONFIDENCE_OF,
    KEY_WIDTH_OF,
    KEY_LAUNCHES,
    KEY_STALLS,
    KEY_DRY_RUN,
    KEY_SHARD,
    KEY_WAIT,
    KEY_SLURM,
    KEY_ARRAY
};

static const struct option_row rows[] = {
    {"machine", 'm', "A,B,C", "Machines to replay on: names from 'reprise machine list', or machine files"},
    ROW_SET("Change", " in all variants, or of a scheduler in those that have it"),
    {"vary", 'v', "KEY=A,B,C", "Replay " AXES_HELP},
    {"exclude", KEY_EXCLUDE, "CONDITION",
     "Leave out what fulfils KEY=VALUE, or several joined by 'and'; there are = != < <= > >=, and the value may be "
     "another key. KEY is one that varies, machine, or trace. May be repeated"},
    ROW_LAUNCH("Replay"),
    {"seed", KEY_SEED_OF, "N", "Of chance: the same seed gives the same replays (1)"},
    ROW_SAMPLE(KEY_SAMPLE),
    {"batches", KEY_BATCHES_OF, "MIN..MAX",
     "Replay machines that have chance in them so often, or N times, until the mean of the cycles is known; means are "
     "kept"},
    {"confidence", KEY_CONFIDENCE_OF, "P", "With --batches: of the intervals of means (0.95)"},
    {"width", KEY_WIDTH_OF, "X",
     "With --batches: stop once half the interval is at most X times the mean cycles (0.1)"},
    {"engine", KEY_ENGINE, "fast|reference", "fast (default), or reference: steps every cycle, same result"},
    {"launches", KEY_LAUNCHES, NULL, "Keep all statistics of each launch, not only when it begins and ends"},
    {"stalls", KEY_STALLS, NULL, "Keep what each instruction waited for, where the machine reports it"},
    ROW_OUTPUT("DB", "The database of results; made if it is not there"),
    ROW_THREADS("Replay N runs at once", ""),
    {"shard", KEY_SHARD, "I/N", "Of N equal parts of the runs the one with this number, counted from 0"},
    {"slurm", KEY_SLURM, "[OPTIONS]",
     "Have the runs carried out by a Slurm job array; OPTIONS go to sbatch, as in --slurm='--partition=long --mem=4G'"},
    {"array", KEY_ARRAY, "N", "With --slurm: in N shards, each a task of the array with a database of its own"},
    {"wait", KEY_WAIT, "SECONDS", "Wait so long for a program that has the database locked (60)"},
    {"dry-run", KEY_DRY_RUN, NULL, "Say what would be done, and how long it takes"},
    ROW_QUIET(NO_SUMMARY),
    {0},
};

/* "I/N". */
static void shard(struct command_line *line, struct sweep_args *a, const char *text)
{
    struct rp_error err;
    long long number, of;
    char first[24];
    const char *slash = strchr(text, '/');
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "/"), text);
    if (!slash || !parse_number("", slash + 1, 1, UINT32_MAX, &of, &err) ||
        !parse_number("", first, 0, of - 1, &number, &err))
        command_usage(line, "--shard %s: give I/N, I from 0 to N - 1, for example 0/8 for the first of eight", text);
    a->shard = (uint32_t)number;
    a->shards = (uint32_t)of;
}

/* A file whose name ends in ".cfg" is a plan, all else a trace. */
static bool add_argument(struct sweep_plan *plan, const char *name, struct rp_error *err)
{
    size_t n = strlen(name);
    bool is_plan = n > 4 && !strcmp(name + n - 4, ".cfg");
    return is_plan ? sweep_plan_read(plan, name, err) : sweep_plan_add(plan, "trace", name, err);
}

static void end(struct command_line *line, struct sweep_args *a)
{
    struct rp_error err;
    command_check(line, sweep_plan_finish(&a->plan, &err), &err);
    if (!a->output && !a->dry_run)
        command_usage(line,
                      "where shall the results go? Name a database with -o, or give --dry-run. Example: " EXAMPLE);
    if (!a->slurm != !a->array)
        command_usage(line, "--slurm and --array go together; for example --slurm --array 64");
    if (a->array && a->shards > 1)
        command_usage(line, "--shard beside --array: the tasks of the array are the shards");
}

static void sweep_option(struct command_line *line, int key, char *arg)
{
    static const struct {
        int key;
        const char *name;
    } of_plan[] = {{'m', "machine"},
                   {'s', "set"},
                   {'v', "vary"},
                   {KEY_EXCLUDE, "exclude"},
                   {'l', "launch"},
                   {KEY_SEED_OF, "seed"},
                   {KEY_ENGINE, "engine"},
                   {KEY_LAUNCHES, "launches"},
                   {KEY_STALLS, "stalls"},
                   {KEY_SAMPLE, "sample"},
                   {KEY_BATCHES_OF, "batches"},
                   {KEY_CONFIDENCE_OF, "confidence"},
                   {KEY_WIDTH_OF, "width"}};
    struct sweep_args *a = line->input;
    struct rp_error err;
    long long number;
    for (size_t i = 0; i < MODEL_COUNT_OF(of_plan); i++)
        if (of_plan[i].key == key) {
            command_check(line, sweep_plan_add(&a->plan, of_plan[i].name, arg, &err), &err);
            return;
        }
    switch (key) {
    case KEY_ARGUMENT: command_check(line, add_argument(&a->plan, arg, &err), &err); break;
    case 'o': a->output = arg; break;
    case 't':
        command_check(line, parse_threads(arg, &a->threads, &err), &err);
        a->threads_given = true;
        break;
    case KEY_SLURM:
        a->slurm = true;
        a->slurm_options = arg;
        break;
    case KEY_ARRAY:
        command_check(line, parse_number("--array", arg, 1, 1000000, &number, &err), &err);
        a->array = (uint32_t)number;
        break;
    case KEY_SHARD: shard(line, a, arg); break;
    case KEY_WAIT:
        command_check(line, parse_number("--wait", arg, 0, 1000000, &number, &err), &err);
        a->wait = (unsigned)number;
        break;
    case KEY_DRY_RUN: a->dry_run = true; break;
    case 'q': a->quiet = true; break;
    case KEY_END: end(line, a); break;
    }
}

static int run(struct sweep *s)
{
    struct rp_error err;
    if (!sweep_prepare(s, &err))
        return command_fail(&err);
    if (!s->args->quiet || s->args->dry_run)
        sweep_print_plan(s);
    return s->args->dry_run ? RP_OK : s->args->array ? sweep_submit(s) : sweep_run(s);
}

static int sweep_command(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct rp_error unused;
    struct sweep_args a = {.plan = SWEEP_PLAN, .wait = 60, .shards = 1};
    parse_threads("0", &a.threads, &unused);
    command_parse(&line, c, argc, argv, &a);
    struct sweep s = {.args = &a};
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of writing it */
    int status = run(&s);
    sweep_free(&s);
    sweep_plan_free(&a.plan);
    return status;
}

static const struct command_example examples[] = {
    {"Two axes into a database; the same command again goes on where it was stopped",
     EXAMPLE " \\\n"
             "        --vary l1.size=8K..32K:x2"},
    {"How many runs would that be, and how long do they take?",
     "reprise sweep mm.wtr --machine jetson-tx2,orin-wcet --vary dram.latency=100..400:+100 --dry-run"},
    {"Options that change together, and combinations that are left out",
     "reprise sweep mm.wtr --machine jetson-tx2 -o r.db --vary scheduler=gto,lrr,serial \\\n"
     "        --vary 'subcores=1,2 with l1_subcores=1,2 with icache_subcores=1,2' \\\n"
     "        --exclude 'subcores=1 and scheduler=serial'"},
    {"What each instruction waits for, too", EXAMPLE " --stalls"},
    {"Estimates within 2 %, from a part of the launches and blocks", EXAMPLE " --sample 2%@95%"},
    {"Means of machines that have chance in them",
     "reprise sweep mm.wtr --machine san-rtx2080 --vary memory.cost.dram=400,600 \\\n"
     "        --batches 100..1000 -o r.db"},
    {NULL, NULL},
};
const struct command command_sweep = {
    .name = "sweep",
    .summary = "replay traces on many machines, into a database",
    .usage = "TRACE... --machine NAME,... --vary KEY=A,B,C -o DB\nPLAN.cfg -o DB",
    .about = "Replays each trace on each machine with every combination of values, and keeps each result in an SQLite "
             "database as soon as it is there. A run that is in the database is not repeated, so the same command goes "
             "on where it was stopped, however that was. Values that do not go together are kept with the reason.\n"
             "A plan is a file in libconfig's syntax with the options by name: trace = [\"mm.wtr\"]; machine = "
             "\"jetson-tx2\"; vary = [\"scheduler=gto,lrr\"]; set, exclude, launch, seed, sample, batches, confidence, "
             "width, engine, "
             "launches and stalls. "
             "'reprise results' reads the database; docs/sweep.md describes its tables.",
    .options = rows,
    .examples = examples,
    .status =
        "Exit status: 0 all runs are in the database, those that failed with the reason; 1 wrong usage, 2 bad input, "
        "4 the system failed: runs are missing, and the same command tries them again.",
    .option = sweep_option,
    .run = sweep_command,
};
