/* reprise dump: what one warp executed, one instruction per line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/base/trace_semantics.h"
#include "tools/dump/host_operation.h"
#include "tools/dump/issue_times.h"
#include "tools/hotspots/source.h"
#include "tools/lib/command.h"
#include "tools/lib/json.h"
#include "tools/lib/names.h"
#include "tools/lib/number.h"
#include "tools/replaying/options.h"
#include "tools/replaying/shares.h"
#include "tools/ui/table.h"
#include "tools/ui/wrapped.h"
#include "tracefmt/file_write.h"
#include "tracefmt/reader.h"

struct dump {
    const char *file, *block_text;
    uint64_t launch, warp, limit;
    uint64_t block;
    bool json, csv, host, source, cycles;
    struct machine_args machine_args;
    struct machine *machine;  /* with --cycles */
    struct issue_times times; /* the same */
    size_t timed;             /* instructions that issued among those printed */
    const struct rp_kernel *kernel;
    struct rp_trace *trace;
    struct wrapped line;
};

enum { KEY_SOURCE = 256, KEY_CYCLES };

static const struct option_row rows[] = {
    {"launch", 'l', "N", "Launch, from 0 (0)"},
    {"block", 'b', "N|X,Y,Z", "Block, as linear index (x fastest) or as coordinates; 3x1 is the same as 3,1 (0)"},
    {"warp", 'w', "N", "Warp within the block (0)"},
    {"limit", 'n', "N", "Stop after N instructions (none)"},
    {"source", KEY_SOURCE, NULL, "Print each instruction's place in the source, too, and the calls inlined there"},
    {"cycles", KEY_CYCLES, NULL,
     "Print in which cycle of its launch each instruction issues on the machine, and when its result is there"},
    ROWS_MACHINE("The machine for --cycles", ""),
    {"host", 'H', NULL, "Print what the host did instead, in order with the launches"},
    ROW_JSON(""),
    ROW_CSV("a row per instruction or, with --host, per operation,", ""),
    {0},
};

static uint64_t number(const struct command_line *line, const char *option, const char *text)
{
    uint64_t value;
    struct rp_error err;
    command_check(line, read_size(text, UINT64_MAX, option, &value, &err), &err);
    return value;
}

static void dump_option(struct command_line *line, int key, char *arg)
{
    struct dump *d = line->input;
    const struct shared_values shared = {
        .trace = &d->file, .machine = &d->machine_args, .json = &d->json, .csv = &d->csv};
    if (shared_option(line, key, arg, &shared))
        return;
    switch (key) {
    case 'l': d->launch = number(line, "--launch", arg); break;
    case 'b': d->block_text = arg; break;
    case 'w': d->warp = number(line, "--warp", arg); break;
    case 'n': d->limit = number(line, "--limit", arg); break;
    case KEY_SOURCE: d->source = true; break;
    case KEY_CYCLES: d->cycles = true; break;
    case 'H': d->host = true; break;
    case KEY_END:
        if (!d->file)
            command_usage(line, "which trace? Example: reprise dump mm.wtr --launch 0 --block 0 --warp 0");
        if (!d->cycles && (d->machine_args.machine || d->machine_args.count))
            command_usage(line,
                          "--%s is for --cycles, which replays the trace. Example: reprise dump mm.wtr --cycles "
                          "--machine jetson-tx2",
                          d->machine_args.machine ? "machine" : "set");
        if (d->cycles && !d->machine_args.machine)
            command_usage(line,
                          "--cycles: on which machine? Example: reprise dump mm.wtr --cycles --machine jetson-tx2");
    }
}

