#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/hotspots/units.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/replay/replay.h"
#include "tools/replaying/launch_csv.h"
#include "tools/replaying/sampling.h"
#include "tools/ui/figure.h"
#include "tools/ui/table.h"
#include "tracefmt/plural.h"

size_t replay_top(const struct replay_request *a)
{
    return a->top > 0 ? (size_t)a->top : a->top < 0 && !a->json && !a->csv ? SHOWN : EVERY;
}

/* What a sampled replay says of a row besides: how well the cycles are known, and where its numbers come from. */
struct known {
    uint64_t half_width;
    const char *source;
};

/* device, begin, known: NULL without such columns. */
static void launch_row(struct table *t, const char *name, const char *device, const char *kernel, const char *grid,
                       const char *block, const uint64_t *begin, const struct known *known, const struct machine *m,
                       const struct statistics *s)
{
    table_cell(t, "%s", name);
    if (device)
        table_cell(t, "%s", device);
    table_cell(t, "%s", kernel);
    table_cell(t, "%s", grid);
    table_cell(t, "%s", block);
    if (begin)
        table_number(t, *begin);
    table_number(t, s->cycles);
    if (known)
        table_number(t, known->half_width);
    table_cell(t, "%.3f", statistics_us(m, s));
    table_number(t, s->warp_instructions);
    table_cell(t, "%.3f", statistics_ipc(s));
    table_cell(t, "%.1f %%", 100 * statistics_occupancy(m, s));
    table_cell(t, "%s", statistics_main_stall(m, s, (char[STALL_NAME]){0}));
    if (known)
        table_cell(t, "%s", known->source);
}

/* Launches in a row of which the table would say the same. */
struct group {
    struct replay_launch launch; /* the first */
    uint32_t last;
};

static bool looks_equal(struct rp_trace *t, const struct replay_launch *a, const struct replay_launch *b)
{
    const struct rp_launch *x = rp_trace_launch(t, a->launch), *y = rp_trace_launch(t, b->launch);
    return x->kernel == y->kernel && !memcmp(x->grid, y->grid, sizeof x->grid) &&
           !memcmp(x->block, y->block, sizeof x->block) && a->half_width == b->half_width && a->source == b->source &&
           !memcmp(&a->statistics, &b->statistics, sizeof a->statistics);
}

static void group_row(struct table *t, struct rp_trace *trace, const struct machine *m, const struct group *g,
                      bool begins, bool devices, bool sampled)
{
    const struct rp_launch *l = rp_trace_launch(trace, g->launch.launch);
    const struct known known = {g->launch.half_width, replay_source_name(g->launch.source)};
    char name[32], device[16], grid[40], block[40], plain[PLAIN_NAME];
    snprintf(device, sizeof device, "%" PRIu32, l->device);
    snprintf(name, sizeof name, g->last == g->launch.launch ? "%" PRIu32 : "%" PRIu32 "..%" PRIu32, g->launch.launch,
             g->last);
    launch_row(t, name, devices ? device : NULL, plain_kernel_name(rp_trace_kernel(trace, l->kernel)->name, plain),
               dimensions(l->grid, grid), dimensions(l->block, block), begins ? &g->launch.begin : NULL,
               sampled ? &known : NULL, m, &g->launch.statistics);
}

/* Equal launches that follow one another are one row, unless their beginnings are shown. */
static void launch_rows(struct table *t, struct rp_trace *trace, const struct machine *m, const struct launch_log *log,
                        bool begins, bool devices, bool sampled)
{
    struct replay_launch launch;
    struct group group;
    bool any = false;
    for (struct launch_reader r = launch_log_read(log); launch_log_next(&r, &launch);) {
        if (any && !begins && launch.launch == group.last + 1 && looks_equal(trace, &group.launch, &launch)) {
            group.last = launch.launch;
            continue;
        }
        if (any)
            group_row(t, trace, m, &group, begins, devices, sampled);
        group = (struct group){launch, launch.launch};
        any = true;
    }
    if (any)
        group_row(t, trace, m, &group, begins, devices, sampled);
}

