#include "frontend/isa/ptx/join.h"

#include <string.h>

#include "frontend/isa/ptx/low_bits.h"
#include "frontend/isa/ptx/stretch.h"

/* How far apart, in instructions, accesses may stand that are joined. */
enum { REACH = 512, MOST = 4, MOST_BYTES = 16 };

struct joining {
    struct lowering *lowering;
    const struct low_bits *bits;
    struct stretch stretch;
    uint8_t *drop; /* by operation of the function: it is part of another one now */
    uint32_t first;
};

/* ---- what fits together ---- */

static bool is_joinable(const struct joining *j, const struct stretch_node *n)
{
    const struct operation *u = n->access;
    if (!u || n->count != 1 || u->memory.elements != 1 || !is_register(u->d) || u->frame_relative || u->lists[0].count)
        return false;
    if (register_offset(u->d) >= j->lowering->function->registers.count)
        return false;
    bool here =
        u->memory.space == RP_SPACE_SHARED || u->memory.space == RP_SPACE_GLOBAL || u->memory.space == RP_SPACE_GENERIC;
    uint32_t bytes = u->memory.width;
    return here && (bytes == 4 || bytes == 8) && j->lowering->element.at[register_offset(u->d)] == bytes;
}

/* Whether both differ in the offset alone. */
static bool are_alike(const struct stretch_node *a, const struct stretch_node *b)
{
    const struct operation *x = a->access, *y = b->access;
    return stretch_same(a->base, b->base) && stretch_same(a->guard, b->guard) && x->guard_flip == y->guard_flip &&
           x->a.at == y->a.at && x->type == y->type && x->dtype == y->dtype && x->stype == y->stype;
}

/* Whether the trace says the same of both, but for the registers. */
static bool are_one_kind(const struct lowering *l, const struct operation *x, const struct operation *y)
{
    const struct rp_memory_operand *a = l->instructions.at[x->index].memory, *b = l->instructions.at[y->index].memory;
    return a->space == b->space && a->kind == b->kind && a->cache_op == b->cache_op && a->value == b->value &&
           a->elements == b->elements && a->width == b->width && a->evict_l1 == b->evict_l1 &&
           a->evict_l2 == b->evict_l2;
}

static bool names(const uint32_t *at, uint32_t count, uint32_t reg)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i] == reg)
            return true;
    return false;
}

static bool reads(const struct stretch *s, const struct stretch_node *n, uint32_t reg)
{
    return names(stretch_uses(s, n), n->uses, reg);
}

static bool writes(const struct stretch *s, const struct stretch_node *n, uint32_t reg)
{
    return names(stretch_writes(s, n), n->writes, reg);
}

/* Whether both may change places. */
static bool are_independent(const struct stretch *s, const struct stretch_node *a, const struct stretch_node *b)
{
    for (uint32_t i = 0; i < a->writes; i++)
        if (reads(s, b, stretch_writes(s, a)[i]) || writes(s, b, stretch_writes(s, a)[i]))
            return false;
    for (uint32_t i = 0; i < a->uses; i++)
        if (writes(s, b, stretch_uses(s, a)[i]))
            return false;
    return !stretch_may_meet(a, b);
}

/* Whether node n may move to node `to`, past all between them but for the members. A member must not need the others
 * either, which accesses at different addresses of one kind do unless they load into one register. */
