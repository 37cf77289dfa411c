/* cvt between integers, from integers to floats and from floats to integers (PTX ISA, cvt). Conversions between
 * floating-point formats are in float_convert.simd.c. */
#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/groups.h"

/* The element that holds a value of each type (uop.h: 8-bit ones in 16 bits), and its range. */
typedef u16 u8_element, u16_element;
typedef s16 s8_element, s16_element;
typedef u32 u32_element;
typedef s32 s32_element;
typedef u64 u64_element;
typedef s64 s64_element;
enum {
    u8_bits = 8,
    s8_bits = 8,
    u16_bits = 16,
    s16_bits = 16,
    u32_bits = 32,
    s32_bits = 32,
    u64_bits = 64,
    s64_bits = 64
};
enum { u8_sign = 0, s8_sign = 1, u16_sign = 0, s16_sign = 1, u32_sign = 0, s32_sign = 1, u64_sign = 0, s64_sign = 1 };
#define LEAST(t) (t##_sign ? -((s128)1 << (t##_bits - 1)) : 0)
#define GREATEST(t) (((s128)1 << (t##_bits - t##_sign)) - 1)

/* ---- integer to integer: chop or extend, with .sat clamp ---- */

/* Without a minimum or maximum: see EXTREMES16 in integer.simd.c. */
INLINE s128 clamp(s128 x, s128 low, s128 high)
{
    x += (low - x) & -(s128)(x < low);
    return x + ((high - x) & -(s128)(x > high));
}
#define CHOP(S, D) LANES1(cvt_##S##_##D, D##_element, S##_element, (D)(S)a)
#define CLAMP(S, D) LANES1(cvt_sat_##S##_##D, D##_element, S##_element, (D)clamp((S)a, LEAST(D), GREATEST(D)))
#define TO_ALL(M, S) M(S, u8) M(S, s8) M(S, u16) M(S, s16) M(S, u32) M(S, s32) M(S, u64) M(S, s64)
#define ALL_TO_ALL(M)                                                                                                  \
    TO_ALL(M, u8)                                                                                                      \
    TO_ALL(M, s8) TO_ALL(M, u16) TO_ALL(M, s16) TO_ALL(M, u32) TO_ALL(M, s32) TO_ALL(M, u64) TO_ALL(M, s64)
ALL_TO_ALL(CHOP)
ALL_TO_ALL(CLAMP)

/* ---- integer to float ----
 *
 * Rounding to nearest converts u32 by way of f64, which holds every u32 exactly and vectorises at every width. Other
 * modes cannot, because zero may become negative there. */

/* Converts an integer in a directed rounding mode. Some instruction sequences for it return -0 for 0 when rounding
 * down. Compilers assume that they never do, so the test for 0 has to be hidden from them. */
