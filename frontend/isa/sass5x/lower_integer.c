/* Integer arithmetic and logic. */
#include "frontend/isa/sass5x/lower.h"

enum { EXTREME_HIGH = 3 }; /* .XHI of IMNMX */

static unsigned cc_flag(struct sass_lowering *l, unsigned at) { return bit(l, at) ? UF_CARRY_OUT : 0; }
static unsigned x_flag(struct sass_lowering *l, unsigned at) { return bit(l, at) ? UF_CARRY_IN : 0; }
static enum lane_type int_type(struct sass_lowering *l, unsigned signed_at)
{
    return bit(l, signed_at) ? T_S32 : T_U32;
}
static struct operand result(struct sass_lowering *l) { return written(&l->b, bits(l, 0, 8)); }

/* For instructions whose condition codes are not documented anywhere: with .CC they are not covered. */
static void no_codes(struct sass_lowering *l, unsigned at)
{
    if (bit(l, at))
        sass_not_covered(l, "the condition code");
}

static void binary(struct sass_lowering *l, enum lane_op op, enum lane_type type, struct operand a, struct operand b,
                   unsigned flags)
{
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = (uint8_t)op,
                                        .type = (uint8_t)type,
                                        .flags = flags,
                                        .d = result(l),
                                        .a = a,
                                        .b = b});
}

/* Computes (a << shift) + b + c with the signs of the sources. Without condition codes and a third term it is a plain
 * addition or subtraction. */
static void sum(struct sass_lowering *l, struct operand a, struct operand b, struct operand *c, unsigned shift,
                unsigned flags)
{
    const struct sass_source *s = l->source;
    flags |= (s[0].negated ? UF_NEGATE_A : 0) | (s[1].negated ? UF_NEGATE_B : 0) | (l->plus_one ? UF_PLUS_ONE : 0);
    if (c && s[2].negated)
        flags |= UF_NEGATE_C;
    if (!c && !shift && !(flags & ~UF_NEGATE_B) && !is_register(l->outside)) {
        binary(l, flags ? OP_SUB : OP_ADD, T_U32, a, b, 0);
        return;
    }
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SUM3,
                                        .type = T_U32,
                                        .flags = flags,
                                        .imm = shift,
                                        .d = result(l),
                                        .a = a,
                                        .b = b,
                                        .c = c ? *c : constant32(&l->b, 0),
                                        .pd = l->outside});
}

/* Adds the first two sources, with the shift and flags of sum(). */
static void sum_of_two(struct sass_lowering *l, unsigned shift, unsigned flags)
{
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    sum(l, a, b, NULL, shift, flags);
}

/* Adds two sources. With saturation they are signed, and there are no carries. */
static void add(struct sass_lowering *l, bool saturates, unsigned flags)
{
    if (!saturates) {
        sum_of_two(l, 0, flags);
        return;
    }
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    if (flags || l->plus_one)
        sass_not_covered(l, "saturation together with these modifiers");
    if (l->source[0].negated && l->source[1].negated)
        sass_not_covered(l, "saturation of two negated operands");
    bool swap = l->source[0].negated;
    binary(l, swap || l->source[1].negated ? OP_SUB : OP_ADD, T_S32, swap ? b : a, swap ? a : b, UF_SAT);
}
static void lower_iadd(struct sass_lowering *l) { add(l, bit(l, 50), cc_flag(l, 47) | x_flag(l, 43)); }
static void lower_iadd32i(struct sass_lowering *l) { add(l, bit(l, 54), cc_flag(l, 52) | x_flag(l, 53)); }

/* One half of a register, zero-extended. */
static struct operand half(struct sass_lowering *l, struct operand v, unsigned part)
{
    if (part == 1)
        return lane2(&l->b, OP_AND, T_B32, v, constant32(&l->b, 0xffff));
    return part == 2 ? lane2(&l->b, OP_SHR, T_U32, v, constant32(&l->b, 16)) : v;
}

