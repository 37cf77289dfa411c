/* RV32IMAC into uops, and into the trace's table of instructions. */
#include <string.h>

#include "frontend/guest/program.h"
#include "frontend/isa/rv32/rv32.h"
#include "frontend/isa/rv32/table.h"

enum { NOWHERE_REGISTER = GUEST_TEMPORARIES - 1 }; /* the temporary that stands for x0 as a destination */

struct rv32_translation {
    struct guest_build *build;
    const struct rv32_instruction *i;
};

/* ---- operands ------------------------------------------------------------------------------------------------------
 */

static struct operand rv32_source(unsigned n) { return n ? GUEST_REGISTER(n) : OPERAND_NONE; }
static struct operand rv32_destination(unsigned n) { return n ? GUEST_REGISTER(n) : guest_temporary(NOWHERE_REGISTER); }

static void rv32_lane(struct rv32_translation *t, enum lane_op op, enum lane_type type, struct operand d,
                      struct operand a, struct operand b)
{
    guest_emit(t->build, (struct operation){.kind = UOP_LANE, .op = op, .type = (uint8_t)type, .d = d, .a = a, .b = b});
}

static void rv32_move(struct rv32_translation *t, struct operand d, struct operand a)
{
    rv32_lane(t, OP_MOV, T_B32, d, a, OPERAND_NONE);
}

/* ---- computing -----------------------------------------------------------------------------------------------------
 */

static bool rv32_takes_constant(unsigned operation) { return operation >= RV32_ADDI && operation <= RV32_SRAI; }

/* d = a < b, 0 or 1 */
static void rv32_set_less(struct rv32_translation *t, enum lane_type type, struct operand d, struct operand a,
                          struct operand b)
{
    struct operand less = guest_temporary(0);
    guest_emit(t->build, (struct operation){.kind = UOP_LANE,
                                            .op = OP_SETP,
                                            .stype = (uint8_t)type,
                                            .type = (uint8_t)type,
                                            .compare = type == T_S32 ? CMP_LT : CMP_LO,
                                            .pd = less,
                                            .a = a,
                                            .b = b});
    guest_emit(
        t->build,
        (struct operation){
            .kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .d = d, .a = guest_constant(t->build, 1), .p = less});
}

/* PTX shifts by all of b; here its lower five bits count. */
static void rv32_shift(struct rv32_translation *t, enum lane_op op, enum lane_type type, struct operand d,
                       struct operand a, struct operand b)
{
    if (is_register(b)) {
        rv32_lane(t, OP_AND, T_B32, guest_temporary(0), b, guest_constant(t->build, 31));
        b = guest_temporary(0);
    }
    rv32_lane(t, op, type, d, a, b);
}

static void rv32_multiply_high(struct rv32_translation *t, enum lane_type type, struct operand d, struct operand a,
                               struct operand b)
{
    guest_emit(t->build,
               (struct operation){
                   .kind = UOP_LANE, .op = OP_MUL, .type = (uint8_t)type, .flags = UF_HI, .d = d, .a = a, .b = b});
}

/* The upper word of a × b with a signed and b unsigned: that of both unsigned, less b where a is below zero. */
static void rv32_multiply_mixed(struct rv32_translation *t, struct operand d, struct operand a, struct operand b)
{
    struct operand mask = guest_temporary(0), high = guest_temporary(1);
    rv32_lane(t, OP_SHR, T_S32, mask, a, guest_constant(t->build, 31));
    rv32_lane(t, OP_AND, T_B32, mask, mask, b);
    rv32_multiply_high(t, T_U32, high, a, b);
    rv32_lane(t, OP_SUB, T_S32, d, high, mask);
}

/* Quotients by zero are all ones in both, but the manual's remainder is then the dividend: a - quotient × b. */
static void rv32_remainder(struct rv32_translation *t, enum lane_type type, struct operand d, struct operand a,
                           struct operand b)
{
    struct operand q = guest_temporary(0);
    rv32_lane(t, OP_DIV, type, q, a, b);
    rv32_lane(t, OP_MUL, type, q, q, b);
    rv32_lane(t, OP_SUB, type, d, a, q);
}

