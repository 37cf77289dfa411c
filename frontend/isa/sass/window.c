#include "frontend/isa/sass/window.h"

enum { RANGE_BITS = 20, SPREAD = 1 << RANGE_BITS }; /* offsets below SPREAD are fixed, or packed already */

static uint32_t bytes_each(enum sass_range r) { return r == RANGE_TEMPORARIES ? 256 : 128; }

struct operand sass_place(enum sass_range r, uint32_t n) { return OPERAND_REGISTER(r * SPREAD + bytes_each(r) * n); }

/* ---- operands of operations ---- */

typedef void (*operand_visitor)(struct operand *, uint32_t ranges[RANGES]);

static void visit_operation(struct operation *o, operand_visitor visit, uint32_t ranges[RANGES])
{
    struct operand *own[] = {&o->d, &o->a, &o->b, &o->c, &o->p, &o->pd, &o->pd2, &o->guard};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        visit(own[i], ranges);
    for (unsigned n = 0; n < UOP_LISTS; n++)
        for (uint32_t i = 0; i < o->lists[n].count; i++)
            visit(&o->lists[n].at[i], ranges);
}

static void visit_operands(struct sass_build *b, operand_visitor visit, uint32_t ranges[RANGES])
{
    for (uint32_t i = 0; i < b->operations.count; i++)
        visit_operation(&b->operations.at[i], visit, ranges);
}

/* ---- packing ---- */

static void find_end(struct operand *o, uint32_t end[RANGES])
{
    if (!is_register(*o) || register_offset(*o) < SPREAD)
        return;
    enum sass_range r = register_offset(*o) >> RANGE_BITS;
    uint32_t to = register_offset(*o) % SPREAD + bytes_each(r);
    end[r] = to > end[r] ? to : end[r];
}

/* Lists may be shared by operations: what has been moved is below SPREAD, and stays. */
static void move_operand(struct operand *o, uint32_t first[RANGES])
{
    if (is_register(*o) && register_offset(*o) >= SPREAD)
        *o = OPERAND_REGISTER(first[register_offset(*o) >> RANGE_BITS] + register_offset(*o) % SPREAD);
}

void sass_pack_window(struct sass_build *b)
{
    uint32_t end[RANGES] = {SASS_FIXED_BYTES}, first[RANGES];
    visit_operands(b, find_end, end);
    for (uint32_t r = 0, at = 0; r < RANGES; at += end[r++])
        first[r] = at;
    visit_operands(b, move_operand, first);
}
