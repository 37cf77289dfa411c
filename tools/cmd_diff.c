/* reprise diff: one trace on several variants of a machine, side by side. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/input.h"
#include "tools/replaying.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"

#define MOST_AXES 16
#define MOST_VARIANTS 4096
#define MOST_LAUNCHES 12 /* shown one by one unless asked for */

/* One --vary: a key and its values. */
struct axis {
    const char *key;
    char **values;
    size_t count;
};

struct args {
    const char *trace;
    struct machine_args machine;
    struct axis axes[MOST_AXES];
    size_t axis_count;
    unsigned threads;
    int64_t launch;
    bool json, quiet, all_launches;
};

enum { KEY_LAUNCHES = 256 };

static const struct option_row rows[] = {
    {"machine", 'm', "NAME", "Machine to replay on: a name from 'reprise machine list', or a machine file"},
    {"vary", 'v', "KEY=A,B,C", "Replay with each of these values; repeated: with every combination"},
    {"set", 's', "KEY=VALUE",
     "Change an option of the machine in all variants, or of a scheduler in those that have it; may be repeated"},
    {"launch", 'l', "N", "Replay this launch only, counted from 0"},
    {"launches", KEY_LAUNCHES, NULL, "Show each launch, however many there are"},
    {"threads", 't', "N", "Replay N variants at once (0: one per CPU)"},
    {"json", 'j', NULL, "Print the results as JSON"},
    {"quiet", 'q', NULL, "No progress, no warnings"},
    {0},
};

static bool add_axis(struct args *a, char *text, struct rp_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return rp_fail(err, RP_USAGE, "--vary %s: give KEY=A,B,C, for example --vary scheduler=gto,lrr", text);
    for (size_t i = 0; i < a->axis_count; i++)
        if (!strncmp(a->axes[i].key, text, (size_t)(equals - text)) && !a->axes[i].key[equals - text])
            return rp_fail(err, RP_USAGE, "--vary %s: %s is varied twice; give all its values at once", text,
                           a->axes[i].key);
    if (a->axis_count == MOST_AXES)
        return rp_fail(err, RP_USAGE, "--vary %s: at most %d may be varied", text, MOST_AXES);
    struct axis *axis = &a->axes[a->axis_count];
    *equals = 0;
    axis->key = text;
    size_t values = 1;
    for (const char *c = equals + 1; *c; c++)
        values += *c == ',';
    if (!(axis->values = calloc(values, sizeof *axis->values)))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    a->axis_count++;
    for (char *next = equals + 1; next;)
        axis->values[axis->count++] = strsep(&next, ",");
    if (!strcmp(axis->key, "scheduler")) {
        a->machine.schedulers = (const char *const *)axis->values;
        a->machine.scheduler_count = axis->count;
    }
    return true;
}

static void diff_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    struct rp_error err;
    long long number = 0;
    switch (key) {
    case 'm': a->machine.machine = arg; break;
    case 'v': command_check(line, add_axis(a, arg, &err), &err); break;
    case 's': command_check(line, machine_args_set(&a->machine, arg, &err), &err); break;
    case 'j': a->json = true; break;
    case 'q': a->quiet = true; break;
    case KEY_LAUNCHES: a->all_launches = true; break;
    case 't': command_check(line, parse_threads(arg, &a->threads, &err), &err); break;
    case 'l':
        command_check(line, parse_number("--launch", arg, 0, UINT32_MAX, &number, &err), &err);
        a->launch = number;
        break;
    case KEY_ARGUMENT:
        if (a->trace)
            command_usage(line, "one trace at a time: '%s' is one too many", arg);
        a->trace = arg;
        break;
    case KEY_END:
        if (!a->trace || !a->machine.machine || !a->axis_count)
            command_usage(line, "give a trace, a machine and what to vary. Example: "
                                "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial");
    }
}

/* ---- variants --------------------------------------------------------------------------------------------------- */

