/* Where a thread is, and how it waits; CUDA C++ Programming Guide, "Built-in Variables", "Synchronization Functions".
 */
#ifndef REPRISE_CUDA_THREADS_H
#define REPRISE_CUDA_THREADS_H
#pragma GCC system_header

#include "vectors.h"

/* An object whose members are special registers: programs may have variables of the same name in code of the host. */
#define REPRISE_INDEX(name, registers)                                                                                 \
    struct reprise_##name {                                                                                            \
        __declspec(property(get = get_x)) unsigned x;                                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                                  \
        REPRISE_FN uint3 all()                                                                                         \
        {                                                                                                              \
            return {(unsigned)__nvvm_read_ptx_sreg_##registers##_x(),                                                  \
                    (unsigned)__nvvm_read_ptx_sreg_##registers##_y(),                                                  \
                    (unsigned)__nvvm_read_ptx_sreg_##registers##_z()};                                                 \
        }                                                                                                              \
        REPRISE_FN unsigned get_x() { return all().x; }                                                                \
        REPRISE_FN unsigned get_y() { return all().y; }                                                                \
        REPRISE_FN unsigned get_z() { return all().z; }                                                                \
        __device__ __attribute__((nodebug)) __forceinline__ operator dim3() const { return all(); }                    \
        __device__ __attribute__((nodebug)) __forceinline__ operator uint3() const { return all(); }                   \
        reprise_##name() = delete;                                                                                     \
        reprise_##name(const reprise_##name &) = delete;                                                               \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) reprise_##name name;
REPRISE_INDEX(threadIdx, tid)
REPRISE_INDEX(blockIdx, ctaid)
REPRISE_INDEX(blockDim, ntid)
REPRISE_INDEX(gridDim, nctaid)
#undef REPRISE_INDEX
constexpr int warpSize = 32;

/* __syncthreads is a builtin of clang's. */
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
REPRISE_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
REPRISE_FN unsigned __smid()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

#define REPRISE_SPACE(name, Name, space)                                                                               \
    REPRISE_FN bool __is##Name(const void *p)                                                                          \
    {                                                                                                                  \
        unsigned is;                                                                                                   \
        asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));                  \
        return is;                                                                                                     \
    }                                                                                                                  \
    REPRISE_FN size_t __cvta_generic_to_##name(const void *p)                                                          \
    {                                                                                                                  \
        size_t to;                                                                                                     \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(to) : "l"(p));                                                      \
        return to;                                                                                                     \
    }                                                                                                                  \
    REPRISE_FN void *__cvta_##name##_to_generic(size_t p)                                                              \
    {                                                                                                                  \
        void *to;                                                                                                      \
        asm("cvta." space ".u64 %0, %1;" : "=l"(to) : "l"(p));                                                         \
        return to;                                                                                                     \
    }
REPRISE_SPACE(global, Global, "global")
REPRISE_SPACE(shared, Shared, "shared")
REPRISE_SPACE(constant, Constant, "const")
REPRISE_SPACE(local, Local, "local")
#undef REPRISE_SPACE

#endif
