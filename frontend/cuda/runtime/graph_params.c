/* Parameters of graph nodes: queried and changed, in a graph and in an instantiated graph. */
#include "frontend/cuda/runtime/runtime.h"

/* The result of a driver call. */
#define RUN(call) (ready() ? done(call) : last_error())

/* ---- launches: kernels are set in graph.c ------------------------------------------------------------------------ */

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *kernel)
{
    CUDA_KERNEL_NODE_PARAMS k;
    if (!kernel)
        return fail(cudaErrorInvalidValue);
    if (RUN(cuGraphKernelNodeGetParams_v2(node, &k)))
        return last_error();
    *kernel = (struct cudaKernelNodeParams){.func = host_function_of(k.func),
                                            .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
                                            .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
                                            .sharedMemBytes = k.sharedMemBytes,
                                            .kernelParams = k.kernelParams};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    return RUN(cuGraphKernelNodeGetAttribute(node, id, value));
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, CUlaunchAttributeID id,
                                            const CUlaunchAttributeValue *value)
{
    return RUN(cuGraphKernelNodeSetAttribute(node, id, value));
}
/* The headers of CUDA 11 and 12 name the two nodes differently from the driver: refused there. */
#if CUDART_MAJOR >= 13
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    return RUN(cuGraphKernelNodeCopyAttributes(to, from));
}
#endif

/* ---- copies ------------------------------------------------------------------------------------------------------ */

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D c;
    return copy3d_of(copy, &c) ? RUN(cuGraphMemcpyNodeSetParams(node, &c)) : last_error();
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D c;
    return copy3d_of(copy, &c) ? RUN(cuGraphExecMemcpyNodeSetParams(exec, node, &c, current_context())) : last_error();
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes, int kind)
{
    struct cudaMemcpy3DParms copy = copy_of_line(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &copy);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t bytes, int kind)
{
    struct cudaMemcpy3DParms copy = copy_of_line(to, from, bytes, kind);
    return cudaGraphExecMemcpyNodeSetParams(exec, node, &copy);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, int kind)
{
    char *to = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &to);
    return error ? error : cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t bytes,
                                                   size_t offset, int kind)
{
    char *from = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &from);
    return error ? error : cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *from, size_t bytes, size_t offset, int kind)
{
    char *to = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &to);
    return error ? error : cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes, size_t offset, int kind)
{
    char *from = NULL;
    cudaError_t error = symbol_address(symbol, bytes, offset, &from);
    return error ? error : cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind);
}

/* ---- fillings, functions of the host, graphs, events: their structs are the driver's ----------------------------- */

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, CUDA_MEMSET_NODE_PARAMS *fill)
{
    return RUN(cuGraphMemsetNodeGetParams(node, fill));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const CUDA_MEMSET_NODE_PARAMS *fill)
{
    return RUN(cuGraphMemsetNodeSetParams(node, fill));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const CUDA_MEMSET_NODE_PARAMS *fill)
{
    return RUN(cuGraphExecMemsetNodeSetParams(exec, node, fill, current_context()));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, CUDA_HOST_NODE_PARAMS *call)
{
    return RUN(cuGraphHostNodeGetParams(node, call));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const CUDA_HOST_NODE_PARAMS *call)
{
    return RUN(cuGraphHostNodeSetParams(node, call));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const CUDA_HOST_NODE_PARAMS *call)
{
    return RUN(cuGraphExecHostNodeSetParams(exec, node, call));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child)
{
    return RUN(cuGraphChildGraphNodeGetGraph(node, child));
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    return RUN(cuGraphExecChildGraphNodeSetParams(exec, node, child));
}

#define EVENT_NODE(name)                                                                                               \
    cudaError_t cudaGraph##name##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)                                \
    {                                                                                                                  \
        return RUN(cuGraph##name##NodeGetEvent(node, event));                                                          \
    }                                                                                                                  \
    cudaError_t cudaGraph##name##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)                                 \
    {                                                                                                                  \
        return RUN(cuGraph##name##NodeSetEvent(node, event));                                                          \
    }                                                                                                                  \
    cudaError_t cudaGraphExec##name##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)       \
    {                                                                                                                  \
        return RUN(cuGraphExec##name##NodeSetEvent(exec, node, event));                                                \
    }
EVENT_NODE(EventRecord)
EVENT_NODE(EventWait)

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    return RUN(cuGraphNodeSetEnabled(exec, node, enabled));
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    return RUN(cuGraphNodeGetEnabled(exec, node, enabled));
}
