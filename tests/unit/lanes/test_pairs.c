/* Conversions to tf32 and to and from pairs of f16, bf16, e4m3 and e5m2. The formats of 8 bits are taken as lists of
 * all their numbers, of which the nearest is looked for; the others are exact arithmetic on integers. */
#include "harness.h"

#include <math.h>
#include <stdio.h>

#include "tests/support/model_float.h"

static const struct format FORMAT_TF32 = {19, 10, 127, 0x3ffff};

static double float_of_bits(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* ---- bytes ---- */

/* The number that a byte without its sign stands for; NAN and INFINITY too. */
static double number_of(int type, unsigned code)
{
    int fraction = type == T_E4M3X2 ? 3 : 2, bias = type == T_E4M3X2 ? 7 : 15;
    unsigned field = code >> fraction, rest = code & ((1u << fraction) - 1);
    if (type == T_E4M3X2 && code == 0x7f)
        return NAN;
    if (type == T_E5M2X2 && field == 31)
        return rest ? (double)NAN : (double)INFINITY;
    double steps = field ? (double)(rest + (1u << fraction)) : (double)rest;
    return ldexp(steps, (field ? (int)field : 1) - bias - fraction);
}
static unsigned greatest(int type) { return type == T_E4M3X2 ? 0x7e : 0x7b; }

/* The nearest of all numbers, of two the one with an even code; never beyond the greatest. */
static uint64_t byte_of(const struct lane_case *c, double x)
{
    double size = fabs(x), best_distance = INFINITY;
    unsigned best = 0;
    if (isnan(x))
        return 0x7f;
    for (unsigned code = 0; code <= greatest(c->type); code++) {
        double distance = fabs(number_of(c->type, code) - size);
        if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
            best = code;
            best_distance = distance;
        }
    }
    if (size > number_of(c->type, greatest(c->type)))
        best = greatest(c->type);
    if (c->flags & UF_RELU && signbit(x))
        return 0;
    return best | (signbit(x) ? 0x80 : 0);
}

static double half_of(uint64_t h) { return float_of_bits(soft_convert(&FORMAT_F16, &FORMAT_F32, ROUND_N, h & 0xffff)); }

static uint64_t bytes_of_floats(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    return byte_of(c, float_of_bits(a)) << 8 | byte_of(c, float_of_bits(b));
}
static uint64_t bytes_of_halves(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    return byte_of(c, half_of(a >> 16)) << 8 | byte_of(c, half_of(a));
}

static uint64_t half_of_byte(const struct lane_case *c, uint64_t byte)
{
    double x = number_of(c->stype, byte & 0x7f);
    float narrow = (float)x;
    uint32_t bits;
    if (isnan(x))
        return 0x7fff;
    if (byte & 0x80 && c->flags & UF_RELU)
        return 0;
    memcpy(&bits, &narrow, sizeof bits);
    return soft_convert(&FORMAT_F32, &FORMAT_F16, ROUND_N, bits) | (byte & 0x80) << 8;
}
static uint64_t halves_of_bytes(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    return half_of_byte(c, a >> 8) << 16 | half_of_byte(c, a & 0xff);
}

/* ---- 16 bits and tf32 ---- */

static uint64_t narrow(const struct lane_case *c, const struct format *f, uint64_t a)
{
    uint64_t sign = 1ull << (f->bits - 1), r;
    if (is_nan(&FORMAT_F32, a))
        return f->nan;
    r = soft_convert(&FORMAT_F32, f, c->rounding, a);
    if (c->flags & UF_SAT_FINITE && is_infinite(f, r))
        r--;
    return c->flags & UF_RELU && r & sign ? 0 : r;
}
static uint64_t pair_of_floats(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    const struct format *f = c->type == T_F16X2 ? &FORMAT_F16 : &FORMAT_BF16;
    return narrow(c, f, a) << 16 | narrow(c, f, b);
}
static uint64_t one_of_float(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    const struct format *f = c->type == T_F16 ? &FORMAT_F16 : c->type == T_BF16 ? &FORMAT_BF16 : &FORMAT_TF32;
    uint64_t r = narrow(c, f, a);
    if (c->type != T_TF32)
        return r;
    return is_nan(f, r) ? 0x7fffffff : r << 13;
}

static void check(int to, int from, bool two, uint32_t flags, int rounding, lane_model model)
{
    static char name[80];
    snprintf(name, sizeof name, "cvt type %d from %d flags %x rounding %d", to, from, flags, rounding);
    struct lane_case c = {.name = name,
                          .op = OP_CVT,
                          .type = (uint8_t)to,
                          .stype = (uint8_t)from,
                          .flags = flags,
                          .rounding = (uint8_t)rounding,
                          .d = (uint8_t)to,
                          .a = (uint8_t)from,
                          .b = two ? (uint8_t)from : T_NONE,
                          .model = model};
    run_case(&c, 2048);
}

Test(pairs, of_floats)
{
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t flags = (k & 1 ? UF_RELU : 0) | (k & 2 ? UF_SAT_FINITE : 0);
        for (int rounding = ROUND_N; rounding <= ROUND_Z; rounding++) {
            check(T_F16X2, T_F32, true, flags, rounding, pair_of_floats);
            check(T_BF16X2, T_F32, true, flags, rounding, pair_of_floats);
            check(T_F16, T_F32, false, flags, rounding, one_of_float);
            check(T_BF16, T_F32, false, flags, rounding, one_of_float);
            check(T_TF32, T_F32, false, flags, rounding, one_of_float);
        }
        check(T_TF32, T_F32, false, flags, ROUND_NA, one_of_float);
    }
}
Test(pairs, of_bytes)
{
    static const uint8_t types[] = {T_E4M3X2, T_E5M2X2};
    for (int t = 0; t < 2; t++)
        for (uint32_t flags = 0; flags <= UF_RELU; flags += UF_RELU) {
            check(types[t], T_F32, true, flags | UF_SAT_FINITE, ROUND_N, bytes_of_floats);
            check(types[t], T_F16X2, false, flags | UF_SAT_FINITE, ROUND_N, bytes_of_halves);
            check(T_F16X2, types[t], false, flags, ROUND_N, halves_of_bytes);
        }
}
