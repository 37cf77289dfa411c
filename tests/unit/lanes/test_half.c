/* f16 and bf16 arithmetic and order, alone and in pairs, against exact arithmetic on integers. */
#include "harness.h"
#include "tests/support/model_float.h"

static bool is_pair(int type) { return type == T_F16X2 || type == T_BF16X2; }
static bool is_brain(int type) { return type == T_BF16 || type == T_BF16X2; }

static uint64_t without_subnormal(uint64_t x) { return x & 0x7c00 ? x : x & 0x8000; }

static uint64_t one_model(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    const struct format *f = is_brain(c->type) ? &FORMAT_BF16 : &FORMAT_F16;
    uint64_t one = (uint64_t)f->bias << f->fraction, r;
    if (c->flags & UF_FTZ) {
        x = without_subnormal(x);
        y = without_subnormal(y);
        z = without_subnormal(z);
    }
    switch (c->op) {
    case OP_ADD: r = soft_add(f, ROUND_N, x, y); break;
    case OP_SUB: r = soft_add(f, ROUND_N, x, is_nan(f, y) ? y : negated(f, y)); break;
    case OP_MUL: r = soft_mul(f, ROUND_N, x, y); break;
    default: r = soft_fma(f, ROUND_N, x, y, z); break;
    }
    bool negative = r >> 15 && !is_nan(f, r);
    if (c->flags & UF_FTZ)
        r = without_subnormal(r);
    if (c->flags & UF_RELU && negative)
        r = 0;
    if (c->flags & UF_SAT)
        r = is_nan(f, r) || negative ? 0 : r > one ? one : r;
    return r;
}
static uint64_t model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t d)
{
    uint64_t low = one_model(c, a & 0xffff, b & 0xffff, d & 0xffff);
    return is_pair(c->type) ? low | one_model(c, a >> 16, b >> 16, d >> 16) << 16 : low;
}

static void check(const char *name, int op, int type, uint32_t flags)
{
    struct lane_case c = {.name = name, .op = (uint8_t)op, .type = (uint8_t)type, .flags = flags, .model = model};
    c.d = c.a = c.b = (uint8_t)type;
    c.c = op == OP_FMA ? (uint8_t)type : T_NONE;
    run_case(&c, 20000);
}
Test(half, arithmetic)
{
    static const uint8_t types[] = {T_F16, T_F16X2, T_BF16, T_BF16X2};
    for (int t = 0; t < 4; t++) {
        check("add", OP_ADD, types[t], 0);
        check("sub", OP_SUB, types[t], 0);
        check("mul", OP_MUL, types[t], 0);
        check("fma", OP_FMA, types[t], 0);
        check("fma.relu", OP_FMA, types[t], UF_RELU);
        if (is_brain(types[t]))
            continue;
        check("add.ftz", OP_ADD, types[t], UF_FTZ);
        check("mul.ftz.sat", OP_MUL, types[t], UF_FTZ | UF_SAT);
        check("fma.ftz", OP_FMA, types[t], UF_FTZ);
        check("fma.sat", OP_FMA, types[t], UF_SAT);
    }
}

/* ---- signs and order --------------------------------------------------------------------------------------------- */

/* Numbers as integers that compare alike, -0 just below +0. */
static int order(uint64_t x) { return x & 0x8000 ? -(int)(x & 0x7fff) - 1 : (int)(x & 0x7fff); }

