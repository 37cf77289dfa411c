/* What cuda_fp16.h and cuda_bf16.h have under the same names, as overloads: each includes this file once, after
 *   REPRISE_H, REPRISE_H2     the type and the pair
 *   REPRISE_PTX               the type in PTX, a string
 *   REPRISE_ADDS, REPRISE_FUSES, REPRISE_ADDS_ATOMICALLY  whether the target adds, fuses, has atomics of such numbers
 *   reprise_wide(REPRISE_H)   as a float
 *   reprise_narrow(float, REPRISE_H *)  rounded to nearest even
 * Where the target does not compute with the type, floats do: 24 bits of mantissa are enough for the same result of
 * addition, multiplication, division and root. Functions of the special function unit round its results for floats. */

#define REPRISE_NEAREST(x)                                                                                             \
    REPRISE_H to;                                                                                                      \
    reprise_narrow(x, &to);                                                                                            \
    return to
#define REPRISE_EACH(of_half)                                                                                          \
    {                                                                                                                  \
        of_half(a.x), of_half(a.y)                                                                                     \
    }

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#define REPRISE_ASM_1(op, a)                                                                                           \
    REPRISE_H to;                                                                                                      \
    asm(op REPRISE_PTX " %0, %1;" : "=h"(to.__x) : "h"(a.__x));                                                        \
    return to
#define REPRISE_ASM_2(op, a, b)                                                                                        \
    REPRISE_H to;                                                                                                      \
    asm(op REPRISE_PTX " %0, %1, %2;" : "=h"(to.__x) : "h"(a.__x), "h"(b.__x));                                        \
    return to
