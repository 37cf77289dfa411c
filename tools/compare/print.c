#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/ui/printable.h"
#include "tools/ui/table.h"
#include "tools/ui/wrapped.h"

#define MOST_LAUNCHES 8 /* printed with all quantities by default */

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A quantity of a measured launch that was replayed. */
struct pair {
    enum quantity quantity;
    double measured, replayed, error;
};

double compare_clock(const struct compare *c, size_t measured)
{
    const struct measured_launch *m = &c->measured.launches[measured];
    return m->has[QUANTITY_CLOCK] && m->value[QUANTITY_CLOCK] > 0 ? m->value[QUANTITY_CLOCK]
                                                                  : fraction_value(c->machine->clock_mhz);
}

static bool find_pair(const struct compare *c, size_t measured, enum quantity q, struct pair *p)
{
    const struct measured_launch *m = &c->measured.launches[measured];
    if (c->launch_of[measured] < 0 || !m->has[q])
        return false;
    const struct rp_launch *l = rp_trace_launch(c->trace, (uint32_t)c->launch_of[measured]);
    struct quantity_source of = {c->machine, &c->replayed[measured], rp_trace_kernel(c->trace, l->kernel),
                                 compare_clock(c, measured)};
    *p = (struct pair){.quantity = q, .measured = m->value[q]};
    if (!quantity_replayed(q, &of, &p->replayed))
        return false;
    p->error = quantity_error(q, p->measured, p->replayed);
    return true;
}

/* The errors of a quantity over all launches that have one. */
struct errors {
    size_t count, zeros;       /* zeros: others, which were measured as 0 and replayed as more */
    double median, mean, most; /* sizes, without sign; most has its sign */
    size_t worst;              /* the measured launch with the largest error */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* False: no launch has the quantity. */
static bool find_errors(const struct compare *c, enum quantity q, struct errors *e)
{
    struct pair p;
    double *sizes = calloc(c->measured.count, sizeof *sizes), sum = 0;
    *e = (struct errors){0};
    for (size_t i = 0; sizes && i < c->measured.count; i++) {
        if (!find_pair(c, i, q, &p))
            continue;
        if (isinf(p.error)) {
            e->zeros++;
        } else {
            if (!e->count || fabs(p.error) > fabs(e->most)) {
                e->most = p.error;
                e->worst = i;
            }
            sizes[e->count++] = fabs(p.error);
            sum += fabs(p.error);
        }
    }
    if (e->count) {
        qsort(sizes, e->count, sizeof *sizes, by_size);
        e->median = (sizes[(e->count - 1) / 2] + sizes[e->count / 2]) / 2;
        e->mean = sum / (double)e->count;
    }
    free(sizes);
    return e->count || e->zeros;
}

/* ---- text and CSV ------------------------------------------------------------------------------------------------ */

static bool is_share(enum quantity q) { return !strcmp(quantity(q)->unit, "%"); }

static void value_cell(struct table *t, double value)
{
    if (value == floor(value) && value >= 0 && value < 1e15)
        table_number(t, (uint64_t)value);
    else
        table_cell(t, fabs(value) < 1000 ? "%.2f" : "%.0f", value);
}

static void error_cell(struct table *t, enum quantity q, double error, bool sign, bool csv)
{
    if (isinf(error))
        table_cell(t, "-");
    else if (csv)
        table_cell(t, "%.6g", error);
    else
        table_cell(t, sign ? "%+.1f %s" : "%.1f %s", 100 * error, is_share(q) ? "pt" : "%");
}

static const char *kernel_name(const struct compare *c, uint32_t launch, char plain[PLAIN_NAME])
{
    return plain_kernel_name(rp_trace_kernel(c->trace, rp_trace_launch(c->trace, launch)->kernel)->name, plain);
}

static void headings(struct table *t, const char *const *list)
{
    for (; *list; list++)
        table_cell(t, "%s", *list);
}

static void quantity_cells(struct table *t, const struct pair *p, bool csv)
{
    table_cell(t, "%s", quantity(p->quantity)->name);
    table_cell(t, "%s", quantity(p->quantity)->unit);
    value_cell(t, p->measured);
    value_cell(t, p->replayed);
    error_cell(t, p->quantity, p->error, true, csv);
}

static void print_launches(const struct compare *c, bool every)
{
    struct table *t = table_new("rnllrrr");
    char plain[PLAIN_NAME];
    headings(t, (const char *const[]){"launch", "kernel", "quantity", "unit", "measured", "replayed", "error", NULL});
    for (size_t i = 0; i < c->measured.count; i++) {
        struct pair p;
        bool named = false;
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            if (!find_pair(c, i, q, &p) || (named && !every))
                continue;
            if (named)
                table_cell(t, "%s", "");
            else
                table_cell(t, "%" PRId64, c->launch_of[i]);
            table_cell(t, "%s", named ? "" : kernel_name(c, (uint32_t)c->launch_of[i], plain));
            quantity_cells(t, &p, false);
            named = true;
        }
    }
    table_print(t, stdout);
}

