/* ARMv7-A into uops.
 *
 * An instruction with a condition is guarded by a predicate, which a uop of its own computes. Flags that nobody reads
 * are not computed (flags.h), and a comparison with the branch behind it is one uop, which compares registers: whoever
 * jumps to the branch comes to another one, which tests the flags. */
#include <string.h>

#include "frontend/guest/lanes.h"
#include "frontend/isa/arm/arm.h"
#include "frontend/isa/arm/describe.h"
#include "frontend/isa/arm/flags.h"
#include "frontend/isa/arm/lanes.h"
#include "frontend/isa/arm/operations.h"
#include "frontend/isa/arm/table.h"

enum { OPERAND_TEMPORARY, ADDRESS_TEMPORARY, PC_TEMPORARY, NOWHERE_TEMPORARY };

/* What is known of the flags behind an instruction: they are those of a - b, or N and Z are those of a. */
enum arm_known { ARM_NOTHING_KNOWN, ARM_DIFFERENCE, ARM_RESULT };
struct arm_fact {
    enum arm_known known;
    struct operand a, b;
};

struct arm_state {
    struct arm_fact fact; /* at the next instruction, for whoever comes to it from this one */
    bool owed;            /* flags that are read only behind the next instruction, a branch, where it is not taken */
    bool due;             /* the branch has been translated: they are computed now */
    struct operation payment;
};

struct arm_translation {
    struct guest_build *build;
    const struct arm_instruction *i;
    struct arm_state *state; /* for the next instruction */
    struct arm_state before; /* what the instruction before has left */
    struct operand guard;
    unsigned live; /* of the flags that the instruction writes */
};

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

static void arm_emit(struct arm_translation *t, struct operation o)
{
    o.guard = t->guard;
    guest_emit(t->build, o);
}

static struct operation arm_lane(uop_fn fn, struct operand d, struct operand a, struct operand b)
{
    return (struct operation){.kind = UOP_LANE, .op = OP_GUEST, .fn = fn, .d = d, .a = a, .b = b};
}

static struct operation arm_special(enum arm_lane lane, int64_t imm)
{
    return (struct operation){.kind = UOP_LANE, .op = OP_GUEST, .fn = SIMD_SELECT(arm_lane_handler)(lane), .imm = imm};
}

static void arm_data_uop(struct arm_translation *t, unsigned operation, struct operand d, struct operand a,
                         struct operand b)
{
    arm_emit(t, arm_lane(SIMD_SELECT(arm_data_handler)(operation, ARM_PLAIN), d, a, b));
}

static void arm_move(struct arm_translation *t, struct operand d, struct operand a)
{
    arm_emit(t, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_B32, .d = d, .a = a});
}

