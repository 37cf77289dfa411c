/* Single and double precision. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/unit/sass7x/check.h"

enum { SIGN = 0x80000000u };
static const char *const rounds[4] = {"", ".RM", ".RP", ".RZ"}, *const ptx_rounds[4] = {".rn", ".rm", ".rp", ".rz"};
static const int roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
#define SINGLES                                                                                                        \
    {                                                                                                                  \
        V_F32, V_F32, V_F32                                                                                            \
    }
#define DOUBLES                                                                                                        \
    {                                                                                                                  \
        V_F64, V_F64, V_F64                                                                                            \
    }

/* What ptxas calls FADD.FTZ.RZ.SAT, and PTX add.rz.ftz.sat. */
static void named(char sass[32], char ptx[32], unsigned how)
{
    const char *ftz = how & 4 ? ".FTZ" : "", *sat = how & 8 ? ".SAT" : "";
    snprintf(sass, 32, "%s%s%s", ftz, rounds[how & 3], sat);
    snprintf(ptx, 32, "%s%s%s.f32", ptx_rounds[how & 3], how & 4 ? ".ftz" : "", how & 8 ? ".sat" : "");
}

CORPUS(float7x, sums_and_products)
{
    char sass[32], ptx[32], name[64];
    struct subject_7x s = {.ptx = name, .values = SINGLES, .same = SAME_F32};
    for (unsigned how = 0; how < 16; how++) {
        const struct operand_forms *forms = how ? NULL : &f32_7x;
        named(sass, ptx, how);
        snprintf(name, sizeof name, "add%s", ptx);
        check_7x(&s, forms, "FADD%s R20, R4, %%B", sass);
        snprintf(name, sizeof name, "mul%s", ptx);
        check_7x(&s, forms, "FMUL%s R20, R4, %%B", sass);
        snprintf(name, sizeof name, "fma%s", ptx);
        check_7x(&s, forms, "FFMA%s R20, R4, %%B, R8", sass);
        struct subject_7x third = s;
        third.sources[1].of = 'c';
        third.sources[2].of = 'b';
        check_7x(&third, forms, "FFMA%s R20, R4, R8, %%B", sass);
    }
}

CORPUS(float7x, signs_of_operands)
{
    struct subject_7x s = {.ptx = "add.rn.f32", .values = SINGLES, .same = SAME_F32};
    s.sources[0] = (struct source_reading){.absolute = SIGN, .negated = SIGN};
    s.sources[1] = (struct source_reading){.absolute = SIGN};
    check_7x(&s, NULL, "FADD R20, -|R4|, |R6|");
    s.ptx = "mul.rn.f32";
    check_7x(&s, NULL, "FMUL R20, -|R4|, |R6|");
    s.ptx = "fma.rn.f32";
    s.sources[2] = (struct source_reading){.negated = SIGN};
    check_7x(&s, NULL, "FFMA R20, -|R4|, |R6|, -R8");
}

/* Where a factor is zero, subnormals included, the product is +0. */
static bool fused;
static void model_fmz(struct state *s)
{
    uint64_t a = flushed((uint32_t)s->a), b = flushed((uint32_t)s->b), c = fused ? flushed((uint32_t)s->c) : SIGN;
    bool zero = !(a << 33) || !(b << 33);
    uint64_t r = fused ? soft_fma(&FORMAT_F32, ROUND_N, zero ? 0 : a, zero ? 0 : b, c)
                       : soft_mul(&FORMAT_F32, ROUND_N, zero ? 0 : a, zero ? 0 : b);
    set_d32(s, (uint32_t)flushed(r));
}
CORPUS(float7x, zero_factors)
{
    const struct subject_7x s = {.values = SINGLES, .same = SAME_F32, .model = model_fmz};
    fused = false;
    check_7x(&s, NULL, "FMUL.FMZ R20, R4, R6");
    fused = true;
    check_7x(&s, NULL, "FFMA.FMZ R20, R4, R6, R8");
}

