#include "harness.h"

/* Everything on 128 bits, then cut to the destination. */
typedef __int128 wide;

static wide extended(const struct lane_case *c, uint64_t x, unsigned bits)
{
    return lane_is_signed(c->type) ? (wide)sext(x, bits) : (wide)zext(x, bits);
}
static wide bounded(wide x, unsigned bits, bool is_signed)
{
    wide high = ((wide)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}
static wide product(const struct lane_case *c, wide x, wide y, unsigned bits)
{
    if (c->op == OP_MUL24 || c->op == OP_MAD24) {
        bool s = lane_is_signed(c->type);
        wide p = (s ? (wide)sext((uint64_t)x, 24) : (wide)zext((uint64_t)x, 24)) *
                 (s ? (wide)sext((uint64_t)y, 24) : (wide)zext((uint64_t)y, 24));
        return c->flags & UF_HI ? p >> 16 : p;
    }
    if (c->flags & UF_HI) { /* by halves of the factors, since 64 × 64 signed bits fill 128 */
        return bits < 64 || lane_is_signed(c->type) ? x * y >> bits
                                                    : (wide)((unsigned __int128)x * (unsigned __int128)y >> bits);
    }
    return (wide)((unsigned __int128)x * (unsigned __int128)y);
}
static wide quotient(const struct lane_case *c, wide x, wide y)
{
    if (y == 0)
        return -1;
    return c->op == OP_DIV ? x / y : x % y;
}
static wide operated(const struct lane_case *c, wide x, wide y, wide z, unsigned bits)
{
    switch (c->op) {
    case OP_ADD: return x + y;
    case OP_SUB: return x - y;
    case OP_MUL:
    case OP_MUL24: return product(c, x, y, bits);
    case OP_MAD:
    case OP_MAD24: return (wide)((unsigned __int128)product(c, x, y, bits) + (unsigned __int128)z);
    case OP_SAD: return z + (x < y ? y - x : x - y);
    case OP_DIV:
    case OP_REM: return quotient(c, x, y);
    case OP_ABS: return x < 0 ? -x : x;
    case OP_NEG: return -x;
    case OP_MIN: return x < y ? x : y;
    case OP_MAX: return x < y ? y : x;
    case OP_MIN3: return (x < y ? x : y) < z ? (x < y ? x : y) : z;
    default: return (x < y ? y : x) < z ? z : (x < y ? y : x);
    }
}
static uint64_t integer_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t cc)
{
    unsigned bits = lane_type_bits(c->type), result_bits = lane_type_bits(c->d);
    wide r = operated(c, extended(c, a, bits), extended(c, b, bits), extended(c, cc, c->c ? lane_type_bits(c->c) : 64),
                      bits);
    if (c->flags & UF_SAT)
        r = bounded(r, result_bits, lane_is_signed(c->type));
    if ((c->flags & UF_RELU) && r < 0)
        r = 0;
    return zext((uint64_t)r, result_bits);
}

static void integer_case(const char *name, int op, int type, int sources, uint32_t flags)
{
    static const uint8_t twice[T_COUNT] = {[T_U16] = T_U32, [T_S16] = T_S32, [T_U32] = T_U64, [T_S32] = T_S64};
    struct lane_case c = {
        .name = name, .op = (uint8_t)op, .type = (uint8_t)type, .flags = flags, .model = integer_model};
    c.a = c.type, c.b = sources > 1 ? c.type : T_NONE;
    c.d = flags & UF_WIDE ? twice[type] : c.type;
    c.c = sources > 2 ? c.d : T_NONE;
    run_case(&c, 512);
}

