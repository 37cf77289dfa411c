/* Floating-point min and max (PTX ISA, min and max). If one operand is NaN the other is the result; two give NaN. With
 * .NaN one is enough for NaN. -0 is less than +0. .xorsign.abs compares magnitudes and gives the result the product of
 * the signs; .abs compares magnitudes. */
#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/groups.h"

/* For two numbers. Equal ones differ at most in the sign of zero: then min returns the negative one, max the other. */
INLINE u32 least_bits(u32 a, u32 b)
{
    f32 x = float_of(a), y = float_of(b);
    return x < y ? a : y < x ? b : a | b;
}
INLINE u32 most_bits(u32 a, u32 b)
{
    f32 x = float_of(a), y = float_of(b);
    return x > y ? a : y > x ? b : a & b;
}
INLINE bool is_nan(u32 a) { return (a & 0x7fffffffu) > 0x7f800000u; }
/* Returns `chosen`, unless an operand is NaN. `propagate`: all ones with .NaN. */
INLINE u32 with_nan(u32 a, u32 b, u32 chosen, u32 propagate)
{
    bool nan_a = is_nan(a), nan_b = is_nan(b);
    u32 one = propagate ? F32_NAN : nan_a ? b : a;
    return (nan_a & nan_b) ? F32_NAN : (nan_a | nan_b) ? one : chosen;
}
LANES2(min_f32, u32, u32, u32, with_nan(a, b, least_bits(a, b), 0))
LANES2(max_f32, u32, u32, u32, with_nan(a, b, most_bits(a, b), 0))

/* Any modifiers. */
struct extreme_modifiers {
    u32 limit, keep, sign, propagate;
};
INLINE struct extreme_modifiers extreme_modifiers(const struct uop *u)
{
    bool xorsign = u->flags & UF_XORSIGN;
    return (struct extreme_modifiers){.limit = flush_limit(u),
                                      .keep = xorsign || (u->flags & UF_ABS) ? 0x7fffffffu : ~0u,
                                      .sign = xorsign ? 0x80000000u : 0,
                                      .propagate = u->flags & UF_NAN ? ~0u : 0};
}
INLINE u32 prepared(u32 a, struct extreme_modifiers m) { return bits_f32(flush_below(float_of(a), m.limit)) & m.keep; }
INLINE u32 signed_result(u32 r, u32 signs, struct extreme_modifiers m) { return is_nan(r) ? r : r | (signs & m.sign); }

#define EXTREME_ANY(name, pick)                                                                                        \
    INLINE u32 name##_any_lane(u32 a, u32 b, struct extreme_modifiers m)                                               \
    {                                                                                                                  \
        u32 x = prepared(a, m), y = prepared(b, m);                                                                    \
        return signed_result(with_nan(x, y, pick(x, y), m.propagate), a ^ b, m);                                       \
    }                                                                                                                  \
    HANDLER(name##_f32_any)                                                                                            \
    {                                                                                                                  \
        const u32 *a = source(w, u->a), *b = source(w, u->b);                                                          \
        const struct extreme_modifiers m = extreme_modifiers(u);                                                       \
        STORE_LANES(u32, destination(w, u->d), executed, name##_any_lane(a[l], b[l], m));                              \
    }                                                                                                                  \
    HANDLER(name##3_f32_any)                                                                                           \
    {                                                                                                                  \
        const u32 *a = source(w, u->a), *b = source(w, u->b), *c = source(w, u->c);                                    \
        const struct extreme_modifiers m = extreme_modifiers(u);                                                       \
        STORE_LANES(u32, destination(w, u->d), executed, name##_any_lane(name##_any_lane(a[l], b[l], m), c[l], m));    \
    }
EXTREME_ANY(min, least_bits)
EXTREME_ANY(max, most_bits)

/* ---- f64 ---- */

INLINE u64 with_nan64(f64 x, f64 y, u64 chosen)
{
    bool nan_x = x != x, nan_y = y != y;
    return (nan_x & nan_y) ? F64_NAN : nan_x ? bits_f64(y) : nan_y ? bits_f64(x) : chosen;
}
INLINE u64 least_f64(f64 x, f64 y) { return x < y ? bits_f64(x) : y < x ? bits_f64(y) : bits_f64(x) | bits_f64(y); }
INLINE u64 most_f64(f64 x, f64 y) { return x > y ? bits_f64(x) : y > x ? bits_f64(y) : bits_f64(x) & bits_f64(y); }
LANES2(min_f64, u64, f64, f64, with_nan64(a, b, least_f64(a, b)))
LANES2(max_f64, u64, f64, f64, with_nan64(a, b, most_f64(a, b)))

#define F32_ROW(op, flags, care, fn)                                                                                   \
    {                                                                                                                  \
        OP_##op, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~(care), flags, 0, fn                                                \
    }
static const struct lane_row rows[] = {
    F32_ROW(MIN, 0, 0, min_f32),
    F32_ROW(MAX, 0, 0, max_f32),
    F32_ROW(MIN, 0, UF_FTZ | UF_NAN | UF_XORSIGN | UF_ABS, min_f32_any),
    F32_ROW(MAX, 0, UF_FTZ | UF_NAN | UF_XORSIGN | UF_ABS, max_f32_any),
    F32_ROW(MIN3, 0, UF_FTZ | UF_NAN | UF_ABS, min3_f32_any),
    F32_ROW(MAX3, 0, UF_FTZ | UF_NAN | UF_ABS, max3_f32_any),
    {OP_MIN, TYPE(T_F64), 0, SEMANTIC_FLAGS, 0, 0, min_f64},
    {OP_MAX, TYPE(T_F64), 0, SEMANTIC_FLAGS, 0, 0, max_f64},
};

uop_fn SIMD_NAME(lanes_extremes)(const struct operation *o) { return FIND_ROW(rows, o); }
