/* Numbers with 8 bits of mantissa and the exponent of floats (bfloat16), for clang; CUDA Math API, "Bfloat16 Precision
 * Intrinsics". */
#ifndef REPRISE_CUDA_BF16_H
#define REPRISE_CUDA_BF16_H
#pragma GCC system_header
#define __CUDA_BF16_H__ /* programs ask for it */

#include <reprise/cuda.h>

REPRISE_BOTH float reprise_bf16_to_float(unsigned short bits)
{
    return __nvvm_bitcast_i2f((int)((unsigned)bits << 16));
}
/* The upper half of a float, rounded; mode: 0 to nearest even, 1 to zero, 2 up, 3 down. */
REPRISE_BOTH unsigned short reprise_bf16_of_float(float a, int mode)
{
    unsigned bits = (unsigned)__nvvm_bitcast_f2i(a), low = bits & 0xffff;
    if (a != a)
        return 0x7fff;
    if (mode == 0)
        bits += 0x7fff + (bits >> 16 & 1);
    else if (low && ((mode == 2 && a > 0) || (mode == 3 && a < 0)))
        bits += 0x10000;
    return (unsigned short)(bits >> 16);
}

/* By way of the float towards zero, with its last bit set if something is left. */
REPRISE_BOTH unsigned short reprise_bf16_of_double(double a)
{
    float f = __nvvm_d2f_rz(a);
    if ((double)f != a && a == a)
        f = __nvvm_bitcast_i2f(__nvvm_bitcast_f2i(f) | 1);
    return reprise_bf16_of_float(f, 0);
}

#define REPRISE_H __nv_bfloat16
#define REPRISE_H2 __nv_bfloat162
#define REPRISE_H_RAW __nv_bfloat16_raw
#define REPRISE_H2_RAW __nv_bfloat162_raw
#define REPRISE_OF_FLOAT(a) reprise_bf16_of_float(a, 0)
#define REPRISE_OF_DOUBLE reprise_bf16_of_double
#define REPRISE_OF_INTEGER(a) reprise_bf16_of_double((double)(a))
#define REPRISE_TO_FLOAT reprise_bf16_to_float
#include <reprise/cuda/half_number.h>
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

REPRISE_BOTH void reprise_narrow(float a, __nv_bfloat16 *to)
{
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->__x) : "f"(a));
#else
    to->__x = reprise_bf16_of_float(a, 0);
#endif
}
#define REPRISE_PTX "bf16"
#define REPRISE_ADDS __CUDA_ARCH__ >= 900
#define REPRISE_FUSES __CUDA_ARCH__ >= 800
#define REPRISE_ADDS_ATOMICALLY __CUDA_ARCH__ >= 900
#include <reprise/cuda/half_arithmetic.h>

/* ---- conversions ------------------------------------------------------------------------------------------------- */

REPRISE_BOTH float __bfloat162float(__nv_bfloat16 a) { return reprise_wide(a); }
REPRISE_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
REPRISE_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
REPRISE_BOTH __nv_bfloat16 __float2bfloat16_rz(float a) { return __nv_bfloat16::of_bits(reprise_bf16_of_float(a, 1)); }
REPRISE_BOTH __nv_bfloat16 __float2bfloat16_ru(float a) { return __nv_bfloat16::of_bits(reprise_bf16_of_float(a, 2)); }
REPRISE_BOTH __nv_bfloat16 __float2bfloat16_rd(float a) { return __nv_bfloat16::of_bits(reprise_bf16_of_float(a, 3)); }
REPRISE_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
REPRISE_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
REPRISE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
REPRISE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
REPRISE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return {reprise_wide(a.x), reprise_wide(a.y)}; }
REPRISE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
REPRISE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
REPRISE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
REPRISE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
REPRISE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
REPRISE_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
REPRISE_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
REPRISE_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
REPRISE_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
REPRISE_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
REPRISE_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
REPRISE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
REPRISE_BOTH __nv_bfloat16 __short_as_bfloat16(short a) { return __nv_bfloat16::of_bits((unsigned short)a); }
REPRISE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16::of_bits(a); }
#define REPRISE_INTEGERS(T, name)                                                                                      \
    REPRISE_BOTH T __bfloat162##name##_rn(__nv_bfloat16 a) { return (T)__builtin_rintf(reprise_wide(a)); }             \
    REPRISE_BOTH T __bfloat162##name##_rz(__nv_bfloat16 a) { return (T)reprise_wide(a); }                              \
    REPRISE_BOTH __nv_bfloat16 __##name##2bfloat16_rn(T a) { return __nv_bfloat16(a); }
REPRISE_INTEGERS(short, short)
REPRISE_INTEGERS(unsigned short, ushort)
REPRISE_INTEGERS(int, int)
REPRISE_INTEGERS(unsigned, uint)
REPRISE_INTEGERS(long long, ll)
REPRISE_INTEGERS(unsigned long long, ull)
#undef REPRISE_INTEGERS

#endif
