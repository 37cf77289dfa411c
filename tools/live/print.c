#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/live/live.h"
#include "tools/replaying/replaying.h"
#include "tools/ui/figure.h"
#include "tools/ui/table.h"

static bool is_virtual(const struct rp_kernel *k) { return strcmp(k->isa, "ptx") == 0; }

/* Live registers after the instruction minus those after the one before it: what it activates or releases. */
static int change_at(const struct rp_kernel *k, uint32_t i)
{
    return k->live[i].after - (i ? k->live[i - 1].after : 0);
}

static uint32_t peak_of(const struct rp_kernel *k)
{
    uint32_t peak = 0;
    for (uint32_t i = 1; i < k->instruction_count; i++)
        if (k->live[i].registers > k->live[peak].registers)
            peak = i;
    return peak;
}

static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

static bool chosen(const struct live_request *r, uint32_t launch) { return r->launch < 0 || r->launch == launch; }

static bool kernel_chosen(const struct live_request *r, uint32_t kernel)
{
    return r->launch < 0 || rp_trace_launch(r->trace, (uint32_t)r->launch)->kernel == kernel;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A cell with the instruction's text, names in it as in the source. */
static void text_cell(struct table *t, const char *text)
{
    char *plain = NULL;
    size_t size;
    FILE *to = open_memstream(&plain, &size);
    if (to) {
        print_plain_names(text, to);
        fclose(to);
    }
    table_cell(t, "%s", plain ? plain : text);
    free(plain);
}

static void print_peak(const char *unit, uint32_t registers, const struct rp_instruction *in)
{
    printf("peak    %u %s at %04" PRIx64 "  ", registers, unit, in->pc);
    print_plain_names(in->text, stdout);
    putchar('\n');
}

static void print_kernel(const struct rp_kernel *k, uint32_t number)
{
    char plain[PLAIN_NAME];
    uint32_t peak = peak_of(k);
    struct table *t = table_new("rrrrn");
    printf("%skernel %" PRIu32 "  %s (%s)\n", number ? "\n" : "", number, plain_kernel_name(k->name, plain), k->isa);
    table_cell(t, "pc");
    table_cell(t, "%s", is_virtual(k) ? "live (virtual)" : "live");
    table_cell(t, "change");
    table_cell(t, "predicates");
    table_cell(t, "instruction");
    for (uint32_t i = 0; i < k->instruction_count; i++) {
        table_cell(t, "%04" PRIx64, k->instructions[i].pc);
        table_cell(t, "%u", k->live[i].registers);
        if (change_at(k, i))
            table_cell(t, "%+d", change_at(k, i));
        else
            table_cell(t, "0");
        table_cell(t, "%u", k->live[i].predicates);
        text_cell(t, k->instructions[i].text);
    }
    table_print(t, stdout);
    print_peak(is_virtual(k) ? "virtual registers" : "registers", k->live[peak].registers, &k->instructions[peak]);
}

static void print_path(const struct rp_trace *trace, uint32_t launch, const struct live_path *p)
{
    const struct rp_kernel *k = rp_trace_kernel(trace, rp_trace_launch(trace, launch)->kernel);
    char plain[PLAIN_NAME], warps[FIGURE];
    printf("\nlaunch %" PRIu32 "  %s, %s warps\n", launch, plain_kernel_name(k->name, plain), figure(p->warps, warps));
    print_peak("per warp,", p->peak, &k->instructions[p->peak_index]);
    printf("mean    %.2f over warp instructions\n", mean(p->sum, p->instructions));
}

static void print_extent(const char *name, const struct live_extent *e)
{
    char peak[FIGURE], cycle[FIGURE];
    printf("%-9s  %10s  %14s  %10.2f\n", name, figure(e->peak, peak), figure(e->peak_cycle, cycle),
           mean(e->sum, e->cycles));
}

static void print_time(const struct machine *m, const struct live_time *t)
{
    char cycles[FIGURE];
    printf("\non %s, %s cycles\n", m->name, figure(t->cycles, cycles));
    printf("%-9s  %10s  %14s  %10s\n", "", "peak", "first in cycle", "mean");
    print_extent("warp", &t->warp);
    print_extent("sub-core", &t->subcore);
    print_extent("SM", &t->sm);
}

int live_print(const struct live_request *r)
{
    struct rp_error err;
    struct live_path path;
    struct live_time time;
    if (!live_check(r->trace, &err))
        return command_fail(&err);
    for (uint32_t k = 0; k < rp_trace_kernel_count(r->trace); k++)
        if (kernel_chosen(r, k))
            print_kernel(rp_trace_kernel(r->trace, k), k);
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++) {
        if (!chosen(r, l))
            continue;
        if (!live_path(r->trace, l, &path, &err))
            return command_fail(&err);
        print_path(r->trace, l, &path);
    }
    if (!r->machine)
        return RP_OK;
    if (!live_time(r->trace, r->machine, r->launch, NULL, &time, &err))
        return command_fail(&err);
    print_time(r->machine, &time);
    return RP_OK;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

int live_print_csv(const struct live_request *r)
{
    struct rp_error err;
    struct live_time time;
    char plain[PLAIN_NAME];
    if (!live_check(r->trace, &err))
        return command_fail(&err);
    if (r->machine) {
        puts("cycle,sm,subcore,registers");
        return live_time(r->trace, r->machine, r->launch, stdout, &time, &err) ? RP_OK : command_fail(&err);
    }
    puts("kernel,index,pc,live,change,after,predicates,text");
    for (uint32_t n = 0; n < rp_trace_kernel_count(r->trace); n++) {
        const struct rp_kernel *k = rp_trace_kernel(r->trace, n);
        for (uint32_t i = 0; kernel_chosen(r, n) && i < k->instruction_count; i++) {
            csv_cell(plain_kernel_name(k->name, plain), stdout);
            printf(",%" PRIu32 ",%" PRIu64 ",%u,%d,%u,%u,", i, k->instructions[i].pc, k->live[i].registers,
                   change_at(k, i), k->live[i].after, k->live[i].predicates);
            csv_cell(k->instructions[i].text, stdout);
            putchar('\n');
        }
    }
    return RP_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_kernel(struct json_stream *s, const struct rp_kernel *k)
{
    uint32_t peak = peak_of(k);
    json_open(s, NULL, '{');
    json_part(s, "kernel", json_source_name(k->name));
    json_part(s, "symbol", json_text(k->name));
    json_part(s, "isa", json_string(k->isa));
    json_part(s, "virtual", json_boolean(is_virtual(k)));
    json_part(s, "peak",
              json_pack("{s:o, s:o}", "registers", json_number(k->live[peak].registers), "index", json_number(peak)));
    json_open(s, "instructions", '[');
    for (uint32_t i = 0; i < k->instruction_count; i++)
        json_part(s, NULL,
                  json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "pc", json_number(k->instructions[i].pc), "text",
                            k->instructions[i].text, "live", json_number(k->live[i].registers), "change",
                            json_integer(change_at(k, i)), "after", json_number(k->live[i].after), "predicates",
                            json_number(k->live[i].predicates)));
    json_close(s, ']');
    json_close(s, '}');
}

static json_t *json_extent(const struct live_extent *e, const char *where)
{
    return json_pack("{s:o, s:o, s:o, s:f}", "peak", json_number(e->peak), "peak_cycle", json_number(e->peak_cycle),
                     where, json_number(e->where), "mean", mean(e->sum, e->cycles));
}

static bool json_launches(struct json_stream *s, const struct live_request *r, struct rp_error *err)
{
    struct live_path p;
    json_open(s, "launches", '[');
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++) {
        if (!chosen(r, l))
            continue;
        if (!live_path(r->trace, l, &p, err))
            return false;
        uint32_t kernel = rp_trace_launch(r->trace, l)->kernel;
        json_t *launch = json_pack("{s:o}", "launch", json_number(l));
        json_put_kernel(launch, rp_trace_kernel(r->trace, kernel)->name);
        json_join(launch, json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "kernel_index", json_number(kernel), "warps",
                                    json_number(p.warps), "warp_instructions", json_number(p.instructions), "peak",
                                    json_number(p.peak), "peak_index", json_number(p.peak_index), "mean",
                                    mean(p.sum, p.instructions)));
        json_part(s, NULL, launch);
    }
    json_close(s, ']');
    return true;
}

