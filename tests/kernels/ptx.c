/* Cases of ptx.cu; size: operand triples, or blocks for ptx_memory. The expected values follow the descriptions of the
 * PTX ISA, "Instruction Set", written out for one thread; directed rounding is the host's own. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/support/kernel_case.h"

static float f32_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static void launch(struct kernel_session *s, const char *kernel, const void *in, size_t element, int rows)
{
    session_data(s, "in", in, 3 * s->size * element);
    session_zeros(s, "out", (size_t)rows * s->size * element);
    session_launch(s, kernel, DIM((s->size + 63) / 64), DIM(64), 0);
    arg_buffer(s, 0);
    arg_buffer(s, 1);
    arg_i32(s, (int32_t)s->size);
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static uint32_t prmt(uint64_t pair, uint32_t selector)
{
    uint32_t d = 0;
    for (int i = 0; i < 4; i++, selector >>= 4) {
        uint8_t byte = (uint8_t)(pair >> (selector & 7) * 8);
        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= (uint32_t)byte << 8 * i;
    }
    return d;
}

static uint32_t forward_4(uint64_t pair, uint32_t c) { return (uint32_t)(pair >> (c & 3) * 8); }

static uint32_t extract(uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    uint32_t position = b & 255, length = c & 255, d = 0;
    uint32_t last = position + length - 1 < 31 ? position + length - 1 : 31;
    uint32_t fill = is_signed && length ? a >> last & 1 : 0;
    for (uint32_t i = 0; i < 32; i++)
        d |= (i < length && position + i <= 31 ? a >> (position + i) & 1 : fill) << i;
    return d;
}

static uint32_t insert(uint32_t a, uint32_t b, uint32_t c, uint32_t length)
{
    for (uint32_t i = 0, position = c & 255; i < length && position + i <= 31; i++)
        b = (b & ~(1u << (position + i))) | (a >> i & 1) << (position + i);
    return b;
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return d;
}

static uint32_t funnel(uint64_t pair, uint32_t amount, bool left) /* amount 0..32 */
{
    return (uint32_t)(left ? (amount ? pair >> (32 - amount) : pair >> 32) : pair >> amount);
}

static int64_t signed_24(uint32_t v) { return (int32_t)(v << 8) >> 8; }

static uint32_t saturate(int64_t v) { return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v); }

static uint32_t highest_bit(uint32_t v)
{
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < 32; i++)
        if (v >> i & 1)
            at = i;
    return at;
}

static uint32_t reversed(uint32_t v)
{
    uint32_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (v >> i & 1) << (31 - i);
    return d;
}

static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool a_signed)
{
    for (int i = 0; i < 4; i++, a >>= 8, b >>= 8)
        c += (uint32_t)((a_signed ? (int8_t)a : (int32_t)(a & 255)) * (int32_t)(b & 255));
    return c;
}

static uint32_t predicates(uint32_t a, uint32_t b, uint32_t c)
{
    bool less = (int32_t)a<(int32_t)b, r = c> 5;
    return (less && r ? c + 1 : c - 1) + (!less && r ? 100 : 0);
}

static uint32_t least(int64_t x, int64_t y) { return (uint32_t)(x < y ? x : y); }
static uint32_t most(int64_t x, int64_t y) { return (uint32_t)(x < y ? y : x); }

