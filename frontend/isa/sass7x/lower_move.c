/* Moves, special registers, predicates as bits, exchange between lanes. */
#include "frontend/isa/sass7x/lower.h"

static void lower_mov(struct sass_lowering *l)
{
    if (bits(l, 72, 4) != 15)
        sass_not_covered(l, "a move in some lanes of each quad");
    move32(&l->b, sass7x_result(l), source_raw(l, 0));
}
static void lower_umov(struct sass_lowering *l) { move32(&l->b, sass7x_result(l), source_raw(l, 0)); }

/* The address of this instruction, or one relative to it: code lies at 0. */
static void lower_lepc(struct sass_lowering *l)
{
    const struct sass_item *i = l->row->items;
    while (i->kind != SI_END && i->kind != SI_TARGET)
        i++;
    uint64_t at = l->address;
    if (i->kind == SI_TARGET)
        at += 16 + (uint64_t)(sass_sign_extend(sass_value(l->word, i), (unsigned)i->f.width + i->g.width) << i->unit);
    sass7x_write_64(l, constant64(&l->b, at));
}

/* ---- special registers, by the numbers that NVIDIA's disassembler names ---- */

static const struct {
    uint8_t number;
    uint8_t special; /* enum special */
} specials[] = {
    {0, SR_LANEID},          {33, SR_TID_X},          {34, SR_TID_Y},         {35, SR_TID_Z},
    {37, SR_CTAID_X},        {38, SR_CTAID_Y},        {39, SR_CTAID_Z},       {50, SR_TOTAL_SMEM_SIZE},
    {56, SR_LANEMASK_EQ},    {57, SR_LANEMASK_LT},    {58, SR_LANEMASK_LE},   {59, SR_LANEMASK_GT},
    {60, SR_LANEMASK_GE},    {67, SR_SMID},           {80, SR_CLOCK},         {81, SR_CLOCK_HI},
    {82, SR_GLOBALTIMER_LO}, {83, SR_GLOBALTIMER_HI}, {136, SR_CLUSTER_RANK},
};
enum {
    NUMBER_VIRTCFG = 2,
    NUMBER_VIRTID = 3,
    NUMBER_TID = 32,
    NUMBER_SWINHI = 47,
    NUMBER_LMEMHIOFF = 55,
    NUMBER_PM0 = 100,
    NUMBER_PM_HI7 = 115,
    NUMBER_ZERO = 255
};

static void read_special(struct sass_lowering *l, enum special which, struct operand d)
{
    if (which >= SR_CLOCK && which <= SR_GLOBALTIMER_HI)
        l->b.order |= ORDER_CLOCK;
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = d, .imm = which});
}

static struct operand shifted_special(struct sass_lowering *l, enum special which, unsigned shift)
{
    struct operand t = sass_temporary(&l->b);
    read_special(l, which, t);
    return lane2(&l->b, OP_SHL, T_B32, t, constant32(&l->b, shift));
}

/* Registers that hold several numbers. */
static struct operand combined_special(struct sass_lowering *l, unsigned number)
{
    struct operand x, y, z;
    if (number >= NUMBER_PM0 && number <= NUMBER_PM_HI7) /* performance counters, which count nothing here */
        return constant32(&l->b, 0);
    switch (number) {
    case NUMBER_VIRTCFG: return shifted_special(l, SR_NWARPID, 8);
    case NUMBER_VIRTID: return shifted_special(l, SR_WARPID, 8);
    case NUMBER_TID: /* 16 bits of x, 10 of y, 6 of z */
        x = shifted_special(l, SR_TID_X, 0);
        y = shifted_special(l, SR_TID_Y, 16);
        z = shifted_special(l, SR_TID_Z, 26);
        return lane2(&l->b, OP_OR, T_B32, x, lane2(&l->b, OP_OR, T_B32, y, z));
    case NUMBER_SWINHI: return constant32(&l->b, l->arch == SASS_90 ? SHARED_HIGH : 0);
    case NUMBER_LMEMHIOFF: /* which the stack must not fall below */
    case NUMBER_ZERO: return constant32(&l->b, 0);
    default: sass_not_covered(l, "this special register");
    }
}

static void special(struct sass_lowering *l, unsigned number, struct operand d)
{
    for (unsigned i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].number == number) {
            read_special(l, specials[i].special, d);
            return;
        }
    move32(&l->b, d, combined_special(l, number));
}

