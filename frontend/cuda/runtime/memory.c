/* Memory: device, pinned, registered, managed, pitched; queries of pointers. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    if (!bytes) {
        *pointer = NULL;
        return cudaSuccess;
    }
    return done(cuMemAlloc_v2((CUdeviceptr *)pointer, bytes));
}

cudaError_t cudaFree(void *pointer)
{
    if (!ready())
        return last_error();
    return pointer ? done(cuMemFree_v2((CUdeviceptr)pointer)) : cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    if (!bytes) {
        *pointer = NULL;
        return cudaSuccess;
    }
    return done(cuMemHostAlloc(pointer, bytes, flags));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaFreeHost(void *pointer)
{
    if (!ready())
        return last_error();
    return pointer ? done(cuMemFreeHost(pointer)) : cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return ready() ? done(cuMemHostRegister_v2(pointer, bytes, flags)) : last_error();
}

cudaError_t cudaHostUnregister(void *pointer) { return ready() ? done(cuMemHostUnregister(pointer)) : last_error(); }

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    return ready() ? done(cuMemHostGetDevicePointer_v2((CUdeviceptr *)device, host, flags)) : last_error();
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    return ready() ? done(cuMemHostGetFlags(flags, host)) : last_error();
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer || !bytes)
        return fail(cudaErrorInvalidValue);
    return ready() ? done(cuMemAllocManaged((CUdeviceptr *)pointer, bytes, flags)) : last_error();
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pointer || !pitch)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    if (!width || !height) {
        *pointer = NULL;
        *pitch = 0;
        return cudaSuccess;
    }
    return done(cuMemAllocPitch_v2((CUdeviceptr *)pointer, pitch, width, height, 4));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    void *address;
    size_t pitch;
    if (!pointer)
        return fail(cudaErrorInvalidValue);
    cudaError_t error = cudaMallocPitch(&address, &pitch, extent.width, extent.height * extent.depth);
    if (!error)
        *pointer = (struct cudaPitchedPtr){address, pitch, extent.width, extent.height};
    return error;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    return ready() ? done(cuMemGetInfo_v2(free, total)) : last_error();
}

#define NO_DEVICE (-2) /* cudaInvalidDeviceId */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    CUdeviceptr address = (CUdeviceptr)pointer, device = 0;
    unsigned type = 0, managed = 0;
    int ordinal = 0;
    void *host = NULL;
    if (!attributes || !pointer)
        return fail(cudaErrorInvalidValue);
    if (!ready())
        return last_error();
    memset(attributes, 0, sizeof *attributes);
    if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)) {
        attributes->device = NO_DEVICE;
        attributes->hostPointer = (void *)pointer;
        return cudaSuccess;
    }
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
    cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    if (!cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address))
        attributes->devicePointer = (void *)device;
    if (!cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, address))
        attributes->hostPointer = host;
    attributes->type = managed ? 3 : (int)type;
    attributes->device = ordinal;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned flags)
{
    return ready() ? done(cuStreamAttachMemAsync(stream_of(stream), (CUdeviceptr)pointer, bytes, flags)) : last_error();
}

/* ---- hints for managed memory ------------------------------------------------------------------------------------ */

static cudaError_t prefetch(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    return ready() ? done(cuMemPrefetchAsync((CUdeviceptr)pointer, bytes, device, stream_of(stream))) : last_error();
}

static cudaError_t advise(const void *pointer, size_t bytes, int advice, int device)
{
    return ready() ? done(cuMemAdvise((CUdeviceptr)pointer, bytes, advice, device)) : last_error();
}

#if CUDART_MAJOR < 13
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    return prefetch(pointer, bytes, device, stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device)
{
    return advise(pointer, bytes, advice, device);
}
#endif

#if CUDART_MAJOR >= 12
enum { CPU = -1, LOCATION_DEVICE = 1 }; /* cudaCpuDeviceId, cudaMemLocationTypeDevice */

cudaError_t SECOND_VERSION(cudaMemPrefetchAsync)(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                                 unsigned flags, cudaStream_t stream)
{
    (void)flags;
    return prefetch(pointer, bytes, location.type == LOCATION_DEVICE ? location.id : CPU, stream);
}

cudaError_t SECOND_VERSION(cudaMemAdvise)(const void *pointer, size_t bytes, int advice,
                                          struct cudaMemLocation location)
{
    return advise(pointer, bytes, advice, location.type == LOCATION_DEVICE ? location.id : CPU);
}
#endif

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes, int attribute, const void *pointer, size_t bytes)
{
    return ready() ? done(cuMemRangeGetAttribute(data, data_bytes, attribute, (CUdeviceptr)pointer, bytes))
                   : last_error();
}
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes, int *attributes, size_t count,
                                      const void *pointer, size_t bytes)
{
    return ready() ? done(cuMemRangeGetAttributes(data, data_bytes, attributes, count, (CUdeviceptr)pointer, bytes))
                   : last_error();
}
