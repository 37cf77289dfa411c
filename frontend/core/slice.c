#include "frontend/core/slice.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/flags.h"
#include "frontend/core/lanes/lanes.h"
#include "frontend/core/operands.h"

struct finder {
    struct program *program;
    struct slice *slice;
    bool numbers; /* operands name registers by number, not yet by place */
    bool grown;
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* Where the register begins in slice->words, in bytes, and where it ends; a number takes one word. */
static uint32_t begin_of(const struct finder *f, struct operand o)
{
    return f->numbers ? 4 * register_offset(o) : register_offset(o);
}

static uint32_t end_of(const struct finder *f, struct operand o, uint32_t bytes)
{
    uint32_t end = begin_of(f, o) + (f->numbers ? 4 : bytes), extent = f->program->register_extent;
    return end < extent ? end : extent;
}

static void add(struct finder *f, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return;
    for (uint32_t at = begin_of(f, o), end = end_of(f, o, bytes); at < end; at += 4) {
        f->grown |= !f->slice->words[at / 4];
        f->slice->words[at / 4] = 1;
    }
}

static bool has(const struct finder *f, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return false;
    for (uint32_t at = begin_of(f, o), end = end_of(f, o, bytes); at < end; at += 4)
        if (f->slice->words[at / 4])
            return true;
    return false;
}

static bool writes_list(const struct operation *o)
{
    return (o->kind == UOP_LANE && lane_op_writes_list(o->op)) ||
           (o->kind == UOP_MEMORY && o->memory.kind != RP_ACCESS_STORE);
}

static bool writes_slice(const struct finder *f, const struct operation *o)
{
    /* a bulk copy goes to shared memory, or to where anybody reads */
    if (o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_BULK_LOAD)
        return f->slice->shared;
    uint32_t bytes = operation_width(o);
    bool found = has(f, o->d, bytes) || has(f, o->pd, PREDICATE_BYTES) || has(f, o->pd2, PREDICATE_BYTES);
    for (uint32_t i = 0; writes_list(o) && i < o->lists[0].count; i++)
        found |= has(f, o->lists[0].at[i], bytes);
    return found;
}

/* All that the operation reads, but for the guard. */
static void add_sources(struct finder *f, const struct operation *o)
{
    uint32_t bytes = operation_width(o);
    add(f, o->a, bytes);
    add(f, o->b, bytes);
    add(f, o->c, bytes);
    add(f, o->p, PREDICATE_BYTES);
    for (unsigned n = writes_list(o); n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            add(f, o->lists[n].at[i], bytes);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void need_memory(struct finder *f, const struct operation *o)
{
    bool generic = o->memory.space == RP_SPACE_GENERIC;
    bool local = generic || o->frame_relative || o->memory.space == RP_SPACE_LOCAL;
    bool shared = generic || o->memory.space == RP_SPACE_SHARED;
    f->grown |= (local && !f->slice->local) || (shared && !f->slice->shared);
    f->slice->local |= local;
    f->slice->shared |= shared;
}

/* Whether loads in the slice may read from shared or local memory what the operation writes there. */
static bool may_be_read(const struct finder *f, const struct operation *o)
{
    bool generic = o->memory.space == RP_SPACE_GENERIC;
    bool local = generic || o->frame_relative || o->memory.space == RP_SPACE_LOCAL;
    bool shared = generic || o->memory.space == RP_SPACE_SHARED;
    return (local && f->slice->local) || (shared && f->slice->shared);
}

static void access(struct finder *f, const struct operation *o)
{
    uint32_t address = RP_WARP_LANES * (o->stype && lane_element_bytes((enum lane_type)o->stype) == 4 ? 4 : 8);
    bool atomic = o->memory.kind == RP_ACCESS_ATOMIC || o->memory.kind == RP_ACCESS_REDUCTION ||
                  o->memory.kind == RP_ACCESS_OBJECT;
    if (o->memory.kind == RP_ACCESS_PREFETCH)
        return;
    add(f, o->guard, PREDICATE_BYTES);
    add(f, o->a, address);
    if (o->memory.kind != RP_ACCESS_STORE && writes_slice(f, o))
        need_memory(f, o);
    if (atomic) { /* whether it changes anything depends on them */
        add(f, o->b, operation_width(o));
        add(f, o->c, operation_width(o));
        for (uint32_t i = 0; i < o->lists[1].count; i++)
            add(f, o->lists[1].at[i], operation_width(o));
    } else if (o->memory.kind == RP_ACCESS_STORE && may_be_read(f, o)) {
        add(f, o->d, operation_width(o));
        for (uint32_t i = 0; i < o->lists[0].count; i++)
            add(f, o->lists[0].at[i], operation_width(o));
    }
}

static void visit(struct finder *f, const struct operation *o)
{
    switch (o->kind) {
    case UOP_MEMORY: access(f, o); return;
    case UOP_RECONVERGE:
    case UOP_FENCE:
    case UOP_PUSH: return;
    case UOP_LANE:
    case UOP_CLOCK:
        /* the condition codes are in every fingerprint, so what sets them is in every slice */
        if (!writes_slice(f, o) && !operation_uses_codes(o))
            return;
        f->slice->clock |= o->kind == UOP_CLOCK;
        break;
    default: break; /* control, barriers, calls: all that they read */
    }
    add(f, o->guard, PREDICATE_BYTES);
    add_sources(f, o);
}

static void find(struct finder *f)
{
    const struct program *p = f->program;
    do {
        f->grown = false;
        for (uint32_t i = p->uop_count; i-- > 0;)
            visit(f, &p->operations[i]);
    } while (f->grown);
}

bool slice_find(struct program *p)
{
    struct slice *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    struct finder f = {.program = p, .slice = s};
    if (!(s->words = calloc(p->register_extent / 4 + 1, 1))) {
        free(s);
        return false;
    }
    find(&f);
    for (uint32_t i = 0; i < p->uop_count; i++)
        if (p->operations[i].kind == UOP_MEMORY && p->operations[i].memory.kind != RP_ACCESS_STORE &&
            writes_slice(&f, &p->operations[i]))
            p->uops[i].flags |= UF_SLICE;
    p->slice = s;
    return true;
}

void slice_of_numbers(struct operation *operations, uint32_t count, uint32_t registers, uint8_t *words)
{
    struct program p = {.operations = operations, .uop_count = count, .register_extent = 4 * registers};
    struct slice s = {.words = words};
    struct finder f = {.program = &p, .slice = &s, .numbers = true};
    find(&f);
}

void slice_free(struct slice *s)
{
    if (s)
        free(s->words);
    free(s);
}