static bool check(struct dump *d, struct rp_error *err)
{
    if (!rp_trace_launch_count(d->trace))
        return rp_fail(err, RP_BAD_INPUT, "%s has no launches", d->file);
    if (d->launch >= rp_trace_launch_count(d->trace))
        return rp_fail(err, RP_USAGE, "%s: there is no launch %" PRIu64 "; the trace has %" PRIu32, d->file, d->launch,
                       rp_trace_launch_count(d->trace));
    const struct rp_launch *l = rp_trace_launch(d->trace, (uint32_t)d->launch);
    if (d->block_text && !read_block(d->block_text, l->grid, &d->block, err))
        return false;
    if (d->block >= rp_launch_blocks(l))
        return rp_fail(err, RP_USAGE, "--block: launch %" PRIu64 " has blocks 0 to %" PRIu64, d->launch,
                       rp_launch_blocks(l) - 1);
    if (d->warp >= rp_launch_warps(l))
        return rp_fail(err, RP_USAGE, "--warp: each block has warps 0 to %" PRIu32, rp_launch_warps(l) - 1);
    return true;
}

#define TEXT_AT 26 /* the column in which an instruction begins */

static void print_addresses(const struct rp_dynamic_access *a, FILE *to)
{
    uint64_t address[RP_WARP_LANES];
    rp_access_addresses(a, address);
    for (rp_lanemask rest = a->pattern->mask, first = rest & -rest; rest; rest &= rest - 1)
        fprintf(to, "%s0x%" PRIx64, rest & first ? "" : ",", address[__builtin_ctz(rest)]);
}

static bool aux_has_arrivals(const struct rp_memory_operand *m)
{
    return m->object != RP_OBJECT_UNKNOWN && m->object != RP_OBJECT_TEST && m->object != RP_OBJECT_BYTES &&
           m->object != RP_OBJECT_INVALIDATE;
}

/* Prints what the trace holds of an operand beside its addresses. */
static void print_operand_aux(const struct rp_memory_operand *m, const uint64_t *aux, FILE *to)
{
    if (m->kind == RP_ACCESS_OBJECT) {
        fprintf(to, " phase=%" PRIu64 "%s bytes=%+" PRId64, rp_object_phase(*aux),
                rp_object_waits(*aux) ? ",waits" : "", (int64_t)aux[1]);
        if (m->object != RP_OBJECT_UNKNOWN)
            fprintf(to, " %s", rp_object_operation_name((enum rp_object_operation)m->object));
        if (aux_has_arrivals(m))
            fprintf(to, "=%" PRIu64, aux[2]);
    } else if (rp_operand_aux_count(m))
        fprintf(to, " bytes=%" PRIu64, rp_bulk_bytes(*aux));
    if (m->kind == RP_ACCESS_BULK_STORE && rp_bulk_blocks(*aux))
        fprintf(to, " blocks=0x%" PRIx32, rp_bulk_blocks(*aux));
}

static void print_access(const struct rp_memory_operand *m, const struct rp_dynamic_access *a, FILE *to)
{
    const struct rp_pattern *p = a->pattern;
    fprintf(to, "%s:", rp_space_name((enum rp_space)m->space));
    if (p->kind == RP_PATTERN_UNIFORM)
        fprintf(to, "0x%" PRIx64, a->base);
    else if (p->kind == RP_PATTERN_AFFINE)
        fprintf(to, "0x%" PRIx64 "%+" PRId64 "*lane", a->base, p->stride);
    else
        print_addresses(a, to);
}

static void print_accesses(const struct rp_step *s, const char *between, FILE *to)
{
    const struct rp_instruction *in = s->instruction;
    for (uint32_t m = 0; s->executed && m < in->memory_count; m++) {
        fputs(m ? between : "", to);
        print_access(&in->memory[m], &s->accesses[m], to);
        print_operand_aux(&in->memory[m], rp_step_operand_aux(s, m), to);
    }
}

static void print_aux(const struct rp_step *s, FILE *to)
{
    for (unsigned i = 0; s->executed && i < rp_aux_count(s->instruction); i++)
        fprintf(to, "%s0x%" PRIx64, i ? "," : "", s->aux_values[i]);
}

/* The times of the next instruction that is printed. NULL: the instruction takes no issue slot, or the replay ended
 * before it. */
static const struct issue_time *next_time(struct dump *d, const struct rp_step *s)
{
    if ((!d->machine->issue_exit && is_plain_exit(s->instruction)) || d->timed == d->times.count)
        return NULL;
    return &d->times.list[d->timed++];
}

