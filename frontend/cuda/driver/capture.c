/* Capture: work given to streams becomes nodes of a graph. A stream joins a capture by waiting for an event that a
 * capturing stream has recorded ("CUDA C++ Programming Guide", Cross-stream Dependencies and Events). */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/event.h"
#include "frontend/cuda/driver/graph.h"
#include "frontend/cuda/driver/pending.h"

/* ---- where streams are ------------------------------------------------------------------------------------------- */

static bool holds(const CUgraphNode *nodes, size_t count, CUgraphNode n)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == n)
            return true;
    return false;
}

/* Adds a node that the list does not hold yet. False: out of memory. */
static bool add_node(CUgraphNode **list, size_t *count, CUgraphNode n)
{
    if (holds(*list, *count, n))
        return true;
    CUgraphNode *grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown)
        return false;
    *list = grown;
    grown[(*count)++] = n;
    return true;
}

/* Sets the predecessors of the stream's next node: adds the node, or makes it the only one. */
static bool set_tail(CUstream s, CUgraphNode n, bool alone)
{
    s->tail_count = alone ? 0 : s->tail_count;
    return add_node(&s->tail, &s->tail_count, n);
}

/* Ends the stream's part in its capture. */
static void capture_leave(CUstream s)
{
    s->capture = NULL;
    free(s->tail);
    s->tail = NULL;
    s->tail_count = 0;
}

/* The end of a capture needs its origin; what other streams have added must still be joined. */
void capture_stream_destroyed(CUstream s)
{
    struct capture *c = s->capture;
    if (!c)
        return;
    c->broken |= c->origin == s;
    for (size_t i = 0; i < s->tail_count; i++)
        c->broken |= !add_node(&c->left, &c->left_count, s->tail[i]);
    capture_leave(s);
}

