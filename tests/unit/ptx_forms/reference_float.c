/* Floating-point arithmetic, exact and approximate, alone and in pairs. */
#include <math.h>
#include <string.h>

#include "tests/support/model_float.h"
#include "tests/unit/ptx_forms/reference.h"

static bool is(const struct call *c, const char *name) { return strcmp(c->opcode, name) == 0; }

/* Which modifiers go with f16 and bf16 (PTX ISA, "Half Precision Floating Point Instructions"). */
static bool goes_together(const struct call *c)
{
    enum ptx_type t = type_of(c, 0);
    bool brain = t == PT_BF16 || t == PT_BF16X2, half = t == PT_F16 || t == PT_F16X2;
    int rounding = rounding_of(c);
    if (has(c, M_FTZ) && brain && !is(c, "ex2"))
        return false;
    if (has(c, M_SAT) && (brain || has(c, M_RELU)))
        return false;
    return !(half || brain) || rounding == ROUND_DEFAULT || rounding == ROUND_N;
}

static int64_t order(const struct format *f, uint64_t x)
{
    int64_t s = signed_of(x, (unsigned)f->bits), least = -((int64_t)1 << (f->bits - 2)) * 2;
    return s < 0 ? least - s - 1 : s; /* -0 just below +0 */
}
static uint64_t extreme(const struct call *c, const struct format *f, uint64_t x, uint64_t y)
{
    uint64_t sign = 1ull << (f->bits - 1), product = has(c, M_XORSIGN) ? (x ^ y) & sign : 0;
    if (has(c, M_ABS))
        x &= ~sign, y &= ~sign;
    bool nan_x = is_nan(f, x), nan_y = is_nan(f, y);
    if ((nan_x && nan_y) || (has(c, M_NAN) && (nan_x || nan_y)))
        return f->nan;
    uint64_t r = nan_x ? y : nan_y ? x : (order(f, x) < order(f, y)) == is(c, "min") ? x : y;
    return r | product;
}

/* What is exactly rounded. False: another operation. */
static bool computed(const struct call *c, const struct format *f, uint64_t x, uint64_t y, uint64_t z, uint64_t *r)
{
    uint64_t sign = 1ull << (f->bits - 1), one = (uint64_t)f->bias << f->fraction;
    int rounding = rounding_of(c);
    if (is(c, "add"))
        *r = soft_add(f, rounding, x, y);
    else if (is(c, "sub"))
        *r = soft_add(f, rounding, x, is_nan(f, y) ? y : negated(f, y));
    else if (is(c, "mul"))
        *r = soft_mul(f, rounding, x, y);
    else if (is(c, "fma") || is(c, "mad"))
        *r = soft_fma(f, rounding, x, y, z);
    else if (is(c, "div"))
        *r = soft_div(f, rounding, x, y);
    else if (is(c, "rcp")) {
        uint64_t cut = soft_div(f, ROUND_Z, one, x); /* flushed before it is rounded, as ptxas's sequence does */
        *r = has(c, M_FTZ) && without_subnormals(f, cut) != cut ? cut & sign : soft_div(f, rounding, one, x);
    } else if (is(c, "sqrt"))
        *r = soft_sqrt(f, rounding, x);
    else if (is(c, "abs"))
        *r = x & ~sign;
    else if (is(c, "neg"))
        *r = x ^ sign;
    else if (is(c, "min") || is(c, "max"))
        *r = extreme(c, f, x, y);
    else
        return false;
    return true;
}

static bool one_number(const struct call *c, const struct format *f, uint64_t x, uint64_t y, uint64_t z, bool three,
                       uint64_t *r)
{
    if (has(c, M_OOB) && (x == 0x7fff || y == 0x7fff || z == 0x7fff)) { /* what lies outside of a tensor */
        *r = 0;
        return true;
    }
    if (has(c, M_FTZ)) {
        x = without_subnormals(f, x);
        y = without_subnormals(f, y);
        z = without_subnormals(f, z);
    }
    if (!computed(c, f, x, y, z, r))
        return false;
    if (three) /* min and max of three */
        *r = extreme(c, f, *r, z);
    bool copies = is(c, "abs") || is(c, "neg");
    if (has(c, M_FTZ) && !copies)
        *r = is_nan(f, *r) ? *r : without_subnormals(f, *r);
    if (has(c, M_RELU) && !is_nan(f, *r) && *r >> (f->bits - 1))
        *r = 0;
    if (has(c, M_SAT))
        *r = clamped_to_one(f, *r);
    return true;
}

static long double approximated(const struct call *c, long double x, long double y)
{
    if (is(c, "div"))
        return x / y;
    if (is(c, "rcp"))
        return 1 / x;
    if (is(c, "sqrt"))
        return sqrtl(x);
    if (is(c, "rsqrt"))
        return 1 / sqrtl(x);
    if (is(c, "sin"))
        return sinl(x);
    if (is(c, "cos"))
        return cosl(x);
    if (is(c, "lg2"))
        return log2l(x);
    return is(c, "ex2") ? exp2l(x) : tanhl(x);
}

