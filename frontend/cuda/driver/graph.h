/* Graphs: nodes of work and what each of them waits for. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H
#define REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H

#include "frontend/cuda/driver/driver.h"

enum { NODE_ATTRIBUTES = 11 };
struct CUgraphNode_st {
    struct work work; /* parameters of a launch, and the child graph, are the node's own */
    CUgraph graph;
    size_t index;                                       /* in the graph */
    unsigned long long id;                              /* the same in copies of the graph */
    bool disabled;                                      /* in a graph to be launched: it does nothing */
    void **pointers;                                    /* to the parameters of a launch, for those who ask */
    CUlaunchAttributeValue attributes[NODE_ATTRIBUTES]; /* of a launch, by CUlaunchAttributeID: hints */
    CUgraphNode *before;
    size_t before_count;
    unsigned visited; /* of the walk that came here last */
};
struct CUgraph_st {
    CUgraphNode *nodes;
    size_t count;
    unsigned walks;
    struct kept *kept; /* objects of the program that live as long as the graph */
};
struct CUgraphExec_st {
    CUgraph graph;
    cuuint64_t flags;
};
/* What streams are capturing together. */
struct capture {
    CUgraph graph;
    CUstream origin;
    unsigned long long id;
    CUstreamCaptureMode mode;
    pthread_t thread; /* that began it */
    bool broken;
};

CUgraph graph_new(void);
void graph_free(CUgraph);
/* A graph of its own with the same nodes, at the same indices. NULL: no memory. */
CUgraph graph_copy(const struct CUgraph_st *);
/* Copies the work. NULL: no memory. */
CUgraphNode graph_add(CUgraph, const CUgraphNode *before, size_t count, const struct work *);
bool node_depends(CUgraphNode, CUgraphNode on);
/* False: it did not. */
bool node_forgets(CUgraphNode, CUgraphNode on);
/* Takes it out of its graph. */
void node_remove(CUgraphNode);
/* The node that stands for this one in a copy of its graph; NULL: none. */
CUgraphNode node_in(CUgraph, CUgraphNode);
/* Gives a node other work of the same kind, copied. */
CUresult node_set_work(CUgraphNode, const struct work *);
/* Objects of the program that a graph keeps: user_object.c. False: no memory. */
bool graph_keeps_of(CUgraph, const struct CUgraph_st *from);
void graph_lets_go(CUgraph);

/* ---- for the functions of programs ------------------------------------------------------------------------------- */

/* Enters for something with a handle, with a place for the answer. */
CUresult graph_enter(enum handle, const void *handle, const void *answer);
/* Whether they are nodes of this graph. */
bool are_nodes(CUgraph, const CUgraphNode *, size_t count);
/* What is to be launched; its parameters are `*block`, the caller's to free. `has_kernel`: the struct has its later
 * fields. */
CUresult read_launch(const CUDA_KERNEL_NODE_PARAMS *, bool has_kernel, struct launch *, uint8_t **block);
/* Nodes that are meant, as far as there is room; without room their number. With the lock; gives it back. */
CUresult give_nodes(CUgraphNode *from, size_t all, bool (*meant)(CUgraphNode, const void *), const void *data,
                    CUgraphNode *nodes, size_t *count);
/* False: it goes in a circle. */
bool graph_has_order(CUgraph);
CUresult graph_run(CUgraph, CUstream);

#endif