#define INTEGER_ROWS 49
static void integer_rows(uint32_t a, uint32_t b, uint32_t c, uint32_t d[INTEGER_ROWS])
{
    uint64_t pair = (uint64_t)b << 32 | a, carry = (uint64_t)a + b,
             second = (uint64_t)c + (uint32_t)carry + (carry >> 32);
    int64_t product = (int64_t)(int32_t)a * (int32_t)b;
    uint32_t clamped = c < 32 ? c : 32, high = highest_bit(a);
    const uint32_t rows[INTEGER_ROWS] = {
        prmt(pair, c),
        forward_4(pair, c),
        extract(a, b, c, false),
        extract(a, b, c, true),
        insert(a, b, c, 7),
        lop3(a, b, c, 0x6a),
        funnel(pair, c & 31, true),
        funnel(pair, clamped, true),
        funnel(pair, c & 31, false),
        funnel(pair, clamped, false),
        b > 31 ? 0 : a << b,
        b > 31 ? 0 : a >> b,
        (uint32_t)((int32_t)a >> (b > 31 ? 31 : b)),
        (uint32_t)(signed_24(a) * signed_24(b)),
        (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16),
        (a & 0xffffff) * (b & 0xffffff) + c,
        c + ((int32_t)a < (int32_t)b ? b - a : a - b),
        c + (a < b ? b - a : a - b),
        saturate((int64_t)(int32_t)a + (int32_t)b),
        saturate((int64_t)(int32_t)a - (int32_t)b),
        (uint32_t)(product >> 32) + c,
        saturate((product >> 32) + (int32_t)c),
        reversed(a),
        high,
        highest_bit((int32_t)a < 0 ? ~a : a),
        high == UINT32_MAX ? high : 31 - high,
        a == 0,
        (int32_t)c >= 0 ? a : b,
        (int32_t)a < (int32_t)b ? UINT32_MAX : 0,
        a >= b ? UINT32_MAX : 0,
        dot(a, b, c, false),
        dot(a, b, c, true),
        c + (uint32_t)((int16_t)a * (int8_t)b) + (uint32_t)((int16_t)(a >> 16) * (int8_t)(b >> 8)),
        (uint32_t)second + (uint32_t)(second >> 32),
        c - (a - b) - (a < b),
        (uint32_t)((uint64_t)a * b >> 32) + (a * b + c) + (a * b + c < c),
        predicates(a, b, c),
        (uint32_t)((int32_t)(a >> 8 & 255) + (int16_t)b),
        a > b ? a - b : 0,
        ((int32_t)a < (int32_t)b ? b - a : a - b) + c,
        least((int16_t)(a >> 16), b >> 24) << 16 | (c & 0xffff),
        least(most(a & 0xffff, b >> 16), c),
        a << (b & 31),
        (uint32_t)((int64_t)(int32_t)a >> least(b & 255, 32)) + c,
        saturate(((int64_t)(int16_t)a * (b >> 16 & 255) - (int32_t)c) >> 7),
        (a & 255) * (b >> 8 & 255) + c + 1,
        (int16_t)(a >> 16) < (int32_t)(b & 0xffff),
        (a >= b) + c,
        ((a + b) & 255) << 16 | (c & 0xff00ffff),
    };
    memcpy(d, rows, sizeof rows);
}

static void setup_integer(struct kernel_session *s)
{
    static const uint32_t corners[] = {0,         1,      2,        7,        8,          15,         31,
                                       32,        33,     63,       64,       96,         255,        256,
                                       0x7fff,    0x8000, 0x7fffff, 0x800000, 0x7fffffff, 0x80000000, UINT32_MAX - 1,
                                       UINT32_MAX};
    uint32_t *in = session_scratch(s, 3 * s->size * sizeof *in);
    uint64_t state = 131;
    for (uint32_t i = 0; i < 3 * s->size; i++) {
        uint64_t r = random_next(&state);
        in[i] = r & 1 ? corners[(r >> 8) % (sizeof corners / sizeof *corners)] : (uint32_t)(r >> 32) >> (r >> 8 & 31);
    }
    launch(s, "ptx_integer", in, sizeof *in, INTEGER_ROWS);
}

/* The expected out: row r of operands i at out[r * n + i]. */
#define EXPECTED(name, T, ROWS, rows)                                                                                  \
    static T *name(struct kernel_session *s)                                                                           \
    {                                                                                                                  \
        const T *in = session_before(s, 0);                                                                            \
        size_t n = s->size;                                                                                            \
        T *out = session_scratch(s, ROWS * n * sizeof *out), d[ROWS];                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            rows(in[i], in[n + i], in[2 * n + i], d);                                                                  \
            for (size_t r = 0; r < ROWS; r++)                                                                          \
                out[r * n + i] = d[r];                                                                                 \
        }                                                                                                              \
        return out;                                                                                                    \
    }
EXPECTED(expected_integer, uint32_t, INTEGER_ROWS, integer_rows)

