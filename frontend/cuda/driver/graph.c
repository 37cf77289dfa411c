/* Graphs: making, copying, running. */
#include "frontend/cuda/driver/graph.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/pending.h"

CUgraph graph_new(void)
{
    CUgraph g = calloc(1, sizeof *g);
    if (g && handle_add(HANDLE_GRAPH, g))
        return g;
    free(g);
    return NULL;
}

static void node_free(CUgraphNode n)
{
    handle_remove(n);
    if (n->work.kind == WORK_LAUNCH)
        free(n->work.launch.params);
    if (n->work.kind == WORK_CHILD)
        graph_free(n->work.child);
    if (n->work.kind == WORK_CONDITIONAL)
        bodies_free(n->work.conditional.bodies, n->work.conditional.size);
    free(n->pointers);
    free(n->before);
    free(n);
}

void graph_free(CUgraph g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++)
        node_free(g->nodes[i]);
    graph_lets_go(g);
    handle_remove(g);
    free(g->nodes);
    free(g);
}

/* Copies the parts of the work that the node must own. */
static bool own_work(CUgraphNode n)
{
    if (n->work.kind == WORK_LAUNCH) {
        uint32_t bytes = n->work.launch.function->program->parameter_bytes;
        uint8_t *params = malloc(bytes + 1);
        if (params)
            memcpy(params, n->work.launch.params, bytes);
        n->work.launch.params = params;
        return params;
    }
    if (n->work.kind == WORK_CHILD)
        return (n->work.child = graph_copy(n->work.child));
    if (n->work.kind == WORK_CONDITIONAL)
        return (n->work.conditional.bodies = bodies_copy(n->work.conditional.bodies, n->work.conditional.size));
    return true;
}

bool node_depends(CUgraphNode n, CUgraphNode on)
{
    for (size_t i = 0; i < n->before_count; i++)
        if (n->before[i] == on)
            return true;
    CUgraphNode *grown = realloc(n->before, (n->before_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    n->before = grown;
    n->before[n->before_count++] = on;
    return true;
}

bool node_forgets(CUgraphNode n, CUgraphNode on)
{
    for (size_t i = 0; i < n->before_count; i++)
        if (n->before[i] == on) {
            memmove(n->before + i, n->before + i + 1, (--n->before_count - i) * sizeof *n->before);
            return true;
        }
    return false;
}

void node_remove(CUgraphNode n)
{
    CUgraph g = n->graph;
    memmove(g->nodes + n->index, g->nodes + n->index + 1, (--g->count - n->index) * sizeof *g->nodes);
    for (size_t i = 0; i < g->count; i++) {
        g->nodes[i]->index = i;
        node_forgets(g->nodes[i], n);
    }
    node_free(n);
}

CUgraphNode node_in(CUgraph g, CUgraphNode n)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->id == n->id)
            return g->nodes[i];
    return NULL;
}

static bool list(CUgraph g, CUgraphNode n)
{
    CUgraphNode *grown = realloc(g->nodes, (g->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    g->nodes = grown;
    n->graph = g;
    n->index = g->count;
    g->nodes[g->count++] = n;
    return true;
}

CUgraphNode graph_add(CUgraph g, const CUgraphNode *before, size_t count, const struct work *w)
{
    CUgraphNode n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    static unsigned long long ids;
    n->work = *w;
    n->work.call = OF_GRAPH;
    n->id = ++ids;
    if (!own_work(n)) {
        n->work.kind = WORK_EMPTY;
        node_free(n);
        return NULL;
    }
    bool ok = handle_add(HANDLE_NODE, n);
    for (size_t i = 0; ok && i < count; i++)
        ok = node_depends(n, before[i]);
    if (ok && list(g, n))
        return n;
    node_free(n);
    return NULL;
}

CUresult node_set_work(CUgraphNode n, const struct work *w)
{
    struct CUgraphNode_st with = {.work = *w};
    if (n->work.kind != w->kind || w->kind == WORK_CONDITIONAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!own_work(&with))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (n->work.kind == WORK_LAUNCH)
        free(n->work.launch.params);
    if (n->work.kind == WORK_CHILD)
        graph_free(n->work.child);
    n->work = with.work;
    return CUDA_SUCCESS;
}

CUgraph graph_copy(const struct CUgraph_st *from)
{
    CUgraph g = graph_new();
    bool ok = g;
    for (size_t i = 0; ok && i < from->count; i++)
        if ((ok = graph_add(g, NULL, 0, &from->nodes[i]->work))) {
            g->nodes[i]->id = from->nodes[i]->id;
            g->nodes[i]->disabled = from->nodes[i]->disabled;
            memcpy(g->nodes[i]->attributes, from->nodes[i]->attributes, sizeof g->nodes[i]->attributes);
        }
    for (size_t i = 0; ok && i < from->count; i++)
        for (size_t k = 0; ok && k < from->nodes[i]->before_count; k++)
            ok = node_depends(g->nodes[i], g->nodes[from->nodes[i]->before[k]->index]);
    if (ok && graph_keeps_of(g, from))
        return g;
    graph_free(g);
    return NULL;
}

/* ---- in order: each node after those that it waits for, else as they were added ---------------------------------- */

#define OPEN UINT32_MAX /* a node whose predecessors are being visited */

static CUresult visit(CUgraphNode n, unsigned walk, CUstream stream)
{
    if (n->visited == walk)
        return CUDA_SUCCESS;
    if (n->visited == OPEN)
        return CUDA_ERROR_INVALID_VALUE; /* a cycle */
    n->visited = OPEN;
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; i < n->before_count && !r; i++)
        r = visit(n->before[i], walk, stream);
    n->visited = walk;
    if (r || !stream || n->disabled)
        return r;
    return n->work.kind == WORK_CHILD         ? graph_run(n->work.child, stream)
           : n->work.kind == WORK_CONDITIONAL ? conditional_run(&n->work.conditional, stream)
                                              : pending_submit(stream, &n->work);
}

static CUresult walk(CUgraph g, CUstream stream)
{
    CUresult r = CUDA_SUCCESS;
    unsigned number = ++g->walks;
    for (size_t i = 0; i < g->count && !r && !failed_for_good(); i++)
        r = visit(g->nodes[i], number, stream);
    return r;
}

bool graph_has_order(CUgraph g) { return !walk(g, NULL); }
CUresult graph_run(CUgraph g, CUstream stream) { return walk(g, stream); }
