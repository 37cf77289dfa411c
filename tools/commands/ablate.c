/* reprise ablate: what each part of a machine is worth, over many launches. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/ablate/steps.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/names.h"
#include "tools/replaying/options.h"
#include "tools/replaying/timeless.h"
#include "tools/results/cache.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

#define EXAMPLE "reprise ablate mm.wtr --machine jetson-tx2"

struct args {
    char **traces;
    size_t trace_count;
    struct machine_args machine;
    struct steps steps;
    const char *cache;
    bool own_steps, alone, launches, json, csv, quiet;
    unsigned threads;
};

enum { KEY_STEP = 256, KEY_ALONE, KEY_LAUNCHES };

static const struct option_row rows[] = {
    ROWS_MACHINE("The machine with all its parts", ""),
    {"step", KEY_STEP, "NAME:KEY=VALUE,...", "A step, instead of those of the paper; repeated: one after the other"},
    {"alone", KEY_ALONE, NULL, "Take each step by itself, against the whole machine, not after those before it"},
    {"launches", KEY_LAUNCHES, NULL, "Print the cycles of each launch after each step, too"},
    ROW_THREADS("Replay N machines at once", ""),
    ROW_CSV("the table of steps, or of --launches,", ""),
    ROW_JSON(""),
    ROW_CACHE(""),
    ROW_QUIET(NO_WARNINGS),
    {0},
};

static void ablate_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    struct rp_error err;
    const struct shared_values shared = {.machine = &a->machine,
                                         .threads = &a->threads,
                                         .json = &a->json,
                                         .csv = &a->csv,
                                         .cache = &a->cache,
                                         .quiet = &a->quiet};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_ALONE: a->alone = true; break;
    case KEY_LAUNCHES: a->launches = true; break;
    case KEY_STEP:
        a->own_steps = true;
        command_check(line, steps_add(&a->steps, arg, &err), &err);
        break;
    case KEY_END:
        a->traces = line->arguments;
        a->trace_count = line->argument_count;
        command_needs(line, a->trace_count ? a->traces[0] : NULL, a->machine.machine, EXAMPLE);
        if (!a->own_steps)
            steps_of_paper(&a->steps);
    }
}

/* ---- replays ------------------------------------------------------------------------------------------------------
 */

/* A machine, with some of the steps taken. */
struct stage {
    struct machine *machine;
    struct result *results; /* [traces] */
    size_t same;            /* the first stage with the same machine: itself, or one that is replayed for both */
};

struct ablation {
    struct args *args;
    struct rp_trace **traces;
    struct stage stages[MOST_STEPS + 1];
    size_t count; /* stages: steps, and the machine itself */
    atomic_size_t next;
    struct result_cache cache;
    pthread_mutex_t lock;
    bool failed;
    struct rp_error error;
    uint64_t done, total; /* warp instructions */
    struct progress bar;
};

/* The stage that a step is compared with. */
static size_t before(const struct ablation *a, size_t stage) { return a->args->alone ? 0 : stage - 1; }

static bool make_stages(struct ablation *a, struct rp_error *err)
{
    for (; a->count <= a->args->steps.count; a->count++) {
        struct stage *s = &a->stages[a->count];
        s->same = a->count;
        s->results = calloc(a->args->trace_count, sizeof *s->results);
        s->machine = steps_machine(&a->args->steps, a->count, a->args->alone, &a->args->machine, err);
        if (!s->results || !s->machine)
            return s->results ? false : rp_fail(err, RP_SYSTEM, "out of memory");
        while (s->same && strcmp(a->stages[s->same - 1].machine->text, s->machine->text))
            s->same--;
        s->same = s->same ? a->stages[s->same - 1].same : a->count;
    }
    return true;
}

static bool open_traces(struct ablation *a, struct rp_error *err)
{
    if (!(a->traces = calloc(a->args->trace_count, sizeof *a->traces)))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (size_t i = 0; i < a->args->trace_count; i++) {
        const char *path = a->args->traces[i];
        if (!input_check(path, INPUT_TRACE, err) || !(a->traces[i] = rp_trace_open(path, err)))
            return false;
        if (rp_trace_damage(a->traces[i]) && !a->args->quiet)
            fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(a->traces[i]));
        for (uint32_t l = 0; l < rp_trace_launch_count(a->traces[i]); l++)
            for (size_t s = 0; s < a->count; s++)
                a->total += a->stages[s].same == s ? rp_trace_launch_totals(a->traces[i], l).warp_instructions : 0;
    }
    return true;
}

