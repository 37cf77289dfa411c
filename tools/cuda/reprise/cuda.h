/* CUDA C for clang without a CUDA installation: the part of the language that kernels use, on clang's builtins. Names
 * and meanings are those of the CUDA C++ Programming Guide. nvcc does not need this header and ignores it.
 *
 *   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -include reprise/cuda.h -O2 -S k.cu
 *
 * Functions that nvcc takes from its library (expf, logf, sinf, cosf, tanf, tanhf, powf, exp2f, exp10f, log2f, log10f)
 * are here those of nvcc --use_fast_math: the approximations of the special function unit. PTX ISA states their error.
 */
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
REPRISE_VECTORS(long, long, 8)
REPRISE_VECTORS(unsigned long, ulong, 8)
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

/* ---- indices of a thread ----------------------------------------------------------------------------------------- */

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
#if __CUDA_ARCH__ >= 700
REPRISE_FN void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
#endif
REPRISE_FN void __trap() { asm volatile("trap;"); }
REPRISE_FN void __brkpt() { asm volatile("brkpt;"); }
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
REPRISE_FN unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
REPRISE_FN unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
#define REPRISE_ATOMIC(name, T, as, to)                                                                                \
    REPRISE_FN T atomic##name(T *p, T v) { return (T)__nvvm_atom_##to((as *)p, (as)v); }
