/* Chunks that are coded for lanes that diverge: what is damaged in them is refused with the column's name, or is
 * another whole chunk. Checksums fit. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/remade_trace.h"
#include "tests/support/synthetic_trace.h"
#include "tracefmt/chunk_format.h"
#include "tracefmt/reader.h"
#include "tracefmt/whereabouts.h"
#include "tracefmt/wire.h"

static struct remade_trace trace;
static struct remade_frame *chunk; /* the first one of the trace */
static char path[] = "/tmp/reprise-scattered-XXXXXX";

static void make(void)
{
    struct rp_error err = {0};
    struct synthetic_options o = {.seed = 5, .launches = 1, .blocks = 3, .threads = 96, .memory_percent = 40};
    o.guard_percent = o.diverge_percent = o.random_percent = 30;
    o.several_operands = o.scattered = true;
    close(mkstemp(path));
    cr_assert(synthetic_trace_write(path, &o, &err) && remade_take(&trace, path, &err), "%s", err.text);
    chunk = trace.frames;
    while (chunk->kind != FRAME_CHUNK)
        chunk++;
}

static void drop(void)
{
    unlink(path);
    remade_free(&trace);
}

TestSuite(scattered, .init = make, .fini = drop);

static void put_bytes(struct buffer *b, unsigned field, const void *data, size_t size)
{
    buffer_varint(b, field << 3 | WIRE_BYTES);
    buffer_varint(b, size);
    buffer_append(b, data, size);
}

/* The column's values. */
static struct span column_of(const struct buffer *raw, unsigned field)
{
    struct span content = {raw->data, raw->data + raw->size};
    struct wire_field f;
    cr_assert(span_field(&content, &f));
    for (struct span body = f.body; body.at < body.end;) {
        cr_assert(span_field(&body, &f));
        if (f.number == field && f.type == WIRE_BYTES)
            return f.body;
    }
    return (struct span){0};
}

/* The chunk with other values in a column. */
static struct buffer with_column(unsigned field, const void *data, size_t size)
{
    struct span content = {chunk->raw.data, chunk->raw.data + chunk->raw.size};
    struct buffer body = {0}, raw = {0};
    struct wire_field f;
    cr_assert(span_field(&content, &f));
    for (struct span rest = f.body; rest.at < rest.end;) {
        const uint8_t *begin = rest.at;
        cr_assert(span_field(&rest, &f));
        if (f.number == field)
            put_bytes(&body, field, data, size);
        else
            buffer_append(&body, begin, (size_t)(rest.at - begin));
    }
    put_bytes(&raw, TRACE_FIELD_CHUNK, body.data, body.size);
    buffer_free(&body);
    return raw;
}

/* Writes the trace with this chunk, which is freed, and verifies it. */
static bool is_whole(struct buffer raw, struct rp_error *err)
{
    struct buffer before = chunk->raw;
    *err = (struct rp_error){0};
    chunk->raw = raw;
    cr_assert(remade_write(&trace, path, true, err), "%s", err->text);
    chunk->raw = before;
    buffer_free(&raw);
    struct rp_trace *t = rp_trace_open(path, err);
    cr_assert(t, "%s", err->text);
    const bool whole = rp_trace_verify(t, NULL, NULL, err);
    rp_trace_close(t);
    cr_assert(whole == !*err->text && !strchr(err->text, '\n'), "%s", err->text);
    return whole;
}

Test(scattered, all_of_its_columns_are_there)
{
    static const unsigned fields[] = {CHUNK_RUN_MASK,      CHUNK_GUARD, CHUNK_PATTERN_STRIDE, CHUNK_PATTERN_OFFSET,
                                      CHUNK_EXCEPTION_GAP, CHUNK_FIRST, CHUNK_SCATTERED};
    static const unsigned none[] = {CHUNK_PATTERN_MASK, CHUNK_PATTERN_KIND, CHUNK_FIRST_PATTERN};
    struct rp_error err;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cr_expect(column_of(&chunk->raw, fields[i]).at, "no column %u", fields[i]);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect(!column_of(&chunk->raw, none[i]).at, "column %u", none[i]);
    const struct span scattered = column_of(&chunk->raw, CHUNK_SCATTERED);
    cr_assert(is_whole(with_column(CHUNK_SCATTERED, scattered.at, 1), &err), "%s", err.text);
}

/* The first byte of a column becomes another. */
static void refused(unsigned field, uint8_t byte, const char *message)
{
    struct rp_error err;
    const struct span column = column_of(&chunk->raw, field);
    const size_t size = (size_t)(column.end - column.at);
    uint8_t *values = malloc(size);
    memcpy(values, column.at, size);
    values[0] = byte;
    cr_expect(!is_whole(with_column(field, values, size), &err) && strstr(err.text, message), "%u: %s", byte, err.text);
    free(values);
}

