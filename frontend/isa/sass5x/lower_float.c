/* Floating point: fp32, fp64, special functions. */
#include "frontend/isa/sass5x/lower.h"

static struct operand result(struct sass_lowering *l) { return written(&l->b, bits(l, 0, 8)); }

/* The flags of FTZ. A field of two bits may also say FMZ: see sass_zero_factors. */
static unsigned ftz(struct sass_lowering *l, unsigned at, unsigned width)
{
    if (bits(l, at, width) > 2)
        sass_not_covered(l, "a reserved modifier");
    return bits(l, at, width) ? UF_FTZ : 0;
}
static unsigned sat(struct sass_lowering *l, unsigned at) { return bit(l, at) ? UF_SAT : 0; }

/* ftz_at, ftz_width: the field of FTZ; products have two bits, for FMZ. Last argument: the bit of CC. */
static void arithmetic(struct sass_lowering *l, enum lane_op op, unsigned round, unsigned flags, unsigned ftz_at,
                       unsigned ftz_width, unsigned cc_at)
{
    struct operation u = {
        .kind = UOP_LANE, .op = (uint8_t)op, .type = T_F32, .flags = flags | ftz(l, ftz_at, ftz_width)};
    u.rounding = (uint8_t)sass_rounding(round);
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    if (bits(l, ftz_at, ftz_width) == 2)
        sass_zero_factors(l, &u.a, &u.b);
    if (op == OP_FMA)
        u.c = source_f32(l, 2);
    u.d = result(l);
    sass_emit(&l->b, u);
    set_float_codes(l, cc_at, T_F32, u.d);
}

static void lower_fadd(struct sass_lowering *l) { arithmetic(l, OP_ADD, bits(l, 39, 2), sat(l, 50), 44, 1, 47); }
static void lower_fadd32i(struct sass_lowering *l) { arithmetic(l, OP_ADD, 0, 0, 55, 1, 52); }
/* A product divided (D) or multiplied (M) by a power of two. */
static void scaled_product(struct sass_lowering *l)
{
    static const int8_t exponents[8] = {0, -1, -2, -3, 3, 2, 1, 0};
    struct operation u = {.flags = ftz(l, 44, 2) | sat(l, 50)};
    unsigned scale = bits(l, 41, 3);
    if (!exponents[scale])
        sass_not_covered(l, "a reserved scale");
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    if (bits(l, 44, 2) == 2)
        sass_zero_factors(l, &u.a, &u.b);
    u.rounding = (uint8_t)sass_rounding(bits(l, 39, 2));
    u.d = result(l);
    sass_scaled_product(l, u, exponents[scale]);
    set_float_codes(l, 47, T_F32, u.d);
}
static void lower_fmul(struct sass_lowering *l)
{
    if (bits(l, 41, 3))
        scaled_product(l);
    else
        arithmetic(l, OP_MUL, bits(l, 39, 2), sat(l, 50), 44, 2, 47);
}
static void lower_fmul32i(struct sass_lowering *l) { arithmetic(l, OP_MUL, 0, sat(l, 55), 53, 2, 52); }
static void lower_ffma(struct sass_lowering *l) { arithmetic(l, OP_FMA, bits(l, 51, 2), sat(l, 50), 53, 2, 47); }
static void lower_ffma32i(struct sass_lowering *l) { arithmetic(l, OP_FMA, 0, sat(l, 55), 53, 2, 52); }

/* Computes the minimum in lanes in which the predicate holds, and the maximum in others, into d. */
static void extreme(struct sass_lowering *l, enum lane_type type, unsigned flags, struct operand d)
{
    bool wide = type == T_F64;
    struct operation u = {.type = (uint8_t)type, .flags = flags, .d = d};
    u.a = wide ? source_f64(l, 0) : source_f32(l, 0);
    u.b = wide ? source_f64(l, 1) : source_f32(l, 1);
    sass_extreme(l, u, 39);
}
static void lower_fmnmx(struct sass_lowering *l)
{
    struct operand d = result(l);
    extreme(l, T_F32, ftz(l, 44, 1), d);
    set_float_codes(l, 47, T_F32, d);
}
static void lower_dmnmx(struct sass_lowering *l)
{
    struct operand t = sass_temporary(&l->b);
    extreme(l, T_F64, 0, t);
    write_pair(&l->b, bits(l, 0, 8), t);
    set_float_codes(l, 47, T_F64, t);
}

/* ---- comparison ---- */

static struct operation comparison(struct sass_lowering *l, enum lane_type type, unsigned flags)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = (uint8_t)type, .flags = flags};
    u.compare = (uint8_t)float_compare(bits(l, 48, 4));
    u.a = type == T_F64 ? source_f64(l, 0) : source_f32(l, 0);
    u.b = type == T_F64 ? source_f64(l, 1) : source_f32(l, 1);
    set_predicates(l, &u, 45);
    return u;
}
static void setp(struct sass_lowering *l, enum lane_type type, unsigned flags)
{
    struct operation u = comparison(l, type, flags);
    u.pd = written_predicate(l, 3);
    u.pd2 = written_predicate(l, 0);
    sass_emit(&l->b, u);
}
static void set(struct sass_lowering *l, enum lane_type type, unsigned flags)
{
    sass_set(l, comparison(l, type, flags), bit(l, 52));
}
static void lower_fsetp(struct sass_lowering *l) { setp(l, T_F32, ftz(l, 47, 1)); }
static void lower_dsetp(struct sass_lowering *l) { setp(l, T_F64, 0); }
static void lower_fset(struct sass_lowering *l) { set(l, T_F32, ftz(l, 55, 1)); }
static void lower_dset(struct sass_lowering *l) { set(l, T_F64, 0); }

