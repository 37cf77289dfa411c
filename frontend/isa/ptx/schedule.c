#include "frontend/isa/ptx/schedule.h"

#include <string.h>

#include "frontend/isa/ptx/stretch.h"

/* By class; 0: ALU_LATENCY. */
static const uint8_t latencies[RP_CLASS_COUNT] = {
    [RP_CLASS_INT_MUL] = 5,   [RP_CLASS_INT_DIV] = 71, [RP_CLASS_FP16] = 6,
    [RP_CLASS_FP32_DIV] = 39, [RP_CLASS_FP64] = 8,     [RP_CLASS_FP64_DIV] = 112,
    [RP_CLASS_SFU] = 14,      [RP_CLASS_CONVERT] = 14, [RP_CLASS_CONVERT64] = 14,
};
/* An order that needs more than the budget is tried again with so many parts of it less and less. */
enum { PARTS = 8, SHARE = 64, CANDIDATES = 256 };
enum { ALU_LATENCY = 4, SHARED_LATENCY = 19, L2_LATENCY = 193, CONSTANT_LATENCY = 27, TENSOR_LATENCY = 25 };

/* `from` stands before the node that has the edge, whose operands are there that many cycles later. */
struct edge {
    uint32_t from, latency;
};

/* Node `node` reads a register; `next`: number + 1 of the one before it. */
struct reader {
    uint32_t node, next;
};

struct item {
    uint32_t depth;    /* the longest chain of latencies before it */
    uint32_t waits;    /* edges to instructions that are not placed yet */
    uint32_t earliest; /* in cycles from the end */
    bool guarded;
};

struct scheduling {
    struct lowering *lowering;
    const struct allocation *where;
    uint32_t first; /* operation of the function */
    struct stretch stretch;
    struct item *items; /* by node */
    uint32_t *edge_start;
    VECTOR(struct edge) edges;                         /* of node n: [edge_start[n], edge_start[n + 1]) */
    uint32_t *loads, *stores, load_count, store_count; /* nodes, while edges are found */
    uint32_t *ready, ready_count;
    uint32_t *order, placed; /* nodes from the last one on */
    /* by register */
    uint32_t *writer, *readers; /* node + 1; number + 1 in `chain` */
    uint8_t *live;
    VECTOR(struct reader) chain;
    uint32_t pressure, peak;
    uint32_t behind; /* the operation behind the last stretch */
    uint32_t most;   /* for schedule_least: so far */
};

/* ---- what orders the instructions ---- */

static uint32_t latency_of(const struct stretch_node *n)
{
    if (!n->access)
        return n->unit_class == RP_CLASS_TENSOR ? TENSOR_LATENCY
               : latencies[n->unit_class]       ? latencies[n->unit_class]
                                                : ALU_LATENCY;
    switch (n->access->memory.space) {
    case RP_SPACE_SHARED:
    case RP_SPACE_SHARED_CLUSTER: return SHARED_LATENCY;
    case RP_SPACE_CONST:
    case RP_SPACE_PARAM: return CONSTANT_LATENCY;
    default: return L2_LATENCY;
    }
}

static void add_edge(struct scheduling *s, uint32_t from, uint32_t to, uint32_t latency)
{
    VECTOR_PUSH(s->lowering->arena, &s->edges, (struct edge){from, latency});
    uint32_t depth = s->items[from].depth + latency;
    s->items[to].depth = depth > s->items[to].depth ? depth : s->items[to].depth;
    s->items[from].waits++;
}

static void follow_uses(struct scheduling *s, uint32_t node)
{
    const struct stretch_node *n = &s->stretch.nodes[node];
    for (uint32_t i = 0; i < n->uses; i++) {
        uint32_t r = stretch_uses(&s->stretch, n)[i];
        if (s->writer[r])
            add_edge(s, s->writer[r] - 1, node, latency_of(&s->stretch.nodes[s->writer[r] - 1]));
        VECTOR_PUSH(s->lowering->arena, &s->chain, (struct reader){node, s->readers[r]});
        s->readers[r] = s->chain.count;
    }
}