/* Prints the times in columns of the given form; `none` stands for a time that is not known. */
static void print_times(struct dump *d, const struct rp_step *s, const char *form, const char *none, FILE *to)
{
    const struct issue_time *t = next_time(d, s);
    char text[24];
    const uint64_t cycles[] = {t ? t->issue : 0, t ? t->done : 0};
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%" PRIu64, cycles[i]);
        fprintf(to, form, t ? text : none);
    }
}

static void print_step(struct dump *d, const struct rp_step *s)
{
    const struct rp_instruction *in = s->instruction;
    bool accesses = s->executed && in->memory_count, aux = s->executed && in->flags & RP_HAS_AUX;
    FILE *to = d->line.pieces;
    if (d->cycles)
        print_times(d, s, "%9s ", "-", to);
    fprintf(to, "%06" PRIx64 "  %08" PRIx32 " %08" PRIx32 "  ", in->pc, s->active, s->executed);
    long begin = ftell(to);
    print_plain_names(in->text, to);
    if (accesses || aux || d->source)
        fprintf(to, "%*s", begin + 36 > ftell(to) ? (int)(begin + 36 - ftell(to)) : 0, "");
    fputs(accesses ? "  " : "", to);
    print_accesses(s, "  ", to);
    fputs(aux ? "  aux=" : "", to);
    print_aux(s, to);
    fputs(d->source ? "  " : "", to);
    if (d->source)
        print_source_chain(d->kernel, in, print_plain_names, to);
    wrapped_line(&d->line, d->cycles ? TEXT_AT + 20 : TEXT_AT, stdout);
}

/* ---- CSV: a row as it comes ---------------------------------------------------------------------------------------
 */

/* The text of the line so far, as a table cell. */
static void csv_piece(struct dump *d, char end)
{
    putc(0, d->line.pieces);
    if (!fflush(d->line.pieces) && d->line.text)
        csv_cell(d->line.text, stdout);
    rewind(d->line.pieces);
    putchar(end);
}

static void csv_step(struct dump *d, const struct rp_step *s)
{
    const struct rp_instruction *in = s->instruction;
    if (d->cycles)
        print_times(d, s, "%s,", "", stdout);
    printf("%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",", in->pc, s->active, s->executed);
    csv_cell(in->text, stdout);
    putchar(',');
    print_accesses(s, " ", d->line.pieces);
    csv_piece(d, ',');
    print_aux(s, d->line.pieces);
    csv_piece(d, d->source ? ',' : '\n');
    if (d->source)
        print_source_chain(d->kernel, in, print_plain_names, d->line.pieces);
    if (d->source)
        csv_piece(d, '\n');
}

/* ---- JSON: as a stream: a warp's instructions need not fit in memory ------------------------------------ */

/* Prints the addresses of the lanes in the access's mask, lowest lane first. */
static json_t *json_access(const struct rp_memory_operand *m, const struct rp_dynamic_access *a, const uint64_t *aux)
{
    uint64_t address[RP_WARP_LANES];
    json_t *list = json_array();
    rp_access_addresses(a, address);
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        if (a->pattern->mask >> l & 1)
            json_add(list, json_sprintf("0x%" PRIx64, address[l]));
    json_t *out = json_pack("{s:s, s:o, s:o}", "space", rp_space_name((enum rp_space)m->space), "width",
                            json_number(m->width), "addresses", list);
    if (out && m->kind == RP_ACCESS_OBJECT) {
        json_put(out, "phase", json_number(rp_object_phase(*aux)));
        json_put(out, "waits", json_boolean(rp_object_waits(*aux)));
        json_put(out, "transaction_bytes", json_integer((json_int_t)aux[1]));
        if (m->object != RP_OBJECT_UNKNOWN) {
            json_put(out, "operation", json_string(rp_object_operation_name((enum rp_object_operation)m->object)));
            json_put(out, "arrivals", json_number(aux[2]));
        }
    } else if (out && rp_operand_aux_count(m)) {
        json_put(out, "bytes", json_number(rp_bulk_bytes(*aux)));
        if (rp_bulk_blocks(*aux))
            json_put(out, "blocks", json_sprintf("0x%" PRIx32, rp_bulk_blocks(*aux)));
    }
    return out;
}

static json_t *json_values(const struct rp_step *s)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < rp_aux_count(s->instruction); i++)
        json_add(list, json_sprintf("0x%" PRIx64, s->aux_values[i]));
    return list;
}

