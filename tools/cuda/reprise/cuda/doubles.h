/* Elementary functions of doubles on the device, for elementary.h: an argument is reduced to a small interval, where a
 * series is summed. Errors are a few units in the last place: tests/cli/cuda_headers.sh compares with the C library. */
#ifndef REPRISE_CUDA_DOUBLES_H
#define REPRISE_CUDA_DOUBLES_H
#pragma GCC system_header

#include "rounded.h"

#define REPRISE_LN2_HIGH 0x1.62e42fefp-1
#define REPRISE_LN2_LOW 0x1.473de6af278edp-34
#define REPRISE_PI 0x1.921fb54442d18p+1
#define REPRISE_INFINITY __builtin_inf()
#define REPRISE_NAN __builtin_nan("")

/* Sums c[0] + c[1] x + ... */
template <int n> REPRISE_FN double reprise_polynomial(const double (&c)[n], double x)
{
    double sum = c[n - 1];
#pragma unroll
    for (int i = n - 2; i >= 0; i--)
        sum = __builtin_fma(sum, x, c[i]);
    return sum;
}
/* v * 2^n without intermediate overflow. */
REPRISE_FN double reprise_scale(double v, int n)
{
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    for (; n < -1000; n += 900)
        v *= 0x1p-900;
    for (; n > 1000; n -= 900)
        v *= 0x1p900;
    return v * __longlong_as_double((long long)(1023 + n) << 52);
}
/* The mantissa in [0.5, 1) of a finite number that is not 0, and its exponent. */
REPRISE_FN double reprise_mantissa(double a, int *exponent)
{
    int below = __builtin_fabs(a) < 0x1p-1022 ? 54 : 0;
    long long bits = __double_as_longlong(below ? a * 0x1p54 : a);
    *exponent = (int)(bits >> 52 & 2047) - 1022 - below;
    return __longlong_as_double((bits & ~(2047ll << 52)) | 1022ll << 52);
}

/* ---- exponentials ------------------------------------------------------------------------------------------------ */

