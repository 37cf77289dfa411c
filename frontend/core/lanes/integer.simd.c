/* Integer arithmetic (PTX ISA "Integer Arithmetic Instructions"), without carries: see carry.simd.c. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/loop.h"

/* ---- sums and products: the low half is the same for signed and unsigned ---- */

LANES2(add16, u16, u16, u16, a + b)
LANES2(add32, u32, u32, u32, a + b)
LANES2(add64, u64, u64, u64, a + b)
LANES2(sub16, u16, u16, u16, a - b)
LANES2(sub32, u32, u32, u32, a - b)
LANES2(sub64, u64, u64, u64, a - b)
LANES2(mul16, u16, u16, u16, (u32)a *b)
LANES2(mul32, u32, u32, u32, a *b)
LANES2(mul64, u64, u64, u64, a *b)
LANES3(mad16, u16, u16, u16, u16, (u32)a *b + c)
LANES3(mad32, u32, u32, u32, u32, a *b + c)
LANES3(mad64, u64, u64, u64, u64, a *b + c)

INLINE s32 clamp_s32(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
LANES2(add_sat_s32, s32, s32, s32, clamp_s32((s64)a + b))
LANES2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)a - b))

LANES2(mul_hi_u16, u16, u16, u16, (u32)a *b >> 16)
LANES2(mul_hi_s16, s16, s16, s16, (s32)a *b >> 16)
LANES2(mul_hi_u32, u32, u32, u32, (u64)a *b >> 32)
LANES2(mul_hi_s32, s32, s32, s32, (s64)a *b >> 32)
LANES2(mul_hi_u64, u64, u64, u64, (u128)a *b >> 64)
LANES2(mul_hi_s64, s64, s64, s64, (s128)a *b >> 64)
LANES2(mul_wide_u16, u32, u16, u16, (u32)a *b)
LANES2(mul_wide_s16, s32, s16, s16, (s32)a *b)
LANES2(mul_wide_u32, u64, u32, u32, (u64)a *b)
LANES2(mul_wide_s32, s64, s32, s32, (s64)a *b)
LANES3(mad_hi_u16, u16, u16, u16, u16, ((u32)a * b >> 16) + c)
LANES3(mad_hi_s16, s16, s16, s16, s16, ((s32)a * b >> 16) + c)
LANES3(mad_hi_u32, u32, u32, u32, u32, (u32)((u64)a *b >> 32) + c)
LANES3(mad_hi_s32, u32, s32, s32, u32, (u32)((s64)a *b >> 32) + c)
LANES3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32(((s64)a * b >> 32) + c))
LANES3(mad_hi_u64, u64, u64, u64, u64, (u64)((u128)a *b >> 64) + c)
LANES3(mad_hi_s64, u64, s64, s64, u64, (u64)((s128)a *b >> 64) + c)
LANES3(mad_wide_u16, u32, u16, u16, u32, (u32)a *b + c)
LANES3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a *b) + c)
LANES3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
LANES3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *b) + c)

/* ---- 24-bit products: .lo is bits 0..31 of the 48-bit product, .hi bits 16..47 ---- */

INLINE u64 product24_u(u32 a, u32 b) { return (u64)(a & 0xffffff) * (b & 0xffffff); }
INLINE s64 product24_s(u32 a, u32 b) { return (s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8); }
LANES2(mul24_lo_u32, u32, u32, u32, product24_u(a, b))
LANES2(mul24_lo_s32, u32, u32, u32, product24_s(a, b))
LANES2(mul24_hi_u32, u32, u32, u32, product24_u(a, b) >> 16)
LANES2(mul24_hi_s32, u32, u32, u32, product24_s(a, b) >> 16)
LANES3(mad24_lo_u32, u32, u32, u32, u32, product24_u(a, b) + c)
LANES3(mad24_lo_s32, u32, u32, u32, u32, (u64)product24_s(a, b) + c)
LANES3(mad24_hi_u32, u32, u32, u32, u32, (product24_u(a, b) >> 16) + c)
LANES3(mad24_hi_s32, u32, u32, u32, u32, (u64)(product24_s(a, b) >> 16) + c)
LANES3(mad24_hi_sat_s32, s32, u32, u32, s32, clamp_s32((s32)(product24_s(a, b) >> 16) + (s64)c))

/* ---- differences, magnitudes, extremes ---- */

