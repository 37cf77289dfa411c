/* f16 and bf16 arithmetic, alone and in pairs, against exact arithmetic on integers. */
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
