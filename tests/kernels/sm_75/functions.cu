/* The device functions of reprise/cuda.h, each once per thread; tests/cli/functions.py computes the same. a and b are
 * words, f and g floats of moderate size; every kernel writes 32 values per thread. */
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL integers(const unsigned *in, unsigned *out)
{
    unsigned i = INDEX, a = in[i], b = in[i + 64], *o = out + 32 * i;
    unsigned long long w = (unsigned long long)a << 32 | b;
    *o++ = (unsigned)__popc(a);
    *o++ = (unsigned)__popcll(w);
    *o++ = (unsigned)__clz((int)a);
    *o++ = (unsigned)__clzll((long long)(w >> 20));
    *o++ = (unsigned)__ffs((int)(a & 0xff00));
    *o++ = (unsigned)__ffsll((long long)(w & ~0xffffull));
    *o++ = __brev(a);
    *o++ = (unsigned)(__brevll(w) >> 7);
    *o++ = __byte_perm(a, b, 0x6173);
    *o++ = (unsigned)__mul24((int)a, (int)b);
    *o++ = __umul24(a, b);
    *o++ = (unsigned)__mulhi((int)a, (int)b);
    *o++ = __umulhi(a, b);
    *o++ = (unsigned)__mul64hi((long long)w, (long long)(w * 3));
    *o++ = (unsigned)__umul64hi(w, w * 3);
    *o++ = __sad((int)a, (int)b, 17);
    *o++ = __usad(a, b, 17);
    *o++ = __funnelshift_l(a, b, a & 63);
    *o++ = __funnelshift_lc(a, b, a & 63);
    *o++ = __funnelshift_r(a, b, a & 63);
    *o++ = __funnelshift_rc(a, b, a & 63);
    *o++ = (unsigned)__hadd((int)a, (int)b);
    *o++ = (unsigned)__rhadd((int)a, (int)b);
    *o++ = __uhadd(a, b);
    *o++ = __urhadd(a, b);
    *o++ = (unsigned)__dp4a((int)a, (int)b, 5);
    *o++ = __dp4a(a, b, 5u);
    *o++ = (unsigned)__dp2a_lo((int)a, (int)b, 5);
    *o++ = __dp2a_hi(a, b, 5u);
    *o++ = __ldg(in + i) + __ldcg(in + i) + __ldcs(in + i) + __ldca(in + i) + __ldlu(in + i) + __ldcv(in + i);
    *o++ = (unsigned)(min((int)a, (int)b) ^ max((int)a, (int)b)) + min(a, b);
    *o++ = (unsigned)(abs((int)a) ^ (int)llabs((long long)w));
}

KERNEL floats(const float *in, unsigned *out)
{
    unsigned i = INDEX, *o = out + 32 * i;
    float f = in[i], g = in[i + 64];
    double d = (double)f * g + 1e-9;
    *o++ = __float_as_uint(__fadd_rz(f, g));
    *o++ = __float_as_uint(__fmul_ru(f, g));
    *o++ = __float_as_uint(__fsub_rd(f, g));
    *o++ = __float_as_uint(__fdiv_rn(f, g));
    *o++ = __float_as_uint(__fmaf_rn(f, g, f));
    *o++ = __float_as_uint(__frcp_rn(f));
    *o++ = __float_as_uint(__fsqrt_rn(fabsf(f)));
    *o++ = (unsigned)__float2int_rn(100 * f);
    *o++ = (unsigned)__float2int_rz(100 * f);
    *o++ = (unsigned)__float2int_ru(100 * f);
    *o++ = (unsigned)__float2int_rd(100 * f);
    *o++ = __float2uint_rn(fabsf(1000 * g));
    *o++ = __float_as_uint(__int2float_rz(__float_as_int(f)));
    *o++ = __float_as_uint(__uint2float_rn(__float_as_uint(g)));
    *o++ = __float_as_uint(__double2float_rd(d));
    *o++ = (unsigned)__double2int_rn(1000 * d);
    *o++ = (unsigned)__double2ll_rd(1000 * d);
    *o++ = (unsigned)__double2hiint(d);
    *o++ = (unsigned)__double2loint(__dadd_rn(d, 1));
    *o++ = (unsigned)__double2loint(__dmul_rn(d, 3));
    *o++ = (unsigned)__double2loint(__hiloint2double(__double2hiint(d), 77));
    *o++ = __float_as_uint(__saturatef(f));
    *o++ = __float_as_uint(copysignf(f, g));
    *o++ = __float_as_uint(roundf(10 * f));
    *o++ = __float_as_uint(fdimf(f, g));
    *o++ = (unsigned)isnan(f) + 2u * isinf(f / 0.0f) + 4u * isfinite(g) + 8u * isnan(sqrtf(-1 - f * f));
    *o++ = __float_as_uint(fminf(f, g)) ^ __float_as_uint(max(f, g));
    *o++ = (unsigned)__double2loint(__ddiv_rn(d, 7));
    *o++ = (unsigned)__double2loint(__fma_rn(d, d, 1.0));
    *o++ = __float_as_uint(floorf(g)) ^ __float_as_uint(rintf(f));
    *o++ = (unsigned)__double2loint(__int2double_rn((int)(100 * f)) + abs(d));
    *o++ = __float_as_uint(__ll2float_rn(__double_as_longlong(d)));
}

