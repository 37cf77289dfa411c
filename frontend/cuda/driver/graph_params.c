/* Parameters of graph nodes: queried and changed, in a graph and in an instantiated graph. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/graph.h"

/* Called with the lock held; releases it. `checked`: the result of checking the work. */
static CUresult set(CUgraphNode node, CUresult checked, const struct work *w)
{
    return leave(checked ? checked : node_set_work(node, w));
}

/* Enters the driver and finds the node of a graph in an instantiated graph. */
static CUresult enter_exec(CUgraphExec exec, CUgraphNode *node, const void *params)
{
    CUresult r = graph_enter(HANDLE_EXEC, exec, params);
    if (r)
        return r;
    *node = handle_is(HANDLE_NODE, *node) ? node_in(exec->graph, *node) : NULL;
    return *node ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_VALUE);
}

/* Enters the driver for a query of a node of a kind. */
static CUresult enter_node(CUgraphNode node, int kind, const void *result)
{
    CUresult r = graph_enter(HANDLE_NODE, node, result);
    return r || (int)node->work.kind == kind ? r : leave(CUDA_ERROR_INVALID_VALUE);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Called with the lock held; releases it. */
static CUresult set_launch(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params, bool has_kernel)
{
    struct work w = {.kind = WORK_LAUNCH};
    uint8_t *block;
    CUresult r = read_launch(params, has_kernel, &w.launch, &block);
    if (node->work.kind == WORK_LAUNCH) {
        w.launch.cooperative = node->work.launch.cooperative;
        memcpy(w.launch.cluster, node->work.launch.cluster, sizeof w.launch.cluster);
    }
    r = set(node, r, &w);
    free(block);
    return r;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_NODE, node, params);
    return r ? r : set_launch(node, params, true);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    CUresult r = graph_enter(HANDLE_NODE, node, params);
    return r ? r : set_launch(node, (const void *)params, false);
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUresult r = enter_exec(exec, &node, params);
    return r ? r : set_launch(node, params, true);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    CUresult r = enter_exec(exec, &node, params);
    return r ? r : set_launch(node, (const void *)params, false);
}

static bool point_at_parameters(CUgraphNode n)
{
    const struct launch *l = &n->work.launch;
    const struct program *p = l->function->program;
    void **grown = realloc(n->pointers, (p->parameter_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    n->pointers = grown;
    for (uint32_t i = 0; i < p->parameter_count; i++)
        n->pointers[i] = l->params + p->parameters[i].offset;
    return true;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    CUresult r = enter_node(node, WORK_LAUNCH, params);
    if (r)
        return r;
    if (!point_at_parameters(node))
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    const struct launch *l = &node->work.launch;
    *params = (CUDA_KERNEL_NODE_PARAMS_v1){.func = l->function,
                                           .gridDimX = l->grid[0],
                                           .gridDimY = l->grid[1],
                                           .gridDimZ = l->grid[2],
                                           .blockDimX = l->block[0],
                                           .blockDimY = l->block[1],
                                           .blockDimZ = l->block[2],
                                           .sharedMemBytes = l->shared,
                                           .kernelParams = node->pointers};
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    CUresult r = cuGraphKernelNodeGetParams(node, params ? &first : NULL);
    if (r)
        return r;
    *params = (CUDA_KERNEL_NODE_PARAMS){0};
    memcpy(params, &first, sizeof first); /* the first version is a prefix of the second */
    return CUDA_SUCCESS;
}

/* ---- copies, fillings, functions of the host --------------------------------------------------------------------- */

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy)
{
    CUresult r = graph_enter(HANDLE_NODE, node, copy);
    return r ? r : set(node, copy_check(copy), &(struct work){.kind = WORK_COPY, .copy = *copy});
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
                                        CUcontext context)
{
    (void)context;
    CUresult r = enter_exec(exec, &node, copy);
    return r ? r : set(node, copy_check(copy), &(struct work){.kind = WORK_COPY, .copy = *copy});
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy)
{
    CUresult r = enter_node(node, WORK_COPY, copy);
    if (r)
        return r;
    *copy = node->work.copy;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_NODE, node, params);
    return r ? r : set(node, set_check(params), &(struct work){.kind = WORK_SET, .set = *params});
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context)
{
    (void)context;
    CUresult r = enter_exec(exec, &node, params);
    return r ? r : set(node, set_check(params), &(struct work){.kind = WORK_SET, .set = *params});
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    CUresult r = enter_node(node, WORK_SET, params);
    if (r)
        return r;
    *params = node->work.set;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_NODE, node, params && params->fn ? params : NULL);
    return r ? r : set(node, CUDA_SUCCESS, &(struct work){.kind = WORK_HOST, .host = *params});
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    CUresult r = enter_exec(exec, &node, params && params->fn ? params : NULL);
    return r ? r : set(node, CUDA_SUCCESS, &(struct work){.kind = WORK_HOST, .host = *params});
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    CUresult r = enter_node(node, WORK_HOST, params);
    if (r)
        return r;
    *params = node->work.host;
    return leave(CUDA_SUCCESS);
}

/* ---- graphs within graphs ---------------------------------------------------------------------------------------- */

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child)
{
    CUresult r = enter_node(node, WORK_CHILD, child);
    if (r)
        return r;
    *child = node->work.child;
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    CUresult r = enter_exec(exec, &node, child);
    if (r)
        return r;
    bool is_graph = handle_is(HANDLE_GRAPH, child);
    return set(node, is_graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
               &(struct work){.kind = WORK_CHILD, .child = child});
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static CUresult get_event(CUgraphNode node, int kind, CUevent *event)
{
    CUresult r = enter_node(node, kind, event);
    if (r)
        return r;
    *event = node->work.event;
    return leave(CUDA_SUCCESS);
}

/* Called with the lock held; releases it. */
static CUresult set_event(CUgraphNode node, int kind, CUevent event)
{
    struct work w = {.event = event};
    w.kind = kind;
    return set(node, handle_is(HANDLE_EVENT, event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, &w);
}

#define EVENT_NODE(name, kind)                                                                                         \
    CUresult cuGraph##name##NodeGetEvent(CUgraphNode node, CUevent *event) { return get_event(node, kind, event); }    \
    CUresult cuGraph##name##NodeSetEvent(CUgraphNode node, CUevent event)                                              \
    {                                                                                                                  \
        CUresult r = graph_enter(HANDLE_NODE, node, node);                                                             \
        return r ? r : set_event(node, kind, event);                                                                   \
    }                                                                                                                  \
    CUresult cuGraphExec##name##NodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)                        \
    {                                                                                                                  \
        CUresult r = enter_exec(exec, &node, exec);                                                                    \
        return r ? r : set_event(node, kind, event);                                                                   \
    }
EVENT_NODE(EventRecord, WORK_RECORD)
EVENT_NODE(EventWait, WORK_WAIT)

/* ---- switched off ------------------------------------------------------------------------------------------------ */

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    CUresult r = enter_exec(exec, &node, exec);
    if (r)
        return r;
    if (node->work.kind != WORK_LAUNCH && node->work.kind != WORK_COPY && node->work.kind != WORK_SET)
        return leave(CUDA_ERROR_INVALID_VALUE);
    node->disabled = !enabled;
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    CUresult r = enter_exec(exec, &node, enabled);
    if (r)
        return r;
    *enabled = !node->disabled;
    return leave(CUDA_SUCCESS);
}