static void print_launches(struct rp_trace *trace, const struct machine *m, const struct outcome *o)
{
    static const char *const heading[] = {"launch", "device",    "kernel",     "grid",  "block",
                                          "begin",  "cycles",    "half width", "us",    "warp instructions",
                                          "IPC",    "occupancy", "main stall", "source"};
    const struct sample_result *sample = &o->result.sample;
    const struct known known = {sample->half_width.cycles, "sampled"};
    bool devices = o->result.device_count, sampled = sample->sampled;
    bool begins = o->result.launches.overlaps || devices;
    const uint64_t zero = 0;
    struct table *t = table_new(devices   ? "rrnllrrrrrrl"
                                : begins  ? sampled ? "rnllrrrrrrrll" : "rnllrrrrrrl"
                                : sampled ? "rnllrrrrrrll"
                                          : "rnllrrrrrl");
    for (size_t i = 0; i < MODEL_COUNT_OF(heading); i++)
        if ((begins || strcmp(heading[i], "begin")) && (devices || strcmp(heading[i], "device")) &&
            (sampled || (strcmp(heading[i], "half width") && strcmp(heading[i], "source"))))
            table_cell(t, "%s", heading[i]);
    launch_rows(t, trace, m, &o->result.launches, begins, devices, sampled);
    if (o->result.launches.count != 1)
        launch_row(t, "total", devices ? "" : NULL, "", "", "", begins ? &zero : NULL, sampled ? &known : NULL, m,
                   &o->result.total);
    table_print(t, stdout);
}

static int print_csv(const struct replay_request *a, const struct rp_trace *trace, const struct machine *m,
                     const struct outcome *o)
{
    struct launch_csv *csv = launch_csv_new();
    struct rp_error err;
    if (!csv) {
        rp_fail(&err, RP_SYSTEM, "out of memory");
        return command_fail(&err);
    }
    launch_csv_machine(csv, m);
    if (!a->out.follows)
        launch_csv_heading(csv);
    struct replay_launch launch;
    for (struct launch_reader r = launch_log_read(&o->result.launches); launch_log_next(&r, &launch);)
        launch_csv_row(csv, trace, m, launch.launch, NULL, &launch, NULL);
    if (o->result.sample.sampled && o->result.launches.count != 1) {
        launch = (struct replay_launch){.statistics = o->result.total,
                                        .half_width = o->result.sample.half_width.cycles,
                                        .end = o->result.total.cycles,
                                        .source = REPLAY_ESTIMATED};
        launch_csv_row(csv, trace, m, LAUNCH_CSV_TOTAL, NULL, &launch, NULL);
    }
    launch_csv_free(csv);
    return RP_OK;
}

/* Warns if the machine issues by control words and the trace has none. */
static void print_dependencies(const struct machine *m, const struct launch_log *log)
{
    if (m->dependencies == DEPENDENCIES_CONTROL_WORDS && log->no_control_words)
        printf("\n%s no control words (PTX has none): the scoreboard held instructions back.\n",
               log->no_control_words == log->count ? "The trace has" : "Some of these kernels have");
}

struct statistic_rows {
    struct table *table;
    bool sampled;
    uint64_t half_width[STATISTICS_WORDS]; /* in the order of the rows */
    size_t count;
};

static void put_half_width(void *data, const char *name, uint64_t value)
{
    struct statistic_rows *rows = data;
    (void)name;
    rows->half_width[rows->count++] = value;
}

static void statistic_row(void *data, const char *name, uint64_t value)
{
    struct statistic_rows *rows = data;
    uint64_t half_width = rows->half_width[rows->count++];
    if (!value)
        return;
    table_cell(rows->table, "%s", name);
    table_number(rows->table, value);
    if (rows->sampled)
        table_number(rows->table, half_width);
}

static void print_statistics(const struct machine *m, const struct result *r)
{
    static const char *const heading[] = {"statistic", "total", "half width"};
    struct statistic_rows rows = {.table = table_new(r->sample.sampled ? "lrr" : "lr"), .sampled = r->sample.sampled};
    for (size_t i = 0; r->sample.sampled && i < MODEL_COUNT_OF(heading); i++)
        table_cell(rows.table, "%s", heading[i]);
    statistics_each(m, &r->sample.half_width, put_half_width, &rows);
    rows.count = 0;
    statistics_each(m, &r->total, statistic_row, &rows);
    table_print(rows.table, stdout);
}

/* Prints the host's copies, if they take time on the machine. */
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

static struct table *table_with(const char *columns, const char *const *heading, size_t count)
{
    struct table *t = table_new(columns);
    for (size_t i = 0; i < count; i++)
        table_cell(t, "%s", heading[i]);
    return t;
}

