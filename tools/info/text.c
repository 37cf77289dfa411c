#include <inttypes.h>
#include <stdio.h>

#include "tools/dump/host_operation.h"
#include "tools/info/counts.h"
#include "tools/info/info.h"
#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/ui/figure.h"
#include "tools/ui/wrapped.h"
#include "tracefmt/plural.h"

#define INDENT 10 /* where the text of a line begins */

/* "1,234 bytes", "1 byte". */
static void count(FILE *to, uint64_t n, const char *what)
{
    char text[FIGURE];
    fprintf(to, "%s %s%s", figure(n, text), what, rp_plural(n));
}

static void print_provenance(const struct info_request *a, struct wrapped *w)
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

static void print_modules(const struct info_request *a, struct wrapped *w)
{
    for (uint32_t i = 0; i < rp_trace_module_count(a->trace); i++) {
        const struct rp_module *m = rp_trace_module(a->trace, i);
        fputs(i ? "" : "\n", stdout);
        fprintf(w->pieces, "%s%-2" PRIu32 " %s (%s, %s)%s%s", i ? "       " : "module ", i, m->name, m->isa, m->target,
                *m->sha256 ? ", sha256 " : "", m->sha256);
        wrapped_line(w, INDENT, stdout);
    }
}

/* Prints the first operations in order, with the launches among them; 'dump --host' prints all. */
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

static void print_host(const struct info_request *a, struct wrapped *w)
{
    struct info_host_counts c = info_count_host(a->trace);
    char number[FIGURE], bytes[FIGURE];
    if (rp_trace_host_operation_count(a->trace))
        printf("\nhost      %-20s %10s %16s\n", "operation", "count", "bytes");
    for (int k = 0; k < RP_HOST_KIND_COUNT; k++)
        if (c.count[k])
            printf("          %-20s %10s %16s\n", rp_host_kind_name((enum rp_host_kind)k), figure(c.count[k], number),
                   figure(c.bytes[k], bytes));
    print_host_order(a->trace, w);
}

/* Prints the launch's parent, its device, its stream and what it waits for; nothing for a launch of the host's on
 * device 0 in the default stream that waits for none. */
static void print_order(const struct rp_launch *l, struct wrapped *w)
{
    if (!l->device && !l->stream && !l->dependency_count && !l->parent)
        return;
    fputs("          ", w->pieces);
    if (l->parent)
        fprintf(w->pieces, "child of launch %" PRIu32 ", ", l->parent - 1);
    if (l->device)
        fprintf(w->pieces, "device %" PRIu32 ", ", l->device);
    fprintf(w->pieces, "stream %" PRIu32, l->stream);
    for (uint32_t i = 0; i < l->dependency_count; i++)
        fprintf(w->pieces, "%s%" PRIu32, i ? ", " : ", after launch ", l->dependencies[i]);
    wrapped_line(w, INDENT, stdout);
}

static void print_kernels(const struct info_request *a, struct wrapped *w)
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
            info_bits(t->compressed_bytes, t->warp_instructions));
    wrapped_line(w, INDENT, stdout);
}

static void print_launch_head(const struct info_request *a, uint32_t launch, struct wrapped *w)
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

static bool print_launch(const struct info_request *a, uint32_t launch, struct wrapped *w, struct rp_error *err)
{
    const struct rp_launch *l = rp_trace_launch(a->trace, launch);
    const struct rp_launch_end *end = rp_trace_launch_end(a->trace, launch);
    struct rp_launch_totals t = rp_trace_launch_totals(a->trace, launch);
    char recorded[FIGURE];
    print_launch_head(a, launch, w);
    fprintf(w->pieces, "          %s, %s of ", info_outcome(end), figure(t.blocks, recorded));
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
    if (!a->mix)
        return true;
    if (!info_count_classes(a->trace, launch, &counts, err))
        return false;
    print_mix(&counts, &t);
    return true;
}

static void print_total(const struct info_request *a, struct wrapped *w)
{
    struct info_sums s = info_add_up(a->trace);
    fputs("total     ", w->pieces);
    print_instructions(w, s.warp_instructions, s.thread_instructions);
    fprintf(w->pieces, ", %.4f bits per warp instruction",
            info_bits(rp_trace_file_bytes(a->trace), s.warp_instructions));
    putchar('\n');
    wrapped_line(w, INDENT, stdout);
}

int info_print(const struct info_request *a)
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
