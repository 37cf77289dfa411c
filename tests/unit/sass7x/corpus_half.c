/* Half precision and bfloat16. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/unit/sass7x/check.h"

enum { SIGNS = 0x80008000u };
static const struct kind {
    const char *sass, *ptx;
    enum values values;
    const struct format *format;
    const struct operand_forms *forms;
} kinds[2] = {{"", "f16x2", V_F16X2, &FORMAT_F16, &f16_7x}, {".BF16_V2", "bf16x2", V_BF16X2, &FORMAT_BF16, &bf16_7x}};
static struct subject_7x pairs(const struct kind *k, const char *ptx)
{
    return (struct subject_7x){.ptx = ptx, .values = {k->values, k->values, k->values}, .same = SAME_F16X2};
}
/* SAME_F16X2 takes what lies above infinity of f16 for NaN: bits of bf16 are compared as they are, NaN is canonical. */
static struct subject_7x of_kind(const struct kind *k, const char *ptx)
{
    struct subject_7x s = pairs(k, ptx);
    s.same = k == &kinds[1] ? SAME_BITS : SAME_F16X2;
    return s;
}

CORPUS(half7x, arithmetic)
{
    char name[64];
    for (unsigned i = 0; i < 8; i++) {
        const struct kind *k = &kinds[i & 1];
        const char *ftz = i & 2 && !(i & 1) ? ".ftz" : "", *sat = i & 4 && !(i & 1) ? ".sat" : "";
        const char *FTZ = *ftz ? ".FTZ" : "", *SAT = *sat ? ".SAT" : "";
        struct subject_7x s = of_kind(k, name);
        const struct operand_forms *forms = i < 2 ? k->forms : NULL;
        snprintf(name, sizeof name, "add.rn%s%s.%s", ftz, sat, k->ptx);
        check_7x(&s, forms, "HADD2%s%s%s R20, R4, %%B", k->sass, FTZ, SAT);
        snprintf(name, sizeof name, "mul.rn%s%s.%s", ftz, sat, k->ptx);
        check_7x(&s, forms, "HMUL2%s%s%s R20, R4, %%B", k->sass, FTZ, SAT);
        snprintf(name, sizeof name, "fma.rn%s%s.%s", ftz, sat, k->ptx);
        check_7x(&s, forms, "HFMA2%s%s%s R20, R4, %%B, R8", k->sass, FTZ, SAT);
        check_7x(&s, forms, "HFMA2.MMA%s%s%s R20, R4, %%B, R8", k->sass, FTZ, SAT);
        s.sources[1].of = 'c';
        s.sources[2].of = 'b';
        check_7x(&s, forms, "HFMA2%s%s%s R20, R4, R8, %%B", k->sass, FTZ, SAT);
        check_7x(&s, forms, "HFMA2.MMA%s%s%s R20, R4, R8, %%B", k->sass, FTZ, SAT);
    }
}

CORPUS(half7x, not_below_zero)
{
    char name[64];
    for (unsigned i = 0; i < 2; i++) {
        const struct kind *k = &kinds[i];
        struct subject_7x s = of_kind(k, name);
        snprintf(name, sizeof name, "fma.rn.relu.%s", k->ptx);
        check_7x(&s, k->forms, "HFMA2%s.RELU R20, R4, %%B, R8", k->sass);
        check_7x(&s, k->forms, "HFMA2.MMA%s.RELU R20, R4, %%B, R8", k->sass);
        s.sources[1].of = 'c';
        s.sources[2].of = 'b';
        check_7x(&s, k->forms, "HFMA2%s.RELU R20, R4, R8, %%B", k->sass);
        check_7x(&s, k->forms, "HFMA2.MMA%s.RELU R20, R4, R8, %%B", k->sass);
    }
}