static void arm_jump(struct arm_translation *t, struct operand to)
{
    arm_emit(t, (struct operation){.kind = UOP_BRANCH_TABLE, .a = to});
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static struct operand arm_constant(const struct arm_translation *t, uint32_t value)
{
    return guest_constant(t->build, value);
}

static struct operand arm_source(const struct arm_translation *t, unsigned n)
{
    if (n == ARM_PC)
        return arm_constant(t, arm_pc_value(t->i, t->build->pc));
    return n < ARM_PC ? GUEST_REGISTER(n) : OPERAND_NONE;
}

/* Where results go; a new pc is in a temporary until the instruction ends. */
static struct operand arm_destination(unsigned n)
{
    return n < ARM_PC ? GUEST_REGISTER(n) : guest_temporary(n == ARM_PC ? PC_TEMPORARY : NOWHERE_TEMPORARY);
}

static bool arm_is_shifted(const struct arm_instruction *i)
{
    return i->operand == ARM_SHIFTED_BY || (i->operand == ARM_REGISTER && (i->shift != ARM_LSL || i->amount));
}

static struct operand arm_amount(const struct arm_translation *t)
{
    return t->i->operand == ARM_SHIFTED_BY ? arm_source(t, t->i->a) : arm_constant(t, t->i->amount);
}

static void arm_shift_uop(struct arm_translation *t, struct operand d)
{
    arm_emit(t, arm_lane(SIMD_SELECT(arm_lane_handler)(ARM_LANE_SHIFT + t->i->shift), d, arm_source(t, t->i->m),
                         arm_amount(t)));
}

static struct operand arm_operand2(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    if (i->operand == ARM_IMMEDIATE)
        return arm_constant(t, i->imm);
    if (!arm_is_shifted(i))
        return arm_source(t, i->m);
    struct operand d = guest_temporary(OPERAND_TEMPORARY);
    arm_shift_uop(t, d);
    return d;
}

/* C of a logic operation, after its operand has been computed. */
static void arm_shifter_carry(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    if (i->operand == ARM_IMMEDIATE && i->flags & ARM_ROTATED)
        arm_emit(t, arm_special(ARM_LANE_SET_CARRY, i->imm >> 31));
    else if (arm_is_shifted(i))
        arm_emit(t, arm_lane(SIMD_SELECT(arm_lane_handler)(ARM_LANE_CARRY + i->shift), OPERAND_NONE,
                             arm_source(t, i->m), arm_amount(t)));
}

/* ---- flags and the branch behind --------------------------------------------------------------------------------- */

/* How a branch with this condition compares; false: not by one comparison. */
struct arm_comparison {
    uint8_t compare;
    bool exchanged, holds;
};
static struct arm_comparison arm_compare_as(unsigned cond, const struct arm_fact *f)
{
    static const struct arm_comparison of_difference[14] = {{CMP_EQ, false, true},
                                                            {CMP_NE, false, true},
                                                            {CMP_HS, false, true},
                                                            {CMP_LO, false, true},
                                                            {0},
                                                            {0},
                                                            {0},
                                                            {0},
                                                            {CMP_LO, true, true},
                                                            {CMP_HS, true, true},
                                                            {CMP_GE, false, true},
                                                            {CMP_LT, false, true},
                                                            {CMP_LT, true, true},
                                                            {CMP_GE, true, true}};
    static const struct arm_comparison of_result[14] = {{CMP_EQ, false, true}, {CMP_NE, false, true}, {0}, {0},
                                                        {CMP_LT, false, true}, {CMP_GE, false, true}};
    const struct arm_comparison none = {0};
    return cond >= ARM_ALWAYS || f->known == ARM_NOTHING_KNOWN ? none
           : f->known == ARM_DIFFERENCE                        ? of_difference[cond]
                                                               : of_result[cond];
}

/* What the flags will be behind the instruction. */
static struct arm_fact arm_fact_of(const struct arm_translation *t, struct operand result, struct operand a,
                                   struct operand b)
{
    const unsigned operation = t->i->row->operation;
    const bool kept = result.at != a.at && result.at != b.at;
    if (operation == ARM_CMP || (operation == ARM_SUB && kept))
        return (struct arm_fact){ARM_DIFFERENCE, a, b};
    return (struct arm_fact){ARM_RESULT, result, OPERAND_NONE};
}

/* Whether the next instruction is a branch that can compare for itself, and others follow in a row. Then *taken and
 * *not are the flags that are read on either way. */
static bool arm_branch_behind(struct arm_translation *t, const struct arm_fact *f, unsigned *taken, unsigned *not_taken)
{
    struct guest_build *b = t->build;
    const uint32_t next = b->pc + t->i->length, written = arm_flags_written(t->i);
    struct arm_instruction branch;
    if (is_register(t->guard) || b->ahead || next >= b->end || !arm_look_ahead(b, next, b->is_short, 0, &branch) ||
        next + branch.length >= b->end || branch.row->operation != ARM_B || !arm_compare_as(branch.cond, f).holds)
        return false;
    *taken = arm_flags_live(b, arm_pc_value(&branch, next) + branch.imm, b->is_short, 0, written);
    *not_taken = arm_flags_live(b, next + branch.length, b->is_short, 0, written);
    return true;
}

/* ---- data processing --------------------------------------------------------------------------------------------- */

/* A comparison leaves nothing but flags: where only the way on reads them, they are computed there. */
static bool arm_owe(struct arm_translation *t, const struct arm_fact *f, struct operation o)
{
    unsigned taken, not_taken;
    if (!arm_branch_behind(t, f, &taken, &not_taken))
        return false;
    t->state->fact = *f;
    t->state->owed = !taken && not_taken;
    t->state->payment = o;
    if (taken)
        arm_emit(t, o);
    return true;
}

/* A comparison that sets C alone: nothing reads its other flags. */
static struct operation arm_compare_c(struct operand a, struct operand b, uint32_t left)
{
    struct operation o = arm_special(ARM_LANE_COMPARE_C, left);
    o.a = a;
    o.b = b;
    return o;
}

static void arm_test_uops(struct arm_translation *t, struct operand a, struct operand b)
{
    const unsigned operation = t->i->row->operation;
    const struct operand result = guest_temporary(NOWHERE_TEMPORARY);
    const struct operation sets = arm_lane(SIMD_SELECT(arm_data_handler)(operation, ARM_WITH_FLAGS), result, a, b);
    const struct arm_fact f = arm_fact_of(t, result, a, b);
    unsigned taken, not_taken;
    if (operation == ARM_CMP && t->live == ARM_SET_C && !arm_branch_behind(t, &f, &taken, &not_taken)) {
        arm_emit(t, arm_compare_c(a, b, 0));
    } else if (operation == ARM_CMP) {
        if (!arm_owe(t, &f, sets) && t->live)
            arm_emit(t, sets);
    } else if (arm_branch_behind(t, &f, &taken, &not_taken)) {
        static const uint8_t plain[] = {[ARM_TST] = ARM_AND, [ARM_TEQ] = ARM_EOR, [ARM_CMN] = ARM_ADD};
        t->state->fact = f;
        if (taken | not_taken)
            arm_emit(t, sets);
        else
            arm_data_uop(t, plain[operation], result, a, b);
    } else if (t->live) {
        arm_emit(t, sets);
    }
}

/* A write to pc by data processing: in A32 the lowest bit says the encoding, in T32 nothing changes it. */
static void arm_jump_by_data(struct arm_translation *t)
{
    const struct operand to = guest_temporary(PC_TEMPORARY);
    if (t->i->flags & ARM_THUMB)
        arm_data_uop(t, ARM_ORR, to, to, arm_constant(t, 1));
    arm_jump(t, to);
}

static void arm_result_uops(struct arm_translation *t, struct operand a, struct operand b)
{
    const struct arm_instruction *i = t->i;
    const unsigned operation = i->row->operation;
    const struct operand d = arm_destination(i->d);
    unsigned taken, not_taken, live = t->live;
    if (i->flags & ARM_SETS) {
        const struct arm_fact f = arm_fact_of(t, d, a, b);
        if (arm_branch_behind(t, &f, &taken, &not_taken)) {
            t->state->fact = f;
            live = taken | not_taken;
        }
    }
    if (operation == ARM_MOV && !live)
        arm_move(t, d, b);
    else
        arm_emit(t, arm_lane(SIMD_SELECT(arm_data_handler)(operation, live ? ARM_WITH_FLAGS : ARM_PLAIN), d, a, b));
    if (i->d == ARM_PC)
        arm_jump_by_data(t);
}

/* What one uop does that shifts its operand, too. False: it must be shifted before. */
static bool arm_shifted_uop(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const unsigned operation = i->row->operation;
    const bool left = i->operand == ARM_REGISTER && i->shift == ARM_LSL && i->amount;
    const struct arm_fact difference = {.known = ARM_DIFFERENCE};
    unsigned taken, not_taken;
    if (operation == ARM_CMP && left && t->live == ARM_SET_C &&
        !arm_branch_behind(t, &difference, &taken, &not_taken)) {
        arm_emit(t, arm_compare_c(arm_source(t, i->n), arm_source(t, i->m), i->amount));
        return true;
    }
    if (i->flags & ARM_SETS || !(left || (operation == ARM_MOV && arm_is_shifted(i))))
        return false;
    const struct operand d = arm_destination(i->d);
    if (left) {
        struct operation o =
            arm_lane(SIMD_SELECT(arm_data_handler)(operation, ARM_LEFT), d, arm_source(t, i->n), arm_source(t, i->m));
        o.imm = i->amount;
        arm_emit(t, o);
    } else {
        arm_shift_uop(t, d);
    }
    if (i->d == ARM_PC)
        arm_jump_by_data(t);
    return true;
}

static void arm_data_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const unsigned operation = i->row->operation;
    if (operation == ARM_ADR) {
        const uint32_t pc = arm_pc_value(i, t->build->pc) & ~3u;
        arm_move(t, arm_destination(i->d), arm_constant(t, i->flags & ARM_UP ? pc + i->imm : pc - i->imm));
        return;
    }
    if (arm_shifted_uop(t))
        return;
    const struct operand a = arm_source(t, operation == ARM_MOVT ? i->d : i->n), b = arm_operand2(t);
    if (arm_is_logical(operation) && t->live & ARM_SET_C)
        arm_shifter_carry(t);
    if (operation >= ARM_TST && operation <= ARM_CMN)
        arm_test_uops(t, a, b);
    else
        arm_result_uops(t, a, b);
}

