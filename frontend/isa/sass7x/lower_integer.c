/* Integer arithmetic: sums with carries in predicates, products, minima, comparisons. */
#include "frontend/core/lanes/lanes.h"
#include "frontend/isa/sass7x/lower.h"

enum { AT_X = 74, AT_SIGNED = 73 }; /* .X, and the bit that is 0 for .U32 */

static enum lane_type word_type(const struct sass_lowering *l) { return bit(l, AT_SIGNED) ? T_S32 : T_U32; }

/* ---- sums ---- */

/* Sums of words: the flags that negate, or with .X invert, the terms. */
static uint64_t signs(const struct sass_lowering *l, unsigned count)
{
    static const uint64_t flags[3] = {UF_NEGATE_A, UF_NEGATE_B, UF_NEGATE_C};
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++)
        all |= l->source[i].negated || l->source[i].inverted ? flags[i] : 0;
    return all;
}

/* Adds p and `second` as carries. */
static void add_carries(struct sass_lowering *l, struct operation *u, struct operand second)
{
    u->flags |= UF_CARRY_IN;
    u->lists[0].at = ARENA_ARRAY(l->b.arena, struct operand, 1);
    u->lists[0].at[0] = second;
    u->lists[0].count = 1;
}
/* The same with p of field AT_PC. */
static void chain(struct sass_lowering *l, struct operation *u, struct operand second)
{
    add_carries(l, u, second);
    sass7x_set_p(l, u, AT_PC);
}

static struct operand no_carry(struct sass_lowering *l) { return constant32(&l->b, 0); }

/* The second carry in of IADD3.X, as a predicate that is not negated. */
static struct operand second_carry(struct sass_lowering *l)
{
    enum { AT_SECOND = 77 };
    return bits(l, AT_SECOND, 4) == (PT | 8) ? no_carry(l) : sass7x_predicate(l, AT_SECOND);
}

static void lower_iadd3(struct sass_lowering *l)
{
    struct operation u = {.op = OP_ADD3, .type = T_U32, .flags = signs(l, 3)};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    if (bit(l, AT_X))
        chain(l, &u, second_carry(l));
    u.pd = written_predicate(l, AT_PD);
    u.pd2 = written_predicate(l, AT_PD2);
    bool third = l->source[2].item->kind != SI_REGISTER || is_register(u.c) || l->source[2].negated;
    if (!third && !u.pd.at && !u.pd2.at && !(u.flags & ~UF_NEGATE_B)) {
        u.op = u.flags ? OP_SUB : OP_ADD; /* the usual sum of two */
        u.flags = 0;
        u.c = OPERAND_NONE;
    }
    sass7x_to_result(l, u);
}

/* The words of a pair; an immediate is extended by its sign. */
static void pair_source(struct sass_lowering *l, unsigned i, struct operand words[2])
{
    uint64_t value;
    if (source_immediate(l, i, &value)) {
        words[0] = constant32(&l->b, (uint32_t)value);
        words[1] = constant32(&l->b, (uint32_t)value >> 31 ? ~0u : 0);
        return;
    }
    sass7x_split(l, source_64(l, i), words);
}

