/* Half precision: two operations on f16, or with .BF16_V2 on bf16, side by side, each result rounded once. A source is
 * a pair, or one half of it twice, or with .F32 an f32 that is cut to f16 first: ptxas writes cvt.rz.f16.f32 as HADD2
 * Rd, Ra.F32, -0. With .F32 after the mnemonic only the low halves count and the result is an f32: ptxas writes
 * cvt.f32.f16 as HADD2.F32. */
#include "frontend/isa/sass7x/lower.h"

enum swizzle { BOTH_HALVES, ONE_F32, LOW_TWICE, HIGH_TWICE, LOW_AND_NEGATED_HIGH };
enum { AT_FTZ = 80, AT_FMZ = 76, AT_SAT = 77, AT_F32 = 78, AT_RELU = 79, AT_NAN = 81, AT_XORSIGN = 82, AT_BF16 = 85 };

/* ---- sources ---- */

/* The immediate at source i: two of the row's items, the upper half first, or one alone. */
static struct operand immediate(struct sass_lowering *l, unsigned i)
{
    uint64_t high = 0, low;
    source_immediate(l, i, &low);
    if (source_immediate(l, i + 1, &high)) {
        uint64_t second = high;
        high = low;
        low = second;
    }
    return constant32(&l->b, (uint32_t)(high << 16 | low));
}

static struct operand swizzled(struct sass_lowering *l, struct operand word, enum swizzle how)
{
    struct operation cut = {.op = OP_CVT, .type = T_F16X2, .stype = T_F32, .rounding = ROUND_Z, .a = word, .b = word};
    struct operation twice = {.op = OP_PRMT, .type = T_B32, .a = word, .b = word};
    switch (how) {
    case BOTH_HALVES: return word;
    case ONE_F32: return sass_value_of(l, cut);
    case LOW_AND_NEGATED_HIGH: return lane2(&l->b, OP_XOR, T_B32, word, constant32(&l->b, 0x80000000));
    default: twice.c = constant32(&l->b, how == LOW_TWICE ? 0x1010 : 0x3232); return sass_value_of(l, twice);
    }
}

/* Source i as a pair, with its modifiers. */
static struct operand pair_at(struct sass_lowering *l, unsigned i)
{
    const struct sass_source *s = &l->source[i];
    if (s->item->kind == SI_IMMEDIATE)
        return immediate(l, i);
    struct operand v = source_raw(l, i);
    v = swizzled(l, v, s->item->sf.width ? (enum swizzle)sass_part(l->word, s->item) : BOTH_HALVES);
    if (s->absolute)
        v = lane2(&l->b, OP_AND, T_B32, v, constant32(&l->b, 0x7fff7fff));
    if (s->negated)
        v = lane2(&l->b, OP_XOR, T_B32, v, constant32(&l->b, 0x80008000));
    return v;
}

/* All sources in order; an immediate takes two. */
static void pairs(struct sass_lowering *l, struct operand *out[], unsigned count)
{
    unsigned i = 0;
    for (unsigned n = 0; n < count; n++) {
        bool wide = i + 1 < l->source_count && l->source[i].item->kind == SI_IMMEDIATE &&
                    l->source[i + 1].item->kind == SI_IMMEDIATE;
        *out[n] = pair_at(l, i);
        i += wide ? 2 : 1;
    }
}

static enum lane_type pair_type(const struct sass_lowering *l) { return bit(l, AT_BF16) ? T_BF16X2 : T_F16X2; }

/* ---- arithmetic ---- */

/* The low half of a pair as f32. */
static struct operand as_f32(struct sass_lowering *l, struct operand pair, uint64_t flags)
{
    struct operation u = {.op = OP_CVT, .type = T_F32, .stype = T_F16, .a = sass_half_of(l, pair, false)};
    if (flags & UF_FTZ) { /* subnormals of f16, which are none of f32 */
        u.a = sass_value_of(l, (struct operation){.op = OP_MUL,
                                                  .type = T_F16,
                                                  .flags = UF_FTZ,
                                                  .rounding = ROUND_N,
                                                  .a = u.a,
                                                  .b = constant32(&l->b, 0x3c003c00)});
    }
    return sass_value_of(l, u);
}

