/* The CUDA runtime API as code of the host calls it. That code is parsed and not kept, so that a function takes
 * anything; the names are from the rows that libcudart's own functions are made of. */
#ifndef REPRISE_CUDA_RUNTIME_H
#define REPRISE_CUDA_RUNTIME_H
#pragma GCC system_header

#include "runtime_types.h"

/* Programs ask by these names whether the headers are there. */
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__

#define GROUP(title)
#define FN(range, variant, name, ...) __host__ cudaError_t name(...);
#define OTHER(range, type, name, parameters) __host__ type name parameters;
#define MISSING(range, variant, name) FN(range, variant, name)
#include "rows/runtime_functions.def"
#undef GROUP
#undef FN
#undef OTHER
#undef MISSING

/* For code of the device. The handle is the address of the condition (docs/cuda-source.md). */
REPRISE_FN void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value)
{
    *reinterpret_cast<unsigned *>(handle) = value;
}

/* Programs give these objects that become pointers. */
__host__ cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind);
__host__ cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t = 0);

/* What the runtime's C++ header adds to libcudart. */
template <class T> __host__ cudaChannelFormatDesc cudaCreateChannelDesc();
__host__ cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth);
__host__ cudaPos make_cudaPos(size_t x, size_t y, size_t z);
__host__ cudaPitchedPtr make_cudaPitchedPtr(void *, size_t pitch, size_t xsize, size_t ysize);
__host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(...);
__host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(...);
__host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(...);
__host__ cudaError_t cudaLaunchKernelEx(...);

/* What clang makes of kernel<<<grid, block, shared, stream>>>. */
__host__ cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = 0);
__host__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = 0);

/* nvcc includes these, too. */
#if __has_include(<cmath>)
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#endif

#endif
