/* Trees thread by thread: a node runs for the set of threads that reach it, bit t thread t of the block. */
#include <string.h>

#include "frontend/isa/ptx/check.h"
#include "tests/random/tree/tree.h"
#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

struct interpreter {
    struct tree *tree;
    struct machine *now;
    bool open; /* a result was open: its node is dropped, and all begins again */
};

#define EACH_THREAD(t, set)                                                                                            \
    for (unsigned t = 0; t < TREE_THREADS; t++)                                                                        \
        if ((set) >> (t)&1)

static void drop(struct interpreter *in, struct node *n)
{
    n->dropped = true;
    in->open = true;
}

static uint32_t warp_mask(uint64_t set, unsigned t) { return (uint32_t)(set >> (t & ~31u)); }
static unsigned highest(uint32_t mask) { return 31 - (unsigned)__builtin_clz(mask); }
static uint32_t get32(const struct lane *l, unsigned i) { return (uint32_t)l->reg[CLASS_R][i % TREE_REGISTERS]; }
static void set32(struct lane *l, unsigned i, uint32_t x) { l->reg[CLASS_R][i % TREE_REGISTERS] = x; }

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static struct call call_of(const struct node *n, const struct lane *l)
{
    const struct spelled *s = n->form;
    struct call c = {.opcode = s->form->opcode, .mods = &s->mods, .p = l->p[n->reg[7]], .imm = immediate_of(s)};
    uint64_t *sources[] = {&c.a, &c.b, &c.c, &c.l};
    for (uint32_t i = 0; i < s->operands; i++) {
        enum ptx_type t = ptx_operand_type(&s->form->operands[i], &s->mods);
        int place = place_of(s->form->operands[i].role);
        unsigned class = class_of_type(t);
        if (place >= 1 && place <= 4)
            *sources[place - 1] =
                class == CLASSES ? l->p[n->reg[place]] : low_bits(l->reg[class][n->reg[place]], bits_of(t));
    }
    if (s->form->lowering == LOW_CARRY)
        c.p = get32(l, n->reg[7]) != 0;
    return c;
}

static void run_form(struct interpreter *in, struct node *n, struct lane *l)
{
    const struct spelled *s = n->form;
    if (n->guard && (l->p[(n->guard - 1) % 16] != 0) == (n->guard > 16))
        return;
    struct call c = call_of(n, l);
    struct answer r;
    if (reference(&c, &r) != ANSWERED || r.any || r.near) {
        drop(in, n);
        return;
    }
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct operand_form *o = &s->form->operands[i];
        unsigned class = class_of_type(ptx_operand_type(o, &s->mods));
        if (o->role == 'd' && class == CLASSES)
            l->p[n->reg[0]] = r.d & 1;
        else if (o->role == 'd')
            l->reg[class][n->reg[0]] = r.d;
        if (o->role == 'q' || o->pair)
            l->p[n->reg[5]] = r.q[0];
        if (o->role == 'q' && o->pair)
            l->p[n->reg[6]] = r.q[1];
    }
}

static void run_chain(const struct node *n, struct lane *l)
{
    unsigned __int128 a = 0, b = 0, d;
    if (n->variant % 3 == 2)
        d = (unsigned __int128)((uint64_t)get32(l, n->reg[0]) * get32(l, n->reg[1])) + get32(l, n->reg[3]) +
            ((unsigned __int128)get32(l, n->reg[3] + 1u) << 32);
    else {
        for (unsigned i = 0; i < 3; i++) {
            a |= (unsigned __int128)get32(l, n->reg[0] + i) << (32 * i);
            b |= (unsigned __int128)get32(l, n->reg[1] + i) << (32 * i);
        }
        d = n->variant % 3 ? a - b : a + b;
    }
    for (unsigned i = 0; i < 3; i++)
        set32(l, n->reg[2] + i, (uint32_t)(d >> (32 * i)));
}

