/* Scalar video instructions and the atomic ALU. */
#include "harness.h"

/* ---- video: the pseudo-code of the PTX ISA on 128 bits ---- */

static __int128 part(uint64_t x, int select, bool is_signed)
{
    unsigned bits = select == VIDEO_WORD ? 32 : select <= VIDEO_B3 ? 8 : 16;
    unsigned at = select == VIDEO_WORD ? 0
                  : select <= VIDEO_B3 ? 8 * (unsigned)(select - VIDEO_B0)
                                       : 16 * (unsigned)(select - VIDEO_H0);
    return is_signed ? (__int128)sext(x >> at, bits) : (__int128)zext(x >> at, bits);
}
static __int128 clamped(__int128 x, unsigned bits, bool is_signed)
{
    __int128 high = ((__int128)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return x < low ? low : x > high ? high : x;
}
static const struct operation *current;
static uint32_t expected(uint64_t a, uint64_t b, uint64_t c)
{
    const struct operation *u = current;
    const uint8_t *d = u->detail;
    bool s = u->type == T_S32, shift = d[VIDEO_OP] == VSHL || d[VIDEO_OP] == VSHR;
    __int128 x = part(a, d[VIDEO_SELECT_A], d[VIDEO_FLAGS] & VIDEO_SIGNED_A),
             y = part(b, d[VIDEO_SELECT_B], !shift && d[VIDEO_FLAGS] & VIDEO_SIGNED_B), t = 0;
    int amount = (int)(u->flags & UF_WRAP ? y % 32 : y > 32 ? 32 : y);
    switch (d[VIDEO_OP]) {
    case VADD: t = x + y; break;
    case VSUB: t = x - y; break;
    case VABSDIFF: t = x < y ? y - x : x - y; break;
    case VMIN: t = x < y ? x : y; break;
    case VMAX: t = x < y ? y : x; break;
    case VSHL: t = x * ((__int128)1 << amount); break;
    case VSHR: t = x >> amount; break;
    default:
        t = u->compare == CMP_LT ? x < y : u->compare == CMP_GE ? x >= y : u->compare == CMP_EQ ? x == y : x != y;
        break;
    }
    int select = d[VIDEO_SELECT_D];
    unsigned bits = select == VIDEO_WORD ? 32
                    : select <= VIDEO_B3 ? 8
                                         : 16,
             at = select == VIDEO_WORD ? 0
                  : select <= VIDEO_B3 ? 8 * (unsigned)(select - 1)
                                       : 16 * (unsigned)(select - VIDEO_H0);
    if (u->flags & UF_SAT)
        t = clamped(t, bits, s);
    uint32_t r = (uint32_t)t, z = (uint32_t)c;
    bool less = s ? (int32_t)r < (int32_t)z : r < z;
    switch (d[VIDEO_SECOND]) {
    case VIDEO_ADD: return r + z;
    case VIDEO_MIN: return less ? r : z;
    case VIDEO_MAX: return less ? z : r;
    default: break;
    }
    if (select == VIDEO_WORD)
        return r;
    uint32_t mask = (uint32_t)(((1ull << bits) - 1) << at);
    return (r << at & mask) | (z & ~mask);
}
static uint32_t expected_vmad(uint64_t a, uint64_t b, uint64_t c)
{
    const struct operation *u = current;
    const uint8_t *d = u->detail;
    bool sa = d[VIDEO_FLAGS] & VIDEO_SIGNED_A, sb = d[VIDEO_FLAGS] & VIDEO_SIGNED_B;
    bool np = !(u->flags & UF_NEGATE_A) != !(u->flags & UF_NEGATE_B), nc = u->flags & UF_NEGATE_C,
         s = sa || sb || np || nc;
    __int128 t = part(a, d[VIDEO_SELECT_A], sa) * part(b, d[VIDEO_SELECT_B], sb),
             z = s ? (__int128)sext(c, 32) : (__int128)zext(c, 32), lsb = 0;
    if (d[VIDEO_FLAGS] & VIDEO_PLUS_ONE)
        lsb = 1;
    else if (np)
        t = ~t, lsb = 1;
    else if (nc)
        z = ~z, lsb = 1;
    t = (t + z + lsb) >> d[VIDEO_SCALE];
    return (uint32_t)(u->flags & UF_SAT ? clamped(t, 32, s) : t);
}
static void check_video(struct operation u, int level)
{
    current = &u;
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "video op %d", u.detail[VIDEO_OP]);
    struct bench_warp *w = new_warp();
    uint64_t in[3][LANES];
    const int slots[3] = {4, 7, 10};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++)
            put_element(w->slots + slots[k] * SLOT, T_U32, l, in[k][l] = random_value(T_U32));
    execute(&u, &w->warp, ~0u);
    for (int l = 0; l < LANES; l++) {
        uint32_t (*model)(uint64_t, uint64_t, uint64_t) = u.detail[VIDEO_OP] == VMAD ? expected_vmad : expected;
        cr_assert_eq(get_element(w->slots + SLOT, T_U32, l), model(in[0][l], in[1][l], in[2][l]),
                     "video op %d type %d level v%d: %#lx %#lx %#lx", u.detail[VIDEO_OP], u.type, level, in[0][l],
                     in[1][l], in[2][l]);
    }
}
Test(video, scalar_instructions)
{
    static const uint8_t compares[] = {CMP_LT, CMP_GE, CMP_EQ, CMP_NE}, scales[] = {0, 7, 15};
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 4000; i++) {
            struct lane_case c = {"video",
                                  OP_VIDEO,
                                  next_random() % 2 ? T_U32 : T_S32,
                                  0,
                                  (next_random() % 2 ? UF_SAT : 0) | (next_random() % 2 ? UF_WRAP : 0),
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0};
            struct operation u = operation_of(&c);
            u.compare = compares[i % 4];
            u.detail[VIDEO_OP] = (uint8_t)(i % (VSET + 1));
            u.detail[VIDEO_SELECT_A] = (uint8_t)(next_random() % 7);
            u.detail[VIDEO_SELECT_B] = (uint8_t)(next_random() % 7);
            u.detail[VIDEO_FLAGS] = (uint8_t)(next_random() % 4);
            if (u.detail[VIDEO_OP] == VMAD) {
                static const uint32_t negations[] = {0, UF_NEGATE_A, UF_NEGATE_B, UF_NEGATE_C,
                                                     UF_NEGATE_A | UF_NEGATE_B};
                u.detail[VIDEO_SCALE] = scales[next_random() % 3];
                unsigned n = next_random() % 6;
                u.flags |= n < 5 ? negations[n] : 0;
                u.detail[VIDEO_FLAGS] |= n == 5 ? VIDEO_PLUS_ONE : 0;
            } else if (next_random() % 2) {
                u.detail[VIDEO_SECOND] = (uint8_t)(next_random() % 4);
            } else {
                u.detail[VIDEO_SELECT_D] = (uint8_t)(next_random() % 7);
            }
            check_video(u, level);
        }
}

