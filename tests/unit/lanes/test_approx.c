/* The approximate functions against long double: the largest error found is printed and held against the bound of the
 * PTX ISA; special values as in its tables. */
#include "harness.h"

#include <math.h>
#include <stdio.h>

#include "tests/support/model_float.h"

static float as_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}
static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static uint32_t as_bits(float f)
{
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Runs an operation on 32 values; every vector width must give the same bits. */
static void evaluate(int op, int type, uint32_t flags, const uint64_t a[LANES], const uint64_t b[LANES],
                     uint64_t r[LANES])
{
    struct lane_case c = {"approx", (uint8_t)op, (uint8_t)type, 0, flags, 0, 0, 0, 0, 0, 0, 0};
    for (int level = 2; level <= widest_level(); level++) {
        struct bench_warp *w = new_warp();
        struct operation u = operation_of(&c);
        u.fn = bind_at(&u, level);
        cr_assert(u.fn, "op %d flags %x", op, flags);
        for (int l = 0; l < LANES; l++) {
            put_element(w->slots + 4 * SLOT, type, l, a[l]);
            put_element(w->slots + 7 * SLOT, type, l, b[l]);
        }
        execute(&u, &w->warp, ~0u);
        for (int l = 0; l < LANES; l++) {
            uint64_t got = get_element(w->slots + SLOT, type, l);
            cr_assert(level == 2 || got == r[l], "op %d of %#lx differs at level v%d: %#lx, %#lx", op, a[l], level,
                      r[l], got);
            r[l] = got;
        }
    }
}

struct bound {
    const char *name;
    int op;
    long double (*exact)(long double);
    float low, high;
    long double bound; /* log2 */
    bool relative;
};
/* Values spread evenly over the bit patterns of [low, high], so over all exponents; both signs when low is 0. */
static void check_bound(const struct bound *t, bool negative)
{
    uint32_t first = as_bits(t->low), last = as_bits(t->high);
    long double worst = 0, smallest = 0x1p-126L;
    float at = 0;
    for (uint32_t k = 0; k < 2500; k++) {
        uint64_t a[LANES], b[LANES] = {0}, r[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            uint64_t n = (uint64_t)k * LANES + l;
            a[l] = first + (uint64_t)(last - first) * n / (2500 * LANES - 1);
            a[l] |= negative ? 0x80000000 : 0;
        }
        evaluate(t->op, T_F32, UF_APPROX, a, b, r);
        for (int l = 0; l < LANES; l++) {
            long double exact = t->exact(as_float(a[l])), error = fabsl((long double)as_float(r[l]) - exact);
            if (t->relative)
                error /=
                    fabsl(exact) < smallest ? smallest : fabsl(exact); /* of subnormal results the last place counts */
            if (error > worst)
                worst = error, at = as_float(a[l]);
        }
    }
    fprintf(stderr, "# %s on [%g, %g]%s: %s error at most 2^%.2Lf (at %g), bound 2^%.1Lf\n", t->name, t->low, t->high,
            negative ? " negated" : "", t->relative ? "relative" : "absolute", log2l(worst), at, t->bound);
    cr_assert(log2l(worst) <= t->bound, "%s", t->name);
}
static long double inverse_root(long double x) { return 1 / sqrtl(x); }
static long double reciprocal(long double x) { return 1 / x; }
Test(approx, bounds_of_the_isa)
{
    const float pi = 3.14159265f;
    const struct bound bounds[] = {
        {"rcp", OP_RCP, reciprocal, 0x1p-126f, 0x1p126f, -23, true},
        {"sqrt", OP_SQRT, sqrtl, 0x1p-149f, 0x1.fffffep127f, -23, true},
        {"rsqrt", OP_RSQRT, inverse_root, 0x1p-149f, 0x1.fffffep127f, -22.9L, true},
        {"sin", OP_SIN, sinl, 0, 2 * pi, -20.5L, false},
        {"sin", OP_SIN, sinl, 2 * pi, 100 * pi, -14.7L, false},
        {"cos", OP_COS, cosl, 0, 2 * pi, -20.5L, false},
        {"cos", OP_COS, cosl, 2 * pi, 100 * pi, -14.7L, false},
        {"lg2", OP_LG2, log2l, 0.5f, 2, -22.6L, false},
        {"lg2", OP_LG2, log2l, 2, 0x1.fffffep127f, -22.6L, true},
        {"lg2", OP_LG2, log2l, 0x1p-149f, 0.5f, -22.6L, true},
        {"ex2", OP_EX2, exp2l, 0, 127.99f, -22.5L, true},
        {"tanh", OP_TANH, tanhl, 0, 0x1.fffffep127f, -11, true},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        check_bound(&bounds[i], false);
        if (bounds[i].low == 0)
            check_bound(&bounds[i], true);
    }
}

Test(approx, division_within_2_ulp)
{
    long double worst = 0;
    for (int k = 0; k < 3000; k++) {
        uint64_t a[LANES], b[LANES], r[LANES];
        for (int l = 0; l < LANES; l++) {
            a[l] = (next_random() & 0x807fffff) | (60 + next_random() % 130) << 23;
            b[l] = (next_random() & 0x807fffff) | (60 + next_random() % 130) << 23;
        }
        evaluate(OP_DIV, T_F32, UF_APPROX, a, b, r);
        for (int l = 0; l < LANES; l++) {
            long double exact = (long double)as_float(a[l]) / as_float(b[l]);
            if (fabsl(exact) < 0x1p-126L || fabsl(exact) >= 0x1p127L)
                continue;
            long double ulp = ldexpl(1, ilogbl(exact) - 23), error = fabsl(as_float(r[l]) - exact) / ulp;
            worst = error > worst ? error : worst;
        }
    }
    fprintf(stderr, "# div.approx: at most %.3Lf ulp, bound 2\n", worst);
    cr_assert(worst <= 2);
}

Test(approx, special_values)
{
    enum { INF = 0x7f800000, MINUS = (int)0x80000000, NAN_IN = 0x7fc00001 };
    const uint32_t nan = F32_NAN, inf = INF, minf = 0xff800000, m0 = 0x80000000, one = 0x3f800000;
    /* of -inf, -1, -subnormal, -0, +0, +subnormal, 1, +inf, NaN; without and with ftz */
    const uint32_t sub = 0x00000100, msub = 0x80000100;
    const uint32_t in[9] = {minf, 0xbf800000, msub, m0, 0, sub, one, inf, NAN_IN};
    const struct {
        int op;
        uint32_t flags, out[9];
    } tables[] = {
        {OP_RCP, UF_FTZ, {m0, 0xbf800000, minf, minf, inf, inf, one, 0, nan}},
        {OP_SQRT, UF_FTZ, {nan, nan, m0, m0, 0, 0, one, inf, nan}},
        {OP_RSQRT, 0, {nan, nan, nan, minf, inf, as_bits((float)(1 / sqrtl(0x100p-149L))), one, 0, nan}},
        {OP_RSQRT, UF_FTZ, {nan, nan, minf, minf, inf, inf, one, 0, nan}},
        {OP_SIN, 0, {nan, as_bits((float)sinl(-1)), msub, m0, 0, sub, as_bits((float)sinl(1)), nan, nan}},
        {OP_SIN, UF_FTZ, {nan, as_bits((float)sinl(-1)), m0, m0, 0, 0, as_bits((float)sinl(1)), nan, nan}},
        {OP_COS, 0, {nan, as_bits((float)cosl(1)), one, one, one, one, as_bits((float)cosl(1)), nan, nan}},
        {OP_LG2, 0, {nan, nan, nan, minf, minf, as_bits(-141), 0, inf, nan}},
        {OP_LG2, UF_FTZ, {nan, nan, minf, minf, minf, minf, 0, inf, nan}},
        {OP_EX2, 0, {0, 0x3f000000, one, one, one, one, 0x40000000, inf, nan}},
        {OP_EX2, UF_FTZ, {0, 0x3f000000, one, one, one, one, 0x40000000, inf, nan}},
        {OP_TANH, 0, {0xbf800000, as_bits((float)tanhl(-1)), msub, m0, 0, sub, as_bits((float)tanhl(1)), one, nan}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        uint64_t a[LANES] = {0}, b[LANES] = {0}, r[LANES];
        for (int l = 0; l < 9; l++)
            a[l] = in[l];
        evaluate(tables[i].op, T_F32, tables[i].flags | UF_APPROX, a, b, r);
        for (int l = 0; l < 9; l++)
            cr_assert_eq(r[l], tables[i].out[l], "op %d flags %x of %#x: %#lx, not %#x", tables[i].op, tables[i].flags,
                         in[l], r[l], tables[i].out[l]);
    }
}

Test(approx, large_and_small_arguments)
{
    /* ex2 over- and underflows gradually; sin and cos stay in [-1, 1] everywhere; the reciprocal of a large b vanishes
     */
    uint64_t a[LANES] = {as_bits(128),  as_bits(200),     as_bits(-126.5f),
                         as_bits(-149), as_bits(-150.5f), as_bits(-3e38f)},
             b[LANES] = {0}, r[LANES];
    evaluate(OP_EX2, T_F32, UF_APPROX, a, b, r);
    const uint32_t expected[] = {0x7f800000, 0x7f800000, as_bits((float)exp2l(-126.5L)), 1, 0, 0};
    for (int l = 0; l < 6; l++)
        cr_assert_eq(r[l], expected[l], "ex2 lane %d: %#lx", l, r[l]);
    evaluate(OP_EX2, T_F32, UF_APPROX | UF_FTZ, a, b, r);
    cr_assert(r[2] == 0 && r[3] == 0);
    for (int k = 0; k < 2000; k++) {
        for (int l = 0; l < LANES; l++)
            a[l] = next_random() & 0xffffffff;
        for (int op = OP_SIN; op <= OP_COS; op++) {
            evaluate(op, T_F32, UF_APPROX, a, b, r);
            for (int l = 0; l < LANES; l++)
                cr_assert(is_nan(&FORMAT_F32, r[l]) || fabsf(as_float(r[l])) <= 1);
        }
    }
    for (int l = 0; l < LANES; l++)
        a[l] = as_bits(l & 1 ? -3.0f : (l & 2 ? INFINITY : 3.0f)), b[l] = as_bits(l & 4 ? -0x1.8p126f : 0x1.8p126f);
    evaluate(OP_DIV, T_F32, UF_APPROX, a, b, r);
    for (int l = 0; l < LANES; l++)
        cr_assert_eq(r[l],
                     (l & 3) == 2              ? F32_NAN
                     : (l & 1) != (l & 4) >> 2 ? 0x80000000
                                               : 0,
                     "div.approx lane %d: %#lx", l, r[l]);
}

/* rcp.approx.ftz.f64 and rsqrt.approx{.ftz}.f64 */
Test(approx, doubles)
{
    for (int k = 0; k < 2000; k++) {
        uint64_t a[LANES], b[LANES] = {0}, r[3][LANES];
        for (int l = 0; l < LANES; l++)
            a[l] = (next_random() & 0x000fffffffffffff) | (2 + next_random() % 2040) << 52;
        evaluate(OP_RCP, T_F64, UF_APPROX | UF_FTZ, a, b, r[0]);
        evaluate(OP_RSQRT, T_F64, UF_APPROX | UF_FTZ, a, b, r[1]);
        evaluate(OP_RSQRT, T_F64, UF_APPROX, a, b, r[2]);
        for (int l = 0; l < LANES; l++) {
            long double x = as_double(a[l]), rcp = as_double(r[0][l]) * x, rsqrt = as_double(r[1][l]) * sqrtl(x),
                        full = as_double(r[2][l]) * sqrtl(x);
            cr_assert(!(r[0][l] << 32) && !(r[1][l] << 32), "the lower word is zero");
            cr_assert(fabsl(rcp - 1) < 0x1p-19L, "rcp of %La: relative error 2^%Lf", x, log2l(fabsl(rcp - 1)));
            cr_assert(fabsl(rsqrt - 1) < 0x1p-19L && fabsl(full - 1) < 0x1p-51L);
        }
    }
    const uint64_t inf = 0x7ffull << 52, sign = 1ull << 63;
    uint64_t a[LANES] = {0, sign, inf, inf | sign, 1, sign | 1, 0x7ff8000000000001, 0xc000000000000000}, b[LANES] = {0},
             r[LANES];
    const uint64_t rcp[] = {inf, inf | sign, 0, sign, inf, inf | sign, F64_NAN, 0xbfe0000000000000};
    const uint64_t rsqrt[] = {inf, inf | sign, 0, F64_NAN, inf, inf | sign, F64_NAN, F64_NAN};
    evaluate(OP_RCP, T_F64, UF_APPROX | UF_FTZ, a, b, r);
    for (int l = 0; l < 8; l++)
        cr_assert_eq(r[l], rcp[l], "rcp.approx.ftz.f64 of %#lx: %#lx, not %#lx", a[l], r[l], rcp[l]);
    evaluate(OP_RSQRT, T_F64, UF_APPROX | UF_FTZ, a, b, r);
    for (int l = 0; l < 8; l++)
        cr_assert_eq(r[l], rsqrt[l], "rsqrt.approx.ftz.f64 of %#lx: %#lx, not %#lx", a[l], r[l], rsqrt[l]);
}

/* ---- f16 and bf16: every argument -------------------------------------------------------------------------------- */

static long double value_of(const struct format *f, uint64_t bits)
{
    return as_float(soft_convert(f, &FORMAT_F32, ROUND_N, bits));
}
static bool is_subnormal(const struct format *f, uint64_t bits)
{
    uint64_t magnitude = bits & 0x7fff;
    return magnitude && magnitude < 1ull << f->fraction;
}

static void check_small(const char *name, int op, int type, int pair, uint32_t flags, const struct format *f,
                        long double (*exact)(long double), long double bound, bool relative)
{
    long double worst = 0, smallest = ldexpl(1, 1 - f->bias);
    for (uint32_t first = 0; first < 65536; first += LANES) {
        uint64_t a[LANES], pairs[LANES], none[LANES] = {0}, r[LANES], two[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            a[l] = first + l;
            pairs[l] = (a[l] ^ 0x1234) << 16 | a[l];
        }
        evaluate(op, type, UF_APPROX | flags, a, none, r);
        evaluate(op, pair, UF_APPROX | flags, pairs, none, two);
        for (int l = 0; l < LANES; l++) {
            uint64_t in = flags & UF_FTZ && is_subnormal(f, a[l]) ? a[l] & 0x8000 : a[l];
            cr_assert_eq(two[l] & 0xffff, r[l], "%s of %#lx alone and in a pair", name, a[l]);
            if (is_nan(f, in)) {
                cr_assert_eq(r[l], f->nan, "%s of %#lx", name, a[l]);
                continue;
            }
            cr_assert(!(flags & UF_FTZ && is_subnormal(f, r[l])), "%s of %#lx is subnormal", name, a[l]);
            long double y = exact(value_of(f, in)), error = fabsl(value_of(f, r[l]) - y);
            if (is_infinite(f, r[l])) {
                cr_assert(y >= ldexpl(1, f->bias + 1) * (1 - ldexpl(1, -f->fraction - 2)), "%s of %#lx", name, a[l]);
                continue;
            }
            error = relative && fabsl(y) >= smallest ? error / fabsl(y) : relative ? error / smallest : error;
            if (!(flags & UF_FTZ) || fabsl(y) >= smallest)
                worst = error > worst ? error : worst;
        }
    }
    fprintf(stderr, "# %s: error at most 2^%.2Lf, bound 2^%.1Lf\n", name, log2l(worst), bound);
    cr_assert(log2l(worst) <= bound, "%s", name);
}
Test(approx, all_arguments_of_16_bits)
{
    check_small("ex2.f16", OP_EX2, T_F16, T_F16X2, 0, &FORMAT_F16, exp2l, -9.9L, true);
    check_small("ex2.bf16", OP_EX2, T_BF16, T_BF16X2, UF_FTZ, &FORMAT_BF16, exp2l, -7, true);
    check_small("tanh.f16", OP_TANH, T_F16, T_F16X2, 0, &FORMAT_F16, tanhl, -10.987L, false);
    check_small("tanh.bf16", OP_TANH, T_BF16, T_BF16X2, 0, &FORMAT_BF16, tanhl, -8, false);
}
