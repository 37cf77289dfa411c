/* Loops of machine code that wait for a flag in shared memory. LDS and STS do not say whether they are volatile, as
 * LD.E.STRONG does. But compilers move an ordinary load of what does not change out of its loop. So a load is volatile
 * if it stands in a loop that only computes and loads, always at the same address, and decides how the loop goes on.
 * Code that is not optimised has such loops of ordinary loads, too; they look alike. */
#include <stdlib.h>

#include "frontend/check/internal.h"
#include "frontend/core/operands.h"
#include "frontend/operation/flags.h"

enum { MOST_STEPS = 64, MOST_DEPTH = 4 }; /* operations of such a loop; of those that make its address, in a row */

static bool overlaps(struct operand o, uint32_t bytes, uint32_t from, uint32_t to)
{
    return is_register(o) && register_offset(o) < to && register_offset(o) + bytes > from;
}

/* Whether the operation may change the `bytes` of the register that are read. */
static bool changes(const struct operation *o, struct operand r, uint32_t bytes)
{
    uint32_t width = operation_width(o), from = register_offset(r), to = from + bytes;
    bool any = overlaps(o->d, width, from, to) || overlaps(o->pd, PREDICATE_BYTES, from, to) ||
               overlaps(o->pd2, PREDICATE_BYTES, from, to);
    for (uint32_t i = 0; i < o->lists[0].count && !any; i++)
        any = overlaps(o->lists[0].at[i], width, from, to);
    return any;
}

struct loop {
    const struct program *p;
    uint32_t first, last; /* operations; the last one jumps to the first */
};

/* Whether the operand is the same in each pass: what changes it computes it of such operands alone. */
static bool is_same(const struct loop *l, struct operand r, uint32_t bytes, unsigned depth)
{
    if (!is_register(r))
        return true;
    for (uint32_t i = l->first; i <= l->last; i++) {
        const struct operation *o = &l->p->operations[i];
        uint32_t width = operation_width(o);
        if (!changes(o, r, bytes))
            continue;
        if (o->kind != UOP_LANE || o->op == OP_SPECIAL || !depth || !is_same(l, o->a, width, depth - 1) ||
            !is_same(l, o->b, width, depth - 1) || !is_same(l, o->c, width, depth - 1) ||
            !is_same(l, o->p, PREDICATE_BYTES, depth - 1) || o->lists[0].count)
            return false;
    }
    return true;
}

static bool only_computes(const struct operation *o)
{
    bool loads = o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_LOAD;
    return o->kind == UOP_LANE || o->kind == UOP_RECONVERGE || loads;
}

/* Whether the loop around the load is such a one. */
static bool is_spin(const struct loop *l, uint32_t load)
{
    const struct operation *of = &l->p->operations[load];
    for (uint32_t i = l->first; i <= l->last; i++) {
        const struct operation *o = &l->p->operations[i];
        if (o->kind != UOP_BRANCH && !only_computes(o))
            return false;
    }
    return is_same(l, of->a, operation_width(of), MOST_DEPTH);
}

/* Whether the load is in a loop that ends soon behind it. */
static bool spins_at(const struct program *p, uint32_t load)
{
    for (uint32_t i = load + 1; i < p->uop_count && i - load < MOST_STEPS; i++) {
        const struct operation *o = &p->operations[i];
        if (o->kind == UOP_BRANCH && o->target <= load && load - o->target < MOST_STEPS)
            return is_spin(&(struct loop){p, o->target, i}, load);
        if (o->kind != UOP_BRANCH && !only_computes(o))
            return false;
    }
    return false;
}

bool spins_find(const struct program *p, uint8_t **spins)
{
    *spins = NULL;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *o = &p->operations[i];
        bool machine_code = p->kernel.instructions[o->index].raw_size;
        bool loads = machine_code && o->kind == UOP_MEMORY && o->memory.kind == RP_ACCESS_LOAD &&
                     o->memory.space == RP_SPACE_SHARED && p->uops[i].flags & UF_SLICE;
        if (!loads || !spins_at(p, i))
            continue;
        if (!*spins && !(*spins = calloc(p->uop_count, 1)))
            return false;
        (*spins)[i] = 1;
    }
    return true;
}