struct share {
    struct ablation *ablation;
    uint64_t reported;
};

static void add_progress(void *data, uint64_t done, uint64_t total)
{
    struct share *share = data;
    struct ablation *a = share->ablation;
    (void)total;
    pthread_mutex_lock(&a->lock);
    a->done += done - share->reported;
    share->reported = done;
    progress_update(&a->bar, a->done, a->total, a->done, "warp instructions");
    pthread_mutex_unlock(&a->lock);
}

static void replay_one(struct ablation *a, size_t stage, size_t trace)
{
    struct share share = {a, 0};
    struct rp_error err;
    struct stage *s = &a->stages[stage];
    struct replay_options options = {.launch = -1, .progress = add_progress, .progress_data = &share};
    if (result_get(&a->cache, a->traces[trace], s->machine, &options, &s->results[trace], &err))
        return;
    pthread_mutex_lock(&a->lock);
    if (!a->failed)
        rp_fail(&a->error, err.status, "%s", err.text);
    a->failed = true;
    pthread_mutex_unlock(&a->lock);
}

static void *work(void *data)
{
    struct ablation *a = data;
    size_t traces = a->args->trace_count;
    for (size_t i; (i = atomic_fetch_add(&a->next, 1)) < a->count * traces;)
        if (a->stages[i / traces].same == i / traces)
            replay_one(a, i / traces, i % traces);
    return NULL;
}

static bool replay_all(struct ablation *a, struct rp_error *err)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = a->args->threads ? a->args->threads : cpus > 0 ? (size_t)cpus : 1, started = 0;
    pthread_t helpers[64];
    result_cache_begin(&a->cache, a->args->cache, a->args->quiet);
    progress_begin(&a->bar, "replaying", "warp instructions", a->args->quiet);
    while (started + 1 < threads && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, work, a))
        started++;
    work(a);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    progress_end(&a->bar);
    result_cache_end(&a->cache);
    if (a->failed)
        *err = a->error;
    return !a->failed;
}

/* ---- what comes of it ----------------------------------------------------------------------------------------------
 */

/* Over all launches: cycles before a step, in per cent of those after it. */
struct summary {
    uint64_t launches;
    double mean, deviation, least, greatest; /* deviation: of a sample */
};

static const struct launch_log *log_of(const struct ablation *a, size_t stage, size_t trace)
{
    return &a->stages[a->stages[stage].same].results[trace].launches;
}

static void add(struct summary *s, double *squares, double percent)
{
    double from_mean = percent - s->mean;
    s->least = !s->launches || percent < s->least ? percent : s->least;
    s->greatest = !s->launches || percent > s->greatest ? percent : s->greatest;
    s->mean += from_mean / (double)++s->launches;
    *squares += from_mean * (percent - s->mean);
}

static struct summary summarise(const struct ablation *a, size_t stage)
{
    struct summary s = {0};
    double squares = 0;
    for (size_t t = 0; t < a->args->trace_count; t++) {
        struct launch_reader from = launch_log_read(log_of(a, before(a, stage), t));
        struct launch_reader to = launch_log_read(log_of(a, stage, t));
        struct replay_launch b, c;
        while (launch_log_next(&from, &b) && launch_log_next(&to, &c))
            if (c.statistics.cycles)
                add(&s, &squares, 100 * (double)b.statistics.cycles / (double)c.statistics.cycles);
    }
    s.deviation = s.launches > 1 ? sqrt(squares / (double)(s.launches - 1)) : 0;
    return s;
}

static const char *stage_name(const struct ablation *a, size_t stage)
{
    return stage ? a->args->steps.list[stage - 1].name : "baseline";
}

/* Whether the step changed nothing of the machine. */
static bool idle(const struct ablation *a, size_t stage)
{
    return a->stages[stage].same == a->stages[before(a, stage)].same;
}