/* ---- computing --------------------------------------------------------------------------------------------------- */

/* N and Z of a result, if they are read. */
static void arm_set_nz(struct arm_translation *t, enum arm_lane lane, struct operand result, struct operand high)
{
    struct operation o = arm_special(lane, 0);
    o.a = result;
    o.b = high;
    if (t->live)
        arm_emit(t, o);
}

static void arm_compute_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const struct operand m = i->operand == ARM_REGISTER ? arm_operand2(t) : arm_source(t, i->m);
    struct operation o = arm_lane(SIMD_SELECT(arm_compute_handler)(i->row->operation, i->imm), arm_destination(i->d),
                                  arm_source(t, i->n), m);
    o.c = arm_source(t, i->a);
    o.imm = i->imm;
    arm_emit(t, o);
    arm_set_nz(t, ARM_LANE_NZ, arm_source(t, i->d), OPERAND_NONE);
}

static void arm_long_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    struct operation o = arm_lane(SIMD_SELECT(arm_long_handler)(i->row->operation), arm_source(t, i->d),
                                  arm_source(t, i->n), arm_source(t, i->m));
    o.c = arm_source(t, i->a);
    o.imm = i->imm;
    arm_emit(t, o);
    arm_set_nz(t, ARM_LANE_NZ_LONG, arm_source(t, i->d), arm_source(t, i->a));
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* An access of registers list[0 .. words), each of one element; words 0: of `d` alone. */
static struct operation arm_access(struct arm_translation *t, struct operand address, int64_t offset, struct operand d)
{
    return (struct operation){.kind = UOP_MEMORY,
                              .type = (uint8_t)arm_memory_type(t->i->row->operation),
                              .a = address,
                              .imm = offset,
                              .d = d,
                              .memory = arm_memory_operand(t->i, 1)};
}

