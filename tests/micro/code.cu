/* Instruction caches: straight code of so many KB, run by one warp, one of each sub-core, and many. */
#include "micro.h"

template <int COUNT> static __device__ __forceinline__ void straight(float *x, float y)
{
    if constexpr (COUNT > 64) {
        straight<COUNT / 2>(x, y);
        straight<COUNT - COUNT / 2>(x, y);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 8]) : "f"(y));
    }
}

#define CODE(KB)                                                                                                       \
    extern "C" __global__ void code_##KB(ARGUMENTS)                                                                    \
    {                                                                                                                  \
        float x[8] = {}, y = __uint_as_float(a);                                                                       \
        BEGIN                                                                                                          \
        _Pragma("unroll 1") for (unsigned i = 0; i < n; i++) straight<KB * 64 - 16>(x, y);                             \
        END((float *)memory)[threadIdx.x] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];                     \
    }
#define SIZES(X) X(1) X(4) X(8) X(16) X(24) X(32) X(40) X(48) X(64) X(80) X(96) X(128) X(160) X(256)
SIZES(CODE)

void micro_code(void)
{
#define RUN(KB)                                                                                                        \
    micro_extra(KB == 24 || KB == 40 || KB == 48 || KB == 80 || KB == 64 || KB == 96 || KB == 160 || KB == 256);       \
    for (unsigned w : {1u, 4u, 16u}) {                                                                                 \
        struct micro_case c = {"code", "code_" #KB, code_##KB, 1, 32 * w, 0, 1, 0x3f000000, 0, KB * 64 - 16, 0, 0, 0}; \
        micro_run(&c);                                                                                                 \
    }
    SIZES(RUN)
}