static void json_times(json_t *out, const struct issue_time *t)
{
    json_put(out, "issue", t ? json_number(t->issue) : json_null());
    json_put(out, "dispatch", t ? json_number(t->dispatch) : json_null());
    json_put(out, "done", t ? json_number(t->done) : json_null());
}

static json_t *json_step(struct dump *d, const struct rp_step *s)
{
    const struct rp_instruction *in = s->instruction;
    json_t *accesses = json_array();
    for (uint32_t m = 0; s->executed && m < in->memory_count; m++)
        json_add(accesses, json_access(&in->memory[m], &s->accesses[m], rp_step_operand_aux(s, m)));
    json_t *out = json_pack("{s:o, s:o, s:o, s:s, s:o}", "pc", json_number(in->pc), "active", json_number(s->active),
                            "executed", json_number(s->executed), "text", in->text, "accesses", accesses);
    if (out && s->executed && in->flags & RP_HAS_AUX)
        json_put(out, "aux", json_sprintf("0x%" PRIx64, s->aux));
    if (out && s->executed && rp_aux_count(in) > 1)
        json_put(out, "aux_values", json_values(s));
    if (out && d->cycles)
        json_times(out, next_time(d, s));
    if (out && d->source)
        json_put(out, "source", source_chain_json(d->kernel, in));
    return out;
}

/* Prints a value and frees it; `embed`: without the outer braces. */
static bool print_value(json_t *json, bool embed, struct rp_error *err)
{
    bool ok = json && !json_dumpf(json, stdout, embed ? JSON_EMBED : 0);
    int why = errno;
    json_decref(json);
    if (ferror(stdout))
        return rp_fail(err, RP_SYSTEM, "cannot write to standard output: %s", file_write_error(why));
    return ok || rp_fail(err, RP_SYSTEM, "the result cannot be put into JSON");
}

static bool print_json_head(const struct dump *d, struct rp_error *err)
{
    putchar('{');
    json_t *head = json_document("dump");
    json_join(head, json_pack("{s:{s:o}, s:o}", "trace", "file", json_text(d->file), "launch", json_number(d->launch)));
    json_put_kernel(head, d->kernel->name);
    json_join(head, json_pack("{s:o, s:o}", "block", json_number(d->block), "warp", json_number(d->warp)));
    bool ok = print_value(head, true, err);
    if (d->cycles) {
        fputs(", ", stdout);
        ok = ok && print_value(json_pack("{s:o}", "machine", machine_json(d->machine)), true, err);
    }
    fputs(", \"instructions\": [", stdout);
    return ok;
}

/* `whole`: the trace was read without an error. */
static bool print_json_end(bool whole, struct rp_error *err)
{
    fputs("\n], ", stdout);
    struct rp_error damage = *err;
    bool ok = print_value(json_pack("{s:o}", "error", whole ? json_null() : json_text(damage.text)), true, err);
    puts("}");
    return ok;
}

/* ---- a warp ------------------------------------------------------------------------------------------------------ */

static bool print_steps(struct dump *d, struct rp_cursor *c, struct rp_error *err)
{
    struct rp_step s;
    int more = 1;
    for (uint64_t count = 0; !d->limit || count < d->limit; count++) {
        if (ferror(stdout) || (more = rp_cursor_next(c, &s, err)) != 1)
            break;
        if (!d->json) {
            (d->csv ? csv_step : print_step)(d, &s);
            continue;
        }
        fputs(count ? ",\n  " : "\n  ", stdout);
        if (!print_value(json_step(d, &s), false, err))
            return false;
    }
    return more >= 0;
}

