/* Arithmetic on f16 and bf16, alone or in pairs. It is computed in double precision, so that the one rounding at the
 * end gives the correct result. */
#include "frontend/core/lanes/groups.h"
#include "frontend/core/lanes/small.h"
#include "frontend/operation/tensor_map.h"

INLINE bool is_pair(enum lane_type t) { return t == T_F16X2 || t == T_BF16X2; }
INLINE bool is_brain(enum lane_type t) { return t == T_BF16 || t == T_BF16X2; }

/* Element `part` of a lane. ftz (f16 only): subnormals count as zero. */
static f64 element(const void *reg, enum lane_type type, int l, int part, bool ftz)
{
    u16 h = is_pair(type) ? (u16)(((const u32 *)reg)[l] >> 16 * part) : ((const u16 *)reg)[l];
    if (ftz && !(h & 0x7c00))
        h &= 0x8000;
    return is_brain(type) ? f32_of_bf16(h) : f32_of_f16(h);
}

/* Products are exact. */
static f64 computed(const struct uop *u, f64 a, f64 b, f64 c)
{
    switch (u->op) {
    case OP_ADD: return odd_sum(a, b);
    case OP_SUB: return odd_sum(a, -b);
    case OP_MUL: return a * b;
    default: return odd_sum(a * b, c);
    }
}

static u16 finished(const struct uop *u, f64 x, const struct small_format *f)
{
    if (u->flags & UF_SAT)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (u->flags & UF_RELU && x <= 0)
        x = 0;
    u16 h = (u16)narrowed(x, ROUND_N, f);
    return u->flags & UF_FTZ && !(h & f->infinity) ? h & 0x8000 : h;
}

/* Whether element `part` of one of a lane's operands is the NaN that a tensor map fills in (PTX ISA, "Tensors":
 * OOB-NaN; tensor.c writes the same bits). */
static bool is_outside(const void *reg, enum lane_type type, int l, int part)
{
    return (is_pair(type) ? (u16)(((const u32 *)reg)[l] >> 16 * part) : ((const u16 *)reg)[l]) == TENSOR_NAN_16;
}

HANDLER(small_arithmetic)
{
    const void *a = source(w, u->a), *b = source(w, u->b), *c = u->op == OP_FMA ? source(w, u->c) : a;
    const struct small_format *f = is_brain(u->type) ? &bf16_format : &f16_format;
    const bool ftz = u->flags & UF_FTZ && !is_brain(u->type);
    const int parts = is_pair(u->type) ? 2 : 1;
    u32 r[LANES] ALIGNED;
    for (int l = 0; l < LANES; l++) {
        r[l] = 0;
        for (int part = 0; part < parts; part++) {
            f64 x = element(a, u->type, l, part, ftz), y = element(b, u->type, l, part, ftz);
            f64 z = element(c, u->type, l, part, ftz);
            if (u->flags & UF_OOB &&
                (is_outside(a, u->type, l, part) || is_outside(b, u->type, l, part) || is_outside(c, u->type, l, part)))
                continue;
            r[l] |= (u32)finished(u, computed(u, x, y, z), f) << 16 * part;
        }
    }
    if (is_pair(u->type))
        STORE_LANES(u32, destination(w, u->d), executed, r[l]);
    else
        STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}

/* ---- without modifiers: the same as loops that compilers make vectors of -------------------------------------------
 */

/* Rounded to an odd fraction, so that the next rounding is as if it were the only one (Boldo and Melquiond, "When
 * double rounding is odd", 2005). */
