#include "frontend/guest/record.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/module/cubin.h"

#define GUEST_CHUNK_BYTES (1u << 20) /* logs that fit the second-level cache */
/* Decoded. Where groups diverge, as many of them as fit the cache are a chunk, and it need not be sliced. */
#define GUEST_CHUNK_DECODED (3u << 18)
/* Higher levels save few bytes of code that does not repeat, and take most of the time to record it. */
#define GUEST_LEVEL RP_QUICK_LEVEL

/* The barrier of all cores is the block's, unless there are several blocks. */
static void guest_set_barriers(struct guest_recorder *r)
{
    for (uint32_t i = 0; r->blocks > 1 && i < r->kernel.instruction_count; i++)
        if (r->instructions[i].barrier.kind == RP_BARRIER_SYNC)
            r->instructions[i].barrier.kind = RP_BARRIER_LAUNCH;
}

/* Each function that has instructions. `numbers`: by symbol, 0. */
static void guest_number_functions(struct guest_recorder *r, const struct guest *g, uint32_t *numbers)
{
    for (uint32_t i = 0; i < r->kernel.instruction_count; i++) {
        const struct guest_symbol *s = guest_function(g, (uint32_t)r->instructions[i].pc);
        if (!s)
            continue;
        uint32_t *number = &numbers[s - g->symbols];
        if (!*number) {
            r->functions[r->kernel.inlined_count] = (struct rp_inlined_call){.function = s->name};
            *number = ++r->kernel.inlined_count;
        }
        r->instructions[i].inlined = *number;
    }
}

static bool guest_set_instructions(struct guest_recorder *r, const struct guest_program *p, struct rp_error *err)
{
    const struct guest *g = p->guest;
    uint32_t *numbers = calloc(g->symbol_count + 1, sizeof *numbers);
    r->functions = calloc(g->symbol_count + 1, sizeof *r->functions);
    r->instructions = malloc((p->instruction_count + 1) * sizeof *r->instructions);
    const bool fine = numbers && r->functions && r->instructions;
    if (fine) {
        memcpy(r->instructions, p->instructions, p->instruction_count * sizeof *r->instructions);
        guest_set_barriers(r);
        guest_number_functions(r, g, numbers);
        r->kernel.instructions = r->instructions;
        r->kernel.inlined = r->functions;
    }
    free(numbers);
    return fine || rp_fail(err, RP_SYSTEM, "out of memory");
}

static bool guest_add_launch(struct guest_recorder *r, const struct guest_program *p, const struct guest_run_options *o,
                             uint32_t cluster, struct rp_error *err)
{
    const char *slash = strrchr(p->guest->path, '/'), *name = slash ? slash + 1 : p->guest->path;
    struct rp_module module = {
        .name = name, .sha256 = o->sha256 ? o->sha256 : "", .isa = "guest", .target = p->guest->isa->name};
    uint32_t number;
    r->kernel = (struct rp_kernel){.name = name,
                                   .isa = p->guest->isa->name,
                                   .instruction_count = p->instruction_count,
                                   .file_count = p->guest->lines->file_count,
                                   .files = p->guest->lines->files,
                                   .registers = 32};
    if (!guest_set_instructions(r, p, err) || !rp_writer_add_module(r->writer, &module, &r->kernel.module, err))
        return false;
    r->kernel.module++;
    if (!rp_writer_add_kernel(r->writer, &r->kernel, &number, err))
        return false;
    const struct rp_launch launch = {
        .kernel = number, .grid = {r->blocks, 1, 1}, .block = {cluster, 1, 1}, .cooperative = r->blocks > 1};
    return rp_writer_begin_launch(r->writer, &launch, &r->launch, err);
}

static bool guest_begin_blocks(struct guest_recorder *r, struct rp_error *err)
{
    const struct rp_writer_options options = {.level = GUEST_LEVEL, .scattered = true};
    r->logs = calloc(r->blocks, sizeof *r->logs);
    r->chunk = rp_chunk_new(&r->kernel, r->launch, &options);
    if (!r->logs || !r->chunk)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < r->blocks; i++) {
        r->logs[i] = rp_chunk_begin_block(r->chunk, i, r->warps);
        if (!r->logs[i])
            return rp_fail(err, RP_SYSTEM, "out of memory");
    }
    return true;
}

bool guest_recorder_begin(struct guest_recorder *r, const struct guest_program *p, const struct guest_machine *m,
                          const struct guest_run_options *o)
{
    const uint32_t cluster = guest_cluster(o->cluster, m->cores);
    *r = (struct guest_recorder){.writer = o->writer};
    if (!o->writer)
        return true;
    r->warps = (cluster + RP_WARP_LANES - 1) / RP_WARP_LANES;
    r->blocks = (m->cores + cluster - 1) / cluster;
    return guest_add_launch(r, p, o, cluster, m->err) && guest_begin_blocks(r, m->err);
}

struct rp_warp_log *guest_recorder_log(const struct guest_recorder *r, uint32_t group)
{
    return r->writer ? &r->logs[group / r->warps][group % r->warps] : NULL;
}

static bool guest_commit(struct guest_recorder *r, struct rp_error *err)
{
    struct rp_frame *frame = rp_chunk_finish(r->chunk, err);
    return frame && rp_writer_commit(r->writer, frame, err);
}

bool guest_recorder_flush(struct guest_recorder *r, struct rp_error *err)
{
    return !r->writer || rp_chunk_decoded_bytes(r->chunk) < GUEST_CHUNK_DECODED || guest_commit(r, err);
}

bool guest_recorder_flush_turn(struct guest_recorder *r, struct rp_error *err)
{
    if (!r->writer || rp_chunk_bytes(r->chunk) < GUEST_CHUNK_BYTES)
        return true;
    return guest_commit(r, err);
}

bool guest_recorder_end(struct guest_recorder *r, bool completed, struct rp_error *err)
{
    bool ok = !r->writer || !r->chunk || !r->logs;
    if (!ok) {
        for (uint32_t i = 0; i < r->blocks; i++)
            rp_chunk_end_block(r->chunk, i);
        struct rp_launch_end end = {.outcome = completed ? RP_OUTCOME_COMPLETE : RP_OUTCOME_FAULT,
                                    .fault = completed ? NULL : err->text};
        ok = guest_commit(r, err) && rp_writer_end_launch(r->writer, r->launch, &end, err);
    }
    if (r->chunk)
        rp_chunk_free(r->chunk);
    free(r->logs);
    free(r->instructions);
    free(r->functions);
    return ok;
}
