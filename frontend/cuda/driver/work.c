/* Running the work of streams. */
#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/stats.h"

/* Calls the program's function without our lock: it may take locks that other threads hold while they call CUDA. */
static void call_host(const CUDA_HOST_NODE_PARAMS *h)
{
    pthread_mutex_unlock(&driver.lock);
    h->fn(h->userData);
    pthread_mutex_lock(&driver.lock);
}

/* Memory that a graph has allocated stays, because the next launch must find it at the same address. */
static CUresult release(CUdeviceptr address)
{
    struct buffer *b = buffer_at(address);
    if (!b)
        return CUDA_ERROR_INVALID_VALUE;
    if (!b->of_graph)
        return buffer_release(b);
    graph_memory_given_back(b);
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr address)
{
    struct buffer *b = buffer_at(address);
    if (!b) /* of a context that has ended */
        return CUDA_ERROR_INVALID_VALUE;
    graph_memory_taken(b);
    return CUDA_SUCCESS;
}

static CUresult move(CUstream stream, const struct work *w)
{
    uint64_t begun = stats_begin();
    CUresult r = w->kind == WORK_COPY ? copy_run(stream, w) : set_run(stream, w);
    stats_end(STATS_COPIES, begun);
    return r;
}

CUresult work_run(CUstream stream, const struct work *w)
{
    switch (w->kind) {
    case WORK_LAUNCH: return launch_run(stream, &w->launch);
    case WORK_COPY:
    case WORK_SET: return move(stream, w);
    case WORK_HOST: call_host(&w->host); break;
    case WORK_RECORD: event_take_place(stream, w->event); break;
    case WORK_WAIT: record_stream_operation(RP_HOST_WAIT_EVENT, stream, event_number(w->event)); break;
    case WORK_FREE: return release(w->memory);
    case WORK_ALLOCATE: return allocate(w->memory);
    case WORK_EMPTY:
    case WORK_CHILD:
    case WORK_CONDITIONAL: break;
    }
    return CUDA_SUCCESS;
}
