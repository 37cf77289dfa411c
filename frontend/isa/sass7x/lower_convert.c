/* Conversions between numbers. */
#include "frontend/isa/sass7x/lower.h"

/* Float formats as fields encode them: F16 1, F32 2, F64 3, BF16 4 (sm_80; as a source sm_90). */
static enum lane_type float_type(struct sass_lowering *l, unsigned at)
{
    static const uint8_t types[8] = {T_NONE, T_F16, T_F32, T_F64, T_BF16, T_NONE, T_NONE, T_NONE};
    unsigned width = at == AT_PD2 && l->arch != SASS_90 ? 2 : 3;
    enum lane_type t = (enum lane_type)types[bits(l, at, width)];
    if (t == T_NONE)
        sass_not_covered(l, "a reserved size");
    return t;
}

static struct operand float_source(struct sass_lowering *l, enum lane_type type)
{
    if (type == T_F64)
        return source_f64(l, 0);
    if (type == T_F32)
        return source_f32(l, 0);
    return sass_small_float(l, 0, l->source[0].item->sf.width && bit(l, 60));
}

static void convert(struct sass_lowering *l, struct operation u)
{
    u.op = OP_CVT;
    sass_store_number(l, bits(l, AT_RD, 8), (enum lane_type)u.type, sass_value_of(l, u));
}

enum { AT_TO = 75, AT_FROM = 84, AT_ROUND = 78, AT_FTZ = 80, AT_SIGN = 74 };

static void lower_f2f(struct sass_lowering *l)
{
    struct operation u = {.flags = bit(l, AT_FTZ) ? UF_FTZ : 0};
    u.type = (uint8_t)float_type(l, AT_TO);
    u.stype = (uint8_t)float_type(l, AT_FROM);
    bool widens = lane_type_bits((enum lane_type)u.type) > lane_type_bits((enum lane_type)u.stype);
    u.rounding = widens ? ROUND_DEFAULT : (uint8_t)sass_rounding(bits(l, AT_ROUND, 2));
    u.a = float_source(l, (enum lane_type)u.stype);
    convert(l, u);
}

static void lower_frnd(struct sass_lowering *l)
{
    struct operation u = {.flags = bit(l, AT_FTZ) ? UF_FTZ : 0};
    u.type = u.stype = (uint8_t)float_type(l, AT_FROM);
    u.rounding = (uint8_t)(sass_rounding(bits(l, AT_ROUND, 2)) | ROUND_INTEGER);
    u.a = float_source(l, (enum lane_type)u.stype);
    convert(l, u);
}

/* .NTZ: NaN becomes 0; it stands where it does so in PTX, too. */
static void lower_f2i(struct sass_lowering *l)
{
    static const uint8_t types[8] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
    struct operation u = {.flags = bit(l, AT_FTZ) ? UF_FTZ : 0, .type = types[bit(l, 72) | bits(l, 75, 2) << 1]};
    u.stype = (uint8_t)float_type(l, AT_FROM);
    bool zero = u.stype != T_F64 && lane_type_bits((enum lane_type)u.type) != 64;
    if (bit(l, 77) != zero)
        sass_not_covered(l, "NaN");
    u.rounding = (uint8_t)(sass_rounding(bits(l, AT_ROUND, 2)) | ROUND_INTEGER);
    u.a = float_source(l, (enum lane_type)u.stype);
    convert(l, u);
}

/* The integer source: a byte or half of a word extended to 32 bits, a word, or a pair. An immediate of 64 bits is the
 * upper word of a pair, as of doubles: ptxas 12.9 writes I2F.S64 R5, 0x3ff12345 for 0x3ff1234500000000. */
static struct operand integer_source(struct sass_lowering *l, unsigned size, bool is_signed)
{
    enum { BYTE, HALF, WORD, PAIR };
    uint64_t value;
    if (size == PAIR && source_immediate(l, 0, &value))
        return constant64(&l->b, value << 32);
    if (size == PAIR)
        return source_64(l, 0);
    struct operand v = source_raw(l, 0);
    unsigned part = l->source[0].item->sf.width ? bits(l, 60, 2) : 0;
    if (size == WORD)
        return v;
    return sass_part_of(l, v, is_signed, (size == HALF ? 16 : 8) * part, size == HALF ? 16 : 8);
}

