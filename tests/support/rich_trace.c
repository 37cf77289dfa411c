/* A trace of everything, written by hand. */
#include <string.h>

#include "tests/support/remade_trace.h"
#include "tracefmt/writer.h"

enum { BLOCKS = 4, WARPS = 2 };

static const struct rp_module modules[] = {
    {.name = "first.ptx", .sha256 = "", .isa = "ptx", .target = "sm_75", .identity = 0},
    {.name = "second.cubin", .sha256 = "", .isa = "sass", .target = "sm_62", .identity = 0}};

static const char *const sources[] = {"a.cu", "b.h"};
static const struct rp_inlined_call calls[] = {{"outer(int)", 0, 60, 0}, {"inner<float>", 1, 7, 1}, {"other", 0, 0, 0}};

static const rp_register one[] = {1}, two[] = {1, 2};
static const struct rp_memory_operand load = {.space = RP_SPACE_GLOBAL, .width = 4, .elements = 1},
                                      store = {.space = RP_SPACE_SHARED,
                                               .kind = RP_ACCESS_STORE,
                                               .width = 8,
                                               .elements = 2},
                                      copy[] = {{.space = RP_SPACE_SHARED, .kind = RP_ACCESS_BULK_STORE, .width = 16},
                                                {.space = RP_SPACE_GLOBAL, .kind = RP_ACCESS_BULK_LOAD, .width = 16},
                                                {.space = RP_SPACE_SHARED, .kind = RP_ACCESS_OBJECT, .width = 8}},
                                      texels[] = {{.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1},
                                                  {.space = RP_SPACE_TEXTURE, .width = 4, .elements = 1}};

static const struct rp_instruction lines[] = {
    {.unit_class = RP_CLASS_INT,
     .text = "add",
     .dst_count = 1,
     .dst = one,
     .src_count = 2,
     .src = two,
     .file = 1,
     .line = 3,
     .inlined = 2},
    {.pc = 8,
     .unit_class = RP_CLASS_MEMORY,
     .text = "ld",
     .flags = RP_GUARDED,
     .dst_count = 1,
     .dst = one,
     .memory_count = 1,
     .memory = &load,
     .line = 4,
     .inlined = 1},
    {.pc = 16,
     .unit_class = RP_CLASS_MEMORY,
     .text = "st",
     .src_count = 1,
     .src = one,
     .memory_count = 1,
     .memory = &store,
     .line = 5,
     .inlined = 3},
    {.pc = 24,
     .unit_class = RP_CLASS_BARRIER,
     .text = "bar",
     .flags = RP_HAS_AUX,
     .barrier = {RP_BARRIER_SYNC, -1, -1},
     .line = 6},
    {.pc = 32, .unit_class = RP_CLASS_CONTROL, .text = "exit", .flags = RP_EXIT}};
static const struct rp_instruction plain[] = {
    {.unit_class = RP_CLASS_ASYNC, .text = "three", .flags = RP_HAS_AUX | RP_GUARDED, .aux_count = 3},
    {.pc = 8, .unit_class = RP_CLASS_CONTROL, .text = "exit", .flags = RP_EXIT}};
static const struct rp_instruction objects[] = {
    {.unit_class = RP_CLASS_ASYNC,
     .text = "copy",
     .flags = RP_HAS_AUX,
     .aux_count = 4,
     .memory_count = 3,
     .memory = copy},
    {.pc = 8,
     .unit_class = RP_CLASS_ASYNC,
     .text = "try_wait",
     .flags = RP_HAS_AUX,
     .aux_count = 2,
     .memory_count = 1,
     .memory = copy + 2},
    {.pc = 16, .unit_class = RP_CLASS_TEXTURE, .text = "tex", .memory_count = 2, .memory = texels},
    {.pc = 24, .unit_class = RP_CLASS_CONTROL, .text = "exit", .flags = RP_EXIT}};

static const struct rp_live lives[5] = {{1, 0, 1}, {3, 0, 2}, {2, 1, 2}, {2, 1, 0}, {0, 0, 0}};

static const struct rp_kernel kernels[] = {
    {.name = "lines",
     .isa = "ptx",
     .instruction_count = 5,
     .instructions = lines,
     .file_count = 2,
     .files = sources,
     .inlined_count = 3,
     .inlined = calls,
     .live = lives,
     .registers = 8,
     .static_shared = 1024,
     .module = 1},
    {.name = "plain", .isa = "sm_62", .instruction_count = 2, .instructions = plain, .registers = 8, .module = 2},
    {.name = "objects",
     .isa = "sm_62",
     .instruction_count = 4,
     .instructions = objects,
     .registers = 8,
     .static_shared = 2048,
     .module = 2}};

