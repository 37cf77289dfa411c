#include "frontend/isa/ptx/cfg.h"

#include <string.h>

static bool is_guarded(const struct ptx_instruction *in) { return in->guard != PTX_NO_REGISTER; }

/* Whether it ends the lanes that execute it. */
static bool is_end(const struct ptx_instruction *in)
{
    uint8_t low = in->form->lowering;
    return low == LOW_RETURN || low == LOW_EXIT || low == LOW_TRAP;
}

static bool ends_block(const struct ptx_instruction *in)
{
    return in->form->lowering == LOW_BRANCH || in->form->lowering == LOW_BRANCH_TABLE ||
           (is_end(in) && !is_guarded(in));
}

/* Calls visit(data, instruction) for every target of a branch. */
static void each_target(const struct ptx_instruction *in, void (*visit)(void *, uint32_t), void *data)
{
    if (in->form->lowering == LOW_BRANCH)
        visit(data, (*in->operands[0].label)->instruction);
    if (in->form->lowering == LOW_BRANCH_TABLE) {
        const struct ptx_label *table = *in->operands[1].label;
        for (uint32_t i = 0; i < table->target_count; i++)
            visit(data, (*table->targets[i])->instruction);
    }
}

static void mark_leader(void *data, uint32_t instruction) { ((uint8_t *)data)[instruction] = 1; }

static void find_blocks(struct arena *a, const struct ptx_function *f, struct cfg *c)
{
    uint32_t n = f->body.count;
    uint8_t *leader = ARENA_ARRAY(a, uint8_t, (size_t)n + 1);
    leader[0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        each_target(&f->body.at[i], mark_leader, leader);
        if (ends_block(&f->body.at[i]))
            leader[i + 1] = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        c->count += leader[i];
    c->blocks = ARENA_ARRAY(a, struct cfg_block, (size_t)c->count + 1);
    c->block_of = ARENA_ARRAY(a, uint32_t, (size_t)n + 1);
    uint32_t b = CFG_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i])
            c->blocks[++b].first = i;
        c->block_of[i] = b;
        c->blocks[b].end = i + 1;
    }
    c->block_of[n] = CFG_NONE;
}

struct edge_list {
    struct arena *arena;
    const struct cfg *cfg;
    VECTOR(uint32_t) to;
};

static void add_edge(void *data, uint32_t instruction)
{
    struct edge_list *e = data;
    VECTOR_PUSH(e->arena, &e->to, e->cfg->block_of[instruction]);
}

static void find_edges(struct arena *a, const struct ptx_function *f, struct cfg *c)
{
    struct edge_list edges = {.arena = a, .cfg = c};
    c->successor_start = ARENA_ARRAY(a, uint32_t, (size_t)c->count + 2);
    for (uint32_t b = 0; b < c->count; b++) {
        const struct ptx_instruction *last = &f->body.at[c->blocks[b].end - 1];
        c->successor_start[b] = edges.to.count;
        each_target(last, add_edge, &edges);
        bool falls = !ends_block(last) || is_guarded(last);
        if (falls && b + 1 < c->count)
            VECTOR_PUSH(a, &edges.to, b + 1);
    }
    c->successor_start[c->count] = c->successor_start[c->count + 1] = edges.to.count;
    c->successors = edges.to.at;
}

/* The last reachable block that ends the function: by ret, if there is such a block, else by exit. */
static uint32_t find_end(struct arena *a, const struct ptx_function *f, const struct cfg *c)
{
    uint8_t *reached = ARENA_ARRAY(a, uint8_t, c->count);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, c->count), depth = 0, best = CFG_NONE;
    bool best_returns = false;
    reached[0] = 1;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t b = stack[--depth];
        const struct ptx_instruction *last = &f->body.at[c->blocks[b].end - 1];
        bool returns = last->form->lowering == LOW_RETURN;
        if (is_end(last) && !is_guarded(last) && last->form->lowering != LOW_TRAP &&
            (best == CFG_NONE || (returns && !best_returns) || (returns == best_returns && b > best))) {
            best = b;
            best_returns = returns;
        }
        for (uint32_t e = c->successor_start[b]; e < c->successor_start[b + 1]; e++)
            if (!reached[c->successors[e]]) {
                reached[c->successors[e]] = 1;
                stack[depth++] = c->successors[e];
            }
    }
    return best;
}

static void mark_meetings(const struct ptx_function *f, struct cfg *c)
{
    for (uint32_t b = 0; b < c->count; b++) {
        const struct ptx_instruction *last = &f->body.at[c->blocks[b].end - 1];
        bool parts =
            (last->form->lowering == LOW_BRANCH && is_guarded(last)) || last->form->lowering == LOW_BRANCH_TABLE;
        if (parts && c->blocks[b].postdominator != CFG_NONE)
            c->blocks[c->blocks[b].postdominator].meets = true;
    }
}

