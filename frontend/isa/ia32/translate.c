/* IA-32 into uops.
 *
 * Flags that nobody reads are not computed (flags.h). A comparison with the branches behind it is one uop each, which
 * compare registers: whoever jumps to such a branch comes to another uop, which tests the flags. */
#include <string.h>

#include "frontend/guest/lanes.h"
#include "frontend/isa/ia32/describe.h"
#include "frontend/isa/ia32/flags.h"
#include "frontend/isa/ia32/ia32.h"
#include "frontend/isa/ia32/lanes.h"
#include "frontend/isa/ia32/operations.h"
#include "frontend/isa/ia32/table.h"

/* ADDRESS: of the operand in memory; VALUE: what was loaded; OTHER: the other operand; RESULT */
enum { ADDRESS_TEMPORARY, VALUE_TEMPORARY, OTHER_TEMPORARY, RESULT_TEMPORARY };

/* What is known of the flags behind an instruction: they are those of a - b; or ZF and SF are those of a, and where it
 * is logical, CF and OF are 0. Where it is narrow, a and b have less than 32 bits and zeros above them. */
enum ia32_known { IA32_NOTHING_KNOWN, IA32_DIFFERENCE, IA32_RESULT };
struct ia32_fact {
    enum ia32_known known;
    bool narrow, logical;
    struct operand a, b;
};

struct ia32_translation {
    struct guest_build *build;
    const struct ia32_instruction *i;
    struct ia32_fact *fact;  /* for whoever comes to the next instruction from this one; kept in build->state */
    struct ia32_fact before; /* of the instruction before */
    struct operand guard;
    struct operand address; /* the operand in memory lies at address + displacement */
    int64_t displacement;
    struct ia32_accesses accesses;
    unsigned live; /* of the flags that the instruction writes */
};

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

static void ia32_emit(struct ia32_translation *t, struct operation o)
{
    o.guard = t->guard;
    guest_emit(t->build, o);
}

static struct operation ia32_operation(uop_fn fn, struct operand d, struct operand a, struct operand b, int64_t imm)
{
    return (struct operation){.kind = UOP_LANE, .op = OP_GUEST, .fn = fn, .d = d, .a = a, .b = b, .imm = imm};
}

static void ia32_lane(struct ia32_translation *t, enum ia32_lane lane, struct operand d, struct operand a,
                      struct operand b, int64_t imm)
{
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_lane_handler)(lane), d, a, b, imm));
}

static void ia32_move(struct ia32_translation *t, struct operand d, struct operand a)
{
    ia32_emit(t, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .d = d, .a = a});
}

static void ia32_add(struct ia32_translation *t, struct operand d, struct operand a, uint32_t distance)
{
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_handler)(IA32_ADD, false, false), d, a,
                                guest_constant(t->build, distance), 32));
}

static struct operand ia32_constant(const struct ia32_translation *t, uint32_t value)
{
    return guest_constant(t->build, value);
}

static unsigned ia32_bits(const struct ia32_translation *t) { return 8u * t->i->bytes; }

