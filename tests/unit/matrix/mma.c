/* mma.sync: every shape and type against a plain matrix product, with fragments laid out as the figures and formulas of
 * PTX ISA "Matrix Fragments for mma.m..." say, one formula per shape as there. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

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
    bool sparse;
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

static void check_exact(struct product *p, bool clamp)
{
    execute(p);
    for (int r = 0; r < p->m; r++)
        for (int x = 0; x < 8; x++) {
            double sum = decode(p->c, p->vc[r][x]);
            for (int k = 0; k < p->k; k++)
                sum += scalar_product(p, decode(p->a, p->va[r][k]), decode(p->b, p->vb[k][x]));
            uint64_t want;
            if (is_integer(p->c))
                want = clamp ? encode(S32, sum > INT32_MAX   ? INT32_MAX
                                           : sum < INT32_MIN ? INT32_MIN
                                                             : sum)
                             : (uint32_t)(int64_t)sum;
            else
                want = encode(p->c, sum == 0 ? 0 : sum);
            uint64_t got = p->vd[r][x] == 1ull << (number_bits(p->c) - 1) && !is_integer(p->c) ? 0 : p->vd[r][x];
            cr_assert_eq(got, want, "%s: row %d column %d: %#lx, not %#lx", p->spelling, r, x, got, want);
        }
}

static const struct form {
    int m, k;
    enum number a, b, c;
} forms[] = {
    {16, 8, F16, F16, F16},    {16, 8, F16, F16, F32},    {16, 16, F16, F16, F16},   {16, 16, F16, F16, F32},
    {16, 8, BF16, BF16, F32},  {16, 16, BF16, BF16, F32}, {16, 4, TF32, TF32, F32},  {16, 8, TF32, TF32, F32},
    {8, 4, F64, F64, F64},     {16, 4, F64, F64, F64},    {16, 8, F64, F64, F64},    {16, 16, F64, F64, F64},
    {8, 16, S8, S8, S32},      {8, 16, U8, S8, S32},      {16, 16, S8, U8, S32},     {16, 16, U8, U8, S32},
    {16, 32, S8, S8, S32},     {16, 32, S8, U8, S32},     {16, 32, U8, S8, S32},     {16, 32, U8, U8, S32},
    {8, 32, S4, S4, S32},      {8, 32, U4, S4, S32},      {16, 32, S4, U4, S32},     {16, 32, U4, U4, S32},
    {16, 64, S4, S4, S32},     {16, 64, S4, U4, S32},     {16, 64, U4, S4, S32},     {16, 64, U4, U4, S32},
    {16, 16, E4M3, E4M3, F16}, {16, 16, E4M3, E5M2, F32}, {16, 32, E4M3, E4M3, F32}, {16, 32, E5M2, E4M3, F32},
    {16, 32, E5M2, E5M2, F16}, {16, 32, E4M3, E5M2, F16}, {8, 128, B1, B1, S32},     {16, 128, B1, B1, S32},
    {16, 256, B1, B1, S32},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void spell(char *text, size_t size, const struct form *f, const char *modifier, const char *end)
{
    snprintf(text, size, "mma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s%s", f->m, f->k, modifier, number_name(f->c),
             number_name(f->a), number_name(f->b), number_name(f->c), end);
}

static void check_form(const struct form *f, const char *modifier, const char *end)
{
    static struct product p;
    char spelling[100];
    spell(spelling, sizeof spelling, f, modifier, end);
    p = (struct product){.spelling = spelling, .m = f->m, .k = f->k, .a = f->a, .b = f->b, .c = f->c};
    p.both = strstr(end, "and") != NULL;
    for (int round = 0; round < 3; round++) {
        fill(&p, small_element);
        check_exact(&p, strstr(modifier, "satfinite"));
    }
}

Test(mma, plain_products)
{
    for (int i = 0; i < FORMS; i++) {
        bool bits = forms[i].a == B1, integer = forms[i].c == S32 && !bits;
        check_form(&forms[i], "", bits ? ".xor.popc" : "");
        if (bits)
            check_form(&forms[i], "", ".and.popc");
        if (integer)
            check_form(&forms[i], ".satfinite", "");
    }
}

/* ---- sparse ------------------------------------------------------------------------------------------------------ */

/* Where the 4 bits of metadata of chunk `chunk` of row `row` are: PTX ISA, figures "Sparse MMA metadata layout". A
 * chunk is 4 columns, of tf32 2, of 4 bits 8. */
