#include "tools/replaying/launch_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/names.h"
#include "tools/replaying/sampling.h"
#include "tools/ui/table.h"

#define MOST_STATISTICS 512
#define MOST_OWN 64

struct launch_csv {
    const char *own[MOST_OWN];
    size_t own_count;
    char *names[MOST_STATISTICS];
    size_t count;
    /* of the row that is printed */
    uint64_t values[MOST_STATISTICS];
    bool has[MOST_STATISTICS];
    size_t next; /* where the next statistic is likely to be */
};

static const char *const before[] = {"trace", "machine", "launch", "kernel", "grid", "block", "device"};
static const char *const behind[] = {"begin",      "end",          "us",         "ipc",    "occupancy.achieved",
                                     "main_stall", "speedup",      "half_width", "source", "equal",
                                     "overlaps",   "dependencies", "warning"};

struct launch_csv *launch_csv_new(void) { return calloc(1, sizeof(struct launch_csv)); }

void launch_csv_free(struct launch_csv *c)
{
    for (size_t i = 0; c && i < c->count; i++)
        free(c->names[i]);
    free(c);
}

/* The statistics come in the same order each time, so the search begins behind the last one. */
static size_t find(struct launch_csv *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++) {
        size_t at = (c->next + i) % c->count;
        if (!strcmp(c->names[at], name)) {
            c->next = at + 1;
            return at;
        }
    }
    return c->count;
}

static void add_name(void *data, const char *name, uint64_t value)
{
    struct launch_csv *c = data;
    (void)value;
    if (find(c, name) == c->count && c->count < MOST_STATISTICS && (c->names[c->count] = strdup(name)))
        c->count++;
}

void launch_csv_machine(struct launch_csv *c, const struct machine *m)
{
    static const struct statistics none;
    statistics_each(m, &none, add_name, c);
}

void launch_csv_column(struct launch_csv *c, const char *name)
{
    if (c->own_count < MOST_OWN)
        c->own[c->own_count++] = name;
}

static void names(const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        csv_cell(list[i], stdout);
        putchar(',');
    }
}

void launch_csv_heading(const struct launch_csv *c)
{
    names(before, MODEL_COUNT_OF(before));
    names(c->own, c->own_count);
    names(behind, MODEL_COUNT_OF(behind));
    names((const char *const *)c->names, c->count);
    puts("error");
}

static void take(void *data, const char *name, uint64_t value)
{
    struct launch_csv *c = data;
    size_t at = find(c, name);
    if (at == c->count)
        return;
    c->values[at] = value;
    c->has[at] = true;
}

static void take_statistics(struct launch_csv *c, const struct machine *m, const struct replay_launch *l)
{
    memset(c->has, 0, sizeof c->has);
    (l->overlaps ? statistics_each_own : statistics_each)(m, &l->statistics, take, c);
}

static void figures(const struct launch_csv *c, const struct machine *m, const struct replay_launch *l, bool total)
{
    const struct statistics *s = &l->statistics;
    printf("%" PRIu64 ",%" PRIu64 ",%.3f,%.4f,%.4f,%s,", l->begin, l->end, statistics_us(m, s), statistics_ipc(s),
           statistics_occupancy(m, s), statistics_main_stall(m, s, (char[STALL_NAME]){0}));
    if (machine_is_cores(m))
        printf("%.4f", statistics_speed_up(s));
    putchar(',');
    if (l->half_width)
        printf("%" PRIu64, l->half_width);
    printf(",%s,", total ? "sampled" : l->source == REPLAY_REPLAYED ? "" : replay_source_name(l->source));
    if (l->source == REPLAY_EQUAL && !total)
        printf("%" PRIu32, l->equal);
    printf(",%s,%s,", l->overlaps ? "true" : "", total ? "" : machine_dependencies[l->control_words]);
    csv_cell(l->warning, stdout);
    for (size_t i = 0; i < c->count; i++) {
        putchar(',');
        if (c->has[i])
            printf("%" PRIu64, c->values[i]);
    }
    putchar(',');
}

static void no_figures(const struct launch_csv *c)
{
    for (size_t i = 0; i < MODEL_COUNT_OF(behind) + c->count; i++)
        putchar(',');
}

static void place(const struct rp_trace *t, uint32_t number)
{
    const struct rp_launch *l = rp_trace_launch(t, number);
    char plain[PLAIN_NAME], grid[40], block[40];
    printf(",%" PRIu32 ",", number);
    csv_cell(plain_kernel_name(rp_trace_kernel(t, l->kernel)->name, plain), stdout);
    printf(",%s,%s,%" PRIu32 ",", dimensions(l->grid, grid), dimensions(l->block, block), l->device);
}

void launch_csv_row(struct launch_csv *c, const struct rp_trace *t, const struct machine *m, uint32_t number,
                    const char *const *own, const struct replay_launch *launch, const char *error)
{
    csv_cell(rp_trace_path(t), stdout);
    putchar(',');
    csv_cell(m ? m->name : "", stdout);
    if (number == LAUNCH_CSV_TOTAL)
        fputs(",total,,,,,", stdout);
    else
        place(t, number);
    for (size_t i = 0; i < c->own_count; i++) {
        csv_cell(own[i] ? own[i] : "", stdout);
        putchar(',');
    }
    if (launch)
        take_statistics(c, m, launch);
    launch ? figures(c, m, launch, number == LAUNCH_CSV_TOTAL) : no_figures(c);
    csv_cell(error ? error : "", stdout);
    putchar('\n');
}