/* e^(r + low) - 1 for |r| < 0.35 and a low below its last bit */
REPRISE_FN double reprise_exp_small(double r, double low = 0)
{
    const double c[] = {1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
                        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    double most = r + r * r * reprise_polynomial(c, r);
    return low == 0 ? most : most + low * (1 + most);
}
REPRISE_FN double reprise_exp(double a, double low = 0)
{
    if (!(__builtin_fabs(a) < 800))
        return a != a ? a : a > 0 ? REPRISE_INFINITY : 0;
    double k = __builtin_rint(a * (1 / (REPRISE_LN2_HIGH + REPRISE_LN2_LOW)));
    double high = __builtin_fma(-k, REPRISE_LN2_HIGH, a), r = __builtin_fma(-k, REPRISE_LN2_LOW, high);
    return reprise_scale(1 + reprise_exp_small(r, low + (__builtin_fma(-k, REPRISE_LN2_LOW, high - r))), (int)k);
}
REPRISE_FN double reprise_expm1(double a)
{
    return __builtin_fabs(a) < 0.34 ? reprise_exp_small(a) : reprise_exp(a) - 1;
}
REPRISE_FN double reprise_exp2(double a)
{
    if (!(__builtin_fabs(a) < 1200))
        return a != a ? a : a > 0 ? REPRISE_INFINITY : 0;
    double k = __builtin_rint(a), f = a - k, r = f * 0x1.62e42fefa39efp-1;
    double low = __builtin_fma(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56;
    return reprise_scale(1 + reprise_exp_small(r, low), (int)k);
}
REPRISE_FN double reprise_exp10(double a)
{
    double high = a * 0x1.26bb1bbb55516p+1, low = __builtin_fma(a, 0x1.26bb1bbb55516p+1, -high);
    return __builtin_fabs(a) < 400 ? reprise_exp(high, low + a * -0x1.f48ad494ea3e9p-53) : reprise_exp(high);
}

/* ---- logarithms -------------------------------------------------------------------------------------------------- */

/* A number as a sum of two. */
struct reprise_pair {
    double high, low;
};
REPRISE_FN reprise_pair reprise_sum(double a, double b) /* |a| >= |b| */
{
    double s = a + b;
    return {s, b - (s - a)};
}
REPRISE_FN reprise_pair reprise_product(reprise_pair a, reprise_pair b)
{
    double p = __dmul_rn(a.high, b.high); /* which is not joined with the sum */
    return reprise_sum(p, __builtin_fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}
/* The logarithm of a positive finite number: of its mantissa in [sqrt(1/2), sqrt(2)], and its exponent.
 * log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + 2/5 s^5 + ... */
REPRISE_FN reprise_pair reprise_log_pair(double a, int *exponent)
{
    double m = reprise_mantissa(a, exponent);
    if (m < 0x1.6a09e667f3bcdp-1)
        m *= 2, --*exponent;
    double f = m - 1, divisor = m + 1, below = m - (divisor - 1);
    double s = f / divisor, rest = (__builtin_fma(-s, divisor, f) - s * below) / divisor;
    reprise_pair root = {s, rest}, square = reprise_product(root, root);
    const double c[] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                        2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    double tail = square.high * square.high * reprise_polynomial(c, square.high);
    reprise_pair third = reprise_product(square, {0x1.5555555555555p-1, 0x1.5555555555555p-55});
    third = reprise_product(reprise_sum(third.high, third.low + tail), root);
    reprise_pair sum = reprise_sum(2 * s, third.high);
    return reprise_sum(sum.high, sum.low + (2 * rest + third.low));
}
/* What is not positive and finite. */
REPRISE_FN double reprise_log_special(double a) { return a == 0 ? -REPRISE_INFINITY : a < 0 ? REPRISE_NAN : a; }
REPRISE_FN bool reprise_log_regular(double a) { return a > 0 && a < REPRISE_INFINITY; }
REPRISE_FN reprise_pair reprise_log_sum(double a)
{
    int e;
    reprise_pair m = reprise_log_pair(a, &e);
    if (!e)
        return m;
    reprise_pair sum = reprise_sum(e * REPRISE_LN2_HIGH, m.high);
    return reprise_sum(sum.high, sum.low + (m.low + e * REPRISE_LN2_LOW));
}
REPRISE_FN double reprise_log(double a)
{
    return reprise_log_regular(a) ? reprise_log_sum(a).high : reprise_log_special(a);
}
REPRISE_FN double reprise_log2(double a)
{
    int e;
    if (!reprise_log_regular(a))
        return reprise_log_special(a);
    reprise_pair m = reprise_product(reprise_log_pair(a, &e), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
    return e + m.high;
}
REPRISE_FN double reprise_log10(double a)
{
    if (!reprise_log_regular(a))
        return reprise_log_special(a);
    reprise_pair m = reprise_product(reprise_log_sum(a), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    return m.high;
}
REPRISE_FN double reprise_log1p(double a)
{
    double u = 1 + a;
    return u == 1 || !(u < REPRISE_INFINITY) ? a : reprise_log(u) + (u > 0 ? (a - (u - 1)) / u : 0);
}
REPRISE_FN double reprise_pow(double a, double b)
{
    if (b == 0 || a == 1)
        return 1;
    if (a != a || b != b)
        return a + b;
    bool integer = __builtin_rint(b) == b, odd = integer && __builtin_fabs(b) < 0x1p53 && ((long long)b & 1);
    double size = __builtin_fabs(a), to;
    if (a < 0 && size < REPRISE_INFINITY && !integer)
        return REPRISE_NAN;
    if (__builtin_fabs(b) == REPRISE_INFINITY)
        return size == 1 ? 1 : (size > 1) == (b > 0) ? REPRISE_INFINITY : 0;
    if (size == 0 || size == REPRISE_INFINITY) {
        to = (size == 0) == (b > 0) ? 0 : REPRISE_INFINITY;
    } else {
        reprise_pair e = reprise_product(reprise_log_sum(size), {b, 0});
        to = reprise_exp(e.high, __builtin_fabs(e.high) < 800 ? e.low : 0);
    }
    return odd ? __builtin_copysign(to, a) : to;
}
REPRISE_FN double reprise_cbrt(double a)
{
    if (a == 0 || a != a || __builtin_fabs(a) == REPRISE_INFINITY)
        return a;
    int e;
    double m = __builtin_fabs(reprise_mantissa(a, &e));
    int third = (e + 3000) / 3 - 1000, rest = e - 3 * third;
    m = reprise_scale(m, rest);
    double r = reprise_exp2(reprise_log2(m) / 3);
    r -= __builtin_fma(r * r, r, -m) / (3 * r * r);
    return __builtin_copysign(reprise_scale(r, third), a);
}

/* ---- angles ------------------------------------------------------------------------------------------------------ */

/* The remainder of a large number by pi/2 (Payne and Hanek): its mantissa by those bits of 2/pi that count modulo 4. */
REPRISE_FN double reprise_reduce_large(double a, int *quadrant)
{
    static const unsigned long long two_over_pi[] = {0,
                                                     0xa2f9836e4e441529ull,
                                                     0xfc2757d1f534ddc0ull,
                                                     0xdb6295993c439041ull,
                                                     0xfe5163abdebbc561ull,
                                                     0xb7246e3a424dd2e0ull,
                                                     0x06492eea09d1921cull,
                                                     0xfe1deb1cb129a73eull,
                                                     0xe88235f52ebb4484ull,
                                                     0xe99c7026b45f7e41ull,
                                                     0x3991d639835339f4ull,
                                                     0x9c845f8bbdf9283bull,
                                                     0x1ff897ffde05980full,
                                                     0xef2f118b5a0a6d1full,
                                                     0x6d367ecf27cb09b7ull,
                                                     0x4f463f669e5fea2dull,
                                                     0x7527bac7ebe5f17bull,
                                                     0x3d0739f78a5292eaull,
                                                     0x6bfb5fb11f8d5d08ull,
                                                     0x56033046fc7b6babull};
    long long bits = __double_as_longlong(a);
    int exponent = (int)(bits >> 52 & 2047) - 1075, from = exponent - 2 + 64;
    unsigned long long m = (bits & ((1ull << 52) - 1)) | 1ull << 52, window[3], product[3], carry = 0;
    for (int i = 0; i < 3; i++) {
        int word = from / 64 + i, shift = from % 64;
        window[i] = two_over_pi[word] << shift | (shift ? two_over_pi[word + 1] >> (64 - shift) : 0);
    }
    for (int i = 2; i >= 0; i--) {
        unsigned long long low = window[i] * m;
        product[i] = low + carry;
        carry = __nvvm_mulhi_ull(window[i], m) + (product[i] < low);
    }
    unsigned long long high = product[0] << 2 | product[1] >> 62, low = product[1] << 2 | product[2] >> 62;
    int q = (int)(product[0] >> 62);
    bool up = high >> 63;
    if (up) { /* the fraction less 1 */
        high = ~high, low = ~low;
        q++;
    }
    double f = (double)high * 0x1p-64 + (double)low * 0x1p-128;
    if (high < 1ull << 40)
        f = (double)(high << 24 | low >> 40) * 0x1p-88 + (double)(low << 24) * 0x1p-152;
    *quadrant = a < 0 ? -q : q;
    return (up != (a < 0) ? -f : f) * (REPRISE_PI / 2);
}
REPRISE_FN double reprise_reduce(double a, int *quadrant)
{
    if (__builtin_fabs(a) >= 0x1p20)
        return reprise_reduce_large(a, quadrant);
    double k = __builtin_rint(a * (2 / REPRISE_PI)), r = __builtin_fma(-k, REPRISE_PI / 2, a);
    *quadrant = (int)k;
    return __builtin_fma(-k, -0x1.f1976b7ed8fbcp-110, __builtin_fma(-k, 0x1.1a62633145c07p-54, r));
}
REPRISE_FN double reprise_sin_small(double r)
{
    const double c[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    return __builtin_fma(r * (r * r), reprise_polynomial(c, r * r), r);
}
REPRISE_FN double reprise_cos_small(double r)
{
    const double c[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
                        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    double z = r * r, half = 0.5 * z, w = 1 - half;
    return w + (((1 - w) - half) + z * z * reprise_polynomial(c, z));
}
REPRISE_FN double reprise_quarter(double r, int quadrant)
{
    double v = quadrant & 1 ? reprise_cos_small(r) : reprise_sin_small(r);
    return quadrant & 2 ? -v : v;
}
REPRISE_FN double reprise_sin(double a)
{
    int q;
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return REPRISE_NAN;
    double r = reprise_reduce(a, &q);
    return a == 0 ? a : reprise_quarter(r, q);
}
REPRISE_FN double reprise_cos(double a)
{
    int q;
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return REPRISE_NAN;
    double r = reprise_reduce(a, &q);
    return reprise_quarter(r, q + 1);
}
REPRISE_FN double reprise_tan(double a)
{
    int q;
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return REPRISE_NAN;
    double r = reprise_reduce(a, &q);
    return a == 0  ? a
           : q & 1 ? -reprise_cos_small(r) / reprise_sin_small(r)
                   : reprise_sin_small(r) / reprise_cos_small(r);
}
REPRISE_FN double reprise_sinpi(double a)
{
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return REPRISE_NAN;
    double k = __builtin_rint(2 * a), r = __builtin_fma(-0.5, k, a);
    return a == 0 ? a : reprise_quarter(r * REPRISE_PI, (int)(k - 4 * __builtin_floor(k / 4)));
}
REPRISE_FN double reprise_cospi(double a)
{
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return REPRISE_NAN;
    double k = __builtin_rint(2 * a), r = __builtin_fma(-0.5, k, a);
    return reprise_quarter(r * REPRISE_PI, (int)(k - 4 * __builtin_floor(k / 4)) + 1);
}
REPRISE_FN double reprise_atan(double a)
{
    const double c[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11, 1.0 / 13,
                        -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25};
    double size = __builtin_fabs(a), x = size > 1 ? 1 / size : size, high = 0, low = 0, t = x;
    if (x >= 0.75)
        high = REPRISE_PI / 4, low = 0x1.1a62633145c07p-55, t = (x - 1) / (x + 1);
    else if (x >= 0.25)
        high = 0x1.dac670561bb4fp-2, low = 0x1.a2b7f222f65e2p-56, t = (x - 0.5) / __builtin_fma(0.5, x, 1.0);
    double z = t * t, to = high + (t + (t * z * reprise_polynomial(c, z) + low));
    if (size > 1)
        to = REPRISE_PI / 2 - (to - 0x1.1a62633145c07p-54);
    return a != a ? a : __builtin_copysign(to, a);
}
REPRISE_FN double reprise_atan2(double y, double x)
{
    if (x != x || y != y)
        return x + y;
    double a = __builtin_fabs(y), b = __builtin_fabs(x), to;
    if (a == b)
        to = a == 0 ? 0 : REPRISE_PI / 4;
    else
        to = a > b ? REPRISE_PI / 2 - reprise_atan(b / a) : reprise_atan(a / b);
    if (__double_as_longlong(x) < 0)
        to = REPRISE_PI - (to - 0x1.1a62633145c07p-53);
    return __builtin_copysign(to, y);
}
REPRISE_FN double reprise_asin(double a)
{
    double size = __builtin_fabs(a);
    return size > 1 ? REPRISE_NAN
                    : __builtin_copysign(reprise_atan2(size, __nvvm_sqrt_rn_d((1 - size) * (1 + size))), a);
}
REPRISE_FN double reprise_acos(double a)
{
    return __builtin_fabs(a) > 1 ? REPRISE_NAN : 2 * reprise_atan2(__nvvm_sqrt_rn_d(1 - a), __nvvm_sqrt_rn_d(1 + a));
}

/* ---- hyperbolic functions ---------------------------------------------------------------------------------------- */

REPRISE_FN double reprise_sinh(double a)
{
    double size = __builtin_fabs(a), to;
    if (size < 20) {
        double t = reprise_expm1(size);
        to = 0.5 * (t + t / (t + 1));
    } else {
        double half = reprise_exp(size / 2);
        to = 0.5 * half * half;
    }
    return __builtin_copysign(to, a);
}
REPRISE_FN double reprise_cosh(double a)
{
    double half = reprise_exp(__builtin_fabs(a) / 2), e = half * half;
    return 0.5 * half * half + (e < 1e20 ? 0.5 / e : 0);
}
REPRISE_FN double reprise_tanh(double a)
{
    double size = __builtin_fabs(a), t = size < 22 ? reprise_expm1(2 * size) : 0;
    return a != a ? a : __builtin_copysign(size < 22 ? t / (t + 2) : 1, a);
}
REPRISE_FN double reprise_asinh(double a)
{
    double x = __builtin_fabs(a), to;
    to = x > 1e8 ? reprise_log(x) + (REPRISE_LN2_HIGH + REPRISE_LN2_LOW)
                 : reprise_log1p(x + x * x / (1 + __nvvm_sqrt_rn_d(1 + x * x)));
    return __builtin_copysign(to, a);
}
REPRISE_FN double reprise_acosh(double a)
{
    double t = a - 1;
    return a > 1e8 ? reprise_log(a) + (REPRISE_LN2_HIGH + REPRISE_LN2_LOW)
                   : reprise_log1p(t + __nvvm_sqrt_rn_d(2 * t + t * t));
}
REPRISE_FN double reprise_atanh(double a)
{
    double x = __builtin_fabs(a);
    return __builtin_copysign(x == 1 ? REPRISE_INFINITY : 0.5 * reprise_log1p(2 * x / (1 - x)), a);
}

/* ---- remainders -------------------------------------------------------------------------------------------------- */

/* a mod b, exact, and the low bits of the quotient. */
REPRISE_FN double reprise_fmod(double a, double b, unsigned *quotient)
{
    double x = __builtin_fabs(a), y = __builtin_fabs(b);
    *quotient = 0;
    if (!(x < REPRISE_INFINITY) || !(y > 0))
        return REPRISE_NAN;
    if (!(y < REPRISE_INFINITY) || x < y)
        return a;
    int ex, ey;
    unsigned long long m = (unsigned long long)(reprise_mantissa(x, &ex) * 0x1p53);
    unsigned long long n = (unsigned long long)(reprise_mantissa(y, &ey) * 0x1p53);
    for (int i = ex - ey; i >= 0; i--) {
        bool once = m >= n;
        m = (once ? m - n : m) << (i ? 1 : 0);
        *quotient = *quotient << 1 | once;
    }
    return __builtin_copysign(reprise_scale((double)m, ey - 53), a);
}
REPRISE_FN double reprise_remquo(double a, double b, int *quotient)
{
    unsigned q;
    double r = reprise_fmod(a, b, &q), y = __builtin_fabs(b), x = __builtin_fabs(r);
    if (x > y - x || (x == y - x && q & 1))
        r -= __builtin_copysign(y, a), q++;
    *quotient = (int)(q & 7) * ((a < 0) != (b < 0) ? -1 : 1);
    return r;
}
REPRISE_FN double reprise_hypot(double a, double b)
{
    double x = __builtin_fabs(a), y = __builtin_fabs(b);
    if (x == REPRISE_INFINITY || y == REPRISE_INFINITY)
        return REPRISE_INFINITY;
    double most = __builtin_fmax(x, y);
    if (x != x || y != y || most == 0)
        return x + y;
    int e;
    reprise_mantissa(most, &e);
    x = reprise_scale(x, -e), y = reprise_scale(y, -e);
    return reprise_scale(__nvvm_sqrt_rn_d(__builtin_fma(x, x, y * y)), e);
}

/* ---- errors and gammas ------------------------------------------------------------------------------------------- */

/* e^(x*x) erfc(x) for x >= 0: Chebyshev's sum of (1 + 2x) times it in (x - 4) / (x + 4), as powers. */
REPRISE_FN double reprise_erfcx_positive(double x)
{
    const double c[] = {
        1.2329951186255526,     -0.1396211168405625,     0.015379652102619604,    0.0680970542546904,
        -0.10103906603630056,   0.09373283499843826,     -0.06633036581218697,    0.03716751553592911,
        -0.016197734059799265,  0.005031969992669933,    -0.0007577732613730956,  -0.0001992567757633648,
        0.0001506214900124047,  -2.4398944545280832e-05, -1.1221287012353486e-05, 5.709206053072183e-06,
        2.919733377963012e-07,  -8.249198427508354e-07,  7.746992727017941e-08,   1.1009737295274889e-07,
        -2.05606492756992e-08,  -1.4709550868669278e-08, 3.1695881915648173e-09,  1.7903326159489847e-09,
        -2.659599690242689e-10, -1.374652989001164e-10};
    double t = x > 1e17 ? 1 : (x - 4) / (x + 4);
    return reprise_polynomial(c, t) / (1 + 2 * x);
}
/* e^(-x*x) with the error of the square. */
REPRISE_FN double reprise_gauss(double x)
{
    double square = x * x;
    return reprise_exp(-square, square < 800 ? -__builtin_fma(x, x, -square) : 0);
}
REPRISE_FN double reprise_erfc(double a)
{
    double x = __builtin_fabs(a), to = x > 28 ? 0 : reprise_erfcx_positive(x) * reprise_gauss(x);
    return a != a ? a : a < 0 ? 2 - to : to;
}
REPRISE_FN double reprise_erf(double a)
{
    double x = __builtin_fabs(a), z = a * a;
    if (x >= 1 || a != a)
        return a != a ? a : __builtin_copysign(1 - reprise_erfc(x), a);
    double sum = 0; /* sum of (-1)^n x^(2n+1) / (n! (2n+1)) */
    const double factorial[] = {1.0,
                                1.0,
                                2.0,
                                6.0,
                                24.0,
                                120.0,
                                720.0,
                                5040.0,
                                40320.0,
                                362880.0,
                                3628800.0,
                                39916800.0,
                                479001600.0,
                                6227020800.0,
                                87178291200.0,
                                1307674368000.0,
                                20922789888000.0,
                                355687428096000.0,
                                6402373705728000.0};
#pragma unroll
    for (int n = 18; n >= 0; n--)
        sum = __builtin_fma(-sum, z, 1 / (factorial[n] * (2 * n + 1)));
    return 0x1.20dd750429b6dp+0 * a * sum;
}
REPRISE_FN double reprise_erfcx(double a)
{
    return a >= 0 ? reprise_erfcx_positive(a) : a != a ? a : 2 / reprise_gauss(a) - reprise_erfcx_positive(-a);
}
/* x with erfc(x) = p, for 0 < p <= 1: a start (Winitzki), then Halley's steps. */
REPRISE_FN double reprise_erfcinv_low(double p)
{
    double l = reprise_log(p * (2 - p)), t = 2 / (REPRISE_PI * 0.147) + l / 2;
    double x = __nvvm_sqrt_rn_d(__nvvm_sqrt_rn_d(t * t - l / 0.147) - t);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        double u = (reprise_erfc(x) - p) / (0x1.20dd750429b6dp+0 * reprise_gauss(x));
        x += u / (1 + x * u);
    }
    return x;
}
REPRISE_FN double reprise_erfcinv(double p)
{
    if (!(p > 0 && p < 2))
        return p == 0 ? REPRISE_INFINITY : p == 2 ? -REPRISE_INFINITY : REPRISE_NAN;
    return p == 1 ? 0 : p < 1 ? reprise_erfcinv_low(p) : -reprise_erfcinv_low(2 - p);
}
REPRISE_FN double reprise_erfinv(double a)
{
    double x = __builtin_fabs(a);
    if (!(x < 0.5))
        return __builtin_copysign(reprise_erfcinv(1 - x), a);
    double y = 0.88622692545275801 * a; /* Newton's steps from the first term of the series */
#pragma unroll
    for (int i = 0; i < 4; i++) {
        double u = (reprise_erf(y) - a) / (0x1.20dd750429b6dp+0 * reprise_gauss(y));
        y -= u / (1 + y * u);
    }
    return y;
}
/* log gamma(x) for x >= 10 by Stirling's series */
REPRISE_FN double reprise_stirling(double x)
{
    const double c[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    return (x - 0.5) * (reprise_log(x)) - x + 0x1.d67f1c864beb5p-1 + reprise_polynomial(c, 1 / (x * x)) / x;
}
REPRISE_FN double reprise_lgamma(double a)
{
    if (!(__builtin_fabs(a) < REPRISE_INFINITY))
        return a != a ? a : REPRISE_INFINITY;
    if (a <= 0) {
        if (__builtin_floor(a) == a)
            return REPRISE_INFINITY;
        double s = __builtin_fabs(reprise_sinpi(a)), x = 1 - a, product = 1;
        for (; x < 10; x++)
            product *= x;
        return reprise_log(REPRISE_PI / s) - (reprise_stirling(x) - reprise_log(product));
    }
    double x = a, product = 1;
    for (; x < 10; x++)
        product *= x;
    return reprise_stirling(x) - reprise_log(product);
}
REPRISE_FN double reprise_tgamma_positive(double a)
{
    if (a > 172)
        return REPRISE_INFINITY;
    double x = a, product = 1;
    for (; x < 10; x++)
        product *= x;
    const double c[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    double root = reprise_pow(x, 0.5 * x - 0.25);
    return 0x1.40d931ff62706p+1 * root * reprise_exp(-x + reprise_polynomial(c, 1 / (x * x)) / x) * root / product;
}
REPRISE_FN double reprise_tgamma(double a)
{
    if (a != a || a == REPRISE_INFINITY)
        return a;
    if (a > 0)
        return reprise_tgamma_positive(a);
    if (a == 0 || __builtin_floor(a) == a)
        return a == 0 ? 1 / a : REPRISE_NAN;
    return REPRISE_PI / (reprise_sinpi(a) * reprise_tgamma_positive(1 - a));
}

#endif
