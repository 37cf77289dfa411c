/* Waiting is a graph of nodes: launches, and moments of the host or of a stream at which several things have ended.
 * Each node counts what it still waits for, and lists who waits for it. A stream is told by its last node. */
#include "replay/queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define OVER (UINT32_MAX - 1) /* of an event: nothing came before it */

/* ---- numbers by key ---------------------------------------------------------------------------------------------- */

struct entry {
    uint32_t key, value; /* value NONE: free */
};
/* Open addressing. */
struct map {
    struct entry *entries;
    uint32_t room, count; /* room: a power of two */
};

static struct entry *map_find(const struct map *m, uint32_t key)
{
    uint32_t at = key * 2654435761u & (m->room - 1);
    while (m->entries[at].value != NONE && m->entries[at].key != key)
        at = (at + 1) & (m->room - 1);
    return &m->entries[at];
}

static bool map_grow(struct map *m)
{
    struct map more = {.room = m->room ? 2 * m->room : 16, .count = m->count};
    more.entries = malloc(more.room * sizeof *more.entries);
    if (!more.entries)
        return false;
    memset(more.entries, 0xff, more.room * sizeof *more.entries);
    for (uint32_t i = 0; i < m->room; i++)
        if (m->entries[i].value != NONE)
            *map_find(&more, m->entries[i].key) = m->entries[i];
    free(m->entries);
    *m = more;
    return true;
}

static bool map_put(struct map *m, uint32_t key, uint32_t value)
{
    if (2 * (m->count + 1) > m->room && !map_grow(m))
        return false;
    struct entry *e = map_find(m, key);
    m->count += e->value == NONE;
    *e = (struct entry){key, value};
    return true;
}

static uint32_t map_get(const struct map *m, uint32_t key) { return m->room ? map_find(m, key)->value : NONE; }

