#include "frontend/core/components.h"

#include <stdbool.h>
#include <string.h>

#define NONE UINT32_MAX

struct search {
    const uint32_t *start, *edges;
    uint32_t *component;   /* NONE: not known yet */
    uint32_t *number;      /* in the order of visits, from 1 on; 0: not visited */
    uint32_t *low;         /* the lowest number that can be reached from here */
    uint32_t *next;        /* the next edge to follow */
    uint32_t *open, *path; /* visited, but in no component yet; the path from the root to here */
    uint32_t open_count, depth, visits, found;
};

static void visit(struct search *s, uint32_t node)
{
    s->number[node] = s->low[node] = ++s->visits;
    s->next[node] = s->start[node];
    s->open[s->open_count++] = node;
    s->path[s->depth++] = node;
}

static bool has_edge_to_itself(const struct search *s, uint32_t node)
{
    for (uint32_t e = s->start[node]; e < s->start[node + 1]; e++)
        if (s->edges[e] == node)
            return true;
    return false;
}

/* Closes the component that consists of everything open from `node` on. */
static void close_component(struct search *s, uint32_t node)
{
    bool cycle = s->open[s->open_count - 1] != node || has_edge_to_itself(s, node);
    uint32_t number = cycle ? ++s->found : 0, last;
    do {
        last = s->open[--s->open_count];
        s->component[last] = number;
    } while (last != node);
}

/* Follows edges from a root until everything that it reaches is in a component. */
static void search_from(struct search *s, uint32_t root)
{
    visit(s, root);
    while (s->depth) {
        uint32_t node = s->path[s->depth - 1];
        if (s->next[node] < s->start[node + 1]) {
            uint32_t to = s->edges[s->next[node]++];
            if (!s->number[to])
                visit(s, to);
            else if (s->component[to] == NONE && s->number[to] < s->low[node])
                s->low[node] = s->number[to];
            continue;
        }
        s->depth--;
        if (s->depth && s->low[node] < s->low[s->path[s->depth - 1]])
            s->low[s->path[s->depth - 1]] = s->low[node];
        if (s->low[node] == s->number[node])
            close_component(s, node);
    }
}

uint32_t components_find(uint32_t nodes, const uint32_t *start, const uint32_t *edges, uint32_t *component,
                         uint32_t *scratch)
{
    struct search s = {.start = start, .edges = edges, .component = component, .number = scratch};
    uint32_t **others[] = {&s.low, &s.next, &s.open, &s.path};
    for (uint32_t i = 0; i < COMPONENTS_SCRATCH - 1; i++)
        *others[i] = scratch + (size_t)(i + 1) * nodes;
    memset(s.number, 0, nodes * sizeof *s.number);
    memset(component, 0xff, nodes * sizeof *component);
    for (uint32_t i = 0; i < nodes; i++)
        if (!s.number[i])
            search_from(&s, i);
    return s.found;
}
