/* The approximate functions: computed in f64 by the same additions, multiplications and divisions at every vector width
 * and rounded to f32 once, so that results are the same on every CPU. rcp.approx and sqrt.approx of f32 are the exact
 * operations in float.simd.c.
 *
 *   function           bound in the PTX ISA                              largest error found by tests/unit/lanes
 *   div.approx         2 ulp for 2^-126 <= |b| <= 2^126                  0.5 ulp
 *   rsqrt.approx       relative 2^-22.9                                  2^-24
 *   sin, cos.approx    absolute 2^-20.5 in [-2 pi, 2 pi],                2^-25
 *                      2^-14.7 in [-100 pi, 100 pi]                      2^-25
 *   lg2.approx         absolute 2^-22.6 in (0.5, 2), else relative       2^-25, relative 2^-24
 *   ex2.approx         relative 2^-22.5                                  2^-24
 *   tanh.approx        relative 2^-11                                    2^-24
 *   ex2.approx.f16     relative 2^-9.9                                   2^-11 (all arguments)
 *   ex2.approx.bf16    relative 2^-7                                     2^-8 (all arguments)
 *   tanh.approx.f16    absolute 2^-10.987                                2^-12 (all arguments)
 *   tanh.approx.bf16   absolute 2^-8                                     2^-9 (all arguments)
 *   rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: no bound                   below 2^-19 (20 fraction bits in and out)
 *
 * Polynomials are Taylor series long enough for f64 to be exact to about 2^-40: after rounding to f32 the error is that
 * of the rounding. */
#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/small.h"

/* ---- division and roots ---- */

/* For 2^126 < |b| < 2^128 the reciprocal is flushed, so the quotient is a times a zero (PTX ISA, div.approx). */
INLINE f32 quotient(f32 a, f32 b)
{
    u32 magnitude = bits_f32(b) & 0x7fffffffu;
    bool vanishes = magnitude > 0x7e800000u && magnitude < 0x7f800000u;
    f32 zero = float_of(bits_f32(b) & 0x80000000u);
    return canonical_f32(vanishes ? a * zero : a / b);
}
LANES2(div_approx, f32, f32, f32, quotient(a, b))
LANES2(div_approx_ftz, f32, f32, f32, flush(quotient(flush(a), flush(b))))

INLINE f32 inverse_root(f32 a) { return canonical_f32((f32)(1 / __builtin_sqrt((f64)a))); }
LANES1(rsqrt_f32, f32, f32, inverse_root(a))
LANES1(rsqrt_f32_ftz, f32, f32, inverse_root(flush(a)))
LANES1(rsqrt_f64, f64, f64, canonical_f64(1 / __builtin_sqrt(a)))

/* Keeps only the upper word of an f64. Subnormals become zero. */
INLINE f64 upper_word(f64 a)
{
    u64 bits = bits_f64(a), magnitude = bits & ~(1ull << 63);
    u64 kept = magnitude < 1ull << 52 ? 0 : magnitude & ~0xffffffffull;
    kept = magnitude > 0x7ffull << 52 ? 0x7ff8ull << 48 : kept;
    return double_of(kept | (bits & 1ull << 63));
}
INLINE f64 rounded_to_upper_word(f64 x)
{
    u64 rounded = (bits_f64(x) + 0x80000000u) & ~0xffffffffull;
    return x != x ? double_of(F64_NAN) : upper_word(double_of(rounded));
}
LANES1(rcp_upper, f64, f64, rounded_to_upper_word(1 / upper_word(a)))
LANES1(rsqrt_upper, f64, f64, rounded_to_upper_word(1 / __builtin_sqrt(upper_word(a))))

/* ---- sine and cosine: x = k pi/2 + r ----
 *
 * From 2^27 on, x counts as whole turns, as on hardware that first divides by 2 pi in single precision. The ISA
 * promises nothing beyond 100 pi. */

