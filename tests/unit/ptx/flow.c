/* Control-flow graphs: immediate post-dominators against a plain computation, and where lanes meet again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/cfg.h"
#include "tests/unit/ptx/support.h"

enum { NODES = 24, MAX_EDGES = 3 * NODES, GRAPHS = 4000 };

struct graph {
    uint32_t nodes, start[NODES + 1], edges[MAX_EDGES];
};

static void random_graph(struct graph *g, uint64_t *seed)
{
    uint32_t n = 0;
    g->nodes = 1 + next_random(seed, NODES);
    for (uint32_t i = 0; i < g->nodes; i++) {
        g->start[i] = n;
        for (uint32_t k = next_random(seed, 4); k > 0; k--)
            g->edges[n++] = next_random(seed, g->nodes);
    }
    g->start[g->nodes] = n;
}

/* Whether `exit` can be reached from `from` without `without`. */
static bool reaches(const struct graph *g, uint32_t from, uint32_t exit, uint32_t without)
{
    bool seen[NODES] = {false};
    uint32_t stack[NODES], depth = 0;
    if (from == without)
        return false;
    seen[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        if (at == exit)
            return true;
        for (uint32_t e = g->start[at]; e < g->start[at + 1]; e++)
            if (g->edges[e] != without && !seen[g->edges[e]]) {
                seen[g->edges[e]] = true;
                stack[depth++] = g->edges[e];
            }
    }
    return false;
}

/* By the definition: of the nodes that all ways from `n` to `exit` pass, the one that all others are passed before. */
static uint32_t plain_postdominator(const struct graph *g, uint32_t n, uint32_t exit)
{
    uint32_t best = CFG_NONE, best_count = 0;
    if (n == exit || !reaches(g, n, exit, CFG_NONE))
        return CFG_NONE;
    for (uint32_t d = 0; d < g->nodes; d++) {
        if (d == n || reaches(g, n, exit, d))
            continue;
        uint32_t own = 0; /* d's own post-dominators: the nearest candidate has the most */
        for (uint32_t e = 0; e < g->nodes; e++)
            own += e != d && !reaches(g, d, exit, e);
        if (best == CFG_NONE || own > best_count) {
            best = d;
            best_count = own;
        }
    }
    return best;
}

struct check {
    int round;
    uint64_t seed;
    uint32_t found; /* nodes that have a post-dominator, over all rounds */
};

static void check_graph(struct arena *arena, void *data)
{
    struct check *c = data;
    struct graph g;
    uint32_t result[NODES];
    random_graph(&g, &c->seed);
    uint32_t exit = next_random(&c->seed, g.nodes);
    immediate_postdominators(arena, g.nodes, g.start, g.edges, exit, result);
    for (uint32_t n = 0; n < g.nodes; n++) {
        uint32_t wanted = plain_postdominator(&g, n, exit);
        cr_assert_eq(result[n], wanted, "graph %d node %u: %u, not %u", c->round, n, result[n], wanted);
        c->found += wanted != CFG_NONE;
    }
}

Test(flow, postdominators_of_random_graphs)
{
    struct check c = {.seed = 1};
    for (c.round = 0; c.round < GRAPHS; c.round++)
        with_arena(check_graph, &c);
    cr_expect_gt(c.found, 5000); /* the graphs were not all trivial */
}

/* ---- shapes ---- */

/* Text of the instruction at which lanes meet that branch number `which` (of those with a guard, and brx) parts; "end"
 * for none. */
static const char *meeting(const struct program *p, unsigned which)
{
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *u = &p->operations[i];
        bool parts = (u->kind == UOP_BRANCH && (p->kernel.instructions[u->index].flags & RP_GUARDED)) ||
                     u->kind == UOP_BRANCH_TABLE;
        if (!parts || which-- > 0)
            continue;
        if (u->reconverge == UOP_NOWHERE)
            return "end";
        cr_assert_eq(p->operations[u->reconverge].kind, UOP_RECONVERGE);
        return p->kernel.instructions[p->operations[u->reconverge + 1].index].text;
    }
    return "no such branch";
}

