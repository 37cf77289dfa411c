/* The order is a graph. Its nodes are launches, copies that take time, and joins: points of the host or of a stream at
 * which several nodes have ended. Each node counts the nodes for which it waits, and lists those that wait for it. A
 * stream is represented by its last node. The ends of launches and copies are events that are processed in the order of
 * their cycles, so that it makes no difference when they are reported. */
#include "replay/base/queue.h"

#include <stdlib.h>
#include <string.h>

#define NONE MAP_NONE
#define OVER (UINT32_MAX - 1) /* an event before which the stream had no work */

/* ---- the graph --------------------------------------------------------------------------------------------------- */

struct node {
    uint32_t launch;      /* NONE: a copy or a join */
    uint8_t path;         /* of a copy: enum copy_path; COPY_PATHS: a join */
    uint32_t waits;       /* number of nodes for which it waits */
    uint32_t first, last; /* edges to nodes that wait for it */
    uint64_t bytes;       /* of a copy */
};
struct edge {
    uint32_t to, next;
};
/* A ready launch: its number, and the cycle from which it may run. An event: the node, and the cycle in which it ends.
 */
struct waiting {
    uint64_t cycle;
    uint32_t number;
};
/* A binary heap: the earliest cycle first, then the lowest number. */
struct heap {
    struct waiting *list;
    uint32_t count;
};

struct launch_queue {
    const struct rp_trace *trace;
    const struct machine *machine;
    uint32_t first, count, left;
    struct node *nodes; /* the launches, then copies and joins */
    uint32_t node_count, node_room;
    struct edge *edges;
    uint32_t edge_count, edge_room;
    struct heap ready, events;                  /* capacities [count] and [node_count] */
    uint32_t *ended;                            /* stack of nodes whose end is to be propagated, [node_count] */
    uint64_t engine_free[COPY_PATHS], last_end; /* last_end: of launches and copies */
    struct copy_counts copies[COPY_PATHS];
    struct copy_listener listener;
    /* while the graph is made */ const struct map *non_blocking;
    struct map streams, events_recorded; /* stream or event to its node */
    uint32_t host;                       /* node for which the host has waited */
};

static bool later(const struct waiting *a, const struct waiting *b)
{
    return a->cycle != b->cycle ? a->cycle > b->cycle : a->number > b->number;
}

static void push(struct heap *h, uint32_t number, uint64_t cycle)
{
    struct waiting w = {cycle, number};
    uint32_t at = h->count++;
    for (; at && later(&h->list[(at - 1) / 2], &w); at = (at - 1) / 2)
        h->list[at] = h->list[(at - 1) / 2];
    h->list[at] = w;
}

static struct waiting pop(struct heap *h)
{
    struct waiting top = h->list[0], w = h->list[--h->count];
    uint32_t at = 0;
    for (uint32_t below; (below = 2 * at + 1) < h->count; at = below) {
        below += below + 1 < h->count && later(&h->list[below], &h->list[below + 1]);
        if (!later(&w, &h->list[below]))
            break;
        h->list[at] = h->list[below];
    }
    h->list[at] = w;
    return top;
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
    q->nodes[q->node_count] = (struct node){.launch = launch, .path = COPY_PATHS, .first = NONE, .last = NONE};
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

/* Makes *node a join of both. */
static bool join(struct launch_queue *q, uint32_t *node, uint32_t other)
{
    if (other >= OVER || other == *node)
        return true;
    if (*node == NONE) {
        *node = other;
        return true;
    }
    uint32_t both = new_node(q, NONE);
    bool fine = both != NONE && new_edge(q, both, *node) && new_edge(q, both, other);
    *node = both;
    return fine;
}

static bool is_blocking(const struct launch_queue *q, uint32_t stream)
{
    return map_get(q->non_blocking, stream) == NONE;
}

/* Joins *node with the work of all streams, or of the blocking ones, for which the default stream waits. */
static bool join_streams(struct launch_queue *q, uint32_t *node, bool all)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < q->streams.room; i++) {
        const struct map_entry *s = &q->streams.entries[i];
        if (s->value != NONE && (all || is_blocking(q, s->key)))
            fine = join(q, node, s->value);
    }
    return fine;
}

static bool join_all_streams(struct launch_queue *q)
{
    bool fine = join_streams(q, &q->host, true);
    map_clear(&q->streams); /* later work waits for the host anyway */
    return fine;
}