/* ---- atomics ---- */

Test(atomic, integers)
{
    static const uint8_t types[] = {T_U32, T_S32, T_U64, T_S64};
    for (int i = 0; i < 4000; i++) {
        int type = types[i % 4];
        unsigned bits = lane_type_bits(type);
        uint64_t old = random_value(type), b = next_random() % 4 ? random_value(type) : old, c = random_value(type);
        bool less = lane_is_signed(type) ? sext(old, bits) < sext(b, bits) : old < b;
        const uint64_t expected[] = {[RP_ATOMIC_ADD] = zext(old + b, bits),
                                     [RP_ATOMIC_MIN] = less ? old : b,
                                     [RP_ATOMIC_MAX] = less ? b : old,
                                     [RP_ATOMIC_AND] = old & b,
                                     [RP_ATOMIC_OR] = old | b,
                                     [RP_ATOMIC_XOR] = old ^ b,
                                     [RP_ATOMIC_EXCH] = b,
                                     [RP_ATOMIC_CAS] = old == b ? c : old};
        for (int op = RP_ATOMIC_ADD; op <= RP_ATOMIC_CAS; op++)
            if (op != RP_ATOMIC_INC && op != RP_ATOMIC_DEC) {
                cr_assert(atomic_exists(op, type));
                cr_assert_eq(atomic_apply(op, type, old, b, c), expected[op], "atomic %d type %d: %#lx %#lx", op, type,
                             old, b);
                cr_assert_eq(atomic_apply(op, type, old | ~0ull << (bits - 1) << 1, b, c), expected[op],
                             "bits above the type are ignored");
            }
    }
}
Test(atomic, wrapping_counters)
{
    static const uint64_t rows[][4] = {/* old, b, inc, dec */ {0, 3, 1, 3},
                                       {2, 3, 3, 1},
                                       {3, 3, 0, 2},
                                       {4, 3, 0, 3},
                                       {0, 0, 0, 0},
                                       {0xffffffff, 0xffffffff, 0, 0xfffffffe}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(atomic_apply(RP_ATOMIC_INC, T_U32, rows[i][0], rows[i][1], 0), rows[i][2]);
        cr_assert_eq(atomic_apply(RP_ATOMIC_DEC, T_U32, rows[i][0], rows[i][1], 0), rows[i][3]);
    }
    cr_assert(!atomic_exists(RP_ATOMIC_INC, T_S32) && !atomic_exists(RP_ATOMIC_AND, T_F32) &&
              !atomic_exists(RP_ATOMIC_MIN, T_F64));
    cr_assert_eq(atomic_apply(RP_ATOMIC_CAS, T_B16, 0x1234, 0xabcd1234, 0x77777), 0x7777);
}
Test(atomic, floats)
{
    cr_assert_eq(atomic_apply(RP_ATOMIC_ADD, T_F32, 0x3f800000, 0x40000000, 0), 0x40400000);
    cr_assert_eq(atomic_apply(RP_ATOMIC_ADD, T_F32, 0x7f800000, 0xff800000, 0), F32_NAN);
    cr_assert_eq(atomic_apply(RP_ATOMIC_ADD, T_F32, 1, 2, 0), 3, "shared memory keeps subnormals");
    cr_assert_eq(atomic_apply_global(RP_ATOMIC_ADD, T_F32, 1, 2, 0), 0, "global memory flushes them");
    cr_assert_eq(atomic_apply_global(RP_ATOMIC_ADD, T_F32, 0x80000001, 0x80000000, 0), 0x80000000);
    cr_assert_eq(atomic_apply(RP_ATOMIC_ADD, T_F64, 0x3ff0000000000000, 0x4000000000000000, 0), 0x4008000000000000);
    cr_assert_eq(atomic_apply(RP_ATOMIC_ADD, T_F64, 0x7ff0000000000000, 0xfff0000000000000, 0), F64_NAN);
}
