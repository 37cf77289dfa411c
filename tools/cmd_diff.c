/* reprise diff: one trace on several variants of a machine, side by side. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/diff/axes.h"
#include "tools/diff/batches.h"
#include "tools/hotspots/hotspots.h"
#include "tools/input.h"
#include "tools/names.h"
#include "tools/replaying.h"
#include "tools/shares.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"

#define EXAMPLE "reprise diff mm.wtr --machine jetson-tx2 --vary scheduler=gto,lrr,serial"
#define MOST_LAUNCHES 12 /* shown one by one unless asked for */

struct args {
    const char *trace;
    struct repeat_args repeat;
    struct machine_args machine;
    struct axes axes;
    unsigned threads;
    int64_t launch;
    char *baseline; /* NULL: the first variant */
    const char *by; /* NULL: launches, not places */
    enum place_kind kind;
    long long top; /* -1: as many as fit the output; 0: all */
    bool json, csv, quiet, all_launches, by_cycles;
};

enum { KEY_LAUNCHES = 256, KEY_BASELINE, KEY_SORT, KEY_CSV, KEY_BY, KEY_TOP };

static const struct option_row rows[] = {
    {"machine", 'm', "NAME", "Machine to replay on: a name from 'reprise machine list', or a machine file"},
    {"vary", 'v', "KEY=A,B,C",
     "Replay with each of these values, or of a range such as 1..4; repeated: with every combination. "
     "KEY,KEY=A,A:B,B changes several keys together; machine=A,B replays on several machines. Slashes part the numbers "
     "of a list: 0.3/0.6/0.1,1/0/0. An option that only some models have varies where its part has it"},
    {"set", 's', "KEY=VALUE",
     "Change an option of the machine in all variants, or of a scheduler in those that have it; may be repeated"},
    {"launch", 'l', "N", "Replay this launch only, counted from 0"},
    {"launches", KEY_LAUNCHES, NULL, "Show each launch, however many there are"},
    {"threads", 't', "N", "Replay N variants at once (0: one per CPU)"},
    {"baseline", KEY_BASELINE, "KEY=A[,KEY=B]", "Ratios are to the variant with these values (the first)"},
    {"sort", KEY_SORT, "cycles", "Fewest cycles first"},
    {"by", KEY_BY, "instruction|line|function",
     "Say where variants gain or lose against the first: the largest changes first; they add up to the whole"},
    {"top", KEY_TOP, "N", "With --by: the N largest changes, and the others as one (20, in CSV and JSON all; 0: all)"},
    REPEAT_ROWS,
    {"csv", KEY_CSV, NULL, "Print the table as comma-separated values"},
    {"json", 'j', NULL, "Print the results as JSON"},
    {"quiet", 'q', NULL, "No progress, no warnings"},
    {0},
};

#define MACHINE "machine" /* the key that is no option of a machine, but which one it is */

/* NULL: that is not varied. */
static const char *varied_machine(const struct axes *axes)
{
    const char *values[MOST_KEYS];
    if (axes->key_count)
        axes_values(axes, 0, values);
    for (size_t i = 0; i < axes->key_count; i++)
        if (!strcmp(axes->keys[i], MACHINE))
            return values[i];
    return NULL;
}