INLINE bool hidden(bool x)
{
    __asm__("" : "+r"(x));
    return x;
}
INLINE f32 whole_f32(f32 x, bool zero) { return hidden(zero) ? 0 : x; }
INLINE f64 whole_f64(f64 x, bool zero) { return hidden(zero) ? 0 : x; }
#define NEAREST_F32(S, x) (_Generic((S)0, u32 : (f32)f64_of_u32((u32)(x)), default : (f32)(S)(x)))
#define NEAREST_F64(S, x) (_Generic((S)0, u32 : f64_of_u32((u32)(x)), default : (f64)(S)(x)))
#define INTEGER_TO_FLOAT(S)                                                                                            \
    LANES1(cvt_##S##_f32, f32, S##_element, NEAREST_F32(S, a))                                                         \
    LANES1(cvt_##S##_f64, f64, S##_element, NEAREST_F64(S, a))                                                         \
    NOINLINE void cvt_##S##_f32_loop(struct warp *w, const struct uop *u, lanemask executed)                           \
    {                                                                                                                  \
        const S##_element *a = source(w, u->a);                                                                        \
        const struct float_modifiers m = float_modifiers(u);                                                           \
        STORE_LANES(f32, destination(w, u->d), executed, finished32(whole_f32((f32)(S)a[l], a[l] == 0), &m));          \
    }                                                                                                                  \
    HANDLER(cvt_##S##_f32_any) { in_rounding(cvt_##S##_f32_loop, w, u, executed); }                                    \
    NOINLINE void cvt_##S##_f64_loop(struct warp *w, const struct uop *u, lanemask executed)                           \
    {                                                                                                                  \
        const S##_element *a = source(w, u->a);                                                                        \
        f64 high = u->flags & UF_SAT ? 1 : __builtin_inf(), low = u->flags & UF_SAT ? 0 : -high;                       \
        STORE_LANES(f64, destination(w, u->d), executed, clamp_f64(whole_f64((f64)(S)a[l], a[l] == 0), low, high));    \
    }                                                                                                                  \
    HANDLER(cvt_##S##_f64_any) { in_rounding(cvt_##S##_f64_loop, w, u, executed); }
INLINE f64 clamp_f64(f64 x, f64 low, f64 high) { return x > high ? high : x < low ? low : x; }
INTEGER_TO_FLOAT(u8)
INTEGER_TO_FLOAT(s8)
INTEGER_TO_FLOAT(u16)
INTEGER_TO_FLOAT(s16)
INTEGER_TO_FLOAT(u32)
INTEGER_TO_FLOAT(s32)
INTEGER_TO_FLOAT(u64)
INTEGER_TO_FLOAT(s64)

/* ---- float to integer: rounded to an integral value, then clamped to the range ---- */

/* The result for NaN: 0, but 1 << (bits - 1) if the source is f64 or the destination has 64 bits. */
#define OF_NAN(F, D) (sizeof(F) == 8 || D##_bits == 64 ? (D)((u64)1 << (D##_bits - 1)) : 0)
/* Converts x, which is whole and in range. */
#define WHOLE(D, x) (_Generic((D)0, u32 : u32_of_f64((f64)(x)), u64 : (u64)(x), s64 : (s64)(x), default : (s32)(x)))
#define FLOAT_TO_INTEGER(F, D)                                                                                         \
    INLINE D##_element F##_to_##D(F x)                                                                                 \
    {                                                                                                                  \
        const F low = (F)LEAST(D), above = (F)GREATEST(D) + (D##_bits < 32 ? 1 : D##_bits == 32 && sizeof(F) == 8);    \
        bool small = x < low, large = x >= above, nan = x != x;                                                        \
        F safe = (small | large | nan) ? 0 : x;                                                                        \
        D##_element whole = (D##_element)WHOLE(D, safe);                                                               \
        whole = large ? (D##_element)GREATEST(D) : whole;                                                              \
        whole = small ? (D##_element)LEAST(D) : whole;                                                                 \
        return nan ? (D##_element)OF_NAN(F, D) : whole;                                                                \
    }                                                                                                                  \
    HANDLER(cvt_##F##_##D)                                                                                             \
    {                                                                                                                  \
        const F *a = source(w, u->a);                                                                                  \
        const u32 limit = flush_limit(u);                                                                              \
        D##_element *d = destination(w, u->d);                                                                         \
        switch (u->rounding & ~ROUND_INTEGER) {                                                                        \
        case ROUND_Z: STORE_LANES(D##_element, d, executed, F##_to_##D(F##_trunc(a[l]))); break;                       \
        case ROUND_M: STORE_LANES(D##_element, d, executed, F##_to_##D(F##_floor(F##_flush(a[l], limit)))); break;     \
        case ROUND_P: STORE_LANES(D##_element, d, executed, F##_to_##D(F##_ceil(F##_flush(a[l], limit)))); break;      \
        default: STORE_LANES(D##_element, d, executed, F##_to_##D(F##_rint(a[l]))); break;                             \
        }                                                                                                              \
    }
#define f32_trunc __builtin_truncf
#define f32_floor __builtin_floorf
#define f32_ceil __builtin_ceilf
#define f32_rint __builtin_rintf
#define f32_flush flush_below
#define f64_trunc __builtin_trunc
#define f64_floor __builtin_floor
#define f64_ceil __builtin_ceil
#define f64_rint __builtin_rint
#define f64_flush(x, limit) ((void)(limit), (x))
TO_ALL(FLOAT_TO_INTEGER, f32)
TO_ALL(FLOAT_TO_INTEGER, f64)

/* ---- rows ---- */

#define u8_types (TYPE(T_U8) | TYPE(T_B8))
#define s8_types TYPE(T_S8)
#define u16_types UNSIGNED16
#define s16_types SIGNED16
#define u32_types UNSIGNED32
#define s32_types SIGNED32
#define u64_types UNSIGNED64
#define s64_types SIGNED64
#define f32_types TYPE(T_F32)
#define f64_types TYPE(T_F64)
#define TO_INTEGRAL                                                                                                    \
    (1u << ROUND_N | 1u << ROUND_Z | 1u << ROUND_M | 1u << ROUND_P |                                                   \
     (1u << ROUND_N | 1u << ROUND_Z | 1u << ROUND_M | 1u << ROUND_P) << ROUND_INTEGER)
#define CHOP_ROW(S, D) {OP_CVT, D##_types, S##_types, SEMANTIC_FLAGS & ~UF_FTZ, 0, 0, cvt_##S##_##D},
#define CLAMP_ROW(S, D) {OP_CVT, D##_types, S##_types, SEMANTIC_FLAGS & ~UF_FTZ, UF_SAT, 0, cvt_sat_##S##_##D},
#define FROM_FLOAT_ROW(F, D)                                                                                           \
    {OP_CVT, D##_types, F##_types, SEMANTIC_FLAGS & ~(UF_FTZ | UF_SAT), 0, TO_INTEGRAL, cvt_##F##_##D},
#define TO_FLOAT_ROWS(S)                                                                                               \
    {OP_CVT, f32_types, S##_types, SEMANTIC_FLAGS & ~UF_FTZ, 0, NEAREST, cvt_##S##_f32},                               \
        {OP_CVT, f32_types, S##_types, SEMANTIC_FLAGS & ~(UF_FTZ | UF_SAT), 0, TO_FLOAT_ROUNDINGS, cvt_##S##_f32_any}, \
        {OP_CVT, f64_types, S##_types, SEMANTIC_FLAGS, 0, NEAREST, cvt_##S##_f64},                                     \
        {OP_CVT, f64_types, S##_types, SEMANTIC_FLAGS & ~UF_SAT, 0, TO_FLOAT_ROUNDINGS, cvt_##S##_f64_any},

static const struct lane_row rows[] = {ALL_TO_ALL(CHOP_ROW) ALL_TO_ALL(CLAMP_ROW) TO_ALL(FROM_FLOAT_ROW, f32)
                                           TO_ALL(FROM_FLOAT_ROW, f64) TO_FLOAT_ROWS(u8) TO_FLOAT_ROWS(s8)
                                               TO_FLOAT_ROWS(u16) TO_FLOAT_ROWS(s16) TO_FLOAT_ROWS(u32)
                                                   TO_FLOAT_ROWS(s32) TO_FLOAT_ROWS(u64) TO_FLOAT_ROWS(s64)};

uop_fn SIMD_NAME(lanes_convert)(const struct operation *o) { return FIND_ROW(rows, o); }
