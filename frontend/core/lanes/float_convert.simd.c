/* cvt between floating-point formats, everything with f16 and bf16, and cvt.pack (PTX ISA, cvt and cvt.pack). */
#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/small.h"

/* ---- f32 and f64 ---- */

LANES1(cvt_f32_f64, f64, f32, canonical_f64(a))
LANES1(cvt_f64_f32, f32, f64, canonical_f32((f32)a))
INLINE f64 saturated64(f64 x, bool saturate)
{
    f64 clamped = x > 0 ? (x < 1 ? x : 1) : 0;
    return saturate ? clamped : canonical_f64(x);
}
HANDLER(cvt_f32_f64_any)
{
    const f32 *a = source(w, u->a);
    const u32 limit = flush_limit(u);
    const bool saturate = u->flags & UF_SAT;
    STORE_LANES(f64, destination(w, u->d), executed, saturated64(flush_below(a[l], limit), saturate));
}
NOINLINE void cvt_f64_f32_loop(struct warp *w, const struct uop *u, lanemask executed)
{
    const f64 *a = source(w, u->a);
    const struct float_modifiers m = float_modifiers(u);
    STORE_LANES(f32, destination(w, u->d), executed, finished32((f32)a[l], &m));
}
HANDLER(cvt_f64_f32_any) { in_rounding(cvt_f64_f32_loop, w, u, executed); }

/* From a format to itself, perhaps rounded to an integral value. */
HANDLER(cvt_f32_f32)
{
    const f32 *a = source(w, u->a);
    f32 *d = destination(w, u->d);
    const struct float_modifiers m = float_modifiers(u);
#define ROUNDED(round) STORE_LANES(f32, d, executed, finished32(round(flush_below(a[l], m.limit)), &m))
    switch (u->rounding) {
    case ROUND_INTEGER | ROUND_N: ROUNDED(__builtin_rintf); break;
    case ROUND_INTEGER | ROUND_Z: ROUNDED(__builtin_truncf); break;
    case ROUND_INTEGER | ROUND_M: ROUNDED(__builtin_floorf); break;
    case ROUND_INTEGER | ROUND_P: ROUNDED(__builtin_ceilf); break;
    default: ROUNDED(); break;
    }
#undef ROUNDED
}
HANDLER(cvt_f64_f64)
{
    const f64 *a = source(w, u->a);
    f64 *d = destination(w, u->d);
    const bool saturate = u->flags & UF_SAT;
#define ROUNDED(round) STORE_LANES(f64, d, executed, saturated64(round(a[l]), saturate))
    switch (u->rounding) {
    case ROUND_INTEGER | ROUND_N: ROUNDED(__builtin_rint); break;
    case ROUND_INTEGER | ROUND_Z: ROUNDED(__builtin_trunc); break;
    case ROUND_INTEGER | ROUND_M: ROUNDED(__builtin_floor); break;
    case ROUND_INTEGER | ROUND_P: ROUNDED(__builtin_ceil); break;
    default: ROUNDED(); break;
    }
#undef ROUNDED
}

/* ---- f16 and bf16 ---- */

LANES1(cvt_f16_f32, f32, u16, f32_of_f16(a))
LANES1(cvt_f16_f64, f64, u16, canonical_f64(f32_of_f16(a)))
LANES1(cvt_bf16_f32, f32, u16, f32_of_bf16(a))
LANES1(cvt_bf16_f64, f64, u16, canonical_f64(f32_of_bf16(a)))

