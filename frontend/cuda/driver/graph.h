/* Graphs: nodes of work and what each of them waits for. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H
#define REPRISE_FRONTEND_CUDA_DRIVER_GRAPH_H

#include "frontend/cuda/driver/driver.h"

struct CUgraphNode_st {
    struct work work; /* parameters of a launch, and the child graph, are the node's own */
    CUgraph graph;
    size_t index; /* in the graph */
    CUgraphNode *before;
    size_t before_count;
    unsigned visited; /* of the walk that came here last */
};
struct CUgraph_st {
    CUgraphNode *nodes;
    size_t count;
    unsigned walks;
};
/* What streams are capturing together. */
struct capture {
    CUgraph graph;
    CUstream origin;
    unsigned long long id;
    bool broken;
};

CUgraph graph_new(void);
void graph_free(CUgraph);
/* A graph of its own with the same nodes, at the same indices. NULL: no memory. */
CUgraph graph_copy(const struct CUgraph_st *);
/* Copies the work. NULL: no memory. */
CUgraphNode graph_add(CUgraph, const CUgraphNode *before, size_t count, const struct work *);
bool node_depends(CUgraphNode, CUgraphNode on);
/* Gives a launch other parameters, copied. */
CUresult node_set_launch(CUgraphNode, const struct launch *);
/* False: it goes in a circle. */
bool graph_has_order(CUgraph);
CUresult graph_run(CUgraph, CUstream);

#endif