/* The node for which the next work of the stream waits. The default stream and blocking streams wait for each other;
 * where copies take no time, the dependencies of launches already contain that. */
static bool front_of(struct launch_queue *q, uint32_t stream, uint32_t *node)
{
    *node = map_get(&q->streams, stream);
    if (!copies_take_time(q->machine))
        return true;
    if (!stream)
        return join_streams(q, node, false);
    return !is_blocking(q, stream) || join(q, node, map_get(&q->streams, 0));
}

static bool add_copy(struct launch_queue *q, const struct rp_host_operation *o)
{
    uint32_t front, node;
    enum copy_path path = copy_path_of(q->machine, o);
    if (path == COPY_PATHS)
        return true;
    if (!front_of(q, o->stream, &front) || (node = new_node(q, NONE)) == NONE)
        return false;
    q->nodes[node].path = (uint8_t)path;
    q->nodes[node].bytes = o->size;
    if (!new_edge(q, node, front) || !new_edge(q, node, q->host))
        return false;
    q->host = rp_host_waits(o) ? node : q->host;
    return map_put(&q->streams, o->stream, node);
}

static bool record_event(struct launch_queue *q, const struct rp_host_operation *o)
{
    uint32_t front;
    if (!front_of(q, o->stream, &front))
        return false;
    front = front == NONE ? q->host : front;
    return map_put(&q->events_recorded, o->event, front == NONE ? OVER : front);
}

static bool synchronise_stream(struct launch_queue *q, uint32_t stream)
{
    uint32_t front;
    return front_of(q, stream, &front) && join(q, &q->host, front);
}

static bool add_operation(struct launch_queue *q, const struct rp_host_operation *o)
{
    uint32_t stream = map_get(&q->streams, o->stream), event = map_get(&q->events_recorded, o->event);
    switch (o->kind) {
    case RP_HOST_COPY:
    case RP_HOST_SET: return add_copy(q, o);
    case RP_HOST_SYNCHRONISE: return join_all_streams(q);
    case RP_HOST_SYNCHRONISE_STREAM: return synchronise_stream(q, o->stream);
    case RP_HOST_SYNCHRONISE_EVENT: return join(q, &q->host, event);
    case RP_HOST_RECORD_EVENT: return record_event(q, o);
    case RP_HOST_WAIT_EVENT:
        return event >= OVER || (join(q, &stream, event) && map_put(&q->streams, o->stream, stream));
    default: return true;
    }
}

static bool add_launch(struct launch_queue *q, uint32_t number)
{
    const struct rp_launch *l = rp_trace_launch(q->trace, number);
    uint32_t node = number - q->first, front;
    bool fine = front_of(q, l->stream, &front) && new_edge(q, node, front) && new_edge(q, node, q->host);
    for (uint32_t i = 0; fine && i < l->dependency_count; i++)
        if (l->dependencies[i] >= q->first) /* earlier units have ended */
            fine = new_edge(q, node, l->dependencies[i] - q->first);
    return fine && map_put(&q->streams, l->stream, node);
}

/* A launch that is alone in its unit needs operations of the host only if copies take time. */
static bool make_graph(struct launch_queue *q, const struct launch_unit *u)
{
    size_t o = q->count > 1 || copies_take_time(q->machine) ? u->operation : u->until;
    for (uint32_t i = 0; i < q->count; i++)
        if (new_node(q, q->first + i) == NONE)
            return false;
    for (uint32_t l = u->launch; l <= u->end; l++) {
        for (const struct rp_host_operation *op; o < u->until; o++) {
            if ((op = rp_trace_host_operation(q->trace, o))->launch > l && l < u->end)
                break;
            if (!add_operation(q, op))
                return false;
        }
        if (l < u->end && !add_launch(q, l))
            return false;
    }
    return true;
}

static void start(struct launch_queue *, uint32_t node, uint64_t cycle);

static bool make(struct launch_queue *q, const struct launch_unit *u)
{
    if (!make_graph(q, u))
        return false;
    q->ready.list = malloc(q->count * sizeof *q->ready.list);
    q->events.list = malloc(q->node_count * sizeof *q->events.list);
    q->ended = malloc(q->node_count * sizeof *q->ended);
    if (!q->ready.list || !q->events.list || !q->ended)
        return false;
    for (uint32_t i = 0; i < q->node_count; i++)
        if (!q->nodes[i].waits && (i < q->count || q->nodes[i].path < COPY_PATHS))
            start(q, i, 0);
    return true;
}

