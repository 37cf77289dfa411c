/* reprise info: what is in a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/dump/host_operation.h"
#include "tools/info/san.h"
#include "tools/lib/command.h"
#include "tools/lib/input.h"
#include "tools/lib/json.h"
#include "tools/lib/names.h"
#include "tools/live/live.h"
#include "tools/replaying/options.h"
#include "tools/replaying/shares.h"
#include "tools/ui/figure.h"
#include "tools/ui/progress.h"
#include "tools/ui/table.h"
#include "tools/ui/wrapped.h"
#include "tracefmt/plural.h"
#include "tracefmt/reader.h"

struct info {
    const char *file;
    bool json, csv, no_mix, registers, san;
    int64_t launch; /* -1: all */
    struct machine_args machine;
    struct rp_trace *trace;
    struct progress progress;
};

enum { KEY_NO_MIX = 256, KEY_REGISTERS, KEY_SAN };

static const struct option_row rows[] = {
    ROW_JSON(""),
    ROW_CSV("a row per launch", "; mix.CLASS are the warp instructions of a class"),
    {"no-mix", KEY_NO_MIX, NULL, "Leave out the mix by class, for which the whole trace must be decoded"},
    {"registers", KEY_REGISTERS, NULL,
     "Print live registers instead: at each instruction, and along the paths of the warps. With --machine also over "
     "time"},
    {"san", KEY_SAN, NULL,
     "Print what each warp did instead, as ids of Table 1 of the SAN model, and the registers that change"},
    ROWS_MACHINE("With --registers: the machine to replay on; --csv then has a row for each change", ""),
    ROW_LAUNCH("With --registers or --san: print"),
    {0},
};

static void info_option(struct command_line *line, int key, char *arg)
{
    struct info *a = line->input;
    const struct shared_values shared = {
        .trace = &a->file, .machine = &a->machine, .launch = &a->launch, .json = &a->json, .csv = &a->csv};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case KEY_NO_MIX: a->no_mix = true; break;
    case KEY_REGISTERS: a->registers = true; break;
    case KEY_SAN: a->san = true; break;
    case KEY_END:
        if (!a->file)
            command_usage(line, "which trace? Example: reprise info mm.wtr");
        if (a->registers && a->san)
            command_usage(line, "--registers and --san are two answers: ask for one at a time");
        if (a->machine.machine && !a->registers)
            command_usage(line, "--machine goes with --registers");
        if (a->machine.count && !a->machine.machine)
            command_usage(line, "--set changes a machine: name it with --machine");
        if (a->launch >= 0 && !a->registers && !a->san)
            command_usage(line, "--launch goes with --registers or --san");
        if (a->san && a->csv)
            command_usage(line, "--san prints text or, with --json, JSON");
    }
}

static void show(void *progress, uint64_t done, uint64_t total) { progress_update(progress, done, total, 0, NULL); }

static bool count_classes(struct info *a, uint32_t launch, struct rp_class_counts *counts, struct rp_error *err)
{
    progress_begin(&a->progress, "counting", "chunks", false);
    bool ok = rp_trace_class_counts(a->trace, launch, counts, show, &a->progress, err);
    progress_end(&a->progress);
    return ok;
}

static double bits(uint64_t bytes, uint64_t instructions)
{
    return instructions ? 8.0 * (double)bytes / (double)instructions : 0;
}

static const char *outcome(const struct rp_launch_end *end)
{
    return !end ? "cut short" : end->outcome == RP_OUTCOME_FAULT ? "fault" : "complete";
}

struct sums {
    uint64_t blocks, warp_instructions, thread_instructions;
};

static struct sums add_up(const struct rp_trace *t)
{
    struct sums s = {0};
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++) {
        struct rp_launch_totals totals = rp_trace_launch_totals(t, l);
        s.blocks += totals.blocks;
        s.warp_instructions += totals.warp_instructions;
        s.thread_instructions += totals.thread_instructions;
    }
    return s;
}

/* What the host did, by kind. */
struct host_counts {
    uint64_t count[RP_HOST_KIND_COUNT], bytes[RP_HOST_KIND_COUNT];
};

