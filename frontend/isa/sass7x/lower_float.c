/* Single precision and special functions. */
#include "frontend/isa/sass7x/lower.h"

enum { AT_FTZ = 80, AT_SAT = 77, AT_FMZ = 76, AT_ROUND = 78, AT_COMPARE = 76 };

static uint64_t ftz(const struct sass_lowering *l) { return bit(l, AT_FTZ) ? UF_FTZ : 0; }

/* ---- arithmetic ---- */

/* Of sums and products: FTZ, SAT and the rounding. */
static struct operation arithmetic(struct sass_lowering *l, enum lane_op op)
{
    struct operation u = {.kind = UOP_LANE, .op = (uint8_t)op, .type = T_F32};
    u.flags = ftz(l) | (bit(l, AT_SAT) ? UF_SAT : 0);
    u.rounding = (uint8_t)sass_rounding(bits(l, AT_ROUND, 2));
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    return u;
}

/* Of products: bits 80 and 76 say FTZ or FMZ, which flushes, too. */
static struct operation product(struct sass_lowering *l, enum lane_op op)
{
    struct operation u = arithmetic(l, op);
    if (!bit(l, AT_FMZ))
        return u;
    if (bit(l, AT_FTZ))
        sass_not_covered(l, "a reserved modifier");
    u.flags |= UF_FTZ;
    sass_zero_factors(l, &u.a, &u.b);
    return u;
}

static void lower_fadd(struct sass_lowering *l) { sass7x_to_result(l, arithmetic(l, OP_ADD)); }

static void lower_ffma(struct sass_lowering *l)
{
    struct operation u = product(l, OP_FMA);
    u.c = source_f32(l, 2);
    sass7x_to_result(l, u);
}

static void lower_fmul(struct sass_lowering *l)
{
    enum { RESERVED, UNSCALED = 4 };
    unsigned scale = bits(l, 84, 3);
    struct operation u = product(l, OP_MUL);
    if (scale == RESERVED)
        sass_not_covered(l, "a reserved scale");
    if (scale == UNSCALED) {
        sass7x_to_result(l, u);
        return;
    }
    u.d = sass7x_result(l);
    sass_scaled_product(l, u, (int)scale - UNSCALED);
}

/* Whether a source's magnitude is asked for: |a|, or a number that is not negative. */
static bool is_magnitude(const struct sass_lowering *l, unsigned i)
{
    uint64_t value;
    if (source_immediate(l, i, &value))
        return !(value >> 31 & 1);
    return l->source[i].absolute && !l->source[i].negated;
}

/* As PTX's min and max; with .XORSIGN as its .xorsign.abs, for which ptxas writes |a| and |b|. */
static void lower_fmnmx(struct sass_lowering *l)
{
    struct operation u = {.type = T_F32, .flags = ftz(l)};
    bool xorsign = l->arch >= SASS_86 && bit(l, 82);
    if (l->arch == SASS_90 && bit(l, 65))
        sass_not_covered(l, "a second result");
    if (l->arch >= SASS_80 && bit(l, 81))
        u.flags |= UF_NAN;
    if (xorsign) {
        if (!is_magnitude(l, 0) || !is_magnitude(l, 1))
            sass_not_covered(l, "the sign of such operands");
        u.flags |= UF_XORSIGN | UF_ABS;
    }
    u.a = xorsign ? source_raw(l, 0) : source_f32(l, 0);
    u.b = xorsign ? source_raw(l, 1) : source_f32(l, 1);
    u.d = sass7x_result(l);
    sass_extreme(l, u, AT_PC);
}

/* Each lane of a quad takes signs of its own; .NDV is for derivatives. */
static void lower_fswzadd(struct sass_lowering *l)
{
    struct operation u = {.flags = ftz(l), .rounding = (uint8_t)sass_rounding(bits(l, AT_ROUND, 2))};
    u.d = sass7x_result(l);
    sass_swizzled_sum(l, u, 32);
}

/* ---- selection and comparison ---- */

static struct operand flushed(struct sass_lowering *l, struct operand v)
{
    struct operation u = {.op = OP_MUL, .type = T_F32, .flags = UF_FTZ, .rounding = ROUND_N, .a = v};
    u.b = constant32(&l->b, 0x3f800000);
    return sass_value_of(l, u);
}

static void lower_fsel(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32};
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    sass7x_set_p(l, &u, AT_PC);
    if (!bit(l, AT_FTZ)) {
        sass7x_to_result(l, u);
        return;
    }
    struct operand selected = sass_value_of(l, u);
    move32(&l->b, sass7x_result(l), flushed(l, selected));
}

