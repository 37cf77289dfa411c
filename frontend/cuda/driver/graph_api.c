/* Functions that make and launch graphs. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/graph.h"

CUresult graph_enter(enum handle kind, const void *handle, const void *result)
{
    CUresult r = enter(NEED_CONTEXT);
    return r || (result && handle_is(kind, handle)) ? r : leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!graph || flags)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *graph = graph_new();
    return leave(*graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, graph);
    if (r)
        return r;
    graph_free(graph);
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphClone(CUgraph *graph, CUgraph from)
{
    CUresult r = graph_enter(HANDLE_GRAPH, from, graph);
    if (r)
        return r;
    *graph = graph_copy(from);
    return leave(*graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool are_nodes(CUgraph graph, const CUgraphNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!nodes || !handle_is(HANDLE_NODE, nodes[i]) || nodes[i]->graph != graph)
            return false;
    return true;
}

/* Called with the lock held; releases it. */
static CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count, const struct work *w)
{
    if (!are_nodes(graph, before, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *node = graph_add(graph, before, count, w);
    return leave(*node ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult read_launch(const CUDA_KERNEL_NODE_PARAMS *p, bool has_kernel, struct launch *l, uint8_t **block)
{
    CUfunction f = p->func || !has_kernel ? p->func : (CUfunction)p->kern;
    *block = NULL;
    if (!handle_is(HANDLE_FUNCTION, f))
        return CUDA_ERROR_INVALID_VALUE;
    *l = (struct launch){.function = f,
                         .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                         .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                         .shared = p->sharedMemBytes};
    CUresult r = launch_check(l);
    if (r)
        return r;
    *block = l->params = malloc(f->program->parameter_bytes + 1);
    return l->params ? function_params(f, p->kernelParams, p->extra, l->params) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult add_launch(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS *params, bool has_kernel)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node && params ? node : NULL);
    if (r)
        return r;
    struct work w = {.kind = WORK_LAUNCH};
    uint8_t *block;
    r = read_launch(params, has_kernel, &w.launch, &block);
    r = r ? leave(r) : add(node, graph, before, count, &w);
    free(block);
    return r;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params)
{
    return add_launch(node, graph, before, count, params, true);
}
/* The first version of the struct is a prefix of the second. */
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    return add_launch(node, graph, before, count, (const void *)params, false);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext context)
{
    (void)context;
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node && copy ? node : NULL);
    if (r)
        return r;
    r = copy_check(copy);
    return r ? leave(r) : add(node, graph, before, count, &(struct work){.kind = WORK_COPY, .copy = *copy});
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    (void)context;
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node && params ? node : NULL);
    if (r)
        return r;
    r = set_check(params);
    return r ? leave(r) : add(node, graph, before, count, &(struct work){.kind = WORK_SET, .set = *params});
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node && params && params->fn ? node : NULL);
    return r ? r : add(node, graph, before, count, &(struct work){.kind = WORK_HOST, .host = *params});
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node);
    return r ? r : add(node, graph, before, count, &(struct work){.kind = WORK_EMPTY});
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                  CUgraph child)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node);
    if (r)
        return r;
    if (!handle_is(HANDLE_GRAPH, child))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return add(node, graph, before, count, &(struct work){.kind = WORK_CHILD, .child = child});
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count, CUevent event,
                          bool wait)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node);
    if (r)
        return r;
    if (!handle_is(HANDLE_EVENT, event))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return add(node, graph, before, count, &(struct work){.kind = wait ? WORK_WAIT : WORK_RECORD, .event = event});
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUevent event)
{
    return add_event(node, graph, before, count, event, false);
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                 CUevent event)
{
    return add_event(node, graph, before, count, event, true);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, graph);
    if (r)
        return r;
    if (!are_nodes(graph, from, count) || !are_nodes(graph, to, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        if (!node_depends(to[i], from[i]))
            r = CUDA_ERROR_OUT_OF_MEMORY;
    return leave(r);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    (void)edges;
    return cuGraphAddDependencies(graph, from, to, count);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static bool is_any(CUgraphNode n, const void *data)
{
    (void)data;
    return n;
}
static bool is_root(CUgraphNode n, const void *data)
{
    (void)data;
    return !n->before_count;
}

CUresult give_nodes(CUgraphNode *from, size_t all, bool (*selected)(CUgraphNode, const void *), const void *data,
                    CUgraphNode *nodes, size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        if (!selected(from[i], data))
            continue;
        if (nodes && n < *count)
            nodes[n] = from[i];
        n++;
    }
    for (size_t i = n; nodes && i < *count; i++)
        nodes[i] = NULL;
    *count = !nodes || n < *count ? n : *count;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, count);
    return r ? r : give_nodes(graph->nodes, graph->count, is_any, NULL, nodes, count);
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, count);
    return r ? r : give_nodes(graph->nodes, graph->count, is_root, NULL, nodes, count);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    CUresult r = graph_enter(HANDLE_NODE, node, count);
    return r ? r : give_nodes(node->before, node->before_count, is_any, NULL, nodes, count);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    static const CUgraphNodeType types[] = {
        [WORK_LAUNCH] = CU_GRAPH_NODE_TYPE_KERNEL,
        [WORK_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [WORK_SET] = CU_GRAPH_NODE_TYPE_MEMSET,
        [WORK_HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [WORK_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
        [WORK_CHILD] = CU_GRAPH_NODE_TYPE_GRAPH,
        [WORK_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        [WORK_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        [WORK_CONDITIONAL] = CU_GRAPH_NODE_TYPE_CONDITIONAL,
        [WORK_ALLOCATE] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [WORK_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,
    };
    CUresult r = graph_enter(HANDLE_NODE, node, type);
    if (r)
        return r;
    *type = types[node->work.kind];
    return leave(CUDA_SUCCESS);
}

/* ---- graphs to be launched --------------------------------------------------------------------------------------- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, exec);
    if (r)
        return r;
    if (!graph_has_order(graph))
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUgraphExec e = calloc(1, sizeof *e);
    if (!e || !(e->graph = graph_copy(graph)) || !handle_add(HANDLE_EXEC, e)) {
        if (e)
            graph_free(e->graph);
        free(e);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    e->flags = flags;
    *exec = e;
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error, char *log, size_t bytes)
{
    if (error)
        *error = NULL;
    if (log && bytes)
        *log = 0;
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error, char *log, size_t bytes)
{
    return cuGraphInstantiate_v2(exec, graph, error, log, bytes);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    params->hErrNode_out = NULL;
    CUresult r = cuGraphInstantiateWithFlags(exec, graph, params->flags);
    params->result_out = r != CUDA_SUCCESS;
    return r;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    CUresult r = graph_enter(HANDLE_EXEC, exec, exec);
    if (r)
        return r;
    handle_remove(exec);
    graph_free(exec->graph);
    free(exec);
    return leave(CUDA_SUCCESS);
}

static CUresult launch(CUgraphExec exec, CUstream handle, bool run)
{
    CUresult r = graph_enter(HANDLE_EXEC, exec, exec);
    if (r)
        return r;
    CUstream stream = stream_of(handle);
    if (!stream)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (!run)
        return leave(CUDA_SUCCESS);
    if (stream->capture)
        return leave(submit(stream, &(struct work){.kind = WORK_CHILD, .child = exec->graph}));
    conditions_begin(exec->graph);
    return leave(graph_run(exec->graph, stream));
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { return launch(exec, stream, true); }
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { return launch(exec, stream, false); }