static void check_integer(struct kernel_session *s)
{
    expect_equal(s, 1, VALUE_U32, expected_integer(s), 0, INTEGER_ROWS * (size_t)s->size);
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

/* Operands pass through volatile variables, so that the compiler computes nothing before the mode is set. */
#define ROUNDED(T, mode, expression)                                                                                   \
    __extension__({                                                                                                    \
        volatile T va = a, vb = b, vc = c;                                                                             \
        (void)va, (void)vb, (void)vc;                                                                                  \
        fesetround(mode);                                                                                              \
        volatile T vd = (expression);                                                                                  \
        fesetround(FE_TONEAREST);                                                                                      \
        vd;                                                                                                            \
    })

static float flush(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }

static float smaller(float a, float b) { return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b; }
static float larger(float a, float b) { return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && signbit(b)) ? a : b; }

/* The value to an integer of [low, high], already rounded to integral; a NaN becomes 0. */
static float to_integer(double v, double low, double high)
{
    int64_t i = isnan(v) ? 0 : (int64_t)(v < low ? low : v > high ? high : v);
    return f32_of((uint32_t)i);
}

/* A finite float's magnitude as a half's bits, rounded to nearest even or towards zero, by counting units of the half's
 * last place. */
static uint32_t to_half(float f, bool nearest)
{
    if (isnan(f))
        return 0x7fff;
    uint32_t sign = signbit(f) ? 0x8000 : 0;
    double v = fabs((double)f), most = 65504;
    if (v == 0)
        return sign;
    if (v > most)
        return sign | (isinf(f) || (nearest && v >= 65520) ? 0x7c00 : 0x7bff);
    int exponent;
    frexp(v, &exponent);
    exponent = exponent < -13 ? -13 : exponent; /* v < 2^exponent, units of 2^(exponent - 11) */
    double units = ldexp(v, 11 - exponent);
    uint32_t whole = (uint32_t)(nearest ? nearbyint(units) : units);
    return sign | ((uint32_t)(exponent + 13) * 1024 + whole);
}

static float half_value(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    float v = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(1024 + fraction), (int)exponent - 25)
                             : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -v : v;
}

#define F32_ROWS 33
static void f32_rows(float a, float b, float c, float d[F32_ROWS])
{
    float fa = flush(a), fb = flush(b), fc = flush(c);
    const float rows[F32_ROWS] = {
        ROUNDED(float, FE_TOWARDZERO, va + vb),
        ROUNDED(float, FE_DOWNWARD, va + vb),
        ROUNDED(float, FE_UPWARD, va + vb),
        ROUNDED(float, FE_TOWARDZERO, va *vb),
        ROUNDED(float, FE_DOWNWARD, va *vb),
        ROUNDED(float, FE_UPWARD, va *vb),
        ROUNDED(float, FE_TOWARDZERO, fmaf(va, vb, vc)),
        ROUNDED(float, FE_DOWNWARD, fmaf(va, vb, vc)),
        ROUNDED(float, FE_UPWARD, fmaf(va, vb, vc)),
        ROUNDED(float, FE_TOWARDZERO, va / vb),
        ROUNDED(float, FE_DOWNWARD, va / vb),
        ROUNDED(float, FE_UPWARD, va / vb),
        ROUNDED(float, FE_TOWARDZERO, 1 / va),
        ROUNDED(float, FE_UPWARD, 1 / va),
        ROUNDED(float, FE_DOWNWARD, sqrtf(va)),
        ROUNDED(float, FE_UPWARD, sqrtf(va)),
        flush(fa + fb),
        flush(fa * fb),
        flush(fmaf(fa, fb, fc)),
        smaller(a, b),
        larger(a, b),
        nearbyintf(a),
        floorf(a),
        ceilf(a),
        to_integer(nearbyint(a), INT32_MIN, INT32_MAX),
        to_integer(trunc(a), INT32_MIN, INT32_MAX),
        to_integer(floor(a), 0, UINT32_MAX),
        f32_of(fpclassify(a) == FP_SUBNORMAL),
        f32_of(isnormal(a) || a == 0),
        f32_of(to_half(a, true)),
        half_value(to_half(a, false)),
        f32_of(!(a <= b) ? UINT32_MAX : 0),
        !isnan(a) && !isnan(b) ? 1.0f : 0.0f,
    };
    memcpy(d, rows, sizeof rows);
}

