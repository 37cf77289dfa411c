/* Numbers of half precision (IEEE 754 binary16), for clang; CUDA Math API, "FP16 Intrinsics". */
#ifndef REPRISE_CUDA_FP16_H
#define REPRISE_CUDA_FP16_H
#pragma GCC system_header

#include <reprise/cuda.h>

#define CUDA_NO_HALF_CONSTANTS 1
struct __half_raw {
    unsigned short x;
};
#define REPRISE_CONVERT(name, To, instruction, to, From, constraint)                                                   \
    REPRISE_BOTH To name(From a)                                                                                       \
    {                                                                                                                  \
        To v;                                                                                                          \
        asm("cvt." instruction " %0, %1;" : "=" to(v) : constraint(a));                                                \
        return v;                                                                                                      \
    }
REPRISE_CONVERT(reprise_half_to_float, float, "f32.f16", "f", unsigned short, "h")
REPRISE_CONVERT(reprise_half_rn, unsigned short, "rn.f16.f32", "h", float, "f")
REPRISE_CONVERT(reprise_half_rz, unsigned short, "rz.f16.f32", "h", float, "f")
REPRISE_CONVERT(reprise_half_ru, unsigned short, "rp.f16.f32", "h", float, "f")
REPRISE_CONVERT(reprise_half_rd, unsigned short, "rm.f16.f32", "h", float, "f")
REPRISE_CONVERT(reprise_half_of_double, unsigned short, "rn.f16.f64", "h", double, "d")
#undef REPRISE_CONVERT

struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    static REPRISE_MEMBER __half of_bits(unsigned short bits)
    {
        __half h;
        h.__x = bits;
        return h;
    }
    REPRISE_MEMBER __half(__half_raw r) : __x(r.x) {}
    REPRISE_MEMBER __half(float a) : __x(reprise_half_rn(a)) {}
    REPRISE_MEMBER __half(double a) : __x(reprise_half_of_double(a)) {}
#define REPRISE_FROM(T)                                                                                                \
    REPRISE_MEMBER __half(T a) : __x(reprise_half_rn((float)a)) {}
    REPRISE_FROM(short)
    REPRISE_FROM(unsigned short)
    REPRISE_FROM(int)
    REPRISE_FROM(unsigned)
    REPRISE_FROM(long)
    REPRISE_FROM(unsigned long)
    REPRISE_FROM(long long)
    REPRISE_FROM(unsigned long long)
#undef REPRISE_FROM
    REPRISE_MEMBER operator float() const { return reprise_half_to_float(__x); }
    REPRISE_MEMBER operator __half_raw() const { return {__x}; }
#define REPRISE_ASSIGN(T)                                                                                              \
    REPRISE_MEMBER __half &operator=(T a) { return *this = __half(a); }
    REPRISE_ASSIGN(float)
    REPRISE_ASSIGN(double)
    REPRISE_ASSIGN(int)
    REPRISE_ASSIGN(unsigned)
#undef REPRISE_ASSIGN
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    REPRISE_MEMBER __half2(const __half &x, const __half &y) : x(x), y(y) {}
};
typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

REPRISE_BOTH float reprise_wide(__half a) { return reprise_half_to_float(a.__x); }
REPRISE_BOTH void reprise_narrow(float a, __half *to) { to->__x = reprise_half_rn(a); }
#define REPRISE_H __half
#define REPRISE_H2 __half2
#define REPRISE_PTX "f16"
#define REPRISE_ADDS __CUDA_ARCH__ >= 530
#define REPRISE_FUSES __CUDA_ARCH__ >= 530
#define REPRISE_ADDS_ATOMICALLY __CUDA_ARCH__ >= 700
#include <reprise/cuda/half_arithmetic.h>

/* ---- conversions ------------------------------------------------------------------------------------------------- */

REPRISE_BOTH float __half2float(__half a) { return reprise_wide(a); }
REPRISE_BOTH __half __float2half(float a) { return __half::of_bits(reprise_half_rn(a)); }
REPRISE_BOTH __half __float2half_rn(float a) { return __half::of_bits(reprise_half_rn(a)); }
REPRISE_BOTH __half __float2half_rz(float a) { return __half::of_bits(reprise_half_rz(a)); }
REPRISE_BOTH __half __float2half_ru(float a) { return __half::of_bits(reprise_half_ru(a)); }
REPRISE_BOTH __half __float2half_rd(float a) { return __half::of_bits(reprise_half_rd(a)); }
REPRISE_BOTH __half __double2half(double a) { return __half(a); }
REPRISE_BOTH __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
REPRISE_BOTH __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
REPRISE_BOTH __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
REPRISE_BOTH float2 __half22float2(__half2 a) { return {reprise_wide(a.x), reprise_wide(a.y)}; }
REPRISE_BOTH __half2 __half2half2(__half a) { return {a, a}; }
REPRISE_BOTH __half2 __halves2half2(__half a, __half b) { return {a, b}; }
REPRISE_BOTH __half2 make_half2(__half a, __half b) { return {a, b}; }
REPRISE_BOTH __half __low2half(__half2 a) { return a.x; }
REPRISE_BOTH __half __high2half(__half2 a) { return a.y; }
REPRISE_BOTH __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
REPRISE_BOTH __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
REPRISE_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
REPRISE_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
REPRISE_BOTH __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
REPRISE_BOTH short __half_as_short(__half a) { return (short)a.__x; }
REPRISE_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
REPRISE_BOTH __half __short_as_half(short a) { return __half::of_bits((unsigned short)a); }
REPRISE_BOTH __half __ushort_as_half(unsigned short a) { return __half::of_bits(a); }
/* Integers, with a rounding mode. An integer that a half has room for is exact as a float. */
#define REPRISE_CONVERSIONS(T, name, r, round)                                                                         \
    REPRISE_BOTH T __half2##name##_##r(__half a) { return (T)round(reprise_wide(a)); }                                 \
    REPRISE_BOTH __half __##name##2half_##r(T a) { return __half::of_bits(reprise_half_##r((float)a)); }
#define REPRISE_INTEGERS(T, name)                                                                                      \
    REPRISE_CONVERSIONS(T, name, rn, __builtin_rintf)                                                                  \
    REPRISE_CONVERSIONS(T, name, rz, __builtin_truncf)                                                                 \
    REPRISE_CONVERSIONS(T, name, ru, __builtin_ceilf)                                                                  \
    REPRISE_CONVERSIONS(T, name, rd, __builtin_floorf)
REPRISE_INTEGERS(short, short)
REPRISE_INTEGERS(unsigned short, ushort)
REPRISE_INTEGERS(int, int)
REPRISE_INTEGERS(unsigned, uint)
REPRISE_INTEGERS(long long, ll)
REPRISE_INTEGERS(unsigned long long, ull)
#undef REPRISE_INTEGERS
#undef REPRISE_CONVERSIONS

#endif
