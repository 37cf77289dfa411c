/* Moves, special registers, predicates as values, exchange between lanes. */
#include "frontend/isa/sass5x/lower.h"

static struct operand result(struct sass_lowering *l) { return written(&l->b, bits(l, 0, 8)); }

/* Moves in those lanes of each quad whose bit of the field is set. */
static void move_in_quads(struct sass_lowering *l, struct operand a, unsigned at)
{
    unsigned lanes = bits(l, at, 4), d = bits(l, 0, 8);
    if (lanes == 15) {
        move32(&l->b, result(l), a);
        return;
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .a = a, .b = read_register(&l->b, d)};
    u.p = constant32(&l->b, lanes * 0x11111111u);
    u.d = result(l);
    sass_emit(&l->b, u);
}
static void lower_mov(struct sass_lowering *l) { move_in_quads(l, source_raw(l, 0), 39); }
static void lower_mov32i(struct sass_lowering *l) { move_in_quads(l, constant32(&l->b, bits(l, 20, 32)), 12); }
static void lower_sel(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.p = read_predicate(l, 39);
    u.p_flip = bit(l, 42);
    u.d = result(l);
    sass_emit(&l->b, u);
}

static const struct {
    uint8_t number;
    uint8_t special; /* enum special */
} specials[] = {
    {0x00, SR_LANEID},          {0x21, SR_TID_X},       {0x22, SR_TID_Y},       {0x23, SR_TID_Z},
    {0x25, SR_CTAID_X},         {0x26, SR_CTAID_Y},     {0x27, SR_CTAID_Z},     {0x38, SR_LANEMASK_EQ},
    {0x39, SR_LANEMASK_LT},     {0x3a, SR_LANEMASK_LE}, {0x3b, SR_LANEMASK_GT}, {0x3c, SR_LANEMASK_GE},
    {0x32, SR_TOTAL_SMEM_SIZE}, {0x50, SR_CLOCK},       {0x51, SR_CLOCK_HI},    {0x52, SR_GLOBALTIMER_LO},
    {0x53, SR_GLOBALTIMER_HI},
};
static struct operand special(struct sass_lowering *l, enum special which, struct operand d)
{
    if (which >= SR_CLOCK && which <= SR_GLOBALTIMER_HI)
        l->b.order |= ORDER_CLOCK;
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_SPECIAL, .type = T_U32, .d = d, .imm = which});
    return d;
}
/* Reads registers that combine several numbers. */
static bool combined_special(struct sass_lowering *l, unsigned number)
{
    enum special which;
    unsigned shift;
    if ((number >= 0x04 && number <= 0x0b) ||
        (number >= 0x48 && number <= 0x4f)) { /* %pm0 to 7: performance counters, which count nothing here */
        move32(&l->b, result(l), constant32(&l->b, 0));
        return true;
    }
    switch (number) {
    case 0x02: which = SR_NSMID, shift = 20; break;
    case 0x03: which = SR_WARPID, shift = 8; break; /* the SM's number, at 20, is 0 */
    case 0x37: /* LMEMHIOFF: the limit of the stack */ move32(&l->b, result(l), constant32(&l->b, 0)); return true;
    default: return false;
    }
    struct operand t = special(l, which, sass_temporary(&l->b));
    move32(&l->b, result(l), lane2(&l->b, OP_SHL, T_B32, t, constant32(&l->b, shift)));
    return true;
}
/* %tid: 16 bits of x, 10 of y, 6 of z. */
static void packed_tid(struct sass_lowering *l)
{
    struct operand x = special(l, SR_TID_X, sass_temporary(&l->b)), y = special(l, SR_TID_Y, sass_temporary(&l->b));
    struct operand z = special(l, SR_TID_Z, sass_temporary(&l->b));
    y = lane2(&l->b, OP_SHL, T_B32, y, constant32(&l->b, 16));
    z = lane2(&l->b, OP_SHL, T_B32, z, constant32(&l->b, 26));
    move32(&l->b, result(l), lane2(&l->b, OP_OR, T_B32, x, lane2(&l->b, OP_OR, T_B32, y, z)));
}
static void lower_s2r(struct sass_lowering *l)
{
    unsigned number = bits(l, 20, 8);
    for (unsigned i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (specials[i].number == number) {
            special(l, specials[i].special, result(l));
            return;
        }
    }
    if (number == 0x20)
        packed_tid(l);
    else if (!combined_special(l, number))
        sass_not_covered(l, "this special register");
}