static void arm_list_of(struct arm_translation *t, struct operation *o, const struct operand *list, unsigned words)
{
    struct operand *copy = ARENA_ARRAY(t->build->arena, struct operand, words);
    memcpy(copy, list, words * sizeof *copy);
    o->lists[0] = (struct operand_list){copy, words};
    o->memory.elements = (uint8_t)words;
}

/* What is stored of a register: pc's value is a constant, and stored elements must be registers. */
static struct operand arm_stored(struct arm_translation *t, unsigned n)
{
    if (n != ARM_PC)
        return GUEST_REGISTER(n);
    arm_move(t, guest_temporary(PC_TEMPORARY), arm_source(t, n));
    return guest_temporary(PC_TEMPORARY);
}

/* The base, the distance to it, and what is left to do to the base register after the access. */
struct arm_address {
    struct operand base, moved;
    int64_t offset;
    int64_t step; /* added to the base register; with `moved`: that is its new value */
    bool late;
};

static struct arm_address arm_address_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const bool up = i->flags & ARM_UP, pre = i->flags & ARM_PRE, writes = i->flags & ARM_WRITES_BACK;
    struct arm_address r = {.base = i->n == ARM_PC ? arm_constant(t, arm_pc_value(i, t->build->pc) & ~3u)
                                                   : arm_source(t, i->n)};
    const struct operand register_n = r.base;
    if (i->operand == ARM_IMMEDIATE) {
        const int64_t distance = up ? (int64_t)i->imm : -(int64_t)i->imm;
        r.offset = pre ? distance : 0;
        if (writes && pre) {
            arm_data_uop(t, ARM_ADD, register_n, register_n, arm_constant(t, (uint32_t)distance));
            r.offset = 0;
        }
        r.late = writes && !pre;
        r.step = distance;
    } else if (i->operand != ARM_NO_OPERAND) {
        r.moved = guest_temporary(ADDRESS_TEMPORARY);
        const struct operand offset = arm_operand2(t);
        arm_data_uop(t, up ? ARM_ADD : ARM_SUB, r.moved, r.base, offset);
        r.base = pre ? r.moved : r.base;
        r.late = writes;
    }
    return r;
}

