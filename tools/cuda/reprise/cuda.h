/* CUDA C for clang without a CUDA installation: what kernels use of the language, on clang's own builtins. Names and
 * meanings are those of the CUDA C++ Programming Guide. nvcc needs none of this and takes none.
 *
 *   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -include reprise/cuda.h -O2 -S k.cu
 *
 * Functions of one argument that nvcc takes from its library (expf, logf, sinf, cosf, tanhf, powf, exp2f, log2f) are
 * here those of nvcc --use_fast_math: the approximations of the special function unit. PTX ISA states their error. */
#ifndef REPRISE_CUDA_H
#define REPRISE_CUDA_H
#ifndef __NVCC__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define REPRISE_FN static __device__ __forceinline__

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

#define REPRISE_VECTORS(T, name, size)                                                                                 \
    struct name##1 { T x; };                                                                                           \
    struct __attribute__((aligned(2 * size))) name##2 { T x, y; };                                                     \
    struct name##3 { T x, y, z; };                                                                                     \
    struct __attribute__((aligned(4 * size > 16 ? 16 : 4 * size))) name##4 { T x, y, z, w; };                          \
    REPRISE_FN name##1 make_##name##1(T x) { return {x}; }                                                             \
    REPRISE_FN name##2 make_##name##2(T x, T y) { return {x, y}; }                                                     \
    REPRISE_FN name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                             \
    REPRISE_FN name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
REPRISE_VECTORS(signed char, char, 1)
REPRISE_VECTORS(unsigned char, uchar, 1)
REPRISE_VECTORS(short, short, 2)
REPRISE_VECTORS(unsigned short, ushort, 2)
REPRISE_VECTORS(int, int, 4)
REPRISE_VECTORS(unsigned, uint, 4)
REPRISE_VECTORS(long long, longlong, 8)
REPRISE_VECTORS(unsigned long long, ulonglong, 8)
REPRISE_VECTORS(float, float, 4)
REPRISE_VECTORS(double, double, 8)
#undef REPRISE_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

/* ---- where a thread is ------------------------------------------------------------------------------------------- */

REPRISE_FN uint3 reprise_thread_index()
{
    return {(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(),
            (unsigned)__nvvm_read_ptx_sreg_tid_z()};
}
REPRISE_FN uint3 reprise_block_index()
{
    return {(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ctaid_z()};
}
REPRISE_FN uint3 reprise_block_size()
{
    return {(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(),
            (unsigned)__nvvm_read_ptx_sreg_ntid_z()};
}
REPRISE_FN uint3 reprise_grid_size()
{
    return {(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(),
            (unsigned)__nvvm_read_ptx_sreg_nctaid_z()};
}
#define threadIdx reprise_thread_index()
#define blockIdx reprise_block_index()
#define blockDim reprise_block_size()
#define gridDim reprise_grid_size()
#define warpSize 32

/* ---- barriers and fences; __syncthreads is a builtin of clang's ---------------------------------------------------
 */

REPRISE_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
REPRISE_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
REPRISE_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
REPRISE_FN void __syncwarp(unsigned mask = ~0u) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
REPRISE_FN void __threadfence() { __nvvm_membar_gl(); }
REPRISE_FN void __threadfence_block() { __nvvm_membar_cta(); }
REPRISE_FN void __threadfence_system() { __nvvm_membar_sys(); }

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

REPRISE_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
REPRISE_FN unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
REPRISE_FN unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
REPRISE_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
#if __CUDA_ARCH__ >= 600
REPRISE_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
#endif
REPRISE_FN int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
REPRISE_FN unsigned atomicSub(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, -(int)v); }
REPRISE_FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
REPRISE_FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
REPRISE_FN unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
REPRISE_FN unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
REPRISE_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
REPRISE_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
REPRISE_FN int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
REPRISE_FN int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
REPRISE_FN int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
REPRISE_FN unsigned atomicAnd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_and_gen_i((int *)p, (int)v); }
REPRISE_FN unsigned atomicOr(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v); }
REPRISE_FN unsigned atomicXor(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xor_gen_i((int *)p, (int)v); }
REPRISE_FN int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
REPRISE_FN unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
REPRISE_FN int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
REPRISE_FN unsigned atomicCAS(unsigned *p, unsigned old, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
REPRISE_FN unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}

/* ---- shuffles and votes --------------------------------------------------------------------------------------------
 */

/* As PTX, for clang has builtins of them only when it is told the version of PTX. The operand before the last is the
 * clamp and segment mask of PTX ISA "shfl.sync". */

#define REPRISE_SHUFFLE(name, mode, T, c, constraint, Lane)                                                            \
    REPRISE_FN T name(unsigned mask, T v, Lane lane, int width = 32)                                                   \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                                      \
                     : "=" constraint(to)                                                                              \
                     : constraint(v), "r"(lane), "r"((32 - width) << 8 | c), "r"(mask));                               \
        return to;                                                                                                     \
    }