static void rv32_compute_uops(struct rv32_translation *t)
{
    const struct rv32_instruction *i = t->i;
    struct operand d = rv32_destination(i->rd), a = rv32_source(i->rs1);
    struct operand b =
        rv32_takes_constant(i->row->operation) ? guest_constant(t->build, (uint32_t)i->imm) : rv32_source(i->rs2);
    switch (i->row->operation) {
    case RV32_LUI: rv32_move(t, d, guest_constant(t->build, (uint32_t)i->imm)); break;
    case RV32_AUIPC: rv32_move(t, d, guest_constant(t->build, t->build->pc + (uint32_t)i->imm)); break;
    case RV32_ADDI:
    case RV32_ADD:
        if (b.at && a.at)
            rv32_lane(t, OP_ADD, T_S32, d, a, b);
        else
            rv32_move(t, d, a.at ? a : b);
        break;
    case RV32_SUB: rv32_lane(t, OP_SUB, T_S32, d, a, b); break;
    case RV32_SLTI:
    case RV32_SLT: rv32_set_less(t, T_S32, d, a, b); break;
    case RV32_SLTIU:
    case RV32_SLTU: rv32_set_less(t, T_U32, d, a, b); break;
    case RV32_XORI:
    case RV32_XOR: rv32_lane(t, OP_XOR, T_B32, d, a, b); break;
    case RV32_ORI:
    case RV32_OR: rv32_lane(t, OP_OR, T_B32, d, a, b); break;
    case RV32_ANDI:
    case RV32_AND: rv32_lane(t, OP_AND, T_B32, d, a, b); break;
    case RV32_SLLI:
    case RV32_SLL: rv32_shift(t, OP_SHL, T_B32, d, a, b); break;
    case RV32_SRLI:
    case RV32_SRL: rv32_shift(t, OP_SHR, T_U32, d, a, b); break;
    case RV32_SRAI:
    case RV32_SRA: rv32_shift(t, OP_SHR, T_S32, d, a, b); break;
    case RV32_MUL: rv32_lane(t, OP_MUL, T_S32, d, a, b); break;
    case RV32_MULH: rv32_multiply_high(t, T_S32, d, a, b); break;
    case RV32_MULHU: rv32_multiply_high(t, T_U32, d, a, b); break;
    case RV32_MULHSU: rv32_multiply_mixed(t, d, a, b); break;
    case RV32_DIV: rv32_lane(t, OP_DIV, T_S32, d, a, b); break;
    case RV32_DIVU: rv32_lane(t, OP_DIV, T_U32, d, a, b); break;
    case RV32_REM: rv32_remainder(t, T_S32, d, a, b); break;
    default: rv32_remainder(t, T_U32, d, a, b); break; /* RV32_REMU */
    }
}

/* ---- memory --------------------------------------------------------------------------------------------------------
 */

static enum lane_type rv32_memory_type(unsigned operation)
{
    switch (operation) {
    case RV32_LB: return T_S8;
    case RV32_LBU: return T_U8;
    case RV32_SB: return T_B8;
    case RV32_LH: return T_S16;
    case RV32_LHU: return T_U16;
    case RV32_SH: return T_B16;
    default: return T_B32;
    }
}

static struct rp_memory_operand rv32_memory_operand(const struct rv32_instruction *i)
{
    static const uint8_t atomics[] = {
        [RV32_AMOSWAP] = RP_ATOMIC_EXCH, [RV32_AMOADD] = RP_ATOMIC_ADD,  [RV32_AMOXOR] = RP_ATOMIC_XOR,
        [RV32_AMOAND] = RP_ATOMIC_AND,   [RV32_AMOOR] = RP_ATOMIC_OR,    [RV32_AMOMIN] = RP_ATOMIC_MIN,
        [RV32_AMOMAX] = RP_ATOMIC_MAX,   [RV32_AMOMINU] = RP_ATOMIC_MIN, [RV32_AMOMAXU] = RP_ATOMIC_MAX};
    const unsigned operation = i->row->operation;
    const enum lane_type type = rv32_memory_type(operation);
    struct rp_memory_operand m = {.space = RP_SPACE_GLOBAL, .elements = 1, .width = lane_type_bits(type) / 8};
    m.kind = i->row->class == RV32_CLASS_STORE ? RP_ACCESS_STORE : RP_ACCESS_LOAD;
    if (i->row->class != RV32_CLASS_ATOMIC)
        return m;
    m.order = RP_ORDER_RELAXED;
    m.scope = RP_SCOPE_SYSTEM;
    if (operation == RV32_LR)
        return m;
    m.kind = RP_ACCESS_ATOMIC;
    m.atomic = operation == RV32_SC ? RP_ATOMIC_CAS : atomics[operation];
    m.value = operation == RV32_AMOMIN || operation == RV32_AMOMAX ? RP_VALUE_SIGNED : RP_VALUE_UNSIGNED;
    return m;
}