/* imm of an operation that sets flags, or not. */
static int64_t ia32_wants(const struct ia32_translation *t)
{
    return ia32_bits(t) | (t->live & IA32_PF ? IA32_WANTS_PARITY : 0) | (t->live & IA32_AF ? IA32_WANTS_ADJUST : 0) |
           (t->live ? IA32_WANTS_FLAGS : 0);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static enum lane_type ia32_type(unsigned bytes) { return bytes == 1 ? T_U8 : bytes == 2 ? T_U16 : T_B32; }

/* An access of so many bytes; d: what is loaded, or stored. */
static struct operation ia32_access(struct ia32_translation *t, uint8_t kind, unsigned bytes, struct operand address,
                                    int64_t displacement, struct operand d)
{
    const struct rp_memory_operand m = {.kind = kind, .space = RP_SPACE_GLOBAL, .elements = 1, .width = bytes};
    return (struct operation){.kind = UOP_MEMORY,
                              .type = (uint8_t)ia32_type(bytes),
                              .a = address,
                              .imm = displacement,
                              .d = d,
                              .memory = m,
                              .access = (uint8_t)t->accesses.count};
}

static void ia32_emit_access(struct ia32_translation *t, struct operation o)
{
    t->accesses.at[t->accesses.count++] = o.memory;
    ia32_emit(t, o);
}

static void ia32_load(struct ia32_translation *t, struct operand d, struct operand address, int64_t displacement,
                      unsigned bytes)
{
    ia32_emit_access(t, ia32_access(t, RP_ACCESS_LOAD, bytes, address, displacement, d));
}

/* What is stored must be a register. */
static void ia32_store(struct ia32_translation *t, struct operand value, struct operand address, int64_t displacement,
                       unsigned bytes)
{
    if (!is_register(value)) {
        ia32_move(t, guest_temporary(OTHER_TEMPORARY), value);
        value = guest_temporary(OTHER_TEMPORARY);
    }
    ia32_emit_access(t, ia32_access(t, RP_ACCESS_STORE, bytes, address, displacement, value));
}

static struct operand ia32_whole(unsigned n) { return n < 8 ? GUEST_REGISTER(n) : OPERAND_NONE; }

static int64_t ia32_address_imm(const struct ia32_instruction *i, uint32_t displacement)
{
    return (int64_t)displacement | (int64_t)i->scale << IA32_SCALE_AT |
           (i->prefixes & IA32_ADDRESS_SIZE ? (int64_t)1 << IA32_SHORT_ADDRESS : 0);
}

/* The operand in memory: a register, or a sum in a temporary, and a displacement. */
static void ia32_find_address(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    const bool is_short = i->prefixes & IA32_ADDRESS_SIZE;
    t->displacement = is_short ? 0 : (int32_t)i->displacement;
    if (!is_short && i->index == IA32_NOWHERE) {
        t->address = ia32_whole(i->base);
    } else if (!is_short && i->base == IA32_NOWHERE && !i->scale) {
        t->address = ia32_whole(i->index);
    } else {
        t->address = guest_temporary(ADDRESS_TEMPORARY);
        ia32_lane(t, IA32_LANE_ADDRESS, t->address, ia32_whole(i->base), ia32_whole(i->index),
                  ia32_address_imm(i, is_short ? i->displacement : 0));
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* A register of 8 to 32 bits, with others of its word above them. */
static struct operand ia32_register(struct ia32_translation *t, unsigned n, unsigned bytes, unsigned temporary)
{
    if (bytes != 1 || n < 4)
        return GUEST_REGISTER(n);
    const struct operand d = guest_temporary(temporary);
    ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(n - 4), OPERAND_NONE, 8 | 8 << IA32_SHIFT_AT);
    return d;
}

static struct operand ia32_source(struct ia32_translation *t, unsigned n, unsigned temporary)
{
    const struct ia32_operand *o = &t->i->operand[n];
    const struct operand d = guest_temporary(temporary);
    switch (o->kind) {
    case IA32_REGISTER: return ia32_register(t, o->number, o->bytes, temporary);
    case IA32_MEMORY: ia32_load(t, d, t->address, t->displacement, o->bytes); return d;
    case IA32_IMMEDIATE: return ia32_constant(t, ia32_low_bits(t->i->immediate, 8u * o->bytes));
    default: return OPERAND_NONE;
    }
}

/* The temporaries of the first two operands: what is loaded is in VALUE, the other one in OTHER. */
static unsigned ia32_temporary(const struct ia32_translation *t, unsigned n)
{
    const bool second_in_memory = t->i->operand[1].kind == IA32_MEMORY;
    return (n == 1) == second_in_memory ? VALUE_TEMPORARY : OTHER_TEMPORARY;
}
static struct operand ia32_first(struct ia32_translation *t) { return ia32_source(t, 0, ia32_temporary(t, 0)); }
static struct operand ia32_second(struct ia32_translation *t) { return ia32_source(t, 1, ia32_temporary(t, 1)); }

/* Where a result is computed: in its register, or for ia32_finish to put where it belongs. */
static struct operand ia32_destination(const struct ia32_operand *o)
{
    return o->kind == IA32_REGISTER && o->bytes == 4 ? GUEST_REGISTER(o->number) : guest_temporary(RESULT_TEMPORARY);
}

static void ia32_insert(struct ia32_translation *t, unsigned n, unsigned bytes, struct operand value)
{
    const bool high = bytes == 1 && n >= 4;
    if (bytes == 4)
        ia32_move(t, GUEST_REGISTER(n), value);
    else
        ia32_lane(t, IA32_LANE_INSERT, GUEST_REGISTER(high ? n - 4 : n), value, OPERAND_NONE,
                  8 * (int64_t)bytes | (high ? 8 << IA32_SHIFT_AT : 0));
}

static void ia32_finish(struct ia32_translation *t, const struct ia32_operand *o, struct operand value)
{
    if (o->kind == IA32_MEMORY)
        ia32_store(t, value, t->address, t->displacement, o->bytes);
    else if (value.at != ia32_destination(o).at || o->bytes < 4)
        ia32_insert(t, o->number, o->bytes, value);
}

/* ---- flags and the branches behind ------------------------------------------------------------------------------- */

/* How a branch with this condition compares; false: not by one comparison. */
struct ia32_comparison {
    uint8_t compare;
    bool exchanged, holds;
};
static struct ia32_comparison ia32_compare_as(unsigned condition, const struct ia32_fact *f)
{
    /* o no b ae e ne be a s ns p np l ge le g */
    static const struct ia32_comparison of_difference[16] = {
        {0},
        {0},
        {CMP_LO, false, true},
        {CMP_HS, false, true},
        {CMP_EQ, false, true},
        {CMP_NE, false, true},
        {CMP_HS, true, true},
        {CMP_LO, true, true},
        {0},
        {0},
        {0},
        {0},
        {CMP_LT, false, true},
        {CMP_GE, false, true},
        {CMP_GE, true, true},
        {CMP_LT, true, true},
    };
    static const struct ia32_comparison of_logic[16] = {
        [4] = {CMP_EQ, false, true},  [5] = {CMP_NE, false, true},  [6] = {CMP_EQ, false, true},
        [7] = {CMP_NE, false, true},  [8] = {CMP_LT, false, true},  [9] = {CMP_GE, false, true},
        [12] = {CMP_LT, false, true}, [13] = {CMP_GE, false, true}, [14] = {CMP_GE, true, true},
        [15] = {CMP_LT, true, true},
    };
    const struct ia32_comparison none = {0};
    const bool is_signed = condition >= 8, equality = condition == 4 || condition == 5;
    if (f->known == IA32_NOTHING_KNOWN || (f->narrow && is_signed))
        return none;
    if (f->known == IA32_DIFFERENCE)
        return of_difference[condition];
    return f->logical || equality || condition == 8 || condition == 9 ? of_logic[condition] : none;
}

/* The flags that are still read if the branches behind the instruction compare for themselves. */
static unsigned ia32_read_elsewhere(struct ia32_translation *t, const struct ia32_fact *f)
{
    const unsigned changed = ia32_flags_changed(t->i);
    struct ia32_instruction branch;
    uint32_t pc = t->build->pc + t->i->length;
    unsigned live = 0;
    while (ia32_look_ahead(t->build, pc, &branch) && branch.row->operation == IA32_JCC &&
           ia32_compare_as(branch.condition, f).holds) {
        live |= ia32_flags_live(t->build, ia32_target(&branch, pc), changed);
        pc += branch.length;
    }
    return live | ia32_flags_live(t->build, pc, changed);
}

/* Says what the flags will be behind the instruction. */
static void ia32_know(struct ia32_translation *t, struct ia32_fact f)
{
    *t->fact = f;
    t->live = ia32_read_elsewhere(t, &f);
}

static void ia32_know_result(struct ia32_translation *t, struct operand result, bool logical)
{
    ia32_know(t, (struct ia32_fact){IA32_RESULT, t->i->bytes < 4, logical, result, OPERAND_NONE});
}

static struct operation ia32_branch_to(uint32_t target)
{
    return (struct operation){.kind = UOP_BRANCH, .compare = CMP_TRUE, .target = target};
}

static void ia32_test_condition(struct ia32_translation *t)
{
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, t->i->condition);
    t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
}

/* Whether the instruction behind is a branch that has a uop for whoever comes from here with a fact. */
static bool ia32_compares_behind(struct ia32_translation *t)
{
    struct ia32_instruction next;
    return ia32_look_ahead(t->build, t->build->pc + t->i->length, &next) && next.row->operation == IA32_JCC &&
           ia32_compare_as(next.condition, &t->before).holds;
}

/* A branch that compares registers, for whoever comes from the instruction before, and one that tests the flags, for
 * whoever jumps to it. The fact holds on the way on, too. */
static void ia32_branch_by_fact(struct ia32_translation *t, struct ia32_comparison c)
{
    struct guest_build *b = t->build;
    const uint32_t after = b->operations.count + 3;
    struct operation o = ia32_branch_to(ia32_target(t->i, b->pc));
    o.compare = c.compare;
    o.a = c.exchanged ? t->before.b : t->before.a;
    o.b = c.exchanged ? t->before.a : t->before.b;
    o.reconverge = after;
    guest_emit(b, o);
    b->first = b->operations.count;
    ia32_test_condition(t);
    o = ia32_branch_to(ia32_target(t->i, b->pc));
    o.reconverge = after + ia32_compares_behind(t);
    ia32_emit(t, o);
    *t->fact = t->before;
}

static void ia32_branch_uops(struct ia32_translation *t)
{
    const struct ia32_comparison c = ia32_compare_as(t->i->condition, &t->before);
    if (c.holds) {
        ia32_branch_by_fact(t, c);
        return;
    }
    ia32_test_condition(t);
    ia32_emit(t, ia32_branch_to(ia32_target(t->i, t->build->pc)));
}

/* ---- sums and logic ---------------------------------------------------------------------------------------------- */

static bool ia32_is_logical(unsigned operation)
{
    return operation == IA32_AND || operation == IA32_OR || operation == IA32_XOR || operation == IA32_TEST;
}

static void ia32_compute(struct ia32_translation *t, unsigned operation, struct operand d, struct operand a,
                         struct operand b, bool sets)
{
    ia32_emit(t, ia32_operation(SIMD_SELECT(ia32_handler)(operation, t->i->bytes < 4, sets), d, a, b, ia32_wants(t)));
}

/* A narrow operand of a comparison, without what lies above it. */
static struct operand ia32_only(struct ia32_translation *t, unsigned n, struct operand o)
{
    const struct ia32_operand *at = &t->i->operand[n];
    const struct operand d = guest_temporary(ia32_temporary(t, n));
    if (at->kind != IA32_REGISTER || at->bytes == 4 || (at->bytes == 1 && at->number >= 4))
        return o;
    ia32_lane(t, IA32_LANE_EXTRACT, d, o, OPERAND_NONE, 8 * at->bytes);
    return d;
}

static void ia32_compare_uops(struct ia32_translation *t)
{
    const struct operand a = ia32_only(t, 0, ia32_first(t)), b = ia32_only(t, 1, ia32_second(t));
    ia32_know(t, (struct ia32_fact){IA32_DIFFERENCE, t->i->bytes < 4, false, a, b});
    if (t->live)
        ia32_compute(t, IA32_CMP, guest_temporary(RESULT_TEMPORARY), a, b, true);
}

/* TEST of a register with itself need not be computed. */
static void ia32_test_uops(struct ia32_translation *t)
{
    const struct operand a = ia32_first(t), b = ia32_second(t), d = guest_temporary(RESULT_TEMPORARY);
    const bool itself = a.at == b.at && t->i->bytes == 4;
    ia32_know_result(t, itself ? a : d, true);
    if (!itself || t->live)
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
static struct operation ia32_atomic(struct ia32_translation *t, uint8_t atomic, struct operand b)
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
    shift.fn = SIMD_SELECT(ia32_handler)(operation, false, t->live != 0);
    shift.imm = ia32_wants(t);
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

static void ia32_find_live(struct ia32_translation *t)
{
    t->live = ia32_flags_live(t->build, t->build->pc + t->i->length, ia32_flags_changed(t->i));
}

static void ia32_multiply_uops(struct ia32_translation *t)
{
    const struct ia32_instruction *i = t->i;
    ia32_find_live(t);
    if (i->row->operation != IA32_MULTIPLY) {
        ia32_lane(t, IA32_LANE_PRODUCT, OPERAND_NONE, OPERAND_NONE, ia32_first(t),
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
    ia32_lane(t, IA32_LANE_DIVIDE, OPERAND_NONE, OPERAND_NONE, ia32_first(t),
              ia32_bits(t) | (is_signed ? IA32_SIGNED : 0));
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

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void ia32_extending_move_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    const struct operand d = ia32_destination(to);
    const bool is_signed = t->i->row->operation == IA32_MOVSX;
    const int64_t imm = 8 * from->bytes | (is_signed ? IA32_SIGNED : 0);
    if (from->kind == IA32_MEMORY) {
        struct operation o = ia32_access(t, RP_ACCESS_LOAD, from->bytes, t->address, t->displacement, d);
        o.type = is_signed ? from->bytes == 1 ? T_S8 : T_S16 : o.type;
        ia32_emit_access(t, o);
    } else if (from->bytes == 1 && from->number >= 4) {
        ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(from->number - 4), OPERAND_NONE, imm | 8 << IA32_SHIFT_AT);
    } else {
        ia32_lane(t, IA32_LANE_EXTRACT, d, GUEST_REGISTER(from->number), OPERAND_NONE, imm);
    }
    ia32_finish(t, to, d);
}

static void ia32_move_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    if (to->kind == IA32_REGISTER && to->bytes == 4 && from->kind == IA32_MEMORY)
        ia32_load(t, GUEST_REGISTER(to->number), t->address, t->displacement, 4);
    else
        ia32_finish(t, to, ia32_source(t, 1, VALUE_TEMPORARY));
}

/* The operand is loaded whatever the condition says. */
static void ia32_conditional_move_uops(struct ia32_translation *t)
{
    const struct operand value = ia32_second(t);
    ia32_test_condition(t);
    ia32_insert(t, t->i->operand[0].number, t->i->bytes, value);
}

static void ia32_set_uops(struct ia32_translation *t)
{
    const struct operand d = guest_temporary(RESULT_TEMPORARY);
    ia32_lane(t, IA32_LANE_SET, d, OPERAND_NONE, OPERAND_NONE, t->i->condition);
    ia32_finish(t, &t->i->operand[0], d);
}

static void ia32_address_uops(struct ia32_translation *t)
{
    const struct ia32_operand *o = &t->i->operand[0];
    const struct operand d = ia32_destination(o);
    ia32_lane(t, IA32_LANE_ADDRESS, d, ia32_whole(t->i->base), ia32_whole(t->i->index),
              ia32_address_imm(t->i, t->i->displacement));
    ia32_finish(t, o, d);
}

static void ia32_exchange_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0], *from = &t->i->operand[1];
    const bool adds = t->i->row->operation == IA32_XADD;
    const struct operand b = ia32_source(t, 1, OTHER_TEMPORARY), value = guest_temporary(VALUE_TEMPORARY);
    const struct operand result = guest_temporary(RESULT_TEMPORARY);
    if (ia32_is_atomic(t->i))
        ia32_emit_access(t, ia32_atomic(t, adds ? RP_ATOMIC_ADD : RP_ATOMIC_EXCH, b));
    else if (to->kind == IA32_MEMORY)
        ia32_load(t, value, t->address, t->displacement, to->bytes);
    else
        ia32_move(t, value, ia32_register(t, to->number, to->bytes, VALUE_TEMPORARY));
    if (adds) {
        ia32_know_result(t, result, false);
        ia32_compute(t, IA32_ADD, result, value, b, t->live != 0);
    } else {
        ia32_move(t, result, b);
    }
    if (to->kind == IA32_MEMORY && !ia32_is_atomic(t->i))
        ia32_finish(t, to, result);
    ia32_insert(t, from->number, from->bytes, value);
    if (to->kind == IA32_REGISTER)
        ia32_insert(t, to->number, to->bytes, result);
}