static void follow_writes(struct scheduling *s, uint32_t node)
{
    const struct stretch_node *n = &s->stretch.nodes[node];
    for (uint32_t i = 0; i < n->writes; i++) {
        uint32_t r = stretch_writes(&s->stretch, n)[i];
        if (s->writer[r])
            add_edge(s, s->writer[r] - 1, node, 1);
        for (uint32_t c = s->readers[r]; c; c = s->chain.at[c - 1].next)
            if (s->chain.at[c - 1].node != node)
                add_edge(s, s->chain.at[c - 1].node, node, 0);
        s->readers[r] = 0;
        s->writer[r] = node + 1;
    }
}

/* A load waits for stores before it, a store for all accesses. */
static void follow_memory(struct scheduling *s, uint32_t node)
{
    const struct stretch_node *nodes = s->stretch.nodes;
    const struct operation *u = nodes[node].access;
    if (!u)
        return;
    bool stores = u->memory.kind == RP_ACCESS_STORE;
    for (uint32_t i = 0; stores && i < s->load_count; i++)
        if (stretch_may_meet(&nodes[s->loads[i]], &nodes[node]))
            add_edge(s, s->loads[i], node, 1);
    for (uint32_t i = 0; i < s->store_count; i++)
        if (stretch_may_meet(&nodes[s->stores[i]], &nodes[node]))
            add_edge(s, s->stores[i], node, 1);
    if (stores)
        s->stores[s->store_count++] = node;
    else
        s->loads[s->load_count++] = node;
}

static void forget_registers(struct scheduling *s)
{
    for (uint32_t i = 0; i < s->stretch.names.count; i++)
        s->writer[s->stretch.names.at[i]] = s->readers[s->stretch.names.at[i]] = 0;
}

static bool is_guarded(const struct scheduling *s, const struct stretch_node *n)
{
    const struct operation *u = s->lowering->operations.at + s->stretch.first + n->first;
    for (uint32_t i = 0; i < n->count; i++)
        if (is_register(u[i].guard))
            return true;
    return false;
}

static void find_edges(struct scheduling *s)
{
    s->edges.count = s->chain.count = s->load_count = s->store_count = 0;
    memset(s->items, 0, s->stretch.count * sizeof *s->items);
    for (uint32_t node = 0; node < s->stretch.count; node++) {
        s->edge_start[node] = s->edges.count;
        s->items[node].guarded = is_guarded(s, &s->stretch.nodes[node]);
        follow_uses(s, node);
        follow_writes(s, node);
        follow_memory(s, node);
    }
    s->edge_start[s->stretch.count] = s->edges.count;
    forget_registers(s);
}

/* ---- live registers, from the end on ---- */

static uint32_t units(const struct scheduling *s, uint32_t r) { return r == s->stretch.codes ? 0 : s->where->units[r]; }

/* Whether r, which the stretch names, is live at its end. */
static bool is_live_behind(const struct scheduling *s, uint32_t r)
{
    uint32_t low = s->where->mention_start[r], high = s->where->mention_start[r + 1], end = s->stretch.end - s->first;
    while (low + 1 < high) { /* the last mention before the end */
        uint32_t middle = low + (high - low) / 2;
        if (s->where->mentions[middle].at / 2 < end)
            low = middle;
        else
            high = middle;
    }
    return s->where->mentions[low].alive;
}

static void begin_at_end(struct scheduling *s)
{
    const struct operation *operations = s->lowering->operations.at;
    for (uint32_t i = 0; i < s->stretch.names.count; i++) {
        uint32_t r = s->stretch.names.at[i];
        s->live[r] = r != s->stretch.codes && is_live_behind(s, r);
    }
    s->pressure = s->peak = s->where->kept[operations[s->stretch.end - 1].index - operations[s->first].index];
    s->placed = 0;
}

