/* Control flow on the hardware's stack, barriers. Targets are instruction indices until the end of lowering. */
#include "frontend/isa/sass5x/lower.h"

enum { CONDITION_TRUE = 15, BUNDLE_INSTRUCTIONS = 3 };

static void always(struct sass_lowering *l, unsigned at)
{
    if (bits(l, at, 5) != CONDITION_TRUE)
        sass_not_covered(l, "the condition code");
}

/* The instruction at a byte address; that of a control word means the one after it. */
static uint32_t instruction_at(struct sass_lowering *l, int64_t address)
{
    int64_t slot = address % SASS_BUNDLE_BYTES / SASS_WORD_BYTES;
    int64_t index = address / SASS_BUNDLE_BYTES * BUNDLE_INSTRUCTIONS + (slot ? slot - 1 : 0);
    if (address < 0 || address % SASS_WORD_BYTES || index >= l->count)
        sass_not_covered(l, "a target outside of the code");
    return (uint32_t)index;
}

static uint32_t target(struct sass_lowering *l)
{
    if (bit(l, 5))
        sass_not_covered(l, "a target in constant memory");
    int64_t offset = (int64_t)((uint64_t)bits(l, 20, 24) << 40) >> 40;
    return instruction_at(l, (int64_t)l->address + SASS_WORD_BYTES + offset);
}

static void lower_bra(struct sass_lowering *l)
{
    always(l, 0);
    sass_emit(l, (struct uop){.kind = UOP_BRANCH, .target = target(l), .reconverge = UOP_NOWHERE});
}

/* To address + 8 + Ra + offset, out of a table of all instructions. */
static void lower_brx(struct sass_lowering *l)
{
    always(l, 0);
    if (bit(l, 5))
        sass_not_covered(l, "a target in constant memory");
    int64_t offset = (int64_t)((uint64_t)bits(l, 20, 24) << 40) >> 40;
    uint32_t from = (uint32_t)((int64_t)l->address + SASS_WORD_BYTES + offset);
    struct operand at = lane2(l, OP_ADD, T_U32, read_register(l, bits(l, 8, 8)), constant32(l, from));
    struct uop u = {.kind = UOP_BRANCH_TABLE, .reconverge = UOP_NOWHERE};
    u.a = lane2(l, OP_SHR, T_U32, at, constant32(l, 3));
    u.table_count = (l->count + BUNDLE_INSTRUCTIONS - 1) / BUNDLE_INSTRUCTIONS * 4;
    u.table = ARENA_ARRAY(l->arena, uint32_t, u.table_count);
    for (uint32_t i = 0; i < u.table_count; i++) {
        uint32_t index = i / 4 * BUNDLE_INSTRUCTIONS + (i % 4 ? i % 4 - 1 : 0);
        u.table[i] = index < l->count ? index : l->count - 1;
    }
    sass_emit(l, u);
}

static void push(struct sass_lowering *l, enum stack_token token)
{
    sass_emit(l, (struct uop){.kind = UOP_PUSH, .imm = token, .target = target(l)});
}
static void lower_ssy(struct sass_lowering *l) { push(l, TOKEN_SYNC); }
static void lower_pbk(struct sass_lowering *l) { push(l, TOKEN_BREAK); }
static void lower_pcnt(struct sass_lowering *l) { push(l, TOKEN_CONTINUE); }
static void lower_pret(struct sass_lowering *l) { push(l, TOKEN_RETURN); }

static void pop(struct sass_lowering *l, enum stack_token token)
{
    always(l, 0);
    sass_emit(l, (struct uop){.kind = UOP_POP, .imm = token});
}
static void lower_sync(struct sass_lowering *l) { pop(l, TOKEN_SYNC); }
static void lower_brk(struct sass_lowering *l) { pop(l, TOKEN_BREAK); }
static void lower_cont(struct sass_lowering *l) { pop(l, TOKEN_CONTINUE); }
static void lower_ret(struct sass_lowering *l) { pop(l, TOKEN_RETURN); }

