/* memory CASE N FILE: writes a trace that a careless reader would take much memory for.
 *
 *   gather    N accesses of each of 9216 warps in 1152 blocks, the 32 addresses of each unlike any other's
 *   launches  N launches of one block, 8 warps of 1250 instructions each
 *   host      N launches in three streams with copies between, for tests that print them
 *   kind      a launch of one block whose load is an access of kind N instead (enum rp_access_kind)
 *   unfold    N chunks of one launch that decompress to a thousand times their size, in a file of a few KB
 *   index     an index of N frames of one byte
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/chunk_format.h"
#include "tracefmt/frame.h"
#include "tracefmt/index.h"
#include "tracefmt/sha256.h"
#include "tracefmt/tables.h"

static const struct rp_provenance provenance = {"memory", "none", "", 0, NULL};
static const struct rp_launch_end complete = {.outcome = RP_OUTCOME_COMPLETE};
static const struct rp_memory_operand word = {.space = RP_SPACE_GLOBAL, .elements = 1, .width = 4};
static const rp_register registers[] = {RP_REGISTER(RP_FILE_GENERAL, 1, 1)};
#define LOOP 10
static struct rp_instruction instructions[LOOP + 1];
static struct rp_kernel kernel = {
    .name = "k", .isa = "test", .instruction_count = LOOP + 1, .instructions = instructions, .registers = 16};

/* A loop of one load, additions and a branch; an exit. */
static void make_kernel(void)
{
    for (int i = 0; i <= LOOP; i++)
        instructions[i] = (struct rp_instruction){
            .pc = 8u * (unsigned)i, .text = "add", .unit_class = RP_CLASS_INT, .dst_count = 1, .dst = registers};
    instructions[0].text = "ld";
    instructions[0].unit_class = RP_CLASS_MEMORY;
    instructions[0].memory_count = 1;
    instructions[0].memory = &word;
    instructions[LOOP - 1] = (struct rp_instruction){.text = "bra", .unit_class = RP_CLASS_CONTROL, .flags = RP_BRANCH};
    instructions[LOOP] = (struct rp_instruction){.text = "exit", .unit_class = RP_CLASS_CONTROL, .flags = RP_EXIT};
}

static struct rp_writer *begin(const char *path, struct rp_error *err)
{
    uint32_t id;
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, err);
    if (w && rp_writer_add_kernel(w, &kernel, &id, err))
        return w;
    rp_writer_abandon(w);
    return NULL;
}

/* ---- traces -------------------------------------------------------------------------------------------------------
 */

static void log_warp(struct rp_warp_log *log, uint32_t loops, uint64_t *random)
{
    uint64_t address[RP_WARP_LANES];
    for (uint32_t i = 0; i < loops; i++) {
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            address[l] = random ? 0x10000000 + (synthetic_random(random) >> 44) * 4 : 0x10000000 + 128 * i + 4 * l;
        rp_log_run(log, 0, LOOP, UINT32_MAX);
        rp_log_access(log, 0, 0, UINT32_MAX, address);
    }
    rp_log_run(log, LOOP, 1, UINT32_MAX);
}

static bool finish(struct rp_writer *w, struct rp_chunk *c, struct rp_error *err)
{
    struct rp_frame *f = rp_chunk_finish(c, err);
    return f && rp_writer_commit(w, f, err);
}

/* Blocks of 8 warps; chunks as the recorder makes them. */
static bool write_launch(struct rp_writer *w, uint32_t blocks, uint32_t loops, uint64_t *random, struct rp_error *err)
{
    struct rp_launch launch = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}};
    uint32_t id;
    if (!rp_writer_begin_launch(w, &launch, &id, err))
        return false;
    struct rp_chunk *c = rp_chunk_new(&kernel, id, NULL);
    bool ok = c;
    for (uint32_t b = 0; ok && b < blocks; b++) {
        struct rp_warp_log *logs = rp_chunk_begin_block(c, b, 8);
        for (uint32_t i = 0; logs && i < 8; i++)
            log_warp(&logs[i], loops, random);
        rp_chunk_end_block(c, b);
        if (rp_chunk_bytes(c) > (16u << 20) || b + 1 == blocks)
            ok = finish(w, c, err);
    }
    rp_chunk_free(c);
    return ok && rp_writer_end_launch(w, id, &complete, err);
}