static struct host_counts count_host(const struct rp_trace *t)
{
    struct host_counts c = {0};
    for (size_t i = 0; i < rp_trace_host_operation_count(t); i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        c.count[o->kind]++;
        c.bytes[o->kind] += o->size;
    }
    return c;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *json_kernels(const struct rp_trace *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < rp_trace_kernel_count(t); i++) {
        const struct rp_kernel *k = rp_trace_kernel(t, i);
        json_add(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", k->name, "isa", k->isa, "instructions",
                                 json_number(k->instruction_count), "registers", json_number(k->registers),
                                 "static_shared_bytes", json_number(k->static_shared), "local_bytes",
                                 json_number(k->local_bytes), "max_threads", json_number(k->max_threads)));
        json_put(json_array_get(list, i), "module", k->module ? json_number(k->module - 1) : json_null());
    }
    return list;
}

static json_t *json_mix(const struct rp_class_counts *counts)
{
    json_t *mix = json_object();
    for (int c = 0; c < RP_CLASS_COUNT; c++)
        if (counts->warp[c])
            json_put(mix, rp_class_name((enum rp_class)c),
                     json_pack("{s:o, s:o}", "warp_instructions", json_number(counts->warp[c]), "thread_instructions",
                               json_number(counts->thread[c])));
    return mix;
}

static json_t *json_modules(const struct rp_trace *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < rp_trace_module_count(t); i++) {
        const struct rp_module *m = rp_trace_module(t, i);
        json_add(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "sha256", m->sha256, "isa", m->isa, "target",
                                 m->target));
    }
    return list;
}

static json_t *json_host(const struct rp_trace *t)
{
    struct host_counts c = count_host(t);
    json_t *out = json_object();
    for (int k = 0; k < RP_HOST_KIND_COUNT; k++)
        if (c.count[k])
            json_put(out, rp_host_kind_name((enum rp_host_kind)k),
                     json_pack("{s:o, s:o}", "count", json_number(c.count[k]), "bytes", json_number(c.bytes[k])));
    return out;
}

static json_t *json_dependencies(const struct rp_launch *l)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < l->dependency_count; i++)
        json_add(list, json_number(l->dependencies[i]));
    return list;
}

static json_t *json_extent(const uint32_t extent[3])
{
    return json_pack("[o, o, o]", json_number(extent[0]), json_number(extent[1]), json_number(extent[2]));
}

static json_t *json_launch(struct info *a, uint32_t launch, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(a->trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(a->trace, launch);
    json_t *out =
        json_pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "kernel", json_number(l->kernel),
                  "kernel_name", rp_trace_kernel(a->trace, l->kernel)->name, "grid", json_extent(l->grid), "block",
                  json_extent(l->block), "dynamic_shared_bytes", json_number(l->dynamic_shared), "outcome",
                  outcome(end), "blocks_recorded", json_number(t.blocks), "warp_instructions",
                  json_number(t.warp_instructions), "thread_instructions", json_number(t.thread_instructions),
                  "compressed_bytes", json_number(t.compressed_bytes), "raw_bytes", json_number(t.raw_bytes), "chunks",
                  json_number(t.chunks), "bits_per_warp_instruction", bits(t.compressed_bytes, t.warp_instructions));
    json_put(out, "cluster", json_extent(l->cluster));
    json_put(out, "cooperative", json_boolean(l->cooperative));
    json_put(out, "stream", json_number(l->stream));
    json_put(out, "depends_on", json_dependencies(l));
    if (end && end->outcome == RP_OUTCOME_FAULT)
        json_put(out, "fault", json_string(end->fault));
    struct rp_class_counts counts;
    if (a->no_mix)
        return out;
    if (!count_classes(a, launch, &counts, err)) {
        json_decref(out);
        return NULL;
    }
    json_put(out, "mix", json_mix(&counts));
    return out;
}

static json_t *json_provenance(const struct rp_provenance *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->option_count; i++)
        json_add(list, json_pack("{s:s, s:s}", "key", p->options[i].key, "value", p->options[i].value));
    return json_pack("{s:s, s:s, s:s, s:o}", "tool", p->tool, "module", p->module_name, "module_sha256",
                     p->module_sha256, "options", list);
}