static struct operation comparison(struct sass_lowering *l, enum lane_op op)
{
    struct operation u = {.kind = UOP_LANE, .op = (uint8_t)op, .type = T_F32, .stype = T_F32, .flags = ftz(l)};
    u.compare = (uint8_t)float_compare(bits(l, AT_COMPARE, 4));
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    return u;
}

static void lower_fsetp(struct sass_lowering *l)
{
    struct operation u = comparison(l, OP_SETP);
    sass7x_set_predicates(l, &u);
    sass_emit(&l->b, u);
}

static void lower_fset(struct sass_lowering *l)
{
    static const uint8_t combines[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
    struct operation u = comparison(l, OP_SET);
    u.combine = combines[bits(l, 74, 2)];
    if (u.combine == COMBINE_NONE)
        sass_not_covered(l, "this combination of predicates");
    sass7x_set_p(l, &u, AT_PC);
    sass7x_to_result(l, u);
}

static void lower_fchk(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_FCHK, .type = T_F32};
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    u.pd = written_predicate(l, AT_PD);
    sass_emit(&l->b, u);
}

/* ---- special functions: subnormal operands and results count as zero ---- */

enum mufu {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH
};

/* The type of operand and result. */
static enum lane_type mufu_type(const struct sass_lowering *l)
{
    if (l->arch & SASS_70)
        return T_F32;
    if (l->arch < SASS_90)
        return bit(l, 73) ? T_F16 : T_F32;
    return bit(l, 73) ? T_BF16 : bit(l, 72) ? T_F16 : T_F32;
}

/* Of f16 and bf16: what PTX has, so that it is known how exact they are. The upper half of Rd is zero. */
static void small_function(struct sass_lowering *l, enum mufu function, enum lane_type type)
{
    struct operation u = {.op = function == MUFU_EX2 ? OP_EX2 : OP_TANH, .type = (uint8_t)type, .flags = UF_APPROX};
    if (function != MUFU_EX2 && function != MUFU_TANH)
        sass_not_covered(l, "this function of 16 bits");
    if (type == T_BF16 && function == MUFU_EX2)
        u.flags |= UF_FTZ;
    u.a = sass_small_float(l, 0, bit(l, 60));
    sass_store_number(l, bits(l, AT_RD, 8), type, sass_value_of(l, u));
}

/* The upper word of a double: the source itself, or that of an immediate that is a double. */
static struct operand upper_word(struct sass_lowering *l)
{
    uint64_t value;
    if (source_immediate(l, 0, &value) && l->source[0].item->style == IMM_D32)
        return constant32(&l->b, (uint32_t)(value >> 32));
    return source_f32(l, 0);
}

/* The operands of SIN and COS are in turns: what ptxas makes of PTX's sin is FMUL.RZ by 1 / 2 pi, then MUFU. */
static void lower_mufu(struct sass_lowering *l)
{
    static const uint8_t functions[] = {OP_COS_TURNS, OP_SIN_TURNS, OP_EX2,   OP_LG2,  OP_RCP,
                                        OP_RSQRT,     OP_RCP,       OP_RSQRT, OP_SQRT, OP_TANH};
    unsigned function = bits(l, 74, 4);
    enum lane_type type = mufu_type(l);
    if (function >= sizeof functions || (function == MUFU_TANH && l->arch & SASS_70))
        sass_not_covered(l, "this function");
    if (type != T_F32) {
        small_function(l, (enum mufu)function, type);
        return;
    }
    struct operation u = {.kind = UOP_LANE, .op = functions[function], .type = T_F32, .flags = UF_APPROX | UF_FTZ};
    if (function == MUFU_TANH)
        u.flags = UF_APPROX;
    if (function != MUFU_RCP64H && function != MUFU_RSQ64H) {
        u.a = source_f32(l, 0);
        sass7x_to_result(l, u);
        return;
    }
    u.a = upper_word(l);
    sass_upper_function(l, (enum lane_op)u.op, u.a, sass7x_result(l));
}

const struct sass_meaning sass7x_float[] = {{"FADD", lower_fadd},   {"FMUL", lower_fmul}, {"FFMA", lower_ffma},
                                            {"FMNMX", lower_fmnmx}, {"FSEL", lower_fsel}, {"FSETP", lower_fsetp},
                                            {"FSET", lower_fset},   {"FCHK", lower_fchk}, {"FSWZADD", lower_fswzadd},
                                            {"MUFU", lower_mufu},   {NULL, NULL}};