static void diff_option(struct command_line *line, int key, char *arg)
{
    struct args *a = line->input;
    struct rp_error err;
    long long number = 0;
    switch (key) {
    case 'm': a->machine.machine = arg; break;
    case 'v': command_check(line, axes_add(&a->axes, arg, &err), &err); break;
    case 's': command_check(line, machine_args_set(&a->machine, arg, &err), &err); break;
    case 'j': a->json = true; break;
    case 'q': a->quiet = true; break;
    case KEY_LAUNCHES: a->all_launches = true; break;
    case KEY_CSV: a->csv = true; break;
    case KEY_BY:
        a->by = arg;
        command_check(line, place_kind(arg, false, &a->kind, &err), &err);
        break;
    case KEY_TOP: command_check(line, parse_number("--top", arg, 0, INT64_MAX, &a->top, &err), &err); break;
    case KEY_BASELINE: a->baseline = arg; break;
    case KEY_SORT:
        a->by_cycles = true;
        if (strcmp(arg, "cycles"))
            command_usage(line, "--sort %s: rows are sorted by cycles, or not at all", arg);
        break;
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
        a->machine.machine = a->machine.machine ? a->machine.machine : varied_machine(&a->axes);
        command_needs(line, a->trace, a->machine.machine, EXAMPLE);
        if (a->top >= 0 && !a->by)
            command_usage(line, "--top counts what --by lists; for example --by line --top %lld", a->top);
        if (!a->axes.count)
            command_usage(line, "what shall vary? 'reprise machine options' lists all keys. Example: " EXAMPLE);
    }
}

/* ---- variants --------------------------------------------------------------------------------------------------- */

struct variant {
    const char *values[MOST_KEYS]; /* one per key; NULL: the part has no such option in this variant */
    struct machine *machine;       /* NULL: these values do not go together */
    struct launch_log launches;
    struct statistics total;
    struct hotspots hotspots; /* with --by */
    struct rp_error error;
    bool fine;
};

struct diff {
    struct args *args;
    struct rp_trace *trace;
    struct variant *variants;
    size_t count, baseline;
    struct places *places; /* with --by */
    struct source_files *files;
    atomic_size_t next;
    pthread_mutex_t lock;
    uint64_t done, total; /* warp instructions of all variants */
    struct progress bar;
};

/* A variant whose values do not go together is a row with the reason; false: a value is wrong in itself. */
static bool make_variant(struct diff *d, size_t number, struct variant *v, struct rp_error *err)
{
    struct args *a = d->args;
    size_t keys = a->axes.key_count;
    struct machine_setting settings[MOST_KEYS];
    bool left_out[2 * MOST_SETTINGS] = {false}, inconsistent = false;
    axes_values(&a->axes, number, v->values);
    size_t set = 0, place[MOST_KEYS];
    struct machine_args machine = a->machine;
    for (size_t i = 0; i < keys; i++) {
        if (!strcmp(a->axes.keys[i], MACHINE)) {
            machine.machine = v->values[i];
            continue;
        }
        place[set] = i;
        settings[set++] = (struct machine_setting){a->axes.keys[i], v->values[i]};
    }
    machine.left_out = left_out;
    machine.inconsistent = &inconsistent;
    v->machine = machine_args_open(&machine, settings, set, &v->error);
    if (!v->machine && !inconsistent) {
        *err = v->error;
        return false;
    }
    for (size_t i = 0; i < set; i++)
        if (left_out[a->machine.late + i])
            v->values[place[i]] = NULL;
    return true;
}

static bool same_values(const struct variant *a, const struct variant *b, size_t keys)
{
    for (size_t i = 0; i < keys; i++)
        if (!a->values[i] != !b->values[i] || (a->values[i] && strcmp(a->values[i], b->values[i])))
            return false;
    return true;
}

/* Of variants that differ only in options that were left out, one. */
static bool made_before(const struct diff *d, const struct variant *v)
{
    for (size_t i = 0; i < d->count; i++)
        if (same_values(&d->variants[i], v, d->args->axes.key_count))
            return true;
    return false;
}

/* A variant's machine again, with the probabilities that memory.from asks for. */
static bool resolve_shares(struct diff *d, struct variant *v, struct rp_error *err)
{
    struct machine_setting settings[MOST_KEYS];
    struct machine_args machine = d->args->machine;
    struct shares shares;
    size_t set = 0;
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        if (v->values[i] && !strcmp(d->args->axes.keys[i], MACHINE))
            machine.machine = v->values[i];
        else if (v->values[i])
            settings[set++] = (struct machine_setting){d->args->axes.keys[i], v->values[i]};
    struct machine *m =
        shares_machine_open(&machine, settings, set, d->trace, d->args->launch, d->args->threads, &shares, err);
    if (!m)
        return false;
    machine_free(v->machine);
    v->machine = m;
    return true;
}

