/* Control flow on the hardware's stack, and barriers. Targets are indices of instructions until lowering ends. */
#include "frontend/isa/sass5x/lower.h"

enum { CONDITION_TRUE = 15, WORD_BYTES = 8 };

/* The condition code test, which most of these instructions have at this place. */
static unsigned test_of(const struct sass_lowering *l) { return bits(l, 0, 5); }

/* Emits a transfer of control for the lanes in which the guard and a condition code test hold. */
static void transfer(struct sass_lowering *l, unsigned test, struct operation u)
{
    if (test == CONDITION_TRUE) {
        sass_emit(&l->b, u);
        return;
    }
    struct operation t = {.kind = UOP_LANE, .op = OP_TEST_CC, .type = T_U32, .flags = UF_CARRY_IN, .imm = test};
    t.pd = sass_temporary(&l->b);
    sass_emit(&l->b, t);
    sass_transfer_where(l, t.pd, u);
}

static int64_t relative(const struct sass_lowering *l)
{
    return (int64_t)l->address + WORD_BYTES + ((int64_t)((uint64_t)bits(l, 20, 24) << 40) >> 40);
}

/* The word of constant memory that holds the target. */
static struct operand constant_target(struct sass_lowering *l)
{
    return bank_word(&l->b, bits(l, 36, 5), bits(l, 20, 16));
}

static uint32_t target(struct sass_lowering *l)
{
    if (bit(l, 5))
        sass_not_covered(l, "a target in constant memory");
    return sass_instruction_at(l, relative(l));
}

/* Branches to the byte address in a register. */
static void branch_to(struct sass_lowering *l, struct operand at, unsigned test)
{
    transfer(l, test, sass_indirect(l, at));
}

static void jump_to(struct sass_lowering *l, int64_t address, unsigned test)
{
    transfer(l, test, sass_jump(l, address));
}

static void lower_bra(struct sass_lowering *l)
{
    if (bit(l, 5))
        branch_to(l, constant_target(l), test_of(l));
    else
        jump_to(l, relative(l), test_of(l));
}
static void lower_jmp(struct sass_lowering *l)
{
    if (bit(l, 5))
        branch_to(l, constant_target(l), test_of(l));
    else
        jump_to(l, bits(l, 20, 32), test_of(l));
}

/* Branches to address + 8 + Ra + offset, or to Ra + offset. */
static void indirect(struct sass_lowering *l, uint32_t offset)
{
    if (bit(l, 5))
        sass_not_covered(l, "a target in constant memory");
    struct operand to = lane2(&l->b, OP_ADD, T_U32, read_register(&l->b, bits(l, 8, 8)), constant32(&l->b, offset));
    branch_to(l, to, test_of(l));
}
static void lower_brx(struct sass_lowering *l) { indirect(l, (uint32_t)relative(l)); }
static void lower_jmx(struct sass_lowering *l) { indirect(l, bits(l, 20, 32)); }

static void push(struct sass_lowering *l, enum stack_token token)
{
    sass_emit(&l->b, (struct operation){.kind = UOP_PUSH, .imm = token, .target = target(l)});
}
static void lower_ssy(struct sass_lowering *l) { push(l, TOKEN_SYNC); }
static void lower_pbk(struct sass_lowering *l) { push(l, TOKEN_BREAK); }
static void lower_pcnt(struct sass_lowering *l) { push(l, TOKEN_CONTINUE); }
static void lower_pret(struct sass_lowering *l) { push(l, TOKEN_RETURN); }

static void pop(struct sass_lowering *l, enum stack_token token)
{
    transfer(l, test_of(l), (struct operation){.kind = UOP_POP, .imm = token});
}
static void lower_sync(struct sass_lowering *l) { pop(l, TOKEN_SYNC); }
static void lower_brk(struct sass_lowering *l) { pop(l, TOKEN_BREAK); }
static void lower_cont(struct sass_lowering *l) { pop(l, TOKEN_CONTINUE); }
static void lower_ret(struct sass_lowering *l) { pop(l, TOKEN_RETURN); }