static uint64_t extreme_model(const struct lane_case *c, uint64_t x, uint64_t y, uint64_t z)
{
    const struct format *f = is_brain(c->type) ? &FORMAT_BF16 : &FORMAT_F16;
    (void)z;
    if (c->flags & UF_FTZ) {
        x = without_subnormal(x);
        y = without_subnormal(y);
    }
    if (c->op == OP_ABS || c->op == OP_NEG)
        return c->op == OP_ABS ? x & 0x7fff : x ^ 0x8000;
    uint64_t sign = c->flags & UF_XORSIGN ? (x ^ y) & 0x8000 : 0;
    bool nan_x = is_nan(f, x), nan_y = is_nan(f, y);
    if ((nan_x || nan_y) && ((nan_x && nan_y) || c->flags & UF_NAN))
        return 0x7fff;
    if (c->flags & UF_XORSIGN) {
        x &= 0x7fff;
        y &= 0x7fff;
    }
    if (nan_x || nan_y)
        return (nan_x ? y : x) | sign;
    return ((order(x) <= order(y)) == (c->op == OP_MIN) ? x : y) | sign;
}
static uint64_t extremes_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t d)
{
    uint64_t low = extreme_model(c, a & 0xffff, b & 0xffff, d & 0xffff);
    return is_pair(c->type) ? low | extreme_model(c, a >> 16, b >> 16, d >> 16) << 16 : low;
}
static void check_order(const char *name, int op, int type, uint32_t flags)
{
    struct lane_case c = {
        .name = name, .op = (uint8_t)op, .type = (uint8_t)type, .flags = flags, .model = extremes_model};
    c.d = c.a = (uint8_t)type;
    c.b = op == OP_MIN || op == OP_MAX ? (uint8_t)type : T_NONE;
    c.c = T_NONE;
    run_case(&c, 20000);
}
Test(half, signs_and_extremes)
{
    static const uint8_t types[] = {T_F16, T_F16X2, T_BF16, T_BF16X2};
    for (int t = 0; t < 4; t++) {
        check_order("abs", OP_ABS, types[t], 0);
        check_order("neg", OP_NEG, types[t], 0);
        for (int op = OP_MIN; op <= OP_MAX; op += OP_MAX - OP_MIN) {
            check_order(op == OP_MIN ? "min" : "max", op, types[t], 0);
            check_order("extreme.NaN", op, types[t], UF_NAN);
            check_order("extreme.xorsign.abs", op, types[t], UF_XORSIGN | UF_ABS);
            check_order("extreme.NaN.xorsign.abs", op, types[t], UF_NAN | UF_XORSIGN | UF_ABS);
            if (!is_brain(types[t]))
                check_order("extreme.ftz.NaN", op, types[t], UF_FTZ | UF_NAN);
        }
        if (!is_brain(types[t]))
            check_order("abs.ftz", OP_ABS, types[t], UF_FTZ);
    }
}

/* set of two halves into a word, or into the type compared. */
static bool holds(const struct lane_case *c, uint64_t x, uint64_t y)
{
    const struct format *f = is_brain(c->stype) ? &FORMAT_BF16 : &FORMAT_F16;
    if (is_nan(f, x) || is_nan(f, y))
        return c->imm >= CMP_EQU && c->imm <= CMP_GEU;
    int a = x & 0x8000 ? -(int)(x & 0x7fff) : (int)(x & 0x7fff),
        b = y & 0x8000 ? -(int)(y & 0x7fff) : (int)(y & 0x7fff);
    switch (c->imm) {
    case CMP_EQ:
    case CMP_EQU: return a == b;
    case CMP_LTU:
    case CMP_LT: return a < b;
    case CMP_GE:
    case CMP_GEU: return a >= b;
    default: return true; /* CMP_NUM */
    }
}
static uint64_t set_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t d)
{
    (void)d;
    bool pair = is_pair(c->stype), integer = c->type == T_U32 || c->type == T_S16;
    uint64_t one = !integer ? (is_brain(c->stype) ? 0x3f80 : 0x3c00) : pair || c->type == T_S16 ? 0xffff : 0xffffffff;
    uint64_t low = holds(c, a & 0xffff, b & 0xffff) ? one : 0;
    return pair ? low | (holds(c, a >> 16, b >> 16) ? one << 16 : 0) : low;
}
Test(half, set)
{
    static const struct {
        uint8_t type, stype;
    } kinds[] = {{T_U32, T_F16},  {T_S16, T_F16},   {T_F16, T_F16},    {T_U32, T_F16X2},    {T_F16X2, T_F16X2},
                 {T_U32, T_BF16}, {T_BF16, T_BF16}, {T_U32, T_BF16X2}, {T_BF16X2, T_BF16X2}};
    static const uint8_t compares[] = {CMP_EQ, CMP_LT, CMP_GE, CMP_EQU, CMP_LTU, CMP_GEU, CMP_NUM};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds * sizeof compares; i++) {
        struct lane_case c = {.name = "set", .op = OP_SET, .model = set_model};
        c.type = c.d = kinds[i / sizeof compares].type;
        c.stype = c.a = c.b = kinds[i / sizeof compares].stype;
        c.c = T_NONE;
        c.imm = compares[i % sizeof compares];
        run_case(&c, 5000);
    }
}

/* Of all pairs of some halves: each half by itself, subnormals kept in global memory, too. */
Test(half, atomic_sums)
{
    const struct corners f16 = corners_of(T_F16);
    for (int i = 0; i < f16.count * f16.count; i++) {
        uint64_t x = f16.values[i / f16.count], y = f16.values[i % f16.count],
                 sum = soft_add(&FORMAT_F16, ROUND_N, x, y);
        sum = is_nan(&FORMAT_F16, sum) ? 0x7fff : sum;
        cr_expect_eq(atomic_apply(RP_ATOMIC_ADD, T_F16, x, y, 0), sum);
        cr_expect_eq(atomic_apply_global(RP_ATOMIC_ADD, T_F16X2, x << 16 | 0x3c00, y << 16 | 0x4000, 0),
                     sum << 16 | 0x4200);
    }
}