static bool resolve_all_shares(struct diff *d, struct rp_error *err)
{
    for (size_t v = 0; v < d->count; v++) {
        struct stochastic drawn = {.from = ""};
        if (d->variants[v].machine && machine_draws(d->variants[v].machine))
            stochastic_of(d->variants[v].machine->memory.options, &drawn);
        if (*drawn.from && !resolve_shares(d, &d->variants[v], err))
            return false;
    }
    return true;
}

static bool make_variants(struct diff *d, struct rp_error *err)
{
    size_t all = axes_variants(&d->args->axes, err);
    d->variants = all ? calloc(all, sizeof *d->variants) : NULL;
    if (!d->variants)
        return all ? rp_fail(err, RP_SYSTEM, "out of memory for the variants") : false;
    for (size_t n = 0; n < all; n++) {
        struct variant v = {0};
        if (!make_variant(d, n, &v, err))
            return false;
        if (made_before(d, &v))
            machine_free(v.machine);
        else
            d->variants[d->count++] = v;
    }
    return true;
}

/* Whether the variant has the values of "key=a,key=b". */
static bool has_values(const struct diff *d, const struct variant *v, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, ",");
        bool found = false;
        for (size_t i = 0; i < d->args->axes.key_count && !found; i++) {
            char one[256];
            int length = v->values[i] ? snprintf(one, sizeof one, "%s=%s", d->args->axes.keys[i], v->values[i]) : 0;
            found = length > 0 && (size_t)length == n && !memcmp(one, text, n);
        }
        if (!found)
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