/* ---- across lanes ------------------------------------------------------------------------------------------------ */

static void run_shuffle(struct interpreter *in, struct node *n, uint64_t set, const struct machine *old)
{
    static const int segments[] = {0, 16, 24, 28};
    EACH_THREAD(t, set)
    {
        int lane = (int)t & 31, b = n->number & 31, mode = n->variant % 4, segment = segments[n->number >> 8 & 3];
        int least = lane & segment, most = mode == 0 ? least : least | (31 & ~segment);
        int from = mode == 0 ? lane - b : mode == 1 ? lane + b : mode == 2 ? lane ^ b : least | (b & ~segment);
        bool fits = mode == 0 ? from >= most : from <= most;
        if (n->space)
            from = (int)highest(warp_mask(set, t)), fits = true;
        else if (!fits)
            from = lane;
        if (!(warp_mask(set, t) >> from & 1)) {
            drop(in, n);
            return;
        }
        set32(&in->now->lanes[t], n->reg[0], get32(&old->lanes[(t & ~31u) + (unsigned)from], n->reg[1]));
        in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] = fits;
    }
}

static void run_vote(struct interpreter *in, const struct node *n, uint64_t set, const struct machine *old)
{
    EACH_THREAD(t, set)
    {
        uint32_t there = warp_mask(set, t), yes = 0;
        for (unsigned l = 0; l < 32; l++)
            if (there >> l & 1 && old->lanes[(t & ~31u) + l].p[n->reg[6] % TREE_PREDICATES])
                yes |= 1u << l;
        const bool results[] = {yes == there, yes != 0, yes == 0 || yes == there};
        if (n->variant % 4 == 3)
            set32(&in->now->lanes[t], n->reg[0], yes);
        else
            in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] = results[n->variant % 4];
    }
}

static void run_match(struct interpreter *in, const struct node *n, uint64_t set, const struct machine *old)
{
    unsigned class = n->variant & 1 ? CLASS_D : CLASS_R;
    EACH_THREAD(t, set)
    {
        uint32_t there = warp_mask(set, t), same = 0;
        for (unsigned l = 0; l < 32; l++)
            if (there >> l & 1 &&
                !((old->lanes[(t & ~31u) + l].reg[class][n->reg[1]] ^ old->lanes[t].reg[class][n->reg[1]]) & 3))
                same |= 1u << l;
        if (n->variant & 2) {
            in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] = same == there;
            same = same == there ? there : 0;
        }
        set32(&in->now->lanes[t], n->reg[0], same);
    }
}

static uint32_t reduced(unsigned kind, uint32_t d, uint32_t x)
{
    switch (kind) {
    case 1: return (int32_t)x < (int32_t)d ? x : d;
    case 2: return (int32_t)x > (int32_t)d ? x : d;
    case 3: return x < d ? x : d;
    case 4: return x > d ? x : d;
    case 5: return d & x;
    case 6: return d | x;
    case 7: return d ^ x;
    default: return d + x;
    }
}

static void run_reduce(struct interpreter *in, const struct node *n, uint64_t set, const struct machine *old)
{
    EACH_THREAD(t, set)
    {
        uint32_t there = warp_mask(set, t), d = 0;
        bool first = true;
        for (unsigned l = 0; l < 32; l++)
            if (there >> l & 1) {
                uint32_t x = get32(&old->lanes[(t & ~31u) + l], n->reg[1]);
                d = first ? x : reduced(n->variant % 9, d, x);
                first = false;
            }
        set32(&in->now->lanes[t], n->reg[0], d);
    }
}

/* Any lane may be elected. The engine takes the lowest. */
static void run_elect(struct interpreter *in, const struct node *n, uint64_t set)
{
    EACH_THREAD(t, set)
    {
        unsigned leader = (unsigned)__builtin_ctz(warp_mask(set, t));
        set32(&in->now->lanes[t], n->reg[0], leader);
        in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] = leader == (t & 31);
    }
}

