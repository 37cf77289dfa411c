/* mma.sync: every shape and type against a plain matrix product, with fragments laid out as the figures and formulas of
 * PTX ISA "Matrix Fragments for mma.m..." say, one formula per shape as there. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine_code.h"

struct place {
    int row, column;
};

/* Element i of lane `lane` of A; K by the shape. */
static struct place place_a(int m, int k, unsigned bits, int lane, int i)
{
    int g = lane >> 2, t = lane % 4;
    switch (bits) {
    case 64:
        if (m == 8)
            return (struct place){g, t};
        if (k == 4)
            return (struct place){i == 0 ? g : g + 8, t};
        if (k == 8)
            return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
        return (struct place){i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
    case 32:
        if (k == 4)
            return (struct place){i == 0 ? g : g + 8, t};
        return (struct place){i == 0 || i == 2 ? g : g + 8, i == 0 || i == 1 ? t : t + 4};
    case 16:
        if (k == 8)
            return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
        return (struct place){i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
    case 8:
        if (m == 8)
            return (struct place){g, t * 4 + i};
        if (k == 16)
            return (struct place){i < 4 ? g : g + 8, t * 4 + (i & 3)};
        return (struct place){i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
    case 4:
        if (m == 8)
            return (struct place){g, t * 8 + i};
        if (k == 32)
            return (struct place){i < 8 ? g : g + 8, t * 8 + (i & 7)};
        return (struct place){i < 8 || (i >= 16 && i < 24) ? g : g + 8,
                              i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
    default:
        if (m == 8)
            return (struct place){g, t * 32 + i};
        if (k == 128)
            return (struct place){i < 32 ? g : g + 8, t * 32 + (i & 31)};
        return (struct place){i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                              i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
    }
}

static struct place place_b(unsigned bits, int lane, int i)
{
    int g = lane >> 2, t = lane % 4;
    switch (bits) {
    case 64: return (struct place){t + i * 4, g};
    case 32: return (struct place){t + i * 4, g};
    case 16: return (struct place){t * 2 + (i & 1) + i / 2 * 8, g};
    case 8: return (struct place){t * 4 + (i & 3) + i / 4 * 16, g};
    case 4: return (struct place){t * 8 + (i & 7) + i / 8 * 32, g};
    default: return (struct place){t * 32 + (i & 31) + i / 32 * 128, g};
    }
}

static struct place place_c(int m, int lane, int i)
{
    int g = lane >> 2, t = lane % 4;
    return m == 8 ? (struct place){g, t * 2 + (i & 1)} : (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

/* ---- one product ------------------------------------------------------------------------------------------------- */

enum { MOST_K = 256 };
struct product {
    const char *spelling; /* all of it */
    int m, k;
    enum number a, b, c;
    bool both; /* of b1: and */
    bool clamp, sparse;
    struct metadata meta;
    uint64_t packed[16][MOST_K]; /* the elements of a sparse A that are there */
    /* bits of the elements */
    uint64_t va[16][MOST_K], vb[MOST_K][8], vc[16][8], vd[16][8];
};

static void put(struct fragment *f, enum number n, int lane, int i, uint64_t bits)
{
    unsigned width = number_bits(n), per = width >= 32 ? 1 : 32 / width;
    f->bits[i / (int)per][lane] |= bits << width * ((unsigned)i % per);
}
static uint64_t take(const struct fragment *f, enum number n, int lane, int i)
{
    unsigned width = number_bits(n), per = width >= 32 ? 1 : 32 / width;
    uint64_t bits = f->bits[i / (int)per][lane] >> width * ((unsigned)i % per);
    return width == 64 ? bits : bits & ((1ull << width) - 1);
}

static int elements(int total) { return total / LANES; }
static unsigned registers(enum number n, int count)
{
    unsigned width = number_bits(n);
    return width >= 32 ? (unsigned)count : (unsigned)count * width / 32;
}

/* Executes the instruction on the matrices. */
static void execute(struct product *p)
{
    static struct fragment a, b, c, d;
    int ka = p->sparse ? p->k / 2 : p->k, na = elements(p->m * ka), nb = elements(8 * p->k), nc = elements(p->m * 8);
    a = (struct fragment){register_kind(p->a), registers(p->a, na), {{0}}};
    b = (struct fragment){register_kind(p->b), registers(p->b, nb), {{0}}};
    c = (struct fragment){register_kind(p->c), registers(p->c, nc), {{0}}};
    d = c;
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < na; i++) {
            struct place at = place_a(p->m, ka, number_bits(p->a), l, i);
            put(&a, p->a, l, i, p->sparse ? p->packed[at.row][at.column] : p->va[at.row][at.column]);
        }
        for (int i = 0; i < nb; i++) {
            struct place at = place_b(number_bits(p->b), l, i);
            put(&b, p->b, l, i, p->vb[at.row][at.column]);
        }
        for (int i = 0; i < nc; i++) {
            struct place at = place_c(p->m, l, i);
            put(&c, p->c, l, i, p->vc[at.row][at.column]);
        }
    }
    run_instruction(p->spelling, &d, &a, &b, &c, p->sparse ? &p->meta : NULL);
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < nc; i++) {
            struct place at = place_c(p->m, l, i);
            p->vd[at.row][at.column] = take(&d, p->c, l, i);
        }
}

static bool is_integer(enum number n) { return n >= S8; }
static double scalar_product(const struct product *p, double a, double b)
{
    if (p->a == B1)
        return p->both ? a * b : a != b;
    return a * b;
}

/* Elements whose products and sums every type of C has exactly. */
static uint64_t small_element(enum number n)
{
    uint32_t r = next_random();
    switch (n) {
    case S8:
    case U8: return r & 255;
    case S4:
    case U4: return r & 15;
    case B1: return r & 1;
    case S32: return r;
    default: return encode(n, (double)((int)(r % 9) - 4) / (r & 256 ? 1 : 2));
    }
}

static void fill(struct product *p, uint64_t (*element)(enum number))
{
    for (int k = 0; k < p->k; k++) {
        for (int r = 0; r < p->m; r++)
            p->va[r][k] = element(p->a);
        for (int x = 0; x < 8; x++)
            p->vb[k][x] = element(p->b);
    }
    for (int r = 0; r < p->m; r++)
        for (int x = 0; x < 8; x++)
            p->vc[r][x] = element(p->c);
}

static void check_exact(struct product *p)
{
    execute(p);
    for (int r = 0; r < p->m; r++)
        for (int x = 0; x < 8; x++) {
            double sum = decode(p->c, p->vc[r][x]);
            for (int k = 0; k < p->k; k++)
                sum += scalar_product(p, decode(p->a, p->va[r][k]), decode(p->b, p->vb[k][x]));
            uint64_t want;
            if (is_integer(p->c))
                want = p->clamp ? encode(S32, sum > INT32_MAX   ? INT32_MAX
                                              : sum < INT32_MIN ? INT32_MIN
                                                                : sum)
                                : (uint32_t)(int64_t)sum;
            else
                want = encode(p->c, sum == 0 ? 0 : sum);
            uint64_t got = p->vd[r][x] == 1ull << (number_bits(p->c) - 1) && !is_integer(p->c) ? 0 : p->vd[r][x];
            cr_assert_eq(got, want, "%s: row %d column %d: %#lx, not %#lx", p->spelling, r, x, got, want);
        }
}

static void begin(struct product *p, const struct spelling *s)
{
    *p = (struct product){
        .spelling = s->text, .m = s->m, .k = s->k, .a = s->types[1], .b = s->types[2], .c = s->types[3]};
    cr_assert(s->type_count == 4 && s->n == 8 && s->types[0] == s->types[3], "%s", s->text);
    p->both = spelling_has(s, "and");
    p->clamp = spelling_has(s, "satfinite");
    p->sparse = spelling_has(s, "sp") || spelling_has(s, "sp::ordered_metadata");
}

static void check_plain(const struct spelling *s)
{
    static struct product p;
    if (spelling_is_quads(s))
        return; /* quads.c */
    begin(&p, s);
    for (int round = 0; !p.sparse && round < 3; round++) {
        fill(&p, small_element);
        check_exact(&p);
    }
}
Test(mma, every_plain_form) { each_spelling("mma", check_plain); }
Test(mma, plain_forms_as_machine_code) { compare_machine_code("sm_75 sm_80 sm_86 sm_89 sm_90a", "mma", check_plain); }

/* ---- sparse ------------------------------------------------------------------------------------------------------ */

/* Where the 4 bits of metadata of chunk `chunk` of row `row` are: PTX ISA, figures "Sparse MMA metadata layout". A
 * chunk is 4 columns, of tf32 2, of 4 bits 8. */
static int chunk_size(const struct product *p) { return p->a == TF32 ? 2 : number_bits(p->a) == 4 ? 8 : 4; }
static void metadata_place(const struct product *p, int row, int chunk, int *lane, int *bit)
{
    int g = row % 8, lower = row / 8, chunks = p->k / chunk_size(p);
    if (number_bits(p->a) >= 16) {
        *bit = 16 * lower + chunk % 4 * 4;
        *lane = 4 * g + (chunks == 4 ? p->meta.selector : 2 * p->meta.selector + chunk / 4);
    } else {
        *bit = chunk % 8 * 4;
        *lane = 4 * g + (chunks == 8 ? 2 * p->meta.selector : chunk / 8 * 2) + lower;
    }
}

/* Takes half of each chunk of A away and packs the rest. */
static void thin_out(struct product *p)
{
    static const int meanings[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
    int size = chunk_size(p), run = size == 8 ? 2 : 1;
    for (int l = 0; l < LANES; l++)
        p->meta.word[l] = 0;
    for (int r = 0; r < p->m; r++)
        for (int c = 0; c < p->k / size; c++) {
            const int *pair = meanings[next_random() % 6];
            int lane, bit, one = (int)(next_random() & 1), next = c * size / 2;
            uint32_t code = size == 2 ? (one ? 14u : 4u) : (uint32_t)(pair[0] | pair[1] << 2);
            metadata_place(p, r, c, &lane, &bit);
            p->meta.word[lane] |= code << bit;
            for (int i = 0; i < size; i++) {
                bool stays = size == 2 ? i == one : i / run == pair[0] || i / run == pair[1];
                if (stays)
                    p->packed[r][next++] = p->va[r][c * size + i];
                else
                    p->va[r][c * size + i] = 0;
            }
        }
}

/* The lanes of a quad hold metadata for 16 chunks of a row: the selector says which of them are this product's. */
static void check_sparse(const struct spelling *s)
{
    static struct product p;
    if (spelling_is_quads(s))
        return;
    begin(&p, s);
    for (p.meta.selector = 0; p.sparse && p.meta.selector < 16 / (p.k / chunk_size(&p)); p.meta.selector++)
        for (int round = 0; round < 2; round++) {
            fill(&p, small_element);
            thin_out(&p);
            check_exact(&p);
        }
}
Test(mma, every_sparse_form) { each_spelling("mma", check_sparse); }
Test(mma, sparse_forms_as_machine_code) { compare_machine_code("sm_80 sm_86 sm_89 sm_90a", "mma", check_sparse); }

/* ---- corner values ----------------------------------------------------------------------------------------------- */

/* NaN, infinities, subnormals, zeros of both signs, the greatest numbers, and any bits. */
static uint64_t any_element(enum number n)
{
    unsigned bits = number_bits(n);
    uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1, top = 1ull << (bits - 1);
    uint64_t random = ((uint64_t)next_random() << 32 | next_random()) & all;
    static const int fractions[] = {
        [F16] = 10, [BF16] = 7, [TF32] = 23, [F32] = 23, [F64] = 52, [E4M3] = 3, [E5M2] = 2};
    uint64_t infinity = is_integer(n) ? 0 : (top - 1) >> fractions[n] << fractions[n];
    switch (next_random() % 24) {
    case 0: return random & top;                                                   /* 0, -0 or the least integer */
    case 1: return (random & top) | 1;                                             /* the least subnormal */
    case 2: return (random & top) | infinity;                                      /* infinity; of e4m3 256 */
    case 3: return all;                                                            /* NaN or -1 */
    case 4: return (random & top) | (top - 1);                                     /* NaN, the greatest integer */
    case 5: return (((random & top) | infinity) - 1) & all;                        /* the greatest finite number */
    case 6: return is_integer(n) ? random : (random & top) | 1ull << fractions[n]; /* the least normal number */
    case 7:
    case 8: return random;
    default: return is_integer(n) ? random : encode(n, (double)((int)(random % 17) - 8) / 4);
    }
}

/* The sum as matrix.h defines it, with quadruple precision where it says that nothing is lost. Doubles take part as
 * they are; NaN of a result is whatever is canonical. */
static uint64_t defined_result(const struct product *p, int r, int x)
{
    double sum = decode(p->c, p->vc[r][x]);
    for (int k = 0; k < p->k; k++) {
        double a = decode(p->a, p->va[r][k]), b = decode(p->b, p->vb[k][x]);
        sum = p->a == F64 ? fma(a, b, sum) : sum + a * b;
    }
    return rounded(p->c, sum);
}

/* A NaN anywhere in a row makes all of it NaN: most rows have none. */
static void leave_few_infinite(struct product *p)
{
    for (int k = 0; k < p->k; k++) {
        for (int r = 0; r < p->m; r++)
            if (r % 4 && !isfinite(decode(p->a, p->va[r][k])))
                p->va[r][k] = 0;
        for (int x = 0; x < 8; x++)
            if (x % 4 && !isfinite(decode(p->b, p->vb[k][x])))
                p->vb[k][x] = 0;
    }
}

static int rounding_of(const struct spelling *s)
{
    return spelling_has(s, "rz")   ? FE_TOWARDZERO
           : spelling_has(s, "rm") ? FE_DOWNWARD
           : spelling_has(s, "rp") ? FE_UPWARD
                                   : FE_TONEAREST;
}
static void check_corners(const struct spelling *s)
{
    static struct product p;
    if (spelling_is_quads(s) || is_integer(s->types[3]) || rounding_of(s) != FE_TONEAREST)
        return;
    begin(&p, s);
    for (int round = 0; !p.sparse && round < 20; round++) {
        fill(&p, any_element);
        leave_few_infinite(&p);
        execute(&p);
        for (int r = 0; r < p.m; r++)
            for (int x = 0; x < 8; x++) {
                uint64_t want = defined_result(&p, r, x);
                cr_assert_eq(p.vd[r][x], want, "%s: row %d column %d: %#lx, not %#lx", s->text, r, x, p.vd[r][x], want);
            }
    }
}
Test(mma, corner_values) { each_spelling("mma", check_corners); }
/* sm_90 multiplies fp8 as f16, in two halves of K, and rounds after each. */
static void check_corners_of_90(const struct spelling *s)
{
    if (s->types[1] != E4M3 && s->types[1] != E5M2)
        check_corners(s);
}
Test(mma, corner_values_as_machine_code_of_90) { compare_machine_code("sm_90a", "mma", check_corners_of_90); }
Test(mma, corner_values_as_machine_code) { compare_machine_code("sm_75 sm_80 sm_86 sm_89", "mma", check_corners); }

/* Integers: the greatest and least sums clamp or wrap around. */
static void check_greatest(const struct spelling *s)
{
    static struct product p;
    if (spelling_is_quads(s) || s->types[3] != S32 || s->types[1] == B1)
        return;
    begin(&p, s);
    for (int round = 0; !p.sparse && round < 4; round++) {
        fill(&p, any_element);
        for (int r = 0; r < p.m; r++)
            for (int x = 0; x < 8; x++)
                p.vc[r][x] = round & 1 ? 0x80000000u + (uint32_t)(r * x) : 0x7fffffffu - (uint32_t)(r * x);
        check_exact(&p);
    }
}
Test(mma, saturation) { each_spelling("mma", check_greatest); }
Test(mma, saturation_as_machine_code) { compare_machine_code("sm_75 sm_80 sm_86 sm_89 sm_90a", "mma", check_greatest); }

/* f64 in each rounding: one fused multiply-add after the other, as PTX has them. */
static uint64_t third(enum number n)
{
    int divisor = (int)(next_random() % 99) + 3;
    return encode(n, 1.0 / (next_random() & 1 ? divisor : -divisor));
}
static void check_rounding(const struct spelling *s)
{
    static struct product p;
    if (s->types[1] != F64)
        return;
    begin(&p, s);
    fill(&p, third);
    execute(&p);
    for (int r = 0; r < p.m; r++)
        for (int x = 0; x < 8; x++) {
            volatile double sum = decode(F64, p.vc[r][x]);
            fesetround(rounding_of(s));
            for (int k = 0; k < p.k; k++) {
                double a, b;
                memcpy(&a, &p.va[r][k], 8), memcpy(&b, &p.vb[k][x], 8);
                sum = fma(a, b, sum);
            }
            fesetround(FE_TONEAREST);
            cr_assert_eq(decode(F64, p.vd[r][x]), sum, "%s row %d column %d", s->text, r, x);
        }
}
Test(mma, doubles_rounded) { each_spelling("mma", check_rounding); }
Test(mma, doubles_as_machine_code) { compare_machine_code("sm_80 sm_86 sm_89 sm_90a", "mma", check_rounding); }