/* UIADD3.64: a sum of pairs, word by word. */
static void add_pairs(struct sass_lowering *l)
{
    struct operand terms[3][2], sum[2], pd[2], pd2[2];
    for (unsigned i = 0; i < 3; i++)
        pair_source(l, i, terms[i]);
    for (unsigned k = 0; k < 2; k++) {
        struct operation u = {.kind = UOP_LANE, .op = OP_ADD3, .type = T_U32, .flags = signs(l, 3)};
        u.a = terms[0][k];
        u.b = terms[1][k];
        u.c = terms[2][k];
        if (k) { /* the carries of the lower word */
            add_carries(l, &u, pd2[0]);
            u.p = pd[0];
        } else if (bit(l, AT_X)) {
            chain(l, &u, second_carry(l));
        }
        u.d = sum[k] = sass_temporary(&l->b);
        u.pd = pd[k] = sass_temporary(&l->b);
        u.pd2 = pd2[k] = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
    sass7x_write_64(l, sass7x_pack(l, sum[0], sum[1]));
    sass7x_write_predicates(l, pd[1], pd2[1]);
}

static void lower_uiadd3(struct sass_lowering *l)
{
    enum { PAIRS = 0x297, PAIRS_IMMEDIATE = 0x897 };
    if (l->row->value == PAIRS || l->row->value == PAIRS_IMMEDIATE)
        add_pairs(l);
    else
        lower_iadd3(l);
}

static void lower_viadd(struct sass_lowering *l)
{
    enum { AT_PAIR = 73 };
    struct operation u = {.op = l->source[1].negated ? OP_SUB : OP_ADD, .type = bit(l, AT_PAIR) ? T_U16X2 : T_U32};
    if (bit(l, AT_PAIR) && l->source[1].negated)
        sass_not_covered(l, "the difference of pairs");
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    sass7x_to_result(l, u);
}

/* ---- LEA: (A << shift) + B ---- */

enum { AT_SHIFT = 75, AT_HIGH = 80, AT_SX32 = 73 };

/* The upper word of {C, A} << shift; without C, A is extended by its sign. */
static struct operand shifted_high(struct sass_lowering *l, struct operand a, struct operand high, unsigned shift)
{
    if (!shift)
        return high;
    struct operation u = {.op = OP_SHF, .type = T_B32, .flags = UF_LEFT, .a = a, .b = high};
    u.c = constant32(&l->b, shift);
    return sass_value_of(l, u);
}

/* The upper word of -({C, A} << shift). */
static struct operand negated_high(struct sass_lowering *l, struct operand a, struct operand high, unsigned shift)
{
    struct operand words[2], wide = sass7x_pack(l, a, high);
    wide = lane2(&l->b, OP_SHL, T_B64, wide, constant32(&l->b, shift));
    sass7x_split(l, lane2(&l->b, OP_NEG, T_S64, wide, wide), words);
    return words[1];
}

static void lower_lea(struct sass_lowering *l)
{
    unsigned shift = bits(l, AT_SHIFT, 5);
    bool high = bit(l, AT_HIGH), extended = bit(l, AT_SX32), x = bit(l, AT_X);
    struct operation u = {.op = OP_ADD3, .type = T_U32, .flags = signs(l, 2)};
    struct operand a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    if (high) {
        struct operand c = extended ? lane2(&l->b, OP_SHR, T_S32, a, constant32(&l->b, 31)) : source_raw(l, 2);
        bool negate = l->source[0].negated && !x;
        u.a = negate ? negated_high(l, a, c, shift) : shifted_high(l, a, c, shift);
        u.flags &= negate ? ~UF_NEGATE_A : ~UINT64_C(0);
    } else {
        u.a = shift ? lane2(&l->b, OP_SHL, T_B32, a, constant32(&l->b, shift)) : a;
    }
    u.c = constant32(&l->b, 0);
    if (x)
        chain(l, &u, no_carry(l));
    u.pd = written_predicate(l, AT_PD);
    sass7x_to_result(l, u);
}

/* ---- products ---- */

static bool is_zero(const struct sass_lowering *l, unsigned i)
{
    const struct sass_item *item = l->source[i].item;
    return item->kind == SI_REGISTER && sass_value(l->word, item) == (item->file == FILE_UNIFORM ? URZ : RZ);
}

static bool has_carries(const struct sass_lowering *l) { return bit(l, AT_X) || bits(l, AT_PD, 3) != PT; }

/* One word of a sum with the carry in p, as an operation without its destinations. */
static struct operation next_word(struct sass_lowering *l, struct operand a, struct operand b, uint64_t flags)
{
    return (struct operation){
        .kind = UOP_LANE, .op = OP_ADD3, .type = T_U32, .flags = flags, .a = a, .b = b, .c = constant32(&l->b, 0)};
}

/* A product of 64 bits plus the pair C, word by word. Returns the carry out, as a predicate. */
static struct operand sum_of_words(struct sass_lowering *l, struct operand product, struct operand sum[2])
{
    struct operand p[2], c[2], carry = sass_temporary(&l->b), out = sass_temporary(&l->b);
    uint64_t flags = l->source[2].negated || l->source[2].inverted ? UF_NEGATE_B : 0;
    for (unsigned i = 0; i < 2; i++)
        sum[i] = sass_temporary(&l->b);
    sass7x_split(l, product, p);
    sass7x_split(l, source_64(l, 2), c);
    struct operation u = next_word(l, p[0], c[0], flags);
    u.d = sum[0];
    u.pd = carry;
    if (bit(l, AT_X))
        chain(l, &u, no_carry(l));
    sass_emit(&l->b, u);
    u = next_word(l, p[1], c[1], flags);
    add_carries(l, &u, no_carry(l));
    u.p = carry;
    u.d = sum[1];
    u.pd = out;
    sass_emit(&l->b, u);
    return out;
}

static struct operation product(struct sass_lowering *l)
{
    struct operation u = {.op = OP_MUL, .type = (uint8_t)word_type(l), .flags = UF_WIDE};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    return u;
}

/* The result, and the carry in Pd last: it may be the guard. */
static void write_sum(struct sass_lowering *l, struct operand sum[2], struct operand carry, bool high)
{
    if (high)
        move32(&l->b, sass7x_result(l), sum[1]);
    else
        sass7x_write_64(l, sass7x_pack(l, sum[0], sum[1]));
    struct operand pd = written_predicate(l, AT_PD);
    if (is_register(pd))
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE, .op = OP_MOV, .type = T_PRED, .d = pd, .a = carry});
}

