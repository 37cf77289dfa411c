#include "tests/support/model_float.h"

#include <string.h>

#include "frontend/operation/uop.h"

typedef unsigned __int128 u128;

const struct format FORMAT_F64 = {64, 52, 1023, 0xfff8000000000000}, FORMAT_F32 = {32, 23, 127, 0x7fffffff},
                    FORMAT_F16 = {16, 10, 15, 0x7fff}, FORMAT_BF16 = {16, 7, 127, 0x7fff};

/* A finite value is (-1)^negative × mantissa × 2^exponent. */
struct number {
    bool negative;
    uint64_t mantissa;
    int exponent;
};

static uint64_t sign_bit(const struct format *f) { return 1ull << (f->bits - 1); }
static uint64_t magnitude(const struct format *f, uint64_t a) { return a & (sign_bit(f) - 1); }
static uint64_t infinity(const struct format *f) { return (sign_bit(f) - 1) >> f->fraction << f->fraction; }
bool is_nan(const struct format *f, uint64_t a) { return magnitude(f, a) > infinity(f); }
bool is_infinite(const struct format *f, uint64_t a) { return magnitude(f, a) == infinity(f); }
uint64_t negated(const struct format *f, uint64_t a) { return a ^ sign_bit(f); }
static bool is_negative(const struct format *f, uint64_t a) { return a & sign_bit(f); }
static bool is_zero(const struct format *f, uint64_t a) { return !magnitude(f, a); }

static struct number decoded(const struct format *f, uint64_t a)
{
    uint64_t field = magnitude(f, a) >> f->fraction, fraction = a & ((1ull << f->fraction) - 1);
    return (struct number){is_negative(f, a), field ? fraction | 1ull << f->fraction : fraction,
                           (field ? (int)field : 1) - f->bias - f->fraction};
}

static bool up(int rounding, bool negative, bool odd, bool half, bool below_half)
{
    switch (rounding & 7) {
    case ROUND_Z: return false;
    case ROUND_M: return negative && (half || below_half);
    case ROUND_P: return !negative && (half || below_half);
    case ROUND_NA: return half;
    default: return half && (below_half || odd);
    }
}

/* m × 2^exponent, and a bit more if sticky, rounded. m has at least fraction + 3 bits if sticky. */
static uint64_t rounded(const struct format *f, int rounding, bool negative, u128 m, int exponent, bool sticky)
{
    uint64_t sign = negative ? sign_bit(f) : 0;
    if (!m && !sticky)
        return sign;
    int top = -1;
    for (u128 x = m; x; x >>= 1)
        top++;
    int lowest = 1 - f->bias - f->fraction; /* exponent of the last place of subnormals */
    int place = exponent + top - f->fraction < lowest ? lowest : exponent + top - f->fraction;
    int drop = place - exponent;
    u128 kept;
    bool half = false, below = sticky;
    if (drop <= 0) {
        kept = m << -drop;
    } else if (drop > 127) {
        kept = 0, below |= m != 0;
    } else {
        kept = m >> drop;
        half = m >> (drop - 1) & 1;
        below |= (m & (((u128)1 << (drop - 1)) - 1)) != 0;
    }
    kept += up(rounding, negative, kept & 1, half, below);
    if (kept >> (f->fraction + 1))
        kept >>= 1, place++;
    if (place + f->fraction > f->bias) {
        bool to_infinity = up(rounding, negative, true, true, true);
        return sign | (infinity(f) - !to_infinity);
    }
    uint64_t field = kept >> f->fraction ? (uint64_t)(place - lowest + 1) : 0;
    return sign | field << f->fraction | ((uint64_t)kept & ((1ull << f->fraction) - 1));
}

/* ---- sums in fixed point: words of 32 bits, bit 0 is 2^-LOWEST ---- */

enum { LOWEST = 2240, WORDS = 144 };
static void place_bits(uint32_t *fixed, u128 m, int at)
{
    for (int i = 0; i < 128; i++)
        if (m >> i & 1)
            fixed[(at + i) / 32] |= 1u << (at + i) % 32;
}
static int compare_fixed(const uint32_t *a, const uint32_t *b)
{
    for (int i = WORDS - 1; i >= 0; i--)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
static void add_fixed(uint32_t *a, const uint32_t *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++)
        a[i] = (uint32_t)(carry += (uint64_t)a[i] + b[i]), carry >>= 32;
}
static void subtract_fixed(uint32_t *a, const uint32_t *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < WORDS; i++) {
        int64_t d = (int64_t)a[i] - b[i] + borrow;
        a[i] = (uint32_t)d;
        borrow = d < 0 ? -1 : 0;
    }
}
static uint64_t rounded_fixed(const struct format *f, int rounding, bool negative, const uint32_t *a)
{
    int top = WORDS - 1;
    while (top > 0 && !a[top])
        top--;
    int from = top < 2 ? 0 : top - 2; /* three words: at least 65 bits, where there is anything below */
    u128 m = 0;
    bool sticky = false;
    for (int i = top; i >= from; i--)
        m = m << 32 | a[i];
    for (int i = 0; i < from; i++)
        sticky |= a[i] != 0;
    return rounded(f, rounding, negative, m, 32 * from - LOWEST, sticky);
}
/* x + y for products or numbers; the sign of an exact zero of differing signs is that of the rounding mode. */
static uint64_t sum(const struct format *f, int rounding, bool nx, u128 mx, int ex, bool ny, u128 my, int ey)
{
    uint32_t x[WORDS] = {0}, y[WORDS] = {0};
    place_bits(x, mx, ex + LOWEST);
    place_bits(y, my, ey + LOWEST);
    if (nx == ny) {
        add_fixed(x, y);
        return rounded_fixed(f, rounding, nx, x);
    }
    int order = compare_fixed(x, y);
    if (!order)
        return (rounding & 7) == ROUND_M ? sign_bit(f) : 0;
    if (order > 0) {
        subtract_fixed(x, y);
        return rounded_fixed(f, rounding, nx, x);
    }
    subtract_fixed(y, x);
    return rounded_fixed(f, rounding, ny, y);
}