/* An allocation, a copy to it and a launch, N times, in three streams: each launch after the one two before it. */
static bool write_host(const char *path, uint32_t n, struct rp_error *err)
{
    static const struct rp_module module = {.name = "m.ptx", .sha256 = "", .isa = "ptx", .target = "sm_75"};
    struct rp_writer *w = rp_writer_open(path, &provenance, NULL, err);
    struct rp_kernel of_module = kernel;
    uint32_t id;
    of_module.module = 1;
    bool ok = w && rp_writer_add_module(w, &module, &id, err) && rp_writer_add_kernel(w, &of_module, &id, err);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct rp_host_operation allocate = {
            .kind = RP_HOST_ALLOCATE, .address = 0x1000 * (i + 1), .size = 64 + i, .name = "buffer"};
        struct rp_host_operation copy = {
            .kind = RP_HOST_COPY, .stream = i % 3, .address = allocate.address, .size = 64};
        uint32_t earlier = i - 2;
        struct rp_launch launch = {.grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .stream = i % 3,
                                   .dependency_count = i >= 2,
                                   .dependencies = &earlier};
        ok = rp_writer_add_host_operation(w, &allocate, err) && rp_writer_add_host_operation(w, &copy, err) &&
             rp_writer_begin_launch(w, &launch, &id, err);
        struct rp_chunk *c = rp_chunk_new(&kernel, i, NULL);
        struct rp_warp_log *log = ok && c ? rp_chunk_begin_block(c, 0, 1) : NULL;
        if (log)
            log_warp(log, i, NULL);
        ok = log && (rp_chunk_end_block(c, 0), finish(w, c, err)) && rp_writer_end_launch(w, id, &complete, err);
        rp_chunk_free(c);
    }
    if (ok)
        return rp_writer_close(w, err);
    rp_writer_abandon(w);
    return false;
}

static bool write_trace(const char *path, bool gather, uint32_t n, struct rp_error *err)
{
    uint64_t random = 1;
    struct rp_writer *w = begin(path, err);
    bool ok = w;
    for (uint32_t i = 0; ok && i < (gather ? 1 : n); i++)
        ok = gather ? write_launch(w, 1152, n, &random, err) : write_launch(w, 1, 125, NULL, err);
    if (ok)
        return rp_writer_close(w, err);
    rp_writer_abandon(w);
    return false;
}

/* One warp that executes one such access. */
static bool write_kind(const char *path, uint32_t kind, struct rp_error *err)
{
    struct rp_memory_operand operand = word;
    uint64_t address[RP_WARP_LANES];
    uint32_t id;
    if (kind >= RP_ACCESS_KIND_COUNT)
        return rp_fail(err, RP_USAGE, "there is no kind %u", kind);
    operand.kind = (uint8_t)kind;
    operand.space = kind == RP_ACCESS_OBJECT ? RP_SPACE_SHARED : RP_SPACE_GLOBAL;
    unsigned aux = rp_operand_aux_count(&operand);
    instructions[0].memory = &operand;
    instructions[0].flags = aux ? RP_HAS_AUX : 0;
    instructions[0].aux_count = (uint8_t)aux;
    struct rp_writer *w = begin(path, err);
    struct rp_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    bool ok = w && rp_writer_begin_launch(w, &launch, &id, err);
    struct rp_chunk *c = ok ? rp_chunk_new(&kernel, id, NULL) : NULL;
    struct rp_warp_log *log = c ? rp_chunk_begin_block(c, 0, 1) : NULL;
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        address[l] = 0x1000;
    if (log) {
        rp_log_run(log, 0, LOOP + 1, UINT32_MAX);
        for (unsigned i = 0; i < aux; i++)
            rp_log_aux(log, 16);
        rp_log_access(log, 0, 0, UINT32_MAX, address);
        rp_chunk_end_block(c, 0);
    }
    ok = log && finish(w, c, err) && rp_writer_end_launch(w, id, &complete, err);
    rp_chunk_free(c);
    if (ok)
        return rp_writer_close(w, err);
    rp_writer_abandon(w);
    return false;
}

/* ---- hostile files ------------------------------------------------------------------------------------------------
 */

struct file {
    struct buffer bytes, raw;
    struct index index;
    ZSTD_CCtx *ctx;
};

static bool compress(struct file *f, struct rp_error *err)
{
    return frame_compress(f->ctx, 0, &f->raw, &f->bytes, err);
}

static bool add_tables(struct file *f, struct rp_error *err)
{
    uint64_t offset = f->bytes.size;
    bool ok = compress(f, err) && index_add_tables(&f->index, offset, f->bytes.size - offset, f->raw.size, err);
    f->raw.size = 0;
    return ok;
}

static bool begin_file(struct file *f, uint32_t blocks, struct rp_error *err)
{
    struct rp_launch launch = {.grid = {blocks, 1, 1}, .block = {32, 1, 1}};
    f->ctx = ZSTD_createCCtx();
    return tables_pack_head(&f->raw, &provenance, err) && add_tables(f, err) &&
           tables_pack_kernel(&f->raw, 0, &kernel, err) && tables_pack_launch(&f->raw, 0, &launch, err) &&
           add_tables(f, err);
}

static bool end_file(struct file *f, const char *path)
{
    FILE *out = fopen(path, "w");
    bool ok = out && fwrite(f->bytes.data, 1, f->bytes.size, out) == f->bytes.size;
    ok = out && !fclose(out) && ok;
    index_free(&f->index);
    buffer_free(&f->bytes);
    buffer_free(&f->raw);
    ZSTD_freeCCtx(f->ctx);
    return ok;
}

