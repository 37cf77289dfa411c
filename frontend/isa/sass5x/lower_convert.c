/* Conversions between numbers. */
#include "frontend/isa/sass5x/lower.h"

static const uint8_t float_types[4] = {T_NONE, T_F16, T_F32, T_F64};
static const uint8_t int_types[2][4] = {{T_U8, T_U16, T_U32, T_U64}, {T_S8, T_S16, T_S32, T_S64}};

static struct operand float_source(struct sass_lowering *l, enum lane_type type)
{
    if (type == T_NONE)
        sass_not_covered(l, "a reserved size");
    if (type == T_F64)
        return source_f64(l, 0);
    if (type == T_F32)
        return source_f32(l, 0);
    return sass_small_float(l, 0, bit(l, 41));
}

/* Sets the condition codes for a 64-bit integer. Zero holds if both words are zero. */
static void set_long_codes(struct sass_lowering *l, struct operand value)
{
    struct operation u = {
        .kind = UOP_LANE, .op = OP_UNPACK, .type = T_B64, .stype = T_B32, .a = value, .lists = {{.count = 2}}};
    u.lists[0].at = ARENA_ARRAY(l->b.arena, struct operand, 2);
    u.lists[0].at[0] = sass_temporary(&l->b);
    u.lists[0].at[1] = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    struct operation codes = {
        .kind = UOP_LANE, .op = OP_FLAGS, .type = T_U32, .flags = UF_CARRY_OUT, .a = u.lists[0].at[0]};
    sass_emit(&l->b, codes);
    codes.flags |= UF_CARRY_IN;
    codes.a = u.lists[0].at[1];
    sass_emit(&l->b, codes);
}
/* Sets the condition codes for a converted value. An f16 counts as the f32 that equals it, a narrow integer as its
 * extension. */
static void set_codes_of(struct sass_lowering *l, enum lane_type type, struct operand value)
{
    if (!bit(l, 47))
        return;
    if (type == T_F16) {
        struct operation u = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F32, .stype = T_F16, .a = value};
        value = u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
        type = T_F32;
    }
    if (type == T_F32 || type == T_F64)
        set_float_codes(l, 47, type, value);
    else if (lane_type_bits(type) == 64)
        set_long_codes(l, value);
    else
        set_codes(l, value);
}

/* Stores a converted value of any type in the destination. Narrow values are extended to 32 bits, signed integers by
 * sign. */
static void store(struct sass_lowering *l, enum lane_type type, struct operand value)
{
    set_codes_of(l, type, sass_store_number(l, bits(l, 0, 8), type, value));
}

static void convert(struct sass_lowering *l, struct operation u)
{
    u.kind = UOP_LANE;
    u.op = OP_CVT;
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    store(l, u.type, u.d);
}

