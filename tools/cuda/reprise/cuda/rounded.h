/* Intrinsics of floating point with a rounding mode, and conversions; CUDA Math API, "Single Precision Intrinsics" and
 * what follows. */
#ifndef REPRISE_CUDA_ROUNDED_H
#define REPRISE_CUDA_ROUNDED_H
#pragma GCC system_header

#include "language.h"

REPRISE_FN int __float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
REPRISE_FN float __int_as_float(int a) { return __nvvm_bitcast_i2f(a); }
REPRISE_FN unsigned __float_as_uint(float a) { return (unsigned)__nvvm_bitcast_f2i(a); }
REPRISE_FN float __uint_as_float(unsigned a) { return __nvvm_bitcast_i2f((int)a); }
REPRISE_FN long long __double_as_longlong(double a) { return __nvvm_bitcast_d2ll(a); }
REPRISE_FN double __longlong_as_double(long long a) { return __nvvm_bitcast_ll2d(a); }
REPRISE_FN int __double2hiint(double a) { return (int)(__nvvm_bitcast_d2ll(a) >> 32); }
REPRISE_FN int __double2loint(double a) { return (int)__nvvm_bitcast_d2ll(a); }
REPRISE_FN double __hiloint2double(int high, int low)
{
    return __nvvm_bitcast_ll2d((long long)high << 32 | (unsigned)low);
}
REPRISE_FN float __saturatef(float a)
{
    float to;
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(to) : "f"(a));
    return to;
}

/* One rounding per operation, never fused with another: __fadd_rn and so on. */
#define REPRISE_BINARY(name, T, op, constraint)                                                                        \
    REPRISE_FN T name(T a, T b)                                                                                        \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(op " %0, %1, %2;" : "=" constraint(to) : constraint(a), constraint(b));                                    \
        return to;                                                                                                     \
    }
#define REPRISE_CONVERT(name, To, From, instruction, to_constraint, from_constraint)                                   \
    REPRISE_FN To name(From a)                                                                                         \
    {                                                                                                                  \
        To to;                                                                                                         \
        asm(instruction " %0, %1;" : "=" to_constraint(to) : from_constraint(a));                                      \
        return to;                                                                                                     \
    }
#define REPRISE_FUSED(name, T, op, constraint)                                                                         \
    REPRISE_FN T name(T a, T b, T c)                                                                                   \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(op " %0, %1, %2, %3;" : "=" constraint(to) : constraint(a), constraint(b), constraint(c));                 \
        return to;                                                                                                     \
    }
#define REPRISE_ROUNDED(r, way)                                                                                        \
    REPRISE_BINARY(__fadd_##r, float, "add." way ".f32", "f")                                                          \
    REPRISE_BINARY(__fsub_##r, float, "sub." way ".f32", "f")                                                          \
    REPRISE_BINARY(__fmul_##r, float, "mul." way ".f32", "f")                                                          \
    REPRISE_BINARY(__fdiv_##r, float, "div." way ".f32", "f")                                                          \
    REPRISE_BINARY(__dadd_##r, double, "add." way ".f64", "d")                                                         \
    REPRISE_BINARY(__dsub_##r, double, "sub." way ".f64", "d")                                                         \
    REPRISE_BINARY(__dmul_##r, double, "mul." way ".f64", "d")                                                         \
    REPRISE_BINARY(__ddiv_##r, double, "div." way ".f64", "d")                                                         \
    REPRISE_FUSED(__fmaf_##r, float, "fma." way ".f32", "f")                                                           \
    REPRISE_FUSED(__fma_##r, double, "fma." way ".f64", "d")                                                           \
    REPRISE_CONVERT(__frcp_##r, float, float, "rcp." way ".f32", "f", "f")                                             \
    REPRISE_CONVERT(__fsqrt_##r, float, float, "sqrt." way ".f32", "f", "f")                                           \
    REPRISE_CONVERT(__drcp_##r, double, double, "rcp." way ".f64", "d", "d")                                           \
    REPRISE_CONVERT(__dsqrt_##r, double, double, "sqrt." way ".f64", "d", "d")                                         \
    REPRISE_CONVERT(__int2float_##r, float, int, "cvt." way ".f32.s32", "f", "r")                                      \
    REPRISE_CONVERT(__uint2float_##r, float, unsigned, "cvt." way ".f32.u32", "f", "r")                                \
    REPRISE_CONVERT(__ll2float_##r, float, long long, "cvt." way ".f32.s64", "f", "l")                                 \
    REPRISE_CONVERT(__ull2float_##r, float, unsigned long long, "cvt." way ".f32.u64", "f", "l")                       \
    REPRISE_CONVERT(__ll2double_##r, double, long long, "cvt." way ".f64.s64", "d", "l")                               \
    REPRISE_CONVERT(__ull2double_##r, double, unsigned long long, "cvt." way ".f64.u64", "d", "l")                     \
    REPRISE_CONVERT(__double2float_##r, float, double, "cvt." way ".f32.f64", "f", "d")                                \
    REPRISE_CONVERT(__float2int_##r, int, float, "cvt." way "i.s32.f32", "r", "f")                                     \
    REPRISE_CONVERT(__float2uint_##r, unsigned, float, "cvt." way "i.u32.f32", "r", "f")                               \
    REPRISE_CONVERT(__float2ll_##r, long long, float, "cvt." way "i.s64.f32", "l", "f")                                \
    REPRISE_CONVERT(__float2ull_##r, unsigned long long, float, "cvt." way "i.u64.f32", "l", "f")                      \
    REPRISE_CONVERT(__double2int_##r, int, double, "cvt." way "i.s32.f64", "r", "d")                                   \
    REPRISE_CONVERT(__double2uint_##r, unsigned, double, "cvt." way "i.u32.f64", "r", "d")                             \
    REPRISE_CONVERT(__double2ll_##r, long long, double, "cvt." way "i.s64.f64", "l", "d")                              \
    REPRISE_CONVERT(__double2ull_##r, unsigned long long, double, "cvt." way "i.u64.f64", "l", "d")
REPRISE_ROUNDED(rn, "rn")
REPRISE_ROUNDED(rz, "rz")
REPRISE_ROUNDED(ru, "rp")
REPRISE_ROUNDED(rd, "rm")
#undef REPRISE_ROUNDED
#undef REPRISE_FUSED
#undef REPRISE_CONVERT
#undef REPRISE_BINARY
REPRISE_FN double __int2double_rn(int a) { return a; }
REPRISE_FN double __uint2double_rn(unsigned a) { return a; }
REPRISE_FN float __frsqrt_rn(float a) { return (float)(1.0 / __nvvm_sqrt_rn_d(a)); }

#endif