static struct table *step_table(const struct ablation *a)
{
    static const char *const heading[] = {"step", "against", "launches", "mean", "deviation", "least", "greatest"};
    struct table *t = table_new("llrrrrr");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (size_t i = 1; i < a->count; i++) {
        struct summary s = summarise(a, i);
        const double figures[] = {s.mean, s.deviation, s.least, s.greatest};
        table_cell(t, "%s", stage_name(a, i));
        table_cell(t, "%s", stage_name(a, before(a, i)));
        table_number(t, s.launches);
        for (size_t f = 0; f < MODEL_COUNT_OF(figures); f++)
            table_cell(t, idle(a, i) || !s.launches ? "-" : "%.2f %%", figures[f]);
    }
    return t;
}

/* The cycles of each launch, a column for each machine. */
static struct table *launch_table(const struct ablation *a)
{
    char columns[4 + MOST_STEPS + 1] = "lrn";
    for (size_t i = 0; i < a->count; i++)
        strcat(columns, "r");
    struct table *t = table_new(columns);
    table_cell(t, "trace");
    table_cell(t, "launch");
    table_cell(t, "kernel");
    for (size_t i = 0; i < a->count; i++)
        table_cell(t, "%s", stage_name(a, i));
    for (size_t n = 0; n < a->args->trace_count; n++) {
        struct launch_reader readers[MOST_STEPS + 1];
        for (size_t i = 0; i < a->count; i++)
            readers[i] = launch_log_read(log_of(a, i, n));
        for (uint32_t l = 0; l < log_of(a, 0, n)->count; l++) {
            struct replay_launch launch;
            for (size_t i = 0; i < a->count && launch_log_next(&readers[i], &launch); i++) {
                char plain[PLAIN_NAME];
                const char *kernel =
                    rp_trace_kernel(a->traces[n], rp_trace_launch(a->traces[n], launch.launch)->kernel)->name;
                if (!i) {
                    table_cell(t, "%s", a->args->traces[n]);
                    table_cell(t, "%" PRIu32, launch.launch);
                    table_cell(t, "%s", a->args->csv ? kernel : plain_kernel_name(kernel, plain));
                }
                table_number(t, launch.statistics.cycles);
            }
        }
    }
    return t;
}

static void print_text(const struct ablation *a)
{
    uint64_t unchanged = 0;
    printf("%zu trace%s on %s: cycles before a step, in per cent of those after it\n\n", a->args->trace_count,
           rp_plural(a->args->trace_count), a->stages[0].machine->name);
    if (a->args->launches) {
        table_print(launch_table(a), stdout);
        puts("");
    }
    table_print(step_table(a), stdout);
    for (size_t i = 1; i < a->count; i++)
        unchanged += idle(a, i);
    if (unchanged)
        puts("\nA step without figures changes nothing on this machine.");
}

/* ---- JSON ----------------------------------------------------------------------------------------------------------
 */

static json_t *settings_json(const struct step *s)
{
    json_t *out = json_object();
    for (size_t i = 0; i < s->count; i++)
        json_put(out, s->settings[i].key, option_json(s->settings[i].value));
    return out;
}

static json_t *step_json(const struct ablation *a, size_t stage)
{
    struct summary s = summarise(a, stage);
    json_t *out = json_pack("{s:s, s:s, s:o, s:b, s:o}", "step", stage_name(a, stage), "against",
                            stage_name(a, before(a, stage)), "set", settings_json(&a->args->steps.list[stage - 1]),
                            "changes", !idle(a, stage), "launches", json_number(s.launches));
    if (out && s.launches) {
        json_put(out, "mean", json_real(s.mean));
        json_put(out, "deviation", json_real(s.deviation));
        json_put(out, "least", json_real(s.least));
        json_put(out, "greatest", json_real(s.greatest));
    }
    return out;
}

static void cycles_json(struct json_stream *out, const struct ablation *a, size_t stage)
{
    json_open(out, NULL, '{');
    json_part(out, "stage", json_string(stage_name(a, stage)));
    json_part(out, "machine", machine_json(a->stages[stage].machine));
    json_open(out, "cycles", '[');
    for (size_t t = 0; t < a->args->trace_count; t++) {
        struct launch_reader r = launch_log_read(log_of(a, stage, t));
        json_t *list = json_array();
        for (struct replay_launch l; launch_log_next(&r, &l);)
            json_add(list, json_number(l.statistics.cycles));
        json_part(out, NULL, list);
    }
    json_close(out, ']');
    json_close(out, '}');
}