static int print_json(struct info *a)
{
    struct rp_error err = {RP_SYSTEM, "out of memory for the result in JSON"};
    const char *sha256 = rp_trace_sha256(a->trace, &err);
    if (!sha256)
        return command_fail(&err);
    json_t *launches = json_array();
    for (uint32_t l = 0; l < rp_trace_launch_count(a->trace); l++) {
        json_t *launch = json_launch(a, l, &err);
        if (!launch) {
            json_decref(launches);
            return command_fail(&err);
        }
        json_add(launches, launch);
    }
    struct sums s = add_up(a->trace);
    uint64_t bytes = rp_trace_file_bytes(a->trace);
    const char *damage = rp_trace_damage(a->trace);
    json_t *total =
        json_pack("{s:o, s:o, s:o, s:f}", "blocks_recorded", json_number(s.blocks), "warp_instructions",
                  json_number(s.warp_instructions), "thread_instructions", json_number(s.thread_instructions),
                  "bits_per_warp_instruction", bits(bytes, s.warp_instructions));
    json_t *all = json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "trace", a->file, "bytes", json_number(bytes),
                            "sha256", sha256, "damage", damage ? json_string(damage) : json_null(), "provenance",
                            json_provenance(rp_trace_provenance(a->trace)), "kernels", json_kernels(a->trace),
                            "launches", launches, "total", total);
    json_put(all, "modules", json_modules(a->trace));
    json_put(all, "host", json_host(a->trace));
    return json_finish(all);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static const char *const csv_heading[] = {"launch",
                                          "kernel",
                                          "grid",
                                          "block",
                                          "stream",
                                          "outcome",
                                          "blocks",
                                          "blocks recorded",
                                          "warp instructions",
                                          "thread instructions",
                                          "bytes",
                                          "chunks",
                                          "raw bytes",
                                          "dynamic shared bytes",
                                          "blocks of a cluster",
                                          "cooperative"};
enum { CSV_HEADINGS = sizeof csv_heading / sizeof *csv_heading };

