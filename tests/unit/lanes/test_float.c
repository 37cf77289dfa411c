#include "harness.h"
#include "tests/support/model_float.h"

/* ---- arithmetic in every rounding, with ftz and sat ---- */

static const struct format *format_of(const struct lane_case *c)
{
    return c->type == T_F64 ? &FORMAT_F64 : &FORMAT_F32;
}

static uint64_t exact(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    const struct format *f = format_of(c);
    uint64_t one = (uint64_t)f->bias << f->fraction;
    switch (c->op) {
    case OP_ADD: return soft_add(f, c->rounding, x, y);
    case OP_SUB: return soft_add(f, c->rounding, x, is_nan(f, y) ? y : negated(f, y));
    case OP_MUL: return soft_mul(f, c->rounding, x, y);
    case OP_DIV: return soft_div(f, c->rounding, x, y);
    case OP_RCP: return soft_div(f, c->rounding, one, x);
    case OP_SQRT: return soft_sqrt(f, c->rounding, x);
    default: return soft_fma(f, c->rounding, x, y, z);
    }
}

static uint64_t modified(uint64_t x, unsigned bits, bool absolute, bool negate)
{
    uint64_t sign = 1ull << (bits - 1);
    return (absolute ? x & ~sign : x) ^ (negate ? sign : 0);
}

static uint64_t float_model(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    unsigned bits = lane_type_bits(c->type);
    x = modified(x, bits, c->flags & UF_ABS_A, c->flags & UF_NEGATE_A);
    y = modified(y, bits, c->flags & UF_ABS_B, c->flags & UF_NEGATE_B);
    z = modified(z, bits, false, c->flags & UF_NEGATE_C);
    bool ftz = c->flags & UF_FTZ;
    if (ftz && c->op == OP_RCP) { /* flushed where the exact quotient is below all normal numbers */
        uint64_t cut = soft_div(&FORMAT_F32, ROUND_Z, 0x3f800000, flushed(x));
        if (flushed(cut) != cut)
            return flushed(cut);
    }
    uint64_t r = ftz ? flushed(exact(c, flushed(x), flushed(y), flushed(z))) : exact(c, x, y, z);
    return c->flags & UF_SAT ? saturated(r) : r;
}

static void float_case(const char *name, int op, int type, int sources, uint32_t flags, int rounding)
{
    struct lane_case c = {.name = name,
                          .op = (uint8_t)op,
                          .type = (uint8_t)type,
                          .flags = flags,
                          .rounding = (uint8_t)rounding,
                          .d = (uint8_t)type,
                          .a = (uint8_t)type,
                          .model = float_model};
    c.b = sources > 1 ? c.type : T_NONE;
    c.c = sources > 2 ? c.type : T_NONE;
    run_case(&c, 512);
}

static const struct float_operation {
    const char *name;
    int op, sources;
} operations[] = {{"add", OP_ADD, 2}, {"sub", OP_SUB, 2},   {"mul", OP_MUL, 2}, {"div", OP_DIV, 2},
                  {"rcp", OP_RCP, 1}, {"sqrt", OP_SQRT, 1}, {"fma", OP_FMA, 3}, {"mad", OP_MAD, 3}};

static void all_roundings(int type, uint32_t flags)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (int rounding = ROUND_DEFAULT; rounding <= ROUND_P; rounding++)
            float_case(operations[i].name, operations[i].op, type, operations[i].sources, flags, rounding);
}
Test(float_arithmetic, f32_in_every_rounding) { all_roundings(T_F32, 0); }
Test(float_arithmetic, f32_ftz_in_every_rounding) { all_roundings(T_F32, UF_FTZ); }
Test(float_arithmetic, f32_sat_in_every_rounding) { all_roundings(T_F32, UF_SAT); }
Test(float_arithmetic, f64_in_every_rounding) { all_roundings(T_F64, 0); }
Test(float_arithmetic, source_modifiers)
{
    float_case("add -a |b|", OP_ADD, T_F32, 2, UF_NEGATE_A | UF_ABS_B, ROUND_N);
    float_case("mul.ftz.sat -|a| b", OP_MUL, T_F32, 2, UF_NEGATE_A | UF_ABS_A | UF_FTZ | UF_SAT, ROUND_Z);
    float_case("fma a -b -c", OP_FMA, T_F32, 3, UF_NEGATE_B | UF_NEGATE_C, ROUND_M);
    float_case("fma.f64 -a b -c", OP_FMA, T_F64, 3, UF_NEGATE_A | UF_NEGATE_C, ROUND_P);
}
Test(float_arithmetic, approximations_that_are_exact)
{
    float_case("rcp.approx", OP_RCP, T_F32, 1, UF_APPROX, ROUND_DEFAULT);
    float_case("rcp.approx.ftz", OP_RCP, T_F32, 1, UF_APPROX | UF_FTZ, ROUND_DEFAULT);
    float_case("sqrt.approx", OP_SQRT, T_F32, 1, UF_APPROX, ROUND_DEFAULT);
    float_case("sqrt.approx.ftz", OP_SQRT, T_F32, 1, UF_APPROX | UF_FTZ, ROUND_DEFAULT);
    float_case("div.full", OP_DIV, T_F32, 2, UF_FULL, ROUND_DEFAULT);
    float_case("div.full.ftz", OP_DIV, T_F32, 2, UF_FULL | UF_FTZ, ROUND_DEFAULT);
}

