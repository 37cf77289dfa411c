/* Makes random trees. */
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/random/tree/tree.h"

const struct load_kind load_kinds[] = {{"b8", 8, false, false},   {"u8", 8, false, false},   {"s8", 8, true, false},
                                       {"b16", 16, false, false}, {"u16", 16, false, false}, {"s16", 16, true, false},
                                       {"b32", 32, false, false}, {"u32", 32, false, false}, {"s32", 32, true, false},
                                       {"f32", 32, false, true},  {"b64", 64, false, false}, {"f64", 64, false, true}};
const unsigned load_kind_count = sizeof load_kinds / sizeof *load_kinds;

const struct atomic_kind atomic_kinds[] = {
    {"add", "u32", 32, 70},        {"add", "s32", 32, 70},         {"add", "u64", 64, 70},
    {"add", "f64", 64, 70},        {"min", "u32", 32, 70},         {"min", "s32", 32, 70},
    {"min", "s64", 64, 70},        {"max", "u64", 64, 70},         {"max", "s32", 32, 70},
    {"and", "b32", 32, 70},        {"or", "b64", 64, 70},          {"xor", "b32", 32, 70},
    {"inc", "u32", 32, 70},        {"dec", "u32", 32, 70},         {"exch", "b32", 32, 70},
    {"exch", "b64", 64, 70},       {"cas", "b16", 16, 70},         {"cas", "b32", 32, 70},
    {"cas", "b64", 64, 70},        {"add.noftz", "f16", 16, 70},   {"add.noftz", "f16x2", 32, 70},
    {"add.noftz", "bf16", 16, 90}, {"add.noftz", "bf16x2", 32, 90}};
const unsigned atomic_kind_count = sizeof atomic_kinds / sizeof *atomic_kinds;

uint64_t tree_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static uint32_t below(struct tree *t, uint32_t count) { return (uint32_t)(tree_random(&t->random) >> 8) % count; }

/* Where a node stands. */
struct place {
    unsigned depth;
    bool uniform, in_function;
};

static const uint8_t weights[NODE_KINDS] = {
    [NODE_FORM] = 60, [NODE_CHAIN] = 3,    [NODE_IF] = 7,      [NODE_SWITCH] = 2,   [NODE_LOOP] = 4,
    [NODE_CALL] = 2,  [NODE_SHUFFLE] = 3,  [NODE_VOTE] = 2,    [NODE_MATCH] = 2,    [NODE_REDUCE] = 2,
    [NODE_ELECT] = 1, [NODE_LOAD] = 6,     [NODE_STORE] = 6,   [NODE_COPY] = 2,     [NODE_ATOMIC] = 5,
    [NODE_SUM] = 2,   [NODE_EXCHANGE] = 2, [NODE_BARRIER] = 3, [NODE_MBARRIER] = 2, [NODE_COUNT] = 2,
    [NODE_MMA] = 2,
};

static bool may_stand(const struct tree *t, const struct place *at, unsigned kind)
{
    switch (kind) {
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_LOOP: return at->depth + 1 < TREE_DEPTH;
    case NODE_CALL: return !at->in_function;
    case NODE_REDUCE:
    case NODE_COPY: return t->target >= 80;
    case NODE_ELECT: return t->target >= 90;
    case NODE_BARRIER:
    case NODE_COUNT: return at->uniform;
    case NODE_MBARRIER: return at->uniform && t->target >= 80;
    case NODE_MMA: return at->uniform && t->target >= 75;
    default: return true;
    }
}

static unsigned any_kind(struct tree *t, const struct place *at)
{
    for (;;) {
        uint32_t w = below(t, 130);
        for (unsigned k = 0; k < NODE_KINDS; k++) {
            if (w < weights[k] && may_stand(t, at, k))
                return k;
            if (w < weights[k])
                break;
            w -= weights[k];
        }
    }
}

