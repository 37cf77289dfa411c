#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/replaying/launch_csv.h"
#include "tools/ui/table.h"

#define MOST_LAUNCHES 12 /* printed one by one by default */

/* ---- results ---------------------------------------------------------------------------------------------------- */

static double ratio(const struct statistics *s, const struct statistics *first)
{
    return first->cycles ? (double)s->cycles / (double)first->cycles : 1;
}

json_t *diff_varied_json(const struct diff *d, const struct diff_variant *v)
{
    json_t *varied = json_object();
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        json_put(varied, d->args->axes.keys[i], v->values[i] ? option_json(v->values[i]) : json_null());
    return varied;
}

static size_t top(const struct diff_args *a)
{
    return a->top > 0 ? (size_t)a->top : a->top < 0 && !a->json && !a->csv ? SHOWN : EVERY;
}

static void variant_json(struct json_stream *out, const struct diff *d, const struct diff_variant *v)
{
    json_open(out, NULL, '{');
    json_part(out, "varied", diff_varied_json(d, v));
    if (v->fine) {
        json_part(out, "machine", machine_json(v->machine));
        json_part(out, "ratio", json_real(ratio(&v->once.total, &d->variants[d->baseline].once.total)));
        json_part(out, "main_stall",
                  json_string(statistics_main_stall(v->machine, &v->once.total, (char[STALL_NAME]){0})));
        results_json(out, d->trace, v->machine, &v->once.launches, &v->once.total);
        if (d->places && v != &d->variants[d->baseline])
            json_part(out, "difference",
                      difference_json(&d->variants[d->baseline].hotspots, &v->hotspots, top(d->args), d->files));
    } else {
        json_part(out, "error", json_text(v->error.text));
    }
    json_close(out, '}');
}

int diff_print_json(const struct diff *d, const size_t *order,
                    void (*one)(struct json_stream *, const struct diff *, const struct diff_variant *))
{
    struct rp_error err;
    json_t *trace = trace_json(d->trace, &err);
    if (!trace)
        return command_fail(&err);
    struct json_stream *out = &d->args->out.json;
    json_traces_begin(out);
    json_open(out, NULL, '{');
    json_part(out, "trace", trace);
    json_open(out, "variants", '[');
    for (size_t v = 0; v < d->count; v++)
        one(out, d, &d->variants[order ? order[v] : v]);
    json_close(out, ']');
    json_close(out, '}');
    return RP_OK;
}