struct need {
    uint32_t before, during; /* live registers before the instruction; the most there are while it executes */
    uint32_t ended;          /* that it sets, so that they are not live before it */
};

static bool is_used(const struct stretch *s, const struct stretch_node *n, uint32_t r)
{
    for (uint32_t i = 0; i < n->uses; i++)
        if (stretch_uses(s, n)[i] == r)
            return true;
    return false;
}

/* What node n needs if it is placed before all that were placed so far. Results do not share registers with operands
 * that end, as some of them cannot. */
static struct need need_of(const struct scheduling *s, uint32_t node)
{
    const struct stretch_node *n = &s->stretch.nodes[node];
    uint32_t added = 0, ended = 0, unread = 0;
    for (uint32_t i = 0; i < n->uses; i++)
        if (!s->live[stretch_uses(&s->stretch, n)[i]])
            added += units(s, stretch_uses(&s->stretch, n)[i]);
    for (uint32_t i = 0; i < n->writes; i++) {
        uint32_t r = stretch_writes(&s->stretch, n)[i];
        unread += s->live[r] ? 0 : units(s, r);
        ended += s->live[r] && !s->items[node].guarded && !is_used(&s->stretch, n, r) ? units(s, r) : 0;
    }
    return (struct need){s->pressure + added - ended, s->pressure + added + unread, ended};
}

static void place(struct scheduling *s, uint32_t node)
{
    const struct stretch_node *n = &s->stretch.nodes[node];
    struct need need = need_of(s, node);
    s->pressure = need.before;
    s->peak = need.during > s->peak ? need.during : s->peak;
    for (uint32_t i = 0; i < n->writes; i++)
        s->live[stretch_writes(&s->stretch, n)[i]] = s->items[node].guarded;
    for (uint32_t i = 0; i < n->uses; i++)
        s->live[stretch_uses(&s->stretch, n)[i]] = 1;
    s->order[s->placed++] = node;
}

/* ---- the order ---- */

struct choice {
    uint32_t at, node; /* at: in `ready` */
    int32_t users;     /* not placed yet, of a value that it makes live: the most */
    int32_t cost;      /* what it costs in registers, times SHARE */
    bool fits, in_time;
};

/* Whether all that the node reads is live, or takes no register. */
static bool has_operands(const struct scheduling *s, const struct stretch_node *n)
{
    for (uint32_t i = 0; i < n->uses; i++)
        if (!s->live[stretch_uses(&s->stretch, n)[i]] && units(s, stretch_uses(&s->stretch, n)[i]))
            return false;
    return true;
}

/* What the registers that node n makes live cost, times SHARE: each its part of those that use the value and are not
 * placed yet. A value that the stretch does not set is live at its beginning anyway, and one of which n is the last
 * user may end at once, with the instruction that sets it, if that needs nothing more: they cost nothing. */
static int32_t cost_of(const struct scheduling *s, uint32_t node, int32_t *users)
{
    int32_t sum = 0;
    *users = 0;
    for (uint32_t e = s->edge_start[node]; e < s->edge_start[node + 1]; e++) {
        const struct stretch_node *from = &s->stretch.nodes[s->edges.at[e].from];
        int32_t waits = (int32_t)s->items[s->edges.at[e].from].waits;
        if (waits == 1 && has_operands(s, from))
            continue;
        for (uint32_t i = 0; i < from->writes; i++) {
            uint32_t r = stretch_writes(&s->stretch, from)[i];
            if (s->live[r] || !is_used(&s->stretch, &s->stretch.nodes[node], r))
                continue;
            sum += SHARE * (int32_t)units(s, r) / waits;
            *users = waits > *users ? waits : *users;
        }
    }
    return sum;
}