static const double corners[] = {
    0.0,     -0.0,    1.0,          -1.0,         0.5,     1.5,      2.5,      -2.5,     1e-310,    -4.9e-324,
    1.7e308, -1e308,  1e38,         -3.4e38,      1.2e-38, -1.4e-45, 16777217, 65504,    65519.99,  65520,
    6.1e-5,  5.96e-8, 2147483648.0, 4294967295.5, 0x1p63,  -0x1p63,  0.1,      INFINITY, -INFINITY, NAN};

static double random_value(uint64_t *state)
{
    uint64_t r = random_next(state);
    if ((r & 3) == 0)
        return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
    int exponent = (int)(r >> 8 & 127) - 64;
    return ldexp((double)(int64_t)random_next(state) * 0x1p-63, r & 1 ? exponent : exponent / 8);
}

static void setup_f32(struct kernel_session *s)
{
    float *in = session_scratch(s, 3 * s->size * sizeof *in);
    uint64_t state = 132;
    for (uint32_t i = 0; i < 3 * s->size; i++)
        in[i] = (float)random_value(&state);
    launch(s, "ptx_f32", in, sizeof *in, F32_ROWS);
}
EXPECTED(expected_f32, float, F32_ROWS, f32_rows)

/* Rows that hold the bits of integers count as such, also where these are a NaN's. */
static void check_f32(struct kernel_session *s)
{
    static const uint8_t integer_rows[] = {24, 25, 26, 27, 28, 29, 31};
    const float *out = expected_f32(s);
    size_t n = s->size;
    expect_equal(s, 1, VALUE_F32, out, 0, F32_ROWS * n);
    for (size_t i = 0; i < sizeof integer_rows; i++)
        expect_equal(s, 1, VALUE_U32, out + integer_rows[i] * n, integer_rows[i] * n, n);
}

#define F64_ROWS 15
static void f64_rows(double a, double b, double c, double d[F64_ROWS])
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = bits >> 32 | bits << 32;
    double swapped;
    memcpy(&swapped, &bits, sizeof bits);
    int64_t up = isnan(a)            ? INT64_MIN
                 : ceil(a) >= 0x1p63 ? INT64_MAX
                 : ceil(a) < -0x1p63 ? INT64_MIN
                                     : (int64_t)ceil(a);
    const double rows[F64_ROWS] = {
        ROUNDED(double, FE_TOWARDZERO, va + vb),
        ROUNDED(double, FE_UPWARD, va + vb),
        ROUNDED(double, FE_DOWNWARD, va *vb),
        ROUNDED(double, FE_TOWARDZERO, fma(va, vb, vc)),
        ROUNDED(double, FE_UPWARD, fma(va, vb, vc)),
        ROUNDED(double, FE_DOWNWARD, va / vb),
        ROUNDED(double, FE_TOWARDZERO, 1 / va),
        ROUNDED(double, FE_TOWARDZERO, sqrt(va)),
        isnan(a)   ? b
        : isnan(b) ? a
                   : (a < b || (a == b && signbit(a)) ? a : b),
        nearbyint(a),
        ROUNDED(double, FE_DOWNWARD, (double)(float)va),
        ROUNDED(double, FE_UPWARD, (double)(float)va),
        ROUNDED(double, FE_TOWARDZERO, (double)up),
        isnan(a)         ? 0x1p31
        : a < 0          ? 0
        : a > UINT32_MAX ? UINT32_MAX
                         : (double)(uint32_t)a,
        swapped,
    };
    memcpy(d, rows, sizeof rows);
}

static void setup_f64(struct kernel_session *s)
{
    double *in = session_scratch(s, 3 * s->size * sizeof *in);
    uint64_t state = 133;
    for (uint32_t i = 0; i < 3 * s->size; i++)
        in[i] = random_value(&state);
    launch(s, "ptx_f64", in, sizeof *in, F64_ROWS);
}
EXPECTED(expected_f64, double, F64_ROWS, f64_rows)

