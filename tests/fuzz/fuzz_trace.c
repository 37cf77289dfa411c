/* The trace reader on arbitrary bytes. The first byte says where they go: to the file reader as they are, or behind the
 * checksums, which random bytes seldom pass: to the chunk decoder, the tables, the index, or to the file reader as
 * frames, each behind its size in two bytes, low one first (tests/fuzz/seeds_trace.c makes some). */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/remade_trace.h"
#include "tests/support/synthetic_trace.h"
#include "tracefmt/reader_internal.h"
#include "tracefmt/sha256.h"

#define STEPS 20000 /* a few bytes can tell a long story */

static void walk_block(struct rp_trace *t, uint32_t launch, uint64_t block, uint64_t *steps)
{
    struct rp_error err;
    struct rp_block *b = rp_block_open(t, launch, block, &err);
    for (uint32_t w = 0; b && w < rp_block_warps(b) && *steps < STEPS; w++) {
        struct rp_cursor c;
        struct rp_step s;
        uint64_t address[RP_WARP_LANES];
        if (rp_cursor_open(&c, b, w, &err))
            while (*steps < STEPS && rp_cursor_next(&c, &s, &err) == 1) {
                ++*steps;
                for (uint32_t m = 0; s.executed && m < s.instruction->memory_count; m++)
                    rp_access_addresses(&s.accesses[m], address);
            }
        rp_cursor_close(&c);
    }
    rp_block_close(b);
}

static void fuzz_file(const uint8_t *data, size_t size)
{
    struct rp_error err;
    int fd = memfd_create("trace", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        __builtin_trap();
    struct rp_trace *t = trace_open_fd(fd, "input", &err);
    if (!t)
        return;
    rp_trace_verify(t, NULL, NULL, &err);
    uint64_t steps = 0;
    for (uint32_t l = 0; l < rp_trace_launch_count(t); l++)
        for (uint64_t b = 0; b < 16 && b < rp_launch_blocks(rp_trace_launch(t, l)); b++)
            walk_block(t, l, b, &steps);
    rp_trace_close(t);
}

static void fuzz_frames(const uint8_t *data, size_t size)
{
    struct rp_error err;
    struct buffer file = {0};
    for (size_t at = 0, part; at + 2 <= size; at += part) {
        part = data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        part = part < size - at ? part : size - at;
        struct buffer raw = {.data = (uint8_t *)data + at, .size = part};
        if (!remade_frame_append(&file, &raw, &err))
            __builtin_trap();
    }
    if (file.size)
        fuzz_file(file.data, file.size);
    buffer_free(&file);
}

static void walk_warp(const struct chunk_warp *w)
{
    struct stream s = {0};
    struct rp_dynamic_access buffer[256];
    uint64_t end = w->path->path.access_count;
    if (!stream_begin(&s, w))
        __builtin_trap();
    while (s.at < end)
        stream_fill(&s, buffer, end - s.at < 256 ? (uint32_t)end : s.at + 256);
    stream_free(&s);
}

static void fuzz_chunk(const uint8_t *data, size_t size)
{
    static struct synthetic_trace *synthetic;
    static struct pool pool;
    static struct kernel_map *map;
    static struct rp_launch launch, *launches = &launch;
    if (!synthetic) {
        struct synthetic_options o = {.seed = 1, .blocks = 100, .memory_percent = 40, .guard_percent = 30};
        o.aux = o.several_operands = o.barriers = o.objects = true;
        synthetic = synthetic_new(&o);
        map = kernel_map_new(&pool, synthetic_kernel(synthetic));
        launch = *synthetic_launch(synthetic, 0);
    }
    struct rp_error err;
    bool over;
    struct budget budget = {.limit = TRACE_MEMORY};
    struct decode_context context = {1, &launches, &map, &budget};
    struct chunk *c = chunk_decode(data, size, &context, &over, &err);
    for (uint32_t i = 0; c && i < c->block_count * c->warps_per_block && i < 64; i++)
        walk_warp(&c->warps[i]);
    chunk_free(c);
}

static void fuzz_tables(const uint8_t *data, size_t size)
{
    struct rp_error err;
    struct budget budget = {.limit = TRACE_MEMORY};
    struct tables t = {.pool = {.budget = &budget}, .has_header = true};
    tables_unpack(&t, data, size, &err);
    tables_free(&t);
}

static bool read_memory(const void *from, uint64_t offset, void *data, size_t size, struct rp_error *err)
{
    (void)err;
    memcpy(data, (const uint8_t *)from + offset, size);
    return true;
}

static void fuzz_index(const uint8_t *data, size_t size)
{
    struct rp_error err;
    struct index x = {.limit = INDEX_MEMORY};
    struct index_source source = {read_memory, data, 0, size};
    struct sha256 sha;
    uint8_t footer[INDEX_FOOTER_BYTES];
    sha256_begin(&sha);
    sha256_add(&sha, data, size);
    sha256_end(&sha, footer);
    index_unpack(&x, &source, footer, 1000, &err);
    index_free(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const targets[])(const uint8_t *, size_t) = {fuzz_file,   fuzz_chunk, fuzz_chunk,
                                                               fuzz_tables, fuzz_index, fuzz_frames};
    if (size)
        targets[data[0] % (sizeof targets / sizeof *targets)](data + 1, size - 1);
    return 0;
}
