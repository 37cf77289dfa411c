/* Sums of products as tensor cores make them, in the place of exact ones: enum tensor_sums.
 *
 * A group is a number of products, in the order of k, and what was summed up so far. Each of its terms is cut off,
 * toward zero, behind the same bit: `fraction` bits below the largest exponent of a term. The exponent of a product is
 * the sum of those of its factors, so that a product may be nearly 4 times 2 to the power of it. The terms that are
 * left are added up exactly. The sum is cut off behind `kept` bits or, where D is f16, rounded to the nearest one; the
 * next group goes on from there. A group's largest exponent counts as `least` if it is less.
 *
 * Source of the rows: F. A. Khattak and M. Mikaitis, "Accurate Models of NVIDIA Tensor Cores", arXiv:2512.07004, for
 * V100, A100 and A2, L40S and RTX 1000 Ada, H100 and H200. tests/golden/tensor-sums has results of these GPUs. Not
 * measured there, and assumed: groups follow one another within an instruction; a sparse A has as many stored products
 * in a group; a sum that is no number or infinite is that of IEEE 754. */
#ifndef REPRISE_FRONTEND_CORE_LANES_MATRIX_SUMS_H
#define REPRISE_FRONTEND_CORE_LANES_MATRIX_SUMS_H

#include "frontend/core/lanes/matrix_elements.h"
#include "frontend/operation/tensor_sums.h"

struct sum_rule {
    u8 products, fraction, kept; /* products 0: exact */
    s16 least, least_f16;
};
enum sum_kind { SUM_HALF, SUM_TF32, SUM_FP8, SUM_FP8_WGMMA, SUM_KINDS };
static const struct sum_rule sum_rules[TENSOR_SUMS_COUNT][SUM_KINDS] = {
    [TENSOR_SUMS_SM_70] = {[SUM_HALF] = {4, 23, 23, -1024, -19}},
    [TENSOR_SUMS_SM_80] = {[SUM_HALF] = {8, 24, 23, -132, -20}, [SUM_TF32] = {4, 24, 23, -132, 0}},
    [TENSOR_SUMS_SM_89] =
        {[SUM_HALF] = {8, 24, 23, -132, -20}, [SUM_TF32] = {4, 24, 23, -132, 0}, [SUM_FP8] = {16, 13, 13, -132, -132}},
    /* mma of fp8 is done by HMMA, of halves */
    [TENSOR_SUMS_SM_90] = {[SUM_HALF] = {16, 25, 23, -133, -21},
                           [SUM_TF32] = {8, 25, 23, -133, 0},
                           [SUM_FP8] = {16, 25, 23, -133, -21},
                           [SUM_FP8_WGMMA] = {32, 13, 13, -133, -133}},
};

/* NULL: exact. */
INLINE const struct sum_rule *sum_rule_of(u8 sums, enum matrix_format a, bool wgmma)
{
    bool fp8 = a == MATRIX_E4M3 || a == MATRIX_E5M2;
    enum sum_kind kind = a == MATRIX_TF32 ? SUM_TF32 : !fp8 ? SUM_HALF : wgmma ? SUM_FP8_WGMMA : SUM_FP8;
    const struct sum_rule *rule = &sum_rules[sums][kind];
    return rule->products ? rule : NULL;
}

/* The exponent of a number in its format, where subnormals have that of the least normal one. */
INLINE int element_exponent(f64 x, enum matrix_format f)
{
    int least = f == MATRIX_E4M3 ? -6 : f == MATRIX_F16 || f == MATRIX_E5M2 ? -14 : -126;
    int e = __builtin_ilogb(x);
    return e > least ? e : least;
}

/* A group: what was summed up so far, and its products. */
struct sum_group {
    f64 products[MAX_ROW_BYTES];
    int exponents[MAX_ROW_BYTES]; /* those of factors, added */
    u32 count;
};
INLINE void group_add(struct sum_group *g, f64 a, enum matrix_format fa, f64 b, enum matrix_format fb)
{
    f64 product = a * b;
    g->products[g->count] = product;
    g->exponents[g->count] =
        product != 0 && product - product == 0 ? element_exponent(a, fa) + element_exponent(b, fb) : -2000;
    g->count++;
}

/* Cuts a number off behind so many bits of an f32's significand. */
INLINE f64 cut_f32(f64 x, u32 kept)
{
    int e = x != 0 ? __builtin_ilogb(x) : 0;
    int unit = (e > -126 ? e : -126) - (int)kept;
    f64 cut = __builtin_ldexp(__builtin_trunc(__builtin_ldexp(x, -unit)), unit);
    return __builtin_fabs(cut) < 0x1p128 ? cut : cut * (f64)__builtin_inf();
}
INLINE f64 rounded_f16(f64 x) { return (f64)f32_of_f16((u16)narrowed(x, ROUND_N, &f16_format)); }

NOINLINE f64 group_sum(const struct sum_group *g, f64 c, const struct sum_rule *rule, bool f16)
{
    f64 plain = c;
    int e = c != 0 ? __builtin_ilogb(c) : -2000, least = f16 ? rule->least_f16 : rule->least;
    if (c != 0 && e < -126)
        e = -126;
    for (u32 i = 0; i < g->count; i++) {
        plain += g->products[i];
        e = g->exponents[i] > e ? g->exponents[i] : e;
    }
    if (plain - plain != 0)
        return plain;
    if (e == -2000)
        return 0;
    e = e > least ? e : least;
    s64 sum = (s64)__builtin_ldexp(c, rule->fraction - e);
    for (u32 i = 0; i < g->count; i++)
        sum += (s64)__builtin_ldexp(g->products[i], rule->fraction - e);
    f64 exact = __builtin_ldexp((f64)sum, e - rule->fraction);
    return f16 ? rounded_f16(exact) : cut_f32(exact, rule->kept);
}

#endif
