/* wgmma: a warpgroup's product of matrices in shared memory, laid out in each canonical way, or with A in registers,
 * against a plain product. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_code.h"

enum { M = 64, MAX_N = 256, MAX_K = 256, SHARED = 48 * 1024, A_AT = 0, B_AT = 16 * 1024, THREADS = 128 };

/* How one matrix lies in shared memory. */
struct side {
    unsigned width;  /* of the swizzle in bytes, 16: none */
    bool transposed; /* the long side of A or B along the lines, not K */
    unsigned skip;   /* further on along K, in units of 32 bytes: the part of a wide row that is multiplied */
};
struct test {
    const char *spelling; /* NULL: out of the others */
    enum number a, b, d;
    int n, k;
    struct side as, bs;
    bool registers; /* A */
    bool adds, negative_a, negative_b, satfinite;
    bool sparse; /* A has half of its columns */
    unsigned selector;
    bool twice; /* two products in a group; only to be compared with machine code */
};

/* Offsets in bytes, multiples of 16, with room between what they separate. */
static unsigned leading_of(const struct side *s)
{
    if (s->transposed)
        return s->width == 16 ? 128 : 4096; /* next 8 k; next width / 2 rows */
    return s->width == 16 ? 5120 : 16;
}
static unsigned stride_of(const struct side *s)
{
    if (s->transposed)
        return s->width == 16 ? 528 : s->width * 8; /* next 8 rows; next 8 k */
    return s->width == 16 ? 144 : s->width * 8;
}

/* Byte of element (row, k) of a matrix of `bits`, in front of the swizzle: the layouts of "Strides" in the PTX ISA,
 * with T = 16 bytes of elements. */
static unsigned place(const struct side *s, unsigned bits, int row, int k)
{
    unsigned r = (unsigned)row, byte = (unsigned)k * bits / 8, leading = leading_of(s), stride = stride_of(s);
    if (!s->transposed && s->width == 16)
        return r % 8 * 16 + r / 8 * stride + byte % 16 + byte / 16 * leading;
    if (!s->transposed)
        return r % 8 * s->width + r / 8 * stride + s->skip * 32 + byte;
    unsigned q = (unsigned)k;
    if (s->width == 16)
        return r % 8 * 2 + r / 8 * stride + q % 8 * 16 + q / 8 * leading;
    unsigned across = s->width / 2;
    return r % across * 2 + r / across * leading + q % 8 * s->width + q / 8 * stride;
}
static unsigned swizzle(const struct side *s, unsigned at)
{
    unsigned mask = s->width == 128 ? 7 : s->width == 64 ? 3 : s->width == 32 ? 1 : 0;
    return at ^ (at >> 3 & mask << 4);
}
static uint64_t descriptor(const struct side *s, unsigned start)
{
    uint64_t mode = s->width == 128 ? 1 : s->width == 64 ? 2 : s->width == 32 ? 3 : 0;
    start += s->transposed ? 0 : s->skip * 32;
    return start / 16 | (uint64_t)leading_of(s) / 16 << 16 | (uint64_t)stride_of(s) / 16 << 32 | mode << 62;
}

static unsigned d_registers(const struct test *t) { return (unsigned)t->n / (t->d == F16 ? 4 : 2); }

static void list(FILE *f, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(f, "%s%%%s%u", i ? ", " : "{", name, i);
    fprintf(f, "}");
}

static void name_form(FILE *f, const struct test *t)
{
    if (t->spelling)
        fprintf(f, "%s ", t->spelling);
    else
        fprintf(f, "wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s ", t->sparse ? ".sp" : "", t->n, t->k,
                t->satfinite ? ".satfinite" : "", number_name(t->d), number_name(t->a), number_name(t->b),
                t->a == B1 ? ".and.popc" : "");
}
static void spell(FILE *f, const struct test *t)
{
    name_form(f, t);
    list(f, "d", d_registers(t));
    fprintf(f, ", ");
    if (t->registers)
        list(f, "a", 4);
    else
        fprintf(f, "%%da");
    fprintf(f, ", %%db");
    if (t->sparse)
        fprintf(f, ", %%e, %u", t->selector);
    fprintf(f, ", %%p");
    if (t->d != S32)
        fprintf(f, ", %d, %d", t->negative_a ? -1 : 1, t->negative_b ? -1 : 1);
    if (number_bits(t->a) == 16) {
        if (!t->registers)
            fprintf(f, ", %d", t->as.transposed);
        fprintf(f, ", %d", t->bs.transposed);
    }
    fprintf(f, ";\n");
}

