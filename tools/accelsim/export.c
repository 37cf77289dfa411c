/* Writes the files that Accel-Sim reads: a list of copies and kernels, and a text file for each launch. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/accelsim/import.h"
#include "tools/accelsim/opcodes.h"
#include "tools/lib/output.h"
#include "tools/ui/progress.h"
#include "tracefmt/reader.h"

#define TRACER 3 /* the version of the format, which Accel-Sim 1.2 and later read */
#define TRACER_WITH_LINES 5
#define MOST_DST 1 /* destination registers of an instruction that Accel-Sim has room for */
#define MOST_SRC 4

struct session {
    struct accelsim_export *job;
    struct rp_trace *trace;
    FILE *to;
    const struct rp_kernel *kernel;
    const struct rp_launch *launch;
    char **heads; /* by static instruction: its text before the addresses */
    bool lines;
    uint64_t total;
    struct progress progress;
};

static bool no_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory"); }

/* ---- static instructions ----------------------------------------------------------------------------------------- */

/* The register's number in Accel-Sim's trace. 255 is RZ there, so numbers of PTX from 255 on are one higher. */
static unsigned register_number(rp_register r)
{
    unsigned index = rp_register_index(r);
    return r == RP_REGISTER_ZERO ? 255 : index >= 255 ? index + 1 : index;
}

/* Whether the trace was imported from Accel-Sim. Such a trace keeps all registers and opcodes, known or not. */
static bool was_imported(const struct rp_trace *t)
{
    const struct rp_provenance *p = rp_trace_provenance(t);
    for (uint32_t i = 0; p && i < p->option_count; i++)
        if (!strcmp(p->options[i].key, "import") && !strcmp(p->options[i].value, "accelsim"))
            return true;
    return false;
}

/* Prints the first general register of each operand, as many as Accel-Sim reads. `all`: prints all registers, for an
 * imported trace. */
static void print_registers(FILE *to, const rp_register *list, uint32_t count, unsigned most, bool all)
{
    static const char *const names[RP_FILE_COUNT] = {"R", "P", "UR", "UP", "R"};
    unsigned n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += n < most && (all || rp_register_file(list[i]) == RP_FILE_GENERAL);
    fprintf(to, "%u", n);
    for (uint32_t i = 0; i < count && n; i++)
        if (all || rp_register_file(list[i]) == RP_FILE_GENERAL) {
            fprintf(to, " %s%u", names[rp_register_file(list[i])], register_number(list[i]));
            n--;
        }
}

static void print_opcode(FILE *to, const struct rp_instruction *in)
{
    char name[64];
    size_t n = strcspn(in->text, " ;");
    if (n < sizeof name) {
        memcpy(name, in->text, n);
        name[n] = 0;
    }
    if (n >= sizeof name || !(n && *name >= 'A' && *name <= 'Z' && opcode_find(name)))
        opcode_for(in, name, sizeof name);
    fputs(name, to);
}

static char *head_of(const struct session *s, const struct rp_instruction *in)
{
    char *text = NULL;
    size_t size;
    bool kept = was_imported(s->trace);
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print_registers(to, in->dst, in->dst_count, kept ? UINT32_MAX : MOST_DST, kept);
    fputc(' ', to);
    if (kept)
        fprintf(to, "%.*s", (int)strcspn(in->text, " "), in->text);
    else
        print_opcode(to, in);
    fputc(' ', to);
    uint32_t sources =
        in->src_count - (kept && in->flags & RP_GUARDED); /* the last source is the guard, which the import added */
    print_registers(to, in->src, sources, kept ? UINT32_MAX : MOST_SRC, kept);
    fprintf(to, " %" PRIu32, in->memory_count ? in->memory[0].width : 0);
    bool failed = ferror(to);
    if (!fclose(to) && !failed)
        return text;
    free(text);
    return NULL;
}

static void free_texts(struct session *s)
{
    for (uint32_t i = 0; i < s->kernel->instruction_count; i++) {
        free(s->heads ? s->heads[i] : NULL);
    }
    free(s->heads);
    s->heads = NULL;
}

static bool make_texts(struct session *s, struct rp_error *err)
{
    uint32_t count = s->kernel->instruction_count;
    s->lines = false;
    s->heads = calloc(count, sizeof *s->heads);
    if (!s->heads)
        return no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct rp_instruction *in = &s->kernel->instructions[i];
        s->lines |= in->line != 0;
        if (!(s->heads[i] = head_of(s, in)))
            return no_memory(err);
    }
    return true;
}

