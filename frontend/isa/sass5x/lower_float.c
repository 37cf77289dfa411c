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

void sass_zero_factors(struct sass_lowering *l, struct operand *a, struct operand *b)
{
    struct operand *factors[2] = {a, b}, zero = constant32(&l->b, 0), either = sass_temporary(&l->b);
    for (int i = 0; i < 2; i++)
        sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                            .op = OP_SETP,
                                            .type = T_F32,
                                            .flags = UF_FTZ,
                                            .compare = CMP_EQ,
                                            .combine = COMBINE_OR,
                                            .a = *factors[i],
                                            .b = zero,
                                            .p = i ? either : zero,
                                            .pd = either});
    for (int i = 0; i < 2; i++) {
        struct operation u = {.kind = UOP_LANE, .op = OP_SELP, .type = T_B32, .a = zero, .b = *factors[i], .p = either};
        *factors[i] = u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
    }
}

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
static struct operand as_f64(struct sass_lowering *l, struct operand v, unsigned flags)
{
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F64, .stype = T_F32, .flags = flags, .a = v};
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    return u.d;
}
/* A product divided (D) or multiplied (M) by a power of two, rounded once: everything before is exact in double
 * precision. */
static void scaled_product(struct sass_lowering *l)
{
    static const uint16_t exponents[8] = {0, 1022, 1021, 1020, 1026, 1025, 1024, 0}; /* the exponent of 2^n in an f64 */
    unsigned scale = bits(l, 41, 3), flush = ftz(l, 44, 2);
    struct operand a = source_f32(l, 0), b = source_f32(l, 1);
    if (!exponents[scale])
        sass_not_covered(l, "a reserved scale");
    if (bits(l, 44, 2) == 2)
        sass_zero_factors(l, &a, &b);
    struct operation product = {.kind = UOP_LANE, .op = OP_MUL, .type = T_F64, .rounding = ROUND_N};
    product.a = as_f64(l, a, flush);
    product.b = as_f64(l, b, flush);
    product.d = sass_temporary(&l->b);
    sass_emit(&l->b, product);
    product.a = product.d;
    product.b = constant64(&l->b, (uint64_t)exponents[scale] << 52);
    sass_emit(&l->b, product);
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F32, .stype = T_F64, .flags = flush | sat(l, 50)};
    u.rounding = (uint8_t)sass_rounding(bits(l, 39, 2));
    u.a = product.d;
    u.d = result(l);
    sass_emit(&l->b, u);
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
    struct operand a = wide ? source_f64(l, 0) : source_f32(l, 0), b = wide ? source_f64(l, 1) : source_f32(l, 1);
    struct operation u = {
        .kind = UOP_LANE, .op = OP_MIN, .type = (uint8_t)type, .flags = flags, .d = d, .a = a, .b = b};
    if (bits(l, 39, 3) == PT) {
        u.op = bit(l, 42) ? OP_MAX : OP_MIN;
        sass_emit(&l->b, u);
        return;
    }
    struct operand low = u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    struct operand high = u.d = sass_temporary(&l->b);
    u.op = OP_MAX;
    sass_emit(&l->b, u);
    sass_emit(&l->b, (struct operation){.kind = UOP_LANE,
                                        .op = OP_SELP,
                                        .type = wide ? T_B64 : T_B32,
                                        .d = d,
                                        .a = low,
                                        .b = high,
                                        .p = read_predicate(l, 39),
                                        .p_flip = bit(l, 42)});
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

/* A constant with one word per lane; all quads have the same four words. */
static struct operand by_lane(struct sass_lowering *l, const uint32_t of_quad[4])
{
    uint32_t elements[RP_WARP_LANES];
    for (int lane = 0; lane < RP_WARP_LANES; lane++)
        elements[lane] = of_quad[lane % 4];
    return constants_words(&l->b.constants, l->b.arena, elements);
}
/* A sum in which each lane of a quad has its own signs: two bits per lane, lane 0's the highest. They mean +a+b, -a+b,
 * +a-b, +b; NVIDIA's disassembler prints PP NP PN ZP. The code that ptxas makes of tex.grad.cube confirms this: only so
 * does it sample at x, x + dx, x + dy and x + dx + dy. (It adds with ZPPPZPPP dx and x, then with ZPZPPPPP dy and that
 * sum.) .NDV is for derivatives. */
static void lower_fswzadd(struct sass_lowering *l)
{
    const uint32_t sign = 0x80000000;
    uint32_t keep_a[4], sign_a[4], sign_b[4];
    for (unsigned lane = 0; lane < 4; lane++) {
        const unsigned how = bits(l, 34 - 2 * lane, 2);
        keep_a[lane] = how == 3 ? 0 : ~0u;
        sign_a[lane] = how == 1 ? sign : 0;
        sign_b[lane] = how == 2 ? sign : 0;
    }
    struct operation u = {.kind = UOP_LANE, .op = OP_ADD, .type = T_F32, .flags = ftz(l, 44, 1)};
    u.rounding = (uint8_t)sass_rounding(bits(l, 39, 2));
    struct operand a = lane2(&l->b, OP_XOR, T_B32, source_raw(l, 0), by_lane(l, sign_a));
    u.a = lane2(&l->b, OP_AND, T_B32, a, by_lane(l, keep_a));
    u.b = lane2(&l->b, OP_XOR, T_B32, source_raw(l, 1), by_lane(l, sign_b));
    u.d = result(l);
    sass_emit(&l->b, u);
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

/* Reciprocal and reciprocal root of a double, from its upper word in a register, to 20 bits. */
static void upper_function(struct sass_lowering *l, enum lane_op op)
{
    struct operand *words = ARENA_ARRAY(l->b.arena, struct operand, 2),
                   *out = ARENA_ARRAY(l->b.arena, struct operand, 2);
    words[0] = constant32(&l->b, 0);
    words[1] = source_f32(l, 0);
    struct operand wide = sass_temporary(&l->b), value = sass_temporary(&l->b);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_PACK, .type = T_B64, .stype = T_B32, .d = wide, .lists = {{words, 2}}});
    sass_emit(
        &l->b,
        (struct operation){
            .kind = UOP_LANE, .op = (uint8_t)op, .type = T_F64, .flags = UF_APPROX | UF_FTZ, .d = value, .a = wide});
    out[1] = result(l);
    sass_emit(&l->b,
              (struct operation){
                  .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = value, .lists = {{out, 2}}});
}

static void lower_mufu(struct sass_lowering *l)
{
    static const uint8_t functions[9] = {OP_COS, OP_SIN, OP_EX2, OP_LG2, OP_RCP, OP_RSQRT, OP_RCP, OP_RSQRT, OP_SQRT};
    unsigned function = bits(l, 20, 4);
    bool upper = function == 6 || function == 7;
    if (function > 8 || (bit(l, 50) && upper))
        sass_not_covered(l, "this function");
    if (upper) {
        upper_function(l, functions[function]);
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