static struct operand widened(struct sass_lowering *l, struct operand v, bool is_signed)
{
    struct operand t = sass_temporary(&l->b);
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .d = t, .a = v};
    u.type = is_signed ? T_S64 : T_U64;
    u.stype = is_signed ? T_S32 : T_U32;
    sass_emit(&l->b, u);
    return t;
}
static struct operand lower_word(struct sass_lowering *l, struct operand v)
{
    struct operand t = sass_temporary(&l->b);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_CVT, .type = T_U32, .stype = T_U64, .d = t, .a = v});
    return t;
}

static void lower_iadd3(struct sass_lowering *l)
{
    struct operand a = source_raw(l, 0), b = source_raw(l, 1), c = source_raw(l, 2);
    unsigned flags = cc_flag(l, 47) | x_flag(l, 48), shift = 0;
    if (l->row->value == 0x5cc0) {
        a = half(l, a, bits(l, 35, 2));
        b = half(l, b, bits(l, 33, 2));
        c = half(l, c, bits(l, 31, 2));
        shift = bits(l, 37, 2);
    }
    if (!shift) {
        sum(l, a, b, &c, 0, flags);
        return;
    }
    if (flags)
        sass_not_covered(l, "a shifted sum with a condition code");
    /* (a + b), with its carry, is shifted by 16 bits, then c is added */
    if (l->source[0].negated || l->source[1].negated)
        sass_not_covered(l, "a shifted sum of negated operands");
    struct operand wide_a = widened(l, a, false), wide_b = widened(l, b, false);
    struct operand t = lane2(&l->b, OP_ADD, T_U64, wide_a, wide_b);
    t = lane2(&l->b, shift == 1 ? OP_SHR : OP_SHL, T_U64, t, constant32(&l->b, 16));
    binary(l, l->source[2].negated ? OP_SUB : OP_ADD, T_U32, lower_word(l, t), c, 0);
}

static void lower_iscadd(struct sass_lowering *l) { sum_of_two(l, bits(l, 39, 5), cc_flag(l, 47)); }
static void lower_iscadd32i(struct sass_lowering *l) { sum_of_two(l, bits(l, 53, 5), cc_flag(l, 52)); }

/* LEA and LEA.HI.X have a predicate that says whether an address lies outside of the shared window. Where it holds,
 * ptxas branches to an ATOM, otherwise to an ATOMS with the lower 24 bits of the address. */
static void lower_lea(struct sass_lowering *l)
{
    l->outside = written_predicate(l, 48);
    sum_of_two(l, bits(l, 39, 5), cc_flag(l, 47) | x_flag(l, 46));
}

/* Computes the upper word of {c, a} << shift, plus b. */
static void lower_lea_hi(struct sass_lowering *l)
{
    bool registers = l->row->value == 0x5bd8;
    unsigned shift = bits(l, registers ? 28 : 51, 5);
    struct operand *pair = ARENA_ARRAY(l->b.arena, struct operand, 2), wide = sass_temporary(&l->b);
    pair[0] = source_raw(l, 0);
    struct operand b = source_raw(l, 1);
    pair[1] = source_raw(l, 2);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = wide, .lists = {{pair, 2}}});
    if (l->source[0].negated)
        wide = lane2(&l->b, OP_NEG, T_S64, wide, wide);
    wide = lane2(&l->b, OP_SHR, T_U64, wide, constant32(&l->b, 32 - shift));
    struct operand *low = ARENA_ARRAY(l->b.arena, struct operand, 2);
    low[0] = sass_temporary(&l->b);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = wide, .lists = {{low, 2}}});
    l->source[0].negated = false;
    l->outside = written_predicate(l, 48);
    sum(l, low[0], b, NULL, 0, cc_flag(l, 47) | x_flag(l, registers ? 38 : 57));
}

/* ---- multiplication ---- */

