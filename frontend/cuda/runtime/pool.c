/* Stream-ordered memory and its pools. */
#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    if (!bytes) {
        *pointer = NULL;
        return cudaSuccess;
    }
    return done(cuMemAllocAsync((CUdeviceptr *)pointer, bytes, stream_of(stream)));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    return done(cuMemAllocFromPoolAsync((CUdeviceptr *)pointer, bytes, pool, stream_of(stream)));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (!ready())
        return last_error();
    return pointer ? done(cuMemFreeAsync((CUdeviceptr)pointer, stream_of(stream))) : cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    CUdevice handle;
    return device_handle(device, &handle) ? done(cuDeviceGetDefaultMemPool(pool, handle)) : last_error();
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    CUdevice handle;
    return device_handle(device, &handle) ? done(cuDeviceGetMemPool(pool, handle)) : last_error();
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    CUdevice handle;
    return device_handle(device, &handle) ? done(cuDeviceSetMemPool(handle, pool)) : last_error();
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type)
{
    return ready() ? done(cuMemGetDefaultMemPool(pool, (CUmemLocation *)location, type)) : last_error();
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, int type)
{
    return ready() ? done(cuMemGetMemPool(pool, (CUmemLocation *)location, type)) : last_error();
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, int type, cudaMemPool_t pool)
{
    return ready() ? done(cuMemSetMemPool((CUmemLocation *)location, type, pool)) : last_error();
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const CUmemPoolProps *properties)
{
    return ready() ? done(cuMemPoolCreate(pool, properties)) : last_error();
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return ready() ? done(cuMemPoolDestroy(pool)) : last_error(); }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
    return ready() ? done(cuMemPoolSetAttribute(pool, attribute, value)) : last_error();
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value)
{
    return ready() ? done(cuMemPoolGetAttribute(pool, attribute, value)) : last_error();
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    return ready() ? done(cuMemPoolTrimTo(pool, bytes)) : last_error();
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count)
{
    return ready() ? done(cuMemPoolSetAccess(pool, (const CUmemAccessDesc *)access, count)) : last_error();
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    return ready() ? done(cuMemPoolGetAccess(flags, pool, (CUmemLocation *)location)) : last_error();
}
