/* What generated programs are made of, for the device and for the host from one text.
 *
 * A program is a grid of blocks. Its text runs in phases: EACH { ... } is what every thread of the block does, on the
 * host in a loop over the threads, on the device by the threads themselves; between two phases stands COLLECT, a
 * barrier. STATE is a thread's own copy of what lives across phases. Whatever a phase leaves must not depend on the
 * order of its threads.
 *
 * Everything here is defined by C for all operands, and bit for bit the same wherever it is compiled: a NaN is seen
 * only as a NaN, never by its sign or payload; zeros of either sign take part in minima and maxima as +0. */
#ifndef REPRISE_TESTS_RANDOM_PROGRAM_H
#define REPRISE_TESTS_RANDOM_PROGRAM_H

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

enum {
    IN_WORDS = 256,  /* words of input, a power of two */
    OUT_WORDS = 8,   /* words of output per thread: checkpoints, the last is the checksum */
    MINE_WORDS = 16, /* words of global memory per thread, its own */
    SUMS = 16        /* words of global memory for atomics, of the whole grid */
};

#ifdef __CUDA__
#include "tests/kernels/cuda_min.cuh"
#define FAR static __device__ __noinline__
/* Unoptimised code that is inlined is large and takes NVIDIA's compiler long. */
#ifdef __OPTIMIZE__
#define NEAR static __device__ __forceinline__
#else
#define NEAR static __device__
#endif
#define FREE static __device__
#define CONSTANT static __constant__
#define TABLE static __device__
#define SHARED static __shared__
#define PROGRAM(name) KERNEL name(const u32 *in, u32 *out, u32 *global, u32 *sums)
#define STATES(type, threads) type S
#define EACH
#define STATE S
#define THREAD (threadIdx.x)
#define BLOCK (blockIdx.x)
#define COLLECT __syncthreads();
#else
#define FAR static __attribute__((noinline))
#define NEAR static inline
#define FREE static
#define CONSTANT static
#define TABLE static
#define SHARED static
#define PROGRAM(name) static void name(const u32 *in, u32 *out, u32 *global, u32 *sums, u32 BLOCK)
#define STATES(type, threads)                                                                                          \
    static type S[threads];                                                                                            \
    const u32 THREADS = threads
#define EACH for (u32 THREAD = 0; THREAD < THREADS; THREAD++)
#define STATE S[THREAD]
#define COLLECT
#endif

/* ---- values as bits ---- */

NEAR u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
NEAR u64 bits(f64 x) { return x != x ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, x); }
NEAR f32 from_bits(u32 x) { return __builtin_bit_cast(f32, x); }
NEAR f64 from_bits(u64 x) { return __builtin_bit_cast(f64, x); }

NEAR u32 mix(u32 h, u32 v) { return (h ^ v) * 0x9e3779b1u + (h >> 15); }
NEAR u32 fold(u32 h, u32 v) { return mix(h, v); }
NEAR u32 fold(u32 h, u64 v) { return mix(mix(h, (u32)v), (u32)(v >> 32)); }
NEAR u32 fold(u32 h, u8 v) { return mix(h, v); }
NEAR u32 fold(u32 h, u16 v) { return mix(h, v); }
NEAR u32 fold(u32 h, s8 v) { return mix(h, (u32)v); }
NEAR u32 fold(u32 h, s16 v) { return mix(h, (u32)v); }
NEAR u32 fold(u32 h, s32 v) { return mix(h, (u32)v); }
NEAR u32 fold(u32 h, s64 v) { return fold(h, (u64)v); }
NEAR u32 fold(u32 h, f32 v) { return mix(h, bits(v)); }
NEAR u32 fold(u32 h, f64 v) { return fold(h, bits(v)); }

/* ---- conversions from floating point: out of range gives `other` ---- */

#define TO_INTEGER(T, LOW, HIGH)                                                                                       \
    NEAR T to_##T(f32 x, T other) { return x > (f32)(LOW) && x < (f32)(HIGH) ? (T)x : other; }                         \
    NEAR T to_##T(f64 x, T other) { return x > (LOW) && x < (HIGH) ? (T)x : other; }
TO_INTEGER(u8, -1.0, 256.0)
TO_INTEGER(s8, -129.0, 128.0)
TO_INTEGER(u16, -1.0, 65536.0)
TO_INTEGER(s16, -32769.0, 32768.0)
TO_INTEGER(u32, -1.0, 4294967296.0)
TO_INTEGER(s32, -2147483648.0, 2147483648.0) /* the next below is a float's -2147483904 */
TO_INTEGER(u64, -1.0, 18446744073709551616.0)
TO_INTEGER(s64, -9223372036854775808.0, 9223372036854775808.0)

/* ---- arithmetic that plain operators do not give ---- */

