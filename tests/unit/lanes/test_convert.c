#include "harness.h"

#include <stdio.h>

#include "tests/support/model_float.h"

static const struct format *format_of(int type)
{
    switch (type) {
    case T_F64: return &FORMAT_F64;
    case T_F32: return &FORMAT_F32;
    case T_F16: return &FORMAT_F16;
    default: return &FORMAT_BF16;
    }
}
static __int128 integer_of(int type, uint64_t bits)
{
    unsigned n = lane_type_bits(type);
    return lane_is_signed(type) ? (__int128)sext(bits, n) : (__int128)zext(bits, n);
}
/* An integer as the element of a type: 8 bits are extended to 16. */
static uint64_t element_of(int type, __int128 x)
{
    unsigned n = lane_type_bits(type), width = 8 * lane_element_bytes(type);
    uint64_t low = zext((uint64_t)x, n);
    return lane_is_signed(type) && n < width ? zext((uint64_t)sext(low, n), width) : low;
}
static __int128 clamped(int type, __int128 x)
{
    bool s = lane_is_signed(type);
    __int128 high = ((__int128)1 << (lane_type_bits(type) - s)) - 1, low = s ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}

static uint64_t integer_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    __int128 x = integer_of(c->stype, a);
    return element_of(c->type, c->flags & UF_SAT ? clamped(c->type, x) : x);
}
static uint64_t of_integer_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    uint64_t r = soft_of_integer(format_of(c->type), c->rounding, integer_of(c->stype, a));
    return c->flags & UF_SAT ? saturated(r) : r;
}
static uint64_t to_integer_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    const struct format *f = format_of(c->stype);
    unsigned bits = lane_type_bits(c->type);
    if (c->flags & UF_FTZ && c->stype == T_F32)
        a = flushed(a);
    if (is_nan(f, a))
        return c->stype == T_F64 || bits == 64 ? element_of(c->type, (__int128)1 << (bits - 1)) : 0;
    bool negative = a >> (f->bits - 1);
    uint64_t top = (uint64_t)(f->bias + 90) << f->fraction; /* 2^90, where the format has it */
    bool huge = is_infinite(f, a) || (f->bias > 90 && (a & ((1ull << (f->bits - 1)) - 1)) >= top);
    __int128 x = huge ? ((__int128)1 << 90) * (negative ? -1 : 1) : soft_to_integer(f, c->rounding, a);
    return element_of(c->type, clamped(c->type, x));
}
static uint64_t saturated_to(const struct format *f, uint64_t a)
{
    uint64_t one = (uint64_t)f->bias << f->fraction;
    if (is_nan(f, a) || a >> (f->bits - 1))
        return 0;
    return a > one ? one : a;
}
static uint64_t float_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    const struct format *from = format_of(c->stype), *to = format_of(c->type);
    if (c->flags & UF_FTZ && c->stype == T_F32)
        a = flushed(a);
    if (c->rounding & ROUND_INTEGER)
        a = soft_integral(from, c->rounding, a);
    uint64_t r = soft_convert(from, to, c->rounding, a);
    if (c->flags & UF_FTZ && c->type == T_F32)
        r = flushed(r);
    return c->flags & UF_SAT ? saturated_to(to, r) : r;
}

static void convert(int to, int from, uint32_t flags, int rounding, lane_model model)
{
    static char name[80];
    snprintf(name, sizeof name, "cvt type %d from %d flags %x rounding %d", to, from, flags, rounding);
    struct lane_case c = {name,          OP_CVT, (uint8_t)to, (uint8_t)from, flags, (uint8_t)rounding, 0, (uint8_t)to,
                          (uint8_t)from, 0,      0,           model};
    run_case(&c, 320);
}

