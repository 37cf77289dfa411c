/* The CUDA runtime API as code of the host calls it. That code is parsed and not kept, so that a function takes
 * anything: each is a template, with the names from the rows that libcudart's own functions are made of. */
#ifndef REPRISE_CUDA_RUNTIME_H
#define REPRISE_CUDA_RUNTIME_H
#pragma GCC system_header

#include "runtime_types.h"

/* Programs take the address of these, for example as the deleter of a pointer. */
#define cudaFree reprise_any_cudaFree
#define cudaFreeHost reprise_any_cudaFreeHost
#define cudaFreeArray reprise_any_cudaFreeArray
#define cudaStreamDestroy reprise_any_cudaStreamDestroy
#define cudaEventDestroy reprise_any_cudaEventDestroy
#define cudaGraphDestroy reprise_any_cudaGraphDestroy
#define cudaGraphExecDestroy reprise_any_cudaGraphExecDestroy
#define cudaDestroyTextureObject reprise_any_cudaDestroyTextureObject

#define GROUP(title)
#define FN(range, variant, name, ...) template <class... A> __host__ cudaError_t name(const A &...);
#define OTHER(range, type, name, parameters) __host__ type name parameters;
#define MISSING(range, variant, name) FN(range, variant, name)
#include "rows/runtime_functions.def"
#undef GROUP
#undef FN
#undef OTHER
#undef MISSING

#undef cudaFree
#undef cudaFreeHost
#undef cudaFreeArray
#undef cudaStreamDestroy
#undef cudaEventDestroy
#undef cudaGraphDestroy
#undef cudaGraphExecDestroy
#undef cudaDestroyTextureObject
__host__ cudaError_t cudaFree(void *);
__host__ cudaError_t cudaFreeHost(void *);
__host__ cudaError_t cudaFreeArray(cudaArray_t);
__host__ cudaError_t cudaStreamDestroy(cudaStream_t);
__host__ cudaError_t cudaEventDestroy(cudaEvent_t);
__host__ cudaError_t cudaGraphDestroy(cudaGraph_t);
__host__ cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
__host__ cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);

/* What the runtime's C++ header adds to libcudart. */
template <class T> __host__ cudaChannelFormatDesc cudaCreateChannelDesc();
__host__ cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth);
__host__ cudaPos make_cudaPos(size_t x, size_t y, size_t z);
__host__ cudaPitchedPtr make_cudaPitchedPtr(void *, size_t pitch, size_t xsize, size_t ysize);
#define REPRISE_ANY(name) template <class... A> __host__ cudaError_t name(const A &...);
REPRISE_ANY(cudaOccupancyMaxPotentialBlockSize)
REPRISE_ANY(cudaOccupancyMaxPotentialBlockSizeWithFlags)
REPRISE_ANY(cudaOccupancyMaxPotentialBlockSizeVariableSMem)
REPRISE_ANY(cudaLaunchKernelEx)
#undef REPRISE_ANY

/* What clang makes of kernel<<<grid, block, shared, stream>>>. */
__host__ cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = 0);
__host__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = 0);

/* nvcc includes these, too. */
#if __has_include(<cmath>)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#endif

#endif