#define REPRISE_ASM_3(op, a, b, c)                                                                                     \
    REPRISE_H to;                                                                                                      \
    asm(op REPRISE_PTX " %0, %1, %2, %3;" : "=h"(to.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                        \
    return to
#define REPRISE_PAIR_2(op, a, b)                                                                                       \
    REPRISE_H2 to;                                                                                                     \
    asm(op REPRISE_PTX "x2 %0, %1, %2;" : "=r"(reprise_bits(to)) : "r"(reprise_bits(a)), "r"(reprise_bits(b)));        \
    return to
#define REPRISE_PAIR_3(op, a, b, c)                                                                                    \
    REPRISE_H2 to;                                                                                                     \
    asm(op REPRISE_PTX "x2 %0, %1, %2, %3;"                                                                            \
        : "=r"(reprise_bits(to))                                                                                       \
        : "r"(reprise_bits(a)), "r"(reprise_bits(b)), "r"(reprise_bits(c)));                                           \
    return to
REPRISE_BOTH unsigned &reprise_bits(REPRISE_H2 &a) { return *(unsigned *)&a; }
REPRISE_BOTH const unsigned &reprise_bits(const REPRISE_H2 &a) { return *(const unsigned *)&a; }

#if REPRISE_ADDS
#define REPRISE_SUM(name, op, sign)                                                                                    \
    REPRISE_BOTH REPRISE_H __h##name(REPRISE_H a, REPRISE_H b) { REPRISE_ASM_2(op ".", a, b); }                        \
    REPRISE_BOTH REPRISE_H2 __h##name##2(REPRISE_H2 a, REPRISE_H2 b) { REPRISE_PAIR_2(op ".", a, b); }
#else
#define REPRISE_SUM(name, op, sign)                                                                                    \
    REPRISE_BOTH REPRISE_H __h##name(REPRISE_H a, REPRISE_H b)                                                         \
    {                                                                                                                  \
        REPRISE_NEAREST(reprise_wide(a) sign reprise_wide(b));                                                         \
    }                                                                                                                  \
    REPRISE_BOTH REPRISE_H2 __h##name##2(REPRISE_H2 a, REPRISE_H2 b)                                                   \
    {                                                                                                                  \
        return {__h##name(a.x, b.x), __h##name(a.y, b.y)};                                                             \
    }
#endif
#define REPRISE_SUMS(name, op, sign)                                                                                   \
    REPRISE_SUM(name, op, sign)                                                                                        \
    REPRISE_BOTH REPRISE_H __h##name##_rn(REPRISE_H a, REPRISE_H b) { return __h##name(a, b); }                        \
    REPRISE_BOTH REPRISE_H2 __h##name##2_rn(REPRISE_H2 a, REPRISE_H2 b) { return __h##name##2(a, b); }                 \
    REPRISE_BOTH REPRISE_H __h##name##_sat(REPRISE_H a, REPRISE_H b) { return reprise_saturate(__h##name(a, b)); }     \
    REPRISE_BOTH REPRISE_H2 __h##name##2_sat(REPRISE_H2 a, REPRISE_H2 b)                                               \
    {                                                                                                                  \
        return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)};                                                 \
    }
REPRISE_BOTH REPRISE_H reprise_saturate(REPRISE_H a)
{
    float v = reprise_wide(a);
    REPRISE_NEAREST(v > 0 ? v < 1 ? v : 1 : 0);
}
REPRISE_SUMS(add, "add.rn", +)
REPRISE_SUMS(sub, "sub.rn", -)
REPRISE_SUMS(mul, "mul.rn", *)
#undef REPRISE_SUMS
#undef REPRISE_SUM
#if REPRISE_FUSES
REPRISE_BOTH REPRISE_H __hfma(REPRISE_H a, REPRISE_H b, REPRISE_H c) { REPRISE_ASM_3("fma.rn.", a, b, c); }
REPRISE_BOTH REPRISE_H2 __hfma2(REPRISE_H2 a, REPRISE_H2 b, REPRISE_H2 c) { REPRISE_PAIR_3("fma.rn.", a, b, c); }
#else
REPRISE_BOTH REPRISE_H __hfma(REPRISE_H a, REPRISE_H b, REPRISE_H c)
{
    REPRISE_NEAREST(__builtin_fmaf(reprise_wide(a), reprise_wide(b), reprise_wide(c)));
}
REPRISE_BOTH REPRISE_H2 __hfma2(REPRISE_H2 a, REPRISE_H2 b, REPRISE_H2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
#endif
REPRISE_BOTH REPRISE_H __hfma_sat(REPRISE_H a, REPRISE_H b, REPRISE_H c) { return reprise_saturate(__hfma(a, b, c)); }
REPRISE_BOTH REPRISE_H2 __hfma2_sat(REPRISE_H2 a, REPRISE_H2 b, REPRISE_H2 c)
{
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
REPRISE_BOTH REPRISE_H __hfma_relu(REPRISE_H a, REPRISE_H b, REPRISE_H c)
{
    REPRISE_H v = __hfma(a, b, c);
    REPRISE_NEAREST(reprise_wide(v) < 0 ? 0 : reprise_wide(v));
}
REPRISE_BOTH REPRISE_H2 __hfma2_relu(REPRISE_H2 a, REPRISE_H2 b, REPRISE_H2 c)
{
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
REPRISE_BOTH REPRISE_H __hdiv(REPRISE_H a, REPRISE_H b) { REPRISE_NEAREST(reprise_wide(a) / reprise_wide(b)); }
REPRISE_BOTH REPRISE_H2 __h2div(REPRISE_H2 a, REPRISE_H2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
REPRISE_BOTH REPRISE_H __hneg(REPRISE_H a) { return REPRISE_H::of_bits((unsigned short)(a.__x ^ 0x8000)); }
REPRISE_BOTH REPRISE_H __habs(REPRISE_H a) { return REPRISE_H::of_bits(a.__x & 0x7fff); }
REPRISE_BOTH REPRISE_H2 __hneg2(REPRISE_H2 a) { return REPRISE_EACH(__hneg); }
REPRISE_BOTH REPRISE_H2 __habs2(REPRISE_H2 a) { return REPRISE_EACH(__habs); }
#undef REPRISE_ASM_1
#undef REPRISE_ASM_2
#undef REPRISE_ASM_3
#undef REPRISE_PAIR_2
#undef REPRISE_PAIR_3

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

#define REPRISE_COMPARE(name, holds)                                                                                   \
    REPRISE_BOTH bool __h##name(REPRISE_H x, REPRISE_H y)                                                              \
    {                                                                                                                  \
        float a = reprise_wide(x), b = reprise_wide(y);                                                                \
        return holds;                                                                                                  \
    }                                                                                                                  \
    REPRISE_BOTH REPRISE_H2 __h##name##2(REPRISE_H2 a, REPRISE_H2 b)                                                   \
    {                                                                                                                  \
        return {REPRISE_H(__h##name(a.x, b.x) ? 1.0f : 0.0f), REPRISE_H(__h##name(a.y, b.y) ? 1.0f : 0.0f)};           \
    }                                                                                                                  \
    REPRISE_BOTH unsigned __h##name##2_mask(REPRISE_H2 a, REPRISE_H2 b)                                                \
    {                                                                                                                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                          \
    }                                                                                                                  \
    REPRISE_BOTH bool __hb##name##2(REPRISE_H2 a, REPRISE_H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
REPRISE_COMPARE(eq, a == b)
REPRISE_COMPARE(ne, a<b || a> b)
REPRISE_COMPARE(lt, a < b)
REPRISE_COMPARE(le, a <= b)
REPRISE_COMPARE(gt, a > b)
REPRISE_COMPARE(ge, a >= b)
REPRISE_COMPARE(equ, !(a < b || a > b))
REPRISE_COMPARE(neu, a != b)
REPRISE_COMPARE(ltu, !(a >= b))
REPRISE_COMPARE(leu, !(a > b))
REPRISE_COMPARE(gtu, !(a <= b))
REPRISE_COMPARE(geu, !(a < b))
#undef REPRISE_COMPARE
REPRISE_BOTH bool __hisnan(REPRISE_H a) { return reprise_wide(a) != reprise_wide(a); }
REPRISE_BOTH int __hisinf(REPRISE_H a)
{
    float v = reprise_wide(a);
    return v == __builtin_inff() ? 1 : v == -__builtin_inff() ? -1 : 0;
}
REPRISE_BOTH REPRISE_H2 __hisnan2(REPRISE_H2 a)
{
    return {REPRISE_H(__hisnan(a.x) ? 1.0f : 0.0f), REPRISE_H(__hisnan(a.y) ? 1.0f : 0.0f)};
}
#define REPRISE_ORDER(name)                                                                                            \
    REPRISE_BOTH REPRISE_H __h##name(REPRISE_H a, REPRISE_H b)                                                         \
    {                                                                                                                  \
        REPRISE_NEAREST(__builtin_f##name##f(reprise_wide(a), reprise_wide(b)));                                       \
    }                                                                                                                  \
    REPRISE_BOTH REPRISE_H __h##name##_nan(REPRISE_H a, REPRISE_H b)                                                   \
    {                                                                                                                  \
        return __hisnan(a) || __hisnan(b) ? REPRISE_H::of_bits(0x7fff) : __h##name(a, b);                              \
    }                                                                                                                  \
    REPRISE_BOTH REPRISE_H2 __h##name##2(REPRISE_H2 a, REPRISE_H2 b)                                                   \
    {                                                                                                                  \
        return {__h##name(a.x, b.x), __h##name(a.y, b.y)};                                                             \
    }                                                                                                                  \
    REPRISE_BOTH REPRISE_H2 __h##name##2_nan(REPRISE_H2 a, REPRISE_H2 b)                                               \
    {                                                                                                                  \
        return {__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)};                                                 \
    }
REPRISE_ORDER(min)
REPRISE_ORDER(max)
#undef REPRISE_ORDER

/* ---- functions --------------------------------------------------------------------------------------------------- */

#define REPRISE_FUNCTION(name, of_a)                                                                                   \
    REPRISE_FN REPRISE_H h##name(REPRISE_H x)                                                                          \
    {                                                                                                                  \
        float a = reprise_wide(x);                                                                                     \
        REPRISE_NEAREST(of_a);                                                                                         \
    }                                                                                                                  \
    REPRISE_FN REPRISE_H2 h2##name(REPRISE_H2 a) { return REPRISE_EACH(h##name); }
REPRISE_FUNCTION(sqrt, sqrtf(a))
REPRISE_FUNCTION(rsqrt, rsqrtf(a))
REPRISE_FUNCTION(rcp, 1.0f / a)
REPRISE_FUNCTION(exp, expf(a))
REPRISE_FUNCTION(exp2, exp2f(a))
REPRISE_FUNCTION(exp10, exp10f(a))
REPRISE_FUNCTION(log, logf(a))
REPRISE_FUNCTION(log2, log2f(a))
REPRISE_FUNCTION(log10, log10f(a))
REPRISE_FUNCTION(sin, sinf(a))
REPRISE_FUNCTION(cos, cosf(a))
REPRISE_FUNCTION(tanh, tanhf(a))
REPRISE_FUNCTION(floor, floorf(a))
REPRISE_FUNCTION(ceil, ceilf(a))
REPRISE_FUNCTION(trunc, truncf(a))
REPRISE_FUNCTION(rint, rintf(a))
#undef REPRISE_FUNCTION

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

REPRISE_BOTH float __low2float(REPRISE_H2 a) { return reprise_wide(a.x); }
REPRISE_BOTH float __high2float(REPRISE_H2 a) { return reprise_wide(a.y); }

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define REPRISE_OPERATOR(sign, one, two)                                                                               \
    REPRISE_BOTH REPRISE_H operator sign(const REPRISE_H &a, const REPRISE_H &b) { return one(a, b); }                 \
    REPRISE_BOTH REPRISE_H &operator sign##=(REPRISE_H &a, const REPRISE_H &b) { return a = one(a, b); }               \
    REPRISE_BOTH REPRISE_H2 operator sign(const REPRISE_H2 &a, const REPRISE_H2 &b) { return two(a, b); }              \
    REPRISE_BOTH REPRISE_H2 &operator sign##=(REPRISE_H2 &a, const REPRISE_H2 &b) { return a = two(a, b); }
REPRISE_OPERATOR(+, __hadd, __hadd2)
REPRISE_OPERATOR(-, __hsub, __hsub2)
REPRISE_OPERATOR(*, __hmul, __hmul2)
REPRISE_OPERATOR(/, __hdiv, __h2div)
#undef REPRISE_OPERATOR
#define REPRISE_OPERATOR(sign, one, two)                                                                               \
    REPRISE_BOTH bool operator sign(const REPRISE_H &a, const REPRISE_H &b) { return one(a, b); }                      \
    REPRISE_BOTH bool operator sign(const REPRISE_H2 &a, const REPRISE_H2 &b) { return two(a, b); }
REPRISE_OPERATOR(==, __heq, __hbeq2)
REPRISE_OPERATOR(!=, __hneu, __hbneu2)
REPRISE_OPERATOR(<, __hlt, __hblt2)
REPRISE_OPERATOR(<=, __hle, __hble2)
REPRISE_OPERATOR(>, __hgt, __hbgt2)
REPRISE_OPERATOR(>=, __hge, __hbge2)
#undef REPRISE_OPERATOR
REPRISE_BOTH REPRISE_H operator+(const REPRISE_H &a) { return a; }
REPRISE_BOTH REPRISE_H operator-(const REPRISE_H &a) { return __hneg(a); }
REPRISE_BOTH REPRISE_H2 operator+(const REPRISE_H2 &a) { return a; }
REPRISE_BOTH REPRISE_H2 operator-(const REPRISE_H2 &a) { return __hneg2(a); }
REPRISE_BOTH REPRISE_H &operator++(REPRISE_H &a) { return a += REPRISE_H(1.0f); }
REPRISE_BOTH REPRISE_H &operator--(REPRISE_H &a) { return a -= REPRISE_H(1.0f); }

/* ---- shuffles and atomics ---------------------------------------------------------------------------------------- */

#define REPRISE_SHUFFLE(name, Lane)                                                                                    \
    REPRISE_FN REPRISE_H name(unsigned mask, REPRISE_H v, Lane lane, int width = 32)                                   \
    {                                                                                                                  \
        return REPRISE_H::of_bits((unsigned short)name(mask, (unsigned)v.__x, lane, width));                           \
    }                                                                                                                  \
    REPRISE_FN REPRISE_H2 name(unsigned mask, REPRISE_H2 v, Lane lane, int width = 32)                                 \
    {                                                                                                                  \
        reprise_bits(v) = name(mask, reprise_bits(v), lane, width);                                                    \
        return v;                                                                                                      \
    }
REPRISE_SHUFFLE(__shfl_sync, int)
REPRISE_SHUFFLE(__shfl_up_sync, unsigned)
REPRISE_SHUFFLE(__shfl_down_sync, unsigned)
REPRISE_SHUFFLE(__shfl_xor_sync, int)
#undef REPRISE_SHUFFLE
#if REPRISE_ADDS_ATOMICALLY
REPRISE_FN REPRISE_H atomicAdd(REPRISE_H *p, REPRISE_H v)
{
    REPRISE_H old;
    asm volatile("atom.add.noftz." REPRISE_PTX " %0, [%1], %2;" : "=h"(old.__x) : "l"(p), "h"(v.__x) : "memory");
    return old;
}
REPRISE_FN REPRISE_H2 atomicAdd(REPRISE_H2 *p, REPRISE_H2 v)
{
    REPRISE_H2 old;
    asm volatile("atom.add.noftz." REPRISE_PTX "x2 %0, [%1], %2;"
                 : "=r"(reprise_bits(old))
                 : "l"(p), "r"(reprise_bits(v))
                 : "memory");
    return old;
}
#endif
#undef REPRISE_NEAREST
#undef REPRISE_EACH
#undef REPRISE_H
#undef REPRISE_H2
#undef REPRISE_PTX
#undef REPRISE_ADDS
#undef REPRISE_FUSES
#undef REPRISE_ADDS_ATOMICALLY