#define REPRISE_ATOMICS(T, as, i, ui)                                                                                  \
    REPRISE_ATOMIC(Max, T, T, max_gen_##ui)                                                                            \
    REPRISE_ATOMIC(Min, T, T, min_gen_##ui)                                                                            \
    REPRISE_ATOMIC(And, T, as, and_gen_##i)                                                                            \
    REPRISE_ATOMIC(Or, T, as, or_gen_##i)                                                                              \
    REPRISE_ATOMIC(Xor, T, as, xor_gen_##i)                                                                            \
    REPRISE_ATOMIC(Exch, T, as, xchg_gen_##i)                                                                          \
    REPRISE_FN T atomicCAS(T *p, T old, T v) { return (T)__nvvm_atom_cas_gen_##i((as *)p, (as)old, (as)v); }
REPRISE_ATOMICS(int, int, i, i)
REPRISE_ATOMICS(unsigned, int, i, ui)
REPRISE_ATOMICS(long long, long long, ll, ll)
REPRISE_ATOMICS(unsigned long long, long long, ll, ull)
#undef REPRISE_ATOMICS
#undef REPRISE_ATOMIC
REPRISE_FN float atomicExch(float *p, float v)
{
    return __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)p, __nvvm_bitcast_f2i(v)));
}
#if __CUDA_ARCH__ >= 600
/* The scopes of atomicAdd_block, atomicAdd_system and so on. */
#define REPRISE_SCOPED(name, op, T, type, constraint)                                                                  \
    REPRISE_FN T atomic##name##_block(T *p, T v)                                                                       \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom.cta." op "." type " %0, [%1], %2;"                                                          \
                     : "=" constraint(old)                                                                             \
                     : "l"(p), constraint(v)                                                                           \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }                                                                                                                  \
    REPRISE_FN T atomic##name##_system(T *p, T v)                                                                      \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom.sys." op "." type " %0, [%1], %2;"                                                          \
                     : "=" constraint(old)                                                                             \
                     : "l"(p), constraint(v)                                                                           \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
#define REPRISE_SCOPES(T, bits, type, add, constraint)                                                                 \
    REPRISE_SCOPED(Add, "add", T, add, constraint)                                                                     \
    REPRISE_SCOPED(Min, "min", T, type, constraint)                                                                    \
    REPRISE_SCOPED(Max, "max", T, type, constraint)                                                                    \
    REPRISE_SCOPED(And, "and", T, bits, constraint)                                                                    \
    REPRISE_SCOPED(Or, "or", T, bits, constraint)                                                                      \
    REPRISE_SCOPED(Xor, "xor", T, bits, constraint)                                                                    \
    REPRISE_SCOPED(Exch, "exch", T, bits, constraint)
REPRISE_SCOPES(int, "b32", "s32", "s32", "r")
REPRISE_SCOPES(unsigned, "b32", "u32", "u32", "r")
REPRISE_SCOPES(unsigned long long, "b64", "u64", "u64", "l")
REPRISE_SCOPED(Add, "add", float, "f32", "f")
REPRISE_SCOPED(Add, "add", double, "f64", "d")
#undef REPRISE_SCOPES
#undef REPRISE_SCOPED
#define REPRISE_SCOPED_CAS(scope, suffix, T, bits, constraint)                                                         \
    REPRISE_FN T atomicCAS_##suffix(T *p, T expected, T v)                                                             \
    {                                                                                                                  \
        T old;                                                                                                         \
        asm volatile("atom." scope ".cas." bits " %0, [%1], %2, %3;"                                                   \
                     : "=" constraint(old)                                                                             \
                     : "l"(p), constraint(expected), constraint(v)                                                     \
                     : "memory");                                                                                      \
        return old;                                                                                                    \
    }
REPRISE_SCOPED_CAS("cta", block, int, "b32", "r")
REPRISE_SCOPED_CAS("cta", block, unsigned, "b32", "r")
REPRISE_SCOPED_CAS("cta", block, unsigned long long, "b64", "l")
REPRISE_SCOPED_CAS("sys", system, int, "b32", "r")
REPRISE_SCOPED_CAS("sys", system, unsigned, "b32", "r")
REPRISE_SCOPED_CAS("sys", system, unsigned long long, "b64", "l")
#undef REPRISE_SCOPED_CAS
#endif

/* ---- shuffles and votes --------------------------------------------------------------------------------------------
 */

/* Inline PTX, as clang has builtins for these only if it is given a version of PTX. The last operand but one is the
 * clamp and segment mask of PTX ISA, "shfl.sync". */

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
/* 64 bits, in two halves. */
#define REPRISE_SHUFFLE(name, T, Lane)                                                                                 \
    REPRISE_FN T name(unsigned mask, T v, Lane lane, int width = 32)                                                   \
    {                                                                                                                  \
        union {                                                                                                        \
            T whole;                                                                                                   \
            unsigned half[2];                                                                                          \
        } u = {v};                                                                                                     \
        u.half[0] = name(mask, u.half[0], lane, width);                                                                \
        u.half[1] = name(mask, u.half[1], lane, width);                                                                \
        return u.whole;                                                                                                \
    }
#define REPRISE_SHUFFLES(T)                                                                                            \
    REPRISE_SHUFFLE(__shfl_sync, T, int)                                                                               \
    REPRISE_SHUFFLE(__shfl_up_sync, T, unsigned)                                                                       \
    REPRISE_SHUFFLE(__shfl_down_sync, T, unsigned)                                                                     \
    REPRISE_SHUFFLE(__shfl_xor_sync, T, int)
REPRISE_SHUFFLES(long)
REPRISE_SHUFFLES(unsigned long)
REPRISE_SHUFFLES(long long)
REPRISE_SHUFFLES(unsigned long long)
REPRISE_SHUFFLES(double)
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
REPRISE_VOTE(__uni_sync, "uni")
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

#if __CUDA_ARCH__ >= 700
#define REPRISE_MATCH(T, bits, constraint)                                                                             \
    REPRISE_FN unsigned __match_any_sync(unsigned mask, T v)                                                           \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(to) : constraint(v), "r"(mask));                     \
        return to;                                                                                                     \
    }                                                                                                                  \
    REPRISE_FN unsigned __match_all_sync(unsigned mask, T v, int *all)                                                 \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm volatile("{ .reg .pred p; match.all.sync." bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"                   \
                     : "=r"(to), "=r"(*all)                                                                            \
                     : constraint(v), "r"(mask));                                                                      \
        return to;                                                                                                     \
    }
REPRISE_MATCH(int, "b32", "r")
REPRISE_MATCH(unsigned, "b32", "r")
REPRISE_MATCH(float, "b32", "f")
REPRISE_MATCH(long, "b64", "l")
REPRISE_MATCH(unsigned long, "b64", "l")
REPRISE_MATCH(long long, "b64", "l")
REPRISE_MATCH(unsigned long long, "b64", "l")
REPRISE_MATCH(double, "b64", "d")
#undef REPRISE_MATCH
#endif
#if __CUDA_ARCH__ >= 800
#define REPRISE_REDUCE(name, T, op)                                                                                    \
    REPRISE_FN T __reduce_##name##_sync(unsigned mask, T v)                                                            \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(to) : "r"(v), "r"(mask));                                  \
        return to;                                                                                                     \
    }
REPRISE_REDUCE(add, int, "add.s32")
REPRISE_REDUCE(add, unsigned, "add.u32")
REPRISE_REDUCE(min, int, "min.s32")
REPRISE_REDUCE(min, unsigned, "min.u32")
REPRISE_REDUCE(max, int, "max.s32")
REPRISE_REDUCE(max, unsigned, "max.u32")
REPRISE_REDUCE(and, unsigned, "and.b32")
REPRISE_REDUCE(or, unsigned, "or.b32")
REPRISE_REDUCE(xor, unsigned, "xor.b32")
#undef REPRISE_REDUCE
#endif

/* ---- bits and integers ---------------------------------------------------------------------------------------------
 */

REPRISE_FN int __popc(unsigned v) { return __builtin_popcount(v); }
REPRISE_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
REPRISE_FN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
REPRISE_FN int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
REPRISE_FN int __ffs(int v) { return __builtin_ffs(v); }
REPRISE_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
REPRISE_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
REPRISE_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
REPRISE_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
/* T NAME(T a, T b[, T c]) as one instruction. */
#define REPRISE_ASM2(name, T, B, instruction, constraint)                                                              \
    REPRISE_FN T name(B a, B b)                                                                                        \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(instruction " %0, %1, %2;" : "=" constraint(to) : constraint(a), constraint(b));                           \
        return to;                                                                                                     \
    }