static void lower_xmad(struct sass_lowering *l)
{
    unsigned v = l->row->value;
    bool reg = v == 0x5b00, imm = v == 0x3600, both = v == 0x5100;
    struct operation u = {.kind = UOP_LANE, .op = OP_XMAD, .type = T_U32, .flags = cc_flag(l, 47)};
    u.detail[0] = bit(l, 53);
    u.detail[1] = imm ? 0 : bit(l, reg ? 35 : 52);
    u.detail[2] = !both && bit(l, reg || imm ? 36 : 55);
    u.detail[3] = !both && bit(l, reg || imm ? 37 : 56);
    u.detail[4] = (uint8_t)bits(l, 50, reg || imm ? 3 : 2);
    u.detail[5] = bit(l, 48);
    u.detail[6] = bit(l, 49);
    u.flags |= x_flag(l, reg || imm ? 38 : 54);
    if (u.detail[4] > 4)
        sass_not_covered(l, "a reserved mode");
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.d = result(l);
    sass_emit(&l->b, u);
}

/* Computes the low or high word of a product of two words into d. Each word may be signed. */
static void product(struct sass_lowering *l, bool signed_a, bool signed_b, bool high, struct operand d)
{
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    struct operation u = {.kind = UOP_LANE, .op = OP_MUL, .flags = high ? UF_HI : 0, .d = d, .a = a, .b = b};
    u.type = signed_a ? T_S32 : T_U32;
    if (signed_a == signed_b || !high) {
        sass_emit(&l->b, u);
        return;
    }
    struct operand *words = ARENA_ARRAY(l->b.arena, struct operand, 2);
    words[1] = d;
    u = (struct operation){.kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .lists = {{words, 2}}};
    struct operand wide_a = widened(l, a, signed_a), wide_b = widened(l, b, signed_b);
    u.a = lane2(&l->b, OP_MUL, T_U64, wide_a, wide_b);
    sass_emit(&l->b, u);
}

static void lower_imul(struct sass_lowering *l)
{
    no_codes(l, 47);
    product(l, bit(l, 40), bit(l, 41), bit(l, 39), result(l));
}
static void lower_imul32i(struct sass_lowering *l)
{
    no_codes(l, 52);
    product(l, bit(l, 54), bit(l, 55), bit(l, 53), result(l));
}

/* Computes the product and then the sum. Used if there are carries, or if only one of the factors is signed. */
static void product_and_sum(struct sass_lowering *l, bool signed_a, bool signed_b, bool high, struct operand addend,
                            unsigned flags)
{
    struct operand t = sass_temporary(&l->b), zero = constant32(&l->b, 0);
    product(l, signed_a, signed_b, high, t);
    flags |= (l->source[0].negated ? UF_NEGATE_A : 0) | (l->plus_one ? UF_PLUS_ONE : 0);
    struct operation u = {
        .kind = UOP_LANE, .op = OP_SUM3, .type = T_U32, .flags = flags, .a = t, .b = addend, .c = zero};
    u.d = result(l);
    sass_emit(&l->b, u);
}
static void lower_imad32i(struct sass_lowering *l)
{
    unsigned flags = cc_flag(l, 52) | (bit(l, 55) && !l->plus_one ? UF_NEGATE_B : 0);
    product_and_sum(l, bit(l, 54), bit(l, 57), bit(l, 53), read_register(&l->b, bits(l, 0, 8)), flags);
}
static void lower_imad(struct sass_lowering *l)
{
    unsigned flags = cc_flag(l, 47) | x_flag(l, 49);
    bool high = bit(l, 54), mixed = high && bit(l, 48) != bit(l, 53), saturates = bit(l, 50);
    if (flags || l->plus_one || l->source[0].negated || mixed) {
        if (saturates)
            sass_not_covered(l, "saturation together with these modifiers");
        flags |= l->source[2].negated ? UF_NEGATE_B : 0;
        product_and_sum(l, bit(l, 48), bit(l, 53), high, source_raw(l, 2), flags);
        return;
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_MAD, .flags = (high ? UF_HI : 0) | (saturates ? UF_SAT : 0)};
    u.type = bit(l, 48) ? T_S32 : T_U32;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_int(l, 2);
    u.d = result(l);
    sass_emit(&l->b, u);
}