void cfg_build(struct arena *a, const struct ptx_function *f, struct cfg *c)
{
    *c = (struct cfg){0};
    find_blocks(a, f, c);
    find_edges(a, f, c);
    uint32_t end = find_end(a, f, c);
    uint32_t *ipdom = ARENA_ARRAY(a, uint32_t, c->count);
    if (end != CFG_NONE)
        immediate_postdominators(a, c->count, c->successor_start, c->successors, end, ipdom);
    for (uint32_t b = 0; b < c->count; b++)
        c->blocks[b].postdominator = end == CFG_NONE ? CFG_NONE : ipdom[b];
    mark_meetings(f, c);
}

/* ---- Lengauer-Tarjan; vertices are numbered from 1 in depth-first order from the exit, 0 is none ---- */

struct dominators {
    uint32_t *number, *vertex;                       /* node to number, number to node */
    uint32_t *parent, *semi, *ancestor, *best, *dom; /* by number */
    uint32_t *bucket, *next_in_bucket;
    uint32_t *stack;
    uint32_t count;
};

/* The reversed graph: predecessors as an edge array. */
static void reverse(struct arena *a, uint32_t nodes, const uint32_t *start, const uint32_t *edges, uint32_t **rstart,
                    uint32_t **redges)
{
    uint32_t *s = ARENA_ARRAY(a, uint32_t, (size_t)nodes + 2), *e = ARENA_ARRAY(a, uint32_t, (size_t)start[nodes] + 1);
    for (uint32_t i = 0; i < start[nodes]; i++)
        s[edges[i] + 2]++;
    for (uint32_t i = 2; i < nodes + 2; i++)
        s[i] += s[i - 1];
    for (uint32_t from = 0; from < nodes; from++)
        for (uint32_t i = start[from]; i < start[from + 1]; i++)
            e[s[edges[i] + 1]++] = from;
    *rstart = s;
    *redges = e;
}

static void depth_first(struct dominators *d, uint32_t root, const uint32_t *start, const uint32_t *edges,
                        uint32_t *position)
{
    uint32_t depth = 0;
    d->stack[depth++] = root;
    d->number[root] = ++d->count;
    d->vertex[d->count] = root;
    position[root] = start[root];
    while (depth > 0) {
        uint32_t at = d->stack[depth - 1];
        if (position[at] == start[at + 1]) {
            depth--;
            continue;
        }
        uint32_t to = edges[position[at]++];
        if (d->number[to])
            continue;
        d->number[to] = ++d->count;
        d->vertex[d->count] = to;
        d->parent[d->count] = d->number[at];
        position[to] = start[to];
        d->stack[depth++] = to;
    }
}

/* The vertex of smallest semidominator on the path to the forest's root, with path compression. */
static uint32_t evaluate(struct dominators *d, uint32_t v)
{
    uint32_t depth = 0;
    if (!d->ancestor[v])
        return v;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]]; u = d->ancestor[u])
        d->stack[depth++] = u;
    while (depth > 0) {
        uint32_t u = d->stack[--depth], up = d->ancestor[u];
        if (d->semi[d->best[up]] < d->semi[d->best[u]])
            d->best[u] = d->best[up];
        d->ancestor[u] = d->ancestor[up];
    }
    return d->best[v];
}

static void link_vertices(struct dominators *d, const uint32_t *pred_start, const uint32_t *preds)
{
    for (uint32_t w = d->count; w >= 2; w--) {
        uint32_t node = d->vertex[w];
        for (uint32_t i = pred_start[node]; i < pred_start[node + 1]; i++) {
            uint32_t v = d->number[preds[i]];
            if (!v)
                continue;
            uint32_t u = evaluate(d, v);
            if (d->semi[u] < d->semi[w])
                d->semi[w] = d->semi[u];
        }
        d->next_in_bucket[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        uint32_t p = d->parent[w];
        d->ancestor[w] = p;
        for (uint32_t v = d->bucket[p]; v; v = d->next_in_bucket[v]) {
            uint32_t u = evaluate(d, v);
            d->dom[v] = d->semi[u] < d->semi[v] ? u : p;
        }
        d->bucket[p] = 0;
    }
    for (uint32_t w = 2; w <= d->count; w++)
        if (d->dom[w] != d->semi[w])
            d->dom[w] = d->dom[d->dom[w]];
}

void immediate_postdominators(struct arena *a, uint32_t nodes, const uint32_t *edge_start, const uint32_t *edges,
                              uint32_t exit, uint32_t *result)
{
    struct dominators d = {0};
    uint32_t *rstart, *redges, **arrays[] = {&d.number, &d.vertex, &d.parent, &d.semi,           &d.ancestor,
                                             &d.best,   &d.dom,    &d.bucket, &d.next_in_bucket, &d.stack};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = ARENA_ARRAY(a, uint32_t, (size_t)nodes + 1);
    reverse(a, nodes, edge_start, edges, &rstart, &redges);
    depth_first(&d, exit, rstart, redges, ARENA_ARRAY(a, uint32_t, (size_t)nodes + 1));
    for (uint32_t i = 0; i <= nodes; i++)
        d.semi[i] = d.best[i] = i;
    /* predecessors in the reversed graph are the successors of the graph itself */
    link_vertices(&d, edge_start, edges);
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t w = d.number[n];
        result[n] = w > 1 ? d.vertex[d.dom[w]] : CFG_NONE;
    }
}