static void column(struct buffer *b, unsigned field, uint64_t value, size_t count)
{
    buffer_varint(b, field << 3 | 2);
    struct buffer one = {0};
    buffer_varint(&one, value);
    buffer_varint(b, one.size * count);
    for (size_t i = 0; i < count; i++)
        buffer_append(b, one.data, one.size);
    buffer_free(&one);
}

#define PATTERNS 3000000 /* that nobody uses */
static bool add_chunk(struct file *f, uint64_t block, struct rp_error *err)
{
    struct buffer body = {0};
    uint64_t offset = f->bytes.size;
    buffer_varint(&body, CHUNK_WARP_INSTRUCTIONS << 3);
    buffer_varint(&body, LOOP);
    buffer_varint(&body, CHUNK_THREAD_INSTRUCTIONS << 3);
    buffer_varint(&body, 32 * LOOP);
    column(&body, CHUNK_BLOCK, block, 1);
    column(&body, CHUNK_BLOCK_PIECE, 0, 1);
    column(&body, CHUNK_BLOCK_END, 1, 1);
    column(&body, CHUNK_WARP_PATH, 0, 1);
    column(&body, CHUNK_PATH_RUNS, 1, 1);
    column(&body, CHUNK_RUN_START, 2, 1); /* from instruction 1 on: no access */
    column(&body, CHUNK_RUN_LENGTH, LOOP, 1);
    column(&body, CHUNK_RUN_MASK, 0, 1);
    column(&body, CHUNK_PATTERN_MASK, 1, PATTERNS);
    column(&body, CHUNK_PATTERN_KIND, RP_PATTERN_UNIFORM, PATTERNS);
    column(&body, CHUNK_PATTERN_STRIDE, 0, PATTERNS);
    column(&body, CHUNK_EXCEPTIONS, 0, 1);
    buffer_varint(&f->raw, TRACE_FIELD_CHUNK << 3 | 2);
    buffer_varint(&f->raw, body.size);
    buffer_append(&f->raw, body.data, body.size);
    struct chunk_entry e = {
        .first_block = block, .blocks = 1, .warp_instructions = LOOP, .thread_instructions = 32 * LOOP};
    bool ok =
        compress(f, err) && index_add_chunk(&f->index, offset, f->bytes.size - offset, f->raw.size, &e, NULL, err);
    f->raw.size = 0;
    buffer_free(&body);
    return ok;
}

static bool write_unfold(const char *path, uint32_t n, struct rp_error *err)
{
    struct file f = {0};
    bool ok = begin_file(&f, n, err);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = add_chunk(&f, i, err);
    if (ok && tables_pack_launch_end(&f.raw, 0, &complete, err))
        ok = add_tables(&f, err) && index_pack(&f.index, &f.bytes, err);
    return end_file(&f, path) && ok;
}

/* n frames of one byte, each said to be a chunk. */
static bool write_index(const char *path, uint32_t n, struct rp_error *err)
{
    struct file f = {0};
    (void)err;
    for (uint32_t i = 0; i < n; i++)
        buffer_append(&f.bytes, "", 1);
    static const uint8_t value[] = {1, 1, FRAME_CHUNK, 0, 0, 1, 1, 1, 0};
    for (unsigned field = 1; field <= sizeof value; field++)
        column(&f.raw, field, value[field - 1], n);
    struct sha256 sha;
    uint8_t head[8] = {0x52, 0x2a, 0x4d, 0x18}, footer[INDEX_FOOTER_BYTES] = {0};
    uint64_t size = f.raw.size, all = size + sizeof footer;
    for (int i = 0; i < 4; i++) {
        head[4 + i] = (uint8_t)(all >> 8 * i);
        footer[32 + i] = (uint8_t)(size >> 8 * i);
    }
    sha256_begin(&sha);
    sha256_add(&sha, f.raw.data, f.raw.size);
    sha256_end(&sha, footer);
    memcpy(footer + 40, INDEX_MAGIC, 8);
    buffer_append(&f.bytes, head, sizeof head);
    buffer_append(&f.bytes, f.raw.data, f.raw.size);
    buffer_append(&f.bytes, footer, sizeof footer);
    return end_file(&f, path);
}

int main(int argc, char **argv)
{
    struct rp_error err = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: memory gather|launches|host|kind|unfold|index N FILE\n");
        return RP_USAGE;
    }
    uint32_t n = (uint32_t)strtoul(argv[2], NULL, 0);
    bool launches = !strcmp(argv[1], "launches");
    make_kernel();
    bool ok = !strcmp(argv[1], "host")     ? write_host(argv[3], n, &err)
              : !strcmp(argv[1], "kind")   ? write_kind(argv[3], n, &err)
              : !strcmp(argv[1], "unfold") ? write_unfold(argv[3], n, &err)
              : !strcmp(argv[1], "index")  ? write_index(argv[3], n, &err)
                                           : write_trace(argv[3], !launches, n, &err);
    if (!ok)
        fprintf(stderr, "memory: %s\n", err.text);
    return ok ? 0 : RP_SYSTEM;
}