enum { AT_SPECIAL = 72 };
static void lower_s2r(struct sass_lowering *l) { special(l, bits(l, AT_SPECIAL, 8), sass7x_result(l)); }
static void lower_s2ur(struct sass_lowering *l)
{
    l->b.uniform = false;
    struct operand t = sass_temporary(&l->b);
    special(l, bits(l, AT_SPECIAL, 8), t);
    sass7x_broadcast(l, t);
}

/* A pair, or with .32 one word. Of a register of 32 bits the upper word is 0; of the clock and the timer it is the next
 * register. */
static void lower_cs2r(struct sass_lowering *l)
{
    enum { AT_PAIR = 80, CLOCK_LOW = 80, TIMER_LOW = 82 };
    unsigned number = bits(l, AT_SPECIAL, 8);
    struct operand low = sass_temporary(&l->b), high = constant32(&l->b, 0);
    if (!bit(l, AT_PAIR)) {
        special(l, number, sass7x_result(l));
        return;
    }
    if (number == NUMBER_ZERO) {
        sass7x_write_64(l, constant64(&l->b, 0));
        return;
    }
    special(l, number, low);
    if (number == CLOCK_LOW || number == TIMER_LOW) {
        high = sass_temporary(&l->b);
        special(l, number + 1, high);
    }
    sass7x_write_64(l, sass7x_pack(l, low, high));
}

/* ---- predicates as bits of a byte ---- */

enum { AT_BYTE = 76 };

/* The seven predicates of the row's file, read or written; in the place of those that the mask, source 1, is known to
 * leave out, no predicate of the file. */
static struct operand_list all_predicates(struct sass_lowering *l, bool write)
{
    bool uniform = l->row->flags & SASS_UNIFORM_GUARD;
    struct operand *list = ARENA_ARRAY(l->b.arena, struct operand, PT);
    uint64_t mask;
    mask = source_immediate(l, 1, &mask) ? mask : ~UINT64_C(0);
    for (unsigned n = 0; n < PT; n++) {
        if (!(mask >> n & 1))
            list[n] = write ? sass_temporary(&l->b) : constant32(&l->b, 0);
        else if (uniform)
            list[n] = write ? written_uniform_predicate(&l->b, n) : uniform_predicate(&l->b, n);
        else
            list[n] = write ? written_predicate_register(&l->b, n) : predicate_register(&l->b, n);
    }
    return (struct operand_list){list, PT};
}

/* A byte of a word up to its place in Rd, or down to bit 0. */
static struct operand moved_byte(struct sass_lowering *l, enum lane_op op, struct operand v)
{
    unsigned shift = 8 * bits(l, AT_BYTE, 2);
    return shift ? lane2(&l->b, op, T_U32, v, constant32(&l->b, shift)) : v;
}

/* Rd = A, in whose byte the bits of the mask are replaced by predicates. */
static void lower_p2r(struct sass_lowering *l)
{
    struct operand a = source_raw(l, 0), mask = lane2(&l->b, OP_AND, T_B32, source_raw(l, 1), constant32(&l->b, 0x7f));
    struct operation u = {.op = OP_GATHER_PREDICATES, .type = T_U32, .lists = {all_predicates(l, false)}};
    struct operand value = lane2(&l->b, OP_AND, T_B32, sass_value_of(l, u), mask);
    mask = moved_byte(l, OP_SHL, mask);
    a = lane2(&l->b, OP_AND, T_B32, a, lane2(&l->b, OP_NOT, T_B32, mask, mask));
    move32(&l->b, sass7x_result(l), lane2(&l->b, OP_OR, T_B32, a, moved_byte(l, OP_SHL, value)));
}

static void lower_r2p(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SCATTER_PREDICATES, .type = T_U32};
    u.a = moved_byte(l, OP_SHR, source_raw(l, 0));
    u.b = source_raw(l, 1);
    u.lists[0] = all_predicates(l, true);
    sass_emit(&l->b, u);
}

/* ---- across lanes: those active here take part ---- */

static void lower_shfl(struct sass_lowering *l)
{
    static const uint8_t modes[4] = {SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY};
    struct operation u = {.op = OP_SHFL, .type = T_B32, .imm = modes[bits(l, 58, 2)]};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.pd = written_predicate(l, AT_PD);
    sass7x_to_result(l, u);
}