INLINE u32 odd_bits(f64 x)
{
    f32 y = (f32)x;
    u32 bits = bits_f32(y), away = __builtin_fabs((f64)y) > __builtin_fabs(x);
    return (f64)y == x ? bits : (bits - away) | 1;
}
INLINE u32 rounded_f16(f64 x)
{
    const u32 least_normal = 113u << 23, beyond = 143u << 23; /* 2^-14 and 2^16 as f32 */
    u32 bits = odd_bits(x), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    u32 normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    u32 subnormal = bits_f32(float_of(magnitude) + 0.5f) - bits_f32(0.5f); /* 0.5 has units of 2^-24, as they have */
    u32 h = magnitude < least_normal ? subnormal : magnitude >= beyond ? f16_format.infinity : normal;
    return x != x ? f16_format.nan : sign | h;
}
INLINE u32 rounded_bf16(f64 x)
{
    u32 bits = odd_bits(x);
    return x != x ? bf16_format.nan : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

/* Halves of pairs are elements like any others. */
INLINE void plain(const struct warp *w, const struct uop *u, lanemask executed, enum lane_op op, bool brain, bool pair)
{
    enum { MOST = 2 * LANES };
    const int count = pair ? 2 * LANES : LANES;
    const u16 *a = source(w, u->a), *b = source(w, u->b), *c = op == OP_FMA ? source(w, u->c) : a;
    f64 value[MOST] ALIGNED;
    u16 r[MOST] ALIGNED;
    for (int i = 0; i < count; i++) {
        f64 x = brain ? f32_of_bf16(a[i]) : f32_of_f16(a[i]), y = brain ? f32_of_bf16(b[i]) : f32_of_f16(b[i]);
        f64 z = brain ? f32_of_bf16(c[i]) : f32_of_f16(c[i]);
        value[i] = op == OP_ADD   ? odd_sum(x, y)
                   : op == OP_SUB ? odd_sum(x, -y)
                   : op == OP_MUL ? x * y
                                  : odd_sum(x * y, z);
    }
    for (int i = 0; i < count; i++)
        r[i] = (u16)(brain ? rounded_bf16(value[i]) : rounded_f16(value[i]));
    if (pair)
        STORE_LANES(u32, destination(w, u->d), executed, ((const u32 *)r)[l]);
    else
        STORE_LANES(u16, destination(w, u->d), executed, r[l]);
}
#define PLAIN(name, brain, pair)                                                                                       \
    HANDLER(add_##name) { plain(w, u, executed, OP_ADD, brain, pair); }                                                \
    HANDLER(sub_##name) { plain(w, u, executed, OP_SUB, brain, pair); }                                                \
    HANDLER(mul_##name) { plain(w, u, executed, OP_MUL, brain, pair); }                                                \
    HANDLER(fma_##name) { plain(w, u, executed, OP_FMA, brain, pair); }
PLAIN(f16, false, false)
PLAIN(f16x2, false, true)
PLAIN(bf16, true, false)
PLAIN(bf16x2, true, true)

static uop_fn plain_arithmetic(const struct operation *o)
{
    const uop_fn handlers[][4] = {{add_f16, sub_f16, mul_f16, fma_f16},
                                  {add_f16x2, sub_f16x2, mul_f16x2, fma_f16x2},
                                  {add_bf16, sub_bf16, mul_bf16, fma_bf16},
                                  {add_bf16x2, sub_bf16x2, mul_bf16x2, fma_bf16x2}};
    unsigned type = 2 * is_brain(o->type) + is_pair(o->type);
    return handlers[type][o->op == OP_ADD ? 0 : o->op == OP_SUB ? 1 : o->op == OP_MUL ? 2 : 3];
}

uop_fn SIMD_NAME(lanes_half)(const struct operation *o)
{
    const u32 small = TYPE(T_F16) | TYPE(T_BF16), pairs = TYPE(T_F16X2) | TYPE(T_BF16X2);
    const u64 covered = UF_SAT | UF_FTZ | UF_RELU | UF_OOB;
    bool arithmetic = o->op == OP_ADD || o->op == OP_SUB || o->op == OP_MUL || o->op == OP_FMA;
    if (!arithmetic || !(TYPE(o->type) & (small | pairs)))
        return NULL;
    if (o->flags & SEMANTIC_FLAGS & ~covered || o->rounding > ROUND_N)
        return NULL;
    return o->flags & covered ? small_arithmetic : plain_arithmetic(o);
}
