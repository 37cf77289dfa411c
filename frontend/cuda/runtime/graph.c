/* Graphs: made by hand or captured from a stream, instantiated and launched. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    return ready() ? done(cuGraphCreate(graph, flags)) : last_error();
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    return ready() ? done(cuGraphClone(clone, graph)) : last_error();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return ready() ? done(cuGraphDestroy(graph)) : last_error(); }

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool kernel_node_of(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *k)
{
    CUfunction f;
    if (!p)
        return fail(cudaErrorInvalidValue), false;
    if (!function_of(p->func, &f))
        return false;
    *k = (CUDA_KERNEL_NODE_PARAMS){
        .func = f,
        .gridDimX = p->gridDim.x,
        .gridDimY = p->gridDim.y,
        .gridDimZ = p->gridDim.z,
        .blockDimX = p->blockDim.x,
        .blockDimY = p->blockDim.y,
        .blockDimZ = p->blockDim.z,
        .sharedMemBytes = p->sharedMemBytes,
        .kernelParams = p->kernelParams,
        .extra = p->extra,
    };
    return true;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *kernel)
{
    CUDA_KERNEL_NODE_PARAMS k;
    return kernel_node_of(kernel, &k) ? done(cuGraphAddKernelNode_v2(node, graph, after, count, &k)) : last_error();
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D c;
    return copy3d_of(copy, &c) && ready() ? done(cuGraphAddMemcpyNode(node, graph, after, count, &c, current_context()))
                                          : last_error();
}

struct cudaMemcpy3DParms copy_of_line(void *to, const void *from, size_t bytes, int kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)from, bytes, bytes, 1},
        .dstPtr = {to, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, void *to, const void *from, size_t bytes, int kind)
{
    struct cudaMemcpy3DParms copy = copy_of_line(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(node, graph, after, count, &copy);
}

cudaError_t symbol_address(const void *symbol, size_t bytes, size_t offset, char **address)
{
    CUdeviceptr begin;
    size_t size;
    if (!symbol_of(symbol, &begin, &size))
        return last_error();
    if (offset > size || bytes > size - offset)
        return fail(cudaErrorInvalidValue);
    *address = (char *)begin + offset;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t nodes, const void *symbol, const void *from, size_t bytes,
                                           size_t offset, int kind)
{
    char *to = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &to);
    return error ? error : cudaGraphAddMemcpyNode1D(node, graph, after, nodes, to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t nodes, void *to, const void *symbol, size_t bytes, size_t offset,
                                             int kind)
{
    char *from = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &from);
    return error ? error : cudaGraphAddMemcpyNode1D(node, graph, after, nodes, to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const CUDA_MEMSET_NODE_PARAMS *fill)
{
    return ready() ? done(cuGraphAddMemsetNode(node, graph, after, count, fill, current_context())) : last_error();
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                 const CUDA_HOST_NODE_PARAMS *call)
{
    return ready() ? done(cuGraphAddHostNode(node, graph, after, count, call)) : last_error();
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count)
{
    return ready() ? done(cuGraphAddEmptyNode(node, graph, after, count)) : last_error();
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                       size_t count, cudaGraph_t child)
{
    return ready() ? done(cuGraphAddChildGraphNode(node, graph, after, count, child)) : last_error();
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                        size_t count, cudaEvent_t event)
{
    return ready() ? done(cuGraphAddEventRecordNode(node, graph, after, count, event)) : last_error();
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                      size_t count, cudaEvent_t event)
{
    return ready() ? done(cuGraphAddEventWaitNode(node, graph, after, count, event)) : last_error();
}

#if CUDART_MAJOR >= 13
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, CUgraphEdgeData *edges,
                                         size_t *count)
{
    if (edges && count)
        memset(edges, 0, *count * sizeof *edges);
    return ready() ? done(cuGraphNodeGetDependencies(node, nodes, count)) : last_error();
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const CUgraphEdgeData *edges, size_t count)
{
    return ready() ? done(cuGraphAddDependencies_v2(graph, from, to, edges, count)) : last_error();
}
#else
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return ready() ? done(cuGraphNodeGetDependencies(node, nodes, count)) : last_error();
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count)
{
    return ready() ? done(cuGraphAddDependencies_v2(graph, from, to, NULL, count)) : last_error();
}
#endif

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    return ready() ? done(cuGraphDebugDotPrint(graph, path, flags)) : last_error();
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return ready() ? done(cuGraphGetNodes(graph, nodes, count)) : last_error();
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return ready() ? done(cuGraphGetRootNodes(graph, nodes, count)) : last_error();
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type)
{
    CUgraphNodeType t;
    if (!ready() || done(cuGraphNodeGetType(node, &t)))
        return last_error();
    *type = (int)t;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *kernel)
{
    CUDA_KERNEL_NODE_PARAMS k;
    return kernel_node_of(kernel, &k) ? done(cuGraphKernelNodeSetParams_v2(node, &k)) : last_error();
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *kernel)
{
    CUDA_KERNEL_NODE_PARAMS k;
    return kernel_node_of(kernel, &k) ? done(cuGraphExecKernelNodeSetParams_v2(exec, node, &k)) : last_error();
}

/* ---- launching --------------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return ready() ? done(cuGraphInstantiateWithFlags(exec, graph, flags)) : last_error();
}

#if CUDART_MAJOR >= 12
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    return ready() ? done(cuGraphInstantiateWithParams(exec, graph, params)) : last_error();
}
#endif

#if CUDART_MAJOR == 11
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *bad, char *log,
                                 size_t log_bytes)
{
    if (bad)
        *bad = NULL;
    if (log && log_bytes)
        *log = 0;
    return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
#endif

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return ready() ? done(cuGraphLaunch(exec, stream_of(stream))) : last_error();
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    return ready() ? done(cuGraphUpload(exec, stream_of(stream))) : last_error();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return ready() ? done(cuGraphExecDestroy(exec)) : last_error();
}

/* ---- capture ----------------------------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    return ready() ? done(cuStreamBeginCapture_v2(stream_of(stream), mode)) : last_error();
}

#if CUDART_MAJOR >= 12
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                                          const CUgraphEdgeData *edges, size_t count, int mode)
{
    return ready() ? done(cuStreamBeginCaptureToGraph(stream_of(stream), graph, nodes, edges, count, mode))
                   : last_error();
}

cudaError_t SECOND_VERSION(cudaStreamUpdateCaptureDependencies)(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                                const CUgraphEdgeData *edges, size_t count,
                                                                unsigned flags)
{
    return ready() ? done(cuStreamUpdateCaptureDependencies_v2(stream_of(stream), nodes, edges, count, flags))
                   : last_error();
}
#endif
#if CUDART_MAJOR < 13
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
                                                unsigned flags)
{
    return ready() ? done(cuStreamUpdateCaptureDependencies(stream_of(stream), nodes, count, flags)) : last_error();
}
#endif

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return ready() ? done(cuStreamEndCapture(stream_of(stream), graph)) : last_error();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
    CUstreamCaptureStatus s;
    if (!ready() || done(cuStreamIsCapturing(stream_of(stream), &s)))
        return last_error();
    *status = (int)s;
    return cudaSuccess;
}

static cudaError_t capture_info(cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                                const cudaGraphNode_t **nodes, size_t *count)
{
    CUstreamCaptureStatus s;
    cuuint64_t number = 0;
    if (!status)
        return fail(cudaErrorInvalidValue);
    if (!ready() || done(cuStreamGetCaptureInfo_v3(stream_of(stream), &s, &number, graph, nodes, NULL, count)))
        return last_error();
    *status = (int)s;
    if (id)
        *id = number;
    return cudaSuccess;
}

#if CUDART_MAJOR >= 12
#if CUDART_MAJOR == 12
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#else
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#endif
cudaError_t CAPTURE_INFO(cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                         const cudaGraphNode_t **nodes, const CUgraphEdgeData **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    return capture_info(stream, status, id, graph, nodes, count);
}
#endif

#if CUDART_MAJOR < 13
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id)
{
    return capture_info(stream, status, id, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **nodes, size_t *count)
{
    return capture_info(stream, status, id, graph, nodes, count);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    CUstreamCaptureMode m = mode ? (CUstreamCaptureMode)*mode : CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!mode)
        return fail(cudaErrorInvalidValue);
    if (!ready() || done(cuThreadExchangeStreamCaptureMode(&m)))
        return last_error();
    *mode = (int)m;
    return cudaSuccess;
}
