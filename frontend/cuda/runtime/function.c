/* Kernels: attributes and occupancy. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

static size_t get(CUfunction f, int attribute)
{
    int value = 0;
    return cuFuncGetAttribute(&value, attribute, f) ? 0 : (size_t)value;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
    CUfunction f;
    if (!a)
        return fail(cudaErrorInvalidValue);
    if (!function_of(function, &f))
        return last_error();
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = get(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    a->constSizeBytes = get(f, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    a->localSizeBytes = get(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    a->maxThreadsPerBlock = (int)get(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    a->numRegs = (int)get(f, CU_FUNC_ATTRIBUTE_NUM_REGS);
    a->ptxVersion = (int)get(f, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    a->binaryVersion = (int)get(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    a->cacheModeCA = (int)get(f, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
    a->maxDynamicSharedSizeBytes = (int)get(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    a->preferredShmemCarveout = (int)get(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    CUfunction f;
    return function_of(function, &f) ? done(cuFuncSetAttribute(f, attribute, value)) : last_error();
}

/* Hints, which have no effect. */
cudaError_t cudaFuncSetCacheConfig(const void *function, int config)
{
    CUfunction f;
    (void)config;
    return function_of(function, &f) ? cudaSuccess : last_error();
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, int config)
{
    return cudaFuncSetCacheConfig(function, config);
}

#if CUDART_MAJOR >= 12
cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    CUfunction f;
    return function_of(function, &f) ? done(cuFuncGetName(name, f)) : last_error();
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
    CUfunction f;
    return function_of(function, &f) ? done(cuFuncGetParamInfo(f, index, offset, bytes)) : last_error();
}
#endif

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t shared, unsigned flags)
{
    CUfunction f;
    if (!blocks)
        return fail(cudaErrorInvalidValue);
    return function_of(function, &f)
               ? done(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, flags))
               : last_error();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks, int threads)
{
    CUfunction f;
    return function_of(function, &f) ? done(cuOccupancyAvailableDynamicSMemPerBlock(shared, f, blocks, threads))
                                     : last_error();
}