/* Buffer 0: shared memory; 1: A's registers, by register and thread; 2: D likewise; 3: metadata. */
static char *kernel_text(const struct test *t)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            ".visible .entry k(.param .u64 pm, .param .u64 pa, .param .u64 pd, .param .u64 pe) {\n"
            ".reg .b64 %%m, %%pa, %%pd, %%pe, %%da, %%db, %%base; .reg .b32 %%e, %%t, %%s, %%i, %%x, %%a<4>; .reg "
            ".pred %%p, %%q;\n"
            ".reg .%s %%d<%u>; .shared .align 1024 .b8 sm[%d];\n"
            "ld.param.u64 %%m, [pm]; ld.param.u64 %%pa, [pa]; ld.param.u64 %%pd, [pd]; mov.u32 %%t, %%tid.x;\n"
            "mad.wide.u32 %%m, %%t, 4, %%m; mad.wide.u32 %%pa, %%t, 4, %%pa; mad.wide.u32 %%pd, %%t, 4, %%pd;\n"
            "ld.param.u64 %%pe, [pe]; mad.wide.u32 %%pe, %%t, 4, %%pe; ld.global.u32 %%e, [%%pe];\n"
            "mov.u32 %%s, sm; mad.lo.u32 %%s, %%t, 4, %%s; mov.u32 %%i, 0;\n"
            "fill: ld.global.u32 %%x, [%%m]; st.shared.u32 [%%s], %%x; add.u64 %%m, %%m, 512; add.u32 %%s, %%s, 512;\n"
            "add.u32 %%i, %%i, 512; setp.lt.u32 %%q, %%i, %d; @%%q bra fill;\nbar.sync 0;\n",
            t->d == F32 ? "f32" : "b32", d_registers(t), SHARED, SHARED);
    for (unsigned i = 0; i < 4; i++)
        fprintf(f, "ld.global.b32 %%a%u, [%%pa+%u];\n", i, 4 * THREADS * i);
    for (unsigned i = 0; i < d_registers(t); i++)
        fprintf(f, "ld.global.b32 %%d%u, [%%pd+%u];\n", i, 4 * THREADS * i);
    fprintf(f,
            "mov.u32 %%s, sm; shr.u32 %%s, %%s, 4; cvt.u64.u32 %%base, %%s;\n"
            "mov.u64 %%da, %lld; add.u64 %%da, %%da, %%base; mov.u64 %%db, %lld; add.u64 %%db, %%db, %%base;\n"
            "setp.eq.u32 %%p, 1, %d;\nwgmma.fence.sync.aligned;\n",
            (long long)descriptor(&t->as, A_AT), (long long)descriptor(&t->bs, B_AT), t->adds);
    spell(f, t);
    struct test second = *t; /* ptxas makes one product of two that are equal */
    second.registers = !t->registers;
    if (t->twice)
        spell(f, &second);
    fprintf(f, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (unsigned i = 0; i < d_registers(t); i++)
        fprintf(f, "st.global.b32 [%%pd+%u], %%d%u;\n", 4 * THREADS * i, i);
    fprintf(f, "ret; }\n");
    fclose(f);
    return text;
}

static uint64_t small(enum number n)
{
    uint32_t r = next_random();
    switch (n) {
    case S8:
    case U8: return r & 255;
    case B1: return r & 1;
    case S32: return r & 8 ? 0x7fffffffu - (r >> 24) : r;
    default: return encode(n, (double)((int)(r % 5) - 2));
    }
}

static void put_bits(uint8_t *memory, unsigned byte, unsigned bit, unsigned width, uint64_t bits)
{
    if (width < 8)
        memory[byte] = (uint8_t)(memory[byte] | bits << bit);
    else
        memcpy(memory + byte, &bits, width / 8);
}

/* Element (row, column) of D: register and thread, and the half of it (PTX ISA "Register fragments": each warp has 16
 * rows). */