/* Prints the value as it was typed; in CSV sizes such as 8K are numbers. */
static void value_cell(struct table *t, const char *value, bool csv)
{
    json_t *json = value && csv ? option_json(value) : NULL;
    if (json_is_integer(json))
        table_cell(t, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    else
        table_cell(t, "%s", value ? value : "-");
    json_decref(json);
}

static void variant_row(struct table *t, const struct diff *d, const struct diff_variant *v, const char *launch,
                        const char *kernel, const struct statistics *s, const struct statistics *first)
{
    table_cell(t, "%s", launch);
    table_cell(t, "%s", kernel);
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        value_cell(t, v->values[i], false);
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

/* Prints a row per variant, with the statistics that `of` points to. */
static void rows_of(struct table *t, const struct diff *d, const size_t *order, const char *name, const char *kernel,
                    const struct statistics *of)
{
    for (size_t v = 0; v < d->count; v++) {
        const struct diff_variant *variant = &d->variants[order[v]];
        variant_row(t, d, variant, v ? "" : name, v ? "" : kernel, &of[order[v]], &of[d->baseline]);
    }
}

/* Prints a table per launch. `statistics` and `readers` have an element per variant. */
static void launch_rows(struct table *t, const struct diff *d, const size_t *order, struct statistics *statistics,
                        struct launch_reader *readers)
{
    struct replay_launch launch;
    for (size_t v = 0; v < d->count; v++)
        readers[v] = launch_log_read(&d->variants[v].once.launches);
    for (uint32_t l = 0; l < d->variants[d->baseline].once.launches.count; l++) {
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
        rows_of(t, d, order, name, plain_kernel_name(kernel, plain), statistics);
    }
}

static void total_rows(struct table *t, const struct diff *d, const size_t *order, struct statistics *statistics)
{
    for (size_t v = 0; v < d->count; v++)
        statistics[v] = d->variants[v].once.total;
    rows_of(t, d, order, "total", "", statistics);
}

static bool add_rows(struct table *t, const struct diff *d, const size_t *order, bool each)
{
    struct statistics *statistics = calloc(d->count, sizeof *statistics);
    struct launch_reader *readers = calloc(d->count, sizeof *readers);
    bool fine = statistics && readers;
    if (fine && each)
        launch_rows(t, d, order, statistics, readers);
    if (fine && d->variants[d->baseline].once.launches.count != 1)
        total_rows(t, d, order, statistics);
    free(statistics);
    free(readers);
    return fine;
}

static bool overlap(const struct diff *d)
{
    for (size_t v = 0; v < d->count; v++)
        if (d->variants[v].once.launches.overlaps)
            return true;
    return false;
}

static int print_text(const struct diff *d, const size_t *order)
{
    static const char *const heading[] = {"cycles", "ratio", "IPC", "main stall"};
    bool each = d->args->all_launches || d->variants[d->baseline].once.launches.count <= MOST_LAUNCHES;
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
    printf("%s%s%s\n\n", rp_trace_path(d->trace), axes_machine(&d->args->axes) ? "" : " on ",
           axes_machine(&d->args->axes) ? "" : d->variants[d->baseline].machine->name);
    table_print(t, stdout);
    if (overlap(d))
        puts("\nLaunches overlap: the total's cycles end with the last one.");
    if (!each)
        puts("\nSums over all launches; --launches shows each.");
    return RP_OK;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* The value as it was typed, but sizes such as 8K as numbers. */
static const char *csv_value(const char *value, char text[32])
{
    json_t *json = value ? option_json(value) : NULL;
    if (json_is_integer(json)) {
        snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
        value = text;
    }
    json_decref(json);
    return value;
}

/* The row of one variant: its values, and the cycles in relation to those of the baseline. */
static void csv_variant(struct launch_csv *csv, const struct diff *d, const struct diff_variant *v,
                        const struct replay_launch *launch, const struct replay_launch *base)
{
    const char *own[MOST_KEYS + 1];
    char values[MOST_KEYS][32], quotient[32] = "";
    size_t keys = 0;
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        if (strcmp(d->args->axes.keys[i], "machine"))
            own[keys++] = csv_value(v->values[i], values[i]);
    if (v->fine)
        snprintf(quotient, sizeof quotient, "%.4f", ratio(&launch->statistics, &base->statistics));
    own[keys] = quotient;
    launch_csv_row(csv, d->trace, v->machine ? v->machine : d->variants[d->baseline].machine, base->launch, own,
                   v->fine ? launch : NULL, v->fine ? NULL : v->error.text);
}

static struct launch_csv *csv_begin(const struct diff *d)
{
    struct launch_csv *csv = launch_csv_new();
    for (size_t i = 0; csv && i < d->args->axes.key_count; i++)
        if (strcmp(d->args->axes.keys[i], "machine")) /* which has a column already */
            launch_csv_column(csv, d->args->axes.keys[i]);
    if (csv)
        launch_csv_column(csv, "ratio");
    for (size_t v = 0; csv && v < d->count; v++)
        if (d->variants[v].machine)
            launch_csv_machine(csv, d->variants[v].machine);
    if (csv && !d->args->out.follows)
        launch_csv_heading(csv);
    return csv;
}

static int print_csv(const struct diff *d, const size_t *order)
{
    struct rp_error err;
    struct launch_csv *csv = csv_begin(d);
    struct launch_reader *readers = calloc(d->count, sizeof *readers);
    struct replay_launch *launches = calloc(d->count, sizeof *launches);
    bool fine = csv && readers && launches;
    for (size_t v = 0; fine && v < d->count; v++)
        readers[v] = launch_log_read(&d->variants[v].once.launches);
    for (uint32_t l = 0; fine && l < d->variants[d->baseline].once.launches.count; l++) {
        for (size_t v = 0; v < d->count; v++)
            if (d->variants[v].fine)
                launch_log_next(&readers[v], &launches[v]);
        for (size_t v = 0; v < d->count; v++)
            csv_variant(csv, d, &d->variants[order[v]], &launches[order[v]], &launches[d->baseline]);
    }
    launch_csv_free(csv);
    free(readers);
    free(launches);
    if (fine)
        return RP_OK;
    rp_fail(&err, RP_SYSTEM, "out of memory for the variants");
    return command_fail(&err);
}

/* ---- by places ----------------------------------------------------------------------------------------------------
 */

/* "scheduler=gto, l1=none" */
static void print_values(const struct diff *d, const struct diff_variant *v)
{
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        printf("%s%s=%s", i ? ", " : "", d->args->axes.keys[i], v->values[i] ? v->values[i] : "-");
}

static void print_differences(const struct diff *d, const size_t *order)
{
    const struct diff_variant *base = &d->variants[d->baseline];
    bool any = false;
    for (size_t i = 0; i < d->count; i++) {
        const struct diff_variant *v = &d->variants[order[i]];
        if (v == base || !v->fine)
            continue;
        any = true;
        fputs("\nFrom ", stdout);
        print_values(d, base);
        fputs(" to ", stdout);
        print_values(d, v);
        puts(", in cycles:\n");
        difference_print(&base->hotspots, &v->hotspots, top(d->args), d->files);
    }
    puts(
        any ? "\nCycles are those of all sub-cores, divided by their number; 'of it' names the parts that changed most."
            : "\nOnly one variant ran: there are no differences to show.");
}

struct csv_before {
    const struct diff *diff;
    const struct diff_variant *variant;
};

void diff_csv_heading(struct table *t, const struct diff *d)
{
    csv_origin_heading(t);
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        if (strcmp(d->args->axes.keys[i], "machine"))
            table_cell(t, "%s", d->args->axes.keys[i]);
}

void diff_csv_cells(struct table *t, const struct diff *d, const struct diff_variant *v)
{
    const char *machine = (v->machine ? v->machine : d->variants[d->baseline].machine)->name;
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        if (!strcmp(d->args->axes.keys[i], "machine"))
            machine = v->values[i];
    csv_origin_cells(t, &(struct csv_origin){.trace = rp_trace_path(d->trace), .machine = machine});
    for (size_t i = 0; i < d->args->axes.key_count; i++)
        if (strcmp(d->args->axes.keys[i], "machine"))
            value_cell(t, v->values[i], true);
}

size_t diff_csv_count(const struct diff *d)
{
    return CSV_ORIGIN_CELLS + d->args->axes.key_count - (axes_machine(&d->args->axes) ? 1 : 0);
}

static void cells_before(void *data, struct table *t)
{
    const struct csv_before *b = data;
    diff_csv_cells(t, b->diff, b->variant);
}

static void csv_differences(const struct diff *d, const size_t *order)
{
    const struct diff_variant *base = &d->variants[d->baseline];
    char columns[CSV_ORIGIN_CELLS + MOST_KEYS + DIFFERENCE_CELLS + 1] = {0};
    memset(columns, 'l', diff_csv_count(d) + DIFFERENCE_CELLS);
    struct table *t = table_new(columns);
    if (!d->args->out.follows) {
        diff_csv_heading(t, d);
        difference_csv_heading(t);
    }
    for (size_t i = 0; i < d->count; i++) {
        struct csv_before before = {d, &d->variants[order[i]]};
        if (before.variant != base && before.variant->fine)
            difference_csv(&base->hotspots, &before.variant->hotspots, top(d->args), d->files, cells_before, &before,
                           t);
    }
    table_print_csv(t, stdout);
}

/* Whether variant a comes after b. The order is that of the total cycles; variants that did not run are last. */
static bool slower(const struct diff_variant *a, const struct diff_variant *b)
{
    if (a->fine != b->fine)
        return b->fine;
    return a->fine && a->once.total.cycles > b->once.total.cycles;
}

/* Sorts the rows; the sort is stable. */
static void sort_variants(const struct diff *d, size_t *order)
{
    for (size_t v = 0; v < d->count; v++) {
        size_t at = v;
        for (; d->args->by_cycles && at && slower(&d->variants[order[at - 1]], &d->variants[v]); at--)
            order[at] = order[at - 1];
        order[at] = v;
    }
}

int diff_print_results(const struct diff *d)
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
    else if (d->args->csv)
        status = print_csv(d, order);
    else
        status = d->args->json ? diff_print_json(d, order, variant_json) : print_text(d, order);
    if (d->places && !d->args->csv && !d->args->json && status == RP_OK)
        print_differences(d, order);
    free(order);
    return status;
}
