/* Memory nodes, nodes of any kind described by one struct, and dependencies. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

/* The result of a driver call. */
#define RUN(call) (ready() ? done(call) : last_error())

/* ---- memory ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *memory)
{
    return RUN(cuGraphAddMemAllocNode(node, graph, after, count, memory));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                    size_t count, void *memory)
{
    return RUN(cuGraphAddMemFreeNode(node, graph, after, count, (CUdeviceptr)memory));
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, CUDA_MEM_ALLOC_NODE_PARAMS *memory)
{
    return RUN(cuGraphMemAllocNodeGetParams(node, memory));
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory)
{
    return RUN(cuGraphMemFreeNodeGetParams(node, memory));
}
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    CUdevice handle;
    return device_handle(device, &handle) ? RUN(cuDeviceGraphMemTrim(handle)) : last_error();
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    CUdevice handle;
    return device_handle(device, &handle) ? RUN(cuDeviceGetGraphMemAttribute(handle, attribute, value)) : last_error();
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    CUdevice handle;
    return device_handle(device, &handle) ? RUN(cuDeviceSetGraphMemAttribute(handle, attribute, value)) : last_error();
}

/* ---- nodes of any kind ------------------------------------------------------------------------------------------- */

#if CUDART_MAJOR >= 12
/* Converts to the driver's struct. Only launches and copies differ. False after fail(). */
static bool node_of(const struct cudaGraphNodeParams *p, CUgraphNodeParams *d)
{
    if (!p)
        return fail(cudaErrorInvalidValue), false;
    *d = (CUgraphNodeParams){.type = p->type};
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL)
        return kernel_node_of(&p->kernel, &d->kernel);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        d->memcpy.copyCtx = current_context();
        return copy3d_of(&p->memcpy.copyParams, &d->memcpy.copyParams);
    }
    memcpy(d->reserved1, p->reserved1, sizeof d->reserved1);
    if (p->type == CU_GRAPH_NODE_TYPE_MEMSET)
        d->memset.ctx = current_context();
    if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        d->conditional.ctx = current_context();
    return true;
}

cudaError_t cudaGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, cudaGraph_t graph, unsigned initial,
                                             unsigned flags)
{
    return RUN(cuGraphConditionalHandleCreate(handle, graph, current_context(), initial, flags));
}

static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                            struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams d;
    if (!node_of(params, &d) || RUN(cuGraphAddNode(node, graph, after, count, &d)))
        return last_error();
    if (d.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        params->alloc.dptr = d.alloc.dptr;
    if (d.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        params->conditional.phGraph_out = d.conditional.phGraph_out;
    return cudaSuccess;
}

#if CUDART_MAJOR == 12
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                             struct cudaGraphNodeParams *params)
{
    return add_node(node, graph, after, count, params);
}
#endif

cudaError_t SECOND_VERSION(cudaGraphAddNode)(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             const CUgraphEdgeData *edges, size_t count,
                                             struct cudaGraphNodeParams *params)
{
    (void)edges;
    return add_node(node, graph, after, count, params);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams d;
    return node_of(params, &d) ? RUN(cuGraphNodeSetParams(node, &d)) : last_error();
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams d;
    return node_of(params, &d) ? RUN(cuGraphExecNodeSetParams(exec, node, &d)) : last_error();
}
#endif

/* ---- edges: from CUDA 12 on with data, in functions of another name there ---------------------------------------- */

#if CUDART_MAJOR < 13
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    return RUN(cuGraphGetEdges(graph, from, to, count));
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return RUN(cuGraphNodeGetDependentNodes(node, nodes, count));
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count)
{
    return RUN(cuGraphRemoveDependencies(graph, from, to, count));
}
#endif

#if CUDART_MAJOR >= 12
cudaError_t SECOND_VERSION(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                              CUgraphEdgeData *edges, size_t *count)
{
    return RUN(cuGraphGetEdges_v2(graph, from, to, edges, count));
}
cudaError_t SECOND_VERSION(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                           CUgraphEdgeData *edges, size_t *count)
{
    return RUN(cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count));
}
cudaError_t SECOND_VERSION(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                        const cudaGraphNode_t *to, const CUgraphEdgeData *edges,
                                                        size_t count)
{
    return RUN(cuGraphRemoveDependencies_v2(graph, from, to, edges, count));
}
#endif

#if CUDART_MAJOR == 12
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, CUgraphEdgeData *edges,
                                            size_t *count)
{
    return RUN(cuGraphNodeGetDependencies_v2(node, nodes, edges, count));
}
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const CUgraphEdgeData *edges, size_t count)
{
    return RUN(cuGraphAddDependencies_v2(graph, from, to, edges, count));
}
#endif

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) { return RUN(cuGraphDestroyNode(node)); }

/* ---- copies ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original, cudaGraph_t clone)
{
    return RUN(cuGraphNodeFindInClone(found, original, clone));
}

#if CUDART_MAJOR >= 12
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, CUgraphExecUpdateResultInfo *info)
{
    return RUN(cuGraphExecUpdate_v2(exec, graph, info));
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    cuuint64_t value;
    if (!flags)
        return fail(cudaErrorInvalidValue);
    if (RUN(cuGraphExecGetFlags(exec, &value)))
        return last_error();
    *flags = value;
    return cudaSuccess;
}
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error, int *result)
{
    return RUN(cuGraphExecUpdate(exec, graph, error, result));
}
#endif

/* ---- objects of the program -------------------------------------------------------------------------------------- */

cudaError_t cudaUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned count, unsigned flags)
{
    return RUN(cuUserObjectCreate(object, data, destroy, count, flags));
}
cudaError_t cudaUserObjectRetain(CUuserObject object, unsigned count) { return RUN(cuUserObjectRetain(object, count)); }
cudaError_t cudaUserObjectRelease(CUuserObject object, unsigned count)
{
    return RUN(cuUserObjectRelease(object, count));
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, CUuserObject object, unsigned count, unsigned flags)
{
    return RUN(cuGraphRetainUserObject(graph, object, count, flags));
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, CUuserObject object, unsigned count)
{
    return RUN(cuGraphReleaseUserObject(graph, object, count));
}
