#include "frontend/core/operands.h"

#include <stdlib.h>

#include "frontend/core/lanes/lanes.h"

static uint32_t element_bytes(uint8_t type) { return type ? lane_element_bytes((enum lane_type)type) : 0; }

uint32_t operation_width(const struct operation *o)
{
    uint32_t bytes = 4, types[] = {element_bytes(o->type), element_bytes(o->stype), element_bytes(o->dtype)};
    if (o->op == OP_MOV && o->kind == UOP_LANE && o->type == T_PRED)
        return PREDICATE_BYTES;
    for (int i = 0; i < 3; i++)
        bytes = types[i] > bytes ? types[i] : bytes;
    if (o->type == T_B128 || o->stype == T_B128)
        bytes = 16;
    return RP_WARP_LANES * (o->flags & UF_WIDE ? 2 * bytes : bytes);
}

bool operation_uses_codes(const struct operation *o)
{
    switch (o->op) {
    case OP_SUM3:
    case OP_COMPARE_X:
    case OP_MINMAX_X:
    case OP_FLAGS:
    case OP_GET_CC:
    case OP_SET_CC:
    case OP_TEST_CC: return true;
    default: return o->flags & (UF_CARRY_IN | UF_CARRY_OUT);
    }
}

bool operation_may_fall_through(const struct operation *o)
{
    bool leaves = o->kind == UOP_BRANCH || o->kind == UOP_BRANCH_TABLE || o->kind == UOP_RETURN ||
                  o->kind == UOP_EXIT || o->kind == UOP_POP || o->kind == UOP_TRAP;
    return !leaves || is_register(o->guard);
}

uint8_t *program_entries(const struct program *p)
{
    uint8_t *entered = calloc(p->uop_count, 1);
    if (!entered)
        return NULL;
    entered[p->entry] = 1;
    for (uint32_t i = 0; i < p->uop_count; i++) {
        const struct operation *o = &p->operations[i];
        if ((o->kind == UOP_BRANCH || o->kind == UOP_CALL || o->kind == UOP_PUSH) && o->target < p->uop_count)
            entered[o->target] = 1;
        for (uint32_t t = 0; t < o->table_count; t++)
            if (o->table[t] < p->uop_count)
                entered[o->table[t]] = 1;
    }
    return entered;
}
