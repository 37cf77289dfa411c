/* Uops of instructions that compute. */
#include "frontend/isa/ia32/uops.h"

#include "frontend/isa/ia32/flags.h"
#include "frontend/isa/ia32/operations.h"

/* ---- sums and logic ---------------------------------------------------------------------------------------------- */

static bool ia32_is_logical(unsigned operation)
{
    return operation == IA32_AND || operation == IA32_OR || operation == IA32_XOR || operation == IA32_TEST;
}

void ia32_compute(struct ia32_translation *t, unsigned operation, struct operand d, struct operand a, struct operand b,
                  bool sets)
{
    const enum ia32_form form = t->i->bytes < 4 ? IA32_NARROW : IA32_WHOLE;
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_handler)(operation, form, sets), d, a, b, ia32_wants(t)));
}

/* The operand of a comparison that has no bits above its width: `o` itself, or a temporary. */
static struct operand ia32_only(const struct ia32_translation *t, unsigned n, struct operand o)
{
    const struct ia32_operand *at = &t->i->operand[n];
    const bool fits = at->kind != IA32_REGISTER || at->bytes == 4 || (at->bytes == 1 && at->number >= 4);
    return fits ? o : guest_temporary(ia32_temporary(t, n));
}

static void ia32_extract_only(struct ia32_translation *t, unsigned n, struct operand o, struct operand only)
{
    if (only.at != o.at)
        ia32_lane(t, IA32_LANE_EXTRACT, only, o, OPERAND_NONE, 8 * t->i->operand[n].bytes);
}

static void ia32_compare_uops(struct ia32_translation *t)
{
    const struct operand first = ia32_first(t), second = ia32_second(t);
    const struct operand a = ia32_only(t, 0, first), b = ia32_only(t, 1, second);
    ia32_know(t, (struct ia32_fact){IA32_DIFFERENCE, t->i->bytes < 4, false, a, b});
    if (!t->live && !ia32_is_compared(t)) {
        *t->fact = (struct ia32_fact){0};
        return;
    }
    ia32_extract_only(t, 0, first, a);
    ia32_extract_only(t, 1, second, b);
    if (t->live)
        ia32_compute(t, IA32_CMP, guest_temporary(RESULT_TEMPORARY), a, b, true);
}

/* TEST of a register with itself need not be computed. */
static void ia32_test_uops(struct ia32_translation *t)
{
    const struct operand a = ia32_first(t), b = ia32_second(t), d = guest_temporary(RESULT_TEMPORARY);
    const bool itself = a.at == b.at && t->i->bytes == 4;
    ia32_know_result(t, itself ? a : d, true);
    const bool compared = ia32_is_compared(t);
    if (!compared)
        *t->fact = (struct ia32_fact){0};
    if (t->live || (compared && !itself))
        ia32_compute(t, IA32_TEST, d, a, b, t->live != 0);
}

/* Values that are atomically added and the like, as memory knows no others. */
static struct operand ia32_atomic_operand(struct ia32_translation *t, uint8_t *atomic, struct operand b)
{
    const unsigned operation = t->i->row->operation;
    const struct operand d = guest_temporary(OTHER_TEMPORARY);
    *atomic = operation == IA32_OR                             ? RP_ATOMIC_OR
              : operation == IA32_AND                          ? RP_ATOMIC_AND
              : operation == IA32_XOR || operation == IA32_NOT ? RP_ATOMIC_XOR
                                                               : RP_ATOMIC_ADD;
    switch (operation) {
    case IA32_INC: return ia32_constant(t, 1);
    case IA32_DEC:
    case IA32_NOT: return ia32_constant(t, UINT32_MAX);
    case IA32_SUB: ia32_compute(t, IA32_NEG, d, b, OPERAND_NONE, false); return d;
    case IA32_ADC: ia32_compute(t, IA32_ADC, d, b, OPERAND_NONE, false); return d;
    case IA32_SBB:
        ia32_compute(t, IA32_ADC, d, b, OPERAND_NONE, false);
        ia32_compute(t, IA32_NEG, d, d, OPERAND_NONE, false);
        return d;
    default: return b;
    }
}

/* The operand in memory as it was goes to a temporary. */
struct operation ia32_atomic(struct ia32_translation *t, uint8_t atomic, struct operand b)
{
    struct operation o = ia32_access(t, RP_ACCESS_ATOMIC, t->i->operand[0].bytes, t->address, t->displacement,
                                     guest_temporary(VALUE_TEMPORARY));
    o.op = GUEST_ATOMIC;
    o.b = b;
    o.memory.atomic = atomic;
    o.memory.order = RP_ORDER_RELAXED;
    o.memory.scope = RP_SCOPE_SYSTEM;
    o.memory.value = RP_VALUE_UNSIGNED;
    return o;
}