/* Prints what was copied from one device to another. */
static void print_links(const struct machine *m, const struct result *r)
{
    static const char *const heading[] = {"from device", "to device", "copies", "bytes", "cycles", "us"};
    struct table *t = NULL;
    for (uint32_t i = 0; i < r->device_count * r->device_count; i++) {
        const struct copy_counts *c = &r->links[i];
        if (!c->count)
            continue;
        t = t ? t : table_with("rrrrrr", heading, MODEL_COUNT_OF(heading));
        table_number(t, i / r->device_count);
        table_number(t, i % r->device_count);
        table_number(t, c->count);
        table_number(t, c->bytes);
        table_number(t, c->cycles);
        table_cell(t, "%.3f", (double)c->cycles / fraction_value(m->clock_mhz));
    }
    if (!t)
        return;
    puts("");
    table_print(t, stdout);
    if (!m->link_bandwidth)
        puts("The machine gives copies between devices no time: link.bandwidth is 0.");
}

/* Prints what each of several devices did. */
static void print_devices(const struct machine *m, const struct result *r)
{
    static const char *const heading[] = {"device", "launches", "cycles", "busy"};
    if (!r->device_count)
        return;
    printf("\nThe %" PRIu32
           " devices run at the same time, each its own launches one after another. 'begin' counts cycles "
           "since the first launch\nor copy began, and the total's cycles end with the last one.\n\n",
           r->device_count);
    struct table *t = table_with("rrrr", heading, MODEL_COUNT_OF(heading));
    for (uint32_t d = 0; d < r->device_count; d++) {
        table_number(t, d);
        table_number(t, r->devices[d].launches);
        table_number(t, r->devices[d].cycles);
        table_cell(t, "%.1f %%", r->total.cycles ? 100. * (double)r->devices[d].cycles / (double)r->total.cycles : 0);
    }
    table_print(t, stdout);
    print_links(m, r);
}

/* What the machine is, behind its name. */
static void print_machine(const struct machine *m)
{
    if (machine_is_cores(m))
        printf("%s (%" PRId64 " cores, coherence %s, %.9g MHz)", m->name, m->cores, machine_coherences[m->coherence],
               fraction_value(m->clock_mhz));
    else
        printf("%s (scheduler %s, %.9g MHz)", m->name, m->scheduler.model->name, fraction_value(m->clock_mhz));
}

/* Where the time of cores goes, by cause, and what follows from it. */
static void print_cores(const struct statistics *s, const struct core_counts *each, int64_t count)
{
    static const char *const heading[] = {"cause", "core cycles", "per instruction", "fewest", "most"};
    static const char *const causes[] = {"base", "fetch", "load", "store", "barrier", "idle"};
    const size_t first = offsetof(struct core_counts, base) / sizeof(uint64_t);
    const double instructions = s->cores.instructions ? (double)s->cores.instructions : 1;
    struct table *t = table_with("lrrrr", heading, MODEL_COUNT_OF(heading));
    puts("");
    for (size_t i = 0; i < MODEL_COUNT_OF(causes); i++) {
        uint64_t all = ((const uint64_t *)&s->cores)[first + i], least = UINT64_MAX, most = 0;
        for (int64_t c = 0; c < count; c++) {
            uint64_t its = ((const uint64_t *)&each[c])[first + i];
            least = its < least ? its : least;
            most = its > most ? its : most;
        }
        table_cell(t, "%s", causes[i]);
        table_number(t, all);
        table_cell(t, "%.3f", (double)all / instructions);
        table_number(t, least);
        table_number(t, most);
    }
    table_print(t, stdout);
    printf("\nSpeed-up over one core that takes as long for each instruction: %.1f. %.1f of 32 lanes were active.\n",
           statistics_speed_up(s), s->warp_instructions ? instructions / (double)s->warp_instructions : 0);
}

static int print_text(const struct replay_request *a, struct rp_trace *trace, const struct machine *m,
                      const struct outcome *o)
{
    printf("%s on ", rp_trace_path(trace));
    print_machine(m);
    puts("\n");
    if (o->result.sample.sampled)
        sample_print(&a->replay.sample, &o->result.sample, &o->result.total);
    print_launches(trace, m, o);
    print_dependencies(m, &o->result.launches);
    if (o->result.launches.overlaps)
        printf("\n%" PRIu32 " launches overlap others. 'begin' counts cycles since the first launch began, and the "
               "total's cycles end with the last one%s.\n",
               o->result.launches.overlaps, copies_take_time(m) ? " or the last copy" : "");
    print_devices(m, &o->result);
    print_copies(m, o->result.copies);
    if (o->result.cores)
        print_cores(&o->result.total, o->result.cores, m->cores);
    puts(o->result.launches.count == 1 ? "" : "\nSums over all launches");
    print_statistics(m, &o->result);
    puts("\nStatistics that are 0 are left out; 'reprise replay --explain' defines them all.");
    return RP_OK;
}

