/* --tensor-sums against dot products that GPUs computed: tests/golden/tensor-sums. TENSOR_SUMS names another file of
 * the same form. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { ROW_WORDS = 8, AT_ONCE = 8, MOST_BATCHES = 1000, BATCH_BYTES = LANES * 16, NAME = 8 };

/* Results of one GPU and type: 8 rows of A, columns of B and elements of C and D in a batch. */
struct results {
    char gpu[NAME], sums[NAME], factors[NAME], sum[NAME];
    unsigned count;
    uint32_t a[MOST_BATCHES * AT_ONCE][ROW_WORDS], b[MOST_BATCHES * AT_ONCE][ROW_WORDS], c[MOST_BATCHES * AT_ONCE],
        d[MOST_BATCHES * AT_ONCE];
};

/* The lane with row g of A, column g of B, and element (g, g) of C and D; which of its registers or halves the latter.
 */
static unsigned lane_of(unsigned g, unsigned word) { return 4 * g + word % 4; }
static unsigned diagonal_lane(unsigned g) { return 4 * g + g / 2; }

/* Elements as hexadecimal numbers of `digits`, the first in the low bits of the first word. */
static void read_elements(uint32_t words[ROW_WORDS], const char *text, unsigned digits)
{
    memset(words, 0, ROW_WORDS * sizeof *words);
    for (unsigned i = 0; text[i * digits]; i++) {
        char one[9] = "";
        memcpy(one, text + i * digits, digits);
        unsigned bit = 4 * digits * i;
        cr_assert_lt(bit / 32, (unsigned)ROW_WORDS);
        words[bit / 32] |= (uint32_t)strtoul(one, NULL, 16) << bit % 32;
    }
}

static bool is_eight_bits(const struct results *r)
{
    return !strcmp(r->factors, "e4m3") || !strcmp(r->factors, "e5m2");
}
static bool is_wgmma(const struct results *r) { return is_eight_bits(r) && !strcmp(r->sums, "sm_90"); }
static bool is_half(const struct results *r) { return !strcmp(r->sum, "f16"); }

/* ---- kernels: a batch in a block --------------------------------------------------------------------------------- */

#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n"                            \
    ".reg .b64 %%a, %%b, %%c, %%d, %%at; .reg .b32 %%lane, %%block, %%a<4>, %%b<4>, %%h<4>; .reg .f32 %%c<4>;\n"       \
    "ld.param.u64 %%a, [pa]; ld.param.u64 %%b, [pb]; ld.param.u64 %%c, [pc]; ld.param.u64 %%d, [pd];\n"                \
    "mov.u32 %%lane, %%laneid; mov.u32 %%block, %%ctaid.x; mad.lo.u32 %%lane, %%block, 32, %%lane;\n"                  \
    "mul.wide.u32 %%at, %%lane, 16; add.u64 %%a, %%a, %%at; add.u64 %%c, %%c, %%at; add.u64 %%d, %%d, %%at;\n"         \
    "ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%a];\n"

static char *mma_text(const struct results *r)
{
    char *text;
    unsigned k = is_eight_bits(r) ? 32 : !strcmp(r->factors, "tf32") ? 8 : 16;
    const char *body =
        is_half(r) ? "ld.global.v4.u32 {%%h0, %%h1, %%h2, %%h3}, [%%c];\n"
                     "mma.sync.aligned.m16n8k%u.row.col.f16.%s.%s.f16 {%%h0, %%h1}, {%%a0, %%a1, %%a2, %%a3}, {%%b0, "
                     "%%b1}, {%%h0, %%h1};\nst.global.v4.u32 [%%d], {%%h0, %%h1, %%h2, %%h3};\nret;\n}\n"
                   : "ld.global.v4.f32 {%%c0, %%c1, %%c2, %%c3}, [%%c];\n"
                     "mma.sync.aligned.m16n8k%u.row.col.f32.%s.%s.f32 {%%c0, %%c1, %%c2, %%c3}, {%%a0, %%a1, %%a2, "
                     "%%a3}, {%%b0, %%b1}, {%%c0, %%c1, %%c2, %%c3};\nst.global.v4.f32 [%%d], {%%c0, %%c1, %%c2, "
                     "%%c3};\nret;\n}\n";
    char *head, *tail;
    cr_assert_gt(asprintf(&head, HEAD "add.u64 %%b, %%b, %%at;\nld.global.v4.u32 {%%b0, %%b1, %%b2, %%b3}, [%%b];\n"),
                 0);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    cr_assert_gt(asprintf(&tail, body, k, r->factors, r->factors), 0);
#pragma GCC diagnostic pop
    cr_assert_gt(asprintf(&text, "%s%s", head, tail), 0);
    free(head);
    free(tail);
    return text;
}