/* ---- signs ---- */

static uint64_t sign_model(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    (void)z;
    uint64_t sign = 1ull << (lane_type_bits(c->type) - 1);
    if (c->flags & UF_FTZ)
        x = flushed(x);
    return c->op == OP_ABS ? x & ~sign : c->op == OP_NEG ? x ^ sign : (y & ~sign) | (x & sign);
}
Test(float_arithmetic, signs)
{
    static const struct lane_case cases[] = {
        {"abs.f32", OP_ABS, T_F32, 0, 0, 0, 0, T_F32, T_F32, 0, 0, sign_model},
        {"abs.ftz.f32", OP_ABS, T_F32, 0, UF_FTZ, 0, 0, T_F32, T_F32, 0, 0, sign_model},
        {"abs.f64", OP_ABS, T_F64, 0, 0, 0, 0, T_F64, T_F64, 0, 0, sign_model},
        {"neg.f32", OP_NEG, T_F32, 0, 0, 0, 0, T_F32, T_F32, 0, 0, sign_model},
        {"neg.ftz.f32", OP_NEG, T_F32, 0, UF_FTZ, 0, 0, T_F32, T_F32, 0, 0, sign_model},
        {"neg.f64", OP_NEG, T_F64, 0, 0, 0, 0, T_F64, T_F64, 0, 0, sign_model},
        {"copysign.f32", OP_COPYSIGN, T_F32, 0, 0, 0, 0, T_F32, T_F32, T_F32, 0, sign_model},
        {"copysign.f64", OP_COPYSIGN, T_F64, 0, 0, 0, 0, T_F64, T_F64, T_F64, 0, sign_model},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], 256);
}

/* ---- min and max, by an order on the bits ---- */

static int64_t rank(uint64_t a, unsigned bits)
{
    int64_t x = sext(a, bits), least = sext(1ull << (bits - 1), bits);
    return x < 0 ? least - x - 1 : x; /* -0 just below +0 */
}
static uint64_t pick(const struct lane_case *c, uint64_t x, uint64_t y)
{
    const struct format *f = format_of(c);
    unsigned bits = lane_type_bits(c->type);
    uint64_t sign = 1ull << (bits - 1), product = (x ^ y) & sign, r;
    bool max = c->op == OP_MAX || c->op == OP_MAX3;
    if (c->flags & UF_FTZ)
        x = flushed(x), y = flushed(y);
    if (c->flags & (UF_ABS | UF_XORSIGN))
        x &= ~sign, y &= ~sign;
    if (is_nan(f, x) && is_nan(f, y))
        return f->nan;
    if (is_nan(f, x) || is_nan(f, y)) {
        if (c->flags & UF_NAN)
            return f->nan;
        r = is_nan(f, x) ? y : x;
    } else {
        r = (rank(x, bits) < rank(y, bits)) != max ? x : y;
    }
    return c->flags & UF_XORSIGN ? r | product : r;
}
static uint64_t extreme_model(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t r = pick(c, x, y);
    return c->c ? pick(c, r, z) : r;
}
Test(float_arithmetic, min_and_max)
{
    static const uint32_t flags[] = {
        0, UF_FTZ, UF_NAN, UF_NAN | UF_FTZ, UF_XORSIGN | UF_ABS, UF_XORSIGN | UF_ABS | UF_NAN | UF_FTZ};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        for (int op = OP_MIN; op <= OP_MAX; op++) {
            struct lane_case c = {"min or max", (uint8_t)op, T_F32, 0, flags[i],     0, 0,
                                  T_F32,        T_F32,       T_F32, 0, extreme_model};
            run_case(&c, 256);
            if (flags[i] & UF_XORSIGN)
                continue;
            c.op = op == OP_MIN ? OP_MIN3 : OP_MAX3, c.c = T_F32;
            run_case(&c, 256);
        }
    for (int op = OP_MIN; op <= OP_MAX; op++) {
        struct lane_case c = {"min or max, f64", (uint8_t)op, T_F64, 0, 0, 0, 0, T_F64, T_F64, T_F64, 0, extreme_model};
        run_case(&c, 256);
    }
}