static void affine(struct rp_warp_log *log, uint32_t instruction, uint32_t operand, uint64_t base, uint64_t stride)
{
    uint64_t address[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + l * stride;
    rp_log_access(log, instruction, operand, UINT32_MAX, address);
}

static void log_lines(struct rp_warp_log *log, uint64_t block, uint64_t warp)
{
    for (uint64_t i = 0; i < 3; i++) {
        rp_log_run(log, 0, 4, UINT32_MAX);
        rp_log_guard(log, i ? UINT32_MAX : 0);
        if (i)
            affine(log, 1, 0, 0x10000 + block * 4096 + warp * 128 + i * 256, i * 4);
        affine(log, 2, 0, i * 8, 8 * warp);
        rp_log_aux(log, RP_BARRIER_AUX(1, 64));
    }
    rp_log_run(log, 4, 1, UINT32_MAX);
}

static void log_plain(struct rp_warp_log *log, uint64_t block)
{
    rp_log_run(log, 0, 2, UINT32_MAX);
    rp_log_guard(log, 0xff);
    for (uint64_t i = 0; i < 3; i++)
        rp_log_aux(log, block << 20 | i);
}

static void log_objects(struct rp_warp_log *log, uint64_t block)
{
    rp_log_run(log, 0, 4, UINT32_MAX);
    affine(log, 0, 0, 0x100, 16);
    affine(log, 0, 1, 0x20000 + block * 512, 16);
    affine(log, 0, 2, 0x40, 0);
    rp_log_aux(log, 16);
    rp_log_aux(log, 16);
    rp_log_aux(log, RP_OBJECT_AUX(0, false));
    rp_log_aux(log, (uint64_t)-512);
    affine(log, 1, 0, 0x40, 0);
    rp_log_aux(log, RP_OBJECT_AUX(0, true));
    rp_log_aux(log, 0);
    for (unsigned m = 0; m < 2; m++)
        affine(log, 2, m, 0x40000 + block * 512 + m * 4, 12);
}

struct rich {
    struct rp_writer *writer;
    const struct rp_kernel *kernel[2];
    struct rp_error *err;
};

static bool commit(struct rich *r, uint32_t launch, uint64_t block)
{
    const struct rp_kernel *k = r->kernel[launch % 2];
    struct rp_chunk *c = rp_chunk_new(k, launch, NULL);
    struct rp_warp_log *log = c ? rp_chunk_begin_block(c, block, WARPS) : NULL;
    for (uint64_t w = 0; log && w < WARPS; w++)
        if (k == &kernels[0])
            log_lines(&log[w], block, w);
        else if (k == &kernels[1])
            log_plain(&log[w], block);
        else
            log_objects(&log[w], block);
    if (log)
        rp_chunk_end_block(c, block);
    struct rp_frame *f = log ? rp_chunk_finish(c, r->err) : NULL;
    bool ok = f && rp_writer_commit(r->writer, f, r->err);
    rp_chunk_free(c);
    return ok;
}

static bool launches(struct rich *r)
{
    static const struct rp_launch_end complete = {.outcome = RP_OUTCOME_COMPLETE},
                                      fault = {RP_OUTCOME_FAULT, "a fault"};
    static const uint32_t earlier[] = {0, 1};
    static const struct rp_host_operation before[] = {
        {.kind = RP_HOST_ALLOCATE, .address = 0x10000, .size = 0x40000, .name = "arg0", .initialised = true},
        {.kind = RP_HOST_COPY, .direction = RP_COPY_ON_DEVICE, .address = 0x10000, .source = 0x20000, .size = 16},
        {.kind = RP_HOST_SET, .address = 0x10000, .size = 16, .stream = 1},
        {.kind = RP_HOST_RECORD_EVENT, .stream = 2, .event = 5},
        {.kind = RP_HOST_WAIT_EVENT, .stream = 1, .event = 5}};
    static const struct rp_host_operation after = {.kind = RP_HOST_FREE, .address = 0x10000};
    bool ok = true;
    for (uint32_t l = 0, id; ok && l < 4; l++) {
        struct rp_launch launch = {.kernel = l % 2, .grid = {BLOCKS, 1, 1}, .block = {64, 1, 1}, .stream = l};
        launch.dependency_count = l == 2 ? 2 : 0;
        launch.dependencies = earlier;
        for (size_t o = 0; ok && l < 2 && o < sizeof before / sizeof *before; o++)
            ok = rp_writer_add_host_operation(r->writer, &before[o], r->err);
        ok = ok && rp_writer_begin_launch(r->writer, &launch, &id, r->err);
        if (l == 1) /* 1 and 2 lie in turns */
            continue;
        for (uint64_t b = 0; ok && b < BLOCKS; b++)
            ok = commit(r, l, b) && (l != 2 || commit(r, 1, b));
        ok = ok && rp_writer_end_launch(r->writer, l, l == 2 ? &fault : &complete, r->err) &&
             (l != 2 || rp_writer_end_launch(r->writer, 1, &complete, r->err));
    }
    return ok && rp_writer_add_host_operation(r->writer, &after, r->err);
}

bool rich_trace_write(const char *path, bool with_objects, struct rp_error *err)
{
    static const struct rp_provenance nobody = {"test", "none", "", 0, NULL};
    struct rich r = {rp_writer_open(path, &nobody, NULL, err), {&kernels[0], &kernels[with_objects ? 2 : 1]}, err};
    bool ok = r.writer != NULL;
    uint32_t id;
    for (int i = 0; ok && i < 2; i++)
        ok = rp_writer_add_module(r.writer, &modules[i], &id, err);
    for (int i = 0; ok && i < 2; i++)
        ok = rp_writer_add_kernel(r.writer, r.kernel[i], &id, err);
    if (ok && launches(&r))
        return rp_writer_close(r.writer, err);
    rp_writer_abandon(r.writer);
    return false;
}
