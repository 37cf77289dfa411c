/* The words of CUDA C++ that clang knows as attributes, the constants of a thread, and what nvcc predefines. */
#ifndef REPRISE_CUDA_LANGUAGE_H
#define REPRISE_CUDA_LANGUAGE_H
#pragma GCC system_header

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#if __clang_major__ < 15 /* later, a keyword */
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

/* Functions of the device, and functions that host and device share. The code of the host is parsed and not kept: what
 * it calls only needs to be declared. */
#define REPRISE_FN static __device__ __attribute__((nodebug)) __forceinline__
#define REPRISE_BOTH static __host__ __device__ __attribute__((nodebug)) __forceinline__
#define REPRISE_MEMBER __host__ __device__ __attribute__((nodebug)) __forceinline__

#endif
