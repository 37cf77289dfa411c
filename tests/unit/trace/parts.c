/* The small parts: SHA-256 against FIPS 180-4's published vectors, patterns, classes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/synthetic_trace.h"
#include "tracefmt/buffer.h"
#include "tracefmt/pattern.h"
#include "tracefmt/pool.h"
#include "tracefmt/reader.h"
#include "tracefmt/sha256.h"
#include "tracefmt/wire.h"

static void expect_sha256(const char *text, size_t repeat, size_t step, const char *expected)
{
    struct sha256 s;
    uint8_t digest[32];
    char hex[65];
    size_t size = strlen(text);
    sha256_begin(&s);
    for (size_t r = 0; r < repeat; r++)
        for (size_t at = 0; at < size; at += step)
            sha256_add(&s, text + at, size - at < step ? size - at : step);
    sha256_end(&s, digest);
    sha256_hex(digest, hex);
    cr_expect_str_eq(hex, expected);
}

/* https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values, SHA-256 */
Test(sha256, published_vectors)
{
    for (size_t step = 1; step < 130; step += 7) {
        expect_sha256("", 1, step, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        expect_sha256("abc", 1, step, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        expect_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, step,
                      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        expect_sha256(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstn"
            "opqrstu",
            1, step, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    }
    expect_sha256("aaaaaaaaaa", 100000, 10, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static struct wide_pattern classify(rp_lanemask mask, int64_t step, int64_t odd)
{
    struct wide_pattern p = {.mask = mask};
    unsigned lowest = (unsigned)__builtin_ctz(mask);
    for (unsigned l = lowest; l < RP_WARP_LANES; l++)
        if (mask >> l & 1)
            p.offset[l] = (int64_t)(l - lowest) * step + (l == 31 ? odd : 0);
    pattern_classify(&p);
    return p;
}

Test(pattern, kinds)
{
    cr_expect_eq(classify(UINT32_MAX, 0, 0).kind, RP_PATTERN_UNIFORM);
    cr_expect_eq(classify(1u << 31, 4, 0).kind, RP_PATTERN_UNIFORM);
    cr_expect_eq(classify(UINT32_MAX, 4, 0).kind, RP_PATTERN_AFFINE);
    cr_expect_eq(classify(0xf0f0, -8, 0).stride, -8);
    cr_expect_eq(classify(UINT32_MAX, 4, 1).kind, RP_PATTERN_GENERAL);
    cr_expect_eq(classify(0x80000100, 4, 0).stride, 4);
    struct wide_pattern a = classify(0xff00ff00, 12, 0), b = {.mask = a.mask, .kind = a.kind, .stride = a.stride};
    pattern_expand(&b);
    cr_expect(pattern_equal(&a, &b) && a.hash == b.hash);
    cr_expect_neq(classify(0xff00ff00, 12, 4).hash, a.hash);
    cr_expect_neq(classify(0xff00ff01, 12, 0).hash, a.hash);
}

/* The stride between lanes that are not neighbours need not divide evenly. */
Test(pattern, uneven_distances_are_general)
{
    struct wide_pattern p = {.mask = 1u | 1u << 2};
    p.offset[2] = 5;
    pattern_classify(&p);
    cr_expect_eq(p.kind, RP_PATTERN_GENERAL);
}

Test(wire, varints_that_are_cut_or_too_long_are_refused)
{
    static const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    uint64_t value;
    struct span s = {longest, longest + 10};
    cr_expect(span_varint(&s, &value) && value == UINT64_MAX);
    for (int n = 0; n < 10; n++) {
        s = (struct span){longest, longest + n};
        cr_expect(!span_varint(&s, &value));
    }
    s = (struct span){too_long, too_long + 10};
    cr_expect(!span_varint(&s, &value));
}

/* Values around each power of 2 come back, and take as few bytes as can be. */
Test(wire, varints_come_back)
{
    for (unsigned bits = 0; bits < 64; bits++)
        for (int more = -1; more < 2; more++) {
            const uint64_t value = (UINT64_C(1) << bits) + (uint64_t)more;
            const unsigned length = value ? (unsigned)(63 - __builtin_clzll(value)) / 7 + 1 : 1;
            struct buffer b = {0};
            uint64_t back;
            buffer_varint(&b, value);
            struct span s = {b.data, b.data + b.size};
            cr_expect(b.size == length && span_varint(&s, &back) && back == value, "%#llx", (unsigned long long)value);
            buffer_free(&b);
        }
}

Test(pool, the_limit_holds)
{
    struct pool a = {.limit = 1000};
    cr_expect(pool_alloc(&a, 500, 1) && !a.over);
    cr_expect(!pool_alloc(&a, 600, 1) && a.over);
    cr_expect(pool_alloc(&a, 300, 1));
    cr_expect(!pool_alloc(&a, SIZE_MAX / 2, 4));
    pool_free(&a);
}

struct mix {
    const struct rp_kernel *kernel;
    struct rp_class_counts counts;
};
static void count_step(void *data, const struct synthetic_step *s)
{
    struct mix *m = data;
    uint8_t class = m->kernel->instructions[s->index].unit_class;
    m->counts.warp[class]++;
    m->counts.thread[class] += (unsigned)__builtin_popcount(s->executed);
}

Test(reader, class_counts_are_those_of_the_steps)
{
    char path[] = "/tmp/reprise-mix-XXXXXX";
    close(mkstemp(path));
    struct rp_error err = {0};
    struct synthetic_options o = {.seed = 3, .blocks = 9, .threads = 100, .memory_percent = 30, .guard_percent = 30};
    struct synthetic_trace *s = synthetic_new(&o);
    struct mix m = {.kernel = synthetic_kernel(s)};
    for (uint64_t b = 0; b < 9; b++)
        for (uint32_t w = 0; w < 4; w++)
            synthetic_warp(s, 0, b, w, count_step, &m);
    cr_assert(synthetic_write(s, path, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    struct rp_class_counts got;
    cr_assert(t && rp_trace_class_counts(t, 0, &got, NULL, NULL, &err), "%s", err.text);
    cr_expect(!memcmp(&got, &m.counts, sizeof got));
    rp_trace_close(t);
    synthetic_free(s);
    unlink(path);
}