/* Memory is always stored, as processors do: what it was, where it is not EAX. */
static void ia32_compare_exchange_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0];
    const struct operand old = guest_temporary(VALUE_TEMPORARY), result = guest_temporary(RESULT_TEMPORARY);
    const struct operand b = ia32_source(t, 1, OTHER_TEMPORARY), eax = GUEST_REGISTER(IA32_EAX);
    const struct operand equal = GUEST_PREDICATE(IA32_P_CONDITION);
    if (ia32_is_atomic(t->i)) {
        struct operation o = ia32_atomic(t, RP_ATOMIC_CAS, b);
        o.c = eax;
        ia32_emit_access(t, o);
    } else if (to->kind == IA32_MEMORY) {
        ia32_load(t, old, t->address, t->displacement, to->bytes);
    } else {
        ia32_move(t, old, ia32_register(t, to->number, to->bytes, VALUE_TEMPORARY));
    }
    t->live = IA32_STATUS; /* ZF is read here */
    ia32_compute(t, IA32_CMP, result, eax, old, true);
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 4); /* e */
    if (!ia32_is_atomic(t->i)) {
        ia32_move(t, result, old);
        t->guard = equal;
        ia32_move(t, result, b);
        t->guard = OPERAND_NONE;
        if (to->kind == IA32_MEMORY)
            ia32_finish(t, to, result);
    }
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 5); /* ne */
    t->guard = equal;
    ia32_insert(t, IA32_EAX, to->bytes, old);
    t->guard = OPERAND_NONE;
    if (to->kind == IA32_REGISTER)
        ia32_insert(t, to->number, to->bytes, result);
}

