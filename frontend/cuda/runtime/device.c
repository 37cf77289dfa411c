/* Devices: number, selection, properties; limits; waiting for everything. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaGetDeviceCount(int *count)
{
    CUdevice first;
    if (!count)
        return fail(cudaErrorInvalidValue);
    *count = 0;
    if (!device_handle(0, &first))
        return last_error();
    return done(cuDeviceGetCount(count));
}

#if CUDART_MAJOR >= 12
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    CUdevice handle;
    CUcontext context;
    (void)device_flags, (void)flags;
    return device_handle(device, &handle) ? done(cuDevicePrimaryCtxRetain(&context, handle)) : last_error();
}
#endif

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    CUdevice handle;
    for (int i = 0; i < count; i++)
        if (!device_handle(devices[i], &handle))
            return last_error();
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wish)
{
    if (!device || !wish)
        return fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    CUdevice handle;
    if (!value)
        return fail(cudaErrorInvalidValue);
    return device_handle(device, &handle) ? done(cuDeviceGetAttribute(value, attribute, handle)) : last_error();
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    CUdevice handle;
    return device_handle(current_device(), &handle) ? done(cuDevicePrimaryCtxSetFlags_v2(handle, flags)) : last_error();
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    CUdevice handle;
    int active;
    if (!flags)
        return fail(cudaErrorInvalidValue);
    return device_handle(current_device(), &handle) ? done(cuDevicePrimaryCtxGetState(handle, flags, &active))
                                                    : last_error();
}

cudaError_t cudaDeviceSynchronize(void) { return ready() ? done(cuCtxSynchronize()) : last_error(); }

cudaError_t cudaDeviceReset(void)
{
    CUdevice handle;
    if (!device_handle(current_device(), &handle))
        return last_error();
    forget_modules(current_device());
    cuCtxSetCurrent(NULL);
    return done(cuDevicePrimaryCtxReset_v2(handle));
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    return ready() ? done(cuCtxSetLimit(limit, value)) : last_error();
}

cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
    return ready() ? done(cuCtxGetLimit(value, limit)) : last_error();
}

/* Hints for caches and banks have no effect. */
static __thread int cache_config, shared_config;

cudaError_t cudaDeviceSetCacheConfig(int config)
{
    cache_config = config;
    return ready() ? cudaSuccess : last_error();
}

cudaError_t cudaDeviceGetCacheConfig(int *config)
{
    *config = cache_config;
    return ready() ? cudaSuccess : last_error();
}

cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
    shared_config = config;
    return ready() ? cudaSuccess : last_error();
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
    *config = shared_config;
    return ready() ? cudaSuccess : last_error();
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return ready() ? done(cuCtxGetStreamPriorityRange(least, greatest)) : last_error();
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    CUdevice handle;
    return device_handle(device, &handle) ? done(cuDeviceGetPCIBusId(text, size, handle)) : last_error();
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    CUdevice first, handle;
    if (!device || !text)
        return fail(cudaErrorInvalidValue);
    if (!device_handle(0, &first) || done(cuDeviceGetByPCIBusId(&handle, text)))
        return last_error();
    *device = (int)handle;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *channel, int device)
{
    int most = 0;
    cudaError_t error = cudaDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device);
    (void)channel;
    *width = (size_t)most;
    return error;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return ready() ? cudaSuccess : last_error(); }

#if CUDART_MAJOR < 13
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, int limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(int *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaSetDoubleForDevice(double *value) { return value ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaSetDoubleForHost(double *value) { return value ? cudaSuccess : fail(cudaErrorInvalidValue); }
#endif
