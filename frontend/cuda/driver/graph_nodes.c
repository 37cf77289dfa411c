/* Memory nodes, and nodes of any kind described by one struct. */
#include <stdlib.h>

#include "frontend/cuda/driver/graph.h"

/* ---- memory: allocated when its node is made, at the address that every launch will find it at ------------------- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node && params && params->bytesize ? node : NULL);
    if (r)
        return r;
    struct buffer *b;
    if (!are_nodes(graph, before, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = buffer_new(BUFFER_DEVICE, params->bytesize, 0, NULL, &b)))
        return leave(r);
    b->of_graph = true;
    *node = graph_add(graph, before, count, &(struct work){.kind = WORK_ALLOCATE, .memory = b->base});
    if (!*node) {
        buffer_release(b);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    params->dptr = b->base;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                               CUdeviceptr address)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node);
    if (r)
        return r;
    const struct buffer *b = buffer_at(address);
    if (!b || b->base != address || !b->of_graph || !are_nodes(graph, before, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *node = graph_add(graph, before, count, &(struct work){.kind = WORK_FREE, .memory = address});
    return leave(*node ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    CUresult r = graph_enter(HANDLE_NODE, node, params);
    if (r)
        return r;
    const struct buffer *b = node->work.kind == WORK_ALLOCATE ? buffer_at(node->work.memory) : NULL;
    if (!b)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *params = (CUDA_MEM_ALLOC_NODE_PARAMS){.bytesize = b->bytes, .dptr = b->base};
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    CUresult r = graph_enter(HANDLE_NODE, node, address);
    if (r)
        return r;
    if (node->work.kind != WORK_FREE)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *address = node->work.memory;
    return leave(CUDA_SUCCESS);
}

/* ---- nodes of any kind ------------------------------------------------------------------------------------------- */

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count, CUgraphNodeParams *p)
{
    static bool reported;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphAddKernelNode_v2(node, graph, before, count, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphAddMemcpyNode(node, graph, before, count, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return cuGraphAddMemsetNode(node, graph, before, count, &p->memset.params, p->memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphAddHostNode(node, graph, before, count, &p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return cuGraphAddChildGraphNode(node, graph, before, count, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, before, count);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphAddEventWaitNode(node, graph, before, count, p->event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuGraphAddEventRecordNode(node, graph, before, count, p->event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return cuGraphAddMemAllocNode(node, graph, before, count, &p->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return cuGraphAddMemFreeNode(node, graph, before, count, p->free);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return conditional_add(node, graph, before, count, &p->conditional);
    default: return refuse("cuGraphAddNode with semaphores and batches", &reported);
    }
}
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, const CUgraphEdgeData *edges,
                           size_t count, CUgraphNodeParams *params)
{
    (void)edges;
    return cuGraphAddNode(node, graph, before, count, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
    switch (p ? (int)p->type : -1) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphKernelNodeSetParams_v2(node, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return cuGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphMemsetNodeSetParams(node, &p->memset.params);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphHostNodeSetParams(node, &p->host);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphEventWaitNodeSetEvent(node, p->event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuGraphEventRecordNodeSetEvent(node, p->event);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
    switch (p ? (int)p->type : -1) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphExecKernelNodeSetParams_v2(exec, node, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: return cuGraphExecMemsetNodeSetParams(exec, node, &p->memset.params, p->memset.ctx);
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphExecHostNodeSetParams(exec, node, &p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return cuGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphExecEventWaitNodeSetEvent(exec, node, p->event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuGraphExecEventRecordNodeSetEvent(exec, node, p->event);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}