/* Two words at once, whether it is locked or not. */
static void ia32_compare_exchange8_uops(struct ia32_translation *t)
{
    const struct operand low = guest_temporary(VALUE_TEMPORARY), high = guest_temporary(OTHER_TEMPORARY);
    struct operation o = ia32_atomic(t, RP_ATOMIC_CAS, OPERAND_NONE);
    const struct operand old[] = {low, high};
    const struct operand values[] = {GUEST_REGISTER(IA32_EAX), GUEST_REGISTER(IA32_EDX), GUEST_REGISTER(IA32_EBX),
                                     GUEST_REGISTER(IA32_ECX)};
    struct operand *copy = ARENA_ARRAY(t->build->arena, struct operand, 6);
    memcpy(copy, old, sizeof old);
    memcpy(copy + 2, values, sizeof values);
    o.op = GUEST_COMPARE_EXCHANGE_PAIR;
    o.type = T_B32;
    o.d = OPERAND_NONE;
    o.lists[0] = (struct operand_list){copy, 2};
    o.lists[1] = (struct operand_list){copy + 2, 4};
    o.memory.width = 4;
    o.memory.elements = 2;
    ia32_emit_access(t, o);
    ia32_lane(t, IA32_LANE_EQUAL, OPERAND_NONE, low, high, 32);
    ia32_move(t, GUEST_REGISTER(IA32_EAX), low);
    ia32_move(t, GUEST_REGISTER(IA32_EDX), high);
}