struct variant {
    const char *values[MOST_AXES]; /* one per axis */
    struct machine *machine;
    struct replay_result result;
    struct rp_error error;
    bool fine;
};

struct diff {
    struct args *args;
    struct rp_trace *trace;
    struct variant *variants;
    size_t count;
    atomic_size_t next;
    pthread_mutex_t lock;
    uint64_t done, total; /* warp instructions of all variants */
    struct progress bar;
};

/* The last axis varies fastest. */
static bool make_variants(struct diff *d, struct rp_error *err)
{
    const struct args *a = d->args;
    d->count = 1;
    for (size_t i = 0; i < a->axis_count; i++) {
        d->count *= a->axes[i].count;
        if (d->count > MOST_VARIANTS)
            return rp_fail(err, RP_USAGE, "these are more than %d variants", MOST_VARIANTS);
    }
    d->variants = calloc(d->count, sizeof *d->variants);
    if (!d->variants)
        return rp_fail(err, RP_SYSTEM, "out of memory for the variants");
    for (size_t v = 0; v < d->count; v++) {
        struct machine_setting settings[MOST_AXES];
        size_t rest = v;
        for (size_t i = a->axis_count; i-- > 0; rest /= a->axes[i].count) {
            d->variants[v].values[i] = a->axes[i].values[rest % a->axes[i].count];
            settings[i] = (struct machine_setting){a->axes[i].key, d->variants[v].values[i]};
        }
        d->variants[v].machine = machine_args_open(&a->machine, settings, a->axis_count, err);
        if (!d->variants[v].machine)
            return false;
    }
    return true;
}

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

static void *work(void *data)
{
    struct diff *d = data;
    for (size_t v; (v = atomic_fetch_add(&d->next, 1)) < d->count;) {
        struct share share = {d, 0};
        struct replay_options options = {.launch = d->args->launch, .progress = add_progress, .progress_data = &share};
        struct variant *variant = &d->variants[v];
        variant->fine = replay(d->trace, variant->machine, &options, &variant->result, &variant->error);
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
    progress_begin(&d->bar, "replaying", "warp instructions", d->args->quiet);
    while (started + 1 < threads && started + 1 < d->count && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, work, d))
        started++;
    work(d);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    progress_end(&d->bar);
    for (size_t v = 0; v < d->count; v++)
        if (!d->variants[v].fine) {
            *err = d->variants[v].error;
            return false;
        }
    return true;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static double ratio(const struct statistics *s, const struct statistics *first)
{
    return first->cycles ? (double)s->cycles / (double)first->cycles : 1;
}

static int print_json(const struct diff *d)
{
    struct rp_error err;
    json_t *trace = trace_json(d->trace, &err);
    if (!trace)
        return command_fail(&err);
    json_t *variants = json_array();
    for (size_t v = 0; v < d->count; v++) {
        const struct variant *variant = &d->variants[v];
        json_t *varied = json_object(), *launches = json_array();
        for (size_t i = 0; i < d->args->axis_count; i++)
            json_put(varied, d->args->axes[i].key, json_string(variant->values[i]));
        for (uint32_t l = 0; l < variant->result.count; l++)
            json_add(launches, launch_json(d->trace, variant->machine, &variant->result.launches[l]));
        const struct statistics *total = &variant->result.total;
        json_add(variants,
                 json_pack("{s:o, s:o, s:f, s:s, s:o, s:o}", "varied", varied, "machine",
                           machine_json(variant->machine), "ratio", ratio(total, &d->variants[0].result.total),
                           "main_stall", stall_name(statistics_main_stall(total)), "launches", launches, "total",
                           statistics_json(variant->machine, total)));
    }
    return json_finish(
        json_pack("{s:s, s:o, s:o}", "tool", "reprise " REPRISE_VERSION, "trace", trace, "variants", variants));
}

static void variant_row(struct table *t, const struct diff *d, size_t v, const char *launch, const char *kernel,
                        const struct statistics *s, const struct statistics *first)
{
    table_cell(t, "%s", launch);
    table_cell(t, "%s", kernel);
    for (size_t i = 0; i < d->args->axis_count; i++)
        table_cell(t, "%s", d->variants[v].values[i]);
    table_number(t, s->cycles);
    table_cell(t, "%.3f", ratio(s, first));
    table_cell(t, "%.3f", statistics_ipc(s));
    table_cell(t, "%s", stall_name(statistics_main_stall(s)));
}

static int print_text(const struct diff *d)
{
    const struct replay_result *first = &d->variants[0].result;
    bool each = d->args->all_launches || first->count <= MOST_LAUNCHES;
    char columns[MOST_AXES + 8] = "rl";
    for (size_t i = 0; i < d->args->axis_count; i++)
        strcat(columns, "l");
    struct table *t = table_new(strcat(columns, "rrrl"));
    table_cell(t, "launch");
    table_cell(t, "kernel");
    for (size_t i = 0; i < d->args->axis_count; i++)
        table_cell(t, "%s", d->args->axes[i].key);
    static const char *const heading[] = {"cycles", "ratio", "IPC", "main stall"};
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    for (uint32_t l = 0; each && l < first->count; l++) {
        const struct rp_launch *launch = rp_trace_launch(d->trace, first->launches[l].launch);
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32, first->launches[l].launch);
        for (size_t v = 0; v < d->count; v++)
            variant_row(t, d, v, v ? "" : name, v ? "" : rp_trace_kernel(d->trace, launch->kernel)->name,
                        &d->variants[v].result.launches[l].statistics, &first->launches[l].statistics);
    }
    for (size_t v = 0; first->count != 1 && v < d->count; v++)
        variant_row(t, d, v, v ? "" : "total", "", &d->variants[v].result.total, &first->total);
    printf("%s on %s\n\n", rp_trace_path(d->trace), d->variants[0].machine->name);
    table_print(t, stdout);
    if (!each)
        puts("\nSums over all launches; --launches shows each.");
    return RP_OK;
}

