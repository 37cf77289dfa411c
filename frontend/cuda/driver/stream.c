/* Streams: work runs within the call; the trace records it as the program requested it. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/graph.h"
#include "frontend/cuda/driver/pending.h"

/* Of each device. */
static struct CUstream_st legacy[DEVICES_MOST];
static _Thread_local struct CUstream_st own[DEVICES_MOST];

CUstream default_stream(int device)
{
    legacy[device].device = device;
    legacy[device].id = 1;
    return &legacy[device];
}

/* The default streams are those of the current context's device. */
CUstream stream_of(CUstream handle)
{
    int device = current_device();
    bool is_legacy = handle == CU_STREAM_LEGACY || (!handle && !per_thread_streams);
    if (handle && !is_legacy && handle != CU_STREAM_PER_THREAD)
        return handle_is(HANDLE_STREAM, handle) ? handle : NULL;
    if (is_legacy)
        return default_stream(device);
    CUstream s = &own[device];
    s->device = device;
    if (!s->number) {
        s->number = ++driver.stream_count;
        s->id = ++driver.next_id;
    }
    return s;
}

CUresult enter_stream(CUstream *stream, const void *result)
{
    CUresult r = enter_on(*stream);
    if (r)
        return r;
    *stream = stream_of(*stream);
    if (!*stream || !result)
        return leave(*stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    return CUDA_SUCCESS;
}

/* 0 is the lowest, -5 the highest. */
static int priority_of(int wanted) { return wanted > 0 ? 0 : wanted < -5 ? -5 : wanted; }

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUstream s = calloc(1, sizeof *s);
    if (!s || !handle_add(HANDLE_STREAM, s)) {
        free(s);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *s = (struct CUstream_st){.number = ++driver.stream_count,
                              .device = current_device(),
                              .flags = flags,
                              .priority = priority_of(priority),
                              .id = ++driver.next_id,
                              .context = current_context(),
                              .next = driver.streams};
    driver.streams = *stream = s;
    record_operation(&(struct rp_host_operation){.kind = RP_HOST_CREATE_STREAM,
                                                 .device = (uint32_t)s->device,
                                                 .stream = s->number,
                                                 .non_blocking = flags & CU_STREAM_NON_BLOCKING});
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

static void destroy(CUstream s)
{
    CUstream *at = &driver.streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    capture_stream_destroyed(s);
    handle_remove(s);
    free(s);
}

void streams_free_of(CUcontext context)
{
    for (CUstream s = driver.streams, next; s; s = next) {
        next = s->next;
        if (s->context == context)
            destroy(s);
    }
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!handle_is(HANDLE_STREAM, stream))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if ((r = pending_wait(stream, NULL)))
        return leave(r);
    destroy(stream);
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    CUresult r = enter_stream(&stream, priority);
    if (r)
        return r;
    *priority = stream->priority;
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    CUresult r = enter_stream(&stream, flags);
    if (r)
        return r;
    *flags = stream->flags;
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    CUresult r = enter_stream(&stream, id);
    if (r)
        return r;
    *id = stream->id;
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    CUresult r = enter_stream(&stream, context);
    if (r)
        return r;
    *context = stream->context ? stream->context : current_context();
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    CUresult r = enter_stream(&stream, device);
    if (r)
        return r;
    *device = stream->device;
    return leave(CUDA_SUCCESS);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

CUresult cuStreamSynchronize(CUstream stream)
{
    CUresult r = enter_stream(&stream, &own);
    if (r)
        return r;
    if ((r = capture_forbids(stream)) || (r = pending_wait(stream, NULL)))
        return leave(r);
    record_stream_operation(RP_HOST_SYNCHRONISE_STREAM, stream, 0);
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamQuery(CUstream stream)
{
    CUresult r = enter_stream(&stream, &own);
    if (r)
        return r;
    if ((r = capture_forbids(stream)))
        return leave(r);
    pending_advance();
    return leave(failed_for_good()          ? failed_for_good()
                 : pending_on(stream, NULL) ? CUDA_ERROR_NOT_READY
                                            : CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if ((r = capture_forbids(NULL)) || (r = pending_wait(NULL, NULL)))
        return leave(r);
    record_stream_operation(RP_HOST_SYNCHRONISE, NULL, 0);
    return leave(CUDA_SUCCESS);
}
CUresult cuCtxSynchronize_v2(CUcontext context)
{
    (void)context;
    return cuCtxSynchronize();
}

/* ---- work for the host ------------------------------------------------------------------------------------------- */

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    CUresult r = enter_stream(&stream, (const void *)(uintptr_t)function);
    if (r)
        return r;
    return leave(submit(stream, &(struct work){.kind = WORK_HOST, .host = {function, data}}));
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags)
{
    CUstream handle = stream;
    CUresult r = enter_stream(&stream, (const void *)(uintptr_t)callback);
    if (r)
        return r;
    if (flags || (r = capture_forbids(stream)) || (r = pending_wait(stream, NULL)))
        return leave(flags ? CUDA_ERROR_INVALID_VALUE : r);
    leave(CUDA_SUCCESS);
    callback(handle, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}

/* No effect: host and all streams can access managed memory. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)
{
    (void)bytes, (void)flags;
    CUresult r = enter_stream(&stream, &own);
    if (r)
        return r;
    const struct buffer *b = buffer_at(address);
    return leave(b && b->kind == BUFFER_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Valid for streams (CUDA Driver API, CUlaunchAttributeID). None of them changes a result. */
static bool is_attribute(CUlaunchAttributeID id)
{
    return id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
           id == CU_LAUNCH_ATTRIBUTE_PRIORITY || id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
           id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

CUresult cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    CUresult r = enter_stream(&stream, value);
    if (r)
        return r;
    if (!is_attribute(id))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *value = stream->attributes[id];
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = stream->priority;
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    CUresult r = enter_stream(&stream, value);
    if (r)
        return r;
    if (!is_attribute(id))
        return leave(CUDA_ERROR_INVALID_VALUE);
    stream->attributes[id] = *value;
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        stream->priority = priority_of(value->priority);
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    CUresult r = enter_stream(&to, &to);
    if (r)
        return r;
    from = stream_of(from);
    if (!from)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    memmove(to->attributes, from->attributes, sizeof to->attributes);
    to->priority = from->priority;
    return leave(CUDA_SUCCESS);
}