/* ---- logic and shifts ---- */

/* The second half of LOP and LOP3: condition codes, and last a predicate for whether the result is zero. With .X the
 * result is the next word of a long number, and zero means that all words so far are. */
static void test_result(struct sass_lowering *l, struct operand value, unsigned flags, unsigned test_at)
{
    static const uint8_t tests[4] = {CMP_FALSE, CMP_TRUE, CMP_EQ, CMP_NE};
    struct operand pd = test_at ? written_predicate(l, 48) : OPERAND_NONE, none = OPERAND_NONE;
    uint8_t test = tests[test_at ? bits(l, test_at, 2) : 0];
    bool long_test = (flags & UF_CARRY_IN) && is_register(pd) && (test == CMP_EQ || test == CMP_NE);
    if ((flags & UF_CARRY_OUT) || long_test)
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                            .op = OP_FLAGS,
                                            .type = T_U32,
                                            .flags = flags,
                                            .compare = test,
                                            .a = value,
                                            .pd = long_test ? pd : none});
    if (!is_register(pd) || long_test)
        return;
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SETP,
                                        .type = T_U32,
                                        .compare = test,
                                        .a = value,
                                        .b = constant32(&l->b, 0),
                                        .pd = pd});
}

static void logic(struct sass_lowering *l, unsigned op, unsigned flags, unsigned test_at)
{
    static const uint8_t ops[4] = {OP_AND, OP_OR, OP_XOR, OP_MOV};
    struct operand a = source_int(l, 0), b = source_int(l, 1), value = sass_temporary(&l->b);
    if (op == 3)
        a = b;
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = ops[op], .type = T_B32, .d = value, .a = a, .b = b});
    move32(&l->b, result(l), value);
    test_result(l, value, flags, test_at);
}

static unsigned logic_flags(struct sass_lowering *l, unsigned cc, unsigned x) { return cc_flag(l, cc) | x_flag(l, x); }

static void lower_lop(struct sass_lowering *l) { logic(l, bits(l, 41, 2), logic_flags(l, 47, 43), 44); }
static void lower_lop32i(struct sass_lowering *l) { logic(l, bits(l, 53, 2), logic_flags(l, 52, 57), 0); }

static void lower_lop3(struct sass_lowering *l)
{
    bool reg = l->row->value == 0x5be0;
    unsigned x = reg ? 38 : l->row->value == 0x0200 ? 56 : 57;
    struct operation u = {.kind = UOP_LANE, .op = OP_LOP3, .type = T_B32, .imm = bits(l, reg ? 28 : 48, 8)};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    move32(&l->b, result(l), u.d);
    test_result(l, u.d, logic_flags(l, 47, x), reg ? 36 : 0);
}

static struct operand amount(struct sass_lowering *l, unsigned i, bool wrap)
{
    struct operand n = source_raw(l, i);
    return wrap ? lane2(&l->b, OP_AND, T_B32, n, constant32(&l->b, 31)) : n;
}

static void lower_shl(struct sass_lowering *l)
{
    no_codes(l, 47);
    if (bit(l, 43))
        sass_not_covered(l, ".X");
    binary(l, OP_SHL, T_B32, source_raw(l, 0), amount(l, 1, bit(l, 39)), 0);
}

static void lower_shr(struct sass_lowering *l)
{
    no_codes(l, 47);
    if (bits(l, 43, 2))
        sass_not_covered(l, ".X");
    struct operand a = source_raw(l, 0);
    if (bit(l, 40))
        a = lane2(&l->b, OP_BREV, T_B32, a, a);
    binary(l, OP_SHR, int_type(l, 48), a, amount(l, 1, bit(l, 39)), 0);
}