#define REPRISE_SHUFFLES(T, constraint)                                                                                \
    REPRISE_SHUFFLE(__shfl_sync, "idx", T, 31, constraint, int)                                                        \
    REPRISE_SHUFFLE(__shfl_up_sync, "up", T, 0, constraint, unsigned)                                                  \
    REPRISE_SHUFFLE(__shfl_down_sync, "down", T, 31, constraint, unsigned)                                             \
    REPRISE_SHUFFLE(__shfl_xor_sync, "bfly", T, 31, constraint, int)
REPRISE_SHUFFLES(int, "r")
REPRISE_SHUFFLES(unsigned, "r")
REPRISE_SHUFFLES(float, "f")
#undef REPRISE_SHUFFLES
#undef REPRISE_SHUFFLE
#define REPRISE_VOTE(name, mode)                                                                                       \
    REPRISE_FN int name(unsigned mask, int p)                                                                          \
    {                                                                                                                  \
        int to;                                                                                                        \
        asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync." mode                                        \
                     ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                                                         \
                     : "=r"(to)                                                                                        \
                     : "r"(p), "r"(mask));                                                                             \
        return to;                                                                                                     \
    }
REPRISE_VOTE(__all_sync, "all")
REPRISE_VOTE(__any_sync, "any")
#undef REPRISE_VOTE
REPRISE_FN unsigned __ballot_sync(unsigned mask, int p)
{
    unsigned to;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(to)
                 : "r"(p), "r"(mask));
    return to;
}
REPRISE_FN unsigned __activemask()
{
    unsigned to;
    asm volatile("activemask.b32 %0;" : "=r"(to));
    return to;
}

/* ---- bits and integers ---------------------------------------------------------------------------------------------
 */

REPRISE_FN int __popc(unsigned v) { return __builtin_popcount(v); }
REPRISE_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
REPRISE_FN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
REPRISE_FN int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
REPRISE_FN int __ffs(int v) { return __builtin_ffs(v); }
REPRISE_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
REPRISE_FN int __mul24(int a, int b) { return a * b; }
template <class T> REPRISE_FN T __ldg(const T *p) { return *p; }
#define REPRISE_MIN_MAX(T)                                                                                             \
    REPRISE_FN T min(T a, T b) { return a < b ? a : b; }                                                               \
    REPRISE_FN T max(T a, T b) { return a < b ? b : a; }
REPRISE_MIN_MAX(int)
REPRISE_MIN_MAX(unsigned)
REPRISE_MIN_MAX(long)
REPRISE_MIN_MAX(unsigned long)
REPRISE_MIN_MAX(long long)
REPRISE_MIN_MAX(unsigned long long)
#undef REPRISE_MIN_MAX
REPRISE_FN int abs(int v) { return v < 0 ? -v : v; }

/* ---- floating point, rounded as IEEE 754 says ----------------------------------------------------------------------
 */

REPRISE_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
REPRISE_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
REPRISE_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
REPRISE_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
#define REPRISE_UNARY(name)                                                                                            \
    REPRISE_FN float name##f(float a) { return __builtin_##name##f(a); }                                               \
    REPRISE_FN double name(double a) { return __builtin_##name(a); }
REPRISE_UNARY(fabs)
REPRISE_UNARY(floor)
REPRISE_UNARY(ceil)
REPRISE_UNARY(trunc)
REPRISE_UNARY(rint)
#undef REPRISE_UNARY
REPRISE_FN float fminf(float a, float b) { return __builtin_fminf(a, b); }
REPRISE_FN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
REPRISE_FN double fmin(double a, double b) { return __builtin_fmin(a, b); }
REPRISE_FN double fmax(double a, double b) { return __builtin_fmax(a, b); }
REPRISE_FN float min(float a, float b) { return __builtin_fminf(a, b); }
REPRISE_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
REPRISE_FN int __float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
REPRISE_FN float __int_as_float(int a) { return __nvvm_bitcast_i2f(a); }

/* ---- floating point, approximated ----------------------------------------------------------------------------------
 */

REPRISE_FN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
REPRISE_FN float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
REPRISE_FN float log2f(float a) { return __nvvm_lg2_approx_f(a); }
REPRISE_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
REPRISE_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
REPRISE_FN float __expf(float a) { return exp2f(a * 1.44269504f); }
REPRISE_FN float __logf(float a) { return log2f(a) * 0.693147181f; }
REPRISE_FN float __powf(float a, float b) { return exp2f(b * log2f(a)); }
REPRISE_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
REPRISE_FN float expf(float a) { return __expf(a); }
REPRISE_FN float logf(float a) { return __logf(a); }
REPRISE_FN float sinf(float a) { return __sinf(a); }
REPRISE_FN float cosf(float a) { return __cosf(a); }
REPRISE_FN float powf(float a, float b) { return __powf(a, b); }
REPRISE_FN float tanhf(float a) { return 1.0f - 2.0f / (__expf(2.0f * a) + 1.0f); }

REPRISE_FN int clock() { return __nvvm_read_ptx_sreg_clock(); }
REPRISE_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
extern "C" __device__ int printf(const char *format, ...);

#undef REPRISE_FN
#endif
#endif