static void arm_write_back(struct arm_translation *t, const struct arm_address *r)
{
    const struct operand n = arm_source(t, t->i->n);
    if (r->late && is_register(r->moved))
        arm_move(t, n, r->moved);
    else if (r->late)
        arm_data_uop(t, ARM_ADD, n, n, arm_constant(t, (uint32_t)r->step));
}

static void arm_access_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const bool store = i->row->class == ARM_CLASS_STORE,
               pair = i->row->operation == ARM_LDRD || i->row->operation == ARM_STRD;
    const struct operand d = store ? arm_stored(t, i->d) : arm_destination(i->d);
    const struct arm_address r = arm_address_uops(t);
    struct operation o = arm_access(t, r.base, r.offset, d);
    if (pair)
        arm_list_of(t, &o, (const struct operand[]){d, arm_destination(i->a)}, 2);
    arm_emit(t, o);
    arm_write_back(t, &r);
    if (!store && i->d == ARM_PC)
        arm_jump(t, d);
}

static void arm_multiple_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const bool load = i->row->operation == ARM_LDM;
    const unsigned count = (unsigned)__builtin_popcount(i->imm);
    struct operand list[16], n = arm_source(t, i->n), base = n;
    unsigned at = 0;
    for (unsigned r = 0; r < 16; r++)
        if (i->imm >> r & 1)
            list[at++] = load ? arm_destination(r) : arm_stored(t, r);
    if (load && i->imm >> i->n & 1) {
        base = guest_temporary(ADDRESS_TEMPORARY);
        arm_move(t, base, n);
    }
    uint8_t access = 0;
    for (at = 0; at < count; at += arm_list_part(count - at)) {
        struct operation o = arm_access(t, base, (int32_t)arm_list_address(i, 4 * at), OPERAND_NONE);
        arm_list_of(t, &o, list + at, arm_list_part(count - at));
        o.access = access++;
        arm_emit(t, o);
    }
    if (i->flags & ARM_WRITES_BACK)
        arm_data_uop(t, ARM_ADD, n, n, arm_constant(t, i->flags & ARM_UP ? 4 * count : -4 * count));
    if (load && i->imm >> ARM_PC)
        arm_jump(t, guest_temporary(PC_TEMPORARY));
}

static void arm_exclusive_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const unsigned operation = i->row->operation;
    if (operation == ARM_CLREX) {
        arm_emit(t, (struct operation){.kind = UOP_LANE, .op = OP_GUEST, .fn = guest_drop_reservations});
        return;
    }
    const bool store = operation >= ARM_STREX, pair = operation == ARM_LDREXD || operation == ARM_STREXD;
    struct operation o =
        arm_access(t, arm_source(t, i->n), i->operand == ARM_IMMEDIATE ? i->imm : 0, arm_destination(i->d));
    o.op = store ? GUEST_STORE_CONDITIONAL : GUEST_LOAD_RESERVED;
    o.b = store ? arm_source(t, i->m) : OPERAND_NONE;
    if (pair)
        arm_list_of(t, &o, (const struct operand[]){arm_source(t, store ? i->m : i->d), arm_source(t, i->a)}, 2);
    arm_emit(t, o);
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static struct operation arm_branch_to(uint32_t target)
{
    return (struct operation){.kind = UOP_BRANCH, .compare = CMP_TRUE, .target = target};
}