CORPUS(half7x, halves_and_signs)
{
    struct subject_7x s = of_kind(&kinds[0], "fma.rn.f16x2");
    s.sources[0] = (struct source_reading){.reading = LOW_TWICE, .negated = SIGNS};
    s.sources[1] = (struct source_reading){.reading = HIGH_TWICE, .absolute = SIGNS};
    s.sources[2] = (struct source_reading){.absolute = SIGNS, .negated = SIGNS};
    check_7x(&s, NULL, "HFMA2 R20, -R4.H0_H0, |R6|.H1_H1, -|R8|");
    s.sources[2] = (struct source_reading){.reading = HIGH_TWICE};
    s.ptx = "fma.rn.bf16x2";
    check_7x(&s, NULL, "HFMA2.BF16_V2 R20, -R4.H0_H0, |R6|.H1_H1, R8.H1_H1");
    s.ptx = "add.rn.f16x2";
    check_7x(&s, NULL, "HADD2 R20, -R4.H0_H0, |R6|.H1_H1");
    s.ptx = "mul.rn.f16x2";
    check_7x(&s, NULL, "HMUL2 R20, -R4.H0_H0, |R6|.H1_H1");
    struct subject_7x complex = of_kind(&kinds[0], "fma.rn.f16x2");
    complex.sources[1] = (struct source_reading){.negated = 0x80000000};
    check_7x(&complex, NULL, "HFMA2 R20, R4, R6.H0_NH1, R8");
}

/* The low halves, as f32. */
static const char *wide_name;
static void model_wide(struct state *s)
{
    uint32_t v[3];
    const uint64_t from[3] = {s->a, s->b, s->c};
    for (unsigned i = 0; i < 3; i++)
        v[i] = (uint32_t)soft_convert(&FORMAT_F16, &FORMAT_F32, ROUND_N, from[i] & 0xffff);
    set_d32(s, (uint32_t)ptx_result(wide_name, v[0], v[1], v[2], false, NULL));
}
CORPUS(half7x, results_of_32_bits)
{
    struct subject_7x s = pairs(&kinds[0], NULL);
    const struct operand_forms one = {true, (const struct immediate[]){{"1", 0x3c00}, {NULL, 0}}, true};
    s.same = SAME_F32;
    s.model = model_wide;
    wide_name = "add.rn.f32";
    check_7x(&s, &f16_7x, "HADD2.F32 R20, R4, %%B");
    check_7x(&s, &one, "HADD2.F32 R20, R4, %%B");
    wide_name = "mul.rn.f32";
    check_7x(&s, NULL, "HMUL2.F32 R20, R4, R6");
    wide_name = "fma.rn.f32";
    check_7x(&s, NULL, "HFMA2.F32 R20, R4, R6, R8");
}

/* An f32 is cut to f16, for both halves. */
static void model_cut(struct state *s)
{
    uint64_t cut = soft_convert(&FORMAT_F32, &FORMAT_F16, ROUND_Z, (uint32_t)s->a);
    set_d32(s, (uint32_t)ptx_result("add.rn.f16x2", cut * 0x10001, (uint32_t)s->b, 0, false, NULL));
}
CORPUS(half7x, sources_of_32_bits)
{
    struct subject_7x s = pairs(&kinds[0], NULL);
    s.values[0] = V_F32;
    s.model = model_cut;
    check_7x(&s, NULL, "HADD2 R20, R4.F32, R6");
}

static void model_fmz(struct state *s)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t v[3] = {s->a, s->b, s->c};
        for (unsigned k = 0; k < 3; k++) {
            v[k] = v[k] >> 16 * i & 0xffff;
            v[k] = v[k] & 0x7c00 ? v[k] : v[k] & 0x8000;
        }
        bool zero = !(v[0] & 0x7fff) || !(v[1] & 0x7fff);
        uint64_t d = soft_fma(&FORMAT_F16, ROUND_N, zero ? 0 : v[0], zero ? 0 : v[1], v[2]);
        r |= (uint32_t)(d & 0x7c00 ? d : d & 0x8000) << 16 * i;
    }
    set_d32(s, r);
}
CORPUS(half7x, zero_factors)
{
    struct subject_7x s = pairs(&kinds[0], NULL);
    s.model = model_fmz;
    check_7x(&s, NULL, "HFMA2.FMZ R20, R4, R6, R8");
}