/* An integer as f64 that may be rounded once more. If it has more than 53 bits, the last bit that is kept is sticky. */
static f64 sticky_f64(u64 magnitude, bool negative)
{
    if (magnitude >> 53)
        magnitude = (magnitude & ~0x7ffull) | ((magnitude & 0x7ff) ? 0x800 : 0);
    return negative ? -(f64)magnitude : (f64)magnitude;
}
static f64 element_as_f64(const void *a, enum lane_type type, int l, u32 limit)
{
    s64 whole;
    switch (type) {
    case T_F16: return f32_of_f16(((const u16 *)a)[l]);
    case T_BF16: return f32_of_bf16(((const u16 *)a)[l]);
    case T_F32: return flush_below(((const f32 *)a)[l], limit);
    case T_F64: return ((const f64 *)a)[l];
    case T_B8:
    case T_U8: return (u8)((const u16 *)a)[l];
    case T_S8: return (s8)((const u16 *)a)[l];
    case T_B16:
    case T_U16: return ((const u16 *)a)[l];
    case T_S16: return ((const s16 *)a)[l];
    case T_B32:
    case T_U32: return ((const u32 *)a)[l];
    case T_S32: return ((const s32 *)a)[l];
    case T_B64:
    case T_U64: return sticky_f64(((const u64 *)a)[l], false);
    default: whole = ((const s64 *)a)[l]; return sticky_f64(whole < 0 ? -(u64)whole : (u64)whole, whole < 0);
    }
}
static f64 integral(f64 x, unsigned rounding)
{
    switch (rounding) {
    case ROUND_INTEGER | ROUND_N: return __builtin_rint(x);
    case ROUND_INTEGER | ROUND_Z: return __builtin_trunc(x);
    case ROUND_INTEGER | ROUND_M: return __builtin_floor(x);
    case ROUND_INTEGER | ROUND_P: return __builtin_ceil(x);
    default: return x;
    }
}
/* From anything to f16 or bf16, and to tf32, whose lower bits are 0. */
HANDLER(cvt_to_small)
{
    const void *a = source(w, u->a);
    const struct small_format *f = u->type == T_F16 ? &f16_format : &bf16_format;
    u16 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = (u16)converted(integral(element_as_f64(a, u->stype, l, flush_limit(u)), u->rounding), u, f);
    STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}
