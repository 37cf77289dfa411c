/* Conditional nodes of graphs. A handle is the address of a word of device memory: kernels set it by
 * cudaGraphSetConditional (device_runtime.c). */
#include <stdlib.h>

#include "frontend/cuda/driver/graph.h"
#include "frontend/cuda/driver/pending.h"

enum { ASSIGN_DEFAULT = 1 };               /* CU_GRAPH_COND_ASSIGN_DEFAULT */
enum { TYPE_IF, TYPE_WHILE, TYPE_SWITCH }; /* CUgraphConditionalNodeType */

/* Handles stay: copies of their graphs use them. */
struct condition {
    uint64_t handle;
    unsigned initial, flags;
    bool used; /* by a node */
    struct condition *next;
};
static struct condition *conditions;

static struct condition *condition_of(uint64_t handle)
{
    struct condition *c = conditions;
    while (c && c->handle != handle)
        c = c->next;
    return c;
}

static uint32_t *value_of(uint64_t handle) { return rp_host(driver.device, handle, sizeof(uint32_t)); }

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned initial, unsigned flags)
{
    (void)context;
    CUresult r = graph_enter(HANDLE_GRAPH, graph, handle);
    if (r)
        return r;
    if (flags > ASSIGN_DEFAULT)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct rp_error err = {0};
    struct condition *c = calloc(1, sizeof *c);
    uint64_t address = c ? rp_alloc(driver.device, sizeof(uint32_t), "handle of a conditional node", &err) : 0;
    if (!address) {
        free(c);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *c = (struct condition){.handle = address, .initial = initial, .flags = flags, .next = conditions};
    conditions = c;
    *handle = address;
    return leave(CUDA_SUCCESS);
}

static bool size_fits(int type, unsigned size)
{
    return type == TYPE_IF ? size == 1 || size == 2 : type == TYPE_WHILE ? size == 1 : type == TYPE_SWITCH && size;
}

/* Graphs of no nodes; NULL: out of memory. */
static CUgraph *new_bodies(unsigned size)
{
    CUgraph *bodies = calloc(size, sizeof *bodies);
    bool ok = bodies;
    for (unsigned i = 0; ok && i < size; i++)
        ok = (bodies[i] = graph_new());
    if (ok || !bodies)
        return bodies;
    bodies_free(bodies, size);
    return NULL;
}

void bodies_free(CUgraph *bodies, unsigned size)
{
    for (unsigned i = 0; bodies && i < size; i++)
        graph_free(bodies[i]);
    free(bodies);
}

CUgraph *bodies_copy(CUgraph *from, unsigned size)
{
    CUgraph *bodies = calloc(size, sizeof *bodies);
    bool ok = bodies;
    for (unsigned i = 0; ok && i < size; i++)
        ok = (bodies[i] = graph_copy(from[i]));
    if (ok || !bodies)
        return bodies;
    bodies_free(bodies, size);
    return NULL;
}

CUresult conditional_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count,
                         CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, node);
    if (r)
        return r;
    struct condition *c = condition_of(p->handle);
    if (!c || c->used || !size_fits(p->type, p->size) || !are_nodes(graph, before, count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUgraph *bodies = new_bodies(p->size);
    struct work w = {.kind = WORK_CONDITIONAL, .conditional = {p->handle, p->type, p->size, bodies}};
    *node = bodies ? graph_add(graph, before, count, &w) : NULL;
    bodies_free(bodies, p->size);
    if (!*node)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    c->used = true;
    p->phGraph_out = (*node)->work.conditional.bodies;
    return leave(CUDA_SUCCESS);
}

/* ---- running ------------------------------------------------------------------------------------------------------
 */

void conditions_begin(const struct CUgraph_st *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct work *w = &g->nodes[i]->work;
        const struct condition *c = w->kind == WORK_CONDITIONAL ? condition_of(w->conditional.handle) : NULL;
        if (w->kind == WORK_CHILD)
            conditions_begin(w->child);
        if (c && c->flags & ASSIGN_DEFAULT)
            *value_of(c->handle) = c->initial;
        for (unsigned k = 0; c && k < w->conditional.size; k++)
            conditions_begin(w->conditional.bodies[k]);
    }
}

/* The body that the value selects; NULL: none. */
static CUgraph selected(const struct conditional *c, uint32_t value)
{
    unsigned number = c->type == TYPE_SWITCH ? value : !value;
    bool some = c->type == TYPE_WHILE ? value : number < c->size;
    return some ? c->bodies[number] : NULL;
}

/* Whether it runs a kernel: nothing else sets conditions. */
static bool has_launch(const struct CUgraph_st *g)
{
    bool has = false;
    for (size_t i = 0; i < g->count && !has; i++) {
        const struct work *w = &g->nodes[i]->work;
        if (g->nodes[i]->disabled)
            continue;
        has = w->kind == WORK_LAUNCH || (w->kind == WORK_CHILD && has_launch(w->child));
        for (unsigned k = 0; w->kind == WORK_CONDITIONAL && k < w->conditional.size && !has; k++)
            has = has_launch(w->conditional.bodies[k]);
    }
    return has;
}

static CUresult refuse_endless(void)
{
    say("a while node of a graph does not end: its condition is set, and its body has no kernel that could clear it");
    return CUDA_ERROR_INVALID_VALUE;
}

/* A kernel sets the value. So the host first waits for all work that comes before. */
CUresult conditional_run(const struct conditional *c, CUstream stream)
{
    CUresult r;
    CUgraph body;
    do {
        if ((r = pending_wait(stream, NULL)))
            return r;
        if ((body = selected(c, *value_of(c->handle))))
            r = c->type != TYPE_WHILE || has_launch(body) ? graph_run(body, stream) : refuse_endless();
    } while (body && c->type == TYPE_WHILE && !r && !failed_for_good());
    return r;
}