/* The text after the addresses of an imported instruction. */
static const char *tail_of(const struct rp_instruction *in)
{
    const char *tail = strstr(in->text, " ; ");
    return tail ? tail + 3 : "";
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void print_addresses(FILE *to, const struct rp_step *step)
{
    uint64_t address[RP_WARP_LANES], last = 0;
    const struct rp_dynamic_access *a = &step->accesses[0];
    rp_lanemask m = step->executed, lowest = m & -m;
    if (!m) {
        fputs(" 1 0x0 0", to);
        return;
    }
    memset(address, 0, sizeof address);
    rp_access_addresses(a, address);
    rp_lanemask run = m / lowest;
    bool affine = a->pattern->kind != RP_PATTERN_GENERAL && a->pattern->mask == m && !(run & (run + 1)) && run > 1;
    int64_t stride = a->pattern->kind == RP_PATTERN_AFFINE ? a->pattern->stride : 0;
    if (affine && stride >= INT32_MIN && stride <= INT32_MAX) {
        fprintf(to, " 1 0x%" PRIx64 " %" PRId64, a->base, stride);
        return;
    }
    fprintf(to, " 2 0x%" PRIx64, address[__builtin_ctz(m)]);
    last = address[__builtin_ctz(m)];
    for (m &= m - 1; m; m &= m - 1) {
        uint64_t here = address[__builtin_ctz(m)];
        fprintf(to, " %" PRId64, (int64_t)(here - last));
        last = here;
    }
}

static void print_step(struct session *s, const struct rp_step *step)
{
    const struct rp_instruction *in = step->instruction;
    const char *tail = tail_of(in);
    if (s->lines)
        fprintf(s->to, "%" PRIu32 " ", in->line);
    fprintf(s->to, "%04" PRIx64 " %08" PRIx32 " %s", in->pc, step->executed, s->heads[step->index]);
    if (in->memory_count && in->memory[0].width)
        print_addresses(s->to, step);
    fprintf(s->to, "%s%s \n", *tail ? " " : "", tail);
    s->job->left_out += in->memory_count > 1 && step->executed;
    s->job->barriers += in->barrier.kind == RP_BARRIER_ARRIVE ||
                        (in->barrier.kind == RP_BARRIER_LAUNCH && rp_launch_blocks(s->launch) > 1) ||
                        ((in->barrier.kind == RP_BARRIER_SYNC || in->barrier.kind == RP_BARRIER_REDUCE) &&
                         (in->barrier.id || in->barrier.count));
    s->job->warp_instructions++;
}

static bool count_steps(struct rp_block *block, uint32_t warp, uint64_t *count, struct rp_error *err)
{
    struct rp_cursor c;
    struct rp_step step;
    int more;
    *count = 0;
    if (!rp_cursor_open(&c, block, warp, err))
        return false;
    while ((more = rp_cursor_next(&c, &step, err)) > 0)
        ++*count;
    rp_cursor_close(&c);
    return more == 0;
}

static bool export_warp(struct session *s, struct rp_block *block, uint32_t warp, struct rp_error *err)
{
    struct rp_cursor c;
    struct rp_step step;
    uint64_t count;
    int more;
    if (!count_steps(block, warp, &count, err) || !rp_cursor_open(&c, block, warp, err))
        return false;
    fprintf(s->to, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp, count);
    while ((more = rp_cursor_next(&c, &step, err)) > 0)
        print_step(s, &step);
    rp_cursor_close(&c);
    progress_update(&s->progress, s->job->warp_instructions, s->total, 0, NULL);
    return more == 0;
}

static bool export_block(struct session *s, uint32_t launch, uint64_t index, struct rp_error *err)
{
    const uint32_t *grid = s->launch->grid;
    struct rp_block *block = rp_block_open(s->trace, launch, index, err);
    bool fine = block;
    if (!fine)
        return false;
    fprintf(s->to, "#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", index % grid[0],
            index / grid[0] % grid[1], index / grid[0] / grid[1]);
    for (uint32_t w = 0; fine && w < rp_block_warps(block); w++)
        fine = export_warp(s, block, w, err);
    fputs("\n#END_TB\n\n", s->to);
    rp_block_close(block);
    s->job->blocks++;
    return fine;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static const char *provenance_value(const struct rp_trace *t, const char *key, const char *otherwise)
{
    const struct rp_provenance *p = rp_trace_provenance(t);
    for (uint32_t i = 0; p && i < p->option_count; i++)
        if (!strcmp(p->options[i].key, key))
            return p->options[i].value;
    return otherwise;
}

/* The version by which Accel-Sim chooses its table of opcodes. It has none for Maxwell and PTX, and for only a few of
 * the smaller chips. */
static unsigned binary_version(const char *isa, bool kept)
{
    unsigned n = 0;
    bool is = sscanf(isa, "sm_%u", &n) == 1;
    return kept ? n : !is ? 75 : n < 60 || n == 62 ? 61 : n == 72 ? 70 : n == 87 || n == 89 ? 86 : n;
}

static void print_header(struct session *s, uint32_t number)
{
    const struct rp_kernel *k = s->kernel;
    const struct rp_launch *l = s->launch;
    const char *tracer = provenance_value(s->trace, "accelsim.tracer", NULL);
    unsigned version = s->lines ? TRACER_WITH_LINES : TRACER;
    if (tracer && atoi(tracer) > (int)version)
        version = (unsigned)atoi(tracer);
    s->job->clusters += rp_launch_cluster(l) > 1;
    fprintf(s->to, "-kernel name = %s\n-kernel id = %" PRIu32 "\n", k->name, number + 1);
    fprintf(s->to, "-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", l->grid[0], l->grid[1], l->grid[2]);
    fprintf(s->to, "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", l->block[0], l->block[1], l->block[2]);
    fprintf(s->to, "-shmem = %" PRIu64 "\n-nregs = %" PRIu32 "\n", (uint64_t)k->static_shared + l->dynamic_shared,
            k->registers);
    fprintf(s->to, "-binary version = %u\n-cuda stream id = %" PRIu32 "\n",
            binary_version(k->isa, was_imported(s->trace)), l->stream);
    fprintf(s->to, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n", l->shared_window,
            l->local_window);
    fprintf(s->to, "-nvbit version = %s\n-accelsim tracer version = %u\n",
            provenance_value(s->trace, "accelsim.nvbit", "none"), version);
    if (s->lines)
        fputs("-enable lineinfo = 1\n", s->to);
    fprintf(s->to,
            "\n#traces format = %sPC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] [mem_addresses]\n\n\n",
            s->lines ? "[line_num] " : "");
}

static void print_copies(FILE *to, const struct rp_trace *t, uint32_t launch)
{
    for (size_t i = 0; i < rp_trace_host_operation_count(t); i++) {
        const struct rp_host_operation *o = rp_trace_host_operation(t, i);
        if (o->launch != launch || o->kind != RP_HOST_COPY)
            continue;
        if (o->direction == RP_COPY_TO_DEVICE)
            fprintf(to, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", o->address, o->size);
        else if (o->direction == RP_COPY_TO_HOST)
            fprintf(to, "MemcpyDtoH,0x%016" PRIx64 ",%" PRIu64 "\n", o->source, o->size);
    }
}

/* Prints the host's copies into buffers before the first launch, for traces that record no copies. */
static bool print_filled(FILE *to, struct rp_trace *t, struct rp_error *err)
{
    struct rp_allocation *list;
    size_t count;
    if (rp_trace_host_operation_count(t) || !rp_trace_launch_count(t))
        return true;
    if (!rp_trace_allocations(t, 0, &list, &count, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (list[i].initialised)
            fprintf(to, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", list[i].base, list[i].size);
    free(list);
    return true;
}

static bool export_launch(struct session *s, uint32_t launch, struct rp_error *err)
{
    char path[4200];
    s->launch = rp_trace_launch(s->trace, launch);
    s->kernel = rp_trace_kernel(s->trace, s->launch->kernel);
    snprintf(path, sizeof path, "%s/kernel-%" PRIu32 ".traceg", s->job->folder, launch + 1);
    struct output *out = output_open(path, err);
    if (!out)
        return false;
    s->to = out->to;
    bool fine = make_texts(s, err);
    if (fine)
        print_header(s, launch);
    uint64_t blocks = rp_trace_launch_totals(s->trace, launch).blocks;
    for (uint64_t b = 0; fine && b < blocks; b++)
        fine = export_block(s, launch, b, err);
    free_texts(s);
    s->job->launches += fine;
    const struct rp_launch_end *end = rp_trace_launch_end(s->trace, launch);
    s->job->partial += !end || end->outcome == RP_OUTCOME_FAULT || blocks < rp_launch_blocks(s->launch);
    return output_close(out, fine, fine ? err : NULL) && fine;
}

static bool export_list(struct session *s, struct rp_error *err)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/kernelslist.g", s->job->folder);
    struct output *out = output_open(path, err);
    if (!out)
        return false;
    bool fine = print_filled(out->to, s->trace, err);
    uint32_t count = rp_trace_launch_count(s->trace);
    for (uint32_t l = 0; l <= count; l++) {
        print_copies(out->to, s->trace, l);
        if (l < count)
            fprintf(out->to, "kernel-%" PRIu32 ".traceg\n", l + 1);
    }
    return output_close(out, fine, fine ? err : NULL) && fine;
}

static bool export_all(struct session *s, struct rp_error *err)
{
    bool fine = true;
    for (uint32_t l = 0; l < rp_trace_launch_count(s->trace); l++)
        s->total += rp_trace_launch_totals(s->trace, l).warp_instructions;
    progress_begin(&s->progress, "exporting", "warp instructions", s->job->quiet);
    for (uint32_t l = 0; fine && l < rp_trace_launch_count(s->trace); l++)
        fine = export_launch(s, l, err);
    progress_end(&s->progress);
    return fine && export_list(s, err); /* the list is written last: without it the export is no trace */
}

bool accelsim_export(struct accelsim_export *job, struct rp_error *err)
{
    struct session s = {.job = job};
    struct stat there;
    s.trace = rp_trace_open(job->trace, err);
    if (!s.trace)
        return false;
    bool made = !mkdir(job->folder, 0777), fine = made || errno == EEXIST;
    if (!fine)
        rp_fail(err, RP_USAGE, "%s: %s", job->folder, strerror(errno));
    else if (!stat(job->folder, &there) && !S_ISDIR(there.st_mode))
        fine = rp_fail(err, RP_USAGE, "%s is no folder, and one is written: give another name", job->folder);
    fine = fine && export_all(&s, err);
    rp_trace_close(s.trace);
    if (!fine && made)
        rmdir(job->folder); /* unless something is in it */
    return fine;
}