static bool print_warp(struct dump *d, struct rp_block *b, struct rp_error *err)
{
    struct rp_cursor c;
    if (!rp_cursor_open(&c, b, (uint32_t)d->warp, err))
        return false;
    bool ok = true;
    if (d->json)
        ok = print_json_head(d, err);
    else if (d->cycles)
        fputs(d->csv ? "issue,done," : "    issue      done ", stdout);
    if (d->csv && !d->json)
        puts(d->source ? "pc,active,executed,text,addresses,aux,source" : "pc,active,executed,text,addresses,aux");
    else if (!d->json)
        puts("pc      active   executed instruction, addresses (lane counts from the lowest executed lane)");
    ok = ok && print_steps(d, &c, err);
    if (d->json)
        ok = print_json_end(ok, err) && ok;
    rp_cursor_close(&c);
    return ok;
}

static bool dump(struct dump *d, struct rp_error *err)
{
    if (rp_trace_damage(d->trace))
        fprintf(stderr, "reprise: warning: %s\n", rp_trace_damage(d->trace));
    if (!check(d, err))
        return false;
    d->kernel = rp_trace_kernel(d->trace, rp_trace_launch(d->trace, (uint32_t)d->launch)->kernel);
    struct rp_block *b = rp_block_open(d->trace, (uint32_t)d->launch, d->block, err);
    if (!b)
        return false;
    d->times = (struct issue_times){.launch = (uint32_t)d->launch,
                                    .block = d->block,
                                    .warp = (uint32_t)d->warp,
                                    .most = d->limit ? d->limit : UINT64_MAX};
    bool ok = (!d->cycles || issue_times_find(&d->times, d->trace, d->machine, err)) && print_warp(d, b, err);
    rp_block_close(b);
    return ok;
}

/* ---- the host -----------------------------------------------------------------------------------------------------
 */

static void print_operation(const struct rp_host_operation *o, FILE *to)
{
    fprintf(to, "%-8" PRIu32 " %-8" PRIu32 " ", o->launch, o->stream);
    host_operation_print(o, to);
}

static void csv_operation(const struct rp_host_operation *o)
{
    bool copy = o->kind == RP_HOST_COPY, event = o->kind >= RP_HOST_SYNCHRONISE_EVENT;
    printf("%" PRIu32 ",%" PRIu32 ",%s,", o->launch, o->stream, rp_host_kind_name((enum rp_host_kind)o->kind));
    if (!event)
        printf("0x%" PRIx64 ",%" PRIu64, o->address, o->size);
    else
        putchar(',');
    if (copy)
        printf(",%s,0x%" PRIx64 ",", rp_copy_direction_name((enum rp_copy_direction)o->direction), o->source);
    else
        printf(",,,");
    csv_cell(o->kind == RP_HOST_ALLOCATE ? o->name : "", stdout);
    putchar(',');
    if (event)
        printf("%" PRIu32, o->event);
    printf(",%" PRIu32 ",", o->device);
    if (copy)
        printf("%" PRIu32 ",%" PRIu32, o->to, o->from);
    else
        putchar(',');
    putchar('\n');
}

static json_t *json_operation(const struct rp_host_operation *o)
{
    json_t *out = json_pack("{s:o, s:o, s:s, s:o, s:o}", "launches_before", json_number(o->launch), "stream",
                            json_number(o->stream), "kind", rp_host_kind_name((enum rp_host_kind)o->kind), "address",
                            json_sprintf("0x%" PRIx64, o->address), "bytes", json_number(o->size));
    json_put(out, "device", json_number(o->device));
    if (o->kind == RP_HOST_COPY || o->kind == RP_HOST_SET)
        json_put(out, "host_waits", json_boolean(rp_host_waits(o)));
    if (o->kind == RP_HOST_COPY) {
        json_put(out, "source", json_sprintf("0x%" PRIx64, o->source));
        json_put(out, "direction", json_string(rp_copy_direction_name((enum rp_copy_direction)o->direction)));
        json_put(out, "to", json_number(o->to));
        json_put(out, "from", json_number(o->from));
    } else if (o->kind == RP_HOST_ALLOCATE) {
        json_put(out, "name", json_string(o->name));
        json_put(out, "initialised", json_boolean(o->initialised));
        json_put(out, "managed", json_boolean(o->managed));
    } else if (o->kind == RP_HOST_CREATE_STREAM) {
        json_put(out, "non_blocking", json_boolean(o->non_blocking));
    } else if (o->kind >= RP_HOST_SYNCHRONISE_EVENT) {
        json_put(out, "event", json_number(o->event));
    }
    return out;
}