INLINE u32 tf32_of(f32 x, const struct uop *u) { return x != x ? F32_NAN : converted(x, u, &tf32_format) << 13; }
HANDLER(cvt_to_tf32)
{
    const f32 *a = source(w, u->a);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = tf32_of(a[l], u);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

/* ---- pairs: of two f32, a above b; between pairs of f16 and of 8 bits ---- */

static const struct small_format *format_of_pair(enum lane_type t)
{
    return t == T_F16X2 ? &f16_format : t == T_BF16X2 ? &bf16_format : t == T_E4M3X2 ? &e4m3_format : &e5m2_format;
}
INLINE u32 pair_of(f64 high, f64 low, const struct uop *u, const struct small_format *f, int bits)
{
    return converted(high, u, f) << bits | converted(low, u, f);
}
HANDLER(cvt_f32_pair)
{
    const f32 *a = source(w, u->a), *b = source(w, u->b);
    const struct small_format *f = format_of_pair(u->type);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = pair_of(a[l], b[l], u, f, 16);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}
HANDLER(cvt_f32_pair_of_bytes)
{
    const f32 *a = source(w, u->a), *b = source(w, u->b);
    const struct small_format *f = format_of_pair(u->type);
    u16 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = (u16)pair_of(a[l], b[l], u, f, 8);
    STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}
HANDLER(cvt_f16x2_pair_of_bytes)
{
    const u32 *a = source(w, u->a);
    const struct small_format *f = format_of_pair(u->type);
    u16 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = (u16)pair_of(f32_of_f16((u16)(a[l] >> 16)), f32_of_f16((u16)a[l]), u, f, 8);
    STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}
/* e5m2 is the upper half of an f16; e4m3 has a bias of 7 where f16 has 15, and no infinity. */
static f32 f32_of_byte(u32 byte, enum lane_type t)
{
    if (t == T_E5M2X2)
        return f32_of_f16((u16)(byte << 8));
    f32 magnitude = f32_of_f16((u16)((byte & 0x7f) << 7)) * 256;
    return (byte & 0x7f) == 0x7f ? float_of(F32_NAN) : byte & 0x80 ? -magnitude : magnitude;
}
HANDLER(cvt_bytes_f16x2)
{
    const u16 *a = source(w, u->a);
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = pair_of(f32_of_byte(a[l] >> 8, u->stype), f32_of_byte(a[l] & 0xff, u->stype), u, &f16_format, 16);
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

/* From f16 or bf16 to f32 or f64, with any modifiers. It is exact, so rounding has no effect. */
HANDLER(cvt_small_any)
{
    const void *a = source(w, u->a);
    f64 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = saturated64(element_as_f64(a, u->stype, l, 0), u->flags & UF_SAT);
    if (u->type == T_F32)
        STORE_LANES(f32, destination(w, u->d), executed, flush_below(canonical_f32((f32)r[l]), flush_limit(u)));
    else
        STORE_LANES(f64, destination(w, u->d), executed, r[l]);
}

/* From f16 or bf16 to an integer: clamped. NaN becomes 0, or 1 << 63 in 64 bits. */
static u64 clamped_integer(f64 x, enum lane_type type)
{
    unsigned bits = lane_type_bits(type);
    f64 above = double_of((u64)(1023 + bits - lane_is_signed(type)) << 52), below = lane_is_signed(type) ? -above : 0;
    u64 greatest = ~0ull >> (64 - bits + lane_is_signed(type)), least = lane_is_signed(type) ? ~greatest : 0;
    if (x != x)
        return bits == 64 ? 1ull << 63 : 0;
    if (x >= above)
        return greatest;
    if (x < below)
        return least;
    return x < 0 ? (u64)(s64)x : (u64)x;
}
HANDLER(cvt_small_to_integer)
{
    const void *a = source(w, u->a);
    u64 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++)
        r[l] = clamped_integer(integral(element_as_f64(a, u->stype, l, 0), u->rounding | ROUND_INTEGER), u->type);
    switch (lane_element_bytes(u->type)) {
    case 2: STORE_LANES(u16, destination(w, u->d), executed, r[l]); break;
    case 4: STORE_LANES(u32, destination(w, u->d), executed, r[l]); break;
    default: STORE_LANES(u64, destination(w, u->d), executed, r[l]); break;
    }
}

/* ---- cvt.pack.sat ----
 *
 * a and b are signed. They are clamped to imm bits (16, 8, 4 or 2), signed if `type` is, and packed, a above b. Below
 * 16 bits, the low part of c lies above them. */

INLINE u32 clamped_part(s32 x, u32 bits, bool is_signed)
{
    s32 high = (s32)(~0u >> (32 - bits + is_signed)), low = is_signed ? ~high : 0;
    u32 mask = ~0u >> (32 - bits);
    return (u32)(x < low ? low : x > high ? high : x) & mask;
}
HANDLER(cvt_pack)
{
    const s32 *a = source(w, u->a), *b = source(w, u->b);
    const u32 *c = u->mode < 16 ? source(w, u->c) : NULL;
    u32 r[LANES] ALIGNED, bits = (u32)u->mode;
    bool is_signed = lane_is_signed(u->type);
    for (int l = 0; l < LANES; l++) {
        r[l] = clamped_part(a[l], bits, is_signed) << bits | clamped_part(b[l], bits, is_signed);
        if (c)
            r[l] |= c[l] << 2 * bits;
    }
    STORE_LANES(u32, destination(w, u->d), executed, r[l]);
}

/* ---- rows ---- */

#define INTEGRAL                                                                                                       \
    (1u << (ROUND_INTEGER | ROUND_N) | 1u << (ROUND_INTEGER | ROUND_Z) | 1u << (ROUND_INTEGER | ROUND_M) |             \
     1u << (ROUND_INTEGER | ROUND_P))
#define SMALL (TYPE(T_F16) | TYPE(T_BF16))
#define BYTE_PAIRS (TYPE(T_E4M3X2) | TYPE(T_E5M2X2))
#define INTEGERS (TYPES8 | TYPES16 | TYPES32 | TYPES64)
#define ROW(types, stypes, allowed, roundings, fn)                                                                     \
    {                                                                                                                  \
        OP_CVT, types, stypes, SEMANTIC_FLAGS & ~(u64)(allowed), 0, roundings, fn                                      \
    }
static const struct lane_row rows[] = {
    ROW(TYPE(T_F64), TYPE(T_F32), 0, NEAREST, cvt_f32_f64),
    ROW(TYPE(T_F64), TYPE(T_F32), UF_FTZ | UF_SAT, TO_FLOAT_ROUNDINGS, cvt_f32_f64_any),
    ROW(TYPE(T_F32), TYPE(T_F64), 0, NEAREST, cvt_f64_f32),
    ROW(TYPE(T_F32), TYPE(T_F64), UF_FTZ | UF_SAT, TO_FLOAT_ROUNDINGS, cvt_f64_f32_any),
    ROW(TYPE(T_F32), TYPE(T_F32), UF_FTZ | UF_SAT, INTEGRAL | TO_FLOAT_ROUNDINGS, cvt_f32_f32),
    ROW(TYPE(T_F64), TYPE(T_F64), UF_SAT, INTEGRAL | TO_FLOAT_ROUNDINGS, cvt_f64_f64),
    ROW(TYPE(T_F32), TYPE(T_F16), UF_FTZ, NEAREST, cvt_f16_f32),
    ROW(TYPE(T_F64), TYPE(T_F16), 0, NEAREST, cvt_f16_f64),
    ROW(TYPE(T_F32), TYPE(T_BF16), 0, NEAREST, cvt_bf16_f32),
    ROW(TYPE(T_F64), TYPE(T_BF16), 0, NEAREST, cvt_bf16_f64),
    ROW(TYPE(T_F32) | TYPE(T_F64), SMALL, UF_FTZ | UF_SAT, TO_FLOAT_ROUNDINGS, cvt_small_any),
    ROW(TYPE(T_TF32), TYPE(T_F32), UF_RELU | UF_SAT_FINITE, TO_FLOAT_ROUNDINGS | 1u << ROUND_NA, cvt_to_tf32),
    ROW(TYPE(T_F16X2) | TYPE(T_BF16X2), TYPE(T_F32), UF_RELU | UF_SAT_FINITE, TO_FLOAT_ROUNDINGS, cvt_f32_pair),
    ROW(BYTE_PAIRS, TYPE(T_F32), UF_RELU | UF_SAT_FINITE, NEAREST, cvt_f32_pair_of_bytes),
    ROW(BYTE_PAIRS, TYPE(T_F16X2), UF_RELU | UF_SAT_FINITE, NEAREST, cvt_f16x2_pair_of_bytes),
    ROW(TYPE(T_F16X2), BYTE_PAIRS, UF_RELU, NEAREST, cvt_bytes_f16x2),
    ROW(SMALL, INTEGERS | SMALL | TYPE(T_F32) | TYPE(T_F64), UF_FTZ | UF_SAT | UF_RELU | UF_SAT_FINITE,
        INTEGRAL | TO_FLOAT_ROUNDINGS | 1u << ROUND_NA, cvt_to_small),
    ROW(INTEGERS, SMALL, UF_FTZ | UF_SAT, INTEGRAL | (TO_FLOAT_ROUNDINGS & ~1u), cvt_small_to_integer),
};

uop_fn SIMD_NAME(lanes_float_convert)(const struct operation *o)
{
    bool is_pack = o->op == OP_CVT_PACK && !lane_is_float(o->type);
    if (is_pack && (o->imm == 2 || o->imm == 4 || o->imm == 8 || o->imm == 16))
        return cvt_pack;
    return FIND_ROW(rows, o);
}