static void ia32_translate_byte_uops(struct ia32_translation *t)
{
    const struct operand at = guest_temporary(ADDRESS_TEMPORARY), value = guest_temporary(VALUE_TEMPORARY);
    ia32_lane(t, IA32_LANE_EXTRACT, at, GUEST_REGISTER(IA32_EAX), OPERAND_NONE, 8);
    ia32_lane(t, IA32_LANE_ADDRESS, at, GUEST_REGISTER(IA32_EBX), at, ia32_address_imm(t->i, 0));
    ia32_load(t, value, at, 0, 1);
    ia32_insert(t, IA32_EAX, 1, value);
}

/* ---- the stack --------------------------------------------------------------------------------------------------- */

#define ESP GUEST_REGISTER(IA32_ESP)
#define EBP GUEST_REGISTER(IA32_EBP)

static void ia32_push(struct ia32_translation *t, struct operand value, unsigned bytes)
{
    ia32_store(t, value, ESP, -(int64_t)bytes, bytes);
    ia32_add(t, ESP, ESP, -bytes);
}

/* An address by ESP is that behind the pop. */
static void ia32_pop_uops(struct ia32_translation *t)
{
    const struct ia32_operand *to = &t->i->operand[0];
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    const bool whole = to->kind == IA32_REGISTER && to->bytes == 4;
    ia32_load(t, whole ? GUEST_REGISTER(to->number) : value, ESP, 0, to->bytes);
    if (!whole || to->number != IA32_ESP)
        ia32_add(t, ESP, ESP, to->bytes);
    if (to->kind == IA32_MEMORY)
        ia32_find_address(t);
    if (!whole)
        ia32_finish(t, to, value);
}