static bool may_go(const struct joining *j, uint32_t n, uint32_t to, const uint32_t *members, uint32_t count)
{
    const struct stretch *s = &j->stretch;
    uint32_t from = n < to ? n + 1 : to, end = n < to ? to + 1 : n;
    for (uint32_t i = from; i < end; i++)
        if (s->nodes[i].count && !names(members, count, i) && !are_independent(s, &s->nodes[n], &s->nodes[i]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (members[i] != n && !are_independent(s, &s->nodes[n], &s->nodes[members[i]]))
            return false;
    return true;
}

/* The node behind `from` that is like node n but for its offset, which is `offset`; STRETCH_NONE: there is none. */
static uint32_t find(const struct joining *j, uint32_t n, int64_t offset)
{
    const struct stretch *s = &j->stretch;
    uint32_t low = n < REACH ? 0 : n - REACH, end = n + REACH < s->count ? n + REACH : s->count;
    for (uint32_t i = low; i < end; i++)
        if (s->nodes[i].count && s->nodes[i].access && s->nodes[i].access->imm == offset &&
            is_joinable(j, &s->nodes[i]) && are_alike(&s->nodes[n], &s->nodes[i]) &&
            are_one_kind(j->lowering, s->nodes[n].access, s->nodes[i].access))
            return i;
    return STRETCH_NONE;
}

/* Finds `count` nodes, the lowest address first, that can be joined and of which n is one. */
static bool find_members(const struct joining *j, uint32_t n, uint32_t count, uint32_t *members)
{
    const struct operation *u = j->stretch.nodes[n].access;
    uint32_t bytes = u->memory.width, total = count * bytes, first = n, last = n;
    struct low_bits base = is_register(u->a) ? j->bits[register_offset(u->a)] : (struct low_bits){0xff, 0};
    if ((base.known & (total - 1)) != total - 1)
        return false;
    int64_t low = u->imm - (int64_t)((base.value + (uint64_t)u->imm) & (total - 1));
    if (!low_bits_aligned(base, low, total))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = find(j, n, low + i * bytes);
        if (members[i] == STRETCH_NONE)
            return false;
        first = members[i] < first ? members[i] : first;
        last = members[i] > last ? members[i] : last;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!may_go(j, members[i], u->memory.kind == RP_ACCESS_LOAD ? first : last, members, count))
            return false;
    return true;
}

/* ---- the joined instruction ---- */

static const char *list_of_names(struct lowering *l, const struct stretch *s, const uint32_t *members, uint32_t count)
{
    const char *text = "";
    for (uint32_t i = 0; i < count; i++)
        text = arena_printf(l->arena, "%s%s%s", text, i ? ", " : "",
                            l->function->registers.at[register_offset(s->nodes[members[i]].access->d)].name);
    return text;
}

/* "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1+16]" */
static const char *joined_text(struct lowering *l, const struct stretch *s, const uint32_t *members, uint32_t count)
{
    const struct operation *lowest = s->nodes[members[0]].access;
    const char *text = l->instructions.at[lowest->index].text, *values = list_of_names(l, s, members, count);
    const char *from = strchr(text, '['), *to = strrchr(text, ']');
    const char *opcode = *text == '@' ? strchr(text, ' ') + 1 : text;
    size_t length = strcspn(opcode, " ["), head = length;
    while (head > 0 && opcode[head - 1] != '.')
        head--; /* behind the point before the type */
    if (!from || !to || !head)
        return text;
    const char *address = arena_string(l->arena, from, (size_t)(to + 1 - from));
    const char *start = arena_string(l->arena, text, (size_t)(opcode - text) + head);
    const char *type = arena_string(l->arena, opcode + head, length - head);
    if (lowest->memory.kind == RP_ACCESS_LOAD)
        return arena_printf(l->arena, "%sv%u.%s {%s}, %s", start, count, type, values, address);
    return arena_printf(l->arena, "%sv%u.%s %s, {%s}", start, count, type, address, values);
}

/* The registers of all members, each once. */
static uint32_t all_registers(struct lowering *l, const struct stretch *s, const uint32_t *members, uint32_t count,
                              bool destinations, const rp_register **out)
{
    VECTOR(rp_register) all = {0};
    for (uint32_t m = 0; m < count; m++) {
        const struct rp_instruction *in = &l->instructions.at[s->nodes[members[m]].access->index];
        const rp_register *list = destinations ? in->dst : in->src;
        for (uint32_t i = 0; i < (destinations ? in->dst_count : in->src_count); i++)
            if (!names(all.at, all.count, list[i]))
                VECTOR_PUSH(l->arena, &all, list[i]);
    }
    *out = all.at;
    return all.count;
}

static void describe_joined(struct lowering *l, const struct stretch *s, const uint32_t *members, uint32_t count,
                            const struct operation *at)
{
    struct rp_instruction *in = &l->instructions.at[at->index], out = *in;
    struct rp_memory_operand *memory = ARENA_NEW(l->arena, struct rp_memory_operand);
    *memory = *in->memory; /* with the eviction priority of the policy */
    memory->elements = (uint8_t)count;
    memory->width *= count;
    out.memory = memory;
    out.text = joined_text(l, s, members, count);
    out.dst_count = all_registers(l, s, members, count, true, &out.dst);
    out.src_count = all_registers(l, s, members, count, false, &out.src);
    *in = out;
}

/* Puts all members in the place of one: the first for loads, the last for stores. */
static void join(struct joining *j, const uint32_t *members, uint32_t count)
{
    struct stretch *s = &j->stretch;
    struct lowering *l = j->lowering;
    const struct operation *lowest = s->nodes[members[0]].access;
    bool load = lowest->memory.kind == RP_ACCESS_LOAD;
    struct operand *values = ARENA_ARRAY(l->arena, struct operand, count);
    uint32_t place = members[0];
    int64_t offset = lowest->imm;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = s->nodes[members[i]].access->d;
        place = load == (members[i] < place) ? members[i] : place;
    }
    struct operation *u = s->nodes[place].access;
    describe_joined(l, s, members, count, u);
    u->lists[0] = (struct operand_list){values, count};
    u->d = OPERAND_NONE;
    u->imm = offset;
    u->memory.elements = (uint8_t)count;
    u->memory.width *= count;
    for (uint32_t i = 0; i < count; i++) {
        struct stretch_node *n = &s->nodes[members[i]];
        if (members[i] == place)
            continue;
        j->drop[s->first + n->first - j->first] = 1;
        n->count = 0; /* it is gone */
        n->access = NULL;
    }
    stretch_name(s, &s->nodes[place]);
}

