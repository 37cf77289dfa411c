/* Numbers of 8 bits, e4m3 and e5m2, for clang; CUDA Math API, "FP8 Intrinsics". Conversions are computed with integers
 * on every target; the bits are those of the instruction. */
#ifndef REPRISE_CUDA_FP8_H
#define REPRISE_CUDA_FP8_H
#pragma GCC system_header
#define __CUDA_FP8_H__ /* programs ask for it */

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* The nearest number, ties to even. Beyond the greatest number: that number, or infinity. e4m3 has no infinity: NaN. */
REPRISE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float a, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t format)
{
    const int fraction = format == __NV_E4M3 ? 3 : 2, bias = format == __NV_E4M3 ? 7 : 15;
    const unsigned greatest = format == __NV_E4M3 ? 0x7e : 0x7b;
    unsigned bits = (unsigned)__nvvm_bitcast_f2i(a), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
    if (magnitude > 0x7f800000)
        return 0x7f;
    int exponent = (int)(magnitude >> 23) - 127, below = 1 - bias - exponent;
    int shift = 23 - fraction + (below > 0 ? below : 0);
    if (shift > 25)
        return (__nv_fp8_storage_t)sign;
    unsigned number = (magnitude & 0x7fffff) | 0x800000, kept = number >> shift, rest = number << (32 - shift);
    kept += rest > 0x80000000u || (rest == 0x80000000u && (kept & 1));
    unsigned code = below > 0 ? kept : kept + ((unsigned)(exponent + bias - 1) << fraction);
    if (code > greatest)
        code = saturation == __NV_SATFINITE ? greatest : greatest + 1;
    return (__nv_fp8_storage_t)(sign | code);
}

REPRISE_BOTH float reprise_fp8_to_float(__nv_fp8_storage_t a, __nv_fp8_interpretation_t format)
{
    unsigned magnitude = a & 0x7f, sign = (unsigned)(a & 0x80) << 24;
    bool wide = format == __NV_E5M2;
    if (magnitude > (wide ? 0x7cu : 0x7eu))
        return __nvvm_bitcast_i2f(0x7fffffff);
    if (wide && magnitude == 0x7c)
        return __nvvm_bitcast_i2f((int)(0x7f800000 | sign));
    float scaled = __nvvm_bitcast_i2f((int)(magnitude << (wide ? 21 : 20))) * (wide ? 0x1p112f : 0x1p120f);
    return sign ? -scaled : scaled;
}

/* By way of the float towards zero, with its last bit set if something is left. A NaN keeps its sign, and is another
 * one in e5m2 than that of a float: so does nvcc. */