static const char *three_name;
static void model_three(struct state *s)
{
    uint64_t two = ptx_result(three_name, (uint32_t)s->a, (uint32_t)s->b, 0, false, NULL);
    set_d32(s, (uint32_t)ptx_result(three_name, two, (uint32_t)s->c, 0, false, NULL));
}
CORPUS(half7x, extremes)
{
    char name[64];
    for (unsigned i = 0; i < 4; i++) {
        const struct kind *k = &kinds[i & 1];
        const char *nan = i & 2 ? ".NaN" : "", *NAN_ = i & 2 ? ".NAN" : "", *p = i & 2 ? "!PT" : "PT";
        struct subject_7x s = of_kind(k, name);
        snprintf(name, sizeof name, "%s%s.%s", i & 2 ? "max" : "min", nan, k->ptx);
        check_7x(&s, k->forms, "HMNMX2%s%s R20, R4, %%B, %s", k->sass, NAN_, p);
        three_name = name;
        s.model = model_three;
        check_7x(&s, k->forms, "VHMNMX%s%s R20, R4, %%B, R8, %s", k->sass, NAN_, p);
        s.model = NULL;
        snprintf(name, sizeof name, "min%s.xorsign.abs.%s", nan, k->ptx);
        check_7x(&s, NULL, "HMNMX2%s%s.XORSIGN R20, |R4|, |R6|, PT", k->sass, NAN_);
    }
}

static void model_both(struct state *s)
{
    bool q[2], p = s->p >> 1 & 1;
    ptx_result("setp.ltu.f16x2", (uint32_t)s->a, (uint32_t)s->b, 0, false, q);
    set_p(s, 2, (q[0] && q[1]) || p);
    set_p(s, 3, !(q[0] && q[1]) || p);
}
CORPUS(half7x, comparisons)
{
    static const char *const names[] = {"EQ",  "NE",  "LT",  "LE",  "GT",  "GE",  "EQU",
                                        "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
    static const char *const ptx_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const combines[] = {"AND", "OR", "XOR"}, *const ptx_combines[] = {"and", "or", "xor"};
    char name[64];
    for (unsigned i = 0; i < 28; i++) {
        const struct kind *k = &kinds[i & 1];
        const char *cmp = names[i / 2], *ptx = ptx_names[i / 2], *with = combines[i % 3],
                   *ptx_with = ptx_combines[i % 3];
        bool flip = i % 4 > 1, flush = !(i & 1) && i % 8 > 3;
        const char *p = flip ? "!P1" : "P1", *ftz = flush ? ".ftz" : "", *FTZ = flush ? ".FTZ" : "";
        struct subject_7x s = of_kind(k, name);
        s.predicate = flip ? -1 : 1;
        s.written = PREDICATES;
        snprintf(name, sizeof name, "setp.%s.%s%s.%s", ptx, ptx_with, ftz, k->ptx);
        check_7x(&s, i < 2 ? k->forms : NULL, "HSETP2%s.%s%s.%s P2, P3, R4, %%B, %s", k->sass, cmp, FTZ, with, p);
        s.written = LOW_32;
        snprintf(name, sizeof name, "set.%s.%s%s.%s.%s", ptx, ptx_with, ftz, k->ptx, k->ptx);
        check_7x(&s, i < 2 ? k->forms : NULL, "HSET2%s.BF.%s%s.%s R20, R4, %%B, %s", k->sass, cmp, FTZ, with, p);
        snprintf(name, sizeof name, "set.%s.%s%s.u32.%s", ptx, ptx_with, ftz, k->ptx);
        check_7x(&s, NULL, "HSET2%s.%s%s.%s R20, R4, R6, %s", k->sass, cmp, FTZ, with, p);
    }
    struct subject_7x s = pairs(&kinds[0], NULL);
    s.model = model_both;
    check_7x(&s, NULL, "HSETP2.LTU.H_AND.OR P2, P3, R4, R6, P1");
}