#define TWO_BY_PI 0x1.45f306dc9c883p-1
#define HALF_PI_HIGH 0x1.921fb544p+0 /* 33 bits: k times it is exact for |k| < 2^20 */
#define HALF_PI_LOW 0x1.0b4611a626331p-34
INLINE f64 sine_series(f64 r)
{
    f64 z = r * r;
    f64 p = 1.0 / 6227020800.0;
    p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = -1.0 / 5040.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = -1.0 / 6.0 + z * p;
    return r + r * (z * p);
}
INLINE f64 cosine_series(f64 r)
{
    f64 z = r * r;
    f64 p = -1.0 / 87178291200.0;
    p = 1.0 / 479001600.0 + z * p;
    p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = -1.0 / 720.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    p = -0.5 + z * p;
    return 1 + z * p;
}
/* sin(r + quadrant pi/2) for a small r, whose argument was a. */
INLINE f32 sine_of_rest(f32 a, f64 r, u32 quadrant)
{
    f64 s = sine_series(r), c = cosine_series(r);
    f64 value = quadrant & 1 ? c : s;
    f32 result = float_of(bits_f32((f32)value) ^ (quadrant & 2) << 30);
    return float_of((bits_f32(a) & 0x7fffffffu) >= 0x7f800000u ? F32_NAN : bits_f32(result));
}
/* sin(x + quarters pi/2) */
INLINE f32 sine(f32 a, u32 quarters)
{
    u32 magnitude = bits_f32(a) & 0x7fffffffu;
    f64 x = magnitude < 0x4d000000u ? a : float_of(bits_f32(a) & 0x80000000u);
    f64 k = __builtin_rint(x * TWO_BY_PI);
    f64 r = (x - k * HALF_PI_HIGH) - k * HALF_PI_LOW;
    f32 result = sine_of_rest(a, r, (u32)(s32)k + quarters);
    return !quarters && x == 0 && magnitude < 0x7f800000u ? (f32)x : result; /* sin(-0) = -0 */
}
/* The same for a number of turns: from 2^24 on they are whole. */
INLINE f32 sine_of_turns(f32 a, u32 quarters)
{
    const f64 two_pi = 0x1.921fb54442d18p+2;
    u32 magnitude = bits_f32(a) & 0x7fffffffu;
    f64 x = magnitude < 0x4b800000u ? a : float_of(bits_f32(a) & 0x80000000u);
    f64 k = __builtin_rint(x * 4);
    f32 result = sine_of_rest(a, (x - k * 0.25) * two_pi, (u32)(s32)k + quarters);
    return !quarters && x == 0 && magnitude < 0x7f800000u ? (f32)x : result;
}
LANES1(sin_f32, f32, f32, sine(a, 0))
LANES1(sin_f32_ftz, f32, f32, flush(sine(flush(a), 0)))
LANES1(cos_f32, f32, f32, sine(a, 1))
LANES1(cos_f32_ftz, f32, f32, flush(sine(flush(a), 1)))
LANES1(sin_turns_f32_ftz, f32, f32, flush(sine_of_turns(flush(a), 0)))
LANES1(cos_turns_f32_ftz, f32, f32, flush(sine_of_turns(flush(a), 1)))

/* ---- logarithm: x = 2^e m with m around 1; log2 m = 2/ln 2 atanh((m - 1) / (m + 1)) ---- */

#define TWO_BY_LN2 0x1.71547652b82fep+1
#define ROOT2_BITS 0x3ff6a09e667f3bcdull
INLINE f32 logarithm(f32 a)
{
    u64 bits = bits_f64((f64)a);
    u64 fraction = (bits & ((1ull << 52) - 1)) | 1023ull << 52;
    u64 halved = fraction > ROOT2_BITS;
    f64 m = double_of(fraction - (halved << 52));
    f64 e = double_of(((bits >> 52 & 0x7ff) + halved) | 0x433ull << 52) - (0x1p52 + 1023);
    f64 t = (m - 1) / (m + 1), z = t * t;
    f64 p = 1.0 / 17;
    p = 1.0 / 15 + z * p;
    p = 1.0 / 13 + z * p;
    p = 1.0 / 11 + z * p;
    p = 1.0 / 9 + z * p;
    p = 1.0 / 7 + z * p;
    p = 1.0 / 5 + z * p;
    p = 1.0 / 3 + z * p;
    f32 result = (f32)(e + TWO_BY_LN2 * (t + t * (z * p)));
    result = a < __builtin_inff() ? result : __builtin_inff();
    result = a > 0 ? result : -__builtin_inff();
    return float_of(a >= 0 ? bits_f32(result) : F32_NAN);
}
LANES1(lg2_f32, f32, f32, logarithm(a))
LANES1(lg2_f32_ftz, f32, f32, flush(logarithm(flush(a))))

/* ---- powers of two: 2^x = 2^k e^(f ln 2), |f| <= 1/2 ---- */

#define LN2 0x1.62e42fefa39efp-1
/* x in [-1000, 1000] */
INLINE f64 power_of_2(f64 x)
{
    f64 k = __builtin_rint(x), f = (x - k) * LN2;
    f64 p = 1.0 / 39916800.0;
    p = 1.0 / 3628800.0 + f * p;
    p = 1.0 / 362880.0 + f * p;
    p = 1.0 / 40320.0 + f * p;
    p = 1.0 / 5040.0 + f * p;
    p = 1.0 / 720.0 + f * p;
    p = 1.0 / 120.0 + f * p;
    p = 1.0 / 24.0 + f * p;
    p = 1.0 / 6.0 + f * p;
    p = 0.5 + f * p;
    p = 1 + f * p;
    p = 1 + f * p;
    /* k in the low bits of a large number is an exponent after a shift */
    return p * double_of(bits_f64(k + (0x1.8p52 + 1023)) << 52);
}
INLINE f32 exponential(f32 a)
{
    f64 x = a;
    x = x > -200 ? x : -200;
    x = x < 200 ? x : 200;
    return float_of(a != a ? F32_NAN : bits_f32((f32)power_of_2(x)));
}
LANES1(ex2_f32, f32, f32, exponential(a))
LANES1(ex2_f32_ftz, f32, f32, flush(exponential(flush(a))))

