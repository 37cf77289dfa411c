/* cvt and cvt.pack. Numbers of 8 bits are found in the list of all of them, the others by exact arithmetic. */
#include <math.h>
#include <string.h>

#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

typedef __int128 wide;

static const struct format FORMAT_TF32 = {19, 10, 127, 0x3ffff};

static wide limited(enum ptx_type t, wide x)
{
    bool s = is_signed_type(t);
    wide high = ((wide)1 << (bits_of(t) - s)) - 1, low = s ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}
/* An integer in its register, which has at least 16 bits. */
static uint64_t in_register(enum ptx_type t, wide x)
{
    unsigned bits = bits_of(t), width = bits < 16 ? 16 : bits;
    uint64_t low = low_bits((uint64_t)x, bits);
    return low_bits(is_signed_type(t) ? (uint64_t)signed_of(low, bits) : low, width);
}
static wide integer(enum ptx_type t, uint64_t x)
{
    return is_signed_type(t) ? (wide)signed_of(x, bits_of(t)) : (wide)low_bits(x, bits_of(t));
}

static uint64_t to_integer(const struct call *c, enum ptx_type d, enum ptx_type s)
{
    const struct format *f = format_named(s);
    unsigned bits = bits_of(d);
    uint64_t a = has(c, M_FTZ) ? without_subnormals(f, c->a) : c->a;
    if (is_nan(f, a))
        return s == PT_F64 || bits == 64 ? in_register(d, (wide)1 << (bits - 1)) : 0;
    long double x = value_of(f, a);
    wide whole =
        fabsl(x) > 0x1p90L ? (x < 0 ? -((wide)1 << 90) : (wide)1 << 90) : soft_to_integer(f, rounding_of(c), a);
    return in_register(d, limited(d, whole));
}

static uint64_t between_floats(const struct call *c, enum ptx_type d, enum ptx_type s)
{
    const struct format *from = format_named(s), *to = d == PT_TF32 ? &FORMAT_TF32 : format_named(d);
    uint64_t a = has(c, M_FTZ) && s == PT_F32 ? without_subnormals(from, c->a) : c->a;
    int rounding = rounding_of(c);
    if (rounding & ROUND_INTEGER)
        a = soft_integral(from, rounding, a);
    uint64_t r = is_nan(from, a) ? to->nan : soft_convert(from, to, rounding, a);
    if (has(c, M_FTZ) && d == PT_F32)
        r = is_nan(to, r) ? r : without_subnormals(to, r);
    if (has(c, M_SATFINITE) && is_infinite(to, r))
        r--;
    if (has(c, M_RELU) && !is_nan(to, r) && r >> (to->bits - 1))
        r = 0;
    if (has(c, M_SAT))
        r = clamped_to_one(to, r);
    return d != PT_TF32 ? r : is_nan(to, r) ? 0x7fffffff : r << 13;
}

/* ---- pairs ---- */

static double number_of_byte(enum ptx_type t, unsigned code)
{
    int fraction = t == PT_E4M3X2 ? 3 : 2, bias = t == PT_E4M3X2 ? 7 : 15;
    unsigned field = code >> fraction, rest = code & ((1u << fraction) - 1);
    if (t == PT_E4M3X2 ? code == 0x7f : field == 31)
        return t == PT_E4M3X2 || rest ? (double)NAN : (double)INFINITY;
    return ldexp((double)(field ? rest + (1u << fraction) : rest), (field ? (int)field : 1) - bias - fraction);
}

static uint64_t byte_of(const struct call *c, enum ptx_type t, long double x)
{
    unsigned greatest = t == PT_E4M3X2 ? 0x7e : 0x7b, best = greatest;
    long double size = fabsl(x), distance = INFINITY;
    if (isnan(x))
        return 0x7f;
    for (unsigned code = 0; code <= greatest && size <= number_of_byte(t, greatest); code++) {
        long double d = fabsl(number_of_byte(t, code) - size);
        if (d < distance || (d == distance && code % 2 == 0))
            best = code, distance = d;
    }
    return has(c, M_RELU) && signbit(x) ? 0 : best | (signbit(x) ? 0x80u : 0u);
}

