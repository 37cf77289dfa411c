/* Floating-point arithmetic that IEEE 754 defines (PTX ISA "Floating Point Instructions"): each operation has a handler
 * for the plain form, one for .ftz, and one that takes every rounding and modifier. f32 div.full, and the approximate
 * rcp and sqrt, are the correctly rounded operations (0.5 ulp; the ISA allows 2, 1 and 2^-23). */
#include "frontend/core/lanes/float.h"
#include "frontend/core/lanes/groups.h"

#define FORMS1(name, f32_expression, f64_expression)                                                                   \
    INLINE f32 name##_exact_f32(f32 a) { return f32_expression; }                                                      \
    INLINE f64 name##_exact_f64(f64 a) { return f64_expression; }                                                      \
    LANES1(name##_f32, f32, f32, canonical_f32(name##_exact_f32(a)))                                                   \
    LANES1(name##_f32_ftz, f32, f32, flush(canonical_f32(name##_exact_f32(flush(a)))))                                 \
    LANES1(name##_f64, f64, f64, canonical_f64(name##_exact_f64(a)))                                                   \
    LOOPS(name, A32, A64, (MA32), (MA64))

#define FORMS2(name, expression)                                                                                       \
    INLINE f32 name##_exact_f32(f32 a, f32 b) { return expression; }                                                   \
    INLINE f64 name##_exact_f64(f64 a, f64 b) { return expression; }                                                   \
    LANES2(name##_f32, f32, f32, f32, canonical_f32(name##_exact_f32(a, b)))                                           \
    LANES2(name##_f32_ftz, f32, f32, f32, flush(canonical_f32(name##_exact_f32(flush(a), flush(b)))))                  \
    LANES2(name##_f64, f64, f64, f64, canonical_f64(name##_exact_f64(a, b)))                                           \
    LOOPS(name, A32 B32, A64 B64, (MA32, MB32), (MA64, MB64))

#define FORMS3(name, f32_expression, f64_expression)                                                                   \
    INLINE f32 name##_exact_f32(f32 a, f32 b, f32 c) { return f32_expression; }                                        \
    INLINE f64 name##_exact_f64(f64 a, f64 b, f64 c) { return f64_expression; }                                        \
    LANES3(name##_f32, f32, f32, f32, f32, canonical_f32(name##_exact_f32(a, b, c)))                                   \
    LANES3(name##_f32_ftz, f32, f32, f32, f32, flush(canonical_f32(name##_exact_f32(flush(a), flush(b), flush(c)))))   \
    LANES3(name##_f64, f64, f64, f64, f64, canonical_f64(name##_exact_f64(a, b, c)))                                   \
    LOOPS(name, A32 B32 C32, A64 B64 C64, (MA32, MB32, MC32), (MA64, MB64, MC64))

/* The handlers for any modifiers have two parts: the loop, and the change of the rounding mode around it. */
#define A32 const f32 *a = source(w, u->a);
#define B32 const f32 *b = source(w, u->b);
#define C32 const f32 *c = source(w, u->c);
#define MA32 modified32(a[l], m.a, m.limit)
#define MB32 modified32(b[l], m.b, m.limit)
#define MC32 modified32(c[l], m.c, m.limit)
#define A64 const f64 *a = source(w, u->a);
#define B64 const f64 *b = source(w, u->b);
#define C64 const f64 *c = source(w, u->c);
#define MA64 modified64(a[l], modifier64(u->flags, UF_NEGATE_A, UF_ABS_A))
#define MB64 modified64(b[l], modifier64(u->flags, UF_NEGATE_B, UF_ABS_B))
#define MC64 modified64(c[l], modifier64(u->flags, UF_NEGATE_C, 0))
#define LOOPS(name, sources32, sources64, modified_sources32, modified_sources64)                                      \
    NOINLINE void name##_f32_loop(struct warp *w, const struct uop *u, lanemask executed)                              \
    {                                                                                                                  \
        sources32 const struct float_modifiers m = float_modifiers(u);                                                 \
        STORE_LANES(f32, destination(w, u->d), executed, finished32(name##_exact_f32 modified_sources32, &m));         \
    }                                                                                                                  \
    HANDLER(name##_f32_any) { in_rounding(name##_f32_loop, w, u, executed); }                                          \
    NOINLINE void name##_f64_loop(struct warp *w, const struct uop *u, lanemask executed)                              \
    {                                                                                                                  \
        sources64 STORE_LANES(f64, destination(w, u->d), executed,                                                     \
                              canonical_f64(name##_exact_f64 modified_sources64));                                     \
    }                                                                                                                  \
    HANDLER(name##_f64_any) { in_rounding(name##_f64_loop, w, u, executed); }

FORMS2(add, a + b)
FORMS2(sub, a - b)
FORMS2(mul, a *b)
FORMS2(div, a / b)
FORMS3(fma, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
FORMS1(rcp, 1 / a, 1 / a)
FORMS1(sqrt, __builtin_sqrtf(a), __builtin_sqrt(a))

/* With .ftz the reciprocal of a number above 2^126 is smaller than any normal number. It is 0 even if it would round up
 * to a normal number: ptxas's sequence does that, and the ISA leaves it open. */
INLINE f32 beyond_is_infinite(f32 x)
{
    u32 bits = bits_f32(x), magnitude = bits & 0x7fffffffu;
    return float_of(magnitude > 0x7e800000u && magnitude < 0x7f800000u ? (bits & 0x80000000u) | 0x7f800000u : bits);
}
NOINLINE void rcp_f32_ftz_loop(struct warp *w, const struct uop *u, lanemask executed)
{
    A32 const struct float_modifiers m = float_modifiers(u);
    STORE_LANES(f32, destination(w, u->d), executed, finished32(1 / beyond_is_infinite(MA32), &m));
}
HANDLER(rcp_f32_ftz_any) { in_rounding(rcp_f32_ftz_loop, w, u, executed); }

/* ---- signs ---- */

#define SIGN32 0x80000000u
#define SIGN64 (1ull << 63)
LANES1(abs_f32, u32, u32, a & ~SIGN32)
LANES1(abs_f32_ftz, u32, u32, bits_f32(flush(float_of(a))) & ~SIGN32)
LANES1(abs_f64, u64, u64, a & ~SIGN64)
LANES1(neg_f32, u32, u32, a ^ SIGN32)
LANES1(neg_f32_ftz, u32, u32, bits_f32(flush(float_of(a))) ^ SIGN32)
LANES1(neg_f64, u64, u64, a ^ SIGN64)
LANES2(copysign_f32, u32, u32, u32, (b & ~SIGN32) | (a & SIGN32))
LANES2(copysign_f64, u64, u64, u64, (b & ~SIGN64) | (a & SIGN64))

/* ---- classes: zeros count as normal (PTX ISA, testp) ---- */

static bool is_of_class(enum testp wanted, u64 magnitude, u64 smallest_normal, u64 infinity)
{
    bool subnormal = magnitude && magnitude < smallest_normal;
    switch (wanted) {
    case TESTP_FINITE: return magnitude < infinity;
    case TESTP_INFINITE: return magnitude == infinity;
    case TESTP_NUMBER: return magnitude <= infinity;
    case TESTP_NOTANUMBER: return magnitude > infinity;
    case TESTP_NORMAL: return magnitude < infinity && !subnormal;
    default: return subnormal;
    }
}
HANDLER(testp_f32)
{
    const u32 *a = source(w, u->a);
    lanemask r = 0;
    for (int l = 0; l < LANES; l++)
        r |= (lanemask)is_of_class(u->mode, a[l] & ~SIGN32, SMALLEST_NORMAL, 0x7f800000u) << l;
    write_predicate(w, u->pd, r, executed);
}
HANDLER(testp_f64)
{
    const u64 *a = source(w, u->a);
    lanemask r = 0;
    for (int l = 0; l < LANES; l++)
        r |= (lanemask)is_of_class(u->mode, a[l] & ~SIGN64, 1ull << 52, 0x7ffull << 52) << l;
    write_predicate(w, u->pd, r, executed);
}

/* ---- rows ---- */

/* `ignored`: flags that allow an approximation, which this exact operation also serves. */
#define FORM_ROWS(op, name, ignored)                                                                                   \
    {OP_##op, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~(ignored), 0, NEAREST, name##_f32},                                    \
        {OP_##op, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~(ignored), UF_FTZ, NEAREST, name##_f32_ftz},                       \
        {OP_##op,                                                                                                      \
         TYPE(T_F32),                                                                                                  \
         0,                                                                                                            \
         SEMANTIC_FLAGS & ~((ignored) | UF_FTZ | UF_SAT | MODIFIER_FLAGS),                                             \
         0,                                                                                                            \
         TO_FLOAT_ROUNDINGS,                                                                                           \
         name##_f32_any},                                                                                              \
        {OP_##op, TYPE(T_F64), 0, SEMANTIC_FLAGS, 0, NEAREST, name##_f64},                                             \
    {                                                                                                                  \
        OP_##op, TYPE(T_F64), 0, SEMANTIC_FLAGS & ~MODIFIER_FLAGS, 0, TO_FLOAT_ROUNDINGS, name##_f64_any               \
    }
#define ROW(op, type, flags, fn)                                                                                       \
    {                                                                                                                  \
        OP_##op, TYPE(type), 0, SEMANTIC_FLAGS, flags, 0, fn                                                           \
    }
#define DIRECTED (1u << ROUND_Z | 1u << ROUND_M | 1u << ROUND_P)
static const struct lane_row rows[] = {
    FORM_ROWS(ADD, add, 0),
    FORM_ROWS(SUB, sub, 0),
    FORM_ROWS(MUL, mul, 0),
    FORM_ROWS(FMA, fma, 0),
    FORM_ROWS(MAD, fma, 0),
    FORM_ROWS(DIV, div, UF_FULL),
    {OP_RCP, TYPE(T_F32), 0, SEMANTIC_FLAGS & ~(UF_SAT | MODIFIER_FLAGS), UF_FTZ, DIRECTED, rcp_f32_ftz_any},
    FORM_ROWS(RCP, rcp, UF_APPROX),
    FORM_ROWS(SQRT, sqrt, UF_APPROX),
    ROW(ABS, T_F32, 0, abs_f32),
    ROW(ABS, T_F32, UF_FTZ, abs_f32_ftz),
    ROW(ABS, T_F64, 0, abs_f64),
    ROW(NEG, T_F32, 0, neg_f32),
    ROW(NEG, T_F32, UF_FTZ, neg_f32_ftz),
    ROW(NEG, T_F64, 0, neg_f64),
    ROW(COPYSIGN, T_F32, 0, copysign_f32),
    ROW(COPYSIGN, T_F64, 0, copysign_f64),
    ROW(TESTP, T_F32, 0, testp_f32),
    ROW(TESTP, T_F64, 0, testp_f64),
};

uop_fn SIMD_NAME(lanes_float)(const struct operation *o) { return FIND_ROW(rows, o); }
