/* What the test kernels have beside reprise/cuda.h. */
#ifndef REPRISE_TESTS_KERNELS_CUDA_MIN_CUH
#define REPRISE_TESTS_KERNELS_CUDA_MIN_CUH

#include "../../tools/cuda/reprise/cuda.h"

/* Kernels keep their plain names in the module. */
#define KERNEL extern "C" __global__ void

/* The test kernels are compiled with -target-feature +ptx60, so clang has builtins for shuffles and votes. Their
 * operands may be immediates, those of the header's inline assembly are registers. nvcc has functions of its own. */
#ifndef __NVCC__
#define KERNEL_SHUFFLE(name, mode, T, type, clamp)                                                                     \
    static __device__ __forceinline__ T kernel_##name(unsigned mask, T v, unsigned lane)                               \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##mode##_##type(mask, v, (int)lane, clamp);                                            \
    }
KERNEL_SHUFFLE(shfl_sync, idx, int, i32, 31)
KERNEL_SHUFFLE(shfl_up_sync, up, int, i32, 0)
KERNEL_SHUFFLE(shfl_down_sync, down, int, i32, 31)
KERNEL_SHUFFLE(shfl_down_sync, down, float, f32, 31)
KERNEL_SHUFFLE(shfl_xor_sync, bfly, int, i32, 31)
KERNEL_SHUFFLE(shfl_xor_sync, bfly, float, f32, 31)
/* All three registers of an index are read where one is: the order of reads, on which cycles of many tests depend. */
#define threadIdx reprise_threadIdx::all()
#define blockIdx reprise_blockIdx::all()
#define blockDim reprise_blockDim::all()
#define gridDim reprise_gridDim::all()
#define __shfl_sync kernel_shfl_sync
#define __shfl_up_sync kernel_shfl_up_sync
#define __shfl_down_sync kernel_shfl_down_sync
#define __shfl_xor_sync kernel_shfl_xor_sync
#define __ballot_sync __nvvm_vote_ballot_sync
#define __all_sync __nvvm_vote_all_sync
#define __any_sync __nvvm_vote_any_sync
#else /* functions that nvcc has only for the host */
#define __builtin_popcountll(x) __popcll(x)
#define __builtin_clzll(x) __clzll((long long)(x))
#define __builtin_ctzll(x) (__ffsll((long long)(x)) - 1)
#define __builtin_bswap32(x) __byte_perm(x, 0, 0x0123)
#endif

#endif