static void ia32_atomic_data_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    const struct operand old = guest_temporary(VALUE_TEMPORARY), result = guest_temporary(RESULT_TEMPORARY);
    const struct operand b = t->i->operand[1].kind ? ia32_source(t, 1, RESULT_TEMPORARY) : OPERAND_NONE;
    uint8_t atomic;
    const struct operand value = ia32_atomic_operand(t, &atomic, b);
    struct operation o = ia32_atomic(t, atomic, value);
    if (operation == IA32_NEG) {
        o.op = GUEST_ATOMIC_NEGATE;
        o.memory.atomic = RP_ATOMIC_CAS;
    }
    ia32_emit_access(t, o);
    if (operation == IA32_NOT)
        return;
    ia32_know_result(t, result, ia32_is_logical(operation));
    ia32_compute(t, operation, result, old, b, t->live != 0);
}

/* The whole register of an operand that is a part of it. For the second byte (AH to BH), `second` is set in *imm. */
static struct operand ia32_whole_of(const struct ia32_operand *o, int64_t second, int64_t *imm)
{
    const bool high = o->bytes == 1 && o->number >= 4;
    *imm |= high ? second : 0;
    return GUEST_REGISTER(high ? o->number - 4 : o->number);
}

/* The result becomes a part of a register at once, unless a branch compares it. False: it does. */
static bool ia32_part_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    if (operation != IA32_NOT)
        ia32_know_result(t, guest_temporary(RESULT_TEMPORARY), ia32_is_logical(operation));
    if (ia32_is_compared(t))
        return false;
    *t->fact = (struct ia32_fact){0};
    int64_t imm = ia32_wants(t);
    const struct operand d = ia32_whole_of(to, IA32_A_SECOND | IA32_INTO_SECOND, &imm);
    const struct operand b = from->kind == IA32_REGISTER ? ia32_whole_of(from, IA32_B_SECOND, &imm) : ia32_second(t);
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_handler)(operation, IA32_PART, t->live != 0), d, d, b, imm));
    return true;
}

static void ia32_data_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (operation == IA32_CMP) {
        ia32_compare_uops(t);
        return;
    }
    if (operation == IA32_TEST) {
        ia32_test_uops(t);
        return;
    }
    if (ia32_is_atomic(t->i)) {
        ia32_atomic_data_uops(t);
        return;
    }
    const struct ia32_operand *o = &t->i->operand[0];
    if (t->i->bytes < 4 && o->kind == IA32_REGISTER && ia32_part_uops(t))
        return;
    const struct operand a = ia32_first(t), b = ia32_second(t), d = ia32_destination(o);
    if (operation != IA32_NOT)
        ia32_know_result(t, d, ia32_is_logical(operation));
    ia32_compute(t, operation, d, a, b, t->live != 0);
    ia32_finish(t, o, d);
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

static void ia32_shift_uops(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    const unsigned operation = i->row->operation, bits = ia32_bits(t), last = operation >= IA32_SHLD ? 2 : 1;
    const struct ia32_operand *o = &i->operand[0];
    const bool constant = i->operand[last].kind == IA32_IMMEDIATE;
    const uint32_t n = ia32_amount(operation, bits, i->immediate);
    const struct operand a = ia32_first(t), b = last == 2 ? ia32_source(t, 1, OTHER_TEMPORARY) : OPERAND_NONE;
    const struct operand d = ia32_destination(o);
    struct operation shift = ia32_operation(NULL, d, a, b, 0);
    shift.c = constant ? ia32_constant(t, n) : GUEST_REGISTER(IA32_ECX);
    if (constant && n && !ia32_rotates(operation))
        ia32_know_result(t, d, false);
    else
        t->live = ia32_flags_live(t->build, t->build->pc + i->length, ia32_flags_changed(i));
    shift.fn = SIMD_SELECT(ia32_handler)(operation, IA32_WHOLE, t->live != 0);
    shift.imm = ia32_wants(t) | (constant && n ? IA32_SAME_AMOUNT : 0);
    if (constant && bits == 32 && !t->live && (operation == IA32_SHL || operation == IA32_SHR || operation == IA32_SAR))
        shift = (struct operation){.kind = UOP_LANE,
                                   .op = operation == IA32_SHL ? OP_SHL : OP_SHR,
                                   .type = operation == IA32_SHL   ? T_B32
                                           : operation == IA32_SHR ? T_U32
                                                                   : T_S32,
                                   .d = d,
                                   .a = a,
                                   .b = ia32_constant(t, n)};
    ia32_emit(t, shift);
    ia32_finish(t, o, d);
}

/* ---- products and quotients -------------------------------------------------------------------------------------- */

/* Of EDX:EAX and b. */
static void ia32_wide(struct ia32_translation *t, enum ia32_lane lane, struct operand b, int64_t imm)
{
    struct operation o =
        ia32_operation(SIMD_SELECT(ia32_lane_handler)(lane, imm), GUEST_REGISTER(IA32_EAX), OPERAND_NONE, b, imm);
    o.c = GUEST_REGISTER(IA32_EDX);
    ia32_emit(t, o);
}

static void ia32_find_live(struct ia32_translation *t)
{
    t->live = ia32_flags_live(t->build, t->build->pc + t->i->length, ia32_flags_changed(t->i));
}