static void rv32_memory_uop(struct rv32_translation *t)
{
    const struct rv32_instruction *i = t->i;
    struct operation o = {.kind = UOP_MEMORY,
                          .type = (uint8_t)rv32_memory_type(i->row->operation),
                          .a = rv32_source(i->rs1),
                          .imm = i->imm,
                          .memory = rv32_memory_operand(i)};
    o.d = i->row->class == RV32_CLASS_STORE ? rv32_source(i->rs2) : rv32_destination(i->rd);
    if (i->row->class == RV32_CLASS_STORE && !i->rs2) { /* what is stored is in a register */
        rv32_move(t, guest_temporary(0), OPERAND_NONE);
        o.d = guest_temporary(0);
    }
    if (i->row->class == RV32_CLASS_ATOMIC) {
        o.op = i->row->operation == RV32_LR   ? GUEST_LOAD_RESERVED
               : i->row->operation == RV32_SC ? GUEST_STORE_CONDITIONAL
                                              : GUEST_ATOMIC;
        o.b = rv32_source(i->rs2);
    }
    guest_emit(t->build, o);
}

/* ---- control -------------------------------------------------------------------------------------------------------
 */

static void rv32_branch(struct rv32_translation *t, unsigned compare)
{
    guest_emit(t->build, (struct operation){.kind = UOP_BRANCH,
                                            .compare = (uint8_t)compare,
                                            .a = rv32_source(t->i->rs1),
                                            .b = rv32_source(t->i->rs2),
                                            .target = t->build->pc + (uint32_t)t->i->imm});
}

static void rv32_link(struct rv32_translation *t)
{
    if (t->i->rd)
        rv32_move(t, rv32_destination(t->i->rd), guest_constant(t->build, t->build->pc + t->i->length));
}

/* The address is computed before the link is written, which may be to the same register. The lowest bit does not
 * count. */
static void rv32_jump_register(struct rv32_translation *t)
{
    struct operand to = guest_temporary(0);
    rv32_lane(t, OP_ADD, T_S32, to, rv32_source(t->i->rs1), guest_constant(t->build, (uint32_t)t->i->imm));
    rv32_link(t);
    guest_emit(t->build, (struct operation){.kind = UOP_BRANCH_TABLE, .a = to});
}

static void rv32_control_uops(struct rv32_translation *t)
{
    switch (t->i->row->operation) {
    case RV32_JAL:
        rv32_link(t);
        rv32_branch(t, CMP_TRUE);
        break;
    case RV32_JALR: rv32_jump_register(t); break;
    case RV32_BEQ: rv32_branch(t, CMP_EQ); break;
    case RV32_BNE: rv32_branch(t, CMP_NE); break;
    case RV32_BLT: rv32_branch(t, CMP_LT); break;
    case RV32_BGE: rv32_branch(t, CMP_GE); break;
    case RV32_BLTU: rv32_branch(t, CMP_LO); break;
    case RV32_BGEU: rv32_branch(t, CMP_HS); break;
    case RV32_ECALL: guest_emit(t->build, (struct operation){.kind = UOP_HOST_CALL}); break;
    default: /* RV32_EBREAK */
        guest_emit(t->build, (struct operation){.kind = UOP_TRAP, .imm = GUEST_TRAP_STOP});
        break;
    }
}

