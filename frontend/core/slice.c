#include "frontend/core/slice.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/core/lanes/lanes.h"
#include "frontend/core/loops.h"
#include "frontend/core/operands.h"
#include "frontend/operation/flags.h"

struct finder {
    const struct operation *operations;
    uint32_t extent; /* bytes of the register window */
    struct {
        bool shared, local, clock;
    } is;           /* what the slice contains besides registers */
    bool bare;      /* there is no shared and no local memory: generic addresses are global */
    uint8_t *words; /* nonzero: in the slice */
    bool numbers;   /* operands name registers by number; they have no offsets yet */
    bool grown;
    const uint32_t *order; /* operations, grouped by loop */
    uint32_t *start;       /* start of each loop's operations in order[] */
};

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* Where the register begins and ends in slice->words, in bytes; a register number takes one word. */
static uint32_t begin_of(const struct finder *f, struct operand o)
{
    return f->numbers ? 4 * register_offset(o) : register_offset(o);
}

static uint32_t end_of(const struct finder *f, struct operand o, uint32_t bytes)
{
    uint32_t end = begin_of(f, o) + (f->numbers ? 4 : bytes), extent = f->extent;
    return end < extent ? end : extent;
}

static void add(struct finder *f, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return;
    for (uint32_t at = begin_of(f, o), end = end_of(f, o, bytes); at < end; at += 4) {
        f->grown |= !f->words[at / 4];
        f->words[at / 4] = 1;
    }
}

static bool has(const struct finder *f, struct operand o, uint32_t bytes)
{
    if (!is_register(o))
        return false;
    for (uint32_t at = begin_of(f, o), end = end_of(f, o, bytes); at < end; at += 4)
        if (f->words[at / 4])
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
    /* a bulk copy writes to shared memory, or to memory that any block may read */
    if (o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_BULK_LOAD)
        return f->is.shared;
    uint32_t bytes = operation_width(o);
    bool found = has(f, o->d, bytes) || has(f, o->pd, PREDICATE_BYTES) || has(f, o->pd2, PREDICATE_BYTES);
    for (uint32_t i = 0; writes_list(o) && i < o->lists[0].count; i++)
        found |= has(f, o->lists[0].at[i], bytes);
    return found;
}

/* Adds everything that the operation reads, except for the guard. */
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
    bool shared = generic || o->memory.space == RP_SPACE_SHARED || o->memory.space == RP_SPACE_SHARED_CLUSTER;
    if (f->bare)
        return;
    f->grown |= (local && !f->is.local) || (shared && !f->is.shared);
    f->is.local |= local;
    f->is.shared |= shared;
}

/* Whether loads in the slice may read from shared or local memory what the operation writes there. */
static bool may_be_read(const struct finder *f, const struct operation *o)
{
    bool generic = o->memory.space == RP_SPACE_GENERIC;
    bool local = generic || o->frame_relative || o->memory.space == RP_SPACE_LOCAL;
    bool shared = generic || o->memory.space == RP_SPACE_SHARED || o->memory.space == RP_SPACE_SHARED_CLUSTER;
    return (local && f->is.local) || (shared && f->is.shared);
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
    if (atomic) { /* they decide whether the atomic changes anything */
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
    case UOP_GROUP:
    case UOP_ORDER:
    case UOP_PUSH: return;
    case UOP_LANE:
    case UOP_CLOCK:
        /* condition codes are in every fingerprint, so operations that set them are in every slice */
        if (!writes_slice(f, o) && !operation_uses_codes(o))
            return;
        f->is.clock |= o->kind == UOP_CLOCK;
        break;
    default: break; /* control, barriers, calls: everything that they read */
    }
    add(f, o->guard, PREDICATE_BYTES);
    add_sources(f, o);
}

/* Finds the slice of a loop. shared, local: the slices of other loops include that memory. */
static void find(struct finder *f, uint32_t loop, bool shared, bool local)
{
    f->is.shared = shared;
    f->is.local = local;
    f->is.clock = false;
    memset(f->words, 0, f->extent / 4 + 1);
    do {
        f->grown = false;
        for (uint32_t i = f->start[loop + 1]; i-- > f->start[loop];)
            visit(f, &f->operations[f->order[i]]);
    } while (f->grown);
}

/* Groups operations by loop, in their order within each: fills order and start; start is 0 on entry. */
static void sort_by_loop(uint32_t *order, uint32_t *start, const uint32_t *loop_of, uint32_t count, uint32_t loops)
{
    for (uint32_t i = 0; i < count; i++)
        start[loop_of[i]]++;
    for (uint32_t l = 1; l <= loops; l++)
        start[l] += start[l - 1];
    start[loops + 1] = count;
    for (uint32_t i = count; i-- > 0;)
        order[--start[loop_of[i]]] = i;
}

static struct slice_words kept(const struct finder *f, uint64_t *bits)
{
    for (uint32_t word = 0; word < f->extent / 4; word++)
        bits[word / 64] |= (uint64_t)f->words[word] << word % 64;
    return (struct slice_words){bits, f->is.clock};
}

