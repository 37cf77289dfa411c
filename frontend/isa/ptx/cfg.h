/* Control flow of a function: blocks, immediate post-dominators, and where diverged lanes meet again.
 *
 * Lanes that diverged at a branch wait for each other at the branch's immediate post-dominator: the first block that
 * all of them must reach. Lanes that end (ret, exit, trap) are not waited for. So a return in the middle of a function
 * does not count as a path to its end; only the last reachable `ret` does. A branch from which no path leads to that
 * end, as in an endless loop, has no meeting point. */
#ifndef REPRISE_FRONTEND_ISA_PTX_CFG_H
#define REPRISE_FRONTEND_ISA_PTX_CFG_H

#include "frontend/isa/ptx/ast.h"

#define CFG_NONE UINT32_MAX

struct cfg_block {
    uint32_t first, end;    /* instructions [first, end) */
    uint32_t postdominator; /* block, or CFG_NONE: the function's end */
    bool meets;             /* lanes of some branch meet here */
};

struct cfg {
    uint32_t count;
    struct cfg_block *blocks;
    uint32_t *block_of;                     /* by instruction; [body.count]: CFG_NONE */
    uint32_t *successor_start, *successors; /* of block b: successors[successor_start[b] .. successor_start[b + 1]) */
};

void cfg_build(struct arena *, const struct ptx_function *, struct cfg *);

/* Immediate post-dominators of a graph with `nodes` nodes and edges as in struct cfg, towards `exit`: Lengauer and
 * Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), simple version, on the reversed graph.
 * CFG_NONE for exit itself and for nodes that cannot reach it. */
void immediate_postdominators(struct arena *, uint32_t nodes, const uint32_t *edge_start, const uint32_t *edges,
                              uint32_t exit, uint32_t *result);

#endif