static void csv_launch(struct table *table, const struct rp_trace *trace, uint32_t launch)
{
    const struct rp_launch *l = rp_trace_launch(trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(trace, launch);
    char grid[40], block[40];
    table_number(table, launch);
    table_cell(table, "%s", rp_trace_kernel(trace, l->kernel)->name);
    table_cell(table, "%s", dimensions(l->grid, grid));
    table_cell(table, "%s", dimensions(l->block, block));
    table_number(table, l->stream);
    table_cell(table, "%s", outcome(rp_trace_launch_end(trace, launch)));
    const uint64_t figures[] = {rp_launch_blocks(l),  t.blocks,      t.warp_instructions, t.thread_instructions,
                                t.compressed_bytes,   t.chunks,      t.raw_bytes,         l->dynamic_shared,
                                rp_launch_cluster(l), l->cooperative};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        table_number(table, figures[i]);
}

/* A row per launch; of the mix the warp instructions of each class. */
static int print_csv(struct info *a)
{
    char columns[CSV_HEADINGS + RP_CLASS_COUNT + 1] = "";
    int classes = a->no_mix ? 0 : RP_CLASS_COUNT;
    struct rp_error err;
    bool fine = true;
    memset(columns, 'r', (size_t)(CSV_HEADINGS + classes));
    struct table *table = table_new(columns);
    for (size_t i = 0; i < CSV_HEADINGS; i++)
        table_cell(table, "%s", csv_heading[i]);
    for (int c = 0; c < classes; c++)
        table_cell(table, "mix.%s", rp_class_name((enum rp_class)c));
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(a->trace); l++) {
        struct rp_class_counts counts;
        csv_launch(table, a->trace, l);
        fine = !classes || count_classes(a, l, &counts, &err);
        for (int c = 0; fine && c < classes; c++)
            table_number(table, counts.warp[c]);
    }
    if (!fine) {
        table_free(table);
        return command_fail(&err);
    }
    table_print_csv(table, stdout);
    return RP_OK;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define INDENT 10 /* where the text of a line begins */

/* "1,234 bytes", "1 byte". */
static void count(FILE *to, uint64_t n, const char *what)
{
    char text[FIGURE];
    fprintf(to, "%s %s%s", figure(n, text), what, rp_plural(n));
}

static void print_provenance(const struct info *a, struct wrapped *w)
{
    const struct rp_provenance *p = rp_trace_provenance(a->trace);
    fprintf(w->pieces, "trace     %s, ", a->file);
    count(w->pieces, rp_trace_file_bytes(a->trace), "byte");
    wrapped_line(w, INDENT, stdout);
    if (rp_trace_damage(a->trace)) {
        fprintf(w->pieces, "damage    %s", rp_trace_damage(a->trace));
        wrapped_line(w, INDENT, stdout);
    }
    fprintf(w->pieces, "made by   %s", p->tool);
    wrapped_line(w, INDENT, stdout);
    if (*p->module_name) {
        fprintf(w->pieces, "module    %s%s%s", p->module_name, *p->module_sha256 ? ", sha256 " : "", p->module_sha256);
        wrapped_line(w, INDENT, stdout);
    }
    for (uint32_t i = 0; i < p->option_count; i++) {
        fprintf(w->pieces, "%-9s %s = ", i ? "" : "options", p->options[i].key);
        print_plain_names(p->options[i].value, w->pieces);
        wrapped_line(w, INDENT, stdout);
    }
}

static void print_modules(const struct info *a, struct wrapped *w)
{
    for (uint32_t i = 0; i < rp_trace_module_count(a->trace); i++) {
        const struct rp_module *m = rp_trace_module(a->trace, i);
        fputs(i ? "" : "\n", stdout);
        fprintf(w->pieces, "%s%-2" PRIu32 " %s (%s, %s)%s%s", i ? "       " : "module ", i, m->name, m->isa, m->target,
                *m->sha256 ? ", sha256 " : "", m->sha256);
        wrapped_line(w, INDENT, stdout);
    }
}

/* The first ones in order, with the launches among them; 'dump --host' has all. */
static void print_host_order(const struct rp_trace *t, struct wrapped *w)
{
    enum { SHOWN = 16 };
    size_t all = rp_trace_host_operation_count(t);
    for (size_t i = 0; i < all && i < SHOWN; i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        if (o->launch && (!i || o->launch != rp_trace_host_operation(t, i - 1)->launch))
            printf("          after launch %" PRIu32 "\n", o->launch - 1);
        fputs(i ? "          " : "in order  ", w->pieces);
        host_operation_print(o, w->pieces);
        if (o->stream)
            fprintf(w->pieces, ", stream %" PRIu32, o->stream);
        wrapped_line(w, INDENT, stdout);
    }
    if (all > SHOWN)
        printf("          %zu more: reprise dump --host\n", all - SHOWN);
}

static void print_host(const struct info *a, struct wrapped *w)
{
    struct host_counts c = count_host(a->trace);
    char number[FIGURE], bytes[FIGURE];
    if (rp_trace_host_operation_count(a->trace))
        printf("\nhost      %-20s %10s %16s\n", "operation", "count", "bytes");
    for (int k = 0; k < RP_HOST_KIND_COUNT; k++)
        if (c.count[k])
            printf("          %-20s %10s %16s\n", rp_host_kind_name((enum rp_host_kind)k), figure(c.count[k], number),
                   figure(c.bytes[k], bytes));
    print_host_order(a->trace, w);
}

/* Nothing about a launch in the default stream that waits for none. */
static void print_order(const struct rp_launch *l, struct wrapped *w)
{
    if (!l->stream && !l->dependency_count)
        return;
    fprintf(w->pieces, "          stream %" PRIu32, l->stream);
    for (uint32_t i = 0; i < l->dependency_count; i++)
        fprintf(w->pieces, "%s%" PRIu32, i ? ", " : ", after launch ", l->dependencies[i]);
    wrapped_line(w, INDENT, stdout);
}

static void print_kernels(const struct info *a, struct wrapped *w)
{
    for (uint32_t i = 0; i < rp_trace_kernel_count(a->trace); i++) {
        const struct rp_kernel *k = rp_trace_kernel(a->trace, i);
        char plain[PLAIN_NAME];
        putchar('\n');
        fprintf(w->pieces, "kernel %-2" PRIu32 " %s (%s", i, plain_kernel_name(k->name, plain), k->isa);
        if (k->module)
            fprintf(w->pieces, ", module %" PRIu32, k->module - 1);
        putc(')', w->pieces);
        wrapped_line(w, INDENT, stdout);
        fputs("          ", w->pieces);
        count(w->pieces, k->instruction_count, "instruction");
        fputs(", ", w->pieces);
        count(w->pieces, k->registers, "register");
        fputs(", ", w->pieces);
        count(w->pieces, k->static_shared, "byte");
        fputs(" shared, ", w->pieces);
        count(w->pieces, k->local_bytes, "byte");
        fputs(" local", w->pieces);
        wrapped_line(w, INDENT, stdout);
    }
}

static double percent(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

static void print_mix(const struct rp_class_counts *counts, const struct rp_launch_totals *t)
{
    char warp[FIGURE], thread[FIGURE];
    printf("          %-12s %18s %7s %20s %7s\n", "class", "warp instructions", "", "thread instructions", "");
    for (int c = 0; c < RP_CLASS_COUNT; c++)
        if (counts->warp[c])
            printf("          %-12s %18s %6.2f%% %20s %6.2f%%\n", rp_class_name((enum rp_class)c),
                   figure(counts->warp[c], warp), percent(counts->warp[c], t->warp_instructions),
                   figure(counts->thread[c], thread), percent(counts->thread[c], t->thread_instructions));
    printf("          %-12s %18s %7s %20s\n", "all", figure(t->warp_instructions, warp), "",
           figure(t->thread_instructions, thread));
}

static void print_instructions(const struct wrapped *w, uint64_t warp, uint64_t thread)
{
    count(w->pieces, warp, "warp instruction");
    fputs(", ", w->pieces);
    count(w->pieces, thread, "thread instruction");
}

static void print_size(struct wrapped *w, const struct rp_launch_totals *t)
{
    char raw[FIGURE];
    fputs("          ", w->pieces);
    count(w->pieces, t->compressed_bytes, "byte");
    fputs(" in ", w->pieces);
    count(w->pieces, t->chunks, "chunk");
    fprintf(w->pieces, ", %s decompressed, %.4f bits per warp instruction", figure(t->raw_bytes, raw),
            bits(t->compressed_bytes, t->warp_instructions));
    wrapped_line(w, INDENT, stdout);
}

static void print_launch_head(const struct info *a, uint32_t launch, struct wrapped *w)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    char plain[PLAIN_NAME], grid[40], block[40];
    putchar('\n');
    fprintf(w->pieces, "launch %-2" PRIu32 " %s, grid %s, ", launch,
            plain_kernel_name(rp_trace_kernel(a->trace, l->kernel)->name, plain), dimensions(l->grid, grid));
    if (rp_launch_cluster(l) > 1)
        fprintf(w->pieces, "in clusters of %s, ", dimensions(l->cluster, grid));
    if (l->cooperative)
        fputs("cooperative, ", w->pieces);
    fprintf(w->pieces, "block %s, ", dimensions(l->block, block));
    count(w->pieces, l->dynamic_shared, "byte");
    fputs(" dynamic shared", w->pieces);
    wrapped_line(w, INDENT, stdout);
}

static bool print_launch(struct info *a, uint32_t launch, struct wrapped *w, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(a->trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(a->trace, launch);
    char recorded[FIGURE];
    print_launch_head(a, launch, w);
    fprintf(w->pieces, "          %s, %s of ", outcome(end), figure(t.blocks, recorded));
    count(w->pieces, rp_launch_blocks(l), "block");
    fputs(" recorded", w->pieces);
    wrapped_line(w, INDENT, stdout);
    print_order(l, w);
    if (end && end->outcome == RP_OUTCOME_FAULT) {
        fputs("          ", w->pieces);
        print_plain_names(end->fault, w->pieces);
        wrapped_line(w, INDENT, stdout);
    }
    fputs("          ", w->pieces);
    print_instructions(w, t.warp_instructions, t.thread_instructions);
    wrapped_line(w, INDENT, stdout);
    print_size(w, &t);
    struct rp_class_counts counts;
    if (a->no_mix)
        return true;
    if (!count_classes(a, launch, &counts, err))
        return false;
    print_mix(&counts, &t);
    return true;
}

static void print_total(const struct info *a, struct wrapped *w)
{
    struct sums s = add_up(a->trace);
    fputs("total     ", w->pieces);
    print_instructions(w, s.warp_instructions, s.thread_instructions);
    fprintf(w->pieces, ", %.4f bits per warp instruction", bits(rp_trace_file_bytes(a->trace), s.warp_instructions));
    putchar('\n');
    wrapped_line(w, INDENT, stdout);
}

static int print_text(struct info *a)
{
    struct rp_error err = {RP_SYSTEM, "out of memory"};
    struct wrapped w;
    bool fine = wrapped_open(&w);
    if (fine) {
        print_provenance(a, &w);
        print_modules(a, &w);
        print_kernels(a, &w);
        print_host(a, &w);
    }
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(a->trace); l++)
        fine = print_launch(a, l, &w, &err);
    if (fine)
        print_total(a, &w);
    wrapped_free(&w);
    return fine ? RP_OK : command_fail(&err);
}

static bool check_launch(const struct info *a, struct rp_error *err)
{
    uint32_t count = rp_trace_launch_count(a->trace);
    return a->launch < (int64_t)count ||
           rp_fail(err, RP_USAGE, "--launch %" PRId64 ": the trace has %" PRIu32 " launch%s", a->launch, count,
                   count == 1 ? "" : "es");
}

static int print_registers(const struct info *a)
{
    struct rp_error err;
    struct live_request r = {.file = a->file, .trace = a->trace, .launch = a->launch};
    if (!check_launch(a, &err))
        return command_fail(&err);
    struct shares shares;
    struct machine *m =
        a->machine.machine ? shares_machine_open(&a->machine, NULL, 0, a->trace, a->launch, 1, &shares, &err) : NULL;
    if (a->machine.machine && !m)
        return command_fail(&err);
    r.machine = m;
    int status = a->json ? live_print_json(&r) : a->csv ? live_print_csv(&r) : live_print(&r);
    machine_free(m);
    return status;
}

static int print_san(const struct info *a)
{
    struct rp_error err;
    struct san_request r = {.file = a->file, .trace = a->trace, .launch = a->launch};
    if (!check_launch(a, &err))
        return command_fail(&err);
    return a->json ? san_print_json(&r) : san_print(&r);
}

static int info_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct info a = {.launch = -1};
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &a);
    if (!input_check(a.file, INPUT_TRACE, &err) || !(a.trace = rp_trace_open(a.file, &err)))
        return command_fail(&err);
    if (rp_trace_damage(a.trace))
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(a.trace));
    int status = a.registers ? print_registers(&a)
                 : a.san     ? print_san(&a)
                 : a.json    ? print_json(&a)
                 : a.csv     ? print_csv(&a)
                             : print_text(&a);
    rp_trace_close(a.trace);
    return status;
}

static const struct command_example examples[] = {
    {"Kernels, launches, sizes and mix", "reprise info mm.wtr"},
    {"The same for programs", "reprise info --json mm.wtr"},
    {"Live registers of each instruction, their peak, and their mean over what the warps did",
     "reprise info mm.wtr --registers"},
    {"How many are alive on each SM over time", "reprise info mm.wtr --registers --machine rtx2080 --csv"},
    {"What to initialise a SAN tool's models with", "reprise info mm.wtr --san --json"},
    {NULL, NULL},
};
const struct command command_info = {
    .name = "info",
    .summary = "say what is in a trace: kernels, launches, counts, mix, provenance",
    .usage = "TRACE",
    .about = "Prints what is in a trace: modules, kernels, launches and their streams, what the host did, counts, "
             "size, the mix of instructions by class, and what made "
             "it.\nA damaged trace is described as far as it is whole, with a warning.",
    .options = rows,
    .examples = examples,
    .option = info_option,
    .run = info_run,
};
