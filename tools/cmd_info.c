/* reprise info: what is in a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/input.h"
#include "tools/json.h"
#include "tools/names.h"
#include "tools/ui/progress.h"
#include "tracefmt/plural.h"
#include "tracefmt/reader.h"

struct info {
    const char *file;
    bool json, no_mix;
    struct rp_trace *trace;
    struct progress progress;
};

enum { KEY_NO_MIX = 256 };

static const struct option_row rows[] = {
    {"json", 'j', NULL, "Print JSON"},
    {"no-mix", KEY_NO_MIX, NULL, "Leave out the mix by class, for which the whole trace must be decoded"},
    {0},
};

static void info_option(struct command_line *line, int key, char *arg)
{
    struct info *a = line->input;
    switch (key) {
    case 'j': a->json = true; break;
    case KEY_NO_MIX: a->no_mix = true; break;
    case KEY_ARGUMENT:
        if (a->file)
            command_usage(line, "one trace at a time: '%s' is one too many", arg);
        a->file = arg;
        break;
    case KEY_END:
        if (!a->file)
            command_usage(line, "which trace? Example: reprise info mm.wtr");
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

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_provenance(const struct info *a)
{
    const struct rp_provenance *p = rp_trace_provenance(a->trace);
    printf("trace     %s, %" PRIu64 " bytes\n", a->file, rp_trace_file_bytes(a->trace));
    if (rp_trace_damage(a->trace))
        printf("damage    %s\n", rp_trace_damage(a->trace));
    printf("made by   %s\n", p->tool);
    printf("module    %s", p->module_name);
    if (*p->module_sha256)
        printf(", sha256 %s", p->module_sha256);
    putchar('\n');
    for (uint32_t i = 0; i < p->option_count; i++)
        printf("%-9s %s = %s\n", i ? "" : "options", p->options[i].key, p->options[i].value);
}

static void print_modules(const struct info *a)
{
    for (uint32_t i = 0; i < rp_trace_module_count(a->trace); i++) {
        const struct rp_module *m = rp_trace_module(a->trace, i);
        printf("%s%-2" PRIu32 " %s (%s, %s)%s%s\n", i ? "       " : "\nmodule ", i, m->name, m->isa, m->target,
               *m->sha256 ? ", sha256 " : "", m->sha256);
    }
}

static void print_host(const struct info *a)
{
    struct host_counts c = count_host(a->trace);
    if (rp_trace_host_operation_count(a->trace))
        printf("\nhost      %-20s %10s %16s\n", "operation", "count", "bytes");
    for (int k = 0; k < RP_HOST_KIND_COUNT; k++)
        if (c.count[k])
            printf("          %-20s %10" PRIu64 " %16" PRIu64 "\n", rp_host_kind_name((enum rp_host_kind)k), c.count[k],
                   c.bytes[k]);
}

/* Nothing about a launch in the default stream that waits for none. */
static void print_order(const struct rp_launch *l)
{
    if (!l->stream && !l->dependency_count)
        return;
    printf("          stream %" PRIu32, l->stream);
    for (uint32_t i = 0; i < l->dependency_count; i++)
        printf("%s%" PRIu32, i ? ", " : ", after launch ", l->dependencies[i]);
    putchar('\n');
}

static void print_kernels(const struct info *a)
{
    for (uint32_t i = 0; i < rp_trace_kernel_count(a->trace); i++) {
        const struct rp_kernel *k = rp_trace_kernel(a->trace, i);
        char plain[PLAIN_NAME];
        printf("\nkernel %-2" PRIu32 " %s (%s)\n", i, plain_kernel_name(k->name, plain), k->isa);
        if (strcmp(plain, k->name))
            printf("          %s\n", k->name);
        printf("          %" PRIu32 " instruction%s, %" PRIu32 " register%s, %" PRIu32 " byte%s shared, %" PRIu32
               " byte%s local\n",
               k->instruction_count, rp_plural(k->instruction_count), k->registers, rp_plural(k->registers),
               k->static_shared, rp_plural(k->static_shared), k->local_bytes, rp_plural(k->local_bytes));
    }
}

