/* Several devices: access to one another's memory, and copies between them. */
#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUdevice one, other;
    if (!can)
        return fail(cudaErrorInvalidValue);
    *can = 0;
    return device_handle(device, &one) && device_handle(peer, &other) ? done(cuDeviceCanAccessPeer(can, one, other))
                                                                      : last_error();
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    CUdevice one, other;
    if (!value)
        return fail(cudaErrorInvalidValue);
    return device_handle(from, &one) && device_handle(to, &other)
               ? done(cuDeviceGetP2PAttribute(value, attribute, one, other))
               : last_error();
}

/* The primary context of another device than the current one. False after fail(). */
static bool peer_context(int peer, CUcontext *context)
{
    if (!ready() || !device_context(peer, context))
        return false;
    return peer != context_device() || (fail(cudaErrorInvalidDevice), false);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    CUcontext context;
    return peer_context(peer, &context) ? done(cuCtxEnablePeerAccess(context, flags)) : last_error();
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    CUcontext context;
    return peer_context(peer, &context) ? done(cuCtxDisablePeerAccess(context)) : last_error();
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool both_contexts(int to, int from, CUcontext contexts[2])
{
    return ready() && device_context(to, &contexts[0]) && device_context(from, &contexts[1]);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    CUcontext c[2];
    if (!both_contexts(to_device, from_device, c))
        return last_error();
    return done(cuMemcpyPeer((CUdeviceptr)to, c[0], (CUdeviceptr)from, c[1], bytes));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    CUcontext c[2];
    if (!both_contexts(to_device, from_device, c))
        return last_error();
    return done(cuMemcpyPeerAsync((CUdeviceptr)to, c[0], (CUdeviceptr)from, c[1], bytes, stream_of(stream)));
}