static void lower_fcmp(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_SETP, .type = T_F32, .flags = ftz(l, 47, 1)};
    struct operand a = source_raw(l, 0), b = source_raw(l, 1);
    u.compare = (uint8_t)float_compare(bits(l, 48, 4));
    u.combine = COMBINE_AND;
    u.p = constant32(&l->b, ~0u);
    u.a = source_raw(l, 2);
    u.b = constant32(&l->b, 0);
    u.pd = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    sass_emit(&l->b, (struct operation){
                         .kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .d = result(l), .a = a, .b = b, .p = u.pd});
}

static void lower_fchk(struct sass_lowering *l)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_FCHK, .type = T_F32};
    u.a = source_f32(l, 0);
    u.b = source_f32(l, 1);
    u.pd = written_predicate(l, 3);
    sass_emit(&l->b, u);
}

static void lower_fswzadd(struct sass_lowering *l)
{
    struct operation u = {.flags = ftz(l, 44, 1), .rounding = (uint8_t)sass_rounding(bits(l, 39, 2)), .d = result(l)};
    sass_swizzled_sum(l, u, 28);
    set_float_codes(l, 47, T_F32, u.d);
}

/* ---- double precision ---- */

static void arithmetic64(struct sass_lowering *l, enum lane_op op, unsigned round_at, unsigned terms)
{
    struct operation u = {.kind = UOP_LANE, .op = (uint8_t)op, .type = T_F64};
    u.rounding = (uint8_t)sass_rounding(bits(l, round_at, 2));
    u.a = source_f64(l, 0);
    u.b = source_f64(l, 1);
    if (terms == 3)
        u.c = source_f64(l, 2);
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    write_pair(&l->b, bits(l, 0, 8), u.d);
    set_float_codes(l, 47, T_F64, u.d);
}
static void lower_dadd(struct sass_lowering *l) { arithmetic64(l, OP_ADD, 39, 2); }
static void lower_dmul(struct sass_lowering *l) { arithmetic64(l, OP_MUL, 39, 2); }
static void lower_dfma(struct sass_lowering *l) { arithmetic64(l, OP_FMA, 50, 3); }

/* ---- special functions: subnormal operands and results count as zero ---- */

static void lower_mufu(struct sass_lowering *l)
{
    static const uint8_t functions[9] = {OP_COS, OP_SIN, OP_EX2, OP_LG2, OP_RCP, OP_RSQRT, OP_RCP, OP_RSQRT, OP_SQRT};
    unsigned function = bits(l, 20, 4);
    bool upper = function == 6 || function == 7;
    if (function > 8 || (bit(l, 50) && upper))
        sass_not_covered(l, "this function");
    if (upper) {
        struct operand word = source_f32(l, 0);
        sass_upper_function(l, (enum lane_op)functions[function], word, result(l));
        return;
    }
    struct operation u = {.kind = UOP_LANE, .op = functions[function], .type = T_F32, .flags = UF_APPROX | UF_FTZ};
    u.a = source_f32(l, 0);
    u.d = bit(l, 50) ? sass_temporary(&l->b) : result(l);
    sass_emit(&l->b, u);
    if (bit(l, 50))
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                            .op = OP_ADD,
                                            .type = T_F32,
                                            .flags = UF_SAT,
                                            .rounding = ROUND_N,
                                            .d = result(l),
                                            .a = u.d,
                                            .b = constant32(&l->b, 0)});
}

/* Range reduction: the value does not change, because MUFU takes any value here. */
static void lower_rro(struct sass_lowering *l)
{
    struct operand v = source_f32(l, 0);
    move32(&l->b, result(l), v);
}

const struct sass_meaning sass_float[] = {
    {"FADD", lower_fadd},       {"FADD32I", lower_fadd32i}, {"FMUL", lower_fmul},
    {"FMUL32I", lower_fmul32i}, {"FFMA", lower_ffma},       {"FFMA32I", lower_ffma32i},
    {"FMNMX", lower_fmnmx},     {"FSETP", lower_fsetp},     {"FSET", lower_fset},
    {"FCMP", lower_fcmp},       {"FCHK", lower_fchk},       {"FSWZADD", lower_fswzadd},
    {"DADD", lower_dadd},       {"DMUL", lower_dmul},       {"DFMA", lower_dfma},
    {"DMNMX", lower_dmnmx},     {"DSETP", lower_dsetp},     {"DSET", lower_dset},
    {"MUFU", lower_mufu},       {"RRO", lower_rro},         {NULL, NULL}};