/* B lies in shared memory, without a swizzle: 16 bytes of each column, then the other 16. */
static char *wgmma_text(const struct results *r)
{
    char *text;
    cr_assert_gt(
        asprintf(
            &text,
            HEAD
            ".shared .align 128 .b8 s[256]; .reg .pred %%p, %%first; .reg .b32 %%thread, %%to; .reg .b64 %%desc;\n"
            "mov.u32 %%thread, %%tid.x; mul.wide.u32 %%at, %%block, 512; add.u64 %%b, %%b, %%at;\n"
            "mul.wide.u32 %%at, %%thread, 4; add.u64 %%b, %%b, %%at; mov.u32 %%to, s;\n"
            "mad.lo.u32 %%b1, %%thread, 4, %%to; setp.lt.u32 %%p, %%thread, 64; setp.lt.u32 %%first, %%thread, 32;\n"
            "@%%p ld.global.u32 %%b0, [%%b]; @%%p st.shared.u32 [%%b1], %%b0;\n"
            "fence.proxy.async; bar.sync 0;\n"
            "ld.global.v4.f32 {%%c0, %%c1, %%c2, %%c3}, [%%c];\n"
            "shr.u32 %%to, %%to, 4; cvt.u64.u32 %%desc, %%to; or.b64 %%desc, %%desc, 0x1000080000;\n"
            "setp.eq.u32 %%p, %%thread, %%thread; wgmma.fence.sync.aligned;\n"
            "wgmma.mma_async.sync.aligned.m64n8k32.f32.%s.%s {%%c0, %%c1, %%c2, %%c3}, {%%a0, %%a1, %%a2, "
            "%%a3}, %%desc, %%p, 1, 1;\n"
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
            "@%%first st.global.v4.f32 [%%d], {%%c0, %%c1, %%c2, %%c3};\nret;\n}\n",
            r->factors, r->factors),
        0);
    return text;
}

/* ---- one GPU and type -------------------------------------------------------------------------------------------- */

/* Registers lie at batch × 512 + lane × 16 + 4 × register bytes. */
static void fill(const struct kernel_run *k, const struct results *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        unsigned batch = i / AT_ONCE, g = i % AT_ONCE;
        uint32_t(*a)[4] = (void *)((char *)k->host[0] + (size_t)batch * BATCH_BYTES), *b = k->host[1],
        (*c)[4] = (void *)((char *)k->host[2] + (size_t)batch * BATCH_BYTES);
        for (unsigned w = 0; w < ROW_WORDS; w++) {
            a[lane_of(g, w)][w / 4 * 2] = r->a[i][w]; /* rows from 8 on are in the other two */
            unsigned at = is_wgmma(r) ? w / 4 * 32 + g * 4 + w % 4 : 4 * lane_of(g, w) + w / 4;
            b[batch * BATCH_BYTES / 4 + at] = r->b[i][w];
        }
        if (is_half(r))
            c[diagonal_lane(g)][0] |= r->c[i] << 16 * (g & 1);
        else
            c[diagonal_lane(g)][g & 1] = r->c[i];
    }
}

