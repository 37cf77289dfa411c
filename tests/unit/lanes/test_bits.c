/* Bit operations against the pseudo-code of the PTX ISA, bit by bit. */
#include "harness.h"

static bool bit(uint64_t x, int n) { return x >> n & 1; }

static uint64_t count_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    int bits = (int)lane_type_bits(c->type), n = 0, top = -1;
    if (c->op == OP_BFIND && lane_is_signed(c->type) && bit(a, bits - 1))
        a = zext(~a, (unsigned)bits);
    for (int i = 0; i < bits; i++)
        if (bit(a, i))
            n++, top = i;
    if (c->op == OP_POPC)
        return (uint64_t)n;
    if (c->op == OP_CLZ)
        return (uint64_t)(bits - 1 - top);
    return top < 0 ? 0xffffffff : (uint64_t)(c->flags & UF_SHIFTAMT ? bits - 1 - top : top);
}
static uint64_t reverse_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)b, (void)z;
    uint64_t r = 0;
    int bits = (int)lane_type_bits(c->type);
    for (int i = 0; i < bits; i++)
        r |= (uint64_t)bit(a, i) << (bits - 1 - i);
    return r;
}
static uint64_t extract_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t cc)
{
    int msb = (int)lane_type_bits(c->type) - 1, pos = b & 255, len = cc & 255;
    bool sbit = lane_is_signed(c->type) && len && bit(a, pos + len - 1 < msb ? pos + len - 1 : msb);
    uint64_t d = 0;
    for (int i = 0; i <= msb; i++)
        d |= (uint64_t)(i < len && pos + i <= msb ? bit(a, pos + i) : sbit) << i;
    return d;
}
static uint64_t nth_model(const struct lane_case *c, uint64_t mask, uint64_t base, uint64_t offset)
{
    (void)c;
    int64_t o = sext(offset, 32), count = (o < 0 ? -o : o) - 1;
    if (base > 31)
        return 0xffffffff;
    if (o == 0)
        return bit(mask, (int)base) ? base : 0xffffffff;
    for (int64_t pos = (int64_t)base; pos >= 0 && pos<32; pos += o> 0 ? 1 : -1)
        if (bit(mask, (int)pos) && count-- == 0)
            return (uint64_t)pos;
    return 0xffffffff;
}
static uint64_t extend_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    uint64_t n = c->flags & UF_WRAP ? b % 32 : b;
    if (n >= 32)
        return a;
    bool sign = c->type == T_S32 && n && bit(a, (int)n - 1);
    return zext((a & ((1ull << n) - 1)) | (sign ? ~0ull << n : 0), 32);
}
static uint64_t mask_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    uint64_t r = 0, from = c->flags & UF_WRAP ? a % 32 : a, n = c->flags & UF_WRAP ? b % 32 : b;
    for (uint64_t i = from; i < 32 && i < from + n; i++)
        r |= 1ull << i;
    return r;
}
static uint64_t permute_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t s)
{
    static const char *const orders[][4] = {
        [PRMT_F4E] = {"3210", "4321", "5432", "6543"}, [PRMT_B4E] = {"5670", "6701", "7012", "0123"},
        [PRMT_RC8] = {"0000", "1111", "2222", "3333"}, [PRMT_ECL] = {"3210", "3211", "3222", "3333"},
        [PRMT_ECR] = {"0000", "1110", "2210", "3210"}, [PRMT_RC16] = {"1010", "3232", "1010", "3232"}};
    uint64_t bytes = b << 32 | a, r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned pick = c->imm ? (unsigned)(orders[c->imm][s % 4][3 - i] - '0') : s >> 4 * i & 15;
        uint64_t byte = bytes >> 8 * (pick & 7) & 255;
        r |= (pick & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return r;
}
Test(bits, counting_and_fields)
{
    for (int t = T_U32; t <= T_S64; t++) {
        if (t == T_B64)
            continue;
        uint8_t type = (uint8_t)t;
        struct lane_case cases[] = {
            {"popc", OP_POPC, type, 0, 0, 0, 0, T_U32, type, 0, 0, count_model},
            {"clz", OP_CLZ, type, 0, 0, 0, 0, T_U32, type, 0, 0, count_model},
            {"bfind", OP_BFIND, type, 0, 0, 0, 0, T_U32, type, 0, 0, count_model},
            {"bfind.shiftamt", OP_BFIND, type, 0, UF_SHIFTAMT, 0, 0, T_U32, type, 0, 0, count_model},
            {"brev", OP_BREV, type, 0, 0, 0, 0, type, type, 0, 0, reverse_model},
            {"bfe", OP_BFE, type, 0, 0, 0, 0, type, type, T_U32, T_U32, extract_model},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            run_case(&cases[i], 1024);
    }
}
Test(bits, words)
{
    struct lane_case cases[] = {
        {"fns", OP_FNS, T_B32, 0, 0, 0, 0, T_B32, T_B32, T_B32, T_S32, nth_model},
        {"szext.clamp.u32", OP_SZEXT, T_U32, 0, 0, 0, 0, T_U32, T_U32, T_U32, 0, extend_model},
        {"szext.clamp.s32", OP_SZEXT, T_S32, 0, 0, 0, 0, T_U32, T_U32, T_U32, 0, extend_model},
        {"szext.wrap.u32", OP_SZEXT, T_U32, 0, UF_WRAP, 0, 0, T_U32, T_U32, T_U32, 0, extend_model},
        {"szext.wrap.s32", OP_SZEXT, T_S32, 0, UF_WRAP, 0, 0, T_U32, T_U32, T_U32, 0, extend_model},
        {"bmsk.clamp", OP_BMSK, T_B32, 0, 0, 0, 0, T_U32, T_U32, T_U32, 0, mask_model},
        {"bmsk.wrap", OP_BMSK, T_B32, 0, UF_WRAP, 0, 0, T_U32, T_U32, T_U32, 0, mask_model},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], 2048);
    for (int mode = PRMT_DEFAULT; mode <= PRMT_RC16; mode++) {
        struct lane_case c = {"prmt", OP_PRMT, T_B32, 0, 0, 0, mode, T_B32, T_B32, T_B32, T_B32, permute_model};
        run_case(&c, 1024);
    }
}

/* bfi has four sources: the length is the same register as the position in one test, a constant in the other. */
static uint32_t constant_length[LANES] __attribute__((aligned(64)));
static uint64_t insert_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t cc)
{
    int msb = (int)lane_type_bits(c->type) - 1, pos = cc & 255, len = (int)(constant_length[0] & 255);
    uint64_t f = b;
    for (int i = 0; i < len && pos + i <= msb; i++)
        f = (f & ~(1ull << (pos + i))) | (uint64_t)bit(a, i) << (pos + i);
    return f;
}
static void check_insert(int type, int level, uint32_t length)
{
    struct lane_case c = {"bfi", OP_BFI, (uint8_t)type, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int l = 0; l < LANES; l++)
        constant_length[l] = length;
    for (int round = 0; round < 20; round++) {
        struct bench_warp *w = new_warp();
        struct operation u = operation_of(&c);
        struct operand list = put_constant(w, constant_length, sizeof constant_length);
        u.lists[0] = (struct operand_list){&list, 1};
        u.fn = bind_at(&u, level);
        cr_assert(u.fn);
        uint64_t a[LANES], b[LANES], at[LANES];
        for (int l = 0; l < LANES; l++) {
            put_element(w->slots + 4 * SLOT, type, l, a[l] = random_value(type));
            put_element(w->slots + 7 * SLOT, type, l, b[l] = random_value(type));
            put_element(w->slots + 10 * SLOT, T_U32, l, at[l] = random_value(T_U32));
        }
        execute(&u, &w->warp, ~0u);
        for (int l = 0; l < LANES; l++)
            cr_assert_eq(get_element(w->slots + SLOT, type, l), insert_model(&c, a[l], b[l], at[l]),
                         "bfi %d level v%d length %u at %lu", type, level, length, at[l]);
    }
}
Test(bits, insertion)
{
    static const uint32_t lengths[] = {0, 1, 7, 31, 32, 33, 63, 64, 65, 200, 256, 0xffffffff};
    for (int level = 2; level <= widest_level(); level++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            check_insert(T_B32, level, lengths[i]);
            check_insert(T_B64, level, lengths[i]);
        }
}