static const uint8_t every[] = {T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
#define EACH_TYPE(n) for (int t, i = 0; i < (n) && (t = every[i], true); i++)

Test(integer, sums_and_products)
{
    EACH_TYPE(6)
    {
        integer_case("add", OP_ADD, t, 2, 0);
        integer_case("sub", OP_SUB, t, 2, 0);
        integer_case("mul.lo", OP_MUL, t, 2, 0);
        integer_case("mul.hi", OP_MUL, t, 2, UF_HI);
        integer_case("mad.lo", OP_MAD, t, 3, 0);
        integer_case("mad.hi", OP_MAD, t, 3, UF_HI);
    }
    EACH_TYPE(4)
    {
        integer_case("mul.wide", OP_MUL, t, 2, UF_WIDE);
        integer_case("mad.wide", OP_MAD, t, 3, UF_WIDE);
    }
    integer_case("add.sat", OP_ADD, T_S32, 2, UF_SAT);
    integer_case("sub.sat", OP_SUB, T_S32, 2, UF_SAT);
    integer_case("mad.hi.sat", OP_MAD, T_S32, 3, UF_HI | UF_SAT);
}
Test(integer, products_of_24_bits)
{
    for (int t = T_U32; t <= T_S32; t++) {
        integer_case("mul24.lo", OP_MUL24, t, 2, 0);
        integer_case("mul24.hi", OP_MUL24, t, 2, UF_HI);
        integer_case("mad24.lo", OP_MAD24, t, 3, 0);
        integer_case("mad24.hi", OP_MAD24, t, 3, UF_HI);
    }
    integer_case("mad24.hi.sat", OP_MAD24, T_S32, 3, UF_HI | UF_SAT);
}
Test(integer, division)
{
    EACH_TYPE(6)
    {
        integer_case("div", OP_DIV, t, 2, 0);
        integer_case("rem", OP_REM, t, 2, 0);
    }
}
Test(integer, magnitudes_and_extremes)
{
    EACH_TYPE(6)
    {
        integer_case("sad", OP_SAD, t, 3, 0);
        integer_case("neg", OP_NEG, t, 1, 0);
        integer_case("min", OP_MIN, t, 2, 0);
        integer_case("max", OP_MAX, t, 2, 0);
        if (lane_is_signed(t))
            integer_case("abs", OP_ABS, t, 1, 0);
    }
    for (int t = T_U32; t <= T_S32; t++) {
        integer_case("min3", OP_MIN3, t, 3, 0);
        integer_case("max3", OP_MAX3, t, 3, 0);
    }
    integer_case("min.relu", OP_MIN, T_S32, 2, UF_RELU);
    integer_case("max.relu", OP_MAX, T_S32, 2, UF_RELU);
}

/* ---- pairs of 16 bits and dot products, element by element ---- */

static uint64_t pair_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    uint64_t r = 0;
    struct lane_case half = *c;
    half.type = half.d = c->type == T_U16X2 ? T_U16 : T_S16, half.c = T_NONE;
    for (int k = 0; k < 2; k++)
        r |= integer_model(&half, a >> 16 * k & 0xffff, b >> 16 * k & 0xffff, 0) << 16 * k;
    return r;
}
static uint64_t dot_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    unsigned n = c->op == OP_DP4A ? 4 : 2, bits = 32 / n;
    int64_t r = (int64_t)z;
    for (unsigned k = 0; k < n; k++) {
        uint64_t x = a >> bits * k, y = b >> 8 * (k + (c->flags & UF_HI ? 2 : 0));
        int64_t p = c->type == T_S32 ? sext(x, bits) : (int64_t)zext(x, bits);
        r += p * (c->stype == T_S32 ? sext(y, 8) : (int64_t)zext(y, 8));
    }
    return (uint32_t)r;
}
Test(integer, vectors_in_a_register)
{
    for (int op = OP_MIN; op <= OP_MAX; op++)
        for (int t = T_U16X2; t <= T_S16X2; t++) {
            struct lane_case c = {"16x2", (uint8_t)op, (uint8_t)t, 0, 0, 0, 0, T_B32, T_B32, T_B32, 0, pair_model};
            run_case(&c, 512);
            c.flags = UF_RELU;
            if (t == T_S16X2)
                run_case(&c, 512);
        }
    struct lane_case add = {"add.u16x2", OP_ADD, T_U16X2, 0, 0, 0, 0, T_B32, T_B32, T_B32, 0, pair_model};
    run_case(&add, 512);
    for (int i = 0; i < 12; i++) {
        struct lane_case c = {"dp",
                              i < 4 ? OP_DP4A : OP_DP2A,
                              i & 1 ? T_S32 : T_U32,
                              i & 2 ? T_S32 : T_U32,
                              i >= 8 ? UF_HI : 0,
                              0,
                              0,
                              T_B32,
                              T_B32,
                              T_B32,
                              T_B32,
                              dot_model};
        run_case(&c, 1024);
    }
}

/* ---- carry chains: on 128 bits, compared lane by lane with the flag before and after; a subtraction's flag says that
 * nothing was borrowed ---- */

static void check_chain(int op, int type, uint32_t flags, int level)
{
    unsigned bits = lane_type_bits(type);
    struct lane_case c = {"chain", (uint8_t)op, (uint8_t)type, 0, flags, 0, 0, 0, 0, 0, 0, 0};
    for (int round = 0; round < 40; round++) {
        struct bench_warp *w = new_warp();
        struct operation u = operation_of(&c);
        u.fn = bind_at(&u, level);
        cr_assert(u.fn);
        lanemask mask = round % 2 ? ~0u : (lanemask)next_random(), carry = (lanemask)next_random();
        uint64_t in[3][LANES], before[LANES];
        const int slots[3] = {4, 7, 10};
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < LANES; l++)
                put_element(w->slots + slots[k] * SLOT, type, l, in[k][l] = random_value(type));
        for (int l = 0; l < LANES; l++)
            before[l] = get_element(w->slots + SLOT, type, l);
        w->warp.carry = carry;
        execute(&u, &w->warp, mask);
        for (int l = 0; l < LANES; l++) {
            bool executed = mask >> l & 1;
            wide cin = flags & UF_CARRY_IN ? carry >> l & 1 : 0, x = (wide)in[0][l], y = (wide)in[1][l];
            struct lane_case plain = {.op = OP_MUL, .type = (uint8_t)type, .flags = flags & UF_HI};
            if (op == OP_MAD) {
                x = (wide)zext(
                    (uint64_t)product(&plain, extended(&plain, in[0][l], bits), extended(&plain, in[1][l], bits), bits),
                    bits);
                y = (wide)in[2][l];
            }
            wide borrow = flags & UF_CARRY_IN ? !cin : 0, r = op == OP_SUB ? x - y - borrow : x + y + cin;
            bool past = op == OP_SUB ? x >= y + borrow : r >> bits & 1;
            bool out = flags & UF_CARRY_OUT && executed ? past : (carry >> l & 1);
            uint64_t expected = executed ? zext((uint64_t)r, bits) : before[l];
            cr_assert(get_element(w->slots + SLOT, type, l) == expected,
                      "chain op %d type %d flags %x lane %d level v%d", op, type, flags, l, level);
            cr_assert((w->warp.carry >> l & 1) == out, "carry of op %d type %d flags %x lane %d level v%d", op, type,
                      flags, l, level);
        }
    }
}
Test(integer, carry_chains)
{
    static const int ops[] = {OP_ADD, OP_SUB, OP_MAD, OP_MAD};
    static const uint32_t carries[] = {UF_CARRY_IN, UF_CARRY_OUT, UF_CARRY_IN | UF_CARRY_OUT};
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 4; i++)
            for (int t = 0; t < 4; t++)
                for (int k = 0; k < 3; k++)
                    check_chain(ops[i], every[2 + t], carries[k] | (i == 3 ? UF_HI : 0), level);
}