static struct operand predicate_number(struct sass_lowering *l, unsigned n, bool write)
{
    return write ? written_predicate_register(&l->b, n) : predicate_register(&l->b, n);
}
/* Shifts predicates or condition codes to the byte of a register that P2R and R2P select; from_byte: the reverse. */
static struct operand to_byte(struct sass_lowering *l, struct operand v)
{
    unsigned shift = 8 * bits(l, 41, 2);
    return shift ? lane2(&l->b, OP_SHL, T_B32, v, constant32(&l->b, shift)) : v;
}
static struct operand from_byte(struct sass_lowering *l, struct operand v)
{
    unsigned shift = 8 * bits(l, 41, 2);
    return shift ? lane2(&l->b, OP_SHR, T_U32, v, constant32(&l->b, shift)) : v;
}
/* The predicates in `mask` as a number, bit n for Pn; or the condition codes. */
static struct operand predicates_number(struct sass_lowering *l, uint64_t mask)
{
    struct operand d = constant32(&l->b, 0);
    if (bit(l, 40)) {
        d = sass_temporary(&l->b);
        sass_emit(&l->b,
                  (struct operation){.kind = UOP_LANE, .op = OP_GET_CC, .type = T_U32, .flags = UF_CARRY_IN, .d = d});
        return d;
    }
    for (unsigned n = 0; n < PT; n++) {
        if (!(mask >> n & 1))
            continue;
        struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = predicate_number(l, n, false)};
        u.a = constant32(&l->b, 1u << n);
        u.b = constant32(&l->b, 0);
        u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
        d = lane2(&l->b, OP_OR, T_B32, d, u.d);
    }
    return d;
}
static void lower_p2r(struct sass_lowering *l)
{
    uint64_t known = ~0ull;
    source_immediate(l, 1, &known);
    struct operand a = source_raw(l, 0), mask = lane2(&l->b, OP_AND, T_B32, source_raw(l, 1), constant32(&l->b, 0x7f));
    struct operand value = lane2(&l->b, OP_AND, T_B32, predicates_number(l, known), mask);
    a = lane2(&l->b, OP_AND, T_B32, a, lane2(&l->b, OP_NOT, T_B32, to_byte(l, mask), constant32(&l->b, 0)));
    move32(&l->b, result(l), lane2(&l->b, OP_OR, T_B32, a, to_byte(l, value)));
}

/* p = bit n of a. */
static void test_bit(struct sass_lowering *l, struct operand p, struct operand a, unsigned n)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_U32, .compare = CMP_NE, .pd = p};
    u.a = lane2(&l->b, OP_AND, T_B32, a, constant32(&l->b, 1u << n));
    u.b = constant32(&l->b, 0);
    sass_emit(&l->b, u);
}
/* Sets Pn to bit n of a if bit n of the mask, a register, is set: p ^ ((p ^ value) & chosen). */
static void set_chosen(struct sass_lowering *l, unsigned n, struct operand a, struct operand mask)
{
    struct operand value = sass_temporary(&l->b), chosen = sass_temporary(&l->b), p = predicate_number(l, n, false);
    test_bit(l, value, a, n);
    test_bit(l, chosen, mask, n);
    value = lane2(&l->b, OP_AND, T_PRED, lane2(&l->b, OP_XOR, T_PRED, p, value), chosen);
    struct operation u = {.kind = UOP_LANE, .op = OP_XOR, .type = T_PRED, .d = predicate_number(l, n, true), .a = p};
    u.b = value;
    sass_emit(&l->b, u);
}
static void lower_r2p(struct sass_lowering *l)
{
    uint64_t known = ~0ull;
    unsigned guard = bits(l, 16, 3);
    bool immediate = source_immediate(l, 1, &known);
    struct operand a = from_byte(l, source_raw(l, 0)), mask = source_raw(l, 1);
    if (bit(l, 40)) {
        struct operation u = {
            .kind = UOP_LANE, .op = OP_SET_CC, .type = T_U32, .flags = UF_CARRY_OUT, .a = a, .b = mask};
        sass_emit(&l->b, u);
        return;
    }
    move32(&l->b, written(&l->b, RZ), a);
    uint32_t kept = l->b.temporaries;
    for (unsigned i = 0; i <= PT; i++) { /* the guard last */
        unsigned n = i < PT ? i : guard;
        l->b.temporaries = kept;
        if ((i < PT && n == guard) || n == PT || !(known >> n & 1))
            continue;
        if (immediate)
            test_bit(l, predicate_number(l, n, true), a, n);
        else
            set_chosen(l, n, a, mask);
    }
}