/* Steps that may fail come first, so that an error leaves no incomplete document. */
int live_print_json(const struct live_request *r)
{
    struct json_stream s = {.name = "registers"};
    struct rp_error err;
    struct live_time t;
    struct live_path ignored;
    if (!live_check(r->trace, &err))
        return command_fail(&err);
    for (uint32_t l = 0; l < rp_trace_launch_count(r->trace); l++)
        if (chosen(r, l) && !live_path(r->trace, l, &ignored, &err))
            return command_fail(&err);
    if (r->machine && !live_time(r->trace, r->machine, r->launch, NULL, &t, &err))
        return command_fail(&err);
    json_document_open(&s);
    json_part(&s, "trace", json_pack("{s:o}", "file", json_text(r->file)));
    json_open(&s, "kernels", '[');
    for (uint32_t k = 0; k < rp_trace_kernel_count(r->trace); k++)
        if (kernel_chosen(r, k))
            json_kernel(&s, rp_trace_kernel(r->trace, k));
    json_close(&s, ']');
    if (!json_launches(&s, r, &err))
        return command_fail(&err);
    if (r->machine) {
        json_part(&s, "machine", machine_json(r->machine));
        json_part(&s, "time",
                  json_pack("{s:o, s:o, s:o, s:o}", "cycles", json_number(t.cycles), "warp",
                            json_extent(&t.warp, "peak_index"), "subcore", json_extent(&t.subcore, "subcore"), "sm",
                            json_extent(&t.sm, "sm")));
    }
    json_close(&s, '}');
    return json_stream_end(&s);
}