static int print_json(const struct ablation *a)
{
    struct rp_error err;
    struct json_stream out = {0};
    json_t *traces = json_array();
    for (size_t t = 0; t < a->args->trace_count; t++) {
        json_t *one = trace_json(a->traces[t], &err);
        if (!one) {
            json_decref(traces);
            return command_fail(&err);
        }
        json_add(traces, one);
    }
    json_open(&out, NULL, '{');
    json_part(&out, "tool", json_string("reprise " REPRISE_VERSION));
    json_part(&out, "traces", traces);
    json_open(&out, "steps", '[');
    for (size_t i = 1; i < a->count; i++)
        json_part(&out, NULL, step_json(a, i));
    json_close(&out, ']');
    json_open(&out, "stages", '[');
    for (size_t i = 0; i < a->count; i++)
        cycles_json(&out, a, i);
    json_close(&out, ']');
    json_close(&out, '}');
    return json_stream_end(&out);
}

/* ---- the command ---------------------------------------------------------------------------------------------------
 */

static int print_results(const struct ablation *a)
{
    int status = RP_OK;
    unsigned told = 0;
    for (size_t s = 0; s < a->count && !a->args->quiet; s++)
        timeless_warn(a->stages[s].machine, &told);
    for (size_t t = 0; t < a->args->trace_count; t++) {
        if (!a->args->quiet)
            print_warnings(log_of(a, 0, t));
        int one = replay_status(a->traces[t], log_of(a, 0, t));
        status = one == RP_OK ? status : one;
    }
    if (a->args->json) {
        int printed = print_json(a);
        return printed == RP_OK ? status : printed;
    }
    if (a->args->csv)
        table_print_csv(a->args->launches ? launch_table(a) : step_table(a), stdout);
    else
        print_text(a);
    return status;
}

static int ablate_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args args = {0};
    command_parse(&line, c, argc, argv, &args);
    struct ablation a = {.args = &args, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct rp_error err;
    bool fine = make_stages(&a, &err) && open_traces(&a, &err) && replay_all(&a, &err);
    int status = fine ? print_results(&a) : command_fail(&err);
    for (size_t i = 0; i <= args.steps.count && i <= MOST_STEPS; i++) {
        for (size_t t = 0; a.stages[i].results && t < args.trace_count; t++)
            result_free(&a.stages[i].results[t]);
        free(a.stages[i].results);
        machine_free(a.stages[i].machine);
    }
    for (size_t t = 0; a.traces && t < args.trace_count; t++)
        if (a.traces[t])
            rp_trace_close(a.traces[t]);
    free(a.traces);
    steps_free(&args.steps);
    return status;
}

static const struct command_example examples[] = {
    {"The steps of the paper on a Jetson TX2", "reprise ablate mm.wtr --machine jetson-tx2"},
    {"Over several traces, for a table of one's own",
     "reprise ablate *.wtr --machine jetson-tx2 --step 'no L1:l1=none' \\\n"
     "        --step 'DRAM twice as far:dram.latency=200' --csv"},
    {"What each part is worth by itself, launch by launch",
     "reprise ablate mm.wtr --machine jetson-tx2 --alone --launches"},
    {"Again, with what was replayed before", "reprise ablate mm.wtr --machine jetson-tx2 --alone --cache results"},
    {NULL, NULL},
};
const struct command command_ablate = {
    .name = "ablate",
    .summary = "take a machine's parts away, one after the other: what each is worth",
    .usage = "TRACE... --machine NAME",
    .about =
        "Replays traces on a machine, then without some of its parts, or with ideal ones, step by step: a perfect "
        "instruction cache; one sub-core instead of all; one instruction a cycle; no data caches; all accesses of a "
        "warp "
        "coalesced. These are the steps of \"Bounding the WCET of a GPU Thread Block with a Multi-Phase Representation "
        "of Warps Execution\" (ECRTS 2025), Table 2; --step gives others.\n"
        "For each launch the cycles before a step are divided by those after it. Printed are the mean of these "
        "quotients in per cent, their standard deviation, the least and the greatest. More than 100 % means that the "
        "step made launches faster.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 a trace is not whole: it was "
              "replayed as far as it goes.",
    .option = ablate_option,
    .run = ablate_run,
};