/* The product of 64 bits plus a pair, or the upper word of that. */
static void lower_imad_pair(struct sass_lowering *l, bool high)
{
    struct operation u = product(l);
    struct operand sum[2];
    if (has_carries(l) || l->source[2].negated) {
        struct operand carry = sum_of_words(l, sass_value_of(l, u), sum);
        write_sum(l, sum, carry, high);
        return;
    }
    if (high && is_zero(l, 2)) {
        u.flags = UF_HI;
        sass7x_to_result(l, u);
        return;
    }
    u.op = OP_MAD;
    u.c = source_64(l, 2);
    struct operand wide = sass_value_of(l, u);
    if (!high) {
        sass7x_write_64(l, wide);
        return;
    }
    sass7x_split(l, wide, sum);
    move32(&l->b, sass7x_result(l), sum[1]);
}

static void lower_imad_low(struct sass_lowering *l)
{
    struct operation u = {.type = (uint8_t)word_type(l)};
    uint64_t factor = 0;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    if (bit(l, AT_X)) {
        u.op = OP_MUL;
        struct operand product = sass_value_of(l, u);
        u = (struct operation){
            .op = OP_ADD3, .type = T_U32, .a = product, .flags = l->source[2].inverted ? UF_NEGATE_B : 0};
        u.b = source_raw(l, 2);
        u.c = constant32(&l->b, 0);
        chain(l, &u, no_carry(l));
    } else if (is_zero(l, 0) || is_zero(l, 1)) { /* a move on another pipeline */
        u = (struct operation){.op = OP_MOV, .type = T_B32, .a = source_int(l, 2)};
    } else if (source_immediate(l, 1, &factor) && factor == 1 && !l->source[2].negated) {
        u.op = OP_ADD;
        u.b = source_raw(l, 2);
    } else if (is_zero(l, 2)) {
        u.op = OP_MUL;
    } else {
        u.op = OP_MAD;
        u.c = source_int(l, 2);
    }
    sass7x_to_result(l, u);
}

static void lower_imad(struct sass_lowering *l)
{
    enum { LOW = 4, WIDE = 5, HIGH = 7 }; /* the lowest digit of the opcode */
    switch (l->row->value & 0xf) {
    case LOW: lower_imad_low(l); break;
    case WIDE: lower_imad_pair(l, false); break;
    case HIGH: lower_imad_pair(l, true); break;
    default: sass_not_covered(l, NULL);
    }
}

/* Dot products: 4 bytes by 4, or 2 halves by the lower or upper 2 bytes; [76] halves, [77] upper bytes. */
static void lower_idp(struct sass_lowering *l)
{
    struct operation u = {.op = bit(l, 76) ? OP_DP2A : OP_DP4A, .flags = bit(l, 76) && bit(l, 77) ? UF_HI : 0};
    u.type = bit(l, 73) ? T_S32 : T_U32;
    u.stype = bit(l, 74) ? T_S32 : T_U32;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_int(l, 2);
    sass7x_to_result(l, u);
}

/* ---- minima, absolute values, comparisons ---- */

static struct operand extreme(struct sass_lowering *l, enum lane_op op, enum lane_type type, struct operand a,
                              struct operand b)
{
    return sass_value_of(l, (struct operation){.op = (uint8_t)op, .type = (uint8_t)type, .a = a, .b = b});
}

/* The minimum where the predicate at AT_PC holds, else the maximum. */
static struct operand chosen_extreme(struct sass_lowering *l, enum lane_type type, struct operand a, struct operand b)
{
    if (bits(l, AT_PC, 3) == PT)
        return extreme(l, bit(l, AT_PC + 3) ? OP_MAX : OP_MIN, type, a, b);
    struct operation u = {.op = OP_SELP, .type = T_B32};
    u.a = extreme(l, OP_MIN, type, a, b);
    u.b = extreme(l, OP_MAX, type, a, b);
    sass7x_set_p(l, &u, AT_PC);
    return sass_value_of(l, u);
}

static void lower_imnmx(struct sass_lowering *l)
{
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    move32(&l->b, sass7x_result(l), chosen_extreme(l, word_type(l), a, b));
}