static void lower_i2f(struct sass_lowering *l)
{
    static const uint8_t types[2][4] = {{T_U32, T_U32, T_U32, T_U64}, {T_S32, T_S32, T_S32, T_S64}};
    unsigned size = bits(l, AT_FROM, 2);
    bool is_signed = bit(l, AT_SIGN);
    struct operation u = {.stype = types[is_signed][size], .rounding = (uint8_t)sass_rounding(bits(l, AT_ROUND, 2))};
    u.type = (uint8_t)float_type(l, AT_TO);
    u.a = integer_source(l, size, is_signed);
    convert(l, u);
}

/* ---- integers to narrower ones, saturated ---- */

static void lower_i2i(struct sass_lowering *l)
{
    static const uint8_t types[4] = {T_U8, T_S8, T_U16, T_S16};
    struct operation u = {.type = types[bits(l, 76, 2)], .stype = T_S32, .flags = UF_SAT};
    u.a = source_raw(l, 0);
    convert(l, u);
}

/* As PTX's cvt.pack.sat: both narrowed, the first above the second, and above these the low part of the third, for
 * bytes its lower or upper half. */
static void lower_i2ip(struct sass_lowering *l)
{
    enum { BYTES = 8, UPPER_HALF = 1 };
    static const uint8_t widths[4] = {BYTES, 16, 2, 4}, parts[4] = {0, 0, 3, 2};
    unsigned width = widths[bits(l, 77, 2)], sat = l->arch == SASS_90, part = bits(l, 72, 2);
    bool upper = width == BYTES && part == UPPER_HALF;
    struct operation u = {.kind = UOP_LANE, .op = OP_CVT_PACK, .type = bit(l, 76) ? T_S32 : T_U32, .imm = width};
    if (l->arch >= SASS_86 && bits(l, 74, 2) != sat)
        sass_not_covered(l, "no saturation, or another");
    if ((part != parts[bits(l, 77, 2)] && !upper) || (width == 16 && bits(l, AT_RC, 8) != RZ))
        sass_not_covered(l, "this part of the third source");
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    if (width != 16)
        u.c = source_raw(l, 2);
    if (upper)
        u.c = lane2(&l->b, OP_SHR, T_U32, u.c, constant32(&l->b, 16));
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

/* ---- floats to narrower ones, packed ---- */

enum small { SMALL_F16, SMALL_BF16, SMALL_E5M2, SMALL_E4M3 };
static const uint8_t pair_types[4] = {T_F16X2, T_BF16X2, T_E5M2X2, T_E4M3X2}, single_types[2] = {T_F16, T_BF16};

static uint64_t narrowing_flags(const struct sass_lowering *l)
{
    return (bit(l, 75) ? UF_RELU : 0) | (bit(l, 77) ? UF_SAT_FINITE : 0);
}

/* Source i with its part selector: a word's upper half where bit 72 says so. */
static struct operand merged_half(struct sass_lowering *l, unsigned i)
{
    struct operand word = source_raw(l, i);
    return sass_half_of(l, word, bit(l, 72));
}

/* The conversion gives the lower 16 bits; a half of the last source gives the upper ones. So ptxas translates two cvt
 * to e4m3x2 and a mov.b32 of both: it writes PACK_AB_MERGE_C twice, and the last source of the second is the result of
 * the first. */
static void merge(struct sass_lowering *l, struct operation u, unsigned last)
{
    struct operand low = sass_value_of(l, u), high = merged_half(l, last);
    sass_store_halves(l, sass7x_result(l), low, high);
}

/* Two f32: d = {a, b}, a above. */
static void pack(struct sass_lowering *l, struct operation u, enum small format)
{
    if (format > SMALL_BF16)
        sass_not_covered(l, "this format");
    u.kind = UOP_LANE;
    u.type = pair_types[format];
    u.stype = T_F32;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

static void pack_bytes(struct sass_lowering *l, struct operation u, enum small format)
{
    if (format < SMALL_E5M2 || !bit(l, 77))
        sass_not_covered(l, "this format");
    u.type = pair_types[format];
    u.stype = T_F32;
    u.a = source_raw(l, 0);
    u.b = source_raw(l, 1);
    merge(l, u, 2);
}

/* Converts the first source, and merges. */
static void merge_source(struct sass_lowering *l, struct operation u, enum lane_type type, enum lane_type from)
{
    u.type = (uint8_t)type;
    u.stype = (uint8_t)from;
    u.a = source_raw(l, 0);
    merge(l, u, 1);
}

/* A pair of f16 to two bytes. */
static void narrow_pair(struct sass_lowering *l, struct operation u, enum small format)
{
    if (format < SMALL_E5M2 || !bit(l, 77))
        sass_not_covered(l, "this format");
    merge_source(l, u, pair_types[format], T_F16X2);
}

static void single(struct sass_lowering *l, struct operation u, enum small format)
{
    if (format > SMALL_BF16)
        sass_not_covered(l, "this format");
    merge_source(l, u, single_types[format], T_F32);
}

/* Two bytes of a half to a pair of f16. */
static void unpack(struct sass_lowering *l, struct operation u, enum small format)
{
    if (format != SMALL_F16)
        sass_not_covered(l, "this format");
    struct operand word = source_raw(l, 0);
    u.kind = UOP_LANE;
    u.type = T_F16X2;
    u.stype = bit(l, 73) ? T_E4M3X2 : T_E5M2X2;
    u.rounding = ROUND_DEFAULT;
    u.a = sass_half_of(l, word, bit(l, 88));
    u.d = sass7x_result(l);
    sass_emit(&l->b, u);
}

static void lower_f2fp(struct sass_lowering *l)
{
    enum { FLOATS, OTHERS, MERGED }; /* bits 89 and 90 */
    enum small format = (enum small)(bit(l, 76) | bit(l, 87) << 1);
    bool second = bit(l, 78);
    struct operation u = {.op = OP_CVT, .flags = narrowing_flags(l), .rounding = ROUND_N};
    if (bits(l, 79, 3) == 3)
        u.rounding = ROUND_Z;
    else if (bits(l, 79, 3))
        sass_not_covered(l, "this rounding");
    switch (l->arch < SASS_89 ? FLOATS : bits(l, 89, 2)) {
    case FLOATS: (second ? single : pack)(l, u, format); break;
    case MERGED: (second ? pack_bytes : narrow_pair)(l, u, format); break;
    default:
        if (!second) {
            unpack(l, u, format);
            break;
        }
        u.type = T_TF32;
        u.stype = T_F32;
        u.a = source_raw(l, 0);
        convert(l, u);
    }
}

/* Of the uniform datapath: f16 alone. */
static void lower_uf2fp(struct sass_lowering *l)
{
    struct operation u = {.op = OP_CVT, .rounding = ROUND_N};
    if (bit(l, 78))
        sass_not_covered(l, "this form");
    if (bits(l, 79, 3) == 3)
        u.rounding = ROUND_Z;
    pack(l, u, SMALL_F16);
}

/* Bytes: the second source's lowest, above it the first's, and above these a half of the third. */
static void lower_f2ip(struct sass_lowering *l)
{
    struct operation u = {.op = OP_CVT, .type = bit(l, 76) ? T_S8 : T_U8, .stype = T_F32};
    struct operand byte[2], third;
    if (bit(l, 75) || !bit(l, 74))
        sass_not_covered(l, bit(l, 75) ? "RELU" : "NaN");
    u.rounding = (uint8_t)(sass_rounding(bits(l, AT_ROUND, 2)) | ROUND_INTEGER);
    for (unsigned i = 0; i < 2; i++) {
        u.a = source_raw(l, i);
        byte[i] = sass_value_of(l, u);
    }
    for (unsigned i = 0; i < 2; i++)
        byte[i] = sass_value_of(l, (struct operation){.op = OP_CVT, .type = T_U32, .stype = T_U8, .a = byte[i]});
    struct operand above = lane2(&l->b, OP_SHL, T_B32, byte[0], constant32(&l->b, 8));
    struct operand low = sass_half_of(l, lane2(&l->b, OP_OR, T_B32, above, byte[1]), false);
    third = merged_half(l, 2);
    sass_store_halves(l, sass7x_result(l), low, third);
}

const struct sass_meaning sass7x_convert[] = {{"F2F", lower_f2f},   {"FRND", lower_frnd}, {"F2I", lower_f2i},
                                              {"I2F", lower_i2f},   {"I2FP", lower_i2f},  {"I2I", lower_i2i},
                                              {"I2IP", lower_i2ip}, {"F2FP", lower_f2fp}, {"UF2FP", lower_uf2fp},
                                              {"F2IP", lower_f2ip}, {NULL, NULL}};
