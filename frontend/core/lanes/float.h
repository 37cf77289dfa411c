/* Floating-point modifiers as data, for handlers that take all of them. Private to the *.simd.c files. */
#ifndef REPRISE_FRONTEND_CORE_LANES_FLOAT_H
#define REPRISE_FRONTEND_CORE_LANES_FLOAT_H

#include "frontend/core/lanes/loop.h"

#ifndef __SSE2__
#include <fenv.h>
#endif

/* Source modifiers -x, |x|, -|x|: which bits to keep, and which to flip. */
struct modifier32 {
    u32 keep, flip;
};
struct modifier64 {
    u64 keep, flip;
};
struct float_modifiers {
    struct modifier32 a, b, c;
    u32 limit;     /* of flush_below */
    f32 low, high; /* saturation clamps to [0, 1]; without it these are infinities */
    u32 nan;       /* what NaN becomes */
};
#define MODIFIER_FLAGS (UF_NEGATE_A | UF_NEGATE_B | UF_NEGATE_C | UF_ABS_A | UF_ABS_B)

INLINE struct modifier32 modifier32(u64 flags, u64 negate, u64 absolute)
{
    return (struct modifier32){flags & absolute ? 0x7fffffffu : ~0u, flags & negate ? 0x80000000u : 0};
}
INLINE struct modifier64 modifier64(u64 flags, u64 negate, u64 absolute)
{
    return (struct modifier64){flags & absolute ? ~0ull >> 1 : ~0ull, flags & negate ? 1ull << 63 : 0};
}
INLINE struct float_modifiers float_modifiers(const struct uop *u)
{
    bool saturate = u->flags & UF_SAT;
    return (struct float_modifiers){
        .a = modifier32(u->flags, UF_NEGATE_A, UF_ABS_A),
        .b = modifier32(u->flags, UF_NEGATE_B, UF_ABS_B),
        .c = modifier32(u->flags, UF_NEGATE_C, 0),
        .limit = flush_limit(u),
        .low = saturate ? 0 : -__builtin_inff(),
        .high = saturate ? 1 : __builtin_inff(),
        .nan = saturate ? 0 : F32_NAN,
    };
}
INLINE f32 modified32(f32 x, struct modifier32 m, u32 limit)
{
    return flush_below(float_of((bits_f32(x) & m.keep) ^ m.flip), limit);
}
INLINE f64 modified64(f64 x, struct modifier64 m) { return double_of((bits_f64(x) & m.keep) ^ m.flip); }
/* Completes a result: NaN, then ftz, then sat. -0 saturates to +0. */
INLINE f32 finished32(f32 x, const struct float_modifiers *m)
{
    f32 flushed = flush_below(x, m->limit);
    f32 clamped = flushed > m->low ? flushed : m->low;
    clamped = clamped < m->high ? clamped : m->high;
    return float_of(x != x ? m->nan : bits_f32(clamped));
}

/* Runs a handler in the rounding mode of its uop. The handler is never inlined here, so that none of its arithmetic can
 * move across the change of mode. Vector conversions and fused multiply-adds obey the mode as scalar ones do. */
INLINE void in_rounding(uop_fn handler, struct warp *w, const struct uop *u, lanemask executed)
{
#ifdef __SSE2__
    static const u32 control[] = {[ROUND_DEFAULT] = 0, [ROUND_N] = 0, [ROUND_M] = 1, [ROUND_P] = 2, [ROUND_Z] = 3};
    u32 saved = _mm_getcsr();
    _mm_setcsr((saved & ~0x6000u) | control[u->rounding] << 13);
    handler(w, u, executed);
    _mm_setcsr(saved);
#else
    static const int mode[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    int saved = fegetround();
    fesetround(mode[u->rounding]);
    handler(w, u, executed);
    fesetround(saved);
#endif
}
#define TO_FLOAT_ROUNDINGS (1u << ROUND_DEFAULT | 1u << ROUND_N | 1u << ROUND_Z | 1u << ROUND_M | 1u << ROUND_P)

#endif