static void lower_f2f(struct sass_lowering *l)
{
    struct operation u = {.type = float_types[bits(l, 8, 2)], .stype = float_types[bits(l, 10, 2)]};
    unsigned round = bits(l, 39, 2);
    static const uint8_t integral[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
    if (u.type == T_NONE)
        sass_not_covered(l, "this pair of sizes");
    u.flags = (bit(l, 44) ? UF_FTZ : 0) | (bit(l, 50) ? UF_SAT : 0);
    u.a = float_source(l, u.stype);
    if (u.stype == T_F16 && u.type != T_F16 && u.flags & UF_SAT) { /* saturates as an f32, which can hold every f16 */
        struct operation wide = {.kind = UOP_LANE, .op = OP_CVT, .type = T_F32, .stype = T_F16, .a = u.a};
        u.a = wide.d = sass_temporary(&l->b);
        sass_emit(&l->b, wide);
        u.stype = T_F32;
    }
    if (u.type != u.stype) {
        bool widens = lane_type_bits(u.type) > lane_type_bits(u.stype);
        u.rounding = widens ? ROUND_DEFAULT : (uint8_t)sass_rounding(round);
    } else if (bit(l, 42)) {
        u.rounding = integral[round] | ROUND_INTEGER;
    } else if (!u.flags) {
        store(l, u.type, u.a);
        return;
    }
    if (u.flags & UF_SAT && lane_type_bits(u.type) > lane_type_bits(u.stype)) { /* in two steps */
        u.kind = UOP_LANE;
        u.op = OP_CVT;
        u.flags &= ~(unsigned)UF_SAT;
        u.d = sass_temporary(&l->b);
        sass_emit(&l->b, u);
        u = (struct operation){.type = u.type, .stype = u.type, .flags = UF_SAT, .a = u.d};
    }
    convert(l, u);
}

static void lower_f2i(struct sass_lowering *l)
{
    static const uint8_t roundings[4] = {ROUND_N, ROUND_M, ROUND_P, ROUND_Z};
    struct operation u = {.type = int_types[bit(l, 12)][bits(l, 8, 2)], .stype = float_types[bits(l, 10, 2)]};
    if (bits(l, 8, 2) == 0)
        sass_not_covered(l, "a reserved size");
    u.flags = bit(l, 44) ? UF_FTZ : 0;
    u.rounding = roundings[bits(l, 39, 2)] | ROUND_INTEGER;
    u.a = float_source(l, u.stype);
    convert(l, u);
}

/* The integer source: part of a word, extended to 32 bits, or a register pair. *type becomes the type of the result. */
static struct operand integer_source(struct sass_lowering *l, unsigned size, bool is_signed, enum lane_type *type)
{
    struct operand v;
    *type = is_signed ? (size == 3 ? T_S64 : T_S32) : size == 3 ? T_U64 : T_U32;
    if (size == 3) {
        v = source_64(l, 0);
    } else {
        v = source_raw(l, 0);
        if (size < 2)
            v = sass_part_of(l, v, is_signed, 8 * bits(l, 41, 2), size ? 16 : 8);
    }
    if (l->source[0].absolute)
        v = lane2(&l->b, OP_ABS, size == 3 ? T_S64 : T_S32, v, v);
    if (l->source[0].negated)
        v = lane2(&l->b, OP_NEG, size == 3 ? T_S64 : T_S32, v, v);
    return v;
}

static void lower_i2f(struct sass_lowering *l)
{
    struct operation u = {.type = float_types[bits(l, 8, 2)], .rounding = (uint8_t)sass_rounding(bits(l, 39, 2))};
    enum lane_type from;
    if (u.type == T_NONE)
        sass_not_covered(l, "a reserved size");
    u.a = integer_source(l, bits(l, 10, 2), bit(l, 13), &from);
    u.stype = (uint8_t)from;
    convert(l, u);
}

static void lower_i2i(struct sass_lowering *l)
{
    enum lane_type from;
    if (bits(l, 8, 2) == 3 || bits(l, 10, 2) == 3)
        sass_not_covered(l, "a reserved size");
    struct operation u = {.type = int_types[bit(l, 12)][bits(l, 8, 2)], .flags = bit(l, 50) ? UF_SAT : 0};
    u.a = integer_source(l, bits(l, 10, 2), bit(l, 13), &from);
    u.stype = (uint8_t)from;
    if (bit(l, 47) && bits(l, 8, 2) != 2)
        sass_not_covered(l, "the condition code");
    u.kind = UOP_LANE;
    u.op = OP_CVT;
    u.d = sass_temporary(&l->b);
    sass_emit(&l->b, u);
    /* The rest of the register becomes zero, also for a negative number: where PTX compares as .u16, ptxas compares the
     * result of I2I.S16.S8 and I2I.S16.S16 as .U32. (It takes the result of F2I.S16 as sign-extended.) */
    store(l, int_types[false][bits(l, 8, 2)], u.d);
}

const struct sass_meaning sass_convert[] = {
    {"F2F", lower_f2f}, {"F2I", lower_f2i}, {"I2F", lower_i2f}, {"I2I", lower_i2i}, {NULL, NULL}};
