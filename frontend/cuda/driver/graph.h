/* Graphs: nodes of work and their dependencies. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H
#define REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H

#include "frontend/cuda/driver/driver.h"

enum { NODE_ATTRIBUTES = 11 };
struct CUgraphNode_st {
    struct work work; /* the node owns the parameters of a launch and the child graph */
    CUgraph graph;
    size_t index;                                       /* in the graph */
    unsigned long long id;                              /* the same in copies of the graph */
    bool disabled;                                      /* in an instantiated graph: it does nothing */
    void **pointers;                                    /* to the parameters of a launch, for queries */
    CUlaunchAttributeValue attributes[NODE_ATTRIBUTES]; /* of a launch, by CUlaunchAttributeID: hints */
    CUgraphNode *before;
    size_t before_count;
    unsigned visited; /* number of the last walk that visited it */
};
struct CUgraph_st {
    CUgraphNode *nodes;
    size_t count;
    unsigned walks;
    struct kept *kept; /* objects of the program that live at least as long as the graph */
};
struct CUgraphExec_st {
    CUgraph graph;
    cuuint64_t flags;
};
/* A capture: the streams that capture into one graph. */
struct capture {
    CUgraph graph;
    CUstream origin;
    unsigned long long id;
    CUstreamCaptureMode mode;
    pthread_t thread; /* the thread that began it */
    bool broken;
    bool given;        /* the graph is the program's */
    CUgraphNode *left; /* the last nodes of streams that were destroyed */
    size_t left_count;
};

CUgraph graph_new(void);
void graph_free(CUgraph);
/* A copy of the graph with the same nodes, at the same indices. NULL: out of memory. */
CUgraph graph_copy(const struct CUgraph_st *);
/* Adds a node with a copy of the work. NULL: out of memory. */
CUgraphNode graph_add(CUgraph, const CUgraphNode *before, size_t count, const struct work *);
/* Of conditional nodes: conditional.c. NULL: out of memory. */
CUgraph *bodies_copy(CUgraph *, unsigned size);
void bodies_free(CUgraph *, unsigned size);
CUresult conditional_add(CUgraphNode *, CUgraph, const CUgraphNode *before, size_t count,
                         CUDA_CONDITIONAL_NODE_PARAMS *);
CUresult conditional_run(const struct conditional *, CUstream);
/* Sets the conditions of a graph that is launched to their defaults. */
void conditions_begin(const struct CUgraph_st *);
bool node_depends(CUgraphNode, CUgraphNode on);
/* Removes a dependency. False: there was none. */
bool node_forgets(CUgraphNode, CUgraphNode on);
/* Removes a node from its graph. */
void node_remove(CUgraphNode);
/* The node in a copy of its graph that corresponds to this one; NULL: none. */
CUgraphNode node_in(CUgraph, CUgraphNode);
/* Replaces a node's work by a copy of other work of the same kind. */
CUresult node_set_work(CUgraphNode, const struct work *);
/* Keeps the objects of the program that another graph keeps: user_object.c. False: out of memory. */
bool graph_keeps_of(CUgraph, const struct CUgraph_st *from);
void graph_lets_go(CUgraph);

/* ---- for the functions of programs ------------------------------------------------------------------------------- */

/* Enters the driver for an operation on a handle; `result`, where the value goes, must not be NULL. */
CUresult graph_enter(enum handle, const void *handle, const void *result);
/* Whether all are nodes of this graph. */
bool are_nodes(CUgraph, const CUgraphNode *, size_t count);
/* Reads a launch; *block: its parameters, which the caller frees. `has_kernel`: the struct has its later fields. */
CUresult read_launch(const CUDA_KERNEL_NODE_PARAMS *, bool has_kernel, struct launch *, uint8_t **block);
/* Returns the nodes that `selected` selects, as far as there is room; without room, their number. Called with the lock
 * held; releases it. */
CUresult give_nodes(CUgraphNode *from, size_t all, bool (*selected)(CUgraphNode, const void *), const void *data,
                    CUgraphNode *nodes, size_t *count);
/* False: the graph has a cycle. */
bool graph_has_order(CUgraph);
CUresult graph_run(CUgraph, CUstream);

#endif
