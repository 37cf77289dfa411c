#include "frontend/core/lanes/simd.h"

#include <stdatomic.h>
#include <stdlib.h>

static int detect(void)
{
    int level = 2;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        level = 3;
    if (level == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        level = 4;
#endif
    const char *wanted = getenv("REPRISE_SIMD");
    if (wanted && atoi(wanted) >= 2 && atoi(wanted) < level)
        level = atoi(wanted);
    return level;
}

int simd_level(void)
{
    static _Atomic int known; /* concurrent callers compute the same value */
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level)
        atomic_store_explicit(&known, level = detect(), memory_order_relaxed);
    return level;
}