static void ia32_stack_of_all_uops(struct ia32_translation *t)
{
    if (t->i->row->operation == IA32_PUSHA) {
        for (unsigned n = 0; n < 8; n++)
            ia32_store(t, GUEST_REGISTER(n), ESP, -4 * (int64_t)(n + 1), 4);
        ia32_add(t, ESP, ESP, -32u);
        return;
    }
    for (unsigned n = 0; n < 8; n++)
        if (7 - n != IA32_ESP)
            ia32_load(t, GUEST_REGISTER(7 - n), ESP, 4 * (int64_t)n, 4);
    ia32_add(t, ESP, ESP, 32);
}

static void ia32_flags_on_stack_uops(struct ia32_translation *t)
{
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    if (t->i->row->operation == IA32_PUSHF) {
        ia32_lane(t, IA32_LANE_GET_FLAGS, value, OPERAND_NONE, OPERAND_NONE, 0);
        ia32_push(t, value, 4);
        return;
    }
    ia32_load(t, value, ESP, 0, 4);
    ia32_add(t, ESP, ESP, 4);
    ia32_lane(t, IA32_LANE_SET_FLAGS, OPERAND_NONE, value, OPERAND_NONE, IA32_STATUS | IA32_DF);
}

static void ia32_stack_uops(struct ia32_translation *t)
{
    switch (t->i->row->operation) {
    case IA32_PUSH: ia32_push(t, ia32_first(t), t->i->bytes); break;
    case IA32_POP: ia32_pop_uops(t); break;
    case IA32_PUSHF:
    case IA32_POPF: ia32_flags_on_stack_uops(t); break;
    case IA32_ENTER:
        ia32_push(t, EBP, 4);
        ia32_move(t, EBP, ESP);
        ia32_add(t, ESP, ESP, -(t->i->immediate & 0xffff));
        break;
    case IA32_LEAVE:
        ia32_load(t, guest_temporary(VALUE_TEMPORARY), EBP, 0, 4);
        ia32_add(t, ESP, EBP, 4);
        ia32_move(t, EBP, guest_temporary(VALUE_TEMPORARY));
        break;
    default: ia32_stack_of_all_uops(t); break; /* PUSHA, POPA */
    }
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static int64_t ia32_address_bits(const struct ia32_translation *t)
{
    return t->i->prefixes & IA32_ADDRESS_SIZE ? 16 : 32;
}

/* ESI, EDI or ECX as addresses and counts have it. */
static struct operand ia32_index(struct ia32_translation *t, unsigned n, unsigned temporary)
{
    if (ia32_address_bits(t) == 32)
        return GUEST_REGISTER(n);
    ia32_lane(t, IA32_LANE_EXTRACT, guest_temporary(temporary), GUEST_REGISTER(n), OPERAND_NONE, 16);
    return guest_temporary(temporary);
}

static void ia32_advance(struct ia32_translation *t, unsigned n)
{
    ia32_lane(t, IA32_LANE_ADVANCE, GUEST_REGISTER(n), GUEST_REGISTER(n), ia32_constant(t, t->i->bytes),
              ia32_address_bits(t));
}

static void ia32_count_down(struct ia32_translation *t)
{
    if (ia32_address_bits(t) == 32) {
        ia32_add(t, GUEST_REGISTER(IA32_ECX), GUEST_REGISTER(IA32_ECX), UINT32_MAX);
    } else {
        ia32_add(t, guest_temporary(RESULT_TEMPORARY), GUEST_REGISTER(IA32_ECX), UINT32_MAX);
        ia32_insert(t, IA32_ECX, 2, guest_temporary(RESULT_TEMPORARY));
    }
}

static void ia32_string_step(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation, bytes = t->i->bytes;
    const bool from = operation == IA32_MOVS || operation == IA32_LODS || operation == IA32_CMPS;
    const struct operand value = guest_temporary(VALUE_TEMPORARY), other = guest_temporary(OTHER_TEMPORARY);
    const struct operand eax = GUEST_REGISTER(IA32_EAX);
    if (from)
        ia32_load(t, value, ia32_index(t, IA32_ESI, ADDRESS_TEMPORARY), 0, bytes);
    const struct operand to = operation == IA32_LODS ? OPERAND_NONE : ia32_index(t, IA32_EDI, ADDRESS_TEMPORARY);
    if (operation == IA32_MOVS || operation == IA32_STOS)
        ia32_store(t, from ? value : eax, to, 0, bytes);
    if (operation == IA32_CMPS || operation == IA32_SCAS) {
        ia32_load(t, other, to, 0, bytes);
        t->live = IA32_STATUS; /* ZF may be read here */
        ia32_compute(t, IA32_CMP, guest_temporary(RESULT_TEMPORARY), from ? value : eax, other, true);
    }
    if (operation == IA32_LODS)
        ia32_insert(t, IA32_EAX, bytes, value);
    if (from)
        ia32_advance(t, IA32_ESI);
    if (operation != IA32_LODS)
        ia32_advance(t, IA32_EDI);
}

/* Goes to a place where ECX is not 0. */
static void ia32_branch_by_count(struct ia32_translation *t, unsigned compare, uint32_t target)
{
    struct operation o = ia32_branch_to(target);
    o.a = ia32_index(t, IA32_ECX, RESULT_TEMPORARY);
    o.compare = (uint8_t)compare;
    ia32_emit(t, o);
}

/* A repeated one goes to itself as long as there is more to do. */
static void ia32_string_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (!ia32_repeats(t->i)) {
        ia32_string_step(t);
        return;
    }
    ia32_lane(t, IA32_LANE_REPEAT, OPERAND_NONE, GUEST_REGISTER(IA32_ECX), OPERAND_NONE, ia32_address_bits(t));
    t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
    ia32_string_step(t);
    ia32_count_down(t);
    if (operation == IA32_CMPS || operation == IA32_SCAS)
        ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE,
                  t->i->prefixes & IA32_REP ? 4 : 5); /* e, ne */
    ia32_branch_by_count(t, CMP_NE, t->build->pc);
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static void ia32_jump(struct ia32_translation *t, struct operand to)
{
    ia32_emit(t, (struct operation){.kind = UOP_BRANCH_TABLE, .a = to});
}

