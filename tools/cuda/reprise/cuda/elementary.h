/* Mathematical functions of device code, overloaded for float and double as <cmath> has them, also in namespace std.
 * Names and meanings are those of the CUDA Math API. This header comes before the C++ library's <cmath>: clang takes a
 * constexpr function of that library for the host alone where a function of the device is known.
 *
 * Functions of floats that nvcc takes from its library (expf, logf, sinf, cosf, tanf, tanhf, powf, exp2f, exp10f,
 * log2f, log10f) are here those of nvcc --use_fast_math: the approximations of the special function unit. PTX ISA
 * states their error. Other functions of floats round those of doubles (doubles.h). */
#ifndef REPRISE_CUDA_ELEMENTARY_H
#define REPRISE_CUDA_ELEMENTARY_H
#pragma GCC system_header

#include "doubles.h"

/* ---- float: the special function unit ---------------------------------------------------------------------------- */

REPRISE_BOTH float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
REPRISE_BOTH double rsqrt(double a) { return __nvvm_rsqrt_approx_d(a); }
REPRISE_FN float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
REPRISE_FN float log2f(float a) { return __nvvm_lg2_approx_f(a); }
REPRISE_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
REPRISE_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
REPRISE_FN float __expf(float a) { return exp2f(a * 1.44269504f); }
REPRISE_FN float __logf(float a) { return log2f(a) * 0.693147181f; }
REPRISE_FN float __log2f(float a) { return log2f(a); }
REPRISE_FN float __log10f(float a) { return log2f(a) * 0.301029996f; }
REPRISE_FN float __exp10f(float a) { return exp2f(a * 3.32192809f); }
REPRISE_FN float __tanf(float a) { return __nvvm_div_approx_f(__sinf(a), __cosf(a)); }
REPRISE_FN void __sincosf(float a, float *s, float *c) { *s = __sinf(a), *c = __cosf(a); }
REPRISE_FN float __powf(float a, float b) { return exp2f(b * log2f(a)); }
REPRISE_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
REPRISE_FN float expf(float a) { return __expf(a); }
REPRISE_FN float logf(float a) { return __logf(a); }
REPRISE_FN float sinf(float a) { return __sinf(a); }
REPRISE_FN float cosf(float a) { return __cosf(a); }
REPRISE_FN float tanf(float a) { return __tanf(a); }
REPRISE_FN float log10f(float a) { return __log10f(a); }
REPRISE_FN float exp10f(float a) { return __exp10f(a); }
REPRISE_FN void sincosf(float a, float *s, float *c) { __sincosf(a, s, c); }
REPRISE_FN float tanhf(float a) { return 1.0f - 2.0f / (__expf(2.0f * a) + 1.0f); }
/* Of a negative base, an integer power. */
REPRISE_FN float powf(float a, float b)
{
    float to = __powf(__builtin_fabsf(a), b);
    bool odd = __builtin_fabsf(b) < 0x1p24f && ((int)b & 1);
    return !(a < 0) ? __powf(a, b) : __builtin_rintf(b) != b ? __builtin_nanf("") : odd ? -to : to;
}

/* ---- float and double -------------------------------------------------------------------------------------------- */

