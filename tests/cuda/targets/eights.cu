/* Numbers of 8 bits: conversions, and what types of one, two and four make of numbers. */
#include <cuda_fp8.h>

#include "../test.h"

__device__ unsigned rot(unsigned h, unsigned v) { return (h ^ v) * 16777619u; }
__global__ void conversions(unsigned *to)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, h[6] = {};
    for (unsigned k = 0; k < 64; k++) {
        float f = __uint_as_float((t * 64 + k) * 65521u + k);
        double d = f + 1e-12 * f;
        for (int format = 0; format < 2; format++) {
            __nv_fp8_interpretation_t i = (__nv_fp8_interpretation_t)format;
            h[0] = rot(h[0], __nv_cvt_float_to_fp8(f, __NV_SATFINITE, i));
            h[1] = rot(h[1], __nv_cvt_float_to_fp8(f, __NV_NOSAT, i));
            h[2] = rot(h[2], __nv_cvt_double_to_fp8(d, __NV_NOSAT, i));
            h[3] = rot(h[3], __nv_cvt_float2_to_fp8x2(make_float2(f, k * 0.37f), __NV_SATFINITE, i));
            h[4] = rot(h[4], __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(t * 64 + k), i).y);
            h[4] = rot(h[4], __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(t * 64 + k), i).x);
            __half_raw r;
            r.x = (unsigned short)(t * 64 + k);
            __nv_bfloat16_raw b;
            b.x = r.x;
            h[5] = rot(h[5], __nv_cvt_halfraw_to_fp8(r, __NV_NOSAT, i));
            h[5] = rot(h[5], __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, i));
        }
    }
    for (int i = 0; i < 6; i++)
        atomicAdd(to + i, h[i]);
}
template <class One, class Two, class Four> __device__ void types(unsigned *to)
{
    const unsigned t = threadIdx.x;
    const float x = (t - 16.0f) * 1.7f;
    One one(x), half_(__float2half(x)), whole((int)t);
    Two two(make_float2(x, -x));
    Four four(make_float4(x, 2 * x, 3, 4 * x));
    float4 back = (float4)four;
    float2 pair = (float2)two;
    to[t] = one.__x | (unsigned)half_.__x << 8 | (unsigned)whole.__x << 16;
    to[32 + t] = two.__x;
    to[64 + t] = four.__x;
    to[96 + t] = __float_as_uint((float)one + pair.x * 3 + pair.y * 5 + back.x * 7 + back.y * 11 + back.z * 13 + back.w * 17);
    to[128 + t] = __half_as_ushort((__half)one) | (unsigned)__half_as_ushort(((__half2)two).y) << 16;
}
__global__ void of_types(unsigned *to)
{
    types<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(to);
    types<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(to + 160);
}
int main()
{
    static unsigned sums[6], bits[320];
    unsigned *to;
    CHECK(cudaMalloc(&to, sizeof bits));
    CHECK(cudaMemset(to, 0, sizeof bits));
    conversions<<<16, 64>>>(to);
    CHECK(cudaMemcpy(sums, to, sizeof sums, cudaMemcpyDefault));
    EXPECT(sums[0] == 1809837647 && sums[1] == 1101411250); /* of NVIDIA's header on the host */
    ok("numbers of 8 bits");
    of_types<<<1, 32>>>(to);
    CHECK(cudaMemcpy(bits, to, sizeof bits, cudaMemcpyDefault));
    EXPECT((bits[18] & 0xff) == 0x46 && (bits[178] & 0xff) == 0x43); /* 2 × 1.7 */
    ok("types of one, two and four");
    return 0;
}