/* ---- the table -----------------------------------------------------------------------------------------------------
 */

static uint8_t rv32_unit_class(const struct rv32_instruction *i)
{
    switch (i->row->class) {
    case RV32_CLASS_MUL: return RP_CLASS_INT_MUL;
    case RV32_CLASS_DIV: return RP_CLASS_INT_DIV;
    case RV32_CLASS_LOAD:
    case RV32_CLASS_STORE:
    case RV32_CLASS_ATOMIC: return RP_CLASS_MEMORY;
    case RV32_CLASS_CONTROL:
    case RV32_CLASS_REFUSED: return RP_CLASS_CONTROL;
    case RV32_CLASS_FENCE: return RP_CLASS_FENCE;
    default: return RP_CLASS_INT;
    }
}

static uint16_t rv32_flags(const struct rv32_instruction *i)
{
    const unsigned operation = i->row->operation;
    if (i->row->class != RV32_CLASS_CONTROL || operation == RV32_ECALL || operation == RV32_EBREAK)
        return 0;
    if (operation == RV32_JALR && !i->rd && i->rs1 == 1)
        return RP_BRANCH | RP_RETURN;
    return (operation == RV32_JAL || operation == RV32_JALR) && i->rd ? RP_BRANCH | RP_CALL : RP_BRANCH;
}

static const rp_register *rv32_registers(struct rv32_translation *t, unsigned x, unsigned y, uint32_t *count)
{
    rp_register *list = ARENA_ARRAY(t->build->arena, rp_register, 2);
    *count = 0;
    if (x)
        list[(*count)++] = RP_REGISTER(RP_FILE_GENERAL, x, 1);
    if (y && y != x)
        list[(*count)++] = RP_REGISTER(RP_FILE_GENERAL, y, 1);
    return list;
}

static void rv32_add_instruction(struct rv32_translation *t, const uint8_t *bytes)
{
    const struct rv32_instruction *i = t->i;
    struct guest_build *b = t->build;
    char text[128];
    if (i->row->class == RV32_CLASS_REFUSED)
        rv32_describe_refusal(i, b->pc, text, sizeof text);
    else
        rv32_print(i, b->pc, text, sizeof text);
    struct rp_instruction in = {.pc = b->pc,
                                .raw = bytes,
                                .raw_size = i->length,
                                .text = arena_string(b->arena, text, strlen(text)),
                                .unit_class = rv32_unit_class(i),
                                .flags = rv32_flags(i)};
    in.dst = rv32_registers(t, i->rd, 0, &in.dst_count);
    in.src = rv32_registers(t, i->rs1, i->rs2, &in.src_count);
    if (in.unit_class == RP_CLASS_MEMORY) {
        struct rp_memory_operand *m = ARENA_NEW(b->arena, struct rp_memory_operand);
        *m = rv32_memory_operand(i);
        in.memory = m;
        in.memory_count = 1;
    }
    in.fence_scope = in.unit_class == RP_CLASS_FENCE ? RP_SCOPE_SYSTEM : RP_SCOPE_NONE;
    VECTOR_PUSH(b->arena, &b->instructions, in);
}

unsigned rv32_translate(struct guest_build *b, const uint8_t *bytes, uint32_t available)
{
    struct rv32_instruction i;
    uint32_t word = 0;
    if (available < 2)
        return 0;
    memcpy(&word, bytes, available < 4 ? 2 : 4);
    if (!rv32_decode(word, &i) || i.length > available)
        return 0;
    struct rv32_translation t = {b, &i};
    switch (i.row->class) {
    case RV32_CLASS_LOAD:
    case RV32_CLASS_STORE:
    case RV32_CLASS_ATOMIC: rv32_memory_uop(&t); break;
    case RV32_CLASS_CONTROL: rv32_control_uops(&t); break;
    case RV32_CLASS_FENCE: guest_emit(b, (struct operation){.kind = UOP_FENCE}); break;
    case RV32_CLASS_REFUSED: guest_emit(b, (struct operation){.kind = UOP_TRAP}); break;
    default: rv32_compute_uops(&t); break;
    }
    rv32_add_instruction(&t, bytes);
    return i.length;
}