static void call(struct sass_lowering *l, int64_t address)
{
    if (l->b.index + 1 >= l->b.count)
        sass_not_covered(l, "a call at the end of the code");
    if (bit(l, 5))
        sass_not_covered(l, "a target in constant memory");
    sass_emit(&l->b, (struct operation){.kind = UOP_PUSH, .imm = TOKEN_RETURN, .target = l->b.index + 1});
    jump_to(l, address, CONDITION_TRUE);
}
static void lower_cal(struct sass_lowering *l) { call(l, relative(l)); }
static void lower_jcal(struct sass_lowering *l) { call(l, bits(l, 20, 32)); }

static void lower_exit(struct sass_lowering *l) { transfer(l, test_of(l), (struct operation){.kind = UOP_EXIT}); }

static void lower_bpt(struct sass_lowering *l)
{
    if (bits(l, 6, 3) != 3)
        sass_not_covered(l, "this kind of break");
    sass_emit(&l->b, (struct operation){.kind = UOP_TRAP});
}

/* ---- barriers ---- */

static void barrier(struct sass_lowering *l, struct operation *u)
{
    unsigned b = bits(l, 20, 8);
    u->kind = UOP_BARRIER;
    u->type = T_U32;
    u->barrier.id = bit(l, 44) ? (int32_t)bits(l, 8, 8) : -1;
    u->barrier.count = bit(l, 43) ? (int32_t)bits(l, 20, 12) : b == RZ ? 0 : -1;
    if (u->barrier.id > 15 || u->barrier.count % RP_WARP_LANES > 0)
        sass_not_covered(l, "this barrier or count");
    if (u->barrier.id < 0)
        u->a = read_register(&l->b, bits(l, 8, 8));
    if (u->barrier.count < 0)
        u->b = read_register(&l->b, b);
    l->barrier = u->barrier;
    sass_emit(&l->b, *u);
}
static void lower_bar_sync(struct sass_lowering *l)
{
    barrier(l, &(struct operation){.barrier.kind = RP_BARRIER_SYNC});
}
static void lower_bar_arv(struct sass_lowering *l)
{
    barrier(l, &(struct operation){.barrier.kind = RP_BARRIER_ARRIVE});
}
static void lower_bar_red(struct sass_lowering *l)
{
    static const uint8_t reductions[4] = {BARRIER_POPC, BARRIER_AND, BARRIER_OR, 255};
    unsigned how = reductions[bits(l, 35, 2)];
    if (how == 255)
        sass_not_covered(l, "this reduction");
    struct operation u = {.barrier.kind = RP_BARRIER_REDUCE, .imm = how};
    u.p = read_predicate(l, 39);
    u.p_flip = bit(l, 42);
    if (how == BARRIER_POPC)
        u.d = hidden_result(false);
    else
        u.pd = hidden_result(true);
    barrier(l, &u);
}
static void lower_b2r_result(struct sass_lowering *l)
{
    struct operand pd = bits(l, 45, 3) == PT ? OPERAND_NONE : written_predicate(l, 45);
    move32(&l->b, written(&l->b, bits(l, 0, 8)), hidden_result(false));
    if (is_register(pd))
        sass_emit(&l->b, (struct operation){
                             .kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = hidden_result(true)});
}

const struct sass_meaning sass_flow[] = {{"BRA", lower_bra},
                                         {"BRX", lower_brx},
                                         {"JMP", lower_jmp},
                                         {"JMX", lower_jmx},
                                         {"SSY", lower_ssy},
                                         {"PBK", lower_pbk},
                                         {"PCNT", lower_pcnt},
                                         {"PRET", lower_pret},
                                         {"SYNC", lower_sync},
                                         {"BRK", lower_brk},
                                         {"CONT", lower_cont},
                                         {"RET", lower_ret},
                                         {"CAL", lower_cal},
                                         {"JCAL", lower_jcal},
                                         {"EXIT", lower_exit},
                                         {"NOP", sass_lower_nothing}, /* .TRIG triggers performance counters */
                                         {"DEPBAR", sass_lower_nothing},
                                         {"DEPBAR.LE", sass_lower_nothing},
                                         {"BPT", lower_bpt},
                                         {"BAR.SYNC", lower_bar_sync},
                                         {"BAR.ARV", lower_bar_arv},
                                         {"BAR.RED", lower_bar_red},
                                         {"B2R.RESULT", lower_b2r_result},
                                         {NULL, NULL}};