static void ia32_push_next(struct ia32_translation *t)
{
    ia32_push(t, ia32_constant(t, t->build->pc + t->i->length), 4);
}

static void ia32_return_uops(struct ia32_translation *t)
{
    const struct operand to = guest_temporary(VALUE_TEMPORARY);
    ia32_load(t, to, ESP, 0, 4);
    ia32_add(t, ESP, ESP, 4 + (t->i->operand[0].kind ? t->i->immediate & 0xffff : 0));
    ia32_jump(t, to);
}

/* The address is in a register of its own, as pushing may change where it comes from. */
static void ia32_call_to_uops(struct ia32_translation *t)
{
    const struct operand to = guest_temporary(VALUE_TEMPORARY), from = ia32_first(t);
    if (from.at != to.at)
        ia32_move(t, to, from);
    ia32_push_next(t);
    ia32_jump(t, to);
}

static void ia32_loop_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    const uint32_t target = ia32_target(t->i, t->build->pc);
    if (operation != IA32_JECXZ)
        ia32_count_down(t);
    if (operation == IA32_LOOPE || operation == IA32_LOOPNE) {
        ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE,
                  operation == IA32_LOOPE ? 4 : 5); /* e, ne */
        if (ia32_address_bits(t) == 16)
            ia32_index(t, IA32_ECX, RESULT_TEMPORARY);
        t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
    }
    ia32_branch_by_count(t, operation == IA32_JECXZ ? CMP_EQ : CMP_NE, target);
}