static double percent(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

static void print_mix(const struct rp_class_counts *counts, const struct rp_launch_totals *t)
{
    printf("          %-12s %18s %7s %20s %7s\n", "class", "warp instructions", "", "thread instructions", "");
    for (int c = 0; c < RP_CLASS_COUNT; c++)
        if (counts->warp[c])
            printf("          %-12s %18" PRIu64 " %6.2f%% %20" PRIu64 " %6.2f%%\n", rp_class_name((enum rp_class)c),
                   counts->warp[c], percent(counts->warp[c], t->warp_instructions), counts->thread[c],
                   percent(counts->thread[c], t->thread_instructions));
    printf("          %-12s %18" PRIu64 " %7s %20" PRIu64 "\n", "all", t->warp_instructions, "",
           t->thread_instructions);
}

static bool print_launch(struct info *a, uint32_t launch, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(a->trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(a->trace, launch);
    char plain[PLAIN_NAME];
    printf("\nlaunch %-2" PRIu32 " %s, grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", block %" PRIu32 "x%" PRIu32 "x%" PRIu32
           ", %" PRIu32 " byte%s dynamic shared\n",
           launch, plain_kernel_name(rp_trace_kernel(a->trace, l->kernel)->name, plain), l->grid[0], l->grid[1],
           l->grid[2], l->block[0], l->block[1], l->block[2], l->dynamic_shared, rp_plural(l->dynamic_shared));
    printf("          %s, %" PRIu64 " of %" PRIu64 " block%s recorded\n", outcome(end), t.blocks, rp_launch_blocks(l),
           rp_plural(rp_launch_blocks(l)));
    print_order(l);
    if (end && end->outcome == RP_OUTCOME_FAULT)
        printf("          %s\n", end->fault);
    printf("          %" PRIu64 " warp instruction%s, %" PRIu64 " thread instruction%s\n", t.warp_instructions,
           rp_plural(t.warp_instructions), t.thread_instructions, rp_plural(t.thread_instructions));
    printf("          %" PRIu64 " bytes in %" PRIu64 " chunk%s, %" PRIu64
           " decompressed, %.4f bits per warp instruction\n",
           t.compressed_bytes, t.chunks, rp_plural(t.chunks), t.raw_bytes,
           bits(t.compressed_bytes, t.warp_instructions));
    struct rp_class_counts counts;
    if (a->no_mix)
        return true;
    if (!count_classes(a, launch, &counts, err))
        return false;
    print_mix(&counts, &t);
    return true;
}

static int print_text(struct info *a)
{
    struct rp_error err;
    print_provenance(a);
    print_modules(a);
    print_kernels(a);
    print_host(a);
    for (uint32_t l = 0; l < rp_trace_launch_count(a->trace); l++)
        if (!print_launch(a, l, &err))
            return command_fail(&err);
    struct sums s = add_up(a->trace);
    printf("\ntotal     %" PRIu64 " warp instruction%s, %" PRIu64
           " thread instruction%s, %.4f bits per warp instruction\n",
           s.warp_instructions, rp_plural(s.warp_instructions), s.thread_instructions, rp_plural(s.thread_instructions),
           bits(rp_trace_file_bytes(a->trace), s.warp_instructions));
    return RP_OK;
}

static int info_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct info a = {0};
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &a);
    if (!input_check(a.file, INPUT_TRACE, &err) || !(a.trace = rp_trace_open(a.file, &err)))
        return command_fail(&err);
    if (rp_trace_damage(a.trace))
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(a.trace));
    int status = a.json ? print_json(&a) : print_text(&a);
    rp_trace_close(a.trace);
    return status;
}

static const struct command_example examples[] = {
    {"Kernels, launches, sizes and mix", "reprise info mm.wtr"},
    {"The same for programs", "reprise info --json mm.wtr"},
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
