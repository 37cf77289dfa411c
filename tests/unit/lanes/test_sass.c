/* Operations of Maxwell and Pascal that work with condition codes: against arithmetic on long integers. */
#include "harness.h"

/* Random words that are often equal or neighbours, so that comparisons are decided in every word. */
static uint32_t word(void)
{
    static const uint32_t corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    uint64_t r = next_random();
    return r % 3 ? corners[r / 3 % 5] : (uint32_t)(r >> 8);
}

static struct bench_warp *warp_with(uint32_t in[][LANES], int count)
{
    struct bench_warp *w = new_warp();
    for (int k = 0; k < count; k++)
        for (int l = 0; l < LANES; l++)
            put_element(w->slots + (4 + k) * SLOT, T_U32, l, in[k][l] = word());
    return w;
}

/* d = op(a, b) in registers by number. */
static void run(struct bench_warp *w, int level, struct operation u, lanemask executed)
{
    u.kind = UOP_LANE;
    u.stype = u.type;
    u.fn = bind_at(&u, level);
    cr_assert(u.fn, "operation %d", u.op);
    execute(&u, &w->warp, executed);
}

static const uint32_t all_ones = ~0u, none = 0;

/* ---- minimum and maximum of long integers, the highest word first ---- */

static void check_long_extreme(int level, int words, bool is_signed, bool minimum, lanemask executed)
{
    uint32_t in[6][LANES];
    struct bench_warp *w = warp_with(in, 6);
    for (int k = words - 1; k >= 0; k--) {
        struct operation u = {.op = OP_MINMAX_X, .type = k == words - 1 && is_signed ? T_S32 : T_U32};
        u.flags = (k < words - 1 ? UF_CARRY_IN : 0) | (k ? UF_CARRY_OUT : 0);
        u.d = REG(10 + k);
        u.a = REG(4 + 2 * k);
        u.b = REG(5 + 2 * k);
        u.p = put_constant(w, minimum ? &all_ones : &none, sizeof none);
        run(w, level, u, executed);
    }
    for (int l = 0; l < LANES; l++) {
        __int128 a = 0, b = 0, top = (__int128)1 << (32 * words);
        for (int k = words - 1; k >= 0; k--) {
            a = a << 32 | in[2 * k][l];
            b = b << 32 | in[2 * k + 1][l];
        }
        if (is_signed) {
            a -= a >> (32 * words - 1) ? top : 0;
            b -= b >> (32 * words - 1) ? top : 0;
        }
        __int128 expected = (a < b) == minimum ? a : b;
        for (int k = 0; k < words && executed >> l & 1; k++)
            cr_assert_eq(get_element(w->slots + (10 + k) * SLOT, T_U32, l), (uint32_t)(expected >> 32 * k),
                         "word %d of %d, signed %d, minimum %d", k, words, is_signed, minimum);
    }
}
Test(sass, long_extremes)
{
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 400; i++)
            check_long_extreme(level, 2 + i % 2, i & 2, i & 4, i & 8 ? ~0u : (lanemask)next_random());
}

/* ---- tests of the codes that a subtraction leaves ---- */

static bool holds(int test, uint32_t a, uint32_t b)
{
    int32_t x = (int32_t)a, y = (int32_t)b;
    int64_t exact = (int64_t)x - y;
    bool overflow = exact != (int32_t)exact;
    switch (test) {
    case 1:
    case 9: return x < y;
    case 2:
    case 10: return x == y;
    case 3:
    case 11: return x <= y;
    case 4:
    case 12: return x > y;
    case 5:
    case 13: return x != y;
    case 6:
    case 14: return x >= y;
    case 7:
    case 15: return true;
    case 16: return !overflow;
    case 17: return a < b;
    case 18: return !((a - b) >> 31);
    case 19: return a <= b;
    case 20: return a > b;
    case 21: return (a - b) >> 31;
    case 22: return a >= b;
    case 23: return overflow;
    default: return false; /* never; not a number */
    }
}
Test(sass, tests_of_condition_codes)
{
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 100; i++) {
            uint32_t in[2][LANES];
            struct bench_warp *w = warp_with(in, 2);
            struct operation minus = {.op = OP_SUM3, .type = T_U32, .flags = UF_NEGATE_B | UF_CARRY_OUT};
            static const uint32_t zeros[LANES];
            minus.d = REG(1);
            minus.a = REG(4);
            minus.b = REG(5);
            minus.c = put_constant(w, zeros, sizeof zeros);
            run(w, level, minus, ~0u);
            for (int test = 0; test < 24; test++) {
                run(w, level, (struct operation){.op = OP_TEST_CC, .type = T_U32, .imm = test, .pd = REG(9)}, ~0u);
                lanemask got = *(lanemask *)(w->slots + 9 * SLOT);
                for (int l = 0; l < LANES; l++)
                    cr_assert_eq(got >> l & 1, holds(test, in[0][l], in[1][l]), "test %d of %#x - %#x", test, in[0][l],
                                 in[1][l]);
            }
        }
}
/* Zero and sign together mean that operands do not compare: only the tests with U and "not equal" hold. */
Test(sass, tests_of_unordered)
{
    static const uint32_t unordered_holds = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15;
    struct bench_warp *w = new_warp();
    w->warp.zero = w->warp.sign = ~0u;
    for (int test = 0; test < 16; test++) {
        run(w, 2, (struct operation){.op = OP_TEST_CC, .type = T_U32, .imm = test, .pd = REG(9)}, ~0u);
        cr_assert_eq(*(lanemask *)(w->slots + 9 * SLOT), unordered_holds >> test & 1 ? ~0u : 0, "test %d", test);
    }
}