/* NAMEf, and NAME for both types; integers are doubles. */
#define REPRISE_OVERLOAD(name)                                                                                         \
    REPRISE_FN float name(float a) { return name##f(a); }                                                              \
    template <class T> REPRISE_FN typename reprise_integer<T>::as_double name(T a) { return name((double)a); }
template <class T> struct reprise_integer {
};
#define REPRISE_INTEGER(T)                                                                                             \
    template <> struct reprise_integer<T> {                                                                            \
        typedef double as_double;                                                                                      \
    };
REPRISE_INTEGER(bool)
REPRISE_INTEGER(char)
REPRISE_INTEGER(signed char)
REPRISE_INTEGER(unsigned char)
REPRISE_INTEGER(short)
REPRISE_INTEGER(unsigned short)
REPRISE_INTEGER(int)
REPRISE_INTEGER(unsigned)
REPRISE_INTEGER(long)
REPRISE_INTEGER(unsigned long)
REPRISE_INTEGER(long long)
REPRISE_INTEGER(unsigned long long)
#undef REPRISE_INTEGER

/* One instruction, or a few. */
#define REPRISE_BUILTIN(name)                                                                                          \
    REPRISE_FN float name##f(float a) { return __builtin_##name##f(a); }                                               \
    REPRISE_FN double name(double a) { return __builtin_##name(a); }                                                   \
    REPRISE_OVERLOAD(name)
REPRISE_BUILTIN(fabs)
REPRISE_BUILTIN(floor)
REPRISE_BUILTIN(ceil)
REPRISE_BUILTIN(trunc)
REPRISE_BUILTIN(rint)
#undef REPRISE_BUILTIN
REPRISE_FN float nearbyintf(float a) { return __builtin_rintf(a); }
REPRISE_FN double nearbyint(double a) { return __builtin_rint(a); }
REPRISE_OVERLOAD(nearbyint)
REPRISE_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
REPRISE_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
REPRISE_OVERLOAD(sqrt)
REPRISE_BOTH float rsqrt(float a) { return rsqrtf(a); }
REPRISE_FN float roundf(float a)
{
    return __builtin_copysignf(
        __builtin_truncf(__builtin_fabsf(a) + (__builtin_fabsf(a) < 8388608.0f ? 0.49999997f : 0)), a);
}
REPRISE_FN double round(double a)
{
    double size = __builtin_fabs(a);
    return __builtin_copysign(__builtin_trunc(size + (size < 0x1p52 ? 0x1.fffffffffffffp-2 : 0)), a);
}
REPRISE_OVERLOAD(round)

/* Floats in the special function unit, doubles by a series. */
#define REPRISE_FAST(name)                                                                                             \
    REPRISE_FN double name(double a) { return reprise_##name(a); }                                                     \
    REPRISE_OVERLOAD(name)
REPRISE_FAST(exp)
REPRISE_FAST(exp2)
REPRISE_FAST(exp10)
REPRISE_FAST(log)
REPRISE_FAST(log2)
REPRISE_FAST(log10)
REPRISE_FAST(sin)
REPRISE_FAST(cos)
REPRISE_FAST(tan)
REPRISE_FAST(tanh)
#undef REPRISE_FAST
/* By a series. */
#define REPRISE_SERIES(name)                                                                                           \
    REPRISE_FN double name(double a) { return reprise_##name(a); }                                                     \
    REPRISE_FN float name##f(float a) { return (float)reprise_##name(a); }                                             \
    REPRISE_OVERLOAD(name)
REPRISE_SERIES(expm1)
REPRISE_SERIES(log1p)
REPRISE_SERIES(cbrt)
REPRISE_SERIES(asin)
REPRISE_SERIES(acos)
REPRISE_SERIES(atan)
REPRISE_SERIES(sinh)
REPRISE_SERIES(cosh)
REPRISE_SERIES(asinh)
REPRISE_SERIES(acosh)
REPRISE_SERIES(atanh)
REPRISE_SERIES(erf)
REPRISE_SERIES(erfc)
REPRISE_SERIES(lgamma)
REPRISE_SERIES(tgamma)
#undef REPRISE_SERIES
/* What C libraries mostly do not have; host code may call these in CUDA. glibc has sinpi and cospi since 2.41, with
 * this linkage, and noexcept. */
#define REPRISE_OURS(name, of_double)                                                                                  \
    REPRISE_FN double name(double a) { return of_double; }                                                             \
    REPRISE_FN float name##f(float x)                                                                                  \
    {                                                                                                                  \
        double a = x;                                                                                                  \
        return (float)(of_double);                                                                                     \
    }                                                                                                                  \
    REPRISE_OVERLOAD(name)                                                                                             \
    extern "C" __host__ double name(double) noexcept;                                                                  \
    extern "C" __host__ float name##f(float) noexcept;                                                                 \
    __host__ float name(float);
REPRISE_OURS(sinpi, reprise_sinpi(a))
REPRISE_OURS(cospi, reprise_cospi(a))
REPRISE_OURS(erfcx, reprise_erfcx(a))
REPRISE_OURS(erfinv, reprise_erfinv(a))
REPRISE_OURS(erfcinv, reprise_erfcinv(a))
REPRISE_OURS(normcdf, 0.5 * reprise_erfc(-0x1.6a09e667f3bcdp-1 * a))
REPRISE_OURS(normcdfinv, -0x1.6a09e667f3bcdp+0 * reprise_erfcinv(2 * a))
REPRISE_OURS(rcbrt, 1 / reprise_cbrt(a))
#undef REPRISE_OURS

/* ---- two arguments ----------------------------------------------------------------------------------------------- */

/* Of an integer and anything: double; of float and double: double. */
template <class T, class U> struct reprise_mixed {
};
#define REPRISE_MIX(T, U)                                                                                              \
    template <> struct reprise_mixed<T, U> {                                                                           \
        typedef double both;                                                                                           \
    };                                                                                                                 \
    template <> struct reprise_mixed<U, T> {                                                                           \
        typedef double both;                                                                                           \
    };
#define REPRISE_MIXES(T) REPRISE_MIX(T, float) REPRISE_MIX(T, double)
REPRISE_MIXES(int)
REPRISE_MIXES(unsigned)
REPRISE_MIXES(long)
REPRISE_MIXES(unsigned long)
REPRISE_MIXES(long long)
REPRISE_MIXES(unsigned long long)
REPRISE_MIX(float, double)
template <> struct reprise_mixed<int, int> {
    typedef double both;
};
#undef REPRISE_MIXES
#undef REPRISE_MIX
#define REPRISE_TWO(name, of_float, of_double)                                                                         \
    REPRISE_FN float name##f(float a, float b) { return of_float; }                                                    \
    REPRISE_FN double name(double a, double b) { return of_double; }                                                   \
    REPRISE_TWO_OVERLOADS(name)
#define REPRISE_TWO_OVERLOADS(name)                                                                                    \
    REPRISE_FN float name(float a, float b) { return name##f(a, b); }                                                  \
    template <class T, class U> REPRISE_FN typename reprise_mixed<T, U>::both name(T a, U b)                           \
    {                                                                                                                  \
        return name((double)a, (double)b);                                                                             \
    }
REPRISE_TWO(fmin, __builtin_fminf(a, b), __builtin_fmin(a, b))
REPRISE_TWO(fmax, __builtin_fmaxf(a, b), __builtin_fmax(a, b))
REPRISE_TWO(copysign, __builtin_copysignf(a, b), __builtin_copysign(a, b))
REPRISE_TWO(fdim, a <= b ? 0 : a - b, a <= b ? 0 : a - b)
REPRISE_TWO(atan2, (float)reprise_atan2(a, b), reprise_atan2(a, b))
REPRISE_TWO(hypot, (float)__nvvm_sqrt_rn_d((double)a *a + (double)b * b), reprise_hypot(a, b))
REPRISE_FN double pow(double a, double b) { return reprise_pow(a, b); }
REPRISE_TWO_OVERLOADS(pow)
REPRISE_FN double fmod(double a, double b)
{
    unsigned q;
    return reprise_fmod(a, b, &q);
}
REPRISE_FN float fmodf(float a, float b) { return (float)fmod((double)a, (double)b); }
REPRISE_TWO_OVERLOADS(fmod)
REPRISE_FN double remquo(double a, double b, int *q) { return reprise_remquo(a, b, q); }
REPRISE_FN float remquof(float a, float b, int *q) { return (float)reprise_remquo(a, b, q); }
REPRISE_FN float remquo(float a, float b, int *q) { return remquof(a, b, q); }
REPRISE_FN double remainder(double a, double b)
{
    int q;
    return reprise_remquo(a, b, &q);
}
REPRISE_FN float remainderf(float a, float b) { return (float)remainder((double)a, (double)b); }
REPRISE_TWO_OVERLOADS(remainder)
#define REPRISE_NEXT(name, T, I, as_integer, as_float)                                                                 \
    REPRISE_FN T name(T a, T b)                                                                                        \
    {                                                                                                                  \
        I bits = as_integer(a);                                                                                        \
        if (!(a < b) && !(a > b))                                                                                      \
            return a != a ? a : b;                                                                                     \
        return a == 0 ? (T)__builtin_copysign((double)as_float((I)1), (double)b)                                       \
                      : as_float(bits + ((a < b) == (a > 0) ? 1 : -1));                                                \
    }
REPRISE_NEXT(nextafter, double, long long, __double_as_longlong, __longlong_as_double)
REPRISE_NEXT(nextafterf, float, int, __float_as_int, __int_as_float)
#undef REPRISE_NEXT
REPRISE_TWO_OVERLOADS(nextafter)
#undef REPRISE_TWO
#undef REPRISE_TWO_OVERLOADS
#undef REPRISE_OVERLOAD

/* ---- others ------------------------------------------------------------------------------------------------------ */

REPRISE_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
REPRISE_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
REPRISE_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
REPRISE_FN void sincos(double a, double *s, double *c) { *s = reprise_sin(a), *c = reprise_cos(a); }
REPRISE_FN void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
REPRISE_BOTH void sincospi(double a, double *s, double *c) { *s = sinpi(a), *c = cospi(a); }
REPRISE_BOTH void sincospif(float a, float *s, float *c) { *s = sinpif(a), *c = cospif(a); }
REPRISE_BOTH float fdividef(float a, float b) { return a / b; }
REPRISE_FN double ldexp(double a, int n) { return reprise_scale(a, n); }
REPRISE_FN float ldexpf(float a, int n) { return (float)reprise_scale(a, n); }
REPRISE_FN float ldexp(float a, int n) { return ldexpf(a, n); }
REPRISE_FN double scalbn(double a, int n) { return reprise_scale(a, n); }
REPRISE_FN float scalbnf(float a, int n) { return (float)reprise_scale(a, n); }
REPRISE_FN float scalbn(float a, int n) { return scalbnf(a, n); }
REPRISE_FN double frexp(double a, int *e)
{
    *e = 0;
    return a == 0 || !(__builtin_fabs(a) < REPRISE_INFINITY) ? a : reprise_mantissa(a, e);
}
REPRISE_FN float frexpf(float a, int *e) { return (float)frexp((double)a, e); }
REPRISE_FN float frexp(float a, int *e) { return frexpf(a, e); }
REPRISE_FN int ilogb(double a)
{
    int e;
    if (a == 0 || !(__builtin_fabs(a) < REPRISE_INFINITY))
        return a == 0 || a != a ? -2147483647 - 1 : 2147483647;
    return reprise_mantissa(a, &e), e - 1;
}
REPRISE_FN int ilogbf(float a) { return ilogb((double)a); }
REPRISE_FN int ilogb(float a) { return ilogb((double)a); }
REPRISE_FN double logb(double a)
{
    return a == 0 ? -REPRISE_INFINITY : __builtin_fabs(a) < REPRISE_INFINITY ? ilogb(a) : a * a;
}
REPRISE_FN float logbf(float a) { return (float)logb((double)a); }
REPRISE_FN float logb(float a) { return logbf(a); }
REPRISE_FN double modf(double a, double *whole)
{
    *whole = __builtin_trunc(a);
    return __builtin_copysign(__builtin_fabs(a) == REPRISE_INFINITY ? 0 : a - *whole, a);
}
REPRISE_FN float modff(float a, float *whole)
{
    *whole = __builtin_truncf(a);
    return __builtin_copysignf(__builtin_fabsf(a) == __builtin_inff() ? 0 : a - *whole, a);
}
REPRISE_FN float modf(float a, float *whole) { return modff(a, whole); }
#define REPRISE_TO_INTEGER(name, T, by)                                                                                \
    REPRISE_FN T name(double a) { return (T)by(a); }                                                                   \
    REPRISE_FN T name##f(float a) { return (T)by(a); }                                                                 \
    REPRISE_FN T name(float a) { return (T)by(a); }
REPRISE_TO_INTEGER(lrint, long, rint)
REPRISE_TO_INTEGER(llrint, long long, rint)
REPRISE_TO_INTEGER(lround, long, round)
REPRISE_TO_INTEGER(llround, long long, round)
#undef REPRISE_TO_INTEGER
#define REPRISE_CLASS(T, suffix)                                                                                       \
    REPRISE_FN bool isnan(T a) { return a != a; }                                                                      \
    REPRISE_FN bool isinf(T a) { return __builtin_fabs##suffix(a) == __builtin_inf##suffix(); }                        \
    REPRISE_FN bool isfinite(T a) { return __builtin_fabs##suffix(a) < __builtin_inf##suffix(); }                      \
    REPRISE_FN bool isnormal(T a)                                                                                      \
    {                                                                                                                  \
        return isfinite(a) && __builtin_fabs##suffix(a) >= (sizeof a == 4 ? 0x1p-126 : 0x1p-1022);                     \
    }                                                                                                                  \
    REPRISE_FN bool signbit(T a) { return __builtin_copysign##suffix(1, a) < 0; }
REPRISE_CLASS(float, f)
REPRISE_CLASS(double, )
#undef REPRISE_CLASS
REPRISE_FN double nan(const char *) { return REPRISE_NAN; }
REPRISE_FN float nanf(const char *) { return __builtin_nanf(""); }
REPRISE_BOTH double norm3d(double a, double b, double c) { return __nvvm_sqrt_rn_d(a * a + b * b + c * c); }
REPRISE_BOTH float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
REPRISE_BOTH double norm4d(double a, double b, double c, double d)
{
    return __nvvm_sqrt_rn_d(a * a + b * b + c * c + d * d);
}
REPRISE_BOTH float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
REPRISE_BOTH double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
REPRISE_BOTH float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
REPRISE_BOTH double rhypot(double a, double b) { return 1 / __nvvm_sqrt_rn_d(a * a + b * b); }
REPRISE_BOTH float rhypotf(float a, float b) { return (float)rhypot(a, b); }

/* ---- min, max, abs ----------------------------------------------------------------------------------------------- */

#define REPRISE_MIN_MAX(T, A, B)                                                                                       \
    REPRISE_BOTH T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                                 \
    REPRISE_BOTH T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
REPRISE_MIN_MAX(int, int, int)
REPRISE_MIN_MAX(unsigned, unsigned, unsigned)
REPRISE_MIN_MAX(unsigned, int, unsigned)
REPRISE_MIN_MAX(unsigned, unsigned, int)
REPRISE_MIN_MAX(long, long, long)
REPRISE_MIN_MAX(unsigned long, unsigned long, unsigned long)
REPRISE_MIN_MAX(unsigned long, long, unsigned long)
REPRISE_MIN_MAX(unsigned long, unsigned long, long)
REPRISE_MIN_MAX(long long, long long, long long)
REPRISE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
REPRISE_MIN_MAX(unsigned long long, long long, unsigned long long)
REPRISE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef REPRISE_MIN_MAX
REPRISE_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
REPRISE_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
#define REPRISE_MIN_MAX(A, B)                                                                                          \
    REPRISE_BOTH double min(A a, B b) { return __builtin_fmin(a, b); }                                                 \
    REPRISE_BOTH double max(A a, B b) { return __builtin_fmax(a, b); }
REPRISE_MIN_MAX(double, double)
REPRISE_MIN_MAX(float, double)
REPRISE_MIN_MAX(double, float)
#undef REPRISE_MIN_MAX
REPRISE_BOTH unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
REPRISE_BOTH unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
REPRISE_FN int abs(int v) { return v < 0 ? -v : v; }
REPRISE_FN long abs(long v) { return v < 0 ? -v : v; }
REPRISE_FN long long abs(long long v) { return v < 0 ? -v : v; }
REPRISE_FN float abs(float a) { return __builtin_fabsf(a); }
REPRISE_FN double abs(double a) { return __builtin_fabs(a); }
REPRISE_FN long labs(long v) { return v < 0 ? -v : v; }
REPRISE_FN long long llabs(long long v) { return v < 0 ? -v : v; }

/* ---- the same in namespace std ----------------------------------------------------------------------------------- */

namespace std
{
/* clang-format off */
#define REPRISE_IN_STD(name) using ::name;
#define REPRISE_IN_STD_F(name) using ::name; using ::name##f;
REPRISE_IN_STD(abs) REPRISE_IN_STD(isnan) REPRISE_IN_STD(isinf) REPRISE_IN_STD(isfinite) REPRISE_IN_STD(isnormal)
REPRISE_IN_STD(signbit) REPRISE_IN_STD(nan) REPRISE_IN_STD(nanf) REPRISE_IN_STD(labs) REPRISE_IN_STD(llabs)
REPRISE_IN_STD_F(fabs) REPRISE_IN_STD_F(floor) REPRISE_IN_STD_F(ceil) REPRISE_IN_STD_F(trunc) REPRISE_IN_STD_F(rint)
REPRISE_IN_STD_F(nearbyint) REPRISE_IN_STD_F(sqrt) REPRISE_IN_STD_F(round) REPRISE_IN_STD_F(exp) REPRISE_IN_STD_F(exp2)
REPRISE_IN_STD_F(log) REPRISE_IN_STD_F(log2) REPRISE_IN_STD_F(log10) REPRISE_IN_STD_F(sin) REPRISE_IN_STD_F(cos)
REPRISE_IN_STD_F(tan) REPRISE_IN_STD_F(tanh) REPRISE_IN_STD_F(expm1) REPRISE_IN_STD_F(log1p) REPRISE_IN_STD_F(cbrt)
REPRISE_IN_STD_F(asin) REPRISE_IN_STD_F(acos) REPRISE_IN_STD_F(atan) REPRISE_IN_STD_F(sinh) REPRISE_IN_STD_F(cosh)
REPRISE_IN_STD_F(asinh) REPRISE_IN_STD_F(acosh) REPRISE_IN_STD_F(atanh) REPRISE_IN_STD_F(erf) REPRISE_IN_STD_F(erfc)
REPRISE_IN_STD_F(lgamma) REPRISE_IN_STD_F(tgamma) REPRISE_IN_STD_F(fmin) REPRISE_IN_STD_F(fmax)
REPRISE_IN_STD_F(copysign) REPRISE_IN_STD_F(fdim) REPRISE_IN_STD_F(atan2) REPRISE_IN_STD_F(hypot) REPRISE_IN_STD_F(pow)
REPRISE_IN_STD_F(fmod) REPRISE_IN_STD_F(remainder) REPRISE_IN_STD_F(remquo) REPRISE_IN_STD_F(nextafter)
REPRISE_IN_STD_F(fma) REPRISE_IN_STD_F(ldexp) REPRISE_IN_STD_F(scalbn) REPRISE_IN_STD_F(frexp) REPRISE_IN_STD_F(ilogb)
REPRISE_IN_STD_F(logb) REPRISE_IN_STD_F(modf) REPRISE_IN_STD_F(lrint) REPRISE_IN_STD_F(llrint)
REPRISE_IN_STD_F(lround) REPRISE_IN_STD_F(llround)
#undef REPRISE_IN_STD
#undef REPRISE_IN_STD_F
/* clang-format on */
} // namespace std

#endif
