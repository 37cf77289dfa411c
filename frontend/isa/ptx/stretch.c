#include "frontend/isa/ptx/stretch.h"

#include <string.h>

#include "frontend/isa/ptx/allocate.h"

/* ---- what may move ---- */

/* Special registers that are the same whenever a thread reads them. */
static bool is_lasting(int64_t special)
{
    return special <= SR_LANEID || (special >= SR_LANEMASK_EQ && special <= SR_LANEMASK_GT) ||
           special == SR_DYNAMIC_SMEM_SIZE || special == SR_TOTAL_SMEM_SIZE;
}

static bool lane_may_move(const struct operation *u)
{
    switch (u->op) {
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_ACTIVEMASK:
    case OP_ELECT:
    case OP_SLEEP:
    case OP_WGMMA:
    case OP_MATRIX_LOAD:
    case OP_MATRIX_STORE:
    case OP_MATRIX_TRANSPOSE: return false;
    case OP_SPECIAL: return is_lasting(u->imm);
    default: return u->op < OP_MATRIX_TRANSPOSE;
    }
}

static bool access_may_move(const struct operation *u)
{
    const struct rp_memory_operand *m = &u->memory;
    bool plain = m->kind == RP_ACCESS_LOAD || m->kind == RP_ACCESS_STORE;
    return plain && m->order == RP_ORDER_WEAK && m->cache_op != RP_CACHE_CV && !u->op && !is_register(u->b) &&
           m->space != RP_SPACE_TEXTURE && m->space != RP_SPACE_SURFACE && m->space != RP_SPACE_NONE;
}

/* Whether the instruction of operations [first, end) may move. *access is its access to memory. */
static bool may_move(struct operation *first, const struct operation *end, struct operation **access)
{
    *access = NULL;
    for (struct operation *u = first; u < end; u++) {
        bool one = u->kind == UOP_MEMORY && !*access && access_may_move(u);
        if (!one && !(u->kind == UOP_LANE && lane_may_move(u)))
            return false;
        *access = one ? u : *access;
    }
    return true;
}

/* ---- registers ---- */

struct naming {
    struct stretch *s;
    struct stretch_node *node;
    bool writes;
};

static void name(struct naming *n, uint32_t reg)
{
    struct stretch_node *node = n->node;
    uint32_t *count = n->writes ? &node->writes : &node->uses;
    const uint32_t *at = n->writes ? stretch_writes(n->s, node) : stretch_uses(n->s, node);
    for (uint32_t i = 0; i < *count; i++)
        if (at[i] == reg)
            return;
    VECTOR_PUSH(n->s->lowering->arena, &n->s->names, reg);
    ++*count;
}

static void visit(void *data, struct operand *o, bool is_destination)
{
    struct naming *n = data;
    uint32_t reg = register_offset(*o);
    if (is_destination == n->writes && reg < n->s->lowering->function->registers.count)
        name(n, reg);
}

void stretch_name(struct stretch *s, struct stretch_node *node)
{
    struct operation *u = s->lowering->operations.at + s->first + node->first;
    struct naming n = {.s = s, .node = node};
    node->names = s->names.count;
    node->uses = node->writes = 0;
    for (int pass = 0; pass < 2; pass++) {
        n.writes = pass;
        for (uint32_t i = 0; i < node->count; i++) {
            each_register(&u[i], visit, &n);
            if (u[i].flags & (UF_CARRY_IN | UF_CARRY_OUT))
                name(&n, s->codes);
        }
    }
}

static struct stretch_value value_of(const struct stretch *s, struct operand o)
{
    uint32_t reg = is_register(o) ? register_offset(o) : STRETCH_NONE;
    return (struct stretch_value){reg, reg == STRETCH_NONE ? 0 : s->versions[reg]};
}

/* ---- stretches ---- */

void stretch_begin(struct stretch *s, struct lowering *l)
{
    *s = (struct stretch){.lowering = l, .codes = l->element.count};
    s->nodes = ARENA_ARRAY(l->arena, struct stretch_node, STRETCH_MOST);
    s->versions = ARENA_ARRAY(l->arena, uint32_t, (size_t)l->element.count + 1);
}

/* The operation behind the instruction that begins at `at`. */
static uint32_t behind(const struct lowering *l, uint32_t at, uint32_t end)
{
    uint32_t next = at + 1;
    while (next < end && l->operations.at[next].index == l->operations.at[at].index)
        next++;
    return next;
}

static void add_node(struct stretch *s, uint32_t at, uint32_t next, struct operation *access)
{
    struct lowering *l = s->lowering;
    struct stretch_node *n = &s->nodes[s->count++];
    *n = (struct stretch_node){.first = at - s->first, .count = next - at, .access = access};
    n->unit_class = l->instructions.at[l->operations.at[at].index].unit_class;
    n->base = n->guard = (struct stretch_value){STRETCH_NONE, 0};
    stretch_name(s, n);
    if (access) {
        n->base = value_of(s, access->a);
        n->guard = value_of(s, access->guard);
    }
    for (uint32_t i = 0; i < n->writes; i++)
        s->versions[stretch_writes(s, n)[i]]++;
}

bool stretch_next(struct stretch *s, uint32_t *at, uint32_t end)
{
    struct lowering *l = s->lowering;
    struct operation *access;
    for (s->count = 0; *at < end && s->count < 2;) {
        s->first = *at;
        s->count = s->names.count = 0;
        while (*at < end && s->count < STRETCH_MOST) {
            uint32_t next = behind(l, *at, end);
            bool moves = may_move(l->operations.at + *at, l->operations.at + next, &access);
            if (moves)
                add_node(s, *at, next, access);
            s->end = moves ? next : *at;
            *at = next;
            if (!moves)
                break;
        }
    }
    return s->count >= 2;
}

/* ---- memory ---- */

/* The spaces that overlap no other, but for the generic one. */
static uint8_t space_of(const struct operation *u)
{
    return u->memory.space == RP_SPACE_SHARED_CLUSTER ? RP_SPACE_SHARED : u->memory.space;
}

static bool is_never_written(const struct operation *u)
{
    return u->memory.space == RP_SPACE_CONST || u->memory.space == RP_SPACE_PARAM || u->memory.cache_op == RP_CACHE_NC;
}

static bool overlap(const struct operation *a, const struct operation *b)
{
    return a->imm < b->imm + (int64_t)b->memory.width && b->imm < a->imm + (int64_t)a->memory.width;
}

bool stretch_may_meet(const struct stretch_node *a, const struct stretch_node *b)
{
    const struct operation *x = a->access, *y = b->access;
    if (!x || !y || (x->memory.kind == RP_ACCESS_LOAD && y->memory.kind == RP_ACCESS_LOAD))
        return false;
    if (is_never_written(x) || is_never_written(y))
        return false;
    if (space_of(x) != space_of(y))
        return space_of(x) == RP_SPACE_GENERIC || space_of(y) == RP_SPACE_GENERIC;
    if (stretch_same(a->base, b->base) && x->frame_relative == y->frame_relative && x->stype == y->stype)
        return overlap(x, y);
    return true;
}