static uint32_t arm_target(const struct arm_translation *t)
{
    const uint32_t base = arm_pc_value(t->i, t->build->pc);
    const bool thumb = t->i->flags & ARM_THUMB;
    if (t->i->row->operation != ARM_BLX)
        return (base + t->i->imm) | thumb;
    return thumb ? (base & ~3u) + t->i->imm : (base + t->i->imm) | 1;
}

/* The condition in a predicate. It is the guard of all else that the instruction does; recorded: in the trace, too. */
static void arm_guard(struct arm_translation *t, bool recorded)
{
    const uop_fn fn = SIMD_SELECT(arm_condition_handler)(t->i->cond, recorded);
    guest_emit(t->build, arm_lane(fn, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE));
    t->guard = GUEST_PREDICATE(ARM_P_CONDITION);
}

/* A branch that compares registers, for whoever comes from the instruction before, and one that tests the flags, for
 * whoever jumps to it. */
static void arm_branch_by_fact(struct arm_translation *t, struct arm_comparison c)
{
    struct guest_build *b = t->build;
    const uint32_t after = b->operations.count + 3;
    struct operation o = arm_branch_to(arm_target(t));
    o.compare = c.compare;
    o.a = c.exchanged ? t->before.fact.b : t->before.fact.a;
    o.b = c.exchanged ? t->before.fact.a : t->before.fact.b;
    o.reconverge = after;
    guest_emit(b, o);
    b->first = b->operations.count;
    arm_guard(t, false);
    o = arm_branch_to(arm_target(t));
    o.reconverge = after + t->before.owed; /* it owes nothing */
    arm_emit(t, o);
    t->state->due = t->before.owed;
    t->state->payment = t->before.payment;
}

static void arm_branch_uops(struct arm_translation *t)
{
    const struct arm_comparison c = arm_compare_as(t->i->cond, &t->before.fact);
    if (c.holds) {
        arm_branch_by_fact(t, c);
        return;
    }
    if (t->i->cond != ARM_ALWAYS)
        arm_guard(t, false);
    arm_emit(t, arm_branch_to(arm_target(t)));
}

static void arm_branch_if_zero(struct arm_translation *t)
{
    struct operation o = arm_branch_to(arm_target(t));
    o.compare = t->i->row->operation == ARM_CBZ ? CMP_EQ : CMP_NE;
    o.a = arm_source(t, t->i->n);
    arm_emit(t, o);
}

static void arm_link(struct arm_translation *t)
{
    const bool thumb = t->i->flags & ARM_THUMB;
    arm_move(t, GUEST_REGISTER(ARM_LR), arm_constant(t, (t->build->pc + t->i->length) | thumb));
}

static void arm_table_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    const struct operand at = guest_temporary(ADDRESS_TEMPORARY), to = guest_temporary(PC_TEMPORARY);
    arm_data_uop(t, ARM_ADD, at, arm_source(t, i->n), arm_source(t, i->m));
    if (i->row->operation == ARM_TBH)
        arm_data_uop(t, ARM_ADD, at, at, arm_source(t, i->m));
    arm_emit(t, arm_access(t, at, 0, to));
    arm_data_uop(t, ARM_ADD, to, to, to);
    arm_data_uop(t, ARM_ADD, to, to, arm_constant(t, (t->build->pc + 4) | 1));
    arm_jump(t, to);
}

