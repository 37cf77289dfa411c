/* mma.sync: every shape and type against a plain matrix product, with fragments laid out as the figures and formulas of
 * PTX ISA "Matrix Fragments for mma.m..." say, one formula per shape as there. */
#include <criterion/criterion.h>
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

static struct place place_b(int k, unsigned bits, int lane, int i)
{
    int g = lane >> 2, t = lane % 4;
    switch (bits) {
    case 64: return (struct place){t + i * 4, g};
    case 32: return (struct place){i == 0 ? t : t + 4, g};
    case 16: return (struct place){i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
    case 8: return (struct place){i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
    case 4: return (struct place){i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
    default: return (struct place){i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
    }
    (void)k;
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
    int na = elements(p->m * p->k), nb = elements(8 * p->k), nc = elements(p->m * 8);
    a = (struct fragment){register_kind(p->a), registers(p->a, na), {{0}}};
    b = (struct fragment){register_kind(p->b), registers(p->b, nb), {{0}}};
    c = (struct fragment){register_kind(p->c), registers(p->c, nc), {{0}}};
    d = c;
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < na; i++) {
            struct place at = place_a(p->m, p->k, number_bits(p->a), l, i);
            put(&a, p->a, l, i, p->va[at.row][at.column]);
        }
        for (int i = 0; i < nb; i++) {
            struct place at = place_b(p->k, number_bits(p->b), l, i);
            put(&b, p->b, l, i, p->vb[at.row][at.column]);
        }
        for (int i = 0; i < nc; i++) {
            struct place at = place_c(p->m, l, i);
            put(&c, p->c, l, i, p->vc[at.row][at.column]);
        }
    }
    run_instruction(p->spelling, &d, &a, &b, &c, "");
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
