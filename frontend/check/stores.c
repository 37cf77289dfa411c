/* Which buffers a launch can store to, by its code and its parameters. Loads of the others race with nothing.
 *
 * The code determines which words of the parameters may become the address of a store: backward data flow through
 * registers (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.5, for addresses instead of live values). A pointer loaded from
 * memory, or a call, makes this unknown, and every buffer counts. A parameter's value counts for the allocation that
 * holds it, or for its neighbours. A store to another buffer, by an index far out of bounds, is detected when it is
 * made. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"
#include "frontend/core/operands.h"

#define UNIT 64                      /* bytes of registers per bit of a set: no two registers begin in the same unit */
#define MOST_WORDS ((size_t)1 << 23) /* limit on the size of all sets of a program; beyond it every buffer counts */

struct flow {
    const struct program *p;
    struct store_origins *to;
    size_t words;     /* of a set of registers */
    uint64_t *before; /* by operation: the registers that may still become addresses of stores */
    uint64_t *popped; /* those after any push */
    uint64_t *now;
    bool grown;
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

static bool has(const struct flow *f, struct operand o)
{
    uint32_t unit = register_offset(o) / UNIT;
    return is_register(o) && f->now[unit / 64] >> unit % 64 & 1;
}

static void add(struct flow *f, struct operand o)
{
    uint32_t unit = register_offset(o) / UNIT;
    if (is_register(o))
        f->now[unit / 64] |= UINT64_C(1) << unit % 64;
}

static void drop(struct flow *f, struct operand o)
{
    uint32_t unit = register_offset(o) / UNIT;
    if (is_register(o))
        f->now[unit / 64] &= ~(UINT64_C(1) << unit % 64);
}

static bool is_memory(const struct operation *o) { return o->kind == UOP_MEMORY || o->kind == UOP_OBJECT_WAIT; }

/* The first of the lists that the operation reads: lists[0] may be written, or missing. */
static unsigned first_source(const struct operation *o)
{
    return is_memory(o) || (o->kind == UOP_LANE && lane_op_writes_list(o->op));
}

static bool has_result(const struct operation *o)
{
    return !is_memory(o) || o->memory.kind == RP_ACCESS_LOAD || o->memory.kind == RP_ACCESS_ATOMIC;
}

static bool result_counts(const struct flow *f, const struct operation *o)
{
    bool counts = has(f, o->d);
    for (uint32_t i = 0; first_source(o) && i < o->lists[0].count; i++)
        counts |= has(f, o->lists[0].at[i]);
    return counts;
}

static void drop_result(struct flow *f, const struct operation *o)
{
    drop(f, o->d);
    for (uint32_t i = 0; first_source(o) && i < o->lists[0].count; i++)
        drop(f, o->lists[0].at[i]);
}

static void add_sources(struct flow *f, const struct operation *o)
{
    add(f, o->a);
    add(f, o->b);
    add(f, o->c);
    for (unsigned n = first_source(o); n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            add(f, o->lists[n].at[i]);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A loaded value that becomes an address, or part of one. Less than 8 bytes are taken for an index. */
static void load(struct flow *f, const struct operation *o)
{
    uint64_t bytes = (uint64_t)o->memory.width, size = f->p->parameter_bytes, at = (uint64_t)o->imm;
    bool parameter = o->memory.space == RP_SPACE_PARAM && !o->frame_relative && !is_register(o->a);
    if (parameter && at < size)
        memset(f->to->parameters + at, 1, bytes < size - at ? bytes : size - at);
    else
        f->to->anywhere |= bytes >= 8;
}

static void store(struct flow *f, const struct operation *o)
{
    const struct rp_memory_operand *m = &o->memory;
    switch (m->kind) {
    case RP_ACCESS_STORE:
    case RP_ACCESS_ATOMIC:
    case RP_ACCESS_REDUCTION:
        if (m->space == RP_SPACE_GLOBAL || m->space == RP_SPACE_GENERIC)
            add(f, o->a);
        f->to->anywhere |= m->space == RP_SPACE_SURFACE;
        return;
    case RP_ACCESS_BULK_LOAD: f->to->anywhere |= o->op == OP_COPY_TO_GLOBAL || o->op == OP_TENSOR_TO_GLOBAL; return;
    case RP_ACCESS_BULK_STORE: f->to->anywhere |= m->space != RP_SPACE_SHARED; return;
    default: return;
    }
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void carry_out(struct flow *f, const struct operation *o)
{
    bool counts = has_result(o) && result_counts(f, o);
    if (counts && !is_register(o->guard))
        drop_result(f, o);
    if (counts && is_memory(o))
        load(f, o);
    else if (counts)
        add_sources(f, o);
    if (is_memory(o))
        store(f, o);
    f->to->anywhere |= o->kind == UOP_CALL;
}

static void join(const struct flow *f, uint64_t *to, const uint64_t *from)
{
    for (size_t w = 0; w < f->words; w++)
        to[w] |= from[w];
}

static void come_from(struct flow *f, uint32_t target)
{
    if (target < f->p->uop_count)
        join(f, f->now, f->before + target * f->words);
}

static void visit(struct flow *f, uint32_t i)
{
    const struct operation *o = &f->p->operations[i];
    uint64_t *mine = f->before + i * f->words;
    memset(f->now, 0, f->words * sizeof *f->now);
    if (operation_may_fall_through(o))
        come_from(f, i + 1);
    if (o->kind == UOP_BRANCH)
        come_from(f, o->target);
    for (uint32_t k = 0; o->kind == UOP_BRANCH_TABLE && k < o->table_count; k++)
        come_from(f, o->table[k]);
    if (o->kind == UOP_POP)
        join(f, f->now, f->popped);
    if (o->kind == UOP_PUSH && o->target < f->p->uop_count)
        join(f, f->popped, f->before + o->target * f->words);
    carry_out(f, o);
    if (!memcmp(mine, f->now, f->words * sizeof *mine))
        return;
    memcpy(mine, f->now, f->words * sizeof *mine);
    f->grown = true;
}

/* False: out of memory. */
static bool find_origins(struct store_origins *to, const struct program *p)
{
    struct flow f = {.p = p, .to = to, .words = p->register_extent / UNIT / 64 + 1};
    free(to->parameters);
    *to = (struct store_origins){.program = p->kernel.identity, .parameters = calloc(p->parameter_bytes + 8, 1)};
    to->anywhere = p->narrow || (p->uop_count + 2) * f.words > MOST_WORDS;
    if (!to->parameters || to->anywhere)
        return to->parameters;
    if (!(f.before = calloc((p->uop_count + 2) * f.words, sizeof *f.before)))
        return false;
    f.popped = f.before + p->uop_count * f.words;
    f.now = f.popped + f.words;
    do {
        f.grown = false;
        for (uint32_t i = p->uop_count; i-- > 0 && !to->anywhere;)
            visit(&f, i);
    } while (f.grown && !to->anywhere);
    free(f.before);
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void mark(struct rp_check *c, const struct allocation *a)
{
    if (a)
        c->use[a->id] = USE_STORES;
}

/* Marks the allocations to which a value may point, if it is an address at all. */
static void mark_aim(struct rp_check *c, const struct memory *m, uint64_t value)
{
    const struct allocation *a = memory_find(m, value);
    if (!a && value < MODULE_BASE)
        return;
    mark(c, a ? a : memory_below(m, value));
    mark(c, a ? a : memory_from(m, value));
}

bool stores_begin(struct rp_check *c, const struct grid *g)
{
    const struct program *p = g->program;
    if (c->origins.program != p->kernel.identity && !find_origins(&c->origins, p)) {
        c->origins.program = 0;
        return false;
    }
    free(c->use);
    c->use_count = g->memory->ids;
    if (!(c->use = calloc(c->use_count + 1, 1)))
        return false;
    if (c->origins.anywhere)
        memset(c->use, USE_STORES, c->use_count);
    for (uint32_t at = 0; at < p->parameter_bytes; at += 8) {
        uint64_t value = 0, counts = 0, bytes = p->parameter_bytes - at < 8 ? p->parameter_bytes - at : 8;
        memcpy(&value, g->params + at, bytes);
        memcpy(&counts, c->origins.parameters + at, bytes);
        if (counts)
            mark_aim(c, g->memory, value);
    }
    return true;
}

bool stores_never(struct rp_check *c, const struct touch *t)
{
    if (t->space != RP_SPACE_GLOBAL || t->a->kind != ALLOCATION_BUFFER || t->a->id >= c->use_count)
        return false;
    uint8_t *use = &c->use[t->a->id];
    if (t->stores && *use == USE_LOADS)
        c->missed |= MISSED_STORE;
    if (t->stores)
        *use = USE_STORES;
    else if (*use == USE_NONE)
        *use = USE_LOADS;
    return *use != USE_STORES;
}