static uint64_t half_of_byte(const struct call *c, enum ptx_type t, uint64_t byte)
{
    double x = number_of_byte(t, byte & 0x7f);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x))
        return 0x7fff;
    return has(c, M_RELU) && byte & 0x80 ? 0
                                         : soft_convert(&FORMAT_F64, &FORMAT_F16, ROUND_N, bits) | (byte & 0x80) << 8;
}

static bool is_bytes(enum ptx_type t) { return t == PT_E4M3X2 || t == PT_E5M2X2; }

static uint64_t pair(const struct call *c, enum ptx_type d, enum ptx_type s)
{
    struct call low = *c;
    low.a = c->b;
    if (is_pair_type(d) && s == PT_F32) {
        enum ptx_type one = d == PT_F16X2 ? PT_F16 : PT_BF16;
        return between_floats(c, one, s) << 16 | between_floats(&low, one, s);
    }
    if (is_pair_type(d))
        return half_of_byte(c, s, c->a >> 8) << 16 | half_of_byte(c, s, c->a & 0xff);
    if (s == PT_F32)
        return byte_of(c, d, value_of(&FORMAT_F32, c->a)) << 8 | byte_of(c, d, value_of(&FORMAT_F32, c->b));
    return byte_of(c, d, value_of(&FORMAT_F16, c->a >> 16)) << 8 | byte_of(c, d, value_of(&FORMAT_F16, c->a & 0xffff));
}

/* ---- which modifiers go together (PTX ISA, cvt) ---- */

static bool goes_together(const struct call *c, enum ptx_type d, enum ptx_type s)
{
    bool small = d == PT_F16 || d == PT_BF16 || d == PT_TF32, narrowing = small && s == PT_F32;
    int rounding = rounding_of(c);
    bool plain = rounding == ROUND_N || rounding == ROUND_Z;
    if ((has(c, M_RELU) || has(c, M_SATFINITE)) && (!narrowing || (!plain && d != PT_TF32)))
        return false;
    if (has(c, M_SAT) && (has(c, M_RELU) || has(c, M_SATFINITE) || d == PT_BF16 || d == PT_TF32))
        return false;
    if (has(c, M_FTZ) && ((s != PT_F32 && d != PT_F32) || has(c, M_RELU) || has(c, M_SATFINITE)))
        return false;
    if (rounding == ROUND_NA && d != PT_TF32)
        return false;
    bool same_size = is_float_type(d) && is_float_type(s) && bits_of(d) == bits_of(s) && d != s;
    return !(same_size && (rounding == ROUND_DEFAULT || rounding & ROUND_INTEGER)) &&
           !(rounding & ROUND_INTEGER && is_float_type(d) && d != s);
}

static enum verdict packed(const struct call *c, struct answer *r)
{
    enum ptx_type t = type_of(c, 0);
    unsigned bits = bits_of(t);
    uint64_t a = low_bits((uint64_t)limited(t, signed_of(c->a, 32)), bits);
    uint64_t b = low_bits((uint64_t)limited(t, signed_of(c->b, 32)), bits);
    r->d = (a << bits | b | (bits < 16 ? c->c << 2 * bits : 0)) & 0xffffffff;
    return ANSWERED;
}

enum verdict reference_convert(const struct call *c, struct answer *r)
{
    if (strcmp(c->opcode, "cvt") != 0)
        return NO_MODEL;
    if (has(c, M_PACK))
        return packed(c, r);
    enum ptx_type d = type_of(c, 0), s = type_of(c, 1);
    if (is_pair_type(d) || is_bytes(d)) {
        r->d = pair(c, d, s);
        return ANSWERED;
    }
    if (!goes_together(c, d, s))
        return NOT_PTX;
    if (is_float_type(s) && is_float_type(d))
        r->d = between_floats(c, d, s);
    else if (is_float_type(s))
        r->d = to_integer(c, d, s);
    else if (is_float_type(d)) {
        const struct format *f = format_named(d);
        r->d = soft_of_integer(f, rounding_of(c), integer(s, c->a));
        r->d = has(c, M_SAT) ? clamped_to_one(f, r->d) : r->d;
    } else {
        wide x = integer(s, c->a);
        r->d = in_register(d, has(c, M_SAT) ? limited(d, x) : x);
    }
    return ANSWERED;
}
