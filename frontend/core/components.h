/* Finds the cycles of a graph: its strongly connected components (Tarjan, "Depth-first search and linear graph
 * algorithms", SIAM Journal on Computing 1, 1972). */
#ifndef REPRISE_FRONTEND_CORE_COMPONENTS_H
#define REPRISE_FRONTEND_CORE_COMPONENTS_H

#include <stdint.h>

/* Edges of node i: edges[start[i] .. start[i + 1]). component[i]: the number, from 1 on, of node i's component, 0 if
 * the node is on no cycle. Reversing all edges does not change the components. `scratch` holds COMPONENTS_SCRATCH words
 * for each node. Returns how many components there are. */
#define COMPONENTS_SCRATCH 5
uint32_t components_find(uint32_t nodes, const uint32_t *start, const uint32_t *edges, uint32_t *component,
                         uint32_t *scratch);

#endif
