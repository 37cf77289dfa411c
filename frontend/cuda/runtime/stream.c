/* Streams and events. */
#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    if (!stream)
        return fail(cudaErrorInvalidValue);
    return ready() ? done(cuStreamCreateWithPriority(stream, flags, priority)) : last_error();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream)
        return fail(cudaErrorInvalidValue);
    return ready() ? done(cuStreamCreate(stream, flags)) : last_error();
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return ready() ? done(cuStreamDestroy_v2(stream)) : last_error(); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return ready() ? done(cuStreamSynchronize(stream_of(stream))) : last_error();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return ready() ? done(cuStreamQuery(stream_of(stream))) : last_error();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return ready() ? done(cuStreamWaitEvent(stream_of(stream), event, flags)) : last_error();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags)
{
    return ready() ? done(cuStreamAddCallback(stream_of(stream), (CUstreamCallback)function, data, flags))
                   : last_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return ready() ? done(cuLaunchHostFunc(stream_of(stream), (CUhostFn)function, data)) : last_error();
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    return ready() ? done(cuStreamGetFlags(stream_of(stream), flags)) : last_error();
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return ready() ? done(cuStreamGetPriority(stream_of(stream), priority)) : last_error();
}

#if CUDART_MAJOR >= 12
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    return ready() ? done(cuStreamGetId(stream_of(stream), id)) : last_error();
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    CUdevice handle;
    if (!device)
        return fail(cudaErrorInvalidValue);
    if (!ready() || done(cuStreamGetDevice(stream_of(stream), &handle)))
        return last_error();
    *device = (int)handle;
    return cudaSuccess;
}
#endif

/* ---- events ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event)
        return fail(cudaErrorInvalidValue);
    return ready() ? done(cuEventCreate(event, flags)) : last_error();
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return ready() ? done(cuEventRecord(event, stream_of(stream))) : last_error();
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return ready() ? done(cuEventRecordWithFlags(event, stream_of(stream), flags)) : last_error();
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return ready() ? done(cuEventQuery(event)) : last_error(); }

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return ready() ? done(cuEventSynchronize(event)) : last_error(); }

cudaError_t cudaEventDestroy(cudaEvent_t event) { return ready() ? done(cuEventDestroy_v2(event)) : last_error(); }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds)
        return fail(cudaErrorInvalidValue);
    return ready() ? done(cuEventElapsedTime(milliseconds, start, end)) : last_error();
}

#if CUDART_MAJOR == 12
cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(milliseconds, start, end);
}
#endif

/* ---- attributes -------------------------------------------------------------------------------------------------- */

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    return ready() ? done(cuStreamGetAttribute(stream_of(stream), id, value)) : last_error();
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    return ready() ? done(cuStreamSetAttribute(stream_of(stream), id, value)) : last_error();
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return ready() ? done(cuStreamCopyAttributes(stream_of(to), stream_of(from))) : last_error();
}