/* .FMZ: where a half of either factor is zero, both become zero. */
static void zero_factors(struct sass_lowering *l, struct operation *u)
{
    struct operation set = {.op = OP_SET, .type = T_U32, .stype = u->type, .flags = UF_FTZ, .compare = CMP_NE};
    struct operand kept[2];
    for (unsigned i = 0; i < 2; i++) {
        set.compare = CMP_NEU;
        set.a = i ? u->b : u->a;
        set.b = constant32(&l->b, 0);
        kept[i] = sass_value_of(l, set);
    }
    struct operand keep = lane2(&l->b, OP_AND, T_B32, kept[0], kept[1]);
    u->a = lane2(&l->b, OP_AND, T_B32, u->a, keep);
    u->b = lane2(&l->b, OP_AND, T_B32, u->b, keep);
}

/* Bits 80 and 76 of products: FTZ, FMZ, which flushes, too, or both of them: OOB. */
static void set_flags(struct sass_lowering *l, struct operation *u, bool is_product)
{
    bool flush = bit(l, AT_FTZ), fmz = is_product && bit(l, AT_FMZ);
    if (fmz && flush)
        u->flags |= UF_OOB;
    else if (fmz || flush)
        u->flags |= UF_FTZ;
    if (u->flags & UF_OOB && l->arch != SASS_90)
        sass_not_covered(l, "a reserved modifier");
    if (fmz && !flush)
        zero_factors(l, u);
}