/* Whether a is to be placed rather than b. */
static bool is_better(const struct scheduling *s, const struct choice *a, const struct choice *b)
{
    const struct item *x = &s->items[a->node], *y = &s->items[b->node];
    if (a->fits != b->fits)
        return a->fits;
    if (!a->fits && a->cost != b->cost && (a->cost <= 0 || b->cost <= 0))
        return a->cost < b->cost;
    if (!a->fits && a->cost > 0 && a->users != b->users)
        return a->users < b->users;
    if (a->fits && a->in_time != b->in_time)
        return a->in_time;
    if (a->fits && !a->in_time && x->earliest != y->earliest)
        return x->earliest < y->earliest;
    if (a->fits && x->depth != y->depth)
        return x->depth > y->depth;
    return a->node > b->node;
}

/* Nodes from which the next one may be chosen, in their order. */
static void add_ready(struct scheduling *s, uint32_t node)
{
    uint32_t at = s->ready_count++;
    for (; at > 0 && s->ready[at - 1] > node; at--)
        s->ready[at] = s->ready[at - 1];
    s->ready[at] = node;
}

/* Takes one of the last CANDIDATES. */
static uint32_t choose(struct scheduling *s, uint32_t now, uint32_t budget)
{
    struct choice best = {0};
    uint32_t first = s->ready_count > CANDIDATES ? s->ready_count - CANDIDATES : 0;
    for (uint32_t i = first; i < s->ready_count; i++) {
        uint32_t node = s->ready[i];
        struct need need = need_of(s, node);
        struct choice c = {i, node, 0, 0, need.during <= budget, s->items[node].earliest <= now};
        if (!c.fits)
            c.cost = cost_of(s, node, &c.users) - SHARE * (int32_t)need.ended;
        if (i == first || is_better(s, &c, &best))
            best = c;
    }
    s->ready_count--;
    memmove(s->ready + best.at, s->ready + best.at + 1, (s->ready_count - best.at) * sizeof *s->ready);
    return best.node;
}

/* Fills in s->order, from the stretch's last instruction to its first. Returns the most live registers. */
static uint32_t find_order(struct scheduling *s, uint32_t budget)
{
    uint32_t now = 0;
    begin_at_end(s);
    find_edges(s);
    s->ready_count = 0;
    for (uint32_t n = 0; n < s->stretch.count; n++)
        if (!s->items[n].waits)
            add_ready(s, n);
    while (s->ready_count) {
        uint32_t node = choose(s, now, budget);
        now = s->items[node].earliest > now ? s->items[node].earliest : now;
        place(s, node);
        for (uint32_t e = s->edge_start[node]; e < s->edge_start[node + 1]; e++) {
            struct item *from = &s->items[s->edges.at[e].from];
            uint32_t earliest = now + s->edges.at[e].latency;
            from->earliest = earliest > from->earliest ? earliest : from->earliest;
            if (!--from->waits)
                add_ready(s, s->edges.at[e].from);
        }
        now++;
    }
    return s->peak;
}

/* The most live registers in the order that the stretch has. */
static uint32_t peak_as_it_is(struct scheduling *s)
{
    begin_at_end(s);
    for (uint32_t n = 0; n < s->stretch.count; n++)
        s->items[n].guarded = is_guarded(s, &s->stretch.nodes[n]);
    for (uint32_t n = s->stretch.count; n-- > 0;)
        place(s, n);
    return s->peak;
}

/* ---- the function ---- */

static void begin(struct scheduling *s, struct lowering *l, uint32_t first, const struct allocation *where)
{
    size_t registers = (size_t)l->element.count + 1;
    *s = (struct scheduling){.lowering = l, .where = where, .first = first, .behind = first};
    stretch_begin(&s->stretch, l);
    s->items = ARENA_ARRAY(l->arena, struct item, STRETCH_MOST);
    s->edge_start = ARENA_ARRAY(l->arena, uint32_t, STRETCH_MOST + 1);
    s->loads = ARENA_ARRAY(l->arena, uint32_t, STRETCH_MOST);
    s->stores = ARENA_ARRAY(l->arena, uint32_t, STRETCH_MOST);
    s->ready = ARENA_ARRAY(l->arena, uint32_t, STRETCH_MOST);
    s->order = ARENA_ARRAY(l->arena, uint32_t, STRETCH_MOST);
    s->writer = ARENA_ARRAY(l->arena, uint32_t, registers);
    s->readers = ARENA_ARRAY(l->arena, uint32_t, registers);
    s->live = ARENA_ARRAY(l->arena, uint8_t, registers);
}