/* [72:2] of the instructions for dynamic programming; [76]: nothing below 0. */
static enum lane_type vector_type(const struct sass_lowering *l)
{
    static const uint8_t types[4] = {T_U32, T_S32, T_U16X2, T_S16X2};
    return types[bits(l, 72, 2)];
}
static struct operand not_below_zero(struct sass_lowering *l, struct operand v)
{
    return bit(l, 76) ? extreme(l, OP_MAX, vector_type(l), v, constant32(&l->b, 0)) : v;
}
static void lower_vimnmx(struct sass_lowering *l)
{
    if (bits(l, AT_PD, 3) != PT || bits(l, AT_PD2, 3) != PT)
        sass_not_covered(l, "a result in a predicate");
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    move32(&l->b, sass7x_result(l), not_below_zero(l, chosen_extreme(l, vector_type(l), a, b)));
}
static void lower_vimnmx3(struct sass_lowering *l)
{
    enum lane_type type = vector_type(l);
    struct operand a = source_raw(l, 0), b = source_raw(l, 1), c = source_raw(l, 2);
    a = chosen_extreme(l, type, chosen_extreme(l, type, a, b), c);
    move32(&l->b, sass7x_result(l), not_below_zero(l, a));
}
static void lower_viaddmnmx(struct sass_lowering *l)
{
    enum lane_type type = vector_type(l);
    struct operand a = source_raw(l, 0), b = source_raw(l, 1), c = source_raw(l, 2);
    if ((type == T_U16X2 || type == T_S16X2) && l->source[1].negated)
        sass_not_covered(l, "the difference of pairs");
    a = extreme(l, l->source[1].negated ? OP_SUB : OP_ADD, type, a, b);
    move32(&l->b, sass7x_result(l), not_below_zero(l, chosen_extreme(l, type, a, c)));
}

static void lower_iabs(struct sass_lowering *l)
{
    sass7x_to_result(l, (struct operation){.op = OP_ABS, .type = T_S32, .a = source_raw(l, 0)});
}

/* |A - B| + C. */
static void lower_vabsdiff(struct sass_lowering *l)
{
    if (bits(l, AT_PD, 3) != PT)
        sass_not_covered(l, "a result in a predicate");
    struct operation u = {.op = OP_SAD, .type = (uint8_t)word_type(l)};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    sass7x_to_result(l, u);
}

/* Of four bytes without sign each: |A - B| instead of C's, or with .ACC the sum of all four and C. */
static void lower_vabsdiff4(struct sass_lowering *l)
{
    enum { AT_NO_U8 = 73, AT_ACC = 75 };
    if (bits(l, AT_PD, 3) != PT || bit(l, AT_NO_U8))
        sass_not_covered(l, "this form");
    struct operation u = {.kind = UOP_LANE, .op = OP_VIDEO, .type = T_U32};
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.c = source_raw(l, 2);
    u.detail[VIDEO_OP] = VABSDIFF;
    u.detail[VIDEO_SECOND] = bit(l, AT_ACC) ? VIDEO_ADD : VIDEO_NONE;
    for (unsigned i = 0; i < 4; i++) {
        u.detail[VIDEO_SELECT_A] = u.detail[VIDEO_SELECT_B] = (uint8_t)(VIDEO_B0 + i);
        u.detail[VIDEO_SELECT_D] = bit(l, AT_ACC) ? VIDEO_WORD : (uint8_t)(VIDEO_B0 + i);
        u.d = i < 3 ? sass_temporary(&l->b) : sass7x_result(l);
        sass_emit(&l->b, u);
        u.c = u.d;
    }
}

static void lower_isetp(struct sass_lowering *l)
{
    enum { AT_EX = 72, AT_LOWER = 68 };
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)word_type(l)};
    u.compare = (uint8_t)int_compare(bits(l, 76, 3));
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    if (bit(l, AT_EX)) {
        u.op = OP_COMPARE_LONG;
        u.lists[0].at = ARENA_ARRAY(l->b.arena, struct operand, 1);
        u.lists[0].at[0] = sass7x_predicate(l, AT_LOWER);
        u.lists[0].count = 1;
    }
    sass7x_set_predicates(l, &u);
    sass_emit(&l->b, u);
}

const struct sass_meaning sass7x_integer[] = {{"IADD3", lower_iadd3},
                                              {"UIADD3", lower_uiadd3},
                                              {"VIADD", lower_viadd},
                                              {"LEA", lower_lea},
                                              {"ULEA", lower_lea},
                                              {"IMAD", lower_imad},
                                              {"UIMAD", lower_imad},
                                              {"IDP", lower_idp},
                                              {"IMNMX", lower_imnmx},
                                              {"VIMNMX", lower_vimnmx},
                                              {"VIADDMNMX", lower_viaddmnmx},
                                              {"IABS", lower_iabs},
                                              {"VIMNMX3", lower_vimnmx3},
                                              {"VABSDIFF", lower_vabsdiff},
                                              {"VABSDIFF4", lower_vabsdiff4},
                                              {"ISETP", lower_isetp},
                                              {"UISETP", lower_isetp},
                                              {NULL, NULL}};
