/* Tensor cores: mma.sync by shape and type, wgmma by width. A chain has one accumulator, "four" four. */
#include "micro.h"
#include <cstring>

enum { STEPS = 16, ROUNDS = 4 };

#define D2 "{ %0, %1 }"
#define D4 "{ %0, %1, %2, %3 }"
#define C2(x) "+r"(x[0]), "+r"(x[1])
#define C4(x) "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
#define F4(x) "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
#define E2(x) "+d"(x[0]), "+d"(x[1])
#define E4(x) "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3])

#define MMA(name, T, U, COUNT, TEXT, CONSTRAINTS, ...)                                                                 \
    static __device__ __forceinline__ void name##_step(T *x, const U *p, const U *q)                                   \
    {                                                                                                                  \
        asm volatile(TEXT : CONSTRAINTS(x) : __VA_ARGS__);                                                             \
    }                                                                                                                  \
    extern "C" __global__ void name##_chain(ARGUMENTS)                                                                 \
    {                                                                                                                  \
        T x[COUNT] = {};                                                                                               \
        U p[4] = {(U)a, (U)a, (U)a, (U)a}, q[4] = {(U)b, (U)b, (U)b, (U)b};                                            \
        BEGIN                                                                                                          \
        REPEAT(STEPS, name##_step(x, p, q);)                                                                           \
        END((T *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1];                                         \
    }                                                                                                                  \
    extern "C" __global__ void name##_four(ARGUMENTS)                                                                  \
    {                                                                                                                  \
        T x[4][COUNT] = {};                                                                                            \
        U p[4] = {(U)a, (U)a, (U)a, (U)a}, q[4] = {(U)b, (U)b, (U)b, (U)b};                                            \
        BEGIN                                                                                                          \
        REPEAT(STEPS, name##_step(x[j % 4], p, q);)                                                                    \
        END((T *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = x[0][0] + x[1][0] + x[2][0] + x[3][0];               \
    }

#define A4 "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3])
#define A2 "r"(p[0]), "r"(p[1])
#define B2 "r"(q[0]), "r"(q[1])
#define B1 "r"(q[0])
MMA(m16n8k16_f16, unsigned, unsigned, 2,
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " D2 ", { %2, %3, %4, %5 }, { %6, %7 }, " D2 ";", C2, A4, B2)
MMA(m16n8k16_f32, float, unsigned, 4,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", F4, A4, B2)
MMA(m16n8k8_f32, float, unsigned, 4,
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", { %4, %5 }, { %6 }, " D4 ";", F4, A2, B1)
MMA(m16n8k16_bf16, float, unsigned, 4,
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", F4, A4, B2)
MMA(m16n8k8_tf32, float, unsigned, 4,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", F4, A4, B2)
MMA(m16n8k4_tf32, float, unsigned, 4,
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", { %4, %5 }, { %6 }, " D4 ";", F4, A2, B1)
MMA(m16n8k32_s8, unsigned, unsigned, 4,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", C4, A4, B2)
MMA(m16n8k16_s8, unsigned, unsigned, 4,
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " D4 ", { %4, %5 }, { %6 }, " D4 ";", C4, A2, B1)
MMA(m8n8k4_f64, double, double, 2, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " D2 ", { %2 }, { %3 }, " D2 ";",
    E2, "d"(p[0]), "d"(q[0]))
MMA(m16n8k8_f64, double, double, 4,
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", E4, "d"(p[0]),
    "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(q[0]), "d"(q[1]))
MMA(m16n8k256_b1, unsigned, unsigned, 4,
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc " D4 ", { %4, %5, %6, %7 }, { %8, %9 }, " D4 ";", C4, A4,
    B2)

#if !defined __CUDA_ARCH__ || defined __CUDA_ARCH_FEAT_SM90_ALL
extern __shared__ char dynamic[];

static __device__ uint64_t descriptor(const void *p)
{
    const uint64_t at = __cvta_generic_to_shared(p);
    return (at & 0x3ffff) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32; /* no swizzle, 128 and 256 bytes apart */
}

#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
#define WGMMA_KERNEL(name, T, COUNT, LOOP)                                                                             \
    extern "C" __global__ void name(ARGUMENTS)                                                                         \
    {                                                                                                                  \
        const uint64_t p = descriptor(dynamic), q = descriptor(dynamic + 8192);                                        \
        T x[COUNT] = {};                                                                                               \
        BEGIN                                                                                                          \
        LOOP END T sum = 0;                                                                                            \
        for (int i = 0; i < COUNT; i++)                                                                                \
            sum += x[i];                                                                                               \
        ((T *)memory)[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                                    \
    }
/* STEPS multiplications into one accumulator: waited for together at the end of each round, or (_wait) each by itself.
 */
#define TOGETHER(TEXT)                                                                                                 \
    _Pragma("unroll 1") for (unsigned i = 0; i < n; i++)                                                               \
    {                                                                                                                  \
        FENCE                                                                                                          \
        _Pragma("unroll") for (int j = 0; j < STEPS; j++){TEXT} COMMIT                                                 \
    }
#define WGMMA(name, T, COUNT, TEXT)                                                                                    \
    WGMMA_KERNEL(name, T, COUNT, TOGETHER(TEXT))                                                                       \
    WGMMA_KERNEL(name##_wait, T, COUNT, REPEAT(STEPS, FENCE TEXT COMMIT))
#include "wgmma.h"
#endif

static void run(const char *name, micro_kernel *kernel, unsigned warps, double operations, unsigned shared)
{
    struct micro_case c = {
        shared ? "wgmma" : "tensor", name, kernel, 1, 32 * warps, shared, ROUNDS, 0, 0, operations, 0, 0, 0};
    micro_run(&c);
}

void micro_tensor(void)
{
#define RUN(name)                                                                                                      \
    run(#name "_chain", name##_chain, 1, STEPS, 0);                                                                    \
    run(#name "_chain", name##_chain, 32, STEPS, 0);                                                                   \
    micro_extra(1);                                                                                                    \
    run(#name "_chain", name##_chain, 4, STEPS, 0);                                                                    \
    run(#name "_four", name##_four, 1, STEPS, 0);                                                                      \
    run(#name "_four", name##_four, 4, STEPS, 0);                                                                      \
    run(#name "_four", name##_four, 16, STEPS, 0);                                                                     \
    micro_extra(0);
    RUN(m16n8k16_f16)
    RUN(m16n8k16_f32)
    RUN(m16n8k8_tf32)
    RUN(m16n8k32_s8)
    RUN(m16n8k8_f64)
#undef RUN
#define RUN(name)                                                                                                      \
    run(#name "_chain", name##_chain, 1, STEPS, 0);                                                                    \
    run(#name "_chain", name##_chain, 32, STEPS, 0);
        micro_extra(1);
    RUN(m16n8k8_f32) RUN(m16n8k16_bf16) RUN(m16n8k4_tf32) RUN(m16n8k16_s8) RUN(m8n8k4_f64) RUN(m16n8k256_b1)
#undef RUN
}

void micro_wgmma(void)
{
#define RUN(name)                                                                                                      \
    micro_extra(strcmp(#name, "wgmma_n256_f32") && strcmp(#name, "wgmma_n64_f32"));                                    \
    run(#name, name, 4, STEPS, 65536);                                                                                 \
    run(#name, name, 8, STEPS, 65536);                                                                                 \
    run(#name "_wait", name##_wait, 4, STEPS, 65536);
    WGMMAS(RUN)
#undef RUN
}