/* Calls visit for each stretch, in order. */
static void each_stretch(struct scheduling *s, const uint32_t *block_start,
                         void (*visit)(struct scheduling *, void *data), void *data)
{
    const struct lowering *l = s->lowering;
    for (uint32_t b = 0; b < l->cfg.count; b++) {
        uint32_t at = s->first + block_start[b], end = s->first + block_start[b + 1];
        at += at < end && l->operations.at[at].kind == UOP_RECONVERGE;
        while (stretch_next(&s->stretch, &at, end))
            visit(s, data);
    }
}

/* What lives between stretches: operations up to `end`. */
static void pass_over(struct scheduling *s, uint32_t end)
{
    const struct operation *operations = s->lowering->operations.at;
    for (; s->behind < end; s->behind++) {
        uint32_t kept = s->where->kept[operations[s->behind].index - operations[s->first].index];
        s->most = kept > s->most ? kept : s->most;
    }
}

static void take_least(struct scheduling *s, void *data)
{
    (void)data;
    pass_over(s, s->stretch.first);
    uint32_t is = peak_as_it_is(s), least = is > s->most ? find_order(s, 0) : is;
    least = least < is ? least : is;
    s->most = least > s->most ? least : s->most;
    s->behind = s->stretch.end;
}

uint32_t schedule_least(struct lowering *l, uint32_t first, const uint32_t *block_start, const struct allocation *where)
{
    struct scheduling s;
    begin(&s, l, first, where);
    each_stretch(&s, block_start, take_least, NULL);
    pass_over(&s, l->operations.count);
    return s.most;
}

/* Moves the stretch's instructions and their operations to their places in the order. */
static void move(struct scheduling *s)
{
    struct lowering *l = s->lowering;
    const struct stretch *t = &s->stretch;
    uint32_t operations = t->end - t->first, index = l->operations.at[t->first].index, to = 0;
    struct operation *was = ARENA_ARRAY(l->arena, struct operation, operations);
    struct rp_instruction *described = ARENA_ARRAY(l->arena, struct rp_instruction, t->count);
    const struct ptx_instruction **sources = ARENA_ARRAY(l->arena, const struct ptx_instruction *, t->count);
    memcpy(was, l->operations.at + t->first, operations * sizeof *was);
    memcpy(described, l->instructions.at + index, t->count * sizeof *described);
    memcpy(sources, l->sources.at + index, t->count * sizeof *sources);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t node = s->order[t->count - 1 - i];
        for (uint32_t u = 0; u < t->nodes[node].count; u++) {
            struct operation *o = &l->operations.at[t->first + to++];
            *o = was[t->nodes[node].first + u];
            o->index = index + i;
        }
        l->instructions.at[index + i] = described[node];
        l->instructions.at[index + i].pc = 8ull * (index + i);
        l->sources.at[index + i] = sources[node];
    }
}

static void order_stretch(struct scheduling *s, void *data)
{
    uint32_t budget = *(uint32_t *)data, is = peak_as_it_is(s), allowed = budget > is ? budget : is;
    for (uint32_t part = PARTS; part > 0; part--)
        if (find_order(s, budget * part / PARTS) <= allowed) {
            move(s);
            return;
        }
}

void schedule_function(struct lowering *l, uint32_t first, const uint32_t *block_start, const struct allocation *where,
                       uint32_t budget)
{
    struct scheduling s;
    begin(&s, l, first, where);
    each_stretch(&s, block_start, order_stretch, &budget);
}
