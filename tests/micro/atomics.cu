/* Atomics on global memory: latency of one, and how many the chip does in a cycle, by how addresses meet. */
#include "micro.h"

enum { STEPS = 8 };

/* a: bytes from lane to lane; b: from warp to warp of the grid. */
#define PLACE                                                                                                          \
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;                                                \
    char *at = memory + (((size_t)warp * b + threadIdx.x % 32 * a) & ((16 << 20) - 1));                                \
    unsigned x = 1;

#define ATOMIC(name, TEXT)                                                                                             \
    extern "C" __global__ void name(ARGUMENTS)                                                                         \
    {                                                                                                                  \
        PLACE                                                                                                          \
        BEGIN                                                                                                          \
        _Pragma("unroll 1") for (unsigned i = 0; i < n; i++)                                                           \
        {                                                                                                              \
            _Pragma("unroll") for (int j = 0; j < STEPS; j++) asm volatile(TEXT : "+r"(x) : "l"(at) : "memory");       \
        }                                                                                                              \
        END if (x == 0x12345678) *memory = 1;                                                                          \
    }
ATOMIC(atom_add, "atom.global.add.u32 %0, [%1], %0;")
ATOMIC(atom_cas, "atom.global.cas.b32 %0, [%1], %0, %0;")
ATOMIC(atom_exch, "atom.global.exch.b32 %0, [%1], %0;")
ATOMIC(atom_max, "atom.global.max.u32 %0, [%1], %0;")
ATOMIC(atom_add_f32, "{ .reg .f32 f; mov.b32 f, %0; atom.global.add.f32 f, [%1], f; mov.b32 %0, f; }")
ATOMIC(atom_add_u64, "{ .reg .u64 t; cvt.u64.u32 t, %0; atom.global.add.u64 t, [%1], t; cvt.u32.u64 %0, t; }")
ATOMIC(atom_free, "{ .reg .u32 t; atom.global.add.u32 t, [%1], 1; or.b32 %0, %0, t; }")
ATOMIC(red_add, "red.global.add.u32 [%1], %0;")
ATOMIC(red_add_f32, "{ .reg .f32 f; mov.b32 f, %0; red.global.add.f32 [%1], f; }")
ATOMIC(red_add_f16x2, "red.global.add.noftz.f16x2 [%1], %0;")
ATOMIC(red_add_u64, "{ .reg .u64 t; cvt.u64.u32 t, %0; red.global.add.u64 [%1], t; }")
ATOMIC(red_max, "red.global.max.u32 [%1], %0;")

static void run(const char *name, micro_kernel *kernel, unsigned blocks, unsigned threads, unsigned lanes,
                unsigned warps, unsigned rounds)
{
    struct micro_case c = {"atomics", name, kernel, blocks, threads, 0, rounds, lanes, warps, STEPS, 0, 0, 0};
    micro_run(&c);
}

void micro_atomics(void)
{
    micro_check(cudaMemset(micro_memory(32 << 20), 0, 32 << 20), "cudaMemset");
#define RUN(name, ...) run(#name, name, __VA_ARGS__);
    RUN(atom_add, 1, 1, 0, 0, 16)
    RUN(atom_cas, 1, 1, 0, 0, 16)
    RUN(atom_exch, 1, 1, 0, 0, 16)
    micro_extra(1);
    RUN(atom_max, 1, 1, 0, 0, 16)
    RUN(atom_add_f32, 1, 1, 0, 0, 16)
    RUN(atom_add_u64, 1, 1, 0, 0, 16)
    for (unsigned lanes : {0u, 4u, 32u, 128u}) {
        micro_extra(lanes == 32);
        RUN(atom_add, 1, 32, lanes, 0, 16)
        RUN(atom_cas, 1, 32, lanes, 0, 16)
        RUN(atom_free, 1, 1024, lanes, 4096, 4)
        RUN(red_add, 1, 1024, lanes, 4096, 4)
    }
    /* one address; one a warp; a line of 32; a line each; all apart */
    static const unsigned places[][2] = {{0, 0}, {0, 128}, {4, 0}, {4, 128}, {32, 1024}, {128, 4096}};
    for (const unsigned *p : places) {
        micro_extra(p[0] > 4 || (p[0] == 4 && p[1] == 0));
        RUN(red_add, 132, 256, p[0], p[1], 2)
        RUN(atom_free, 132, 256, p[0], p[1], 2)
        micro_extra(1);
        RUN(red_add_f32, 132, 256, p[0], p[1], 2)
        RUN(atom_cas, 132, 256, p[0], p[1], 2)
    }
    RUN(red_max, 132, 256, 0, 0, 2)
    RUN(red_add_u64, 132, 256, 0, 0, 2)
    RUN(red_add_u64, 132, 256, 8, 256, 2)
    RUN(red_add_f16x2, 132, 256, 0, 0, 2)
    RUN(red_add_f16x2, 132, 256, 4, 128, 2)
    micro_extra(0);
#undef RUN
}