Test(scattered, a_value_that_means_nothing_is_refused)
{
    refused(CHUNK_SCATTERED, 0, "column scattered: a value is out of range");
    refused(CHUNK_SCATTERED, SCATTERED_LANES + 1, "column scattered: a value is out of range");
    refused(CHUNK_RUN_MASK, 1 << 2, "column run_mask: a value is out of range");
    refused(CHUNK_RUN_MASK, 32 << 2 | 1, "column run_mask: ");
    refused(CHUNK_EXCEPTION_PATTERN, PATTERN_ABOUT_BASE + 1, "column exception_pattern: a value is out of range");
}

Test(scattered, a_column_that_lacks_its_last_value_is_refused)
{
    static const struct {
        unsigned field;
        const char *name;
    } columns[] = {{CHUNK_PATTERN_STRIDE, "pattern_stride"},
                   {CHUNK_PATTERN_OFFSET, "pattern_offset"},
                   {CHUNK_FIRST, "first"},
                   {CHUNK_EXCEPTION_GAP, "exception_gap"},
                   {CHUNK_EXCEPTION_BASE, "exception_base"},
                   {CHUNK_EXCEPTION_PATTERN, "exception_pattern"}};
    struct rp_error err;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct span column = column_of(&chunk->raw, columns[i].field);
        size_t size = (size_t)(column.end - column.at) - 1;
        while (size && column.at[size - 1] >= 0x80)
            size--;
        cr_expect(!is_whole(with_column(columns[i].field, column.at, size), &err), "%s", columns[i].name);
        cr_expect(strstr(err.text, columns[i].name), "%s: %s", columns[i].name, err.text);
    }
}

Test(scattered, two_thousand_flipped_bits)
{
    uint64_t random = 815, refused = 0;
    for (int i = 0; i < 2000; i++) {
        struct rp_error err;
        struct buffer raw = {0};
        buffer_append(&raw, chunk->raw.data, chunk->raw.size);
        raw.data[synthetic_random(&random) % raw.size] ^= (uint8_t)(1u << synthetic_random(&random) % 8);
        refused += !is_whole(raw, &err);
    }
    cr_expect_gt(refused, 100, "%" PRIu64, refused); /* many a base or offset may be any number */
    cr_expect_lt(refused, 2000, "%" PRIu64, refused);
}

/* ---- where lanes are
 * -------------------------------------------------------------------------------------------------
 */

enum { RUNS = 20000, PLACES = 40, MANY_PLACES = 70000 };

/* Of some runs, each of lanes that are mostly at one place. */
static void make_runs(struct rp_run *run)
{
    uint32_t at[RP_WARP_LANES] = {0}, state = 5;
    for (unsigned i = 0; i < RUNS; i++) {
        state = state * 1664525 + 1013904223;
        const uint32_t lead = at[state >> 27], low = state >> 8;
        rp_lanemask lanes = 0;
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            lanes |= (rp_lanemask)(at[l] == lead && (low % 3 || (low * (l + 7)) >> 9 & 1)) << l;
        lanes |= low % 11 ? 0 : state | 1;
        lanes = lanes ? lanes : 1;
        run[i] = (struct rp_run){low % PLACES, 1 + (state >> 4) % 9, lanes};
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            at[l] = lanes >> l & 1 ? run[i].start + run[i].length : at[l];
    }
}

/* The codes of the runs, which it decodes again. `places`: as many instructions as the kernel is said to have. */
static size_t code_runs(const struct rp_run *run, uint32_t places, uint8_t *codes)
{
    struct pool pool = {0};
    struct whereabouts w;
    cr_assert(whereabouts_new(&w, &pool, places));
    whereabouts_forget(&w);
    whereabouts_begin(&w);
    const size_t half = (size_t)(whereabouts_put(&w, run, RUNS / 2, codes) - codes);
    const size_t size = half + (size_t)(whereabouts_put(&w, run + RUNS / 2, RUNS / 2, codes + half) - (codes + half));
    whereabouts_forget(&w);
    whereabouts_begin(&w);
    struct span left = {codes, codes + size};
    for (unsigned i = 0; i < RUNS; i++) {
        struct rp_run decoded = {run[i].start, run[i].length, 0};
        uint64_t code;
        cr_assert(span_varint(&left, &code) && whereabouts_decode(&w, &decoded, code), "run %u", i);
        cr_assert_eq(decoded.active, run[i].active, "run %u", i);
    }
    cr_assert_eq(left.at, left.end);
    pool_free(&pool);
    return size;
}

/* Kernels with many instructions are coded another way, but alike. */
Test(scattered, masks_of_large_kernels)
{
    static struct rp_run run[RUNS];
    static uint8_t codes[2][RUNS * VARINT_BYTES];
    make_runs(run);
    const size_t size = code_runs(run, PLACES + 10, codes[0]);
    cr_assert_eq(code_runs(run, MANY_PLACES, codes[1]), size);
    cr_assert_eq(memcmp(codes[0], codes[1], size), 0);
}