static void ia32_control_uops(struct ia32_translation *t)
{
    const uint32_t target = ia32_target(t->i, t->build->pc);
    switch (t->i->row->operation) {
    case IA32_JCC: ia32_branch_uops(t); break;
    case IA32_JMP: ia32_emit(t, ia32_branch_to(target)); break;
    case IA32_JMP_TO: ia32_jump(t, ia32_first(t)); break;
    case IA32_CALL:
        ia32_push_next(t);
        ia32_emit(t, ia32_branch_to(target));
        break;
    case IA32_CALL_TO: ia32_call_to_uops(t); break;
    case IA32_RET: ia32_return_uops(t); break;
    case IA32_INT: ia32_emit(t, (struct operation){.kind = UOP_HOST_CALL}); break;
    default: ia32_loop_uops(t); break; /* LOOP, LOOPE, LOOPNE, JECXZ */
    }
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static void ia32_flag_uops(struct ia32_translation *t)
{
    const struct operand value = guest_temporary(VALUE_TEMPORARY);
    const unsigned operation = t->i->row->operation;
    switch (operation) {
    case IA32_CLC:
    case IA32_STC:
    case IA32_CMC: ia32_lane(t, IA32_LANE_CARRY, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, operation - IA32_CLC); break;
    case IA32_CLD:
    case IA32_STD:
        ia32_lane(t, IA32_LANE_DIRECTION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, operation - IA32_CLD);
        break;
    case IA32_LAHF: /* AH: register 4 of 8 bits */
        ia32_lane(t, IA32_LANE_GET_FLAGS, value, OPERAND_NONE, OPERAND_NONE, 0);
        ia32_insert(t, 4, 1, value);
        break;
    default: /* SAHF */
        ia32_lane(t, IA32_LANE_SET_FLAGS, OPERAND_NONE, ia32_register(t, 4, 1, VALUE_TEMPORARY), OPERAND_NONE,
                  IA32_STATUS & ~IA32_OF);
        break;
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void ia32_computing_uops(struct ia32_translation *t)
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

static void ia32_moving_uops(struct ia32_translation *t)
{
    switch (t->i->row->operation) {
    case IA32_MOV: ia32_move_uops(t); break;
    case IA32_MOVZX:
    case IA32_MOVSX: ia32_extending_move_uops(t); break;
    case IA32_CMOV: ia32_conditional_move_uops(t); break;
    case IA32_LEA: ia32_address_uops(t); break;
    case IA32_XCHG:
    case IA32_XADD: ia32_exchange_uops(t); break;
    case IA32_CMPXCHG: ia32_compare_exchange_uops(t); break;
    case IA32_CMPXCHG8B: ia32_compare_exchange8_uops(t); break;
    case IA32_XLAT: ia32_translate_byte_uops(t); break;
    default: ia32_stack_uops(t); break;
    }
}

static void ia32_uops(struct ia32_translation *t)
{
    const unsigned operation = t->i->row->operation;
    if (ia32_is_refused(t->i)) {
        ia32_emit(t, (struct operation){.kind = UOP_TRAP});
        return;
    }
    if (ia32_memory(t->i) && !(t->i->row->flags & IA32_STRING) && operation != IA32_LEA && operation != IA32_POP)
        ia32_find_address(t);
    if (operation <= IA32_SET)
        ia32_computing_uops(t);
    else if (operation <= IA32_LEAVE)
        ia32_moving_uops(t);
    else if (operation <= IA32_SCAS)
        ia32_string_uops(t);
    else if (operation <= IA32_SAHF)
        ia32_flag_uops(t);
    else if (operation <= IA32_INT)
        ia32_control_uops(t);
    else if (operation == IA32_FENCE)
        ia32_emit(t, (struct operation){.kind = UOP_FENCE});
}

unsigned ia32_translate(struct guest_build *b, const uint8_t *bytes, uint32_t available)
{
    struct ia32_instruction i;
    b->state = b->state ? b->state : ARENA_NEW(b->arena, struct ia32_fact);
    struct ia32_fact *fact = b->state;
    struct ia32_translation t = {.build = b, .i = &i, .fact = fact, .before = *fact};
    *fact = (struct ia32_fact){0};
    if (!ia32_decode(bytes, available, &i))
        return 0;
    ia32_uops(&t);
    if (b->operations.count == b->first)
        ia32_lane(&t, IA32_LANE_NOTHING, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, 0);
    ia32_describe(b, &i, bytes, &t.accesses);
    return i.length;
}
