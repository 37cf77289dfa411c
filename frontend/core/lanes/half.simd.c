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

uop_fn SIMD_NAME(lanes_half)(const struct operation *o)
{
    const u32 small = TYPE(T_F16) | TYPE(T_BF16), pairs = TYPE(T_F16X2) | TYPE(T_BF16X2);
    const u64 covered = UF_SAT | UF_FTZ | UF_RELU | UF_OOB;
    bool arithmetic = o->op == OP_ADD || o->op == OP_SUB || o->op == OP_MUL || o->op == OP_FMA;
    if (!arithmetic || !(TYPE(o->type) & (small | pairs)))
        return NULL;
    if (o->flags & SEMANTIC_FLAGS & ~covered || o->rounding > ROUND_N)
        return NULL;
    return small_arithmetic;
}
