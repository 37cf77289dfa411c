/* Arithmetic of cuda_fp16.h and cuda_bf16.h in every pair of a set of values with corners, against the host's: sums, products,
 * quotients, fused, comparisons, least and greatest, conversions, and pairs of numbers at once. */
#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../test.h"

enum { N = 48, RESULTS = 12 };

template <class T> struct pair;
template <> struct pair<__half> { using type = __half2; };
template <> struct pair<__nv_bfloat16> { using type = __nv_bfloat162; };

__device__ static __half2 both(__half a, __half b) { return __halves2half2(a, b); }
__device__ static __nv_bfloat162 both(__nv_bfloat16 a, __nv_bfloat16 b) { return __halves2bfloat162(a, b); }

__device__ static __half fused(__half a, __half b, __half c) { return __hfma(a, b, c); }
__device__ static __half2 fused(__half2 a, __half2 b, __half2 c) { return __hfma2(a, b, c); }
#if __CUDA_ARCH__ >= 800
__device__ static __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __hfma(a, b, c); }
__device__ static __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __hfma2(a, b, c); }
#else /* the header has none */
__device__ static __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __double2bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
}
__device__ static __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return both(fused(a.x, b.x, c.x), fused(a.y, b.y, c.y));
}
#endif

template <class T> __global__ void arithmetic(const T *in, T *out)
{
    using two = typename pair<T>::type;
    T a = in[blockIdx.x], b = in[threadIdx.x], c = in[(blockIdx.x + threadIdx.x) % N];
    two x = both(a, b), y = both(b, c), z = both(c, a);
    T *to = out + (blockIdx.x * N + threadIdx.x) * RESULTS;
    to[0] = __hadd(a, b);
    to[1] = __hsub(a, b);
    to[2] = __hmul(a, b);
    to[3] = __hdiv(a, b);
    to[4] = fused(a, b, c);
    to[5] = __hmin(a, b);
    to[6] = __hmax(a, b);
    to[7] = __hneg(a);
    two pairs = fused(x, y, z), less = __hlt2(x, y);
    to[8] = pairs.x;
    to[9] = pairs.y;
    to[10] = less.y;
    to[11] = T((float)(__hgt(a, b) + 2 * __heq(a, b) + 4 * __hne(a, b) + 8 * __hisnan(a) + 16 * (__hisinf(a) != 0)));
}

/* The nearest value of the narrow type to an exact result; float and double hold sums and products of two of its values exactly
 * enough: a double has more than twice the digits of a half and of a bfloat16. */
template <class T> T nearest(double v);
template <> __half nearest<__half>(double v) { return __double2half(v); }
template <> __nv_bfloat16 nearest<__nv_bfloat16>(double v) { return __double2bfloat16(v); }

template <class T> bool same(T got, double wanted)
{
    T w = nearest<T>(wanted);
    unsigned short g, h;
    std::memcpy(&g, &got, 2);
    std::memcpy(&h, &w, 2);
    return g == h || (std::isnan((float)got) && std::isnan(wanted));
}

/* Digits so far apart that a double does not hold the exact sum are left out: rounding twice could differ. */
static bool exact(double product, double addend)
{
    double sum = product + addend;
    return std::isnan(sum) || std::isinf(sum) || (sum - product == addend && sum - addend == product);
}

template <class T> void check(const char *name)
{
    static const float corners[] = {0.f, -0.f, 1.f, -1.f, 0.5f, 1.5f, 65504.f, -65504.f, 6.1e-5f, -6e-8f, 1e-7f, 3.0f, INFINITY, -INFINITY, NAN, 2048.f};
    static T in[N], out[N * N * RESULTS];
    T *from, *to;
    unsigned state = 7;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        float v = i < 16 ? corners[i] : ((int)(state >> 8) % 4096 - 2048) * std::ldexp(1.f, (int)(state >> 4) % 16 - 10);
        in[i] = nearest<T>(v);
    }
    CHECK(cudaMalloc(&from, sizeof in));
    CHECK(cudaMalloc(&to, sizeof out));
    CHECK(cudaMemcpy(from, in, sizeof in, cudaMemcpyDefault));
    arithmetic<T><<<N, N>>>(from, to);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const T *r = out + (i * N + k) * RESULTS;
            double a = (float)in[i], b = (float)in[k], c = (float)in[(i + k) % N];
            EXPECT(same(r[0], a + b) && same(r[1], a - b) && same(r[2], a * b));
            float quotient = (float)r[3], wanted = (float)nearest<T>(a / b); /* within an ulp: cuda_fp16.h */
            EXPECT(same(r[3], a / b) || std::fabs(quotient - wanted) <= std::fabs(wanted) * 0x1p-7f + 0x1p-24f);
            EXPECT(!exact(a * b, c) || same(r[4], a * b + c));
            EXPECT(std::isnan(a) || std::isnan(b) || ((float)r[5] == std::fmin(a, b) && (float)r[6] == std::fmax(a, b)));
            EXPECT(std::isnan(a) || same(r[7], -a));
            EXPECT(!exact(a * b, c) || same(r[8], a * b + c));
            EXPECT(!exact(b * c, a) || same(r[9], b * c + a));
            EXPECT((float)r[10] == (b < c ? 1.f : 0.f));
            bool ordered_ne = a != b && !std::isnan(a) && !std::isnan(b); /* __hne is false of NaN, other than != */
            EXPECT((float)r[11] == (a > b) + 2 * (a == b) + 4 * ordered_ne + 8 * std::isnan(a) + 16 * std::isinf(a));
        }
    ok(name);
}

int main()
{
    check<__half>("half");
    check<__nv_bfloat16>("bfloat16");
    return 0;
}