/* ---- codes as numbers ---- */

Test(sass, codes_as_numbers)
{
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 50; i++) {
            uint32_t in[2][LANES], before[LANES];
            struct bench_warp *w = warp_with(in, 2);
            lanemask executed = (lanemask)next_random();
            w->warp.zero = (lanemask)next_random();
            w->warp.sign = (lanemask)next_random();
            w->warp.carry = (lanemask)next_random();
            w->warp.overflow = (lanemask)next_random();
            for (int l = 0; l < LANES; l++)
                before[l] = (w->warp.zero >> l & 1) + 2 * (w->warp.sign >> l & 1) + 4 * (w->warp.carry >> l & 1) +
                            8 * (w->warp.overflow >> l & 1);
            struct operation set = {.op = OP_SET_CC, .type = T_U32, .flags = UF_CARRY_OUT, .a = REG(4), .b = REG(5)};
            run(w, level, set, executed);
            run(w, level, (struct operation){.op = OP_GET_CC, .type = T_U32, .flags = UF_CARRY_IN, .d = REG(1)}, ~0u);
            for (int l = 0; l < LANES; l++) {
                uint32_t chosen = executed >> l & 1 ? in[1][l] & 15 : 0;
                cr_assert_eq(get_element(w->slots + SLOT, T_U32, l), (before[l] & ~chosen) | (in[0][l] & chosen));
            }
        }
}

/* ---- 16-bit products ---- */

/* The sequences in which ptxas multiplies words, low word and signed high word, give what 64 bits give. */
static struct operation xmad(int a, int b, int c, int d, const char *how)
{
    static const char letters[] = "abpm"; /* upper half of a, of b; PSL; MRG */
    struct operation u = {.op = OP_XMAD, .type = T_U32, .d = REG(d), .a = REG(a), .b = REG(b), .c = REG(c)};
    for (int i = 0; i < 4; i++)
        u.detail[i] = strchr(how, letters[i]) != NULL;
    u.detail[4] = strchr(how, 'h') ? 2 : strchr(how, 'f') ? 3 : strchr(how, 'c') ? 4 : 0; /* CHI, CSFU, CBCC */
    u.detail[5] = strchr(how, 's') != NULL;                                               /* signed a, signed b */
    u.detail[6] = strchr(how, 't') != NULL;
    return u;
}
static uint64_t reg(struct bench_warp *w, int n, int l) { return get_element(w->slots + n * SLOT, T_U32, l); }
Test(sass, products_of_words)
{
    enum { A = 4, B = 5, C = 6, ZERO = 14, T = 10 };
    for (int level = 2; level <= widest_level(); level++)
        for (int i = 0; i < 500; i++) {
            uint32_t in[3][LANES];
            struct bench_warp *w = warp_with(in, 3);
            for (int l = 0; l < LANES; l++)
                put_element(w->slots + ZERO * SLOT, T_U32, l, 0);
            run(w, level, xmad(A, B, C, T, ""), ~0u);
            run(w, level, xmad(A, B, ZERO, T + 1, "bm"), ~0u);
            run(w, level, xmad(A, T + 1, T, T + 2, "abpc"), ~0u);
            for (int l = 0; l < LANES; l++)
                cr_assert_eq(reg(w, T + 2, l), in[0][l] * in[1][l] + in[2][l], "%#x x %#x", in[0][l], in[1][l]);
            run(w, level, xmad(A, B, ZERO, T, ""), ~0u);
            run(w, level, xmad(A, B, ZERO, T + 1, "bt"), ~0u);
            run(w, level, xmad(A, B, C, T + 2, "abstf"), ~0u);
            run(w, level, xmad(A, B, T, T + 3, "ash"), ~0u);
            for (int l = 0; l < LANES; l++) {
                uint32_t middle = (uint32_t)((reg(w, T + 3, l) + reg(w, T + 1, l)) >> 16);
                int64_t product = (int64_t)(int32_t)in[0][l] * (int32_t)in[1][l];
                cr_assert_eq((uint32_t)(middle + reg(w, T + 2, l)), (uint32_t)(product >> 32) + in[2][l],
                             "high word of %#x x %#x", in[0][l], in[1][l]);
            }
        }
}