#define DIVISIONS(T, LOWEST)                                                                                           \
    NEAR T quotient(T a, T b) { return b == 0 || (LOWEST && a == LOWEST && b == (T)-1) ? (T)(a ^ b) : (T)(a / b); }    \
    NEAR T remainder(T a, T b) { return b == 0 || (LOWEST && a == LOWEST && b == (T)-1) ? (T)(a | b) : (T)(a % b); }
DIVISIONS(u8, 0)
DIVISIONS(s8, -128)
DIVISIONS(u16, 0)
DIVISIONS(s16, -32768)
DIVISIONS(u32, 0)
DIVISIONS(s32, (-2147483647 - 1))
DIVISIONS(u64, 0)
DIVISIONS(s64, (-9223372036854775807 - 1))

#define OVERFLOWS(T)                                                                                                   \
    NEAR T plus_overflow(T a, T b)                                                                                     \
    {                                                                                                                  \
        T r;                                                                                                           \
        bool over = __builtin_add_overflow(a, b, &r);                                                                  \
        return over ? (T)~r : r;                                                                                       \
    }                                                                                                                  \
    NEAR T minus_overflow(T a, T b)                                                                                    \
    {                                                                                                                  \
        T r;                                                                                                           \
        bool over = __builtin_sub_overflow(a, b, &r);                                                                  \
        return over ? (T)(r >> 1) : r;                                                                                 \
    }
OVERFLOWS(u8)
OVERFLOWS(s8)
OVERFLOWS(u16)
OVERFLOWS(s16)
OVERFLOWS(u32)
OVERFLOWS(s32)
OVERFLOWS(u64)
OVERFLOWS(s64)