/* A row for each quantity of each launch, behind the columns that all commands have. */
static void print_csv(const struct compare *c)
{
    struct table *t = table_new("llrlllllrrr");
    char plain[PLAIN_NAME], grid[40], block[40];
    headings(t, (const char *const[]){"trace", "machine", "launch", "kernel", "grid", "block", "quantity", "unit",
                                      "measured", "replayed", "error", NULL});
    for (size_t i = 0; i < c->measured.count; i++)
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            struct pair p;
            if (!find_pair(c, i, q, &p))
                continue;
            const struct rp_launch *l = rp_trace_launch(c->trace, (uint32_t)c->launch_of[i]);
            table_cell(t, "%s", rp_trace_path(c->trace));
            table_cell(t, "%s", c->machine->name);
            table_cell(t, "%" PRId64, c->launch_of[i]);
            table_cell(t, "%s", kernel_name(c, (uint32_t)c->launch_of[i], plain));
            table_cell(t, "%s", dimensions(l->grid, grid));
            table_cell(t, "%s", dimensions(l->block, block));
            quantity_cells(t, &p, true);
        }
    table_print_csv(t, stdout);
}

static void print_summary(const struct compare *c)
{
    struct table *t = table_new("lrrrrr");
    struct errors e;
    for (const char *const *h =
             (const char *const[]){"quantity", "launches", "median error", "mean error", "largest", "of launch", NULL};
         *h; h++)
        table_cell(t, "%s", *h);
    for (int q = 0; q < QUANTITY_COUNT; q++) {
        if (!find_errors(c, q, &e))
            continue;
        table_cell(t, "%s", quantity(q)->name);
        if (e.zeros)
            table_cell(t, "%zu of %zu", e.count, e.count + e.zeros);
        else
            table_number(t, e.count);
        if (e.count) {
            error_cell(t, q, e.median, false, false);
            error_cell(t, q, e.mean, false, false);
            error_cell(t, q, e.most, true, false);
            table_number(t, (uint64_t)c->launch_of[e.worst]);
        } else {
            for (int i = 0; i < 4; i++)
                table_cell(t, "-");
        }
    }
    table_print(t, stdout);
}

static const char *stray_kernel(const struct compare *c, const struct compare_stray *s, char plain[PLAIN_NAME])
{
    return s->in_trace ? kernel_name(c, (uint32_t)s->number, plain) : c->measured.launches[s->number].kernel;
}

#define MOST_RANGES 8

/* How many strays from number i on are of one kernel and for one reason. */
static size_t alike(const struct compare *c, size_t i)
{
    char plain[PLAIN_NAME], other[PLAIN_NAME];
    const struct compare_stray *s = &c->strays[i];
    const char *kernel = stray_kernel(c, s, plain);
    size_t n = 1;
    while (i + n < c->stray_count && s[n].in_trace == s->in_trace && !strcmp(s[n].why, s->why) &&
           !strcmp(kernel, stray_kernel(c, &s[n], other)))
        n++;
    return n;
}

static size_t place(const struct compare *c, const struct compare_stray *s)
{
    return s->in_trace ? s->number : c->measured.launches[s->number].line;
}

/* "launches 0, 2 to 5" of n strays that are alike: those whose numbers follow one another are a range. */
static void write_places(const struct compare *c, const struct compare_stray *s, size_t n, FILE *to)
{
    const char *what = s->in_trace ? "launch" : "line", *plural = s->in_trace ? "es" : "s";
    size_t ranges = 0, end;
    fprintf(to, "%s%s", what, n > 1 ? plural : "");
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && s[end].number == s[end - 1].number + 1;)
            end++;
        if (ranges++ == MOST_RANGES) {
            fprintf(to, " and others");
            break;
        }
        fprintf(to, "%s %zu", i ? "," : "", place(c, &s[i]));
        if (end > i + 1)
            fprintf(to, " to %zu", place(c, &s[end - 1]));
    }
    if (n > 1)
        fprintf(to, " (%zu launches)", n);
}

/* Launches without a partner; those that follow one another for one reason are one line. Next to CSV they are warnings.
 */
static void print_strays(const struct compare *c)
{
    bool csv = c->args->csv;
    char plain[PLAIN_NAME], text[2048], shown[4 * sizeof text];
    if (c->stray_count && !csv)
        printf("\nnot compared:\n");
    for (size_t i = 0, n; i < c->stray_count; i += n) {
        const struct compare_stray *s = &c->strays[i];
        n = alike(c, i);
        FILE *to = fmemopen(text, sizeof text, "w");
        if (!to) {
            fprintf(stderr, "reprise: warning: out of memory: launches that are not compared are not listed\n");
            return;
        }
        fputs(csv ? "reprise: warning: not compared: " : "  ", to);
        write_places(c, s, n, to);
        fprintf(to, ", %s: %s", stray_kernel(c, s, plain), s->why);
        fclose(to);
        text[sizeof text - 1] = 0;
        if (csv)
            fprintf(stderr, "%s\n", printable(text, shown, sizeof shown));
        else
            print_wrapped(printable(text, shown, sizeof shown), 4, stdout);
    }
}

