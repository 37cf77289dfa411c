/* Launching kernels. */
#include "frontend/cuda/runtime/runtime.h"

#define NESTED 32 /* launches whose arguments contain launches */

static __thread struct configuration {
    struct dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configurations[NESTED];
static __thread unsigned depth;

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, cudaStream_t stream)
{
    if (depth == NESTED)
        return 1;
    configurations[depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
    if (!depth)
        return fail(cudaErrorMissingConfiguration);
    const struct configuration *c = &configurations[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

static bool in_range(unsigned extent, int limit)
{
    int most = 0;
    cuDeviceGetAttribute(&most, limit, (CUdevice)current_device());
    return extent && extent <= (unsigned)most;
}

/* Converts an error of a launch: the driver's invalid value is an invalid configuration here if the launch's shape
 * causes it. */
static cudaError_t launched(CUresult result, struct dim3 grid, struct dim3 block)
{
    if (result != CUDA_ERROR_INVALID_VALUE)
        return done(result);
    bool shape = in_range(grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
                 in_range(grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
                 in_range(grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) &&
                 in_range(block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
                 in_range(block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
                 in_range(block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
                 in_range(block.x * block.y * block.z, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    return fail(shape ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration);
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    CUfunction handle;
    if (!function_of(function, &handle))
        return last_error();
    if (shared > UINT32_MAX)
        return fail(cudaErrorInvalidValue);
    return launched(cuLaunchKernel(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,
                                   stream_of(stream), arguments, NULL),
                    grid, block);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    CUfunction handle;
    if (!function_of(function, &handle))
        return last_error();
    if (shared > UINT32_MAX)
        return fail(cudaErrorInvalidValue);
    return launched(cuLaunchCooperativeKernel(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                              (unsigned)shared, stream_of(stream), arguments),
                    grid, block);
}

/* Converts to the driver's description of a launch. False after fail(). */
static bool config_of(const struct cudaLaunchConfig *config, const void *function, CUfunction *handle,
                      CUlaunchConfig *c)
{
    if (!config || config->dynamicSmemBytes > UINT32_MAX)
        return fail(cudaErrorInvalidValue), false;
    if (!function_of(function, handle))
        return false;
    *c = (CUlaunchConfig){
        .gridDimX = config->gridDim.x,
        .gridDimY = config->gridDim.y,
        .gridDimZ = config->gridDim.z,
        .blockDimX = config->blockDim.x,
        .blockDimY = config->blockDim.y,
        .blockDimZ = config->blockDim.z,
        .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
        .hStream = stream_of(config->stream),
        .attrs = config->attrs,
        .numAttrs = config->numAttrs,
    };
    return true;
}

cudaError_t cudaLaunchKernelExC(const struct cudaLaunchConfig *config, const void *function, void **arguments)
{
    CUfunction handle;
    CUlaunchConfig c;
    if (!config_of(config, function, &handle, &c))
        return last_error();
    return launched(cuLaunchKernelEx(&c, handle, arguments, NULL), config->gridDim, config->blockDim);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const struct cudaLaunchConfig *config)
{
    CUfunction handle;
    CUlaunchConfig c;
    return config_of(config, function, &handle, &c) ? done(cuOccupancyMaxActiveClusters(clusters, handle, &c))
                                                    : last_error();
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const struct cudaLaunchConfig *config)
{
    CUfunction handle;
    CUlaunchConfig c;
    return config_of(config, function, &handle, &c) ? done(cuOccupancyMaxPotentialClusterSize(size, handle, &c))
                                                    : last_error();
}

#if CUDART_MAJOR >= 12
/* The handle is the host function's address, which cudaLaunchKernel looks up, too; the module is loaded by the launch.
 */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, struct dim3 grid, struct dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *function)
{
    return cudaGetFuncBySymbol((cudaFunction_t *)handle, function);
}
#endif

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *function)
{
    CUfunction found;
    if (!handle)
        return fail(cudaErrorInvalidValue);
    if (!function_of(function, &found))
        return last_error();
    *handle = found;
    return cudaSuccess;
}
