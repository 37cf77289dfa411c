/* What is known of flags, and transfers of control.
 *
 * A comparison with the branches behind it is one uop each, which compare registers: whoever jumps to such a branch
 * comes to another uop, which tests the flags. */
#include "frontend/isa/ia32/uops.h"

#include "frontend/isa/ia32/flags.h"

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

/* Whether the instruction at pc is a branch that will be translated with this fact, in a row with the one at hand, and
 * can compare for itself. */
static bool ia32_branch_compares(const struct ia32_translation *t, uint32_t pc, const struct ia32_fact *f,
                                 struct ia32_instruction *branch)
{
    struct guest_build *b = t->build;
    return pc < b->end && guest_uop_at(b->program, pc) == UOP_NOWHERE && ia32_look_ahead(b, pc, branch) &&
           branch->row->operation == IA32_JCC && ia32_compare_as(branch->condition, f).holds;
}

/* The flags that are still read if the branches behind the instruction compare for themselves. */
static unsigned ia32_read_elsewhere(const struct ia32_translation *t, const struct ia32_fact *f)
{
    const unsigned changed = ia32_flags_changed(t->i);
    struct ia32_instruction branch;
    uint32_t pc = t->build->pc + t->i->length;
    unsigned live = 0;
    for (; ia32_branch_compares(t, pc, f, &branch); pc += branch.length)
        live |= ia32_flags_live(t->build, ia32_target(&branch, pc), changed);
    return live | ia32_flags_live(t->build, pc, changed);
}

void ia32_know(struct ia32_translation *t, struct ia32_fact f)
{
    *t->fact = f;
    t->live = ia32_read_elsewhere(t, &f);
}

void ia32_know_result(struct ia32_translation *t, struct operand result, bool logical)
{
    ia32_know(t, (struct ia32_fact){IA32_RESULT, t->i->bytes < 4, logical, result, OPERAND_NONE});
}

bool ia32_is_compared(const struct ia32_translation *t)
{
    struct ia32_instruction branch;
    return ia32_branch_compares(t, t->build->pc + t->i->length, t->fact, &branch);
}

struct operation ia32_branch_to(uint32_t target)
{
    return (struct operation){.kind = UOP_BRANCH, .compare = CMP_TRUE, .target = target};
}

void ia32_test_condition(struct ia32_translation *t)
{
    ia32_lane(t, IA32_LANE_CONDITION, OPERAND_NONE, OPERAND_NONE, OPERAND_NONE, t->i->condition);
    t->guard = GUEST_PREDICATE(IA32_P_CONDITION);
}

/* A branch that compares registers, for whoever comes from the instruction before, and one that tests the flags, for
 * whoever jumps to it. The fact holds on the way on, too. */
static void ia32_branch_by_fact(struct ia32_translation *t, struct ia32_comparison c)
{
    struct guest_build *b = t->build;
    const uint32_t after = b->operations.count + 3;
    struct operation o = ia32_branch_to(ia32_target(t->i, b->pc));
    struct ia32_instruction next;
    o.compare = c.compare;
    o.a = c.exchanged ? t->before.b : t->before.a;
    o.b = c.exchanged ? t->before.a : t->before.b;
    o.reconverge = after;
    guest_emit(b, o);
    b->first = b->operations.count;
    ia32_test_condition(t);
    o = ia32_branch_to(ia32_target(t->i, b->pc));
    o.reconverge = after + ia32_branch_compares(t, b->pc + t->i->length, &t->before, &next); /* the second uop there */
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
    ia32_move_stack(t, 4 + (t->i->operand[0].kind ? t->i->immediate & 0xffff : 0));
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

void ia32_control_uops(struct ia32_translation *t)
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