/* After the replays: ratios need a variant that ran. */
static bool find_baseline(struct diff *d, struct rp_error *err)
{
    const char *wanted = d->args->baseline ? d->args->baseline : "";
    size_t v = 0;
    while (v < d->count && !(has_values(d, &d->variants[v], wanted) && (*wanted || d->variants[v].fine)))
        v++;
    if (v == d->count && *wanted)
        return rp_fail(err, RP_USAGE, "--baseline %s: no variant has these values; write KEY=VALUE of what is varied",
                       wanted);
    d->baseline = v == d->count ? 0 : v;
    if (!d->variants[d->baseline].fine)
        *err = d->variants[d->baseline].error;
    return d->variants[d->baseline].fine;
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

/* Replays, and sums up by places. */
static bool replay_variant(struct diff *d, struct variant *v, struct replay_options *options)
{
    struct replay_result result;
    if (d->places && !(options->profile = profile_new(d->trace, v->machine, &v->error)))
        return false;
    bool fine = replay(d->trace, v->machine, options, &result, &v->error);
    v->total = result.total;
    replay_result_free(&result);
    fine = fine && (!d->places || hotspots_sum(&v->hotspots, d->places, options->profile, v->machine, &v->error));
    profile_free(options->profile);
    return fine;
}

static void *work(void *data)
{
    struct diff *d = data;
    for (size_t v; (v = atomic_fetch_add(&d->next, 1)) < d->count;) {
        struct share share = {d, 0};
        struct variant *variant = &d->variants[v];
        struct replay_options options = {.launch = d->args->launch,
                                         .seed = d->args->repeat.seed,
                                         .progress = add_progress,
                                         .progress_data = &share,
                                         .launch_done = launch_log_add,
                                         .launch_done_data = &variant->launches};
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
    progress_begin(&d->bar, "replaying", "warp instructions", d->args->quiet);
    while (started + 1 < threads && started + 1 < d->count && started < MODEL_COUNT_OF(helpers) &&
           !pthread_create(&helpers[started], NULL, work, d))
        started++;
    work(d);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    progress_end(&d->bar);
    for (size_t v = 0; v < d->count; v++)
        if (!d->variants[v].fine && d->variants[v].error.status == RP_SYSTEM) {
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

static json_t *varied_json(const struct diff *d, const struct variant *v)
{
    json_t *varied = json_object();
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        json_put(varied, d->args->axes.keys[i], v->values[i] ? option_json(v->values[i]) : json_null());
    return varied;
}

static size_t top(const struct args *a)
{
    return a->top > 0 ? (size_t)a->top : a->top < 0 && !a->json && !a->csv ? SHOWN : EVERY;
}

static void variant_json(struct json_stream *out, const struct diff *d, const struct variant *v)
{
    json_open(out, NULL, '{');
    json_part(out, "varied", varied_json(d, v));
    if (v->fine) {
        json_part(out, "machine", machine_json(v->machine));
        json_part(out, "ratio", json_real(ratio(&v->total, &d->variants[d->baseline].total)));
        json_part(out, "main_stall", json_string(statistics_main_stall(v->machine, &v->total, (char[STALL_NAME]){0})));
        results_json(out, d->trace, v->machine, &v->launches, &v->total);
        if (d->places && v != &d->variants[d->baseline])
            json_part(out, "difference",
                      difference_json(&d->variants[d->baseline].hotspots, &v->hotspots, top(d->args), d->files));
    } else {
        json_part(out, "error", json_string(v->error.text));
    }
    json_close(out, '}');
}

static int print_json(const struct diff *d, const size_t *order)
{
    struct rp_error err;
    json_t *trace = trace_json(d->trace, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream out = {0};
    json_open(&out, NULL, '{');
    json_part(&out, "tool", json_string("reprise " REPRISE_VERSION));
    json_part(&out, "trace", trace);
    json_open(&out, "variants", '[');
    for (size_t v = 0; v < d->count; v++)
        variant_json(&out, d, &d->variants[order[v]]);
    json_close(&out, ']');
    json_close(&out, '}');
    return json_stream_end(&out);
}

/* As it was typed; for programs 8K is 8192. */
static void value_cell(struct table *t, const char *value, bool csv)
{
    json_t *json = value && csv ? option_json(value) : NULL;
    if (json_is_integer(json))
        table_cell(t, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    else
        table_cell(t, "%s", value ? value : "-");
    json_decref(json);
}

static void variant_row(struct table *t, const struct diff *d, const struct variant *v, const char *launch,
                        const char *kernel, const struct statistics *s, const struct statistics *first)
{
    table_cell(t, "%s", launch);
    table_cell(t, "%s", kernel);
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        value_cell(t, v->values[i], d->args->csv);
    if (!v->fine) {
        for (int i = 0; i < 3; i++)
            table_cell(t, "-");
        table_cell(t, "%s", v->error.text);
        return;
    }
    table_number(t, s->cycles);
    table_cell(t, "%.3f", ratio(s, first));
    table_cell(t, "%.3f", statistics_ipc(s));
    table_cell(t, "%s", statistics_main_stall(v->machine, s, (char[STALL_NAME]){0}));
}

/* A row of each variant; `of` has their statistics. */
static void rows_of(struct table *t, const struct diff *d, const size_t *order, const char *name, const char *kernel,
                    const struct statistics *of)
{
    for (size_t v = 0; v < d->count; v++) {
        const struct variant *variant = &d->variants[order[v]];
        bool named = v == 0 || d->args->csv;
        variant_row(t, d, variant, named ? name : "", named ? kernel : "", &of[order[v]], &of[d->baseline]);
    }
}

/* Rows of every launch. `statistics` and `readers` have room for each variant. */
static void launch_rows(struct table *t, const struct diff *d, const size_t *order, struct statistics *statistics,
                        struct launch_reader *readers)
{
    struct replay_launch launch;
    for (size_t v = 0; v < d->count; v++)
        readers[v] = (struct launch_reader){&d->variants[v].launches, 0};
    for (uint32_t l = 0; l < d->variants[d->baseline].launches.count; l++) {
        uint32_t number = 0;
        for (size_t v = 0; v < d->count; v++) {
            if (!d->variants[v].fine)
                continue;
            launch_log_next(&readers[v], &launch);
            statistics[v] = launch.statistics;
            number = launch.launch;
        }
        char name[16], plain[PLAIN_NAME];
        const char *kernel = rp_trace_kernel(d->trace, rp_trace_launch(d->trace, number)->kernel)->name;
        snprintf(name, sizeof name, "%" PRIu32, number);
        rows_of(t, d, order, name, d->args->csv ? kernel : plain_kernel_name(kernel, plain), statistics);
    }
}

static void total_rows(struct table *t, const struct diff *d, const size_t *order, struct statistics *statistics)
{
    for (size_t v = 0; v < d->count; v++)
        statistics[v] = d->variants[v].total;
    rows_of(t, d, order, "total", "", statistics);
}

static bool add_rows(struct table *t, const struct diff *d, const size_t *order, bool each)
{
    struct statistics *statistics = calloc(d->count, sizeof *statistics);
    struct launch_reader *readers = calloc(d->count, sizeof *readers);
    bool fine = statistics && readers;
    if (fine && each)
        launch_rows(t, d, order, statistics, readers);
    if (fine && d->variants[d->baseline].launches.count != 1 && !d->args->csv)
        total_rows(t, d, order, statistics);
    free(statistics);
    free(readers);
    return fine;
}

static bool overlap(const struct diff *d)
{
    for (size_t v = 0; v < d->count; v++)
        if (d->variants[v].launches.overlaps)
            return true;
    return false;
}

static int print_text(const struct diff *d, const size_t *order)
{
    static const char *const heading[] = {"cycles", "ratio", "IPC", "main stall"};
    bool each = d->args->all_launches || d->args->csv || d->variants[d->baseline].launches.count <= MOST_LAUNCHES;
    char columns[MOST_KEYS + 8] = "rn";
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        strcat(columns, "l");
    struct table *t = table_new(strcat(columns, "rrrw"));
    table_cell(t, "launch");
    table_cell(t, "kernel");
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        table_cell(t, "%s", d->args->axes.keys[i]);
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        table_cell(t, "%s", heading[i]);
    if (!add_rows(t, d, order, each)) {
        struct rp_error err;
        rp_fail(&err, RP_SYSTEM, "out of memory for the variants");
        table_free(t);
        return command_fail(&err);
    }
    if (d->args->csv) {
        table_print_csv(t, stdout);
        return RP_OK;
    }
    printf("%s%s%s\n\n", rp_trace_path(d->trace), varied_machine(&d->args->axes) ? "" : " on ",
           varied_machine(&d->args->axes) ? "" : d->variants[d->baseline].machine->name);
    table_print(t, stdout);
    if (overlap(d))
        puts("\nLaunches overlap: the total's cycles end with the last one.");
    if (!each)
        puts("\nSums over all launches; --launches shows each.");
    return RP_OK;
}

/* ---- by places ----------------------------------------------------------------------------------------------------
 */

/* "scheduler=gto, l1=none" */
static void print_values(const struct diff *d, const struct variant *v)
{
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        printf("%s%s=%s", i ? ", " : "", d->args->axes.keys[i], v->values[i] ? v->values[i] : "-");
}

static void print_differences(const struct diff *d, const size_t *order)
{
    const struct variant *base = &d->variants[d->baseline];
    for (size_t i = 0; i < d->count; i++) {
        const struct variant *v = &d->variants[order[i]];
        if (v == base || !v->fine)
            continue;
        fputs("\nFrom ", stdout);
        print_values(d, base);
        fputs(" to ", stdout);
        print_values(d, v);
        puts(", in cycles:\n");
        difference_print(&base->hotspots, &v->hotspots, top(d->args), d->files);
    }
    puts("\nCycles are those of all sub-cores, divided by their number; 'of it' names the parts that changed most.");
}

struct csv_before {
    const struct diff *diff;
    const struct variant *variant;
};

static void cells_before(void *data, struct table *t)
{
    const struct csv_before *b = data;
    for (size_t i = 0; i < b->diff->args->axes.key_count; i++)
        value_cell(t, b->variant->values[i], true);
}

static void csv_differences(const struct diff *d, const size_t *order)
{
    const struct variant *base = &d->variants[d->baseline];
    char columns[MOST_KEYS + DIFFERENCE_CELLS + 1] = {0};
    memset(columns, 'l', d->args->axes.key_count + DIFFERENCE_CELLS);
    struct table *t = table_new(columns);
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        table_cell(t, "%s", d->args->axes.keys[i]);
    difference_csv_heading(t);
    for (size_t i = 0; i < d->count; i++) {
        struct csv_before before = {d, &d->variants[order[i]]};
        if (before.variant != base && before.variant->fine)
            difference_csv(&base->hotspots, &before.variant->hotspots, top(d->args), d->files, cells_before, &before,
                           t);
    }
    table_print_csv(t, stdout);
}

/* Whether variant a comes after b: by cycles in total, those that did not run last. */
static bool slower(const struct variant *a, const struct variant *b)
{
    if (a->fine != b->fine)
        return b->fine;
    return a->fine && a->total.cycles > b->total.cycles;
}

/* The order of rows; equal ones stay as they are. */
static void sort_variants(const struct diff *d, size_t *order)
{
    for (size_t v = 0; v < d->count; v++) {
        size_t at = v;
        for (; d->args->by_cycles && at && slower(&d->variants[order[at - 1]], &d->variants[v]); at--)
            order[at] = order[at - 1];
        order[at] = v;
    }
}

static int print_results(const struct diff *d)
{
    struct rp_error err;
    size_t *order = calloc(d->count, sizeof *order);
    if (!order) {
        rp_fail(&err, RP_SYSTEM, "out of memory");
        return command_fail(&err);
    }
    sort_variants(d, order);
    int status = RP_OK;
    if (d->places && d->args->csv)
        csv_differences(d, order);
    else
        status = d->args->json ? print_json(d, order) : print_text(d, order);
    if (d->places && !d->args->csv && !d->args->json && status == RP_OK)
        print_differences(d, order);
    free(order);
    return status;
}

/* ---- many replays of each ---------------------------------------------------------------------------------------- */

static int print_batches_json(const struct diff *d, const struct batches *b)
{
    struct rp_error err;
    json_t *trace = trace_json(d->trace, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream out = {0};
    json_open(&out, NULL, '{');
    json_part(&out, "tool", json_string("reprise " REPRISE_VERSION));
    json_part(&out, "trace", trace);
    json_open(&out, "variants", '[');
    for (size_t v = 0; v < d->count; v++) {
        json_open(&out, NULL, '{');
        json_part(&out, "varied", varied_json(d, &d->variants[v]));
        if (d->variants[v].fine) {
            json_part(&out, "machine", machine_json(d->variants[v].machine));
            diff_batches_json(&out, b, v);
        } else {
            json_part(&out, "error", json_string(d->variants[v].error.text));
        }
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    return json_stream_end(&out);
}

static int print_batches(const struct diff *d, const struct batches *b)
{
    if (d->args->json)
        return print_batches_json(d, b);
    if (!d->args->csv)
        printf("%s on %s, seed %" PRIu64 ": batch by batch, all variants have the same luck\n\n",
               rp_trace_path(d->trace), d->variants[d->baseline].machine->name, d->args->repeat.seed);
    diff_batches_print(b, d->args->csv);
    if (!d->args->csv)
        printf("\nHalf widths are of intervals at %g, of the mean and of the mean difference. Reached: the mean's is "
               "within %g of it.\n",
               d->args->repeat.request.confidence, d->args->repeat.request.width);
    return RP_OK;
}

static bool replay_batches(struct diff *d, struct batches *b, struct rp_error *err)
{
    struct replay_options options = {
        .launch = d->args->launch, .seed = d->args->repeat.seed, .threads = d->args->threads};
    for (size_t v = 0; v < d->count; v++)
        b->variants[v] = (struct batches_variant){.values = d->variants[v].values,
                                                  .machine = d->variants[v].machine,
                                                  .error = d->variants[v].machine ? NULL : d->variants[v].error.text};
    if (!diff_batches_run(b, d->trace, &options, err))
        return false;
    for (size_t v = 0; v < d->count; v++) {
        d->variants[v].fine = !b->variants[v].error;
        if (b->variants[v].error && d->variants[v].machine)
            rp_fail(&d->variants[v].error, RP_BAD_INPUT, "%s", b->variants[v].error);
    }
    return find_baseline(d, err);
}

static int run_batches(struct diff *d)
{
    struct rp_error err;
    struct batches b = {.axes = &d->args->axes,
                        .repeat = &d->args->repeat,
                        .variants = calloc(d->count, sizeof *b.variants),
                        .count = d->count};
    bool fine = b.variants ? replay_batches(d, &b, &err) : rp_fail(&err, RP_SYSTEM, "out of memory for the variants");
    b.baseline = d->baseline;
    int status = fine ? print_batches(d, &b) : command_fail(&err);
    if (b.variants)
        diff_batches_free(&b);
    return status == RP_OK && rp_trace_damage(d->trace) ? RP_PARTIAL : status;
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
    if (!resolve_all_shares(d, &err))
        return command_fail(&err);
    if (d->args->repeat.request.least)
        return run_batches(d);
    if (!replay_all(d, &err) || !find_baseline(d, &err))
        return command_fail(&err);
    const struct launch_log *base = &d->variants[d->baseline].launches;
    if (!d->args->quiet)
        print_warnings(base);
    int status = print_results(d);
    return status == RP_OK ? replay_status(d->trace, base) : status;
}

static int diff_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct args a = {.launch = -1, .top = -1, .repeat = REPEAT_ARGS};
    command_parse(&line, c, argc, argv, &a);
    a.machine.late_option = "--vary";
    a.machine.late = a.machine.count;
    for (size_t i = 0; i < a.axes.count; i++)
        if (a.axes.list[i].keys == 1 && !strcmp(a.axes.keys[a.axes.list[i].first], "scheduler")) {
            a.machine.schedulers = a.axes.list[i].values;
            a.machine.scheduler_count = a.axes.list[i].points;
        }
    struct diff d = {.args = &a, .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = run(&d);
    for (size_t v = 0; d.variants && v < d.count; v++) {
        launch_log_free(&d.variants[v].launches);
        hotspots_free(&d.variants[v].hotspots);
        machine_free(d.variants[v].machine);
    }
    free(d.variants);
    places_free(d.places);
    source_files_free(d.files);
    if (d.trace)
        rp_trace_close(d.trace);
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
    {"Machines with chance in them: differences with intervals, under the same luck",
     "reprise diff mm.wtr --machine jetson-tx2 --set memory=stochastic \\\n"
     "        --set memory.global_load=0.3,0.6,0.1 --vary scheduler=serial,gto --batches 400"},
    {NULL, NULL},
};
const struct command command_diff = {
    .name = "diff",
    .summary = "replay a trace on variants of a machine, side by side",
    .usage = "TRACE --machine NAME --vary KEY=A,B,C",
    .about = "Replays a trace on variants of a machine and compares them. Ratios are to the first, or to --baseline. "
             "A variant whose values do not go together is a row with the reason.",
    .options = rows,
    .examples = examples,
    .status = "Exit status: 0 fine, 1 wrong usage, 2 bad input, 4 the system failed, 5 the trace is not whole: it was "
              "replayed as far as it goes.",
    .option = diff_option,
    .run = diff_run,
};