static void map_clear(struct map *m)
{
    if (m->count)
        memset(m->entries, 0xff, m->room * sizeof *m->entries);
    m->count = 0;
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* Launches between synchronisations. */
struct stretch {
    uint32_t first; /* launch */
    struct map streams;
    uint32_t *units, count;
};

/* All launches before `end` have ended before later ones begin. */
static void end_stretch(struct stretch *s, uint32_t end)
{
    bool serial = s->streams.count < 2;
    for (uint32_t l = s->first; l < end; l++)
        if (serial || l == s->first)
            s->units[s->count++] = l;
    s->first = end;
    map_clear(&s->streams);
}

static bool waits_for_all(const struct stretch *s, const struct rp_host_operation *o)
{
    return o->kind == RP_HOST_SYNCHRONISE ||
           (o->kind == RP_HOST_SYNCHRONISE_STREAM && s->streams.count == 1 && map_get(&s->streams, o->stream) != NONE);
}

bool launch_units(const struct rp_trace *t, uint32_t **first, uint32_t *count, struct rp_error *err)
{
    uint32_t launches = rp_trace_launch_count(t);
    size_t operations = rp_trace_host_operation_count(t), o = 0;
    struct stretch s = {.units = malloc((launches ? launches : 1) * sizeof *s.units)};
    bool fine = s.units;
    for (uint32_t l = 0; fine && l < launches; l++) {
        for (const struct rp_host_operation *op; o < operations && (op = rp_trace_host_operation(t, o))->launch <= l;
             o++)
            if (waits_for_all(&s, op))
                end_stretch(&s, l);
        fine = map_put(&s.streams, rp_trace_launch(t, l)->stream, 0);
    }
    if (fine)
        end_stretch(&s, launches);
    free(s.streams.entries);
    *first = fine ? s.units : NULL;
    *count = s.count;
    if (!fine)
        free(s.units);
    return fine || rp_fail(err, RP_SYSTEM, "%s: out of memory for its launches", rp_trace_path(t));
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

struct node {
    uint32_t launch;      /* NONE: a moment */
    uint32_t waits;       /* nodes that it waits for */
    uint32_t first, last; /* edges to those that wait for it */
};
struct edge {
    uint32_t to, next;
};
struct waiting {
    uint64_t cycle; /* from which it may run */
    uint32_t launch;
};

struct launch_queue {
    const struct rp_trace *trace;
    uint32_t first, count, left;
    struct node *nodes; /* the launches, then moments */
    uint32_t node_count, node_room;
    struct edge *edges;
    uint32_t edge_count, edge_room;
    struct waiting *heap; /* [count] */
    uint32_t ready;
    uint32_t *ended; /* nodes whose end has to be told, [node_room] */
    /* while it is made */
    struct map streams, events; /* node */
    uint32_t host;              /* what the host has waited for */
};

static bool later(const struct waiting *a, const struct waiting *b)
{
    return a->cycle != b->cycle ? a->cycle > b->cycle : a->launch > b->launch;
}

static void push(struct launch_queue *q, uint32_t launch, uint64_t cycle)
{
    struct waiting w = {cycle, launch};
    uint32_t at = q->ready++;
    for (; at && later(&q->heap[(at - 1) / 2], &w); at = (at - 1) / 2)
        q->heap[at] = q->heap[(at - 1) / 2];
    q->heap[at] = w;
}

static uint32_t new_node(struct launch_queue *q, uint32_t launch)
{
    if (q->node_count == q->node_room) {
        uint32_t room = q->node_room ? 2 * q->node_room : q->count + 4;
        struct node *nodes = realloc(q->nodes, room * sizeof *nodes);
        if (!nodes)
            return NONE;
        q->nodes = nodes;
        q->node_room = room;
    }
    q->nodes[q->node_count] = (struct node){.launch = launch, .first = NONE, .last = NONE};
    return q->node_count++;
}

/* `waiter` waits for `node`, unless that is NONE or OVER. */
static bool new_edge(struct launch_queue *q, uint32_t waiter, uint32_t node)
{
    if (node >= OVER || node == waiter)
        return true;
    if (q->edge_count == q->edge_room) {
        uint32_t room = q->edge_room ? 2 * q->edge_room : 2 * q->count + 4;
        struct edge *edges = realloc(q->edges, room * sizeof *edges);
        if (!edges)
            return false;
        q->edges = edges;
        q->edge_room = room;
    }
    struct node *n = &q->nodes[node];
    uint32_t edge = q->edge_count++;
    q->edges[edge] = (struct edge){waiter, NONE};
    *(n->first == NONE ? &n->first : &q->edges[n->last].next) = edge;
    n->last = edge;
    q->nodes[waiter].waits++;
    return true;
}

/* A moment at which both are over; *node becomes it. */
static bool join(struct launch_queue *q, uint32_t *node, uint32_t other)
{
    if (other >= OVER || other == *node)
        return true;
    if (*node == NONE) {
        *node = other;
        return true;
    }
    uint32_t moment = new_node(q, NONE);
    bool fine = moment != NONE && new_edge(q, moment, *node) && new_edge(q, moment, other);
    *node = moment;
    return fine;
}

static bool join_all_streams(struct launch_queue *q)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < q->streams.room; i++)
        if (q->streams.entries[i].value != NONE)
            fine = join(q, &q->host, q->streams.entries[i].value);
    map_clear(&q->streams); /* who comes later waits for the host anyway */
    return fine;
}

static bool add_operation(struct launch_queue *q, const struct rp_host_operation *o)
{
    uint32_t stream = map_get(&q->streams, o->stream), event = map_get(&q->events, o->event);
    switch (o->kind) {
    case RP_HOST_SYNCHRONISE: return join_all_streams(q);
    case RP_HOST_SYNCHRONISE_STREAM: return join(q, &q->host, stream);
    case RP_HOST_SYNCHRONISE_EVENT: return join(q, &q->host, event);
    case RP_HOST_RECORD_EVENT:
        stream = stream == NONE ? q->host : stream;
        return map_put(&q->events, o->event, stream == NONE ? OVER : stream);
    case RP_HOST_WAIT_EVENT:
        return event >= OVER || (join(q, &stream, event) && map_put(&q->streams, o->stream, stream));
    default: return true;
    }
}