/* Approximations: the checker allows for their error. */
KERNEL approximations(const float *in, float *out)
{
    unsigned i = INDEX;
    float f = in[i], g = fabsf(in[i + 64]) + 0.5f, *o = out + 32 * i, s, c;
    *o++ = __sinf(f);
    *o++ = __cosf(f);
    *o++ = __tanf(f / 8);
    *o++ = __expf(f);
    *o++ = __exp10f(f);
    *o++ = __logf(g);
    *o++ = __log2f(g);
    *o++ = __log10f(g);
    *o++ = __powf(g, f);
    *o++ = __fdividef(f, g);
    *o++ = rsqrtf(g);
    *o++ = __frsqrt_rn(g);
    __sincosf(f, &s, &c);
    *o++ = s;
    *o++ = c;
    *o++ = (float)rsqrt((double)g);
    *o++ = tanhf(f);
}

/* cells: 24 words of 64 bits; every atomic of 32 and 64 bits whose result does not depend on the order. */
KERNEL atomics(const int *in, unsigned long long *cells)
{
    int i = INDEX, v = in[i];
    long long w = (long long)v << 20;
    atomicMax((long long *)cells, w);
    atomicMin((long long *)cells + 1, w);
    atomicMax(cells + 2, (unsigned long long)w);
    atomicMin(cells + 3, (unsigned long long)w);
    atomicAnd(cells + 4, (unsigned long long)w | 0xfffff);
    atomicOr(cells + 5, (unsigned long long)w);
    atomicXor(cells + 6, (unsigned long long)w);
    atomicAdd((double *)(cells + 7), (double)v);
    atomicAdd_block((int *)(cells + 8), v);
    atomicAdd_system((unsigned *)(cells + 9), (unsigned)v);
    atomicMax_block((int *)(cells + 10), v);
    atomicMin_system((int *)(cells + 11), v);
    atomicXor_block(cells + 12, (unsigned long long)w);
    atomicOr_system((unsigned *)(cells + 13), (unsigned)v);
    for (unsigned long long old = cells[14], seen; (seen = atomicCAS_system(&cells[14], old, old + 3)) != old;)
        old = seen;
    atomicAdd_system((double *)(cells + 15), 0.5);
    if (i == 5)
        atomicExch((float *)(cells + 16), 2.5f);
    if (i == 6)
        atomicExch(cells + 17, 0x123456789abcdefull);
}

/* Shuffles of 64 bits and the vector types. */
KERNEL vectors(const double *in, double *out, long4 *wide)
{
    int i = INDEX;
    double v = in[i];
    out[4 * i] = __shfl_xor_sync(~0u, v, 5);
    out[4 * i + 1] = __shfl_up_sync(~0u, v, 3u);
    out[4 * i + 2] = __shfl_down_sync(~0u, v, 9u);
    out[4 * i + 3] = (double)__shfl_sync(~0u, (long long)(v * 1000), i * 7);
    ulonglong2 u = make_ulonglong2((unsigned long long)i, 2);
    short4 s = make_short4((short)-i, 2, 3, 4);
    uchar4 c = make_uchar4((unsigned char)i, 1, 2, 3);
    wide[i] = make_long4((long)u.x + s.x, s.y * 5, c.x + c.w, -7);
}