/* The product of two f32 is exact as an f64, and so is a small multiple of it. */
static struct {
    int exponent, rounding;
    bool sat;
} scale;
static void model_scaled(struct state *s)
{
    uint64_t a = soft_convert(&FORMAT_F32, &FORMAT_F64, ROUND_N, (uint32_t)s->a);
    uint64_t b = soft_convert(&FORMAT_F32, &FORMAT_F64, ROUND_N, (uint32_t)s->b);
    uint64_t r =
        soft_mul(&FORMAT_F64, ROUND_N, soft_mul(&FORMAT_F64, ROUND_N, a, b), (uint64_t)(1023 + scale.exponent) << 52);
    r = soft_convert(&FORMAT_F64, &FORMAT_F32, scale.rounding, r);
    set_d32(s, (uint32_t)(scale.sat ? saturated(r) : r));
}
CORPUS(float7x, scaled_products)
{
    static const char *const names[] = {"D8", "D4", "D2", NULL, "M2", "M4", "M8"};
    const struct subject_7x s = {.values = SINGLES, .same = SAME_F32, .model = model_scaled};
    for (int i = 0; i < 7; i++)
        for (unsigned r = 0; names[i] && r < 4; r++) {
            scale.exponent = i - 3;
            scale.rounding = roundings[r];
            scale.sat = r & 1;
            check_7x(&s, NULL, "FMUL.%s%s%s R20, R4, R6", names[i], rounds[r], r & 1 ? ".SAT" : "");
        }
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

static const char *extreme_names[2];
static bool by_p1;
static void model_extreme(struct state *s)
{
    bool least = by_p1 ? s->p >> 1 & 1 : true;
    set_d32(s, (uint32_t)ptx_result(extreme_names[!least], (uint32_t)s->a, (uint32_t)s->b, 0, false, NULL));
}
CORPUS(float7x, extremes)
{
    struct subject_7x s = {.values = SINGLES, .same = SAME_F32, .ptx = "min.f32"};
    check_7x(&s, &f32_7x, "FMNMX R20, R4, %%B, PT");
    s.ptx = "max.ftz.f32";
    check_7x(&s, NULL, "FMNMX.FTZ R20, R4, R6, !PT");
    s.ptx = "min.NaN.f32";
    check_7x(&s, NULL, "FMNMX.NAN R20, R4, R6, PT");
    s.ptx = "max.xorsign.abs.f32";
    check_7x(&s, NULL, "FMNMX.XORSIGN R20, |R4|, |R6|, !PT");
    s.ptx = "min.ftz.NaN.xorsign.abs.f32";
    check_7x(&s, NULL, "FMNMX.FTZ.NAN.XORSIGN R20, |R4|, |R6|, PT");
    extreme_names[0] = "min.f32";
    extreme_names[1] = "max.f32";
    by_p1 = true;
    s.model = model_extreme;
    check_7x(&s, NULL, "FMNMX R20, R4, R6, P1");
}

static void model_fsel(struct state *s)
{
    uint64_t v = s->p >> 1 & 1 ? (uint32_t)s->b & 0x7fffffff : (uint32_t)s->a ^ SIGN;
    set_d32(s, (uint32_t)flushed(v));
}
CORPUS(float7x, selection)
{
    struct subject_7x s = {.values = SINGLES, .same = SAME_BITS, .ptx = "selp.f32", .predicate = 1};
    check_7x(&s, &f32_7x, "FSEL R20, R4, %%B, P1");
    s.model = model_fsel;
    s.same = SAME_F32;
    check_7x(&s, NULL, "FSEL.FTZ R20, -R4, |R6|, !P1");
}

static const char *const compares[] = {"EQ",  "NE",  "LT",  "LE",  "GT",  "GE",  "EQU",
                                       "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
static const char *const ptx_compares[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                           "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const combines[] = {"AND", "OR", "XOR"}, *const ptx_combines[] = {"and", "or", "xor"};

CORPUS(float7x, comparisons)
{
    char name[64];
    for (unsigned i = 0; i < 14; i++) {
        const char *ftz = i & 1 ? ".FTZ" : "", *ptx_ftz = i & 1 ? ".ftz" : "", *c = combines[i % 3];
        struct subject_7x s = {.ptx = name, .values = SINGLES, .same = SAME_BITS, .predicate = i & 1 ? -1 : 1};
        const char *p = i & 1 ? "!P1" : "P1";
        s.written = PREDICATES;
        snprintf(name, sizeof name, "setp.%s.%s%s.f32", ptx_compares[i], ptx_combines[i % 3], ptx_ftz);
        check_7x(&s, i ? NULL : &f32_7x, "FSETP.%s%s.%s P2, P3, R4, %%B, %s", compares[i], ftz, c, p);
        s.written = LOW_32;
        snprintf(name, sizeof name, "set.%s.%s%s.f32.f32", ptx_compares[i], ptx_combines[i % 3], ptx_ftz);
        check_7x(&s, i ? NULL : &f32_7x, "FSET.BF.%s%s.%s R20, R4, %%B, %s", compares[i], ftz, c, p);
        struct subject_7x d = {.ptx = name, .values = DOUBLES, .same = SAME_BITS, .predicate = s.predicate};
        d.written = PREDICATES;
        snprintf(name, sizeof name, "setp.%s.%s.f64", ptx_compares[i], ptx_combines[i % 3]);
        check_7x(&d, i ? NULL : &f64_7x, "DSETP.%s.%s P2, P3, R4, %%B, %s", compares[i], c, p);
    }
}

/* ---- double precision -------------------------------------------------------------------------------------------- */

CORPUS(double7x, arithmetic)
{
    char name[64];
    struct subject_7x s = {.ptx = name, .values = DOUBLES, .same = SAME_F64, .written = ALL_64};
    for (unsigned r = 0; r < 4; r++) {
        const struct operand_forms *forms = r ? NULL : &f64_7x;
        snprintf(name, sizeof name, "add%s.f64", ptx_rounds[r]);
        check_7x(&s, forms, "DADD%s R20, R4, %%B", rounds[r]);
        snprintf(name, sizeof name, "mul%s.f64", ptx_rounds[r]);
        check_7x(&s, forms, "DMUL%s R20, R4, %%B", rounds[r]);
        snprintf(name, sizeof name, "fma%s.f64", ptx_rounds[r]);
        check_7x(&s, forms, "DFMA%s R20, R4, %%B, R8", rounds[r]);
        struct subject_7x third = s;
        third.sources[1].of = 'c';
        third.sources[2].of = 'b';
        check_7x(&third, forms, "DFMA%s R20, R4, R8, %%B", rounds[r]);
    }
    s.ptx = "fma.rn.f64";
    s.sources[0] = (struct source_reading){.negated = SIGN};
    s.sources[1] = (struct source_reading){.absolute = SIGN};
    s.sources[2] = (struct source_reading){.absolute = SIGN, .negated = SIGN};
    check_7x(&s, NULL, "DFMA R20, -R4, |R6|, -|R8|");
}

/* Whether the first source is the extreme, and whether both are NaN; of equal numbers either is, but for zeros. */
static bool greatest;
static void model_choice(struct state *s)
{
    uint64_t m = ptx_result(greatest ? "max.f64" : "min.f64", s->a, s->b, 0, false, NULL);
    bool nan = is_nan(&FORMAT_F64, s->a) && is_nan(&FORMAT_F64, s->b);
    set_p(s, 3, nan);
    set_p(s, 2, m == s->a);
}
CORPUS(double7x, choice_of_an_extreme)
{
    struct subject_7x s = {.values = DOUBLES, .same = SAME_BITS, .model = model_choice};
    for (unsigned i = 0; i < 2; i++) {
        greatest = i;
        check_7x(&s, NULL, "DSETP.%s.AND P2, P3, R4, R6, PT", greatest ? "MAX" : "MIN");
    }
}

/* ---- special functions ------------------------------------------------------------------------------------------- */

CORPUS(float7x, special_functions)
{
    static const struct {
        const char *name, *ptx;
    } functions[] = {{"EX2", "ex2.approx.ftz.f32"},   {"LG2", "lg2.approx.ftz.f32"},   {"RCP", "rcp.approx.ftz.f32"},
                     {"RSQ", "rsqrt.approx.ftz.f32"}, {"SQRT", "sqrt.approx.ftz.f32"}, {"TANH", "tanh.approx.f32"}};
    struct subject_7x s = {.values = SINGLES, .same = NEAR_F32, .error = 0x1p-21};
    s.sources[0].of = 'b';
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        s.ptx = functions[i].ptx;
        s.error = i == 5 ? 0x1p-10 : 0x1p-21;
        check_7x(&s, &f32_7x, "MUFU.%s R20, %%B", functions[i].name);
    }
}

/* Of turns. */
static bool cosine;
static void model_turns(struct state *s)
{
    float x;
    uint32_t bits = (uint32_t)flushed((uint32_t)s->b);
    memcpy(&x, &bits, 4);
    double rest = fmod((double)x, 1.0), y = cosine ? cos(2 * M_PI * rest) : sin(2 * M_PI * rest);
    if (fabs(y) < 0x1p-20)
        y = cosine || rest == 0.5 || rest == -0.5 ? 0 : y;
    memcpy(&s->d, &y, 8);
    if (!isnan(y) && fabs(y) < 0x1p-10)
        s->d = ANY_RESULT; /* an absolute bound holds there: agree.c */
}
CORPUS(float7x, sine_and_cosine)
{
    const struct subject_7x s = {.values = SINGLES, .same = NEAR_F32, .error = 0x1p-20, .model = model_turns};
    for (unsigned i = 0; i < 2; i++) {
        cosine = i;
        check_7x(&s, &f32_7x, "MUFU.%s R20, %%B", cosine ? "COS" : "SIN");
    }
}

static bool is_root;
static void model_upper(struct state *s)
{
    uint64_t bits = s->b << 32;
    double x, y;
    if (!(bits >> 52 & 0x7ff))
        bits &= 1ull << 63;
    memcpy(&x, &bits, 8);
    y = is_root ? 1 / sqrt(x) : 1 / x;
    if (fabs(y) < 0x1p-1022)
        y = copysign(0, y);
    memcpy(&s->d, &y, 8);
}
static const struct operand_forms upper_words = {
    true, (const struct immediate[]){{"1", 0x3ff00000}, {"-2.5", 0xc0040000}, {NULL, 0}}, true};
CORPUS(float7x, upper_words_of_doubles)
{
    const struct subject_7x s = {
        .values = {V_F32, V_INT, V_F32}, .same = NEAR_UPPER, .error = 0x1p-19, .model = model_upper};
    for (unsigned i = 0; i < 2; i++) {
        is_root = i;
        check_7x(&s, &upper_words, "MUFU.%s R20, %%B", is_root ? "RSQ64H" : "RCP64H");
    }
}

/* exp2 and tanh of f16 or bf16, rounded to nearest. */
static struct {
    const struct format *format;
    bool tangent, upper;
} small;
static void model_small(struct state *s)
{
    uint64_t half = (uint32_t)s->b >> 16 * small.upper & 0xffff, wide;
    double x, y;
    if (small.format->bits == 16 && small.format->fraction == 7 && !(half & 0x7f80) && !small.tangent)
        half &= 0x8000; /* .ftz */
    wide = soft_convert(small.format, &FORMAT_F64, ROUND_N, half);
    memcpy(&x, &wide, 8);
    y = small.tangent ? tanh(x) : exp2(x);
    memcpy(&wide, &y, 8);
    wide = isnan(y) ? small.format->nan : soft_convert(&FORMAT_F64, small.format, ROUND_N, wide);
    if (small.format->fraction == 7 && !(wide & 0x7f80) && !small.tangent)
        wide &= 0x8000;
    set_d32(s, (uint32_t)wide);
}
CORPUS(float7x, special_functions_of_16_bits)
{
    const struct operand_forms forms[2] = {{true, (const struct immediate[]){{"1", 0x3c00}, {NULL, 0}}, true},
                                           {true, (const struct immediate[]){{"1", 0x3f80}, {NULL, 0}}, true}};
    for (unsigned i = 0; i < 4; i++) {
        const struct subject_7x s = {
            .values = {V_INT, i & 1 ? V_BF16X2 : V_F16X2, V_INT}, .same = SAME_F16, .model = model_small};
        small.format = i & 1 ? &FORMAT_BF16 : &FORMAT_F16;
        small.tangent = i & 2;
        small.upper = false;
        const char *name = small.tangent ? "TANH" : "EX2", *type = i & 1 ? "BF16" : "F16";
        check_7x(&s, &forms[i & 1], "MUFU.%s.%s R20, %%B", name, type);
        small.upper = true;
        if (!(i & 1)) /* of bf16: agree.c */
            check_7x(&s, NULL, "MUFU.%s.%s R20, R6.H1", name, type);
    }
}

/* ---- sums with signs by lane ------------------------------------------------------------------------------------- */

/* PP NP PN ZP, lane 0's first in the text's eight letters: lane 3 to lane 0. */
static void model_swizzled(const struct state *before, struct state *after)
{
    static const uint32_t sign_a[4] = {0, 0, SIGN, 0}, sign_b[4] = {0, SIGN, 0, 0}; /* lanes 3 to 0: ZP PN NP PP */
    for (unsigned i = 0; i < 32; i++) {
        unsigned at = 3 - i % 4;
        uint32_t a = (uint32_t)before[i].a ^ sign_a[at], b = (uint32_t)before[i].c ^ sign_b[at];
        set_d32(&after[i], (uint32_t)soft_add(&FORMAT_F32, ROUND_N, at == 0 ? 0 : a, b));
    }
}
CORPUS(float7x, sums_by_lane)
{
    static const unsigned targets[] = {70, 90};
    unsigned before = corpus_sm;
    for (unsigned i = 0; i < 2; i++) {
        corpus_sm = targets[i];
        check_warp(model_swizzled, "FSWZADD R20, R4, R8, PPNPPNZP");
    }
    corpus_sm = before;
}
