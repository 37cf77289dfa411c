/* Dependencies in a graph; removing nodes; comparing and updating copies of graphs. */
#include <string.h>

#include "frontend/cuda/driver/graph.h"

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static bool waits_for(CUgraphNode n, const void *on)
{
    for (size_t i = 0; i < n->before_count; i++)
        if (n->before[i] == on)
            return true;
    return false;
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    CUresult r = graph_enter(HANDLE_NODE, node, count);
    return r ? r : give_nodes(node->graph->nodes, node->graph->count, waits_for, node, nodes, count);
}

/* Edges have no data: all are full dependencies. */
static void clear_edges(CUgraphEdgeData *edges, const size_t *count)
{
    if (edges && count)
        memset(edges, 0, *count * sizeof *edges);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    clear_edges(edges, count);
    return cuGraphNodeGetDependentNodes(node, nodes, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count)
{
    clear_edges(edges, count);
    return cuGraphNodeGetDependencies(node, nodes, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, count);
    if (r)
        return r;
    if (!from != !to)
        return leave(CUDA_ERROR_INVALID_VALUE);
    size_t n = 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->before_count; k++, n++)
            if (from && n < *count) {
                from[n] = graph->nodes[i]->before[k];
                to[n] = graph->nodes[i];
            }
    for (size_t i = n; from && i < *count; i++)
        from[i] = to[i] = NULL;
    *count = !from || n < *count ? n : *count;
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count)
{
    clear_edges(edges, count);
    return cuGraphGetEdges(graph, from, to, count);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, graph);
    if (r)
        return r;
    if (!are_nodes(graph, from, count) || !are_nodes(graph, to, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        if (!node_forgets(to[i], from[i]))
            r = CUDA_ERROR_INVALID_VALUE;
    return leave(r);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count)
{
    (void)edges;
    return cuGraphRemoveDependencies(graph, from, to, count);
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    CUresult r = graph_enter(HANDLE_NODE, node, node);
    if (r)
        return r;
    node_remove(node);
    return leave(CUDA_SUCCESS);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode original, CUgraph clone)
{
    CUresult r = graph_enter(HANDLE_GRAPH, clone, found);
    if (r)
        return r;
    *found = handle_is(HANDLE_NODE, original) ? node_in(clone, original) : NULL;
    return leave(*found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    CUresult r = graph_enter(HANDLE_EXEC, exec, flags);
    if (r)
        return r;
    *flags = exec->flags;
    return leave(CUDA_SUCCESS);
}

/* CUgraphExecUpdateResult */
enum { UPDATED = 0, TOPOLOGY_CHANGED = 2, TYPE_CHANGED = 3, PARAMETERS_CHANGED = 5 };

static bool same_edges(CUgraphNode a, CUgraphNode b)
{
    bool same = a->before_count == b->before_count;
    for (size_t i = 0; same && i < a->before_count; i++)
        same = a->before[i]->index == b->before[i]->index;
    return same;
}

/* Whether two graphs differ in more than the nodes' parameters. Nodes correspond by the order in which they were added.
 */
static int compare(CUgraph old, CUgraph new, CUgraphNode *at)
{
    *at = NULL;
    if (old->count != new->count)
        return TOPOLOGY_CHANGED;
    for (size_t i = 0; i < old->count; i++) {
        *at = new->nodes[i];
        if (old->nodes[i]->work.kind != new->nodes[i]->work.kind)
            return TYPE_CHANGED;
        if (!same_edges(old->nodes[i], new->nodes[i]))
            return TOPOLOGY_CHANGED;
        if (old->nodes[i]->work.kind == WORK_ALLOCATE && old->nodes[i]->work.memory != new->nodes[i]->work.memory)
            return PARAMETERS_CHANGED;
    }
    *at = NULL;
    return UPDATED;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    CUresult r = graph_enter(HANDLE_EXEC, exec, info);
    if (r)
        return r;
    if (!handle_is(HANDLE_GRAPH, graph))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *info = (CUgraphExecUpdateResultInfo){0};
    info->result = compare(exec->graph, graph, &info->errorNode);
    if (info->result)
        return leave(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CUgraph copy = graph_copy(graph);
    if (!copy)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < copy->count; i++) /* identified by the nodes that it was instantiated from */
        copy->nodes[i]->id = exec->graph->nodes[i]->id;
    graph_free(exec->graph);
    exec->graph = copy;
    return leave(CUDA_SUCCESS);
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error, int *result)
{
    CUgraphExecUpdateResultInfo info = {0};
    if (!error || !result)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = cuGraphExecUpdate_v2(exec, graph, &info);
    *error = info.errorNode;
    *result = info.result;
    return r;
}