static struct operation vote(struct sass_lowering *l, unsigned mode)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_VOTE, .type = mode == VOTE_BALLOT ? T_B32 : T_PRED, .imm = mode};
    u.p = predicate_register(&l->b, bits(l, AT_PC, 3));
    u.p_flip = bit(l, AT_PC + 3);
    return u;
}
static unsigned vote_mode(struct sass_lowering *l)
{
    static const uint8_t modes[3] = {VOTE_ALL, VOTE_ANY, VOTE_UNI};
    unsigned mode = bits(l, 72, 2);
    if (mode == 3)
        sass_not_covered(l, "this vote");
    return modes[mode];
}
static void lower_vote(struct sass_lowering *l)
{
    unsigned mode = vote_mode(l);
    struct operation u = vote(l, VOTE_BALLOT);
    u.d = written(&l->b, bits(l, AT_RD, 8));
    sass_emit(&l->b, u);
    if (bits(l, AT_PD, 3) == PT)
        return;
    u = vote(l, mode);
    u.pd = written_predicate(l, AT_PD);
    sass_emit(&l->b, u);
}
static void lower_voteu(struct sass_lowering *l)
{
    unsigned mode = vote_mode(l);
    struct operation u = vote(l, VOTE_BALLOT);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    struct operand ballot = u.d;
    u = vote(l, mode);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass7x_broadcast(l, ballot);
    sass7x_broadcast_predicate(l, AT_PD, u.pd);
}

static void lower_match(struct sass_lowering *l)
{
    enum { AT_ANY = 79, AT_WIDE = 73 };
    struct operand mask = sass7x_active_lanes(l);
    struct operation u = {.op = OP_MATCH, .type = bit(l, AT_WIDE) ? T_B64 : T_B32, .imm = !bit(l, AT_ANY), .b = mask};
    u.a = bit(l, AT_WIDE) ? source_64(l, 0) : source_raw(l, 0);
    if (u.imm)
        u.pd = written_predicate(l, AT_PD);
    sass7x_to_result(l, u);
}

static void lower_redux(struct sass_lowering *l)
{
    static const uint8_t operations[8] = {RP_ATOMIC_AND, RP_ATOMIC_OR,  RP_ATOMIC_XOR,  RP_ATOMIC_ADD,
                                          RP_ATOMIC_MIN, RP_ATOMIC_MAX, RP_ATOMIC_NONE, RP_ATOMIC_NONE};
    struct operation u = {.op = OP_REDUX, .imm = operations[bits(l, 78, 3)]};
    bool logic = u.imm == RP_ATOMIC_AND || u.imm == RP_ATOMIC_OR || u.imm == RP_ATOMIC_XOR;
    if (u.imm == RP_ATOMIC_NONE)
        sass_not_covered(l, "this reduction");
    u.type = logic ? T_B32 : bit(l, 73) ? T_S32 : T_U32;
    u.b = sass7x_active_lanes(l);
    u.a = source_raw(l, 0);
    sass7x_broadcast(l, sass_value_of(l, u));
}

/* The predicate is true in the lanes whose value is another one: ptxas makes them go again. With .OR it stays true
 * where it was, so that several registers are compared. */
static void lower_r2ur(struct sass_lowering *l)
{
    enum { AT_OR = 84 };
    struct operand value = source_raw(l, 0);
    sass7x_broadcast(l, value);
    if (bits(l, AT_PD, 3) == PT)
        return;
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_NE, .a = value};
    if (bit(l, AT_OR)) {
        u.combine = COMBINE_OR;
        u.p = read_predicate(l, AT_PD);
    }
    u.b = read_uniform(&l->b, bits(l, AT_RD, 6));
    u.pd = written_predicate(l, AT_PD);
    sass_emit(&l->b, u);
}

static void lower_rpcmov(struct sass_lowering *l)
{
    enum { TO_REGISTER = 0x353, FROM_WORD = 0x52 };
    struct operand rpc = link_register(bit(l, 31));
    if (l->row->value == TO_REGISTER)
        move32(&l->b, written(&l->b, bits(l, AT_RD, 8)), rpc);
    else if ((l->row->value & 0xff) == FROM_WORD)
        move32(&l->b, rpc, source_raw(l, 0));
    else
        sass_not_covered(l, "this form");
}

const struct sass_meaning sass7x_move[] = {{"MOV", lower_mov},     {"UMOV", lower_umov},     {"LEPC", lower_lepc},
                                           {"S2R", lower_s2r},     {"S2UR", lower_s2ur},     {"CS2R", lower_cs2r},
                                           {"P2R", lower_p2r},     {"UP2UR", lower_p2r},     {"R2P", lower_r2p},
                                           {"UR2UP", lower_r2p},   {"SHFL", lower_shfl},     {"VOTE", lower_vote},
                                           {"VOTEU", lower_voteu}, {"MATCH", lower_match},   {"REDUX", lower_redux},
                                           {"R2UR", lower_r2ur},   {"RPCMOV", lower_rpcmov}, {NULL, NULL}};