static unsigned d_place(const struct test *t, int row, int column, unsigned *half)
{
    unsigned thread = (unsigned)(row / 16 * 32 + row % 8 * 4 + column % 8 / 2);
    unsigned pair = (unsigned)(column / 8 * 2 + row % 16 / 8);
    *half = t->d == F16 ? (unsigned)column % 2 : 0;
    return (t->d == F16 ? pair : 2 * pair + (unsigned)column % 2) * THREADS + thread;
}
static uint64_t get_d(const struct test *t, const uint32_t *d, int row, int column)
{
    unsigned half, at = d_place(t, row, column, &half);
    return t->d == F16 ? d[at] >> 16 * half & 0xffff : d[at];
}

/* An element of A that is there, at column `i` of `columns`: in shared memory, and in registers as of m16n8: rows g and
 * g + 8, the first and the second 16 bytes. */
static void put_a(const struct test *t, uint8_t *memory, uint32_t *registers, int r, int i, int columns, uint64_t bits)
{
    unsigned width = number_bits(t->a), per = 32 / width;
    int half = columns / 2, in_half = i % half, lane = r % 8 * 4 + in_half / (int)per;
    unsigned reg = (unsigned)(r % 16 / 8 + i / half * 2);
    put_bits(memory, A_AT + swizzle(&t->as, place(&t->as, width, r, i)), (unsigned)i % 8 * width % 8, width, bits);
    registers[reg * THREADS + (unsigned)(r / 16 * 32 + lane)] |= (uint32_t)bits
                                                                 << width * ((unsigned)in_half % per) % 32;
}

/* A sparse row: of each 4 elements 2 are there, of tf32 1 of 2, and metadata say which: as mma.sp has them, for the 16
 * rows of each warp. */