static void lower_cal(struct sass_lowering *l)
{
    if (l->index + 1 >= l->count)
        sass_not_covered(l, "a call at the end of the code");
    sass_emit(l, (struct uop){.kind = UOP_PUSH, .imm = TOKEN_RETURN, .target = l->index + 1});
    sass_emit(l, (struct uop){.kind = UOP_BRANCH, .target = target(l), .reconverge = UOP_NOWHERE});
}

static void lower_exit(struct sass_lowering *l)
{
    always(l, 0);
    sass_emit(l, (struct uop){.kind = UOP_EXIT});
}

static void lower_nothing(struct sass_lowering *l) { move32(l, written(l, RZ), constant32(l, 0)); }
static void lower_nop(struct sass_lowering *l)
{
    if (bit(l, 13))
        sass_not_covered(l, ".TRIG");
    lower_nothing(l);
}

static void lower_bpt(struct sass_lowering *l)
{
    if (bits(l, 6, 3) != 3)
        sass_not_covered(l, "this kind of break");
    sass_emit(l, (struct uop){.kind = UOP_TRAP});
}

/* ---- barriers ---- */

static void barrier(struct sass_lowering *l, struct uop *u)
{
    unsigned b = bits(l, 20, 8);
    u->kind = UOP_BARRIER;
    u->type = T_U32;
    u->barrier.id = bit(l, 44) ? (int32_t)bits(l, 8, 8) : -1;
    u->barrier.count = bit(l, 43) ? (int32_t)bits(l, 20, 12) : b == RZ ? 0 : -1;
    if (u->barrier.id > 15 || u->barrier.count % RP_WARP_LANES > 0)
        sass_not_covered(l, "this barrier or count");
    if (u->barrier.id < 0)
        u->a = read_register(l, bits(l, 8, 8));
    if (u->barrier.count < 0)
        u->b = read_register(l, b);
    l->barrier = u->barrier;
    sass_emit(l, *u);
}
static void lower_bar_sync(struct sass_lowering *l) { barrier(l, &(struct uop){.barrier.kind = RP_BARRIER_SYNC}); }
static void lower_bar_arv(struct sass_lowering *l) { barrier(l, &(struct uop){.barrier.kind = RP_BARRIER_ARRIVE}); }
static void lower_bar_red(struct sass_lowering *l)
{
    static const uint8_t reductions[4] = {BARRIER_POPC, BARRIER_AND, BARRIER_OR, 255};
    unsigned how = reductions[bits(l, 35, 2)];
    if (how == 255)
        sass_not_covered(l, "this reduction");
    struct uop u = {.barrier.kind = RP_BARRIER_REDUCE, .imm = how};
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
    struct operand pd = bits(l, 45, 3) == PT ? (struct operand){0, 0} : written_predicate(l, 45);
    move32(l, written(l, bits(l, 0, 8)), hidden_result(false));
    if (pd.keep)
        sass_emit(l, (struct uop){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = hidden_result(true)});
}

const struct sass_meaning sass_flow[] = {{"BRA", lower_bra},
                                         {"BRX", lower_brx},
                                         {"SSY", lower_ssy},
                                         {"PBK", lower_pbk},
                                         {"PCNT", lower_pcnt},
                                         {"PRET", lower_pret},
                                         {"SYNC", lower_sync},
                                         {"BRK", lower_brk},
                                         {"CONT", lower_cont},
                                         {"RET", lower_ret},
                                         {"CAL", lower_cal},
                                         {"EXIT", lower_exit},
                                         {"NOP", lower_nop},
                                         {"DEPBAR", lower_nothing},
                                         {"DEPBAR.LE", lower_nothing},
                                         {"BPT", lower_bpt},
                                         {"BAR.SYNC", lower_bar_sync},
                                         {"BAR.ARV", lower_bar_arv},
                                         {"BAR.RED", lower_bar_red},
                                         {"B2R.RESULT", lower_b2r_result},
                                         {NULL, NULL}};