static struct operand predicate_source(struct sass_lowering *l, unsigned at, unsigned negate)
{
    struct operand p = read_predicate(l, at);
    return bit(l, negate) ? lane2(&l->b, OP_XOR, T_PRED, p, constant32(&l->b, ~0u)) : p;
}
static struct operand combined(struct sass_lowering *l, unsigned op, struct operand a, struct operand b)
{
    static const uint8_t ops[3] = {OP_AND, OP_OR, OP_XOR};
    if (op == 3)
        sass_not_covered(l, "this combination of predicates");
    return lane2(&l->b, ops[op], T_PRED, a, b);
}
static void lower_psetp(struct sass_lowering *l)
{
    struct operand a = predicate_source(l, 12, 15), b = predicate_source(l, 29, 32), c = predicate_source(l, 39, 42);
    struct operand t = combined(l, bits(l, 24, 2), a, b), not = lane2(&l->b, OP_XOR, T_PRED, t, constant32(&l->b, ~0u));
    struct operand first = combined(l, bits(l, 45, 2), t, c);
    write_predicates(l, first, combined(l, bits(l, 45, 2), not, c));
}
/* Sets Rd to all ones, or to 1.0, where the predicate holds, otherwise to 0. Bit 44: BF. */
static void set_by(struct sass_lowering *l, struct operand p)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .p = p, .b = constant32(&l->b, 0)};
    u.a = constant32(&l->b, bit(l, 44) ? 0x3f800000 : ~0u);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    move32(&l->b, result(l), u.d);
    set_codes(l, u.d);
}
static void lower_pset(struct sass_lowering *l)
{
    struct operand a = predicate_source(l, 12, 15), b = predicate_source(l, 29, 32), c = predicate_source(l, 39, 42);
    set_by(l, combined(l, bits(l, 45, 2), combined(l, bits(l, 24, 2), a, b), c));
}
static struct operand code_test(struct sass_lowering *l)
{
    struct operand t = sass_temporary(&l->b);
    sass_emit(
        &l->b,
        (struct operation){
            .kind = UOP_LANE, .op = OP_TEST_CC, .type = T_U32, .flags = UF_CARRY_IN, .pd = t, .imm = bits(l, 8, 5)});
    return t;
}
static void lower_csetp(struct sass_lowering *l)
{
    struct operand t = code_test(l), c = predicate_source(l, 39, 42);
    struct operand not = lane2(&l->b, OP_XOR, T_PRED, t, constant32(&l->b, ~0u));
    struct operand first = combined(l, bits(l, 45, 2), t, c);
    write_predicates(l, first, combined(l, bits(l, 45, 2), not, c));
}

static void lower_cset(struct sass_lowering *l)
{
    struct operand t = code_test(l);
    set_by(l, combined(l, bits(l, 45, 2), t, predicate_source(l, 39, 42)));
}

/* ---- across lanes ---- */

static void lower_vote(struct sass_lowering *l)
{
    static const uint8_t modes[3] = {VOTE_ALL, VOTE_ANY, VOTE_UNI};
    unsigned mode = bits(l, 48, 2), d = bits(l, 0, 8);
    if (mode == 3)
        sass_not_covered(l, "this vote");
    struct operation u = {.kind = UOP_LANE, .op = OP_VOTE, .type = T_B32, .imm = VOTE_BALLOT};
    u.p = read_predicate(l, 39);
    u.p_flip = bit(l, 42);
    u.d = written(&l->b, d);
    sass_emit(&l->b, u);
    if (bits(l, 45, 3) == PT)
        return;
    u.type = T_PRED;
    u.imm = modes[mode];
    u.d = OPERAND_NONE;
    u.pd = written_predicate(l, 45);
    sass_emit(&l->b, u);
}

static void lower_shfl(struct sass_lowering *l)
{
    static const uint8_t modes[4] = {SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY};
    struct operation u = {.kind = UOP_LANE, .op = OP_SHFL, .type = T_B32, .imm = modes[bits(l, 30, 2)]};
    u.a = read_register(&l->b, bits(l, 8, 8));
    u.b = bit(l, 28) ? constant32(&l->b, bits(l, 20, 5)) : read_register(&l->b, bits(l, 20, 8));
    u.c = bit(l, 29) ? constant32(&l->b, bits(l, 34, 13)) : read_register(&l->b, bits(l, 39, 8));
    u.d = result(l);
    u.pd = written_predicate(l, 48);
    sass_emit(&l->b, u);
}

const struct sass_meaning sass_move[] = {{"MOV", lower_mov},   {"MOV32I", lower_mov32i},
                                         {"SEL", lower_sel},   {"S2R", lower_s2r},
                                         {"CS2R", lower_s2r},  {"P2R", lower_p2r},
                                         {"R2P", lower_r2p},   {"PSETP", lower_psetp},
                                         {"PSET", lower_pset}, {"CSETP", lower_csetp},
                                         {"CSET", lower_cset}, {"VOTE", lower_vote},
                                         {"SHFL", lower_shfl}, {NULL, NULL}};