#define REPRISE_ASM3(name, T, A, C, instruction)                                                                       \
    REPRISE_FN T name(A a, A b, C c)                                                                                   \
    {                                                                                                                  \
        T to;                                                                                                          \
        asm(instruction " %0, %1, %2, %3;" : "=r"(to) : "r"(a), "r"(b), "r"(c));                                       \
        return to;                                                                                                     \
    }
REPRISE_ASM2(__mul24, int, int, "mul24.lo.s32", "r")
REPRISE_ASM2(__umul24, unsigned, unsigned, "mul24.lo.u32", "r")
REPRISE_ASM2(__mulhi, int, int, "mul.hi.s32", "r")
REPRISE_ASM2(__umulhi, unsigned, unsigned, "mul.hi.u32", "r")
REPRISE_ASM2(__mul64hi, long long, long long, "mul.hi.s64", "l")
REPRISE_ASM2(__umul64hi, unsigned long long, unsigned long long, "mul.hi.u64", "l")
REPRISE_ASM3(__sad, unsigned, int, unsigned, "sad.s32")
REPRISE_ASM3(__usad, unsigned, unsigned, unsigned, "sad.u32")
#define REPRISE_FUNNEL(name, shift)                                                                                    \
    REPRISE_FN unsigned name(unsigned low, unsigned high, unsigned n)                                                  \
    {                                                                                                                  \
        unsigned to;                                                                                                   \
        asm(shift " %0, %1, %2, %3;" : "=r"(to) : "r"(low), "r"(high), "r"(n));                                        \
        return to;                                                                                                     \
    }
REPRISE_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
REPRISE_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
REPRISE_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
REPRISE_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#if __CUDA_ARCH__ >= 610
REPRISE_ASM3(__dp4a, int, int, int, "dp4a.s32.s32")
REPRISE_ASM3(__dp4a, unsigned, unsigned, unsigned, "dp4a.u32.u32")
REPRISE_ASM3(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
REPRISE_ASM3(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
REPRISE_ASM3(__dp2a_lo, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
REPRISE_ASM3(__dp2a_hi, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#endif
REPRISE_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
REPRISE_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
REPRISE_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
REPRISE_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
/* Loads and stores with a cache hint, which is ignored. */
template <class T> REPRISE_FN T __ldg(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldca(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcg(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcs(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldlu(const T *p) { return *p; }
template <class T> REPRISE_FN T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> REPRISE_FN void __stwb(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stcg(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stcs(T *p, T v) { *p = v; }
template <class T> REPRISE_FN void __stwt(T *p, T v) { *p = v; }
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
REPRISE_FN long abs(long v) { return v < 0 ? -v : v; }
REPRISE_FN long long abs(long long v) { return v < 0 ? -v : v; }
REPRISE_FN long labs(long v) { return v < 0 ? -v : v; }
REPRISE_FN long long llabs(long long v) { return v < 0 ? -v : v; }

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
REPRISE_FN double min(double a, double b) { return __builtin_fmin(a, b); }
REPRISE_FN double max(double a, double b) { return __builtin_fmax(a, b); }
REPRISE_FN float abs(float a) { return __builtin_fabsf(a); }
REPRISE_FN double abs(double a) { return __builtin_fabs(a); }
REPRISE_FN float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
REPRISE_FN double copysign(double a, double b) { return __builtin_copysign(a, b); }
REPRISE_FN float nearbyintf(float a) { return __builtin_rintf(a); }
REPRISE_FN double nearbyint(double a) { return __builtin_rint(a); }
REPRISE_FN float roundf(float a) { return copysignf(truncf(fabsf(a) + (fabsf(a) < 8388608.0f ? 0.49999997f : 0)), a); }
REPRISE_FN float fdimf(float a, float b) { return a <= b ? 0 : a - b; }
REPRISE_FN bool isnan(float a) { return a != a; }
REPRISE_FN bool isnan(double a) { return a != a; }
REPRISE_FN bool isinf(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
REPRISE_FN bool isinf(double a) { return __builtin_fabs(a) == __builtin_inf(); }
REPRISE_FN bool isfinite(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
REPRISE_FN bool isfinite(double a) { return __builtin_fabs(a) < __builtin_inf(); }
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
#undef REPRISE_ASM2
#undef REPRISE_ASM3
#undef REPRISE_FUNNEL
REPRISE_FN double __int2double_rn(int a) { return a; }
REPRISE_FN double __uint2double_rn(unsigned a) { return a; }

/* ---- floating point, approximated ----------------------------------------------------------------------------------
 */

REPRISE_FN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
REPRISE_FN float __frsqrt_rn(float a) { return (float)(1.0 / __nvvm_sqrt_rn_d(a)); }
REPRISE_FN double rsqrt(double a) { return __nvvm_rsqrt_approx_d(a); }
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
REPRISE_FN float powf(float a, float b) { return __powf(a, b); }
REPRISE_FN float tanhf(float a) { return 1.0f - 2.0f / (__expf(2.0f * a) + 1.0f); }

REPRISE_FN int clock() { return __nvvm_read_ptx_sreg_clock(); }
REPRISE_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
extern "C" __device__ int printf(const char *format, ...);

#undef REPRISE_FN
#endif
#endif