static int print_hotspots(const struct replay_request *a, struct rp_trace *trace, const struct machine *m,
                          const struct outcome *o)
{
    char cycles[FIGURE];
    if (machine_is_cores(m)) {
        printf("%s on ", rp_trace_path(trace));
        print_machine(m);
        printf(": %s cycles. A core is an SM of one sub-core.\n\n", figure(o->hotspots.cycles, cycles));
    } else {
        printf("%s on %s (scheduler %s): %s cycles, %" PRIu64 " sub-core%s\n\n", rp_trace_path(trace), m->name,
               m->scheduler.model->name, figure(o->hotspots.cycles, cycles), o->hotspots.subcores,
               rp_plural(o->hotspots.subcores));
    }
    if (a->units) {
        unit_shares_print(&o->hotspots);
        return RP_OK;
    }
    hotspots_print(&o->hotspots, replay_top(a), o->files);
    puts("\nA sub-core's cycle goes to the instruction that issues in it, and so do those that it waited for before: "
         "'stalls' says for\nwhat. Cycles are those of all sub-cores, divided by their number. 'lanes' is the mean of "
         "'issued'.");
    if ((a->kind == BY_LINE || a->kind == BY_INSTRUCTION) && !places_have_lines(trace))
        puts(machine_is_cores(m)
                 ? "The trace names no lines: compile with -g."
                 : "The trace names no lines: compile with -lineinfo (nvcc) or -gline-tables-only (clang).");
    return RP_OK;
}

static struct csv_origin csv_origin(const struct replay_request *a, const struct rp_trace *trace,
                                    const struct machine *m)
{
    return (struct csv_origin){rp_trace_path(trace), m->name, !a->out.follows};
}

int replay_print(struct replay_request *a, struct rp_trace *trace, const struct machine *m, const struct outcome *o)
{
    if (!a->quiet)
        print_warnings(trace, &o->result.launches);
    int status = RP_OK;
    const struct csv_origin origin = csv_origin(a, trace, m);
    if (a->csv && a->units)
        unit_shares_print_csv(&o->hotspots, &origin);
    else if (a->csv && a->by)
        hotspots_print_csv(&o->hotspots, &origin, replay_top(a), o->files);
    else if (a->csv)
        status = print_csv(a, trace, m, o);
    else if (a->by && !a->json)
        status = print_hotspots(a, trace, m, o);
    else
        status = a->json ? replay_print_json(a, trace, m, o) : print_text(a, trace, m, o);
    return status == RP_OK ? replay_status(trace, &o->result.launches) : status;
}

static void print_heading(struct rp_trace *trace, const struct machine *m)
{
    printf("%s on %s (scheduler %s, pipeline %s, memory %s)\n\n", rp_trace_path(trace), m->name,
           m->scheduler.model->name, m->pipeline.model->name, m->memory.model->name);
}

int replay_print_repeated(struct replay_request *a, struct rp_trace *trace, const struct machine *m,
                          const struct repeat_result *r)
{
    if (a->json)
        return replay_print_repeated_json(a, trace, m, r, NULL);
    if (!a->csv) {
        print_heading(trace, m);
        repeat_print_summary(&a->repeat, r);
        if (r->known)
            exact_print(&r->exact, NULL);
        puts("");
    }
    const struct csv_origin origin = csv_origin(a, trace, m);
    repeat_print_table(m, r, a->csv ? &origin : NULL);
    return RP_OK;
}

int replay_print_exact(struct replay_request *a, struct rp_trace *trace, const struct machine *m,
                       const struct engine_exact *exact)
{
    if (a->json)
        return replay_print_repeated_json(a, trace, m, NULL, exact);
    if (!a->csv)
        print_heading(trace, m);
    const struct csv_origin origin = csv_origin(a, trace, m);
    exact_print(exact, a->csv ? &origin : NULL);
    return RP_OK;
}
