/* Numbers of half precision (IEEE 754 binary16), for clang; CUDA Math API, "FP16 Intrinsics". */
#ifndef REPRISE_CUDA_FP16_H
#define REPRISE_CUDA_FP16_H
#pragma GCC system_header
#define __CUDA_FP16_H__ /* programs ask for it */

#include <reprise/cuda.h>

#define CUDA_NO_HALF_CONSTANTS 1
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

#define REPRISE_H __half
#define REPRISE_H2 __half2
#define REPRISE_H_RAW __half_raw
#define REPRISE_H2_RAW __half2_raw
#define REPRISE_OF_FLOAT reprise_half_rn
#define REPRISE_OF_DOUBLE reprise_half_of_double
#define REPRISE_OF_INTEGER(a) reprise_half_rn((float)(a))
#define REPRISE_TO_FLOAT reprise_half_to_float
#include <reprise/cuda/half_number.h>
typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

REPRISE_BOTH void reprise_narrow(float a, __half *to) { to->__x = reprise_half_rn(a); }
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