static void arm_control_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    struct operand to;
    switch (i->row->operation) {
    case ARM_B: arm_branch_uops(t); break;
    case ARM_BL:
    case ARM_BLX:
        arm_link(t);
        arm_emit(t, arm_branch_to(arm_target(t)));
        break;
    case ARM_BX: arm_jump(t, arm_source(t, i->m)); break;
    case ARM_BLX_REGISTER:
        to = guest_temporary(PC_TEMPORARY);
        arm_move(t, to, arm_source(t, i->m));
        arm_link(t);
        arm_jump(t, to);
        break;
    case ARM_CBZ:
    case ARM_CBNZ: arm_branch_if_zero(t); break;
    case ARM_TBB:
    case ARM_TBH: arm_table_uops(t); break;
    case ARM_SVC: arm_emit(t, (struct operation){.kind = UOP_HOST_CALL}); break;
    default: /* ARM_UDF and ARM_BKPT */
        arm_emit(t, (struct operation){.kind = UOP_TRAP, .imm = GUEST_TRAP_STOP});
        break;
    }
}

static void arm_status_uops(struct arm_translation *t)
{
    const struct arm_instruction *i = t->i;
    struct operation o;
    if (i->row->operation == ARM_THREAD_ID) {
        arm_move(t, arm_destination(i->d), OPERAND_NONE);
    } else if (i->row->operation == ARM_MRS) {
        o = arm_special(ARM_LANE_GET_STATUS, 0);
        o.d = arm_destination(i->d);
        arm_emit(t, o);
    } else {
        o = arm_special(ARM_LANE_SET_STATUS, arm_status_mask(i->a));
        o.a = i->operand == ARM_IMMEDIATE ? arm_constant(t, i->imm) : arm_source(t, i->m);
        arm_emit(t, o);
    }
}

static void arm_uops(struct arm_translation *t)
{
    switch (t->i->row->class) {
    case ARM_CLASS_DATA: arm_data_uops(t); break;
    case ARM_CLASS_COMPUTE: arm_compute_uops(t); break;
    case ARM_CLASS_LONG: arm_long_uops(t); break;
    case ARM_CLASS_LOAD:
    case ARM_CLASS_STORE: arm_access_uops(t); break;
    case ARM_CLASS_MULTIPLE: arm_multiple_uops(t); break;
    case ARM_CLASS_EXCLUSIVE: arm_exclusive_uops(t); break;
    case ARM_CLASS_CONTROL: arm_control_uops(t); break;
    case ARM_CLASS_STATUS: arm_status_uops(t); break;
    case ARM_CLASS_NOTHING:
        if (t->i->row->operation == ARM_BARRIER)
            guest_emit(t->build, (struct operation){.kind = UOP_FENCE});
        break;
    default: arm_emit(t, (struct operation){.kind = UOP_TRAP}); break; /* ARM_CLASS_REFUSED */
    }
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* What the instruction before owes. Whoever jumps to this instruction comes behind it. */
static void arm_pay(struct arm_translation *t)
{
    if (t->state->due)
        guest_emit(t->build, t->state->payment);
    t->build->first = t->build->operations.count;
    t->before = *t->state;
    *t->state = (struct arm_state){0};
}

unsigned arm_translate(struct guest_build *b, const uint8_t *bytes, uint32_t available)
{
    struct arm_instruction i;
    (void)available;
    b->state = b->state ? b->state : ARENA_NEW(b->arena, struct arm_state);
    if (!arm_look_ahead(b, b->pc, b->is_short, b->ahead, &i)) {
        b->ahead = 0;
        *(struct arm_state *)b->state = (struct arm_state){0};
        return 0;
    }
    b->ahead = i.row->operation == ARM_IT ? (uint8_t)i.imm : arm_it_next(b->ahead);
    struct arm_translation t = {.build = b, .i = &i, .state = b->state};
    arm_pay(&t);
    if (i.cond != ARM_ALWAYS && i.row->operation != ARM_B)
        arm_guard(&t, i.row->operation != ARM_SVC);
    const unsigned written = arm_flags_written(&i);
    if (written)
        t.live = arm_flags_live(b, b->pc + i.length, b->is_short, b->ahead, written);
    arm_uops(&t);
    if (b->operations.count == b->first)
        guest_emit(b, arm_special(ARM_LANE_NOTHING, 0));
    arm_describe(b, &i, bytes, is_register(t.guard));
    return i.length;
}