LANES3(sad_u16, u16, u16, u16, u16, c + (a > b ? a - b : b - a))
LANES3(sad_s16, u16, s16, s16, u16, c + (a > b ? a - b : b - a))
LANES3(sad_u32, u32, u32, u32, u32, c + (a > b ? a - b : b - a))
LANES3(sad_s32, u32, s32, s32, u32, c + (a > b ? (u32)a - (u32)b : (u32)b - (u32)a))
LANES3(sad_u64, u64, u64, u64, u64, c + (a > b ? a - b : b - a))
LANES3(sad_s64, u64, s64, s64, u64, c + (a > b ? (u64)a - (u64)b : (u64)b - (u64)a))
LANES1(abs_s16, u16, s16, a < 0 ? -a : a)
LANES1(abs_s32, u32, s32, a < 0 ? -(u32)a : (u32)a)
LANES1(abs_s64, u64, s64, a < 0 ? -(u64)a : (u64)a)
LANES1(neg16, u16, u16, -a)
LANES1(neg32, u32, u32, -a)
LANES1(neg64, u64, u64, -a)

/* Written without a minimum, because GCC 12 fails ("unrecognizable insn") on a masked 16-bit one for AVX-512. */
#define EXTREMES16(t)                                                                                                  \
    INLINE t least_##t(t a, t b) { return (t)(b + ((a - b) & -(a < b))); }                                             \
    INLINE t most_##t(t a, t b) { return (t)(b + ((a - b) & -(a > b))); }                                              \
    LANES2(min_##t, t, t, t, least_##t(a, b))                                                                          \
    LANES2(max_##t, t, t, t, most_##t(a, b))
#define EXTREMES(t)                                                                                                    \
    INLINE t least_##t(t a, t b) { return a < b ? a : b; }                                                             \
    INLINE t most_##t(t a, t b) { return a > b ? a : b; }                                                              \
    LANES2(min_##t, t, t, t, least_##t(a, b))                                                                          \
    LANES2(max_##t, t, t, t, most_##t(a, b))
EXTREMES16(u16)
EXTREMES16(s16)
EXTREMES(u32)
EXTREMES(s32)
EXTREMES(u64)
EXTREMES(s64)
INLINE s32 positive(s32 x) { return x & ~(x >> 31); } /* .relu */
LANES2(min_relu_s32, s32, s32, s32, positive(least_s32(a, b)))
LANES2(max_relu_s32, s32, s32, s32, positive(most_s32(a, b)))
LANES3(min3_u32, u32, u32, u32, u32, least_u32(least_u32(a, b), c))
LANES3(max3_u32, u32, u32, u32, u32, most_u32(most_u32(a, b), c))
LANES3(min3_s32, s32, s32, s32, s32, least_s32(least_s32(a, b), c))
LANES3(max3_s32, s32, s32, s32, s32, most_s32(most_s32(a, b), c))

/* Pairs of 16-bit values in a 32-bit register. */
#define PAIR(low, high) ((u32)(u16)(low) | (u32)(u16)(high) << 16)
#define ON_PAIRS(f, t) PAIR(f((t)a, (t)b), f((t)(a >> 16), (t)(b >> 16)))
INLINE u16 sum_u16(u16 a, u16 b) { return (u16)(a + b); }
INLINE s16 most_relu(s16 a, s16 b) { return (s16)positive(most_s16(a, b)); }
INLINE s16 least_relu(s16 a, s16 b) { return (s16)positive(least_s16(a, b)); }
LANES2(add_16x2, u32, u32, u32, ON_PAIRS(sum_u16, u16))
LANES2(min_u16x2, u32, u32, u32, ON_PAIRS(least_u16, u16))
LANES2(max_u16x2, u32, u32, u32, ON_PAIRS(most_u16, u16))
LANES2(min_s16x2, u32, u32, u32, ON_PAIRS(least_s16, s16))
LANES2(max_s16x2, u32, u32, u32, ON_PAIRS(most_s16, s16))
LANES2(min_relu_s16x2, u32, u32, u32, ON_PAIRS(least_relu, s16))
LANES2(max_relu_s16x2, u32, u32, u32, ON_PAIRS(most_relu, s16))

/* ---- division ----
 *
 * A zero divisor gives all ones, and INT_MIN / -1 is INT_MIN. 32-bit quotients are computed as doubles, whose error
 * (2^-53) is smaller than the least distance of a quotient from the next integer (2^-32 of it). There are no branches,
 * and only conversions that every vector width has. */

INLINE u32 quotient_u32(u32 a, u32 b)
{
    f64 q = f64_of_u32(a) / f64_of_u32(b + (b == 0));
    return u32_of_f64(__builtin_trunc(q)) | -(u32)(b == 0);
}
INLINE u32 magnitude(s32 a) { return a < 0 ? -(u32)a : (u32)a; }
INLINE u32 quotient_s32(s32 a, s32 b)
{
    u32 q = quotient_u32(magnitude(a), magnitude(b)), negative = -(u32)((a ^ b) < 0);
    return ((q ^ negative) - negative) | -(u32)(b == 0);
}
INLINE u64 quotient_u64(u64 a, u64 b) { return b ? a / b : ~0ull; }
INLINE u64 quotient_s64(s64 a, s64 b) { return b == 0 ? ~0ull : b == -1 ? -(u64)a : (u64)(a / b); }
INLINE u64 remainder_s64(s64 a, s64 b) { return b == 0 ? ~0ull : b == -1 ? 0 : (u64)(a % b); }
LANES2(div_u16, u16, u16, u16, quotient_u32(a, b))
LANES2(div_s16, u16, s16, s16, quotient_s32(a, b))
LANES2(div_u32, u32, u32, u32, quotient_u32(a, b))
LANES2(div_s32, u32, s32, s32, quotient_s32(a, b))
LANES2(div_u64, u64, u64, u64, quotient_u64(a, b))
LANES2(div_s64, u64, s64, s64, quotient_s64(a, b))
LANES2(rem_u16, u16, u16, u16, (a - quotient_u32(a, b) * b) | -(u32)(b == 0))
LANES2(rem_s16, u16, s16, s16, ((u32)a - quotient_s32(a, b) * (u32)b) | -(u32)(b == 0))
LANES2(rem_u32, u32, u32, u32, (a - quotient_u32(a, b) * b) | -(u32)(b == 0))
LANES2(rem_s32, u32, s32, s32, ((u32)a - quotient_s32(a, b) * (u32)b) | -(u32)(b == 0))
LANES2(rem_u64, u64, u64, u64, b ? a % b : ~0ull)
LANES2(rem_s64, u64, s64, s64, remainder_s64(a, b))

/* ---- dot products of bytes ---- */

#define BYTE(t, x, n) ((s32)(t)((x) >> 8 * (n)))
#define HALF(t, x, n) ((s32)(t)((x) >> 16 * (n)))
#define DOT4(ta, tb)                                                                                                   \
    (c + (u32)(BYTE(ta, a, 0) * BYTE(tb, b, 0)) + (u32)(BYTE(ta, a, 1) * BYTE(tb, b, 1)) +                             \
     (u32)(BYTE(ta, a, 2) * BYTE(tb, b, 2)) + (u32)(BYTE(ta, a, 3) * BYTE(tb, b, 3)))
#define DOT2(ta, tb, from)                                                                                             \
    (c + (u32)(HALF(ta, a, 0) * BYTE(tb, b, from)) + (u32)(HALF(ta, a, 1) * BYTE(tb, b, from + 1)))
#define DOTS(name, ta8, ta16, tb)                                                                                      \
    LANES3(dp4a_##name, u32, u32, u32, u32, DOT4(ta8, tb))                                                             \
    LANES3(dp2a_lo_##name, u32, u32, u32, u32, DOT2(ta16, tb, 0))                                                      \
    LANES3(dp2a_hi_##name, u32, u32, u32, u32, DOT2(ta16, tb, 2))
DOTS(uu, u8, u16, u8)
DOTS(us, u8, u16, s8)
DOTS(su, s8, s16, u8)
DOTS(ss, s8, s16, s8)

/* ---- rows ---- */

#define ROW(op, types, flags, fn)                                                                                      \
    {                                                                                                                  \
        OP_##op, types, 0, SEMANTIC_FLAGS, flags, 0, fn                                                                \
    }
#define BY_WIDTH(op, flags, f16, f32, f64)                                                                             \
    ROW(op, TYPES16, flags, f16), ROW(op, TYPES32, flags, f32), ROW(op, TYPES64, flags, f64)
#define BY_SIGN(op, flags, f)                                                                                          \
    ROW(op, UNSIGNED16, flags, f##_u16), ROW(op, SIGNED16, flags, f##_s16), ROW(op, UNSIGNED32, flags, f##_u32),       \
        ROW(op, SIGNED32, flags, f##_s32), ROW(op, UNSIGNED64, flags, f##_u64), ROW(op, SIGNED64, flags, f##_s64)
#define DOT_ROWS(ta, tb, name)                                                                                         \
    {OP_DP4A, ta, tb, SEMANTIC_FLAGS, 0, 0, dp4a_##name}, {OP_DP2A, ta, tb, SEMANTIC_FLAGS, 0, 0, dp2a_lo_##name},     \
    {                                                                                                                  \
        OP_DP2A, ta, tb, SEMANTIC_FLAGS, UF_HI, 0, dp2a_hi_##name                                                      \
    }

static const struct lane_row rows[] = {
    BY_WIDTH(ADD, 0, add16, add32, add64),
    BY_WIDTH(SUB, 0, sub16, sub32, sub64),
    BY_WIDTH(MUL, 0, mul16, mul32, mul64),
    BY_WIDTH(MAD, 0, mad16, mad32, mad64),
    ROW(ADD, SIGNED32, UF_SAT, add_sat_s32),
    ROW(SUB, SIGNED32, UF_SAT, sub_sat_s32),
    BY_SIGN(MUL, UF_HI, mul_hi),
    BY_SIGN(MAD, UF_HI, mad_hi),
    ROW(MAD, SIGNED32, UF_HI | UF_SAT, mad_hi_sat_s32),
    ROW(MUL, UNSIGNED16, UF_WIDE, mul_wide_u16),
    ROW(MUL, SIGNED16, UF_WIDE, mul_wide_s16),
    ROW(MUL, UNSIGNED32, UF_WIDE, mul_wide_u32),
    ROW(MUL, SIGNED32, UF_WIDE, mul_wide_s32),
    ROW(MAD, UNSIGNED16, UF_WIDE, mad_wide_u16),
    ROW(MAD, SIGNED16, UF_WIDE, mad_wide_s16),
    ROW(MAD, UNSIGNED32, UF_WIDE, mad_wide_u32),
    ROW(MAD, SIGNED32, UF_WIDE, mad_wide_s32),
    ROW(MUL24, UNSIGNED32, 0, mul24_lo_u32),
    ROW(MUL24, SIGNED32, 0, mul24_lo_s32),
    ROW(MUL24, UNSIGNED32, UF_HI, mul24_hi_u32),
    ROW(MUL24, SIGNED32, UF_HI, mul24_hi_s32),
    ROW(MAD24, UNSIGNED32, 0, mad24_lo_u32),
    ROW(MAD24, SIGNED32, 0, mad24_lo_s32),
    ROW(MAD24, UNSIGNED32, UF_HI, mad24_hi_u32),
    ROW(MAD24, SIGNED32, UF_HI, mad24_hi_s32),
    ROW(MAD24, SIGNED32, UF_HI | UF_SAT, mad24_hi_sat_s32),
    BY_SIGN(SAD, 0, sad),
    BY_WIDTH(ABS, 0, abs_s16, abs_s32, abs_s64),
    BY_WIDTH(NEG, 0, neg16, neg32, neg64),
    BY_SIGN(MIN, 0, min),
    BY_SIGN(MAX, 0, max),
    ROW(MIN, SIGNED32, UF_RELU, min_relu_s32),
    ROW(MAX, SIGNED32, UF_RELU, max_relu_s32),
    ROW(MIN3, UNSIGNED32, 0, min3_u32),
    ROW(MIN3, SIGNED32, 0, min3_s32),
    ROW(MAX3, UNSIGNED32, 0, max3_u32),
    ROW(MAX3, SIGNED32, 0, max3_s32),
    ROW(ADD, TYPE(T_U16X2) | TYPE(T_S16X2), 0, add_16x2),
    ROW(MIN, TYPE(T_U16X2), 0, min_u16x2),
    ROW(MIN, TYPE(T_S16X2), 0, min_s16x2),
    ROW(MIN, TYPE(T_S16X2), UF_RELU, min_relu_s16x2),
    ROW(MAX, TYPE(T_U16X2), 0, max_u16x2),
    ROW(MAX, TYPE(T_S16X2), 0, max_s16x2),
    ROW(MAX, TYPE(T_S16X2), UF_RELU, max_relu_s16x2),
    BY_SIGN(DIV, 0, div),
    BY_SIGN(REM, 0, rem),
    DOT_ROWS(UNSIGNED32, UNSIGNED32, uu),
    DOT_ROWS(UNSIGNED32, SIGNED32, us),
    DOT_ROWS(SIGNED32, UNSIGNED32, su),
    DOT_ROWS(SIGNED32, SIGNED32, ss),
};

uop_fn SIMD_NAME(lanes_integer)(const struct operation *o) { return FIND_ROW(rows, o); }
