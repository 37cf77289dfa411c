/* What a trace of matrix multiplication takes: logs as a tiled SGEMM of 512×512 makes them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefmt/reader.h"
#include "tracefmt/writer.h"

#define N 512
#define TILE 16
enum { PROLOGUE = 20, UNROLL = 16, INNER = 3, EPILOGUE = 5 };

/* prologue; loop: 2 global loads, 2 shared stores, barrier, UNROLL × (2 shared loads, fma), barrier, add, branch;
 * epilogue with one store. Rolled: the inner loop is a loop of its own with add and branch. */
struct gemm {
    struct rp_instruction instructions[200];
    struct rp_kernel kernel;
    bool rolled;
    uint32_t loop, inner, after, store;
};

static uint32_t add(struct gemm *g, enum rp_class class, const struct rp_memory_operand *memory)
{
    uint32_t index = g->kernel.instruction_count++;
    g->instructions[index] = (struct rp_instruction){
        .pc = 8 * index, .text = "x", .unit_class = (uint8_t) class, .memory_count = memory != NULL, .memory = memory};
    return index;
}

static void build(struct gemm *g)
{
    static const struct rp_memory_operand load = {.space = RP_SPACE_GLOBAL, .elements = 1, .width = 4};
    static const struct rp_memory_operand shared = {.space = RP_SPACE_SHARED, .elements = 1, .width = 4};
    g->kernel = (struct rp_kernel){.name = "gemm", .isa = "test", .instructions = g->instructions};
    for (int i = 0; i < PROLOGUE; i++)
        add(g, RP_CLASS_INT, NULL);
    g->loop = add(g, RP_CLASS_MEMORY, &load);
    add(g, RP_CLASS_MEMORY, &load);
    add(g, RP_CLASS_MEMORY, &shared);
    add(g, RP_CLASS_MEMORY, &shared);
    add(g, RP_CLASS_BARRIER, NULL);
    g->inner = g->kernel.instruction_count;
    for (int i = 0; i < (g->rolled ? 1 : UNROLL); i++) {
        add(g, RP_CLASS_MEMORY, &shared);
        add(g, RP_CLASS_MEMORY, &shared);
        add(g, RP_CLASS_FP32, NULL);
    }
    if (g->rolled)
        add(g, RP_CLASS_INT, NULL);
    if (g->rolled)
        add(g, RP_CLASS_CONTROL, NULL);
    g->after = add(g, RP_CLASS_BARRIER, NULL);
    add(g, RP_CLASS_INT, NULL);
    add(g, RP_CLASS_CONTROL, NULL);
    g->store = add(g, RP_CLASS_MEMORY, &load);
    add(g, RP_CLASS_CONTROL, NULL);
}

static void log_one(struct rp_warp_log *log, uint32_t instruction, uint32_t warp, uint64_t base, uint64_t x, uint64_t y)
{
    uint64_t address[RP_WARP_LANES];
    for (uint32_t l = 0; l < RP_WARP_LANES; l++)
        address[l] = base + 4 * (l % TILE * x + (2 * warp + l / TILE) * y);
    rp_log_access(log, instruction, 0, UINT32_MAX, address);
}

static void log_inner(const struct gemm *g, struct rp_warp_log *log, uint32_t w)
{
    if (!g->rolled)
        rp_log_run(log, g->inner, INNER * UNROLL, UINT32_MAX);
    for (uint32_t k = 0; k < UNROLL; k++) {
        uint32_t at = g->inner + (g->rolled ? 0 : INNER * k);
        if (g->rolled)
            rp_log_run(log, g->inner, INNER + 2, UINT32_MAX);
        log_one(log, at, w, 4 * k, 0, TILE);
        log_one(log, at + 1, w, 4 * (TILE * TILE + TILE * k), 1, 0);
    }
}

static void log_warp(const struct gemm *g, struct rp_warp_log *log, uint64_t block, uint32_t w)
{
    uint64_t bx = block % (N / TILE), by = block / (N / TILE), a = 0x400000000, b = 0x400200000, c = 0x400400000;
    rp_log_run(log, 0, PROLOGUE, UINT32_MAX);
    for (uint64_t tile = 0; tile < N / TILE; tile++) {
        rp_log_run(log, g->loop, 5, UINT32_MAX);
        log_one(log, g->loop, w, a + 4 * (by * TILE * N + tile * TILE), 1, N);
        log_one(log, g->loop + 1, w, b + 4 * (tile * TILE * N + bx * TILE), 1, N);
        log_one(log, g->loop + 2, w, 0, 1, TILE);
        log_one(log, g->loop + 3, w, 4 * TILE * TILE, 1, TILE);
        log_inner(g, log, w);
        rp_log_run(log, g->after, 3, UINT32_MAX);
    }
    rp_log_run(log, g->store, 2, UINT32_MAX);
    log_one(log, g->store, w, c + 4 * (by * TILE * N + bx * TILE), 1, N);
}

/* Bits per warp instruction of the whole file. */
static double record(const char *path, bool rolled)
{
    static const struct rp_provenance provenance = {0};
    static const struct rp_launch_end end = {RP_OUTCOME_COMPLETE, NULL};
    struct rp_launch launch = {.grid = {N / TILE, N / TILE, 1}, .block = {TILE, TILE, 1}};
    struct gemm g = {.rolled = rolled};
    struct rp_error err = {0};
    uint32_t id;
    build(&g);
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, &err);
    cr_assert(w && rp_writer_add_kernel(w, &g.kernel, &launch.kernel, &err), "%s", err.text);
    cr_assert(rp_writer_begin_launch(w, &launch, &id, &err), "%s", err.text);
    struct rp_chunk *chunk = rp_chunk_new(&g.kernel, id, NULL);
    for (uint64_t b = 0; b < rp_launch_blocks(&launch); b++) {
        struct rp_warp_log *logs = rp_chunk_begin_block(chunk, b, rp_launch_warps(&launch));
        for (uint32_t i = 0; i < rp_launch_warps(&launch); i++)
            log_warp(&g, &logs[i], b, i);
        rp_chunk_end_block(chunk, b);
        if (b % 32 == 31) {
            struct rp_frame *f = rp_chunk_finish(chunk, &err);
            cr_assert(f && rp_writer_commit(w, f, &err), "%s", err.text);
        }
    }
    rp_chunk_free(chunk);
    cr_assert(rp_writer_end_launch(w, id, &end, &err) && rp_writer_close(w, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    double bits = 8.0 * (double)rp_trace_file_bytes(t) / (double)rp_trace_launch_totals(t, 0).warp_instructions;
    rp_trace_close(t);
    unlink(path);
    return bits;
}

Test(size, matrix_multiplication_takes_a_twentieth_of_a_bit_per_warp_instruction)
{
    char path[] = "/tmp/reprise-size-XXXXXX";
    close(mkstemp(path));
    double unrolled = record(path, false), rolled = record(path, true);
    cr_log_info("unrolled %.4f, rolled %.4f bits per warp instruction", unrolled, rolled);
    cr_expect(unrolled <= 0.05, "%.4f bits", unrolled);
    cr_expect(rolled <= 0.05, "%.4f bits", rolled);
}