REPRISE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double a, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t format)
{
    if (a != a)
        return (__nv_fp8_storage_t)((__nvvm_bitcast_d2ll(a) < 0 ? 0x80 : 0) | (format == __NV_E4M3 ? 0x7f : 0x7e));
    float f = __nvvm_d2f_rz(a);
    if ((double)f != a)
        f = __nvvm_bitcast_i2f(__nvvm_bitcast_f2i(f) | 1);
    return __nv_cvt_float_to_fp8(f, saturation, format);
}
REPRISE_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw a, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return __nv_cvt_float_to_fp8((float)__half(a), s, f);
}
REPRISE_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw a, __nv_saturation_t s,
                                                            __nv_fp8_interpretation_t f)
{
    return __nv_cvt_float_to_fp8((float)__nv_bfloat16(a), s, f);
}
#define REPRISE_TWO(a, b) ((__nv_fp8x2_storage_t)((a) | (b) << 8)) /* the first number is in the lower byte */
REPRISE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 a, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return REPRISE_TWO(__nv_cvt_float_to_fp8(a.x, s, f), __nv_cvt_float_to_fp8(a.y, s, f));
}
REPRISE_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 a, __nv_saturation_t s, __nv_fp8_interpretation_t f)
{
    return REPRISE_TWO(__nv_cvt_double_to_fp8(a.x, s, f), __nv_cvt_double_to_fp8(a.y, s, f));
}
REPRISE_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw a, __nv_saturation_t s,
                                                             __nv_fp8_interpretation_t f)
{
    return REPRISE_TWO(__nv_cvt_halfraw_to_fp8({a.x}, s, f), __nv_cvt_halfraw_to_fp8({a.y}, s, f));
}
REPRISE_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw a, __nv_saturation_t s,
                                                                 __nv_fp8_interpretation_t f)
{
    return REPRISE_TWO(__nv_cvt_bfloat16raw_to_fp8({a.x}, s, f), __nv_cvt_bfloat16raw_to_fp8({a.y}, s, f));
}
REPRISE_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t a, __nv_fp8_interpretation_t f)
{
    return __half(reprise_fp8_to_float(a, f));
}
REPRISE_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t a, __nv_fp8_interpretation_t f)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)a, f).x,
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(a >> 8), f).x};
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define REPRISE_TYPES(one, two, four, format)                                                                          \
    struct one {                                                                                                       \
        __nv_fp8_storage_t __x;                                                                                        \
        one() = default;                                                                                               \
        REPRISE_MEMBER explicit one(float a) : __x(__nv_cvt_float_to_fp8(a, __NV_SATFINITE, format)) {}                \
        REPRISE_MEMBER explicit one(double a) : __x(__nv_cvt_double_to_fp8(a, __NV_SATFINITE, format)) {}              \
        REPRISE_MEMBER explicit one(__half a) : one((float)a) {}                                                       \
        REPRISE_MEMBER explicit one(__nv_bfloat16 a) : one((float)a) {}                                                \
        REPRISE_MEMBER explicit one(int a) : one((double)a) {}                                                         \
        REPRISE_MEMBER explicit one(unsigned a) : one((double)a) {}                                                    \
        REPRISE_MEMBER explicit one(short a) : one((double)a) {}                                                       \
        REPRISE_MEMBER explicit one(unsigned short a) : one((double)a) {}                                              \
        REPRISE_MEMBER explicit one(long long a) : one((float)a) {}                                                    \
        REPRISE_MEMBER explicit one(unsigned long long a) : one((float)a) {}                                           \
        REPRISE_MEMBER float wide() const { return reprise_fp8_to_float(__x, format); }                                \
        REPRISE_MEMBER explicit operator float() const { return wide(); }                                              \
        REPRISE_MEMBER explicit operator double() const { return wide(); }                                             \
        REPRISE_MEMBER explicit operator __half() const { return __half(wide()); }                                     \
        REPRISE_MEMBER explicit operator __nv_bfloat16() const { return __nv_bfloat16(wide()); }                       \
        REPRISE_MEMBER explicit operator int() const { return (int)wide(); }                                           \
        REPRISE_MEMBER explicit operator unsigned() const { return (unsigned)wide(); }                                 \
        REPRISE_MEMBER explicit operator bool() const { return __x & 0x7f; }                                           \
    };                                                                                                                 \
    struct __attribute__((aligned(2))) two {                                                                           \
        __nv_fp8x2_storage_t __x;                                                                                      \
        two() = default;                                                                                               \
        REPRISE_MEMBER explicit two(float2 a) : __x(__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, format)) {}            \
        REPRISE_MEMBER explicit two(double2 a) : __x(__nv_cvt_double2_to_fp8x2(a, __NV_SATFINITE, format)) {}          \
        REPRISE_MEMBER explicit two(__half2 a) : two(float2{(float)a.x, (float)a.y}) {}                                \
        REPRISE_MEMBER explicit two(__nv_bfloat162 a) : two(float2{(float)a.x, (float)a.y}) {}                         \
        REPRISE_MEMBER explicit operator float2() const                                                                \
        {                                                                                                              \
            return {reprise_fp8_to_float((__nv_fp8_storage_t)__x, format),                                             \
                    reprise_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), format)};                                     \
        }                                                                                                              \
        REPRISE_MEMBER explicit operator __half2() const                                                               \
        {                                                                                                              \
            const float2 a = (float2) * this;                                                                          \
            return {__half(a.x), __half(a.y)};                                                                         \
        }                                                                                                              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) four {                                                                          \
        __nv_fp8x4_storage_t __x;                                                                                      \
        four() = default;                                                                                              \
        REPRISE_MEMBER explicit four(float4 a)                                                                         \
            : __x(two(float2{a.x, a.y}).__x | (unsigned)two(float2{a.z, a.w}).__x << 16)                               \
        {                                                                                                              \
        }                                                                                                              \
        REPRISE_MEMBER explicit four(double4 a)                                                                        \
            : __x(two(double2{a.x, a.y}).__x | (unsigned)two(double2{a.z, a.w}).__x << 16)                             \
        {                                                                                                              \
        }                                                                                                              \
        REPRISE_MEMBER four(__half2 low, __half2 high) : __x(two(low).__x | (unsigned)two(high).__x << 16) {}          \
        REPRISE_MEMBER four(__nv_bfloat162 low, __nv_bfloat162 high)                                                   \
            : __x(two(low).__x | (unsigned)two(high).__x << 16)                                                        \
        {                                                                                                              \
        }                                                                                                              \
        REPRISE_MEMBER explicit operator float4() const                                                                \
        {                                                                                                              \
            two low, high;                                                                                             \
            low.__x = (__nv_fp8x2_storage_t)__x;                                                                       \
            high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                              \
            const float2 a = (float2)low, b = (float2)high;                                                            \
            return {a.x, a.y, b.x, b.y};                                                                               \
        }                                                                                                              \
    };
REPRISE_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
REPRISE_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef REPRISE_TYPES
#undef REPRISE_TWO

#endif