static CUresult record(CUstream s, CUevent e)
{
    CUgraphNode *nodes = malloc((s->tail_count + 1) * sizeof *nodes);
    if (!nodes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (s->tail_count)
        memcpy(nodes, s->tail, s->tail_count * sizeof *nodes);
    free(e->nodes);
    e->nodes = nodes;
    e->node_count = s->tail_count;
    e->capture = s->capture->id;
    return CUDA_SUCCESS;
}

/* ---- what may not be while streams capture: it ends the captures in question ------------------------------------- */

static unsigned going_on; /* number of captures in progress */
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* "CUDA C++ Programming Guide", Prohibited and Unhandled Operations: the legacy stream includes all streams that are
 * not non-blocking, the context includes all streams. */
CUresult capture_forbids(CUstream s)
{
    bool all = !s, many = all || s == stream_of(CU_STREAM_LEGACY);
    int device = s ? s->device : current_device();
    CUresult r = CUDA_SUCCESS;
    if (s && s->capture) {
        s->capture->broken = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    for (CUstream t = going_on && many ? driver.streams : NULL; t; t = t->next)
        if (t->capture && t->device == device && (all || !(t->flags & CU_STREAM_NON_BLOCKING))) {
            t->capture->broken = true;
            r = all ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        }
    return r;
}

/* The rules of cuThreadExchangeStreamCaptureMode. */
CUresult capture_forbids_unsafe(void)
{
    CUresult r = CUDA_SUCCESS;
    for (CUstream s = going_on ? driver.streams : NULL; s; s = s->next) {
        struct capture *c = s->capture;
        if (!c || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
            continue;
        bool everybody = thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (everybody || pthread_equal(c->thread, pthread_self())) {
            c->broken = true;
            r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return r;
}

/* ---- giving streams work ----------------------------------------------------------------------------------------- */

/* The capture in which an event was recorded, if it is still in progress. */
static struct capture *capture_of(const struct CUevent_st *e)
{
    for (CUstream s = driver.streams; e->capture && s; s = s->next)
        if (s->capture && s->capture->id == e->capture)
            return s->capture;
    return NULL;
}

CUresult capture_forbids_event(const struct CUevent_st *e)
{
    struct capture *c = capture_of(e);
    if (c)
        c->broken = true;
    return e->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}

static CUresult wait(CUstream s, CUevent e)
{
    struct capture *c = capture_of(e);
    if (!c)
        return e->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (s->capture && s->capture != c)
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    if (s == stream_of(CU_STREAM_LEGACY))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    s->capture = c;
    for (size_t i = 0; i < e->node_count; i++)
        if (!set_tail(s, e->nodes[i], false))
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

static CUresult add(CUstream s, const struct work *w)
{
    CUgraphNode n = graph_add(s->capture->graph, s->tail, s->tail_count, w);
    return n && set_tail(s, n, true) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult submit(CUstream s, const struct work *w)
{
    bool of_capture = w->kind == WORK_WAIT && w->event->capture;
    if (!s->capture && !of_capture) {
        CUresult forbidden = capture_forbids(s);
        if (forbidden)
            return forbidden;
        if (w->kind == WORK_RECORD)
            w->event->capture = 0;
        return pending_submit(s, w);
    }
    if (s->capture && s->capture->broken)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUresult r = w->call == BLOCKING      ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                 : w->kind == WORK_WAIT   ? wait(s, w->event)
                 : w->kind == WORK_RECORD ? record(s, w->event)
                 : w->kind == WORK_FREE
                     ? add(s, &(struct work){.kind = WORK_EMPTY}) /* the memory stays for the next launch */
                     : add(s, w);
    if (r && s->capture)
        s->capture->broken = true;
    return r;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* graph: NULL, or what is captured into. With the lock held; releases it. */
static CUresult begin(CUstream stream, CUstreamCaptureMode mode, CUgraph graph)
{
    if (stream == stream_of(CU_STREAM_LEGACY))
        return leave(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (stream->capture || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return leave(stream->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_ERROR_INVALID_VALUE);
    struct capture *c = calloc(1, sizeof *c);
    if (!c || !(c->graph = graph ? graph : graph_new())) {
        free(c);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    c->given = graph;
    c->origin = stream;
    c->id = ++driver.next_id;
    c->mode = mode;
    c->thread = pthread_self();
    going_on++;
    stream->capture = c;
    return leave(CUDA_SUCCESS);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    CUresult r = enter_stream(&stream, &mode);
    return r ? r : begin(stream, mode, NULL);
}
CUresult cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static bool is_awaited(const struct CUgraph_st *g, CUgraphNode n)
{
    for (size_t i = 0; i < g->count; i++)
        if (holds(g->nodes[i]->before, g->nodes[i]->before_count, n))
            return true;
    return false;
}

/* Whether nothing waits for one of the nodes. */
static bool unjoined(const struct capture *c, const CUgraphNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!holds(c->origin->tail, c->origin->tail_count, nodes[i]) && !is_awaited(c->graph, nodes[i]))
            return true;
    return false;
}

static bool streams_joined(const struct capture *c)
{
    for (CUstream s = driver.streams; s; s = s->next)
        if (s->capture == c && s != c->origin && unjoined(c, s->tail, s->tail_count))
            return false;
    return !unjoined(c, c->left, c->left_count);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    CUresult r = enter_stream(&stream, &stream);
    if (r)
        return r;
    struct capture *c = stream->capture;
    if (!graph && !(c && c->given))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!c || c->origin != stream)
        return leave(c ? CUDA_ERROR_STREAM_CAPTURE_UNMATCHED : CUDA_ERROR_ILLEGAL_STATE);
    r = c->broken            ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        : !streams_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                             : CUDA_SUCCESS;
    for (CUstream s = driver.streams; s; s = s->next)
        if (s->capture == c)
            capture_leave(s);
    capture_leave(stream);
    going_on--;
    if (graph)
        *graph = r ? NULL : c->graph;
    if (r && !c->given)
        graph_free(c->graph);
    free(c->left);
    free(c);
    return leave(r);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count)
{
    CUresult r = enter_stream(&stream, status);
    if (r)
        return r;
    const struct capture *c = stream->capture;
    *status = !c          ? CU_STREAM_CAPTURE_STATUS_NONE
              : c->broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                          : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (id && c)
        *id = c->id;
    if (graph && c)
        *graph = c->graph;
    if (nodes && c)
        *nodes = stream->tail;
    if (edges)
        *edges = NULL;
    if (count)
        *count = stream->tail_count;
    return leave(CUDA_SUCCESS);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **nodes, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, NULL, count);
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    return cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL, NULL);
}

/* Makes these the predecessors of the stream's next node, or adds them. */
static CUresult follow(CUstream stream, const CUgraphNode *nodes, size_t count, bool only)
{
    if (!are_nodes(stream->capture->graph, nodes, count))
        return CUDA_ERROR_INVALID_VALUE;
    stream->tail_count = only ? 0 : stream->tail_count;
    for (size_t i = 0; i < count; i++)
        if (!set_tail(stream, nodes[i], false))
            return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *nodes,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode)
{
    (void)edges;
    CUresult r = enter_stream(&stream, graph);
    if (r)
        return r;
    if (!handle_is(HANDLE_GRAPH, graph) || !are_nodes(graph, nodes, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = begin(stream, mode, graph)) || (r = enter(NEED_CONTEXT)))
        return r;
    return leave(follow(stream, nodes, count, true));
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                              size_t count, unsigned flags)
{
    (void)edges;
    CUresult r = enter_stream(&stream, &stream);
    if (r)
        return r;
    if (!stream->capture || flags > 1) /* 0: add, 1: set */
        return leave(stream->capture ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_STATE);
    return leave(follow(stream, nodes, count, flags));
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