static void compare(const struct kernel_run *k, const struct results *r)
{
    unsigned differ = 0;
    for (unsigned i = 0; i < r->count; i++) {
        unsigned batch = i / AT_ONCE, g = i % AT_ONCE;
        const uint32_t(*d)[4] = (void *)((char *)k->host[3] + (size_t)batch * BATCH_BYTES);
        uint32_t got = is_half(r) ? d[diagonal_lane(g)][0] >> 16 * (g & 1) & 0xffff : d[diagonal_lane(g)][g & 1];
        differ += got != r->d[i];
        cr_expect(got == r->d[i] || differ > 3, "%s, %s with %s: result %u is %x, not %x", r->gpu, r->factors, r->sum,
                  i, got, r->d[i]);
    }
    cr_expect_eq(differ, 0, "%s, %s with %s: %u of %u differ", r->gpu, r->factors, r->sum, differ, r->count);
}

static bool launch(struct kernel_run *k, const struct results *r, const char *name)
{
    enum tensor_sums sums = TENSOR_SUMS_EXACT;
    cr_assert(tensor_sums_read(name, &sums), "%s", name);
    const struct rp_launch_config config = {.grid = {(r->count + AT_ONCE - 1) / AT_ONCE, 1, 1},
                                            .block = {is_wgmma(r) ? 128 : 32, 1, 1},
                                            .params = k->params,
                                            .threads = 1,
                                            .sums = sums};
    return rp_launch_kernel(k->device, k->program, &config, &k->result, &k->err);
}

static void check(const struct results *r)
{
    struct kernel_run k;
    char *text = is_wgmma(r) ? wgmma_text(r) : mma_text(r);
    open_kernel(&k, "sm_90a", text, 4, (uint64_t)MOST_BATCHES * BATCH_BYTES);
    free(text);
    fill(&k, r);
    cr_assert(launch(&k, r, r->sums), "%s", k.err.text);
    compare(&k, r);
    close_kernel(&k);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void add(struct results *r, const char *a, const char *b, const char *c, const char *d)
{
    unsigned digits = is_eight_bits(r) ? 2 : !strcmp(r->factors, "tf32") ? 8 : 4;
    cr_assert_lt(r->count, (unsigned)(MOST_BATCHES * AT_ONCE));
    read_elements(r->a[r->count], a, digits);
    read_elements(r->b[r->count], b, digits);
    r->c[r->count] = (uint32_t)strtoul(c, NULL, 16);
    r->d[r->count++] = (uint32_t)strtoul(d, NULL, 16);
}

Test(sums, are_those_that_gpus_computed)
{
    const char *path = getenv("TENSOR_SUMS");
    static struct results r;
    unsigned sets = 0;
    char gpu[NAME], sums[NAME], factors[NAME], sum[NAME], a[80], b[80], c[9], d[9];
    FILE *f = fopen(path ? path : "tests/golden/tensor-sums/results.txt", "r");
    cr_assert(f);
    while (fscanf(f, "%7s %7s %7s %7s %79s %79s %8s %8s", gpu, sums, factors, sum, a, b, c, d) == 8) {
        bool same = r.count && !strcmp(gpu, r.gpu) && !strcmp(factors, r.factors) && !strcmp(sum, r.sum);
        if (r.count && !same)
            check(&r);
        if (!same) {
            r.count = 0;
            strcpy(r.gpu, gpu), strcpy(r.sums, sums), strcpy(r.factors, factors), strcpy(r.sum, sum);
            sets++;
        }
        add(&r, a, b, c, d);
    }
    fclose(f);
    check(&r);
    cr_expect_eq(sets, 36u);
}

/* A row whose sum is another one without the option. */
Test(sums, are_exact_without_the_option)
{
    static struct results r = {.gpu = "H100", .sums = "sm_90", .factors = "f16", .sum = "f32"};
    struct kernel_run k;
    /* 2^24 + 1 - 2^24 */
    add(&r, "6c0000003c0000006c00", "6c0000003c000000ec00", "00000000", "3f800000");
    char *text = mma_text(&r);
    open_kernel(&k, "sm_90a", text, 4, (uint64_t)MOST_BATCHES * BATCH_BYTES);
    free(text);
    fill(&k, &r);
    cr_assert(launch(&k, &r, "exact"), "%s", k.err.text);
    compare(&k, &r);
    cr_assert(launch(&k, &r, "sm_70"), "%s", k.err.text);
    r.d[0] = 0; /* 1 is cut off beside 2^24 */
    compare(&k, &r);
    close_kernel(&k);
}