static int run(struct diff *d)
{
    struct rp_error err;
    if (!make_variants(d, &err))
        return command_fail(&err);
    if (!input_check(d->args->trace, INPUT_TRACE, &err) || !(d->trace = rp_trace_open(d->args->trace, &err)))
        return command_fail(&err);
    if (rp_trace_damage(d->trace) && !d->args->quiet)
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(d->trace));
    if (!replay_all(d, &err))
        return command_fail(&err);
    if (!d->args->quiet)
        print_warnings(&d->variants[0].result);
    int status = d->args->json ? print_json(d) : print_text(d);
    return status == RP_OK ? replay_status(d->trace, &d->variants[0].result) : status;
}

static int diff_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args a = {.launch = -1};
    command_parse(&line, c, argc, argv, &a);
    a.machine.late_option = "--vary";
    a.machine.late = a.machine.count;
    struct diff d = {.args = &a, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = run(&d);
    for (size_t v = 0; d.variants && v < d.count; v++) {
        replay_result_free(&d.variants[v].result);
        machine_free(d.variants[v].machine);
    }
    free(d.variants);
    if (d.trace)
        rp_trace_close(d.trace);
    for (size_t i = 0; i < a.axis_count; i++)
        free(a.axes[i].values);
    return status;
}

static const struct command_example examples[] = {
    {"Three schedulers", "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial"},
    {"Every combination", "reprise diff mm.wtr --machine jetson-tx2 --vary l1=none,direct-mapped \\\n        --vary "
                          "dram.latency=100,200,400"},
    {NULL, NULL},
};
const struct command command_diff = {
    .name = "diff",
    .summary = "replay a trace on variants of a machine, side by side",
    .usage = "TRACE --machine NAME --vary KEY=A,B,C",
    .about = "Replays a trace on variants of a machine and compares them. Ratios are to the first.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = diff_option,
    .run = diff_run,
};