static void metadata_place(const struct product *p, int row, int chunk, int *lane, int *bit)
{
    int g = row % 8, lower = row / 8, chunks = p->k / (p->a == TF32 ? 2 : number_bits(p->a) == 4 ? 8 : 4);
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
    int size = p->a == TF32 ? 2 : number_bits(p->a) == 4 ? 8 : 4, run = size == 8 ? 2 : 1;
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

static void check_sparse(const struct form *f, const char *modifier, int selector)
{
    static struct product p;
    char spelling[120];
    snprintf(spelling, sizeof spelling, "mma.sp%s.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s", modifier, f->k,
             number_name(f->c), number_name(f->a), number_name(f->b), number_name(f->c));
    p = (struct product){.spelling = spelling, .m = 16, .k = f->k, .a = f->a, .b = f->b, .c = f->c};
    p.sparse = true;
    p.meta.selector = selector;
    for (int round = 0; round < 3; round++) {
        fill(&p, small_element);
        thin_out(&p);
        check_exact(&p, false);
    }
}

Test(mma, sparse_products)
{
    static const struct {
        struct form form;
        int selectors;
    } sparse[] = {
        {{16, 16, F16, F16, F16}, 4},  {{16, 16, F16, F16, F32}, 4},   {{16, 32, F16, F16, F16}, 2},
        {{16, 32, F16, F16, F32}, 2},  {{16, 16, BF16, BF16, F32}, 4}, {{16, 32, BF16, BF16, F32}, 2},
        {{16, 8, TF32, TF32, F32}, 4}, {{16, 16, TF32, TF32, F32}, 2}, {{16, 32, S8, U8, S32}, 2},
        {{16, 32, U8, S8, S32}, 2},    {{16, 64, S8, S8, S32}, 1},     {{16, 64, U8, U8, S32}, 1},
        {{16, 64, S4, U4, S32}, 2},    {{16, 64, U4, S4, S32}, 2},     {{16, 128, S4, S4, S32}, 1},
        {{16, 128, U4, U4, S32}, 1},   {{16, 64, E4M3, E5M2, F32}, 1}, {{16, 64, E5M2, E4M3, F32}, 1},
    };
    for (unsigned i = 0; i < sizeof sparse / sizeof *sparse; i++)
        for (int selector = 0; selector < sparse[i].selectors; selector++) {
            check_sparse(&sparse[i].form, "", selector);
            check_sparse(&sparse[i].form, "::ordered_metadata", selector);
        }
}

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
    if (p->a == F64) {
        double sum = decode(F64, p->vc[r][x]);
        for (int k = 0; k < p->k; k++)
            sum = fma(decode(F64, p->va[r][k]), decode(F64, p->vb[k][x]), sum);
        return rounded(F64, sum);
    }
    double sum = decode(p->c, p->vc[r][x]);
    for (int k = 0; k < p->k; k++)
        sum += decode(p->a, p->va[r][k]) * decode(p->b, p->vb[k][x]);
    return rounded(p->c, sum);
}

Test(mma, corner_values)
{
    static struct product p;
    for (int i = 0; i < FORMS; i++) {
        const struct form *f = &forms[i];
        char spelling[100];
        if (is_integer(f->c))
            continue;
        spell(spelling, sizeof spelling, f, "", "");
        p = (struct product){.spelling = spelling, .m = f->m, .k = f->k, .a = f->a, .b = f->b, .c = f->c};
        for (int round = 0; round < 20; round++) {
            fill(&p, any_element);
            /* a NaN anywhere in a row makes all of it NaN: most rows have none */
            for (int r = 0; r < p.m; r++)
                for (int k = 0; k < p.k; k++)
                    if (r % 4 && !isfinite(decode(p.a, p.va[r][k])))
                        p.va[r][k] = 0;
            for (int k = 0; k < p.k; k++)
                for (int x = 0; x < 8; x++)
                    if (x % 4 && !isfinite(decode(p.b, p.vb[k][x])))
                        p.vb[k][x] = 0;
            execute(&p);
            for (int r = 0; r < p.m; r++)
                for (int x = 0; x < 8; x++) {
                    uint64_t want = defined_result(&p, r, x);
                    cr_assert_eq(p.vd[r][x], want, "%s: row %d column %d: %#lx, not %#lx", spelling, r, x, p.vd[r][x],
                                 want);
                }
        }
    }
}

/* Integers: the greatest and least sums clamp or wrap around. */
Test(mma, saturation)
{
    static struct product p;
    for (int i = 0; i < FORMS; i++) {
        const struct form *f = &forms[i];
        char spelling[100];
        if (f->c != S32 || f->a == B1)
            continue;
        for (int clamp = 0; clamp < 2; clamp++)
            for (int round = 0; round < 4; round++) {
                spell(spelling, sizeof spelling, f, clamp ? ".satfinite" : "", "");
                p = (struct product){.spelling = spelling, .m = f->m, .k = f->k, .a = f->a, .b = f->b, .c = S32};
                fill(&p, any_element);
                for (int r = 0; r < p.m; r++)
                    for (int x = 0; x < 8; x++)
                        p.vc[r][x] = round & 1 ? 0x80000000u + (uint32_t)(r * x) : 0x7fffffffu - (uint32_t)(r * x);
                check_exact(&p, clamp);
            }
    }
}

/* f64 in each rounding: one fused multiply-add after the other, as PTX has them. */
Test(mma, doubles_rounded)
{
    static const char *const names[] = {".rn", ".rz", ".rm", ".rp"};
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static const struct form f = {16, 8, F64, F64, F64};
    static struct product p;
    for (int mode = 0; mode < 4; mode++) {
        char spelling[100];
        spell(spelling, sizeof spelling, &f, names[mode], "");
        p = (struct product){.spelling = spelling, .m = f.m, .k = f.k, .a = F64, .b = F64, .c = F64};
        for (int r = 0; r < 16; r++)
            for (int k = 0; k < 8; k++) {
                p.va[r][k] = encode(F64, 1.0 / (int)(next_random() % 99 + 3));
                p.vb[k][r % 8] = encode(F64, -1.0 / (int)(next_random() % 99 + 3));
                p.vc[r][k] = encode(F64, 1.0 / (int)(next_random() % 9 + 3));
            }
        execute(&p);
        for (int r = 0; r < 16; r++)
            for (int x = 0; x < 8; x++) {
                volatile double sum = decode(F64, p.vc[r][x]);
                fesetround(modes[mode]);
                for (int k = 0; k < 8; k++) {
                    double a, b;
                    memcpy(&a, &p.va[r][k], 8), memcpy(&b, &p.vb[k][x], 8);
                    sum = fma(a, b, sum);
                }
                fesetround(FE_TONEAREST);
                cr_assert_eq(decode(F64, p.vd[r][x]), sum, "%s row %d column %d", names[mode], r, x);
            }
    }
}