/* Says of what clock durations are, if some are not of the machine's. */
static void print_clock(const struct compare *c)
{
    struct pair p;
    bool measured = false;
    for (size_t i = 0; i < c->measured.count && !measured; i++)
        measured = c->measured.launches[i].has[QUANTITY_CLOCK] && find_pair(c, i, QUANTITY_DURATION, &p);
    if (measured)
        printf("\nduration: replayed cycles at the SM frequency that was measured\n");
}

static int print_text(const struct compare *c)
{
    bool every = c->args->all_launches || c->matched <= MOST_LAUNCHES;
    print_launches(c, every);
    if (c->matched > 1) {
        putchar('\n');
        print_summary(c);
    }
    print_clock(c);
    print_strays(c);
    return command_finish(RP_OK);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *shape_json(const uint32_t d[3]) { return json_pack("[iii]", (int)d[0], (int)d[1], (int)d[2]); }

static json_t *matched_json(const struct compare *c, size_t measured)
{
    struct pair p;
    uint32_t launch = (uint32_t)c->launch_of[measured];
    const struct rp_launch *l = rp_trace_launch(c->trace, launch);
    json_t *o = json_object(), *values = json_object();
    json_put(o, "launch", json_number(launch));
    json_put_kernel(o, rp_trace_kernel(c->trace, l->kernel)->name);
    json_put(o, "grid", shape_json(l->grid));
    json_put(o, "block", shape_json(l->block));
    json_put(o, "line", json_number(c->measured.launches[measured].line));
    json_put(o, "clock_mhz", json_real(compare_clock(c, measured)));
    for (int q = 0; q < QUANTITY_COUNT; q++)
        if (find_pair(c, measured, q, &p)) {
            json_t *v = json_object();
            json_put(v, "measured", json_real(p.measured));
            json_put(v, "replayed", json_real(p.replayed));
            json_put(v, "error", real_or_null(p.error));
            json_put(values, quantity(q)->name, v);
        }
    json_put(o, "quantities", values);
    return o;
}

static json_t *summary_json(const struct compare *c)
{
    struct errors e;
    json_t *all = json_object();
    for (int q = 0; q < QUANTITY_COUNT; q++)
        if (find_errors(c, q, &e)) {
            json_t *o = json_object();
            json_put(o, "unit", json_string(quantity(q)->unit));
            json_put(o, "launches", json_number(e.count));
            json_put(o, "measured_as_0", json_number(e.zeros));
            json_put(o, "median_error", e.count ? json_real(e.median) : json_null());
            json_put(o, "mean_error", e.count ? json_real(e.mean) : json_null());
            json_put(o, "largest_error", e.count ? json_real(e.most) : json_null());
            json_put(o, "largest_of", e.count ? json_number((uint64_t)c->launch_of[e.worst]) : json_null());
            json_put(all, quantity(q)->name, o);
        }
    return all;
}

static json_t *stray_json(const struct compare *c, const struct compare_stray *s)
{
    char plain[PLAIN_NAME];
    json_t *o = json_object();
    json_put(o, s->in_trace ? "launch" : "line",
             json_number(s->in_trace ? s->number : c->measured.launches[s->number].line));
    json_put(o, "kernel", json_string(stray_kernel(c, s, plain)));
    json_put(o, "why", json_string(s->why));
    return o;
}

static int print_json(const struct compare *c)
{
    struct rp_error err;
    json_t *trace = trace_json(c->trace, &err), *launches = json_array(), *strays = json_array();
    if (!trace)
        return command_fail(&err);
    for (size_t i = 0; i < c->measured.count; i++)
        if (c->launch_of[i] >= 0)
            json_add(launches, matched_json(c, i));
    for (size_t i = 0; i < c->stray_count; i++)
        json_add(strays, stray_json(c, &c->strays[i]));
    json_t *o = json_document("compare");
    json_put(o, "trace", trace);
    json_put(o, "machine", machine_json(c->machine));
    json_put(o, "measured", json_text(c->measured.path));
    json_put(o, "launches", launches);
    json_put(o, "quantities", summary_json(c));
    json_put(o, "not_compared", strays);
    return json_finish(o);
}

int compare_print(const struct compare *c)
{
    if (c->args->json)
        return print_json(c);
    if (!c->args->csv)
        return print_text(c);
    print_csv(c);
    if (!c->args->quiet)
        print_strays(c);
    return command_finish(RP_OK);
}