/* ---- logic and shifts ---- */

static uint64_t logic_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    unsigned bits = lane_type_bits(c->type);
    uint64_t r = 0;
    if (c->op == OP_CNOT)
        return a == 0;
    for (unsigned i = 0; i < bits; i++) {
        bool x = bit(a, (int)i), y = bit(b, (int)i), v = bit(z, (int)i);
        bool value = c->op == OP_AND   ? x && y
                     : c->op == OP_OR  ? x || y
                     : c->op == OP_XOR ? x != y
                     : c->op == OP_NOT ? !x
                                       : (c->imm >> (4 * x + 2 * y + v) & 1);
        r |= (uint64_t)value << i;
    }
    return r;
}
static uint64_t shift_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t z)
{
    (void)z;
    unsigned bits = lane_type_bits(c->type);
    uint64_t n = b < bits ? b : bits;
    for (uint64_t i = 0; i < n; i++)
        a = c->op == OP_SHL ? zext(a << 1, bits) : (a >> 1) | (lane_is_signed(c->type) ? a & 1ull << (bits - 1) : 0);
    return a;
}
static uint64_t funnel_model(const struct lane_case *c, uint64_t a, uint64_t b, uint64_t amount)
{
    uint64_t n = c->flags & UF_WRAP ? amount % 32 : amount < 32 ? amount : 32, r = 0;
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t from = c->flags & UF_LEFT ? i + 32 - n : i + n; /* in {b, a} */
        r |= (uint64_t)(from < 32 ? bit(a, (int)from) : bit(b, (int)from - 32)) << i;
    }
    return r;
}
Test(bits, logic)
{
    static const uint8_t types[] = {T_B16, T_B32, T_B64};
    for (int i = 0; i < 3; i++)
        for (int op = OP_AND; op <= OP_CNOT; op++) {
            uint8_t t = types[i], second = op <= OP_XOR ? t : T_NONE;
            struct lane_case c = {"logic", (uint8_t)op, t, 0, 0, 0, 0, t, t, second, 0, logic_model};
            run_case(&c, 256);
        }
    for (int table = 0; table < 256; table++) {
        struct lane_case c = {"lop3", OP_LOP3, T_B32, 0, 0, 0, table, T_B32, T_B32, T_B32, T_B32, logic_model};
        run_case(&c, 32);
    }
}
Test(bits, shifts)
{
    static const uint8_t types[] = {T_B16, T_U16, T_S16, T_B32, T_U32, T_S32, T_B64, T_U64, T_S64};
    for (int i = 0; i < 9; i++)
        for (int op = OP_SHL; op <= OP_SHR; op++) {
            struct lane_case c = {"shift", (uint8_t)op, types[i], 0,     0, 0,
                                  0,       types[i],    types[i], T_U32, 0, shift_model};
            run_case(&c, 512);
        }
    for (uint32_t k = 0; k < 4; k++) {
        struct lane_case c = {"shf", OP_SHF,      T_B32, 0,     (k & 1 ? UF_LEFT : 0) | (k & 2 ? UF_WRAP : 0),
                              0,     0,           T_B32, T_B32, T_B32,
                              T_U32, funnel_model};
        run_case(&c, 1024);
    }
}
