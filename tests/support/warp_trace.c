#include "tests/support/warp_trace.h"

#include <stdlib.h>
#include <string.h>

/* The writer knows a kernel by its address, so kernels live until it is closed. */
struct built {
    struct built *next;
    struct rp_kernel kernel;
    struct rp_instruction *instructions;
    rp_register *registers;
    struct rp_memory_operand *operands;
};

struct warp_trace {
    struct rp_writer *writer;
    struct built *kernels;
    uint32_t device, stream, module; /* module: as in struct rp_kernel */
};

static bool accesses(const struct warp_op *op)
{
    return op->unit_class == RP_CLASS_MEMORY || op->unit_class == RP_CLASS_ASYNC;
}

static void build(struct built *b, uint32_t i, const struct warp_op *op)
{
    struct rp_instruction *in = &b->instructions[i];
    rp_register *registers = &b->registers[(size_t)i * (WARP_TRACE_SOURCES + 2)];
    in->pc = op->pc ? op->pc - 1 : 8ull * i;
    in->control = op->control;
    in->slots = op->slots;
    in->text = op->text ? op->text : rp_class_name(op->unit_class);
    in->unit_class = (uint8_t)op->unit_class;
    in->fence_scope = (uint8_t)op->scope;
    in->dst = registers;
    in->src = registers + 1;
    if (op->destination >= 0) {
        registers[0] = RP_REGISTER(RP_FILE_GENERAL, (uint32_t)op->destination, 1);
        in->dst_count = 1;
    }
    for (unsigned s = 0; s < WARP_TRACE_SOURCES; s++)
        if (op->source[s] >= 0)
            registers[1 + in->src_count++] = RP_REGISTER(RP_FILE_GENERAL, (uint32_t)op->source[s], 1);
    if (op->guarded_off) {
        in->flags |= RP_GUARDED;
        in->guard = RP_REGISTER(RP_FILE_PREDICATE, 0, 1);
        registers[1 + in->src_count++] = in->guard;
    }
    if (op->unit_class == RP_CLASS_BARRIER)
        in->barrier = (struct rp_barrier){
            .kind = (uint8_t)(op->barrier ? op->barrier : RP_BARRIER_SYNC), .id = op->id, .count = op->count};
    if (op->exits)
        in->flags |= RP_EXIT;
    if (!accesses(op))
        return;
    b->operands[i] = (struct rp_memory_operand){.space = (uint8_t)op->space,
                                                .kind = op->store    ? RP_ACCESS_STORE
                                                        : op->atomic ? RP_ACCESS_ATOMIC
                                                                     : RP_ACCESS_LOAD,
                                                .cache_op = op->bypass_l1 ? RP_CACHE_CG : RP_CACHE_DEFAULT,
                                                .elements = 1,
                                                .width = 4};
    in->memory = &b->operands[i];
    in->memory_count = 1;
}

static void log_op(struct rp_warp_log *log, uint32_t i, const struct warp_op *op)
{
    rp_lanemask lanes = op->lanes ? op->lanes : ~0u;
    rp_log_run(log, i, 1, lanes);
    if (op->guarded_off)
        rp_log_guard(log, 0);
    if (op->guarded_off || !accesses(op))
        return;
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = op->address + l * op->stride;
    rp_log_access(log, i, 0, lanes, address);
}

/* Warp w of block b runs program (w + b) modulo their number. */
static void log_block(struct rp_chunk *chunk, uint32_t b, const struct warp_program *programs, uint32_t warps)
{
    struct rp_warp_log *logs = rp_chunk_begin_block(chunk, b, warps);
    uint32_t at = 0;
    for (uint32_t p = 0; p < warps; p++) {
        struct rp_warp_log *log = &logs[(p + warps - b % warps) % warps];
        for (uint32_t i = 0; i <= programs[p].count; i++, at++)
            if (i < programs[p].count)
                log_op(log, at, &programs[p].ops[i]);
            else
                rp_log_run(log, at, 1, ~0u);
    }
    rp_chunk_end_block(chunk, b);
}

