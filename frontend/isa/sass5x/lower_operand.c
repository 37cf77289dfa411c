/* Condition codes, predicates, and the words that the driver stores in constant bank 0. */
#include "frontend/isa/sass5x/lower.h"

/* A word that the driver stores below the parameters. */
struct operand sass5x_launch_word(struct sass_build *b, uint32_t offset)
{
    enum { ENVIRONMENT = 0x30, ENVIRONMENT_END = 0xb0 };
    if (offset == ENVIRONMENT + 4 || offset == ENVIRONMENT + 8) /* %envreg1, %envreg2 */
        return special_register(b, offset == ENVIRONMENT + 4 ? SR_WORKSPACE_HIGH : SR_WORKSPACE_LOW);
    if (offset >= ENVIRONMENT && offset < ENVIRONMENT_END)
        return constant32(b, 0); /* other %envreg, which CUDA does not use */
    switch (offset) {
    case 0x00: return constant32(b, (uint32_t)SHARED_WINDOW);
    case 0x04: return constant32(b, (uint32_t)LOCAL_WINDOW);
    case 0x08: return special_register(b, SR_NTID_X);
    case 0x0c: return special_register(b, SR_NTID_Y);
    case 0x10: return special_register(b, SR_NTID_Z);
    case 0x14: return special_register(b, SR_NCTAID_X);
    case 0x18: return special_register(b, SR_NCTAID_Y);
    case 0x1c: return special_register(b, SR_NCTAID_Z);
    case 0x20: return special_register(b, SR_LOCAL_BYTES);
    case 0x28: return special_register(b, SR_GRIDID);
    case 0xd0: return constant32(b, (uint32_t)CONST_WINDOW + b->banks->at[3]);
    case 0xfc: return special_register(b, SR_DYNAMIC_SMEM_SIZE);
    case 0x2c:
    case 0xd4:
    case 0x100:
    case 0x104:                            /* upper words */
    case 0x108: return constant32(b, 0);   /* whether code must convert the numbers of SMs and warps (sm_60) */
    case 0x10c: return constant32(b, ~0u); /* how often %clock64 is read again when its upper word has changed */
    default: sass_build_not_covered(b, "this word of constant bank 0");
    }
}

/* ---- operations ---- */

void set_codes(struct sass_lowering *l, struct operand value)
{
    if (bit(l, 47))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_FLAGS, .type = T_U32, .flags = UF_CARRY_OUT, .a = value});
}

/* Whether the value compares with zero as condition code `code` says. */
static struct operand code_where(struct sass_lowering *l, enum lane_type type, enum compare compare,
                                 struct operand value, uint32_t code)
{
    struct operation u = {
        .kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .compare = (uint8_t)compare, .a = value};
    u.b = type == T_F64 ? constant64(&l->b, 0) : constant32(&l->b, 0);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    u = (struct operation){.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = u.pd};
    u.a = constant32(&l->b, code);
    u.b = constant32(&l->b, 0);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}
void set_float_codes(struct sass_lowering *l, unsigned at, enum lane_type type, struct operand value)
{
    enum { ZERO = 1, SIGN = 2, ALL = 15 };
    if (!bit(l, at))
        return;
    struct operand zero = code_where(l, type, CMP_EQU, value, ZERO);
    struct operand sign = code_where(l, type, CMP_LTU, value, SIGN);
    struct operation u = {.kind = UOP_LANE, .op = OP_SET_CC, .type = T_U32, .flags = UF_CARRY_OUT};
    u.a = lane2(&l->b, OP_OR, T_B32, zero, sign);
    u.b = constant32(&l->b, ALL);
    sass_emit(&l->b, u);
}

void sass_set(struct sass_lowering *l, struct operation u, bool as_float)
{
    struct operand value = sass_temporary(&l->b);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SELP,
                                        .type = T_B32,
                                        .d = value,
                                        .p = u.pd,
                                        .a = constant32(&l->b, as_float ? 0x3f800000 : ~0u),
                                        .b = constant32(&l->b, 0)});
    move32(&l->b, written(&l->b, bits(l, 0, 8)), value);
    set_codes(l, value);
}

void set_predicates(struct sass_lowering *l, struct operation *u, unsigned combine_at)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    u->combine = combines[bits(l, combine_at, 2)];
    if (u->combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    u->p = read_predicate(l, 39);
    u->p_flip = bit(l, 42);
}

static void move_predicate(struct sass_lowering *l, struct operand d, struct operand value)
{
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = d, .a = value});
}
void write_predicates(struct sass_lowering *l, struct operand first, struct operand second)
{
    struct operand d = written_predicate(l, 3), d2 = written_predicate(l, 0);
    bool first_last = bits(l, 3, 3) == bits(l, 16, 3);
    if (is_register(d) && !first_last)
        move_predicate(l, d, first);
    if (is_register(d2))
        move_predicate(l, d2, second);
    if (is_register(d) && first_last)
        move_predicate(l, d, first);
}