static void mark_loads(const struct finder *f, struct uop *uops, uint32_t loop, uint64_t flag)
{
    for (uint32_t i = f->start[loop]; i < f->start[loop + 1]; i++) {
        const struct operation *o = &f->operations[f->order[i]];
        if (o->kind == UOP_MEMORY && o->memory.kind != RP_ACCESS_STORE && writes_slice(f, o))
            uops[f->order[i]].flags |= flag;
    }
}

/* Finds whether slices include the content of shared and local memory. If one does, others may have to include more. */
static void find_memory(struct finder *f, struct slice *s, uint32_t loops)
{
    for (bool grown = true; grown;) {
        bool shared = s->shared, local = s->local;
        for (uint32_t l = 1; l <= loops; l++) {
            find(f, l, shared, local);
            s->shared |= f->is.shared;
            s->local |= f->is.local;
        }
        grown = s->shared != shared || s->local != local;
    }
}

static void find_parts(struct finder *f, const struct program *p, uint32_t loops)
{
    struct slice *s = p->slice;
    size_t words = f->extent / 4 / 64 + 1;
    s->parts[0].alone.bits = s->parts[0].with_memory.bits = s->bits; /* empty */
    find_memory(f, s, loops);
    for (uint32_t l = 1; l <= loops; l++) {
        struct slice_part *part = &s->parts[l];
        uint64_t *bits = s->bits + 2 * l * words;
        find(f, l, false, false);
        part->memory = f->is.shared || f->is.local;
        f->bare = true;
        find(f, l, false, false);
        f->bare = false;
        part->alone = kept(f, bits);
        mark_loads(f, p->uops, l, UF_SLICE_BARE);
        find(f, l, s->shared, s->local);
        part->with_memory = kept(f, bits + words);
        mark_loads(f, p->uops, l, UF_SLICE);
        s->clock |= f->is.clock;
    }
}

/* Limit on the size of all slices. A program with very many loops in a very wide window gets one slice for all loops
 * together. */
#define MOST_BITS ((size_t)1 << 28)

static uint32_t join_loops(const struct program *p, uint32_t *part_of, uint32_t loops)
{
    if ((size_t)loops * (p->register_extent / 4) <= MOST_BITS)
        return loops;
    for (uint32_t i = 0; i < p->uop_count; i++)
        part_of[i] = part_of[i] != 0;
    return 1;
}

bool slice_find(struct program *p)
{
    struct slice *s = p->slice = calloc(1, sizeof *s);
    uint32_t loops = 0, *scratch = NULL;
    if (!s || !(s->part_of = loops_find(p, &loops)))
        return false;
    loops = join_loops(p, s->part_of, loops);
    s->parts = calloc((size_t)loops + 1, sizeof *s->parts);
    s->bits = calloc(2 * ((size_t)loops + 1) * (p->register_extent / 4 / 64 + 1), sizeof *s->bits);
    scratch = calloc(SLICE_SCRATCH(p->uop_count, loops, p->register_extent), sizeof *scratch);
    bool fine = s->parts && s->bits && scratch;
    if (fine) {
        struct finder f = {.operations = p->operations,
                           .extent = p->register_extent,
                           .order = scratch,
                           .start = scratch + p->uop_count,
                           .words = (uint8_t *)(scratch + p->uop_count + loops + 2)};
        sort_by_loop(scratch, f.start, s->part_of, p->uop_count, loops);
        find_parts(&f, p, loops);
    }
    free(scratch);
    return fine;
}

/* Whether blocks may have neither shared nor local memory although there are generic accesses. */
static bool has_generic_alone(const struct slice_numbers *n)
{
    bool generic = false, others = false;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct operation *o = &n->operations[i];
        uint8_t space = o->kind == UOP_MEMORY ? o->memory.space : RP_SPACE_GLOBAL;
        generic |= space == RP_SPACE_GENERIC;
        others |= space == RP_SPACE_SHARED || space == RP_SPACE_SHARED_CLUSTER || space == RP_SPACE_LOCAL;
    }
    return generic && !others;
}

void slice_of_numbers(const struct slice_numbers *n, uint8_t *words, uint32_t *scratch)
{
    struct finder f = {.operations = n->operations,
                       .extent = 4 * n->registers,
                       .numbers = true,
                       .order = scratch,
                       .start = scratch + n->count,
                       .words = (uint8_t *)(scratch + n->count + n->loops + 2)};
    memset(f.start, 0, (n->loops + 2) * sizeof *f.start);
    sort_by_loop(scratch, f.start, n->loop_of, n->count, n->loops);
    bool generic = has_generic_alone(n);
    for (uint32_t l = 1; l <= n->loops; l++) {
        find(&f, l, false, false);
        for (uint32_t r = 0; r < n->registers; r++)
            words[r] |= f.words[r] ? SLICE_WITH_MEMORY : 0;
        f.bare = true;
        if (generic)
            find(&f, l, false, false);
        f.bare = false;
        for (uint32_t r = 0; r < n->registers; r++)
            words[r] |= f.words[r] ? SLICE_ALONE : 0;
    }
}

void slice_free(struct slice *s)
{
    if (!s)
        return;
    free(s->part_of);
    free(s->parts);
    free(s->bits);
    free(s);
}
