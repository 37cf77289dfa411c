/* Events. Their times come from the host's clock: a kernel takes as long as its emulation, also where it did not run
 * because it had done the same before. */
#include <stdlib.h>

#include "frontend/cuda/driver/event.h"
#include "frontend/cuda/driver/pending.h"

/* Enters the driver for an operation on an event. */
static CUresult enter_event(CUevent event)
{
    CUresult r = enter(NEED_CONTEXT);
    return r || handle_is(HANDLE_EVENT, event) ? r : leave(CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    bool timed = !(flags & CU_EVENT_DISABLE_TIMING);
    if (!event || flags & ~7u || (flags & CU_EVENT_INTERPROCESS && timed))
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUevent e = calloc(1, sizeof *e);
    if (!e || !handle_add(HANDLE_EVENT, e)) {
        free(e);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    e->number = ++driver.event_count;
    e->device = current_device();
    e->flags = flags;
    *event = e;
    return leave(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CUresult r = enter_event(event);
    if (r)
        return r;
    pending_forget_event(event);
    handle_remove(event);
    free(event->nodes);
    free(event);
    return leave(CUDA_SUCCESS);
}
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

void event_take_place(CUstream stream, CUevent event)
{
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    uint64_t nanoseconds = (uint64_t)event->time.tv_nsec + driver.spared;
    event->time.tv_sec += (time_t)(nanoseconds / 1000000000);
    event->time.tv_nsec = (long)(nanoseconds % 1000000000);
    record_stream_operation(RP_HOST_RECORD_EVENT, stream, event->number);
}

/* Gives a stream the work of recording an event, which a stream of the event's device can, or of waiting for it. */
static CUresult submit_event(CUstream handle, CUevent event, bool wait)
{
    CUresult r = enter_event(event);
    if (r)
        return r;
    CUstream stream = stream_of(handle);
    struct work w = {.kind = wait ? WORK_WAIT : WORK_RECORD, .event = event};
    bool fits = stream && (wait || stream->device == event->device);
    return leave(fits ? submit(stream, &w) : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : submit_event(stream, event, false);
}
CUresult cuEventRecord(CUevent event, CUstream stream) { return submit_event(stream, event, false); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : submit_event(stream, event, true);
}

uint32_t event_number(CUevent event) { return event->number; }

CUresult cuEventQuery(CUevent event)
{
    CUresult r = enter_event(event);
    if (r)
        return r;
    if ((r = capture_forbids_event(event)))
        return leave(r);
    pending_advance();
    return leave(failed_for_good() ? failed_for_good() : pending_on(NULL, event) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS);
}

CUresult cuEventSynchronize(CUevent event)
{
    CUresult r = enter_event(event);
    if (r)
        return r;
    if ((r = capture_forbids_event(event)) || (r = pending_wait(NULL, event)))
        return leave(r);
    if (event->recorded)
        record_stream_operation(RP_HOST_SYNCHRONISE_EVENT, NULL, event->number);
    return leave(CUDA_SUCCESS);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    CUresult r = enter_event(start);
    if (r)
        return r;
    if (!milliseconds)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!handle_is(HANDLE_EVENT, end) || end->device != start->device || !start->recorded || !end->recorded ||
        (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (pending_on(NULL, start) || pending_on(NULL, end))
        return leave(CUDA_ERROR_NOT_READY);
    double seconds = (double)(end->time.tv_sec - start->time.tv_sec);
    *milliseconds = (float)(seconds * 1e3 + (double)(end->time.tv_nsec - start->time.tv_nsec) / 1e6);
    return leave(CUDA_SUCCESS);
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(milliseconds, start, end);
}