static void put_sparse_row(const struct test *t, uint8_t *memory, uint32_t *registers, uint32_t *meta, int r,
                           uint64_t *a)
{
    static const int pairs[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
    int size = t->a == TF32 ? 2 : 4, lower = r % 16 / 8;
    for (int c = 0; c < t->k / size; c++) {
        const int *pair = pairs[next_random() % 6];
        int one = (int)(next_random() & 1);
        bool wide = number_bits(t->a) >= 16;
        int lane = r % 8 * 4 + (wide ? 2 * (int)t->selector + c / 4 : c / 8 * 2 + lower);
        int bit = wide ? 16 * lower + c % 4 * 4 : c % 8 * 4;
        uint32_t code = size == 2 ? (one ? 14u : 4u) : (uint32_t)(pair[0] | pair[1] << 2);
        meta[r / 16 * 32 + lane] |= code << bit;
        for (int n = 0; n < size / 2; n++) {
            uint64_t *at = &a[c * size + (size == 2 ? one : pair[n])];
            *at = small(t->a);
            put_a(t, memory, registers, r, c * size / 2 + n, t->k / 2, *at);
        }
    }
}

static void check(const struct test *t)
{
    static uint64_t a[M][MAX_K], b[MAX_N][MAX_K], c[M][MAX_N];
    static double da[M][MAX_K], db[MAX_N][MAX_K];
    struct kernel_run k;
    char *text = kernel_text(t);
    unsigned width = number_bits(t->a);
    open_kernel(&k, "sm_90a", text, 4, 4 * THREADS * 128 > SHARED ? 4 * THREADS * 128 : SHARED);
    uint8_t *memory = k.host[0];
    uint32_t *ra = k.host[1], *rd = k.host[2];
    memset(a, 0, sizeof a);
    for (int r = 0; r < M && t->sparse; r++)
        put_sparse_row(t, memory, ra, k.host[3], r, a[r]);
    for (int i = 0; i < t->k; i++) {
        for (int r = 0; r < M && !t->sparse; r++) {
            a[r][i] = small(t->a);
            put_a(t, memory, ra, r, i, t->k, a[r][i]);
        }
        for (int x = 0; x < t->n; x++) {
            b[x][i] = small(t->b);
            put_bits(memory, B_AT + swizzle(&t->bs, place(&t->bs, width, x, i)), (unsigned)i % 8 * width % 8, width,
                     b[x][i]);
        }
    }
    for (int r = 0; r < M; r++)
        for (int x = 0; x < t->n; x++) {
            unsigned half, at = d_place(t, r, x, &half);
            c[r][x] = small(t->d);
            rd[at] |= (uint32_t)c[r][x] << 16 * half;
        }
    cr_assert(launch_kernel(&k, 1, THREADS), "%s\n%s", k.err.text, text);
    if (t->twice) {
        free(text);
        close_kernel(&k);
        return;
    }
    double sign = t->negative_a == t->negative_b ? 1 : -1;
    for (int i = 0; i < t->k; i++) {
        for (int r = 0; r < M; r++)
            da[r][i] = decode(t->a, a[r][i]);
        for (int x = 0; x < t->n; x++)
            db[x][i] = decode(t->b, b[x][i]);
    }
    for (int r = 0; r < M; r++)
        for (int x = 0; x < t->n; x++) {
            double sum = 0;
            for (int i = 0; i < t->k; i++)
                sum += da[r][i] * db[x][i];
            sum = sign * sum + (t->adds ? decode(t->d, c[r][x]) : 0);
            if (t->satfinite)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            uint64_t want = t->d == S32 ? (uint32_t)(int64_t)sum : encode(t->d, sum == 0 ? 0 : sum);
            uint64_t got = get_d(t, rd, r, x);
            got = t->d != S32 && got == 1ull << (number_bits(t->d) - 1) ? 0 : got;
            cr_assert_eq(got, want, "row %d column %d: %#lx, not %#lx; swizzles %u %u turned %d %d\n%.200s", r, x, got,
                         want, t->as.width, t->bs.width, t->as.transposed, t->bs.transposed, strstr(text, "wgmma.mma"));
        }
    free(text);
    close_kernel(&k);
}

static const struct {
    enum number a, b, d;
    int k;
} types[] = {
    {F16, F16, F32, 16},   {F16, F16, F16, 16},   {BF16, BF16, F32, 16}, {TF32, TF32, F32, 8}, {E4M3, E4M3, F32, 32},
    {E4M3, E5M2, F16, 32}, {E5M2, E4M3, F32, 32}, {E5M2, E5M2, F16, 32}, {S8, S8, S32, 32},    {S8, U8, S32, 32},
    {U8, S8, S32, 32},     {U8, U8, S32, 32},     {B1, B1, S32, 256},
};
enum { TYPES = sizeof types / sizeof *types };

static struct test test_of(unsigned type, int n)
{
    const struct side plain = {16, false, 0};
    return (struct test){NULL,          types[type].a, types[type].b, types[type].d, n,
                         types[type].k, plain,         plain,         .adds = true};
}

Test(wgmma, every_swizzle)
{
    static const unsigned widths[] = {16, 32, 64, 128};
    for (unsigned type = 0; type < TYPES; type++)
        for (unsigned w = 0; w < 16; w++)
            for (unsigned transposed = 0; transposed < (number_bits(types[type].a) == 16 ? 4 : 1); transposed++) {
                struct test t = test_of(type, w % 3 ? 24 : 64);
                t.as = (struct side){widths[w % 4], transposed & 1, 0};
                t.bs = (struct side){widths[w / 4], transposed & 2, 0};
                check(&t);
                t.as.skip = t.as.width > 32;
                t.bs.skip = t.bs.width > 32 ? t.bs.width / 32 - 1 : 0;
                if (!transposed)
                    check(&t);
            }
}

/* Integers have the widths 8, 24 and multiples of 16. */
static bool has_width(const struct test *t) { return t->d != S32 || t->n % 16 == 0 || t->n == 8 || t->n == 24; }

static void check_form(const struct spelling *s)
{
    static const unsigned widths[] = {16, 64, 128};
    if (!s->n)
        return; /* fence, commit_group, wait_group: each kernel has them */
    cr_assert(s->type_count == 3 && s->m == M, "%s", s->text);
    struct test t = {.spelling = s->text, .a = s->types[1], .b = s->types[2], .d = s->types[0], .n = s->n, .k = s->k};
    bool halves = number_bits(t.a) == 16;
    t.sparse = spelling_has(s, "sp");
    t.satfinite = spelling_has(s, "satfinite");
    for (unsigned round = 0; has_width(&t) && round < 2; round++) {
        t.registers = round;
        t.as = (struct side){widths[next_random() % 3], halves && next_random() & 1, 0};
        t.bs = (struct side){widths[next_random() % 3], halves && next_random() & 1, 0};
        t.adds = next_random() & 1;
        t.negative_a = t.d != S32 && next_random() & 1;
        t.negative_b = t.d != S32 && next_random() & 1;
        t.selector = t.sparse && number_bits(t.a) >= 16 ? next_random() & 1 : 0;
        check(&t);
    }
}
Test(wgmma, every_form) { each_spelling("wgmma", check_form); }
/* ptxas takes minutes for all widths; the code of each differs in one field and in the number of registers. */
static void check_some_widths(const struct spelling *s)
{
    if (s->n == 8 || s->n == 24 || s->n == 128)
        check_form(s);
}
Test(wgmma, as_machine_code) { compare_machine_code("sm_90a", "wgmma", check_some_widths); }

static void check_group(const struct spelling *s)
{
    if (s->n != 24)
        return;
    const struct side plain = {16, false, 0};
    struct test t = {.spelling = s->text, .a = s->types[1], .b = s->types[2], .d = s->types[0], .n = s->n, .k = s->k};
    t.as = t.bs = plain;
    t.sparse = spelling_has(s, "sp");
    t.satfinite = spelling_has(s, "satfinite");
    t.adds = t.twice = true;
    check(&t);
}
Test(wgmma, groups_as_machine_code) { compare_machine_code("sm_90a", "wgmma", check_group); }

/* Columns of B have 64 bytes: along K a swizzle of 32 does not take them. */
Test(wgmma, sparse)
{
    static const unsigned a_widths[] = {16, 32, 64, 128}, b_widths[] = {16, 64, 128};
    for (unsigned type = 0; type + 1 < TYPES; type++) /* not bits */
        for (unsigned w = 0; w < 24; w++) {
            bool halves = number_bits(types[type].a) == 16, integers = types[type].d == S32;
            struct test t = test_of(type, w % 3 == 2 ? 256 : w % 5 ? 24 : 64);
            t.k *= 2;
            t.sparse = true;
            t.selector = number_bits(types[type].a) >= 16 ? w & 1 : 0;
            t.registers = w >= 12;
            t.as = (struct side){a_widths[w % 4], halves && w & 4, 0};
            t.bs = (struct side){b_widths[w % 12 / 4], halves && w & 2, 0};
            t.adds = w % 7;
            t.negative_a = !integers && w % 4 == 1;
            t.satfinite = integers && w & 1;
            check(&t);
        }
}

Test(wgmma, refused_by_name)
{
    const char *e = refusal("sm_90", "wgmma.fence.sync.aligned;");
    cr_assert(strstr(e, "wgmma needs .target sm_90a, this is sm_90"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3}, %d1, %d2, %p1, 1, 1, 0, 0;");
    cr_assert(strstr(e, "matrix d has 4 registers here, not 3"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %p1, 2, 1, 0, 0;");
    cr_assert(strstr(e, "1 or -1 belongs here, not 2"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %r1, %d2, %p1, 1, 1, 0, 0;");
    cr_assert(strstr(e, "a 64-bit register with a matrix descriptor belongs here"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11,"
                "%r12,%r13,%r14,%r15,%r16,%r17,%r18,%r19,%r20}, %d1, %d2, %p1;");
    cr_assert(strstr(e, "has no shape m64n40k32"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 {%f1,%f2,%f3,%f4}, %d1, %d2, %r1, 1, %p1, "
                "1, 1;");
    cr_assert(strstr(e, "the sparsity selector is 0 here, not 1"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %r1, 2, %p1, "
                "1, 1, 0, 0;");
    cr_assert(strstr(e, "the sparsity selector is 0 or 1 here, not 2"), "%s", e);
    e = refusal("sm_90a",
                "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %p1, 1, 1, 0, 0;");
    cr_assert(strstr(e, "'wgmma' "), "%s", e);
}

/* A descriptor that points outside of shared memory. */
Test(wgmma, out_of_bounds)
{
    struct test t = test_of(0, 64);
    t.bs = (struct side){128, false, 0};
    char *text = kernel_text(&t), *at = strstr(text, "mov.u64 %db, ");
    cr_assert(at);
    memcpy(at, "mov.u64 %db, 0x4000004000013fff; //", 35);
    struct kernel_run k;
    open_kernel(&k, "sm_90a", text, 4, 4 * THREADS * 128);
    cr_assert(!launch_kernel(&k, 1, THREADS));
    cr_assert_eq(k.result.fault, RP_FAULT_BOUNDS);
    cr_assert(strstr(k.err.text, "wgmma.mma_async"), "%s", k.err.text);
    free(text);
    close_kernel(&k);
}