static void check_f64(struct kernel_session *s)
{
    expect_equal(s, 1, VALUE_F64, expected_f64(s), 0, F64_ROWS * (size_t)s->size);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define THREADS 128
#define PER_THREAD 16

static void setup_memory(struct kernel_session *s)
{
    session_i32(s, "in", 8 * (size_t)s->size * THREADS, 134, INT32_MIN, INT32_MAX);
    session_zeros(s, "out", PER_THREAD * (size_t)s->size * THREADS * sizeof(uint32_t));
    session_zeros(s, "wide", 3 * sizeof(uint64_t));
    session_launch(s, "ptx_memory", DIM(s->size), DIM(THREADS), 0);
    for (int i = 0; i < 3; i++)
        arg_buffer(s, i);
    arg_i32(s, (int32_t)(0x0100u << 16 | (uint16_t)-300)); /* params: half, bytes[0], bytes[1] */
    arg_i32(s, 0x00040302);                                /* bytes[2..4] */
    arg_i32(s, 0x76543210);                                /* wide */
    arg_i32(s, (int32_t)0xfedcba98);
}

/* What one thread leaves in its row, but for what its block decides (any, count). */
static void memory_row(struct kernel_session *s, uint32_t i, bool any, uint32_t count, uint32_t *d)
{
    const uint8_t *at = (const uint8_t *)session_before(s, 0) + 32 * (size_t)i;
    uint32_t x = i % THREADS, words[4];
    uint64_t u, v;
    int16_t half;
    memcpy(words, at, sizeof words);
    memcpy(&u, at + 16, 8);
    memcpy(&v, at + 24, 8);
    memcpy(&half, at + 6, 2);
    d[0] = words[0] ^ words[1] ^ words[2] ^ words[3];
    d[1] = (uint32_t)(u >> 8 ^ v);
    d[2] = (uint32_t)((int8_t)at[2] * 3 + (int8_t)at[3]);
    d[3] = (uint32_t)(half + at[9]);
    d[4] = (uint32_t)(int32_t)half;
    d[5] = at[9];
    d[6] = (uint32_t)at[9] << 16;
    d[7] = (x ^ 63) * 7;
    d[8] = any + 1000 * count;
    d[9] = 2 * (x * 7) + 1;
    static const int8_t bytes[5] = {0x00, 0x01, 0x02, 0x03, 0x04};
    d[10] = (uint32_t)(-300 + bytes[x % 5]) + (uint32_t)((int64_t)0xfedcba9876543210 >> 33);
    d[11] = THREADS + 1000 * s->size + 100000 * (x % 32);
    d[12] = UINT32_MAX << x % 32;
}

static void check_memory(struct kernel_session *s)
{
    const uint8_t *in = session_before(s, 0);
    uint32_t *out = session_scratch(s, PER_THREAD * (size_t)s->size * THREADS * sizeof *out);
    uint64_t wide[3] = {0};
    for (uint32_t block = 0; block < s->size; block++) {
        uint32_t count = 0;
        for (uint32_t i = block * THREADS; i < (block + 1) * THREADS; i++)
            count += in[32 * (size_t)i + 9] > 100;
        for (uint32_t i = block * THREADS; i < (block + 1) * THREADS; i++) {
            uint64_t u;
            memcpy(&u, in + 32 * (size_t)i + 16, 8);
            wide[0] += u;
            wide[1] ^= u;
            wide[2] = (int64_t)u > (int64_t)wide[2] ? u : wide[2];
            memory_row(s, i, count > 0, count, out + PER_THREAD * (size_t)i);
        }
    }
    expect_equal(s, 1, VALUE_U32, out, 0, PER_THREAD * (size_t)s->size * THREADS);
    expect_equal(s, 2, VALUE_U64, wide, 0, 3);
}

const struct kernel_case case_ptx_integer = {"ptx_integer", "ptx", 500, 4096, setup_integer, check_integer};
const struct kernel_case case_ptx_f32 = {"ptx_f32", "ptx", 500, 4096, setup_f32, check_f32};
const struct kernel_case case_ptx_f64 = {"ptx_f64", "ptx", 500, 4096, setup_f64, check_f64};
const struct kernel_case case_ptx_memory = {"ptx_memory", "ptx", 2, 64, setup_memory, check_memory};
