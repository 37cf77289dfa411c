/* Formats narrower than f32: f16 and bf16 (1 sign, 5 or 8 exponent and 10 or 7 fraction bits), tf32 (8 and 10), and the
 * 8-bit formats e4m3 and e5m2. e4m3 has no infinity: all ones are NaN, and every smaller magnitude is a number. For the
 * files of this folder only. */
#ifndef REPRISE_FRONTEND_CORE_LANES_SMALL_H
#define REPRISE_FRONTEND_CORE_LANES_SMALL_H

#include "frontend/core/lanes/loop.h"

/* Exact: moves the fraction up; a product corrects the exponent, also for subnormals. */
INLINE f32 f32_of_f16(u16 h)
{
    u32 magnitude = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
    u32 number = bits_f32(float_of(magnitude) * 0x1p112f);
    u32 special = magnitude > 0x7c00u << 13 ? F32_NAN : 0x7f800000u | sign;
    return float_of(magnitude >= 0x7c00u << 13 ? special : number | sign);
}
INLINE f32 f32_of_bf16(u16 h) { return canonical_f32(float_of((u32)h << 16)); }
/* `infinity`: the first code above the finite numbers. `nan`: the canonical NaN, all ones except for the sign. */
struct small_format {
    int fraction, least_exponent;
    u32 infinity, nan;
};
static const struct small_format f16_format = {10, -14, 0x7c00, 0x7fff}, bf16_format = {7, -126, 0x7f80, 0x7fff};
__attribute__((unused)) static const struct small_format tf32_format = {10, -126, 0x3fc00, 0x3ffff},
                                                         e4m3_format = {3, -6, 0x7f, 0x7f},
                                                         e5m2_format = {2, -14, 0x7c, 0x7f};

INLINE bool rounds_up(enum rounding rounding, bool negative, u64 kept, u64 rest, u64 half)
{
    switch (rounding) {
    case ROUND_Z: return false;
    case ROUND_M: return rest && negative;
    case ROUND_P: return rest && !negative;
    case ROUND_NA: return rest >= half;
    default: return rest > half || (rest == half && (kept & 1));
    }
}
/* The result for a number that is too large: infinity or, if its magnitude is to be rounded down, the greatest finite
 * number. */
INLINE u32 overflowed(enum rounding rounding, bool negative, u32 infinity)
{
    bool finite = rounding == ROUND_Z || (rounding == ROUND_M && !negative) || (rounding == ROUND_P && negative);
    return infinity - finite;
}
/* Rounds x to a small format. */
INLINE u32 narrowed(f64 x, enum rounding rounding, const struct small_format *f)
{
    u64 bits = bits_f64(x), magnitude = bits & ~(1ull << 63);
    bool negative = bits >> 63;
    u32 sign = negative ? f->nan + 1 : 0;
    int exponent = (int)(magnitude >> 52) - 1023;
    if (magnitude > 0x7ffull << 52)
        return f->nan;
    if (magnitude == 0x7ffull << 52)
        return sign | f->infinity;
    u64 fraction = magnitude & ((1ull << 52) - 1);
    fraction |= exponent > -1023 ? 1ull << 52 : 0;
    int shift = 52 - f->fraction + (exponent < f->least_exponent ? f->least_exponent - exponent : 0);
    shift = shift > 62 ? 62 : shift;
    u64 kept = fraction >> shift, rest = fraction & ((1ull << shift) - 1);
    kept += rounds_up(rounding, negative, kept, rest, 1ull << (shift - 1));
    if (exponent > f->least_exponent)
        kept += (u64)(exponent - f->least_exponent) << f->fraction;
    return sign | (kept >= f->infinity ? overflowed(rounding, negative, f->infinity) : (u32)kept);
}
/* a + b. If that is not exact, the one of the two neighbouring numbers that is odd. Rounding it to any narrower format
 * then gives the rounded exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). */
INLINE f64 odd_sum(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    u64 bits = bits_f64(sum);
    if (error != error || error == 0 || bits & 1)
        return sum;
    bool away = (error > 0) == (sum > 0);
    return double_of(away ? bits + 1 : bits - 1);
}
/* Converts x to a small format, with the modifiers of cvt: .sat, .relu, .satfinite. */
INLINE u32 converted(f64 x, const struct uop *u, const struct small_format *f)
{
    if (u->flags & UF_SAT)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((u->flags & UF_RELU) && x <= 0)
        x = 0;
    u32 r = narrowed(x, u->rounding & ROUND_INTEGER ? ROUND_Z : u->rounding, f);
    bool infinite = (r & f->nan) == f->infinity && x == x;
    return infinite && (u->flags & UF_SAT_FINITE) ? r - 1 : r;
}

#endif