static bool add_launch(struct launch_queue *q, uint32_t number)
{
    const struct rp_launch *l = rp_trace_launch(q->trace, number);
    uint32_t node = number - q->first;
    bool fine = new_edge(q, node, map_get(&q->streams, l->stream)) && new_edge(q, node, q->host);
    for (uint32_t i = 0; fine && i < l->dependency_count; i++)
        if (l->dependencies[i] >= q->first) /* those before are over */
            fine = new_edge(q, node, l->dependencies[i] - q->first);
    return fine && map_put(&q->streams, l->stream, node);
}

/* The first operation of the host behind so many launches. */
static size_t operations_from(const struct rp_trace *t, uint32_t launches)
{
    size_t low = 0, high = rp_trace_host_operation_count(t);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rp_trace_host_operation(t, middle)->launch < launches)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make(struct launch_queue *q)
{
    size_t all = rp_trace_host_operation_count(q->trace), o = q->count > 1 ? operations_from(q->trace, q->first) : all;
    for (uint32_t i = 0; i < q->count; i++)
        if (new_node(q, q->first + i) == NONE)
            return false;
    for (uint32_t l = q->first; l < q->first + q->count; l++) {
        for (const struct rp_host_operation *op; o < all && (op = rp_trace_host_operation(q->trace, o))->launch <= l;
             o++)
            if (!add_operation(q, op))
                return false;
        if (q->count > 1 && !add_launch(q, l))
            return false;
    }
    q->heap = malloc(q->count * sizeof *q->heap);
    q->ended = malloc(q->node_count * sizeof *q->ended);
    for (uint32_t i = 0; q->heap && i < q->count; i++)
        if (!q->nodes[i].waits)
            push(q, q->first + i, 0);
    return q->heap && q->ended;
}

struct launch_queue *launch_queue_new(const struct rp_trace *t, uint32_t first, uint32_t count, struct rp_error *err)
{
    struct launch_queue *q = calloc(1, sizeof *q);
    bool fine = q;
    if (fine) {
        *q = (struct launch_queue){.trace = t, .first = first, .count = count, .left = count, .host = NONE};
        fine = make(q);
        free(q->streams.entries);
        free(q->events.entries);
        q->streams = q->events = (struct map){0};
    }
    if (fine)
        return q;
    launch_queue_free(q);
    rp_fail(err, RP_SYSTEM, "%s: out of memory for the order of its launches", rp_trace_path(t));
    return NULL;
}

void launch_queue_free(struct launch_queue *q)
{
    if (!q)
        return;
    free(q->nodes);
    free(q->edges);
    free(q->heap);
    free(q->ended);
    free(q);
}

uint32_t launch_queue_left(const struct launch_queue *q) { return q->left; }

bool launch_queue_next(const struct launch_queue *q, uint32_t *launch)
{
    *launch = q->ready ? q->heap[0].launch : 0;
    return q->ready;
}

bool launch_queue_take(struct launch_queue *q, uint32_t *launch)
{
    if (!launch_queue_next(q, launch))
        return false;
    struct waiting w = q->heap[--q->ready];
    uint32_t at = 0;
    for (uint32_t below; (below = 2 * at + 1) < q->ready; at = below) {
        below += below + 1 < q->ready && later(&q->heap[below], &q->heap[below + 1]);
        if (!later(&w, &q->heap[below]))
            break;
        q->heap[at] = q->heap[below];
    }
    q->heap[at] = w;
    q->left--;
    return true;
}

void launch_queue_ended(struct launch_queue *q, uint32_t launch, uint64_t cycle)
{
    uint32_t count = 1;
    q->ended[0] = launch - q->first;
    while (count) {
        const struct node *n = &q->nodes[q->ended[--count]];
        for (uint32_t e = n->first; e != NONE; e = q->edges[e].next) {
            struct node *waiter = &q->nodes[q->edges[e].to];
            if (--waiter->waits)
                continue;
            if (waiter->launch == NONE)
                q->ended[count++] = q->edges[e].to;
            else
                push(q, waiter->launch, cycle);
        }
    }
}