static bool write_launch(const struct warp_trace *t, const struct rp_kernel *kernel,
                         const struct warp_program *programs, uint32_t warps, uint32_t blocks, struct rp_error *err)
{
    static const struct rp_allocation allocations[] = {{WARP_TRACE_INPUT, WARP_TRACE_BYTES, "input", true, 0},
                                                       {WARP_TRACE_OUTPUT, WARP_TRACE_BYTES, "output", false, 0}};
    struct rp_launch launch = {.grid = {blocks, 1, 1},
                               .block = {RP_WARP_LANES * warps, 1, 1},
                               .device = t->device,
                               .stream = t->stream,
                               .allocation_count = 2,
                               .allocations = allocations};
    struct rp_writer *w = t->writer;
    uint32_t id;
    if (!rp_writer_add_kernel(w, kernel, &launch.kernel, err) || !rp_writer_begin_launch(w, &launch, &id, err))
        return false;
    struct rp_chunk *chunk = rp_chunk_new(kernel, id, NULL);
    for (uint32_t b = 0; b < blocks; b++)
        log_block(chunk, b, programs, warps);
    struct rp_frame *frame = rp_chunk_finish(chunk, err);
    rp_chunk_free(chunk);
    return frame && rp_writer_commit(w, frame, err) &&
           rp_writer_end_launch(w, id, &(struct rp_launch_end){.outcome = RP_OUTCOME_COMPLETE}, err);
}

static struct built *build_kernel(const struct warp_program *programs, uint32_t warps)
{
    uint32_t total = 0, at = 0;
    for (uint32_t p = 0; p < warps; p++)
        total += programs[p].count + 1;
    struct built *b = calloc(1, sizeof *b);
    b->instructions = calloc(total, sizeof *b->instructions);
    b->registers = calloc((size_t)total * (WARP_TRACE_SOURCES + 2), sizeof *b->registers);
    b->operands = calloc(total, sizeof *b->operands);
    for (uint32_t p = 0; p < warps; p++) {
        for (uint32_t i = 0; i < programs[p].count; i++)
            build(b, at++, &programs[p].ops[i]);
        struct warp_op exit = {.unit_class = RP_CLASS_CONTROL, .destination = -1, .source = {-1, -1, -1}};
        build(b, at, &exit);
        b->instructions[at++].flags |= RP_EXIT;
    }
    b->kernel = (struct rp_kernel){.name = "by_hand",
                                   .isa = "ptx",
                                   .instruction_count = total,
                                   .instructions = b->instructions,
                                   .registers = 16,
                                   .static_shared = 16384};
    return b;
}

struct warp_trace *warp_trace_begin(const char *path, struct rp_error *err)
{
    struct rp_provenance provenance = {.tool = "test", .module_name = "by_hand", .module_sha256 = ""};
    struct warp_trace *t = calloc(1, sizeof *t);
    t->writer = rp_writer_open(path, &provenance, &(struct rp_writer_options){.level = 1}, err);
    if (t->writer)
        return t;
    free(t);
    return NULL;
}

bool warp_trace_launch(struct warp_trace *t, const struct warp_program *programs, uint32_t warps, uint32_t blocks,
                       struct rp_error *err)
{
    struct built *b = build_kernel(programs, warps);
    b->next = t->kernels;
    b->kernel.module = t->module;
    t->kernels = b;
    return write_launch(t, &b->kernel, programs, warps, blocks, err);
}

void warp_trace_device(struct warp_trace *t, uint32_t device) { t->device = device; }
void warp_trace_stream(struct warp_trace *t, uint32_t stream) { t->stream = stream; }

bool warp_trace_guest(struct warp_trace *t, struct rp_error *err)
{
    const struct rp_module module = {.name = "by_hand", .sha256 = "", .isa = "guest", .target = "by_hand"};
    if (!rp_writer_add_module(t->writer, &module, &t->module, err))
        return false;
    t->module++;
    return true;
}

bool warp_trace_host(struct warp_trace *t, const struct rp_host_operation *o, struct rp_error *err)
{
    return rp_writer_add_host_operation(t->writer, o, err);
}

bool warp_trace_end(struct warp_trace *t, bool keep, struct rp_error *err)
{
    bool fine = keep && rp_writer_close(t->writer, err);
    if (!keep)
        rp_writer_abandon(t->writer);
    for (struct built *b = t->kernels, *next; b; b = next) {
        next = b->next;
        free(b->instructions);
        free(b->registers);
        free(b->operands);
        free(b);
    }
    free(t);
    return fine;
}

bool warp_trace_write(const char *path, const struct warp_program *programs, uint32_t warps, struct rp_error *err)
{
    struct warp_trace *t = warp_trace_begin(path, err);
    return t && warp_trace_end(t, warp_trace_launch(t, programs, warps, 1, err), err);
}
