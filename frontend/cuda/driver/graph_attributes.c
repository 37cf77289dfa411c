/* Attributes of launches in graphs: cooperative, clusters, and hints, which are only stored. */
#include <string.h>

#include "frontend/cuda/driver/graph.h"

/* Enters the driver for an attribute of a launch. */
static CUresult enter_launch(CUgraphNode node, CUlaunchAttributeID id, const void *value)
{
    CUresult r = graph_enter(HANDLE_NODE, node, value);
    if (r)
        return r;
    bool has = node->work.kind == WORK_LAUNCH && id > CU_LAUNCH_ATTRIBUTE_IGNORE && (unsigned)id < NODE_ATTRIBUTES;
    return has ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *value)
{
    CUresult r = enter_launch(node, id, value);
    if (r)
        return r;
    const struct launch *l = &node->work.launch;
    *value = node->attributes[id];
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        value->cooperative = l->cooperative;
    else if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        memcpy(&value->clusterDim, l->cluster, sizeof l->cluster);
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    CUresult r = enter_launch(node, id, value);
    if (r)
        return r;
    struct launch l = node->work.launch;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        l.cooperative = value->cooperative;
    else if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        memcpy(l.cluster, &value->clusterDim, sizeof l.cluster);
    if ((r = launch_check(&l)))
        return leave(r);
    node->work.launch = l;
    node->attributes[id] = *value;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    CUresult r = graph_enter(HANDLE_NODE, to, to);
    if (r)
        return r;
    if (!handle_is(HANDLE_NODE, from) || from->work.kind != WORK_LAUNCH || to->work.kind != WORK_LAUNCH)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct launch l = to->work.launch;
    l.cooperative = from->work.launch.cooperative;
    memcpy(l.cluster, from->work.launch.cluster, sizeof l.cluster);
    if ((r = launch_check(&l)))
        return leave(r);
    to->work.launch = l;
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    return leave(CUDA_SUCCESS);
}
