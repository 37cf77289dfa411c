/* Objects of the program that graphs keep alive: counted, and passed to the program's destructor when unused. */
#include <limits.h>
#include <stdlib.h>

#include "frontend/cuda/driver/graph.h"

struct CUuserObject_st {
    void *data;
    CUhostFn destroy;
    unsigned long long count;
};
/* A graph's references to an object. */
struct kept {
    CUuserObject object;
    unsigned count;
    struct kept *next;
};

enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };

/* The destructor is the program's and must not call CUDA; it runs without our lock, because it may take locks of its
 * own. */
static void release(CUuserObject o, unsigned count)
{
    o->count -= count;
    if (o->count)
        return;
    handle_remove(o);
    pthread_mutex_unlock(&driver.lock);
    o->destroy(o->data);
    pthread_mutex_lock(&driver.lock);
    free(o);
}

static bool keep(CUgraph g, CUuserObject o, unsigned count)
{
    struct kept *k = malloc(sizeof *k);
    if (!k)
        return false;
    *k = (struct kept){o, count, g->kept};
    g->kept = k;
    return true;
}

bool graph_keeps_of(CUgraph g, const struct CUgraph_st *from)
{
    for (const struct kept *k = from->kept; k; k = k->next) {
        if (!keep(g, k->object, k->count))
            return false;
        k->object->count += k->count;
    }
    return true;
}

void graph_lets_go(CUgraph g)
{
    for (struct kept *k = g->kept, *next; k; k = next) {
        next = k->next;
        release(k->object, k->count);
        free(k);
    }
    g->kept = NULL;
}

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned count, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!object || !destroy || !count || count > INT_MAX || flags != NO_DESTRUCTOR_SYNC)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUuserObject o = malloc(sizeof *o);
    if (!o || !handle_add(HANDLE_USER_OBJECT, o)) {
        free(o);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *o = (struct CUuserObject_st){data, destroy, count};
    *object = o;
    return leave(CUDA_SUCCESS);
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    CUresult r = graph_enter(HANDLE_USER_OBJECT, object, count && count <= INT_MAX ? object : NULL);
    if (r)
        return r;
    object->count += count;
    return leave(CUDA_SUCCESS);
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    CUresult r = graph_enter(HANDLE_USER_OBJECT, object, count ? object : NULL);
    if (r)
        return r;
    if (count > object->count)
        return leave(CUDA_ERROR_INVALID_VALUE);
    release(object, count);
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, count && count <= INT_MAX && flags <= MOVE ? graph : NULL);
    if (r)
        return r;
    if (!handle_is(HANDLE_USER_OBJECT, object) || (flags == MOVE && count > object->count))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!keep(graph, object, count))
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    object->count += flags == MOVE ? 0 : count;
    return leave(CUDA_SUCCESS);
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    CUresult r = graph_enter(HANDLE_GRAPH, graph, count ? graph : NULL);
    if (r)
        return r;
    for (struct kept **link = &graph->kept, *k; (k = *link); link = &k->next) {
        if (k->object != object || k->count < count)
            continue;
        k->count -= count;
        if (!k->count) {
            *link = k->next;
            free(k);
        }
        release(object, count);
        return leave(CUDA_SUCCESS);
    }
    return leave(CUDA_ERROR_INVALID_VALUE);
}