static void choose_form(struct tree *t, struct node *n)
{
    n->form = catalogue_any(&t->random, t->target);
    for (uint32_t i = 0; i < n->form->operands; i++) {
        const struct operand_form *o = &n->form->form->operands[i];
        int place = place_of(o->role);
        if (place >= 0)
            n->reg[place] =
                (uint8_t)below(t, ptx_operand_type(o, &n->form->mods) == PT_PRED ? TREE_PREDICATES : TREE_REGISTERS);
    }
    n->reg[5] = (uint8_t)below(t, TREE_PREDICATES);
    n->reg[6] = (uint8_t)((n->reg[5] + 1) % TREE_PREDICATES);
    n->reg[7] = (uint8_t)below(t, TREE_PREDICATES);
    if (n->form->form->lowering != LOW_CARRY && below(t, 4) == 0)
        n->guard = (uint8_t)(1 + below(t, TREE_PREDICATES) + 16 * below(t, 2));
}

static struct node *block(struct tree *t, const struct place *at, unsigned length);

static void choose_bodies(struct tree *t, struct node *n, struct place at)
{
    unsigned length = 1 + below(t, 6);
    at.depth++;
    if (n->kind == NODE_LOOP) {
        n->variant = (uint8_t)below(t, 2); /* 0: as many trips for all */
        n->number = 1 + below(t, 3);
        at.uniform &= n->variant == 0;
        n->body[0] = block(t, &at, length);
        return;
    }
    at.uniform = false;
    n->body[0] = block(t, &at, length);
    if (n->kind == NODE_SWITCH || below(t, 2))
        n->body[1] = block(t, &at, length);
    if (n->kind == NODE_SWITCH)
        n->body[2] = block(t, &at, length);
}

static void choose_access(struct tree *t, struct node *n)
{
    n->variant = (uint8_t)below(t, load_kind_count + 1); /* the last: b128 */
    unsigned bytes = n->variant < load_kind_count ? load_kinds[n->variant].bits / 8 : 16;
    n->number = n->variant < load_kind_count ? 1u << below(t, bytes == 8 ? 2 : 3) : 1;
    n->space = (uint8_t)below(t, TREE_SPACES);
    n->offset = (uint8_t)(below(t, TREE_SLOT / (bytes * n->number)) * bytes * n->number);
    n->reg[5] = (uint8_t)below(t, 2);  /* generic address */
    n->reg[6] = (uint8_t)below(t, 16); /* order and scope */
    n->reg[7] = (uint8_t)below(t, 3);  /* class of registers, where free */
}

static struct node *node(struct tree *t, const struct place *at)
{
    if (t->count == TREE_NODES)
        return NULL;
    struct node *n = &t->nodes[t->count++];
    n->kind = (uint8_t)any_kind(t, at);
    for (int i = 0; i < 8; i++)
        n->reg[i] = (uint8_t)below(t, TREE_REGISTERS);
    n->variant = (uint8_t)below(t, 256);
    n->number = below(t, 1u << 24);
    switch (n->kind) {
    case NODE_FORM: choose_form(t, n); break;
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_LOOP: choose_bodies(t, n, *at); break;
    case NODE_SHUFFLE: n->space = !at->uniform || at->in_function; break;
    case NODE_LOAD:
    case NODE_STORE: choose_access(t, n); break;
    case NODE_ATOMIC:
        do
            n->variant = (uint8_t)below(t, atomic_kind_count);
        while (atomic_kinds[n->variant].target > t->target);
        n->space = (uint8_t)below(t, 2);
        n->offset = (uint8_t)(8 * below(t, TREE_SLOT / 8));
        break;
    case NODE_COPY: n->offset = (uint8_t)(16 * below(t, TREE_SLOT / 16)); break;
    default: break;
    }
    return n;
}

static struct node *block(struct tree *t, const struct place *at, unsigned length)
{
    struct node *first = NULL, **to = &first;
    for (unsigned i = 0; i < length && (*to = node(t, at)); i++)
        to = &(*to)->next;
    return first;
}

void tree_generate(struct tree *t, uint64_t seed, uint64_t index, unsigned target)
{
    struct place at = {.uniform = true};
    memset(t, 0, sizeof *t);
    t->random = seed * 0x9e3779b97f4a7c15ull ^ index * 0xd1342543de82ef95ull;
    t->target = target;
    t->code[0] = block(t, &at, 15 + below(t, 25));
    at = (struct place){.in_function = true};
    for (unsigned f = 1; f <= TREE_FUNCTIONS; f++)
        t->code[f] = block(t, &at, 5 + below(t, 10));
}