static void expect_meetings(const char *name, const char *code, unsigned count, const char *const *expected)
{
    char body[2000];
    struct module *m;
    snprintf(body, sizeof body, ".entry k() { .reg .pred %%p<9>; .reg .b32 %%r<9>;\n%s\n}", code);
    struct program *p = only_program(body, &m);
    for (unsigned i = 0; i < count; i++)
        cr_expect_str_eq(meeting(p, i), expected[i], "%s, branch %u: %s", name, i, meeting(p, i));
    module_free(m);
}
#define SHAPE(name, code, ...)                                                                                         \
    Test(flow, name)                                                                                                   \
    {                                                                                                                  \
        static const char *const expected[] = {__VA_ARGS__};                                                           \
        expect_meetings(#name, code, sizeof expected / sizeof *expected, expected);                                    \
    }

#define MARK(n) "mov.u32 %r1, " #n ";"
#define AT(n) "mov.u32 %r1, " #n

SHAPE(if_without_else, "@%p1 bra A;" MARK(1) "A:" MARK(2) "ret;", AT(2))
SHAPE(if_with_else, "@%p1 bra A;" MARK(1) "bra B; A:" MARK(2) "B:" MARK(3) "ret;", AT(3))
SHAPE(nested_ifs, "@%p1 bra A; @%p2 bra B;" MARK(1) "B:" MARK(2) "A:" MARK(3) "ret;", AT(3), AT(2))
SHAPE(loop, "L:" MARK(1) "@%p1 bra L;" MARK(2) "ret;", AT(2))
SHAPE(loop_with_break, "L:" MARK(1) "@%p1 bra OUT;" MARK(2) "@%p2 bra L;" MARK(3) "OUT:" MARK(4) "ret;", AT(4), AT(4))
SHAPE(loop_with_continue, "L:" MARK(1) "@%p1 bra NEXT;" MARK(2) "NEXT:" MARK(3) "@%p2 bra L;" MARK(4) "ret;", AT(3),
      AT(4))
SHAPE(loops_inside_one_another, "L: M:" MARK(1) "@%p1 bra M;" MARK(2) "@%p2 bra L;" MARK(3) "ret;", AT(2), AT(3))
SHAPE(table,
      "t: .branchtargets A, B, C; brx.idx %r1, t; A:" MARK(1) "bra D; B:" MARK(2) "C:" MARK(3) "D:" MARK(4) "ret;",
      AT(4))
/* two ways into a loop */
SHAPE(irreducible, "@%p1 bra B; A:" MARK(1) "B:" MARK(2) "@%p2 bra A;" MARK(3) "ret;", AT(2), AT(3))
/* who loops forever meets nobody; who can leave meets at the way out */
SHAPE(endless, "@%p1 bra A; L:" MARK(1) "bra L; A:" MARK(2) "ret;", AT(2))
SHAPE(endless_for_all, "L: @%p1 bra A;" MARK(1) "A: bra L;", "end")
/* lanes that return early drop out: the others still meet */
SHAPE(early_return, "@%p1 bra A; ret; A:" MARK(1) "ret;", AT(1))
SHAPE(early_return_inside, "@%p1 bra A; @%p2 bra B; ret; B:" MARK(1) "A:" MARK(2) "ret;", AT(2), AT(1))
SHAPE(guarded_exit_inside, "@%p1 bra A; @%p2 exit;" MARK(1) "A:" MARK(2) "ret;", AT(2))
SHAPE(trap_inside, "@%p1 bra A; trap; A:" MARK(2) "ret;", AT(2))
SHAPE(branch_to_the_next, "@%p1 bra A; A:" MARK(1) "ret;", AT(1))
SHAPE(uniform_branches_too, "@%p1 bra.uni A;" MARK(1) "A:" MARK(2) "ret;", AT(2))