static void ia32_multiply_uops(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    ia32_find_live(t);
    if (i->row->operation != IA32_MULTIPLY) {
        ia32_wide(t, IA32_LANE_PRODUCT, ia32_first(t),
                  ia32_wants(t) | (i->row->operation == IA32_IMUL ? IA32_SIGNED : 0));
        return;
    }
    const bool three = i->operand[2].kind;
    const struct operand a = three ? ia32_second(t) : ia32_first(t), b = three ? ia32_source(t, 2, 0) : ia32_second(t);
    const struct operand d = ia32_destination(&i->operand[0]);
    if (i->bytes == 4 && !t->live)
        ia32_emit(t, (struct operation){.kind = UOP_LANE, .op = OP_MUL, .type = T_S32, .d = d, .a = a, .b = b});
    else
        ia32_lane(t, IA32_LANE_MULTIPLY, d, a, b, ia32_wants(t));
    ia32_finish(t, &i->operand[0], d);
}

static void ia32_divide_uops(struct ia32_translation *t)
{
    const bool is_signed = t->i->row->operation == IA32_IDIV;
    ia32_wide(t, IA32_LANE_DIVIDE, ia32_first(t), ia32_bits(t) | (is_signed ? IA32_SIGNED : 0));
    t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
    ia32_emit(t, (struct operation){.kind = UOP_TRAP, .imm = GUEST_TRAP_DIVISION});
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static void ia32_atomic_bit_uops(struct ia32_translation *t, struct operand index)
{
    const unsigned operation = t->i->row->operation;
    const struct operand mask = guest_temporary(RESULT_TEMPORARY);
    ia32_lane(t, IA32_LANE_BIT_MASK, mask, index, OPERAND_NONE, ia32_bits(t));
    if (operation == IA32_BTR)
        ia32_compute(t, IA32_NOT, mask, mask, OPERAND_NONE, false);
    ia32_emit_access(t, ia32_atomic(t,
                                    operation == IA32_BTS   ? RP_ATOMIC_OR
                                    : operation == IA32_BTR ? RP_ATOMIC_AND
                                                            : RP_ATOMIC_XOR,
                                    mask));
    ia32_compute(t, IA32_BT, OPERAND_NONE, guest_temporary(VALUE_TEMPORARY), index, true);
}

static void ia32_bit_uops(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    const struct ia32_operand *o = &i->operand[0];
    const struct operand index = ia32_source(t, 1, OTHER_TEMPORARY);
    if (o->kind == IA32_MEMORY && i->operand[1].kind == IA32_REGISTER) {
        const struct operand place = guest_temporary(ADDRESS_TEMPORARY);
        ia32_lane(t, IA32_LANE_BIT_PLACE, place, t->address, index, ia32_bits(t));
        t->address = place;
    }
    if (ia32_is_atomic(i)) {
        ia32_atomic_bit_uops(t, index);
        return;
    }
    const struct operand a = ia32_first(t), d = ia32_destination(o);
    ia32_compute(t, i->row->operation, i->row->operation == IA32_BT ? OPERAND_NONE : d, a, index, true);
    if (i->row->operation != IA32_BT)
        ia32_finish(t, o, d);
}

static void ia32_scan_uops(struct ia32_translation *t)
{
    const struct ia32_operand *o = &t->i->operand[0];
    const struct operand a = ia32_second(t), d = ia32_destination(o);
    ia32_find_live(t);
    ia32_compute(t, t->i->row->operation, d, a, GUEST_REGISTER(o->number), t->live != 0);
    ia32_finish(t, o, d);
}

static void ia32_extend_uops(struct ia32_translation *t)
{
    const unsigned bits = ia32_bits(t);
    const struct operand d = guest_temporary(RESULT_TEMPORARY), eax = GUEST_REGISTER(IA32_EAX);
    const bool into_a = t->i->row->operation == IA32_EXTEND_A;
    if (into_a)
        ia32_lane(t, IA32_LANE_EXTRACT, bits == 32 ? eax : d, eax, OPERAND_NONE, bits / 2 | IA32_SIGNED);
    else
        ia32_lane(t, IA32_LANE_EXTRACT, bits == 32 ? GUEST_REGISTER(IA32_EDX) : d, eax, OPERAND_NONE,
                  1 | IA32_SIGNED | (bits - 1) << IA32_SHIFT_AT);
    if (bits == 16)
        ia32_insert(t, into_a ? IA32_EAX : IA32_EDX, 2, d);
}

void ia32_computing_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (operation <= IA32_NOT)
        ia32_data_uops(t);
    else if (operation <= IA32_SHRD)
        ia32_shift_uops(t);
    else if (operation == IA32_DIV || operation == IA32_IDIV)
        ia32_divide_uops(t);
    else if (operation <= IA32_MULTIPLY)
        ia32_multiply_uops(t);
    else if (operation <= IA32_BTC)
        ia32_bit_uops(t);
    else if (operation <= IA32_TZCNT)
        ia32_scan_uops(t);
    else if (operation == IA32_BSWAP)
        ia32_lane(t, IA32_LANE_SWAP, ia32_first(t), ia32_first(t), OPERAND_NONE, 32);
    else if (operation == IA32_SET)
        ia32_set_uops(t);
    else
        ia32_extend_uops(t);
}