struct launch_queue *launch_queue_new(const struct rp_trace *t, const struct machine *m, const struct launch_unit *u,
                                      const struct copy_listener *listener, struct rp_error *err)
{
    static const struct map none = {0};
    struct launch_queue *q = calloc(1, sizeof *q);
    bool fine = q;
    if (fine) {
        uint32_t count = u->end - u->launch;
        *q = (struct launch_queue){.trace = t,
                                   .machine = m,
                                   .first = u->launch,
                                   .count = count,
                                   .left = count,
                                   .listener = *listener,
                                   .non_blocking = u->non_blocking ? u->non_blocking : &none,
                                   .host = NONE};
        fine = make(q, u);
        free(q->streams.entries);
        free(q->events_recorded.entries);
        q->streams = q->events_recorded = (struct map){0};
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
    free(q->ready.list);
    free(q->events.list);
    free(q->ended);
    free(q);
}

/* ---- while launches run ------------------------------------------------------------------------------------------ */

static void report_copy(const struct launch_queue *q, const struct node *copy, uint64_t begin, uint64_t end)
{
    const struct observer *o = q->listener.observer;
    if (o && o->copy)
        o->copy(o->data, &(struct observed_copy){.path = (enum copy_path)copy->path,
                                                 .bytes = copy->bytes,
                                                 .begin = q->listener.clock + begin,
                                                 .end = q->listener.clock + end});
}

/* All that the node waited for has ended by this cycle: a launch becomes ready, a copy goes to its engine. */
static void start(struct launch_queue *q, uint32_t node, uint64_t cycle)
{
    const struct node *n = &q->nodes[node];
    if (n->launch != NONE) {
        push(&q->ready, n->launch, cycle);
        return;
    }
    enum copy_path path = (enum copy_path)n->path;
    uint64_t *engine = &q->engine_free[copy_engine_of(q->machine, path)],
             cycles = copy_cycles(q->machine, path, n->bytes);
    *engine = (*engine > cycle ? *engine : cycle) + cycles;
    push(&q->events, node, *engine);
    report_copy(q, n, *engine - cycles, *engine);
    q->copies[path].count++;
    q->copies[path].bytes += n->bytes;
    q->copies[path].cycles += cycles;
}

/* A launch or copy has ended: starts the nodes that waited for nothing else, through joins. */
static void end(struct launch_queue *q, uint32_t node, uint64_t cycle)
{
    uint32_t count = 1;
    q->ended[0] = node;
    q->last_end = cycle;
    while (count) {
        const struct node *n = &q->nodes[q->ended[--count]];
        for (uint32_t e = n->first; e != NONE; e = q->edges[e].next) {
            uint32_t to = q->edges[e].to;
            if (--q->nodes[to].waits)
                continue;
            if (q->nodes[to].launch == NONE && q->nodes[to].path == COPY_PATHS)
                q->ended[count++] = to;
            else
                start(q, to, cycle);
        }
    }
}

uint32_t launch_queue_left(const struct launch_queue *q) { return q->left; }

void launch_queue_advance(struct launch_queue *q, uint64_t cycle)
{
    while (q->events.count && q->events.list[0].cycle <= cycle) {
        struct waiting event = pop(&q->events);
        end(q, event.number, event.cycle);
    }
}

uint64_t launch_queue_wakes(const struct launch_queue *q)
{
    return q->events.count ? q->events.list[0].cycle : UINT64_MAX;
}

bool launch_queue_next(const struct launch_queue *q, uint32_t *launch)
{
    *launch = q->ready.count ? q->ready.list[0].number : 0;
    return q->ready.count;
}

bool launch_queue_take(struct launch_queue *q, uint32_t *launch)
{
    if (!launch_queue_next(q, launch))
        return false;
    pop(&q->ready);
    q->left--;
    return true;
}

void launch_queue_ended(struct launch_queue *q, uint32_t launch, uint64_t cycle)
{
    push(&q->events, launch - q->first, cycle);
}

uint64_t launch_queue_finish(struct launch_queue *q, struct copy_counts copies[COPY_PATHS])
{
    launch_queue_advance(q, UINT64_MAX);
    for (unsigned p = 0; p < COPY_PATHS; p++)
        copy_counts_add(&copies[p], &q->copies[p]);
    return q->last_end;
}