static const uint8_t integers[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
#define EACH_INTEGER(t) for (int i_##t = 0, t; i_##t < 8 && (t = integers[i_##t], true); i_##t++)

Test(convert, integers)
{
    EACH_INTEGER(from) EACH_INTEGER(to)
    {
        convert(to, from, 0, 0, integer_model);
        convert(to, from, UF_SAT, 0, integer_model);
    }
}
Test(convert, integers_to_floats)
{
    for (int rounding = ROUND_DEFAULT; rounding <= ROUND_P; rounding++)
        EACH_INTEGER(from)
        {
            convert(T_F32, from, 0, rounding, of_integer_model);
            convert(T_F64, from, 0, rounding, of_integer_model);
            convert(T_F16, from, 0, rounding, of_integer_model);
            convert(T_BF16, from, 0, rounding, of_integer_model);
        }
    convert(T_F32, T_S32, UF_SAT, ROUND_N, of_integer_model);
}
Test(convert, floats_to_integers)
{
    for (int rounding = ROUND_N; rounding <= ROUND_P; rounding++)
        EACH_INTEGER(to)
        {
            convert(to, T_F32, 0, ROUND_INTEGER | rounding, to_integer_model);
            convert(to, T_F32, UF_FTZ, ROUND_INTEGER | rounding, to_integer_model);
            convert(to, T_F64, 0, ROUND_INTEGER | rounding, to_integer_model);
            convert(to, T_F16, 0, ROUND_INTEGER | rounding, to_integer_model);
            convert(to, T_BF16, 0, ROUND_INTEGER | rounding, to_integer_model);
        }
}
Test(convert, between_float_formats)
{
    static const uint32_t flags[] = {0, UF_FTZ, UF_SAT, UF_FTZ | UF_SAT};
    for (int k = 0; k < 4; k++) {
        convert(T_F64, T_F32, flags[k], 0, float_model);
        for (int rounding = ROUND_DEFAULT; rounding <= ROUND_P; rounding++) {
            convert(T_F32, T_F64, flags[k], rounding, float_model);
            convert(T_F16, T_F32, flags[k], rounding, float_model);
            convert(T_BF16, T_F32, flags[k], rounding, float_model);
        }
    }
    for (int rounding = ROUND_N; rounding <= ROUND_P; rounding++)
        convert(T_F16, T_F64, 0, rounding, float_model);
    convert(T_BF16, T_F32, 0, ROUND_NA, float_model);
    for (int k = 0; k < 4; k++)
        convert(T_F32, T_F16, flags[k], 0, float_model);
    for (int k = 0; k < 4; k += 2) {
        convert(T_F64, T_F16, flags[k], 0, float_model);
        convert(T_F32, T_BF16, flags[k], 0, float_model);
    }
}
Test(convert, to_integral_values)
{
    for (int rounding = ROUND_N; rounding <= ROUND_P; rounding++) {
        convert(T_F32, T_F32, 0, ROUND_INTEGER | rounding, float_model);
        convert(T_F32, T_F32, UF_FTZ, ROUND_INTEGER | rounding, float_model);
        convert(T_F32, T_F32, UF_SAT, ROUND_INTEGER | rounding, float_model);
        convert(T_F64, T_F64, 0, ROUND_INTEGER | rounding, float_model);
    }
    convert(T_F32, T_F32, UF_SAT, 0, float_model);
    convert(T_F32, T_F32, UF_FTZ, 0, float_model);
}

static uint64_t pack_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    bool s = lane_is_signed(c->type);
    int64_t high = (1ll << (c->imm - s)) - 1, low = s ? -high - 1 : 0, x = sext(a, 32), y = sext(b, 32);
    uint64_t ta = (uint64_t)(x < low ? low : x > high ? high : x), tb = (uint64_t)(y < low ? low : y > high ? high : y);
    uint64_t r = zext(tb, (unsigned)c->imm) | zext(ta, (unsigned)c->imm) << c->imm;
    return c->imm < 16 ? (uint32_t)(r | z << 2 * c->imm) : r;
}
Test(convert, packing)
{
    for (int bits = 2; bits <= 16; bits *= 2)
        for (int t = T_U32; t <= T_S32; t++) {
            struct lane_case c = {"cvt.pack",
                                  OP_CVT_PACK,
                                  (uint8_t)t,
                                  0,
                                  UF_SAT,
                                  0,
                                  bits,
                                  T_B32,
                                  T_S32,
                                  T_S32,
                                  bits < 16 ? T_B32 : T_NONE,
                                  pack_model};
            run_case(&c, 512);
        }
}