static bool print_host_head(const struct dump *d, struct rp_error *err)
{
    putchar('{');
    json_t *head = json_document("dump-host");
    json_put(head, "trace", json_pack("{s:o}", "file", json_text(d->file)));
    return print_value(head, true, err);
}

static bool dump_host(struct dump *d, struct rp_error *err)
{
    size_t all = rp_trace_host_operation_count(d->trace), count = d->limit && d->limit < all ? (size_t)d->limit : all;
    bool ok = !d->json || print_host_head(d, err);
    puts(d->json  ? ", \"host_operations\": ["
         : d->csv ? "launches_before,stream,kind,address,bytes,direction,source,name,event,device,to,from"
                  : "launches stream   operation");
    for (size_t i = 0; ok && i < count && !ferror(stdout); i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(d->trace, i);
        if (d->json) {
            fputs(i ? ",\n  " : "  ", stdout);
            ok = print_value(json_operation(o), false, err);
        } else if (d->csv) {
            csv_operation(o);
        } else {
            print_operation(o, d->line.pieces);
            wrapped_line(&d->line, 37, stdout);
        }
    }
    if (d->json)
        puts("\n]}");
    return ok;
}

static int dump_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct dump d = {0};
    struct shares shares;
    struct rp_error err = {0};
    command_parse(&line, c, argc, argv, &d);
    if (!(d.trace = trace_of_launches(d.file, &err)))
        return command_fail(&err);
    if (d.cycles && !(d.machine = shares_machine_open(&d.machine_args, NULL, 0, d.trace, -1, 1, &shares, &err))) {
        rp_trace_close(d.trace);
        return command_fail(&err);
    }
    bool ok = wrapped_open(&d.line) ? d.host ? dump_host(&d, &err) : dump(&d, &err)
                                    : rp_fail(&err, RP_SYSTEM, "out of memory");
    wrapped_free(&d.line);
    issue_times_free(&d.times);
    machine_free(d.machine);
    bool whole = !rp_trace_damage(d.trace);
    rp_trace_close(d.trace);
    return !ok ? command_fail(&err) : whole ? RP_OK : RP_PARTIAL;
}

static const struct command_example examples[] = {
    {"The first warp of the first block", "reprise dump mm.wtr"},
    {"The first 20 instructions of a warp of block (3,1)", "reprise dump mm.wtr --block 3,1 --warp 2 --limit 20"},
    {"When they issue on a machine", "reprise dump mm.wtr --cycles --machine jetson-tx2 --limit 20"},
    {"For programs", "reprise dump mm.wtr --warp 3 --json"},
    {NULL, NULL},
};
const struct command command_dump = {
    .name = "dump",
    .summary = "print what one warp did, an instruction a line",
    .usage = "TRACE",
    .about =
        "Prints what one warp did, one executed instruction a line: place, lanes on the path, lanes that executed, "
        "text, addresses.\n"
        "Addresses are space:base, or base+stride*lane where they are regular, or a list. Lines of more than 120 "
        "columns go "
        "on in the next. In JSON there is one for "
        "each executed lane, lowest lane first, as hexadecimal text. The numbers active and executed have bit N set "
        "for lane N. error is null, or says where damage ended the list.\n"
        "With --source: file:line, and for code of inlined functions which, and where they were called. In JSON source "
        "lists these places, innermost first, each with its function; the last is in the kernel.\n"
        "With --cycles: the cycle of the launch, alone on the machine, in which each instruction issues, and the one "
        "in "
        "which its result can be used; in JSON also dispatch, when its unit takes it. An exit that takes no issue slot "
        "has none.\n"
        "With --host: allocations, copies and the like, each with how many launches began before it.",
    .options = rows,
    .examples = examples,
    .option = dump_option,
    .run = dump_run,
};
