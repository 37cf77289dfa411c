/* Loops of random graphs, against reachability by Warshall's algorithm. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/components.h"

enum { MOST = 24, GRAPHS = 3000 };

static uint32_t state = 1;
static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

Test(components, equal_reachability_both_ways)
{
    static bool reaches[MOST][MOST];
    for (int graph = 0; graph < GRAPHS; graph++) {
        uint32_t nodes = 1 + below(MOST), start[MOST + 1] = {0}, edges[4 * MOST], component[MOST];
        uint32_t scratch[MOST * COMPONENTS_SCRATCH], most = 1 + below(4);
        memset(reaches, 0, sizeof reaches);
        for (uint32_t i = 0; i < nodes; i++) {
            start[i + 1] = start[i] + below(most);
            for (uint32_t e = start[i]; e < start[i + 1]; e++)
                reaches[i][edges[e] = below(nodes)] = true;
        }
        for (uint32_t k = 0; k < nodes; k++)
            for (uint32_t i = 0; i < nodes; i++)
                for (uint32_t j = 0; j < nodes; j++)
                    reaches[i][j] |= reaches[i][k] && reaches[k][j];
        uint32_t count = components_find(nodes, start, edges, component, scratch);
        for (uint32_t i = 0; i < nodes; i++) {
            cr_assert_eq(component[i] != 0, reaches[i][i], "graph %d, node %u", graph, i);
            cr_assert_leq(component[i], count);
            for (uint32_t j = 0; j < nodes; j++)
                if (component[i] && component[j])
                    cr_assert_eq(component[i] == component[j], i == j || (reaches[i][j] && reaches[j][i]));
        }
    }
}
