#include "frontend/core/operands.h"

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