static void compute(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.rounding = ROUND_N;
    if (bit(l, AT_SAT))
        u.flags |= UF_SAT;
    if (bit(l, AT_F32)) {
        if (u.flags & (UF_RELU | UF_OOB) || u.type == T_BF16X2)
            sass_not_covered(l, "this modifier of a result in f32");
        u.type = T_F32;
        u.a = as_f32(l, u.a, u.flags);
        u.b = as_f32(l, u.b, u.flags);
        if (u.op == OP_FMA)
            u.c = as_f32(l, u.c, u.flags);
    }
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

static void lower_hadd2(struct sass_lowering *l)
{
    struct operation u = {.op = OP_ADD, .type = (uint8_t)pair_type(l)};
    pairs(l, (struct operand *[]){&u.a, &u.b}, 2);
    set_flags(l, &u, false);
    compute(l, u);
}

static void lower_hmul2(struct sass_lowering *l)
{
    struct operation u = {.op = OP_MUL, .type = (uint8_t)pair_type(l)};
    pairs(l, (struct operand *[]){&u.a, &u.b}, 2);
    set_flags(l, &u, true);
    compute(l, u);
}

/* With .MMA (0x.35) on another pipe. */
static void lower_hfma2(struct sass_lowering *l)
{
    struct operation u = {.op = OP_FMA, .type = (uint8_t)pair_type(l)};
    pairs(l, (struct operand *[]){&u.a, &u.b, &u.c}, 3);
    if (l->arch >= SASS_80 && bit(l, AT_RELU)) {
        if (bits(l, AT_PC, 4) != PT)
            sass_not_covered(l, "a predicate");
        u.flags |= UF_RELU;
    }
    set_flags(l, &u, true);
    compute(l, u);
}

/* ---- extremes ---- */

/* As PTX's min and max; with .XORSIGN as its .xorsign.abs, for which ptxas writes |a| and |b|. */
static struct operation extreme(struct sass_lowering *l)
{
    struct operation u = {.type = (uint8_t)pair_type(l), .flags = bit(l, AT_FTZ) ? UF_FTZ : 0};
    if (bit(l, AT_F32))
        sass_not_covered(l, "a result in f32");
    if (bit(l, AT_NAN))
        u.flags |= UF_NAN;
    if (l->arch >= SASS_86 && bit(l, AT_XORSIGN)) {
        for (unsigned i = 0; i < l->source_count; i++) {
            struct sass_source *s = &l->source[i];
            if (s->item->kind == SI_IMMEDIATE || !s->absolute || s->negated)
                sass_not_covered(l, "the sign of such operands");
            s->absolute = false;
        }
        u.flags |= UF_XORSIGN | UF_ABS;
    }
    return u;
}

static void lower_hmnmx2(struct sass_lowering *l)
{
    struct operation u = extreme(l);
    if (l->arch == SASS_90 && bit(l, 65))
        sass_not_covered(l, "a second result");
    pairs(l, (struct operand *[]){&u.a, &u.b}, 2);
    u.d = sass7x_result(l);
    sass_extreme(l, u, AT_PC);
}

/* Of three, two by two. */
static void lower_vhmnmx(struct sass_lowering *l)
{
    struct operation u = extreme(l);
    struct operand third;
    if (u.flags & UF_XORSIGN)
        sass_not_covered(l, "the sign of three");
    pairs(l, (struct operand *[]){&u.a, &u.b, &third}, 3);
    u.d = sass_temporary(&l->b);
    sass_extreme(l, u, AT_PC);
    u.a = u.d;
    u.b = third;
    u.d = sass7x_result(l);
    sass_extreme(l, u, AT_PC);
}

/* ---- comparisons ---- */

enum { AT_COMBINE = 69, AT_FLAG = 71 };

static struct operation comparison(struct sass_lowering *l)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    bool brain = l->arch == SASS_90 && bit(l, 65);
    struct operation u = {.kind = UOP_LANE, .type = brain ? T_BF16X2 : T_F16X2, .flags = bit(l, AT_FTZ) ? UF_FTZ : 0};
    u.combine = combines[bits(l, AT_COMBINE, 2)];
    u.compare = (uint8_t)float_compare(bits(l, 76, 4));
    if (u.combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    if (u.compare == CMP_TRUE)
        sass_not_covered(l, "this comparison");
    pairs(l, (struct operand *[]){&u.a, &u.b}, 2);
    sass7x_set_p(l, &u, AT_PC);
    return u;
}

static void lower_hset2(struct sass_lowering *l)
{
    struct operation u = comparison(l);
    u.op = OP_SET;
    u.stype = u.type;
    if (!bit(l, AT_FLAG))
        u.type = T_U32;
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

/* .H_AND: both halves, and its complement, each combined with Pc. */
static void lower_hsetp2(struct sass_lowering *l)
{
    static const uint8_t ops[] = {[COMBINE_AND] = OP_AND, [COMBINE_OR] = OP_OR, [COMBINE_XOR] = OP_XOR};
    struct operation u = comparison(l);
    u.op = OP_SETP;
    if (!bit(l, AT_FLAG)) {
        u.pd = written_predicate(l, AT_PD);
        u.pd2 = written_predicate(l, AT_PD2);
        sass_emit(&l->b, u);
        return;
    }
    enum lane_op with = (enum lane_op)ops[u.combine];
    struct operand c = sass7x_predicate(l, AT_PC), all = constant32(&l->b, ~0u);
    u.combine = COMBINE_NONE;
    u.p = OPERAND_NONE;
    u.p_flip = 0;
    u.pd = sass_temporary(&l->b);
    u.pd2 = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    struct operand both = lane2(&l->b, OP_AND, T_PRED, u.pd, u.pd2);
    struct operand first = lane2(&l->b, with, T_PRED, both, c);
    struct operand second = lane2(&l->b, OP_XOR, T_PRED, both, all);
    sass7x_write_predicates(l, first, lane2(&l->b, with, T_PRED, second, c));
}

const struct sass_meaning sass7x_half[] = {
    {"HADD2", lower_hadd2},   {"HMUL2", lower_hmul2}, {"HFMA2", lower_hfma2},   {"HMNMX2", lower_hmnmx2},
    {"VHMNMX", lower_vhmnmx}, {"HSET2", lower_hset2}, {"HSETP2", lower_hsetp2}, {NULL, NULL}};