/* ---- operations ---- */

uint64_t soft_fma(const struct format *f, int rounding, uint64_t a, uint64_t b, uint64_t c)
{
    bool negative = is_negative(f, a) != is_negative(f, b);
    if (is_nan(f, a) || is_nan(f, b) || is_nan(f, c))
        return f->nan;
    if (is_infinite(f, a) || is_infinite(f, b)) {
        if (is_zero(f, a) || is_zero(f, b) || (is_infinite(f, c) && negative != is_negative(f, c)))
            return f->nan;
        return infinity(f) | (negative ? sign_bit(f) : 0);
    }
    if (is_infinite(f, c))
        return c;
    struct number x = decoded(f, a), y = decoded(f, b), z = decoded(f, c);
    u128 product = (u128)x.mantissa * y.mantissa;
    return sum(f, rounding, negative, product, x.exponent + y.exponent, z.negative, z.mantissa, z.exponent);
}
uint64_t soft_add(const struct format *f, int rounding, uint64_t a, uint64_t b)
{
    return soft_fma(f, rounding, a, (uint64_t)f->bias << f->fraction, b);
}
uint64_t soft_mul(const struct format *f, int rounding, uint64_t a, uint64_t b)
{
    /* a zero of the product's own sign changes nothing */
    return soft_fma(f, rounding, a, b, is_negative(f, a) != is_negative(f, b) ? sign_bit(f) : 0);
}
uint64_t soft_div(const struct format *f, int rounding, uint64_t a, uint64_t b)
{
    bool negative = is_negative(f, a) != is_negative(f, b);
    uint64_t sign = negative ? sign_bit(f) : 0;
    if (is_nan(f, a) || is_nan(f, b) || (is_zero(f, a) && is_zero(f, b)) || (is_infinite(f, a) && is_infinite(f, b)))
        return f->nan;
    if (is_infinite(f, a) || is_zero(f, b))
        return sign | infinity(f);
    if (is_infinite(f, b) || is_zero(f, a))
        return sign;
    struct number x = decoded(f, a), y = decoded(f, b);
    while (!(x.mantissa >> f->fraction))
        x.mantissa <<= 1, x.exponent--;
    u128 n = (u128)x.mantissa << 70;
    return rounded(f, rounding, negative, n / y.mantissa, x.exponent - 70 - y.exponent, n % y.mantissa != 0);
}
uint64_t soft_sqrt(const struct format *f, int rounding, uint64_t a)
{
    if (is_nan(f, a) || (is_negative(f, a) && !is_zero(f, a)))
        return f->nan;
    if (is_zero(f, a) || is_infinite(f, a))
        return a;
    struct number x = decoded(f, a);
    u128 n = x.mantissa, root = 0;
    while (!(n >> 124) || (x.exponent & 1))
        n <<= 1, x.exponent--;
    for (int bit = 63; bit >= 0; bit--) {
        u128 next = root | (u128)1 << bit;
        if (next * next <= n)
            root = next;
    }
    return rounded(f, rounding, false, root, x.exponent / 2, root * root != n);
}

uint64_t soft_convert(const struct format *from, const struct format *to, int rounding, uint64_t a)
{
    uint64_t sign = is_negative(from, a) ? sign_bit(to) : 0;
    if (is_nan(from, a))
        return to->nan;
    if (is_infinite(from, a))
        return sign | infinity(to);
    struct number x = decoded(from, a);
    return rounded(to, rounding, x.negative, x.mantissa, x.exponent, false);
}
uint64_t soft_of_integer(const struct format *f, int rounding, __int128 a)
{
    return rounded(f, rounding, a < 0, a < 0 ? -(u128)a : (u128)a, 0, false);
}
__int128 soft_to_integer(const struct format *f, int rounding, uint64_t a)
{
    struct number x = decoded(f, a);
    u128 whole;
    if (x.exponent >= 0) {
        whole = (u128)x.mantissa << x.exponent;
    } else {
        int drop = -x.exponent > 100 ? 100 : -x.exponent;
        u128 m = x.mantissa;
        whole = m >> drop;
        whole += up(rounding, x.negative, whole & 1, m >> (drop - 1) & 1, (m & (((u128)1 << (drop - 1)) - 1)) != 0);
    }
    return x.negative ? -(__int128)whole : (__int128)whole;
}
uint64_t soft_integral(const struct format *f, int rounding, uint64_t a)
{
    if (is_nan(f, a))
        return f->nan;
    struct number x = decoded(f, a);
    if (is_infinite(f, a) || x.exponent >= 0)
        return a;
    return soft_of_integer(f, ROUND_N, soft_to_integer(f, rounding, a)) | (a & sign_bit(f));
}

uint64_t flushed(uint64_t a) { return a & 0x7f800000 ? a : a & 0x80000000; }
uint64_t saturated(uint64_t a)
{
    if (is_nan(&FORMAT_F32, a) || a & 0x80000000)
        return 0;
    return a > 0x3f800000 ? 0x3f800000 : a;
}