NEAR u64 high(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
NEAR s64 high(s64 a, s64 b) { return (s64)((s128)a * b >> 64); }
NEAR u32 high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
NEAR s32 high(s32 a, s32 b) { return (s32)((s64)a * b >> 32); }
NEAR u64 wide_sum(u64 a, u64 b, u64 c) { return (u64)((((u128)a << 64 | b) + ((u128)c << 64 | a)) >> 64); }
NEAR u64 wide_difference(u64 a, u64 b, u64 c) { return (u64)((((u128)a << 64 | b) - ((u128)c << 64 | a)) >> 64); }
NEAR u64 wide_shift(u64 a, u64 b, u32 n) { return (u64)(((u128)a << 64 | b) >> (n & 127)); }

/* u32 that are positive and negative numbers for sure, before they become floating-point ones: ptxas (12.3 and 12.9)
 * takes cvt.rn.f32.u32 of cvt.s32.s8 for a conversion of the signed byte. */
NEAR u32 small(u32 x) { return x & 0x7fffffffu; }
NEAR u32 large(u32 x) { return x | 0x80000000u; }

/* Not a NaN: 1 instead. copysign() would show its sign. */
NEAR f32 number(f32 x) { return x != x ? 1.0f : x; }
NEAR f64 number(f64 x) { return x != x ? 1.0 : x; }
NEAR f32 sign_of(f32 a, f32 b) { return __builtin_copysignf(a, number(b)); }
NEAR f64 sign_of(f64 a, f64 b) { return __builtin_copysign(a, number(b)); }
/* The sum with +0 makes -0 a +0 and a signalling NaN a quiet one. */
NEAR f32 least(f32 a, f32 b) { return __builtin_fminf(a + 0.0f, b + 0.0f); }
NEAR f64 least(f64 a, f64 b) { return __builtin_fmin(a + 0.0, b + 0.0); }
NEAR f32 most(f32 a, f32 b) { return __builtin_fmaxf(a + 0.0f, b + 0.0f); }
NEAR f64 most(f64 a, f64 b) { return __builtin_fmax(a + 0.0, b + 0.0); }
NEAR f32 joined(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
NEAR f64 joined(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
NEAR f32 magnitude(f32 a) { return __builtin_fabsf(a); }
NEAR f64 magnitude(f64 a) { return __builtin_fabs(a); }
NEAR f32 whole(f32 a) { return __builtin_truncf(a); }
NEAR f64 whole(f64 a) { return __builtin_trunc(a); }
NEAR f32 below(f32 a) { return __builtin_floorf(a); }
NEAR f64 below(f64 a) { return __builtin_floor(a); }
NEAR f32 above(f32 a) { return __builtin_ceilf(a); }
NEAR f64 above(f64 a) { return __builtin_ceil(a); }
NEAR f32 nearest(f32 a) { return __builtin_rintf(a); }
NEAR f64 nearest(f64 a) { return __builtin_rint(a); }
#ifdef __CUDA__
NEAR f32 root(f32 a) { return sqrtf(magnitude(a)); }
NEAR f64 root(f64 a) { return sqrt(magnitude(a)); }
#else
NEAR f32 root(f32 a) { return __builtin_sqrtf(magnitude(a)); }
NEAR f64 root(f64 a) { return __builtin_sqrt(magnitude(a)); }
#endif

/* ---- what threads do together: every thread of the block takes part ---- */

#ifdef __CUDA__
#define SHUFFLE(to, from, kind, amount)                                                                                \
    STATE.to = (u32)__nvvm_shfl_sync_##kind##_i32(~0u, (int)STATE.from, amount, CLAMP_##kind);
#define CLAMP_idx 31
#define CLAMP_up 0
#define CLAMP_down 31
#define CLAMP_bfly 31
#define BALLOT(to, from) STATE.to = __ballot_sync(~0u, STATE.from & 1);
#define ALL(to, from) STATE.to = __all_sync(~0u, STATE.from & 3);
#define ANY(to, from) STATE.to = __any_sync(~0u, !(STATE.from & 15));
NEAR void atomic_add(u32 *p, u32 v) { (void)atomicAdd(p, v); }
NEAR void atomic_add(u64 *p, u64 v) { (void)atomicAdd(p, v); }
NEAR void atomic_and(u32 *p, u32 v) { (void)atomicAnd((int *)p, (int)v); }
NEAR void atomic_or(u32 *p, u32 v) { (void)atomicOr((int *)p, (int)v); }
NEAR void atomic_xor(u32 *p, u32 v) { (void)atomicXor((int *)p, (int)v); }
NEAR void atomic_max(u32 *p, u32 v) { (void)atomicMax(p, v); }
NEAR void atomic_smin(u32 *p, u32 v) { (void)atomicMin((int *)p, (int)v); }
NEAR void atomic_smax(u32 *p, u32 v) { (void)atomicMax((int *)p, (int)v); }
NEAR void atomic_add_loop(u32 *p, u32 v)
{
    u32 seen = *(volatile u32 *)p, expected;
    do {
        expected = seen;
        seen = (u32)atomicCAS((int *)p, (int)expected, (int)(expected + v));
    } while (seen != expected);
}
#else
#define SHUFFLE(to, from, kind, amount)                                                                                \
    {                                                                                                                  \
        u32 all[96];                                                                                                   \
        EACH all[THREAD] = STATE.from;                                                                                 \
        EACH                                                                                                           \
        {                                                                                                              \
            u32 lane = THREAD & 31, source = lane_##kind(lane, amount);                                                \
            STATE.to = all[source < 32 ? (THREAD & ~31u) + source : THREAD];                                           \
        }                                                                                                              \
    }
NEAR u32 lane_idx(u32 lane, u32 n) { return (void)lane, n & 31; }
NEAR u32 lane_up(u32 lane, u32 n) { return lane - n; }
NEAR u32 lane_down(u32 lane, u32 n) { return lane + n; }
NEAR u32 lane_bfly(u32 lane, u32 n) { return lane ^ n; }
#define VOTE(to, predicate, result)                                                                                    \
    {                                                                                                                  \
        u32 votes[3] = {0, 0, 0};                                                                                      \
        EACH votes[THREAD / 32] |= (u32)(predicate) << (THREAD & 31);                                                  \
        EACH                                                                                                           \
        {                                                                                                              \
            u32 vote = votes[THREAD / 32];                                                                             \
            STATE.to = result;                                                                                         \
        }                                                                                                              \
    }
#define BALLOT(to, from) VOTE(to, STATE.from & 1, vote)
#define ALL(to, from) VOTE(to, (STATE.from & 3) != 0, vote == ~0u)
#define ANY(to, from) VOTE(to, (STATE.from & 15) == 0, vote != 0)
NEAR void atomic_add(u32 *p, u32 v) { *p += v; }
NEAR void atomic_add(u64 *p, u64 v) { *p += v; }
NEAR void atomic_and(u32 *p, u32 v) { *p &= v; }
NEAR void atomic_or(u32 *p, u32 v) { *p |= v; }
NEAR void atomic_xor(u32 *p, u32 v) { *p ^= v; }
NEAR void atomic_max(u32 *p, u32 v) { *p = *p > v ? *p : v; }
NEAR void atomic_smin(u32 *p, u32 v) { *p = (s32)*p < (s32)v ? *p : v; }
NEAR void atomic_smax(u32 *p, u32 v) { *p = (s32)*p > (s32)v ? *p : v; }
NEAR void atomic_add_loop(u32 *p, u32 v) { *p += v; }

/* What a file of programs gives to tests/random/compare.c: ends in a row without a name. */
struct random_program {
    const char *name;
    u32 blocks, threads;
    void (*run)(const u32 *in, u32 *out, u32 *global, u32 *sums, u32 block);
};
#endif

#endif