/* Shifts the 64-bit value {c, a}. A left shift returns the upper word, a right shift the lower one. */
static void funnel(struct sass_lowering *l, bool left)
{
    no_codes(l, 47);
    unsigned type = bits(l, 37, 2);
    if (bits(l, 48, 2) || type == 1)
        sass_not_covered(l, "this kind of shift");
    struct operand a = source_raw(l, 0), n = source_raw(l, 1), c = source_raw(l, 2);
    if (type == 0) {
        unsigned flags = (left ? UF_LEFT : 0) | (bit(l, 50) ? UF_WRAP : 0);
        sass_emit(
            &l->b,
            (struct operation){
                .kind = UOP_LANE, .op = OP_SHF, .type = T_B32, .flags = flags, .d = result(l), .a = a, .b = c, .c = n});
        return;
    }
    if (bit(l, 50))
        n = lane2(&l->b, OP_AND, T_B32, n, constant32(&l->b, 63));
    struct operand *pair = ARENA_ARRAY(l->b.arena, struct operand, 2), wide = sass_temporary(&l->b);
    pair[0] = a;
    pair[1] = c;
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = wide, .lists = {{pair, 2}}});
    wide = lane2(&l->b, left ? OP_SHL : OP_SHR, type == 3 ? T_S64 : T_U64, wide, n);
    struct operand *words = ARENA_ARRAY(l->b.arena, struct operand, 2);
    words[left] = result(l);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = wide, .lists = {{words, 2}}});
}
static void lower_shf_l(struct sass_lowering *l) { funnel(l, true); }
static void lower_shf_r(struct sass_lowering *l) { funnel(l, false); }

/* ---- bit fields ---- */

/* Takes position and length from the two low bytes of a control operand. */
static void field_of(struct sass_lowering *l, unsigned i, struct operand *position, struct operand *length)
{
    uint64_t value;
    if (source_immediate(l, i, &value)) {
        *position = constant32(&l->b, value & 255);
        *length = constant32(&l->b, value >> 8 & 255);
        return;
    }
    struct operand control = source_raw(l, i);
    *position = lane2(&l->b, OP_AND, T_B32, control, constant32(&l->b, 255));
    *length = lane2(&l->b, OP_SHR, T_U32, control, constant32(&l->b, 8));
    *length = lane2(&l->b, OP_AND, T_B32, *length, constant32(&l->b, 255));
}

static void lower_bfe(struct sass_lowering *l)
{
    no_codes(l, 47);
    struct operation u = {.kind = UOP_LANE, .op = OP_BFE, .type = (uint8_t)int_type(l, 48)};
    u.a = source_raw(l, 0);
    if (bit(l, 40))
        u.a = lane2(&l->b, OP_BREV, T_B32, u.a, u.a);
    field_of(l, 1, &u.b, &u.c);
    u.d = result(l);
    sass_emit(&l->b, u);
}

static void lower_bfi(struct sass_lowering *l)
{
    no_codes(l, 47);
    struct operation u = {.kind = UOP_LANE, .op = OP_BFI, .type = T_B32, .lists = {{.count = 1}}};
    u.lists[0].at = ARENA_NEW(l->b.arena, struct operand);
    u.a = source_raw(l, 0);
    field_of(l, 1, &u.c, u.lists[0].at);
    u.b = source_raw(l, 2);
    u.d = result(l);
    sass_emit(&l->b, u);
}

static void lower_flo(struct sass_lowering *l)
{
    no_codes(l, 47);
    struct operand a = source_int(l, 0);
    binary(l, OP_BFIND, int_type(l, 48), a, a, bit(l, 41) ? UF_SHIFTAMT : 0);
}
static void lower_popc(struct sass_lowering *l)
{
    struct operand a = source_int(l, 0);
    binary(l, OP_POPC, T_U32, a, a, 0);
}
static void lower_prmt(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_PRMT, .type = T_B32, .imm = bits(l, 48, 4)};
    u.a = source_raw(l, 0);
    u.c = source_raw(l, 1);
    u.b = source_raw(l, 2);
    u.d = result(l);
    sass_emit(&l->b, u);
}

/* ---- comparison ---- */

/* A word of the minimum or maximum of two long integers: first of the highest words (XHI), then down to the lowest
 * (XLO). */
