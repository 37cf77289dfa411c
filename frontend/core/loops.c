#include "frontend/core/loops.h"

#include <stdlib.h>

#include "frontend/core/components.h"
#include "frontend/core/operands.h"

/* Nodes after the operations, one per enum stack_token: a pop may lead to everything that was pushed with its token.
 * The first of them stands for the ends of functions. */
#define TOKENS (TOKEN_RETURN + 1)

struct graph {
    const struct program *program;
    uint32_t nodes;
    uint32_t *start; /* by node; during counting, shifted by one node */
    uint32_t *edges; /* NULL: edges are being counted */
};

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    if (g->edges)
        g->edges[g->start[from + 1]++] = to;
    else
        g->start[from + 2]++;
}

/* Adds the edges from operation i to each operation that a lane may execute next. The operation after a call follows
 * the end of the called function, so its edge starts at the node of function ends. */
static void add_edges(struct graph *g, uint32_t i)
{
    const struct program *p = g->program;
    const struct operation *o = &p->operations[i];
    if (o->kind == UOP_CALL)
        add_edge(g, p->uop_count + TOKEN_NONE, i + 1);
    else if (operation_may_fall_through(o) && i + 1 < p->uop_count)
        add_edge(g, i, i + 1);
    if (o->kind == UOP_CALL && is_register(o->guard))
        add_edge(g, i, i + 1);
    if ((o->kind == UOP_BRANCH || o->kind == UOP_CALL) && o->target != UOP_NOWHERE)
        add_edge(g, i, o->target);
    if (o->kind == UOP_PUSH)
        add_edge(g, p->uop_count + (uint32_t)o->imm, o->target);
    if (o->kind == UOP_POP || o->kind == UOP_RETURN)
        add_edge(g, i, p->uop_count + (o->kind == UOP_POP ? (uint32_t)o->imm : TOKEN_NONE));
    for (uint32_t t = 0; t < o->table_count; t++)
        if (o->table[t] != UOP_NOWHERE)
            add_edge(g, i, o->table[t]);
}

static void each_operation(struct graph *g)
{
    for (uint32_t i = 0; i < g->program->uop_count; i++)
        add_edges(g, i);
}

uint32_t *loops_find(const struct program *p, uint32_t *count)
{
    struct graph g = {.program = p, .nodes = p->uop_count + TOKENS};
    uint32_t *scratch = NULL, *loops = NULL;
    if ((g.start = calloc((size_t)g.nodes + 2, sizeof *g.start))) {
        each_operation(&g);
        for (uint32_t i = 1; i <= g.nodes; i++)
            g.start[i + 1] += g.start[i];
        g.edges = malloc(((size_t)g.start[g.nodes + 1] + 1) * sizeof *g.edges);
        scratch = malloc((size_t)g.nodes * COMPONENTS_SCRATCH * sizeof *scratch);
        loops = malloc((size_t)g.nodes * sizeof *loops);
    }
    bool fine = g.edges && scratch && loops;
    if (fine) {
        each_operation(&g);
        *count = components_find(g.nodes, g.start, g.edges, loops, scratch);
    } else {
        free(loops);
    }
    free(g.start);
    free(g.edges);
    free(scratch);
    return fine ? loops : NULL;
}