/* Bounds of the PTX ISA, as powers of two, and for which arguments. */
static enum verdict approximate(const struct call *c, struct answer *r)
{
    static const struct {
        const char *opcode;
        enum ptx_type type;
        double bound;
        bool relative;
        long double range; /* of the magnitude of the argument, of div of the divisor */
    } rows[] = {
        {"div", PT_F32, -22, true, 0x1p126L},    {"rcp", PT_F32, -23, true, 0x1p126L},
        {"sqrt", PT_F32, -23, true, 0x1p128L},   {"rsqrt", PT_F32, -22.9, true, 0x1p128L},
        {"sin", PT_F32, -14.7, false, 314},      {"cos", PT_F32, -14.7, false, 314},
        {"lg2", PT_F32, -22, true, 0x1p128L},    {"ex2", PT_F32, -22.5, true, 0x1p128L},
        {"tanh", PT_F32, -11, true, 0x1p128L},   {"rcp", PT_F64, -19, true, 0x1p1000L},
        {"rsqrt", PT_F64, -19, true, 0x1p1000L}, {"ex2", PT_F16, -9.9, true, 0x1p17L},
        {"ex2", PT_BF16, -7, true, 0x1p128L},    {"tanh", PT_F16, -10.9, false, 0x1p17L},
        {"tanh", PT_BF16, -8, false, 0x1p128L},
    };
    enum ptx_type t = type_of(c, 0), kind = t == PT_F16X2 ? PT_F16 : t == PT_BF16X2 ? PT_BF16 : t;
    const struct format *f = format_named(t);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is(c, rows[i].opcode) || rows[i].type != kind)
            continue;
        bool divides = is(c, "div");
        uint64_t a = has(c, M_FTZ) ? without_subnormals(f, c->a) : c->a;
        uint64_t b = has(c, M_FTZ) ? without_subnormals(f, c->b) : c->b;
        long double x = value_of(f, a), y = value_of(f, b), argument = fabsl(divides ? y : x);
        r->near = true;
        r->relative = rows[i].relative;
        r->bound = exp2l(rows[i].bound);
        r->exact = approximated(c, x, y);
        bool lg2_near_1 = is(c, "lg2") && x > 0.4L && x < 2.1L; /* there the bound is absolute */
        r->relative &= !lg2_near_1;
        r->any = (is_pair_type(t)) || (argument > rows[i].range && !isinf(argument)) ||
                 (argument < 1 / rows[i].range && (divides || is(c, "rcp")) && argument != 0);
        return ANSWERED;
    }
    return NO_MODEL;
}

static bool tested(enum testp what, const struct format *f, uint64_t x)
{
    uint64_t magnitude = x & ((1ull << (f->bits - 1)) - 1);
    bool nan = is_nan(f, x), infinite = is_infinite(f, x), subnormal = magnitude && !(magnitude >> f->fraction);
    switch (what) {
    case TESTP_FINITE: return !nan && !infinite;
    case TESTP_INFINITE: return infinite;
    case TESTP_NUMBER: return !nan;
    case TESTP_NOTANUMBER: return nan;
    case TESTP_NORMAL: return !nan && !infinite && !subnormal;
    default: return subnormal;
    }
}

enum verdict reference_float(const struct call *c, struct answer *r)
{
    enum ptx_type t = c->mods->type_count ? type_of(c, 0) : PT_NONE;
    const struct format *f = format_named(t);
    if (!f || c->mods->type_count != 1)
        return NO_MODEL;
    if (!goes_together(c))
        return NOT_PTX;
    if (is(c, "testp")) {
        r->q[0] = tested((enum testp)mods_value(c->mods, G_TESTP, 0), f, c->a);
        return ANSWERED;
    }
    if (is(c, "copysign")) {
        uint64_t sign = 1ull << (f->bits - 1);
        r->d = (c->a & sign) | (c->b & ~sign);
        return ANSWERED;
    }
    if (has(c, M_APPROX) || has(c, M_FULL))
        return approximate(c, r);
    bool three = (is(c, "min") || is(c, "max")) && c->imm == 3; /* operands */
    int parts = is_pair_type(t) ? 2 : 1;
    for (int i = 0; i < parts; i++) {
        uint64_t x = low_bits(c->a >> 16 * i, (unsigned)f->bits), y = low_bits(c->b >> 16 * i, (unsigned)f->bits), one;
        if (!one_number(c, f, x, y, low_bits(c->c >> 16 * i, (unsigned)f->bits), three, &one))
            return NO_MODEL;
        r->d |= one << 16 * i;
    }
    return ANSWERED;
}