static void join_stretch(struct joining *j)
{
    uint32_t members[MOST];
    for (uint32_t n = 0; n < j->stretch.count; n++)
        for (uint32_t count = MOST; count >= 2; count /= 2) {
            const struct stretch_node *node = &j->stretch.nodes[n];
            if (node->count && is_joinable(j, node) && count * node->access->memory.width <= MOST_BYTES &&
                find_members(j, n, count, members))
                join(j, members, count);
        }
}

/* ---- the function ---- */

/* Takes the instructions away that are part of others now, and numbers those that remain. */
static void close_gaps(struct joining *j, uint32_t *block_start, uint32_t blocks)
{
    struct lowering *l = j->lowering;
    uint32_t first = j->first, end = l->operations.count, to = first, block = 0;
    uint32_t number = first < end ? l->operations.at[first].index : 0, next = number, last = UINT32_MAX;
    for (uint32_t i = first; i < end; i++) {
        for (; block < blocks && block_start[block] == i - first; block++)
            block_start[block] = to - first;
        if (j->drop[i - first])
            continue;
        struct operation u = l->operations.at[i];
        if (u.kind == UOP_RECONVERGE) { /* has no instruction, and the number of the next one */
            u.index = next;
            l->operations.at[to++] = u;
            continue;
        }
        if (u.index != last) {
            last = u.index;
            l->instructions.at[next] = l->instructions.at[last];
            l->instructions.at[next].pc = 8ull * next;
            l->sources.at[next] = l->sources.at[last];
            next++;
        }
        u.index = next - 1;
        l->operations.at[to++] = u;
    }
    for (; block <= blocks; block++)
        block_start[block] = to - first;
    l->operations.count = to;
    l->instructions.count = l->sources.count = next;
}

void join_accesses(struct lowering *l, uint32_t first, uint32_t *block_start)
{
    struct joining j = {.lowering = l, .first = first};
    uint32_t count = l->operations.count - first;
    j.drop = ARENA_ARRAY(l->arena, uint8_t, (size_t)count + 1);
    j.bits = low_bits_find(l, first, count);
    stretch_begin(&j.stretch, l);
    for (uint32_t b = 0; b < l->cfg.count; b++) {
        uint32_t at = first + block_start[b], end = first + block_start[b + 1];
        if (at < end && l->operations.at[at].kind == UOP_RECONVERGE)
            at++;
        while (stretch_next(&j.stretch, &at, end))
            join_stretch(&j);
    }
    close_gaps(&j, block_start, l->cfg.count);
}