/* D = A B + C of bytes: PTX ISA, "Matrix Fragments for mma.m8n8k16". */
static void run_mma(struct interpreter *in, const struct node *n, const struct machine *old)
{
    for (unsigned t = 0; t < TREE_THREADS; t++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned first = t & ~31u, row = (t & 31) >> 2, column = t % 4 * 2 + i;
            uint32_t sum = get32(&old->lanes[t], n->reg[2 + i]);
            for (unsigned k = 0; k < 16; k++) {
                uint32_t a = get32(&old->lanes[first + row * 4 + k / 4], n->reg[0]) >> (k % 4 * 8);
                uint32_t b = get32(&old->lanes[first + column * 4 + k / 4], n->reg[1]) >> (k % 4 * 8);
                sum +=
                    (uint32_t)((n->variant & 1 ? (int8_t)a : (uint8_t)a) * (n->variant & 2 ? (int8_t)b : (uint8_t)b));
            }
            set32(&in->now->lanes[t], n->reg[4] + i, sum);
        }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void run_access(const struct node *n, struct lane *l)
{
    bool wide = n->variant == load_kind_count, load = n->kind == NODE_LOAD;
    const struct load_kind *k = &load_kinds[wide ? 0 : n->variant];
    unsigned class = wide ? CLASS_D : access_class(n), bytes = wide ? 8 : k->bits / 8, count = wide ? 2 : n->number;
    for (unsigned i = 0; i < count; i++) {
        uint8_t *place = l->bytes[n->space] + n->offset + i * bytes;
        uint64_t *reg = &l->reg[class][next_register(n->reg[0], i)], x = 0;
        if (!load) {
            memcpy(place, reg, bytes);
            continue;
        }
        memcpy(&x, place, bytes);
        if (k->is_signed && !wide)
            x = (uint64_t)signed_of(x, k->bits);
        *reg = low_bits(x, 16u << class);
    }
}

static uint64_t added_floats(const char *type, uint64_t a, uint64_t b)
{
    const struct format *f = type[0] == 'b' ? &FORMAT_BF16 : !strcmp(type, "f64") ? &FORMAT_F64 : &FORMAT_F16;
    if (!strstr(type, "x2"))
        return soft_add(f, ROUND_N, a, b);
    return soft_add(f, ROUND_N, a & 0xffff, b & 0xffff) | soft_add(f, ROUND_N, a >> 16, b >> 16) << 16;
}

static uint64_t atomic_value(const struct atomic_kind *k, uint64_t old, uint64_t b, uint64_t c)
{
    bool is_signed = k->type[0] == 's', is_float = strchr(k->type, 'f') != NULL;
    int64_t so = signed_of(old, k->bits), sb = signed_of(b, k->bits);
    bool less = is_signed ? sb < so : b < old;
    if (is_float)
        return added_floats(k->type, old, b);
    switch (k->op[0] << 8 | k->op[1]) {
    case 'a' << 8 | 'd': return low_bits(old + b, k->bits);
    case 'a' << 8 | 'n': return old & b;
    case 'o' << 8 | 'r': return old | b;
    case 'x' << 8 | 'o': return old ^ b;
    case 'm' << 8 | 'i': return less ? b : old;
    case 'm' << 8 | 'a': return less ? old : b;
    case 'i' << 8 | 'n': return old >= b ? 0 : old + 1;
    case 'd' << 8 | 'e': return old == 0 || old > b ? b : old - 1;
    case 'c' << 8 | 'a': return old == b ? c : old;
    default: return b;
    }
}

static void run_atomic(const struct node *n, struct lane *l)
{
    const struct atomic_kind *k = &atomic_kinds[n->variant];
    unsigned class = k->bits == 16 ? CLASS_H : k->bits == 32 ? CLASS_R : CLASS_D, bytes = k->bits / 8;
    bool reduce = n->number & 1 && strcmp(k->op, "cas") != 0 && strcmp(k->op, "exch") != 0;
    uint8_t *place = l->bytes[n->space] + n->offset;
    uint64_t old = 0;
    memcpy(&old, place, bytes);
    uint64_t new = atomic_value(k, old, l->reg[class][n->reg[1]], l->reg[class][n->reg[2]]);
    memcpy(place, &new, bytes);
    if (!reduce)
        l->reg[class][n->reg[0]] = old;
}

static void run_sum(struct interpreter *in, const struct node *n, const struct lane *l)
{
    uint64_t *sum = &in->now->sums[n->variant % TREE_SUMS], d = l->reg[CLASS_D][n->reg[0]];
    uint32_t r = get32(l, n->reg[0]), *low = (uint32_t *)sum;
    switch (n->variant % TREE_SUMS) {
    case 0: *low += r; break;
    case 1: *sum += d; break;
    case 2: *low = reduced(1, *low, r); break;
    case 3: *low = reduced(4, *low, r); break;
    case 4: *low &= r; break;
    case 5: *sum |= d; break;
    case 6: *low ^= r; break;
    default: *sum = (int64_t)d > (int64_t)*sum ? d : *sum; break;
    }
}

/* ---- threads that meet ------------------------------------------------------------------------------------------- */

static void run_exchange(struct interpreter *in, const struct node *n, uint64_t set, const struct machine *old)
{
    EACH_THREAD(t, set)
    set32(&in->now->lanes[t], n->reg[0], get32(&old->lanes[(t & ~31u) + highest(warp_mask(set, t))], n->reg[1]));
}

static void run_barrier(struct interpreter *in, const struct node *n, const struct machine *old)
{
    for (unsigned t = 0; t < TREE_THREADS; t++)
        set32(&in->now->lanes[t], n->reg[0], get32(&old->lanes[(t + n->number) % TREE_THREADS], n->reg[1]));
}

static void run_count(struct interpreter *in, const struct node *n)
{
    unsigned count = 0, kind = n->variant % 3;
    for (unsigned t = 0; t < TREE_THREADS; t++)
        count += (in->now->lanes[t].p[n->reg[6] % TREE_PREDICATES] != 0) != (kind && n->number & 1);
    for (unsigned t = 0; t < TREE_THREADS; t++)
        if (kind == 0)
            set32(&in->now->lanes[t], n->reg[0], count);
        else
            in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] = kind == 1 ? count == TREE_THREADS : count > 0;
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */

static void run_block(struct interpreter *in, struct node *first, uint64_t set);

static void run_if(struct interpreter *in, struct node *n, uint64_t set)
{
    uint64_t yes = 0;
    EACH_THREAD(t, set)
    yes |= (uint64_t)(in->now->lanes[t].p[n->reg[5] % TREE_PREDICATES] != 0) << t;
    run_block(in, n->body[0], yes);
    run_block(in, n->body[1], set & ~yes);
}

static void run_switch(struct interpreter *in, struct node *n, uint64_t set)
{
    uint64_t sets[4] = {0};
    EACH_THREAD(t, set)
    sets[get32(&in->now->lanes[t], n->reg[0]) & 3] |= 1ull << t;
    for (unsigned i = 0; i < 3; i++)
        run_block(in, n->body[i], sets[i]);
}

static void run_loop(struct interpreter *in, struct node *n, uint64_t set)
{
    uint32_t trips[TREE_THREADS] = {0};
    EACH_THREAD(t, set)
    trips[t] = n->variant ? get32(&in->now->lanes[t], n->reg[0]) & 3 : n->number;
    for (uint32_t i = 0; set && !in->open; i++) {
        EACH_THREAD(t, set)
        if (trips[t] == i)
            set &= ~(1ull << t);
        run_block(in, n->body[0], set);
    }
}

static void run_call(struct interpreter *in, struct node *n, uint64_t set)
{
    const uint8_t *r = n->reg;
    struct machine before = *in->now;
    EACH_THREAD(t, set)
    {
        struct lane *l = &in->now->lanes[t];
        const struct lane *old = &before.lanes[t];
        memset(l->reg, 0, sizeof l->reg);
        memset(l->bytes[IN_LOCAL], 0, TREE_SLOT);
        set32(l, 0, get32(old, r[0]));
        set32(l, 1, get32(old, r[1]));
        l->reg[CLASS_D][0] = old->reg[CLASS_D][r[2]];
        l->reg[CLASS_H][0] = get32(l, 0) & 0xffff;
        for (unsigned i = 0; i < TREE_PREDICATES; i++)
            l->p[i] = get32(l, i) == 0;
    }
    run_block(in, in->tree->code[1 + n->variant % TREE_FUNCTIONS], set);
    EACH_THREAD(t, set)
    {
        struct lane *l = &in->now->lanes[t];
        uint32_t r0 = get32(l, 0);
        uint64_t d0 = l->reg[CLASS_D][0];
        memcpy(l->reg, before.lanes[t].reg, sizeof l->reg);
        memcpy(l->p, before.lanes[t].p, sizeof l->p);
        memcpy(l->bytes[IN_LOCAL], before.lanes[t].bytes[IN_LOCAL], TREE_SLOT);
        set32(l, r[3], r0);
        l->reg[CLASS_D][r[4]] = d0;
    }
}

static void run_alone(struct interpreter *in, struct node *n, struct lane *l)
{
    unsigned bytes = n->variant % 4 ? 2u << n->variant % 4 : 8;
    switch (n->kind) {
    case NODE_FORM: run_form(in, n, l); break;
    case NODE_CHAIN: run_chain(n, l); break;
    case NODE_LOAD:
    case NODE_STORE: run_access(n, l); break;
    case NODE_COPY: memcpy(l->bytes[IN_SHARED] + n->offset, l->bytes[IN_GLOBAL] + n->offset, bytes); break;
    case NODE_ATOMIC: run_atomic(n, l); break;
    default: run_sum(in, n, l); break;
    }
}

static void run_node(struct interpreter *in, struct node *n, uint64_t set)
{
    struct machine old = *in->now;
    switch ((enum node_kind)n->kind) {
    case NODE_IF: run_if(in, n, set); break;
    case NODE_SWITCH: run_switch(in, n, set); break;
    case NODE_LOOP: run_loop(in, n, set); break;
    case NODE_CALL: run_call(in, n, set); break;
    case NODE_SHUFFLE: run_shuffle(in, n, set, &old); break;
    case NODE_VOTE: run_vote(in, n, set, &old); break;
    case NODE_MATCH: run_match(in, n, set, &old); break;
    case NODE_REDUCE: run_reduce(in, n, set, &old); break;
    case NODE_ELECT: run_elect(in, n, set); break;
    case NODE_EXCHANGE: run_exchange(in, n, set, &old); break;
    case NODE_BARRIER:
    case NODE_MBARRIER: run_barrier(in, n, &old); break;
    case NODE_COUNT: run_count(in, n); break;
    case NODE_MMA: run_mma(in, n, &old); break;
    default:
        EACH_THREAD(t, set)
        run_alone(in, n, &in->now->lanes[t]);
        break;
    }
}

static void run_block(struct interpreter *in, struct node *first, uint64_t set)
{
    for (struct node *n = first; n && set && !in->open; n = n->next)
        if (!n->dropped)
            run_node(in, n, set);
}

void tree_interpret(struct tree *t, const struct machine *before, struct machine *after)
{
    struct interpreter in = {.tree = t, .now = after};
    do {
        in.open = false;
        *after = *before;
        run_block(&in, t->code[0], ~0ull);
    } while (in.open);
}