static void extreme_word(struct sass_lowering *l, unsigned mode)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_MINMAX_X, .type = (uint8_t)int_type(l, 48)};
    u.flags = cc_flag(l, 47) | (mode == EXTREME_HIGH ? 0 : UF_CARRY_IN);
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.p = read_predicate(l, 39);
    u.p_flip = bit(l, 42);
    u.d = result(l);
    sass_emit(&l->b, u);
}

static void lower_imnmx(struct sass_lowering *l)
{
    if (bits(l, 43, 2)) {
        extreme_word(l, bits(l, 43, 2));
        return;
    }
    no_codes(l, 47);
    enum lane_type type = int_type(l, 48);
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    if (bits(l, 39, 3) == PT) {
        binary(l, bit(l, 42) ? OP_MAX : OP_MIN, type, a, b, 0);
        return;
    }
    struct operand low = lane2(&l->b, OP_MIN, type, a, b), high = lane2(&l->b, OP_MAX, type, a, b);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SELP,
                                        .type = T_B32,
                                        .d = result(l),
                                        .a = low,
                                        .b = high,
                                        .p = read_predicate(l, 39),
                                        .p_flip = bit(l, 42)});
}

static struct operation comparison(struct sass_lowering *l)
{
    struct operation u = {
        .kind = UOP_LANE, .op = bit(l, 43) ? OP_COMPARE_X : OP_SETP, .type = (uint8_t)int_type(l, 48)};
    u.flags = x_flag(l, 43);
    u.compare = (uint8_t)int_compare(bits(l, 49, 3));
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    set_predicates(l, &u, 45);
    if (!bit(l, 43) && u.combine == COMBINE_AND && bits(l, 39, 4) == PT && bits(l, 0, 3) == PT)
        u.combine = COMBINE_NONE;
    return u;
}

static void lower_isetp(struct sass_lowering *l)
{
    struct operation u = comparison(l);
    u.pd = written_predicate(l, 3);
    u.pd2 = written_predicate(l, 0);
    sass_emit(&l->b, u);
}

static void lower_iset(struct sass_lowering *l)
{
    struct operation u = comparison(l);
    u.combine = u.combine == COMBINE_NONE ? COMBINE_AND : u.combine;
    sass_set(l, u, bit(l, 44));
}

static void lower_icmp(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)int_type(l, 48)};
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    u.compare = (uint8_t)int_compare(bits(l, 49, 3));
    u.a = source_raw(l, 2);
    u.b = constant32(&l->b, 0);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass_emit(&l->b, (struct operation){
                         .kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .d = result(l), .a = a, .b = b, .p = u.pd});
}

const struct sass_meaning sass_integer[] = {{"IADD", lower_iadd},
                                            {"IADD32I", lower_iadd32i},
                                            {"IADD3", lower_iadd3},
                                            {"ISCADD", lower_iscadd},
                                            {"LEA", lower_lea},
                                            {"LEA.HI", lower_lea_hi},
                                            {"ISCADD32I", lower_iscadd32i},
                                            {"XMAD", lower_xmad},
                                            {"IMUL", lower_imul},
                                            {"IMUL32I", lower_imul32i},
                                            {"IMAD", lower_imad},
                                            {"IMAD32I", lower_imad32i},
                                            {"LOP", lower_lop},
                                            {"LOP32I", lower_lop32i},
                                            {"LOP3", lower_lop3},
                                            {"SHL", lower_shl},
                                            {"SHR", lower_shr},
                                            {"SHF.L", lower_shf_l},
                                            {"SHF.R", lower_shf_r},
                                            {"BFE", lower_bfe},
                                            {"BFI", lower_bfi},
                                            {"FLO", lower_flo},
                                            {"POPC", lower_popc},
                                            {"PRMT", lower_prmt},
                                            {"IMNMX", lower_imnmx},
                                            {"ISETP", lower_isetp},
                                            {"ISET", lower_iset},
                                            {"ICMP", lower_icmp},
                                            {NULL, NULL}};