/* tanh |x| = (1 - e^-2|x|) / (1 + e^-2|x|); for small x it is x within 2^-25 */
#define TWO_LOG2_E 0x1.71547652b82fep+1
INLINE f32 hyperbolic_tangent(f32 a)
{
    u32 sign = bits_f32(a) & 0x80000000u;
    f64 x = float_of(bits_f32(a) ^ sign), bounded = x < 64 ? x : 64;
    f64 e = power_of_2(-TWO_LOG2_E * bounded);
    f32 large = float_of(bits_f32((f32)((1 - e) / (1 + e))) | sign);
    f32 result = x < 0x1p-12 ? a : large;
    return float_of(a != a ? F32_NAN : bits_f32(result));
}
LANES1(tanh_f32, f32, f32, hyperbolic_tangent(a))

/* ---- ex2 and tanh of f16 and bf16, alone and in pairs: the function of f32, rounded once more ---- */

INLINE bool is_brain(enum lane_type t) { return t == T_BF16 || t == T_BF16X2; }
INLINE u32 small_function(const struct uop *u, u16 h)
{
    const struct small_format *f = is_brain(u->type) ? &bf16_format : &f16_format;
    const u32 limit = flush_limit(u);
    f32 x = flush_below(is_brain(u->type) ? f32_of_bf16(h) : f32_of_f16(h), limit);
    f32 y = u->op == OP_EX2 ? exponential(x) : hyperbolic_tangent(x);
    return narrowed(flush_below(y, limit), ROUND_N, f);
}
HANDLER(small_functions)
{
    const u16 *a = source(w, u->a);
    u16 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = (u16)small_function(u, a[l]);
    STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}
HANDLER(small_pair_functions)
{
    const u32 *a = source(w, u->a);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = small_function(u, (u16)a[l]) | small_function(u, (u16)(a[l] >> 16)) << 16;
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

/* ---- rows ---- */

#define SMALL_ROW(op, types, flags, name)                                                                              \
    {                                                                                                                  \
        OP_##op, types, 0, SEMANTIC_FLAGS & ~UF_APPROX, flags, 0, name                                                 \
    }

#define PAIR(op, name)                                                                                                 \
    {OP_##op, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~UF_APPROX, 0, 0, name},                                                \
    {                                                                                                                  \
        OP_##op, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~UF_APPROX, UF_FTZ, 0, name##_ftz                                    \
    }
#define F64_ROW(op, flags, name)                                                                                       \
    {                                                                                                                  \
        OP_##op, TYPE(T_F64), 0, SEMANTIC_FLAGS, flags, 0, name                                                        \
    }
static const struct lane_row rows[] = {
    {OP_DIV, TYPE(T_F32), 0, SEMANTIC_FLAGS, UF_APPROX, 0, div_approx},
    {OP_DIV, TYPE(T_F32), 0, SEMANTIC_FLAGS, UF_APPROX | UF_FTZ, 0, div_approx_ftz},
    PAIR(RSQRT, rsqrt_f32),
    PAIR(SIN, sin_f32),
    PAIR(COS, cos_f32),
    {OP_SIN_TURNS, TYPE(T_F32), 0, SEMANTIC_FLAGS, UF_APPROX | UF_FTZ, 0, sin_turns_f32_ftz},
    {OP_COS_TURNS, TYPE(T_F32), 0, SEMANTIC_FLAGS, UF_APPROX | UF_FTZ, 0, cos_turns_f32_ftz},
    PAIR(LG2, lg2_f32),
    PAIR(EX2, ex2_f32),
    SMALL_ROW(EX2, TYPE(T_F16), 0, small_functions),
    SMALL_ROW(EX2, TYPE(T_F16X2), 0, small_pair_functions),
    SMALL_ROW(EX2, TYPE(T_BF16), UF_FTZ, small_functions),
    SMALL_ROW(EX2, TYPE(T_BF16X2), UF_FTZ, small_pair_functions),
    SMALL_ROW(TANH, TYPE(T_F16) | TYPE(T_BF16), 0, small_functions),
    SMALL_ROW(TANH, TYPE(T_F16X2) | TYPE(T_BF16X2), 0, small_pair_functions),
    {OP_TANH, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~UF_APPROX, 0, 0, tanh_f32},
    F64_ROW(RSQRT, UF_APPROX, rsqrt_f64),
    F64_ROW(RSQRT, UF_APPROX | UF_FTZ, rsqrt_upper),
    F64_ROW(RCP, UF_APPROX | UF_FTZ, rcp_upper),
};

uop_fn SIMD_NAME(lanes_approx)(const struct operation *o) { return FIND_ROW(rows, o); }
