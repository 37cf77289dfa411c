/* What lanes of a warp do together: shuffles, votes, matches, reductions, values for the warp, matrices in shared
 * memory. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/table.h"
#include "tests/support/model_warp.h"
#include "tests/support/sass_corpus.h"
#include "tests/unit/sass7x/check.h"

enum { LANES = 32 };
static bool of(uint32_t mask, unsigned n) { return mask >> n & 1; }
static uint32_t lanes_with(const struct state *s, unsigned n)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < LANES; i++)
        all |= (uint32_t)of(s[i].p, n) << i;
    return all;
}
static unsigned lowest(uint32_t mask)
{
    unsigned n = 0;
    while (n < LANES - 1 && !of(mask, n))
        n++;
    return n;
}

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

static enum shuffle mode;
static int given_b, given_c; /* -1: in a register */
static void shuffled(const struct state *before, struct state *after)
{
    for (unsigned i = 0; i < LANES; i++) {
        unsigned b = given_b < 0 ? (unsigned)before[i].b : (unsigned)given_b;
        unsigned c = given_c < 0 ? (unsigned)before[i].c : (unsigned)given_c;
        bool inside;
        set_d32(&after[i], (uint32_t)before[shuffle_source(mode, i, b, c, &inside)].a);
        set_p(&after[i], 2, inside);
    }
}
CORPUS(lanes7x, shuffles)
{
    static const char *const modes[4] = {"IDX", "UP", "DOWN", "BFLY"};
    static const int clamps[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1e01};
    for (unsigned i = 0; i < 4 * 6 * 3; i++) {
        char b[16] = "R6", c[16] = "R8";
        mode = (enum shuffle)(i % 4);
        given_c = i / 4 % 6 < 5 ? clamps[i / 4 % 6] : -1;
        given_b = i / 24 ? (int)(i / 24 * 16 - 15) : -1;
        if (given_b >= 0)
            snprintf(b, sizeof b, "0x%x", (unsigned)given_b);
        if (given_c >= 0)
            snprintf(c, sizeof c, "0x%x", (unsigned)given_c);
        EACH_TARGET_OF(i % 7 ? SASS_86 : ANY)
        check_warp(shuffled, "SHFL.%s P2, R20, R4, %s, %s", modes[mode], b, c);
    }
}

/* ---- votes: only the lanes that execute it count, and only they learn of it -------------------------------------- */

static unsigned question;
static bool negated;
static void voted(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 4), yes = (lanes_with(before, 5) ^ (negated ? ~0u : 0)) & here;
    bool answer = question == 0 ? yes == here : question == 1 ? yes != 0 : yes == here || yes == 0;
    for (unsigned i = 0; i < LANES; i++)
        if (of(here, i)) {
            set_d32(&after[i], yes);
            set_p(&after[i], 2, answer);
        }
}
CORPUS(lanes7x, votes)
{
    static const char *const questions[] = {"ALL", "ANY", "EQ"};
    for (question = 0; question < 3; question++)
        for (unsigned i = 0; i < 2; i++) {
            const char *not = i ? "!" : "";
            negated = i;
            EACH_TARGET_OF(ANY)
            check_warp(voted, "@P4 VOTE.%s R20, P2, %sP5", questions[question], not );
            /* the answer of a uniform predicate comes back as a number */
            EACH_TARGET_OF(FROM_75)
            check_warp(voted,
                       "@P4 VOTEU.%s UR8, UP1, %sP5\n@P4 MOV R20, UR8\nUP2UR UR9, UPR, URZ, 0x2\nMOV R14, UR9\n"
                       "@P4 ISETP.NE.AND P2, PT, R14, RZ, PT",
                       questions[question], not );
        }
}

/* ---- matches ----------------------------------------------------------------------------------------------------- */

static bool all_match, pairs;
/* Few values, so that some are equal. */
static uint64_t few(const struct state *s) { return pairs ? (s->a & 3) | (s->a >> 32 & 1) << 32 : s->a & 3; }
static void matched(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 4);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t same = 0;
        for (unsigned k = 0; k < LANES; k++)
            same |= (uint32_t)(of(here, k) && few(&before[k]) == few(&before[i])) << k;
        if (!of(here, i))
            continue;
        set_d32(&after[i], all_match ? (same == here ? here : 0) : same);
        if (all_match)
            set_p(&after[i], 2, same == here);
    }
}
/* For lanes that hold one value all match. */
static void one_value(const struct state *before, struct state *after)
{
    for (unsigned i = 0; i < LANES; i++) {
        set_d32(&after[i], ~0u);
        set_p(&after[i], 2, true);
    }
    (void)before;
}
CORPUS(lanes7x, matches)
{
    for (unsigned i = 0; i < 4; i++) {
        all_match = i & 1;
        pairs = i >> 1;
        EACH_TARGET_OF(ANY)
        check_warp(matched,
                   "LOP3.LUT R4, R4, 0x3, RZ, 0xc0, !PT\nLOP3.LUT R5, R5, 0x1, RZ, 0xc0, !PT\n@P4 MATCH.%s%s %sR20, R4",
                   all_match ? "ALL" : "ANY", pairs ? ".U64" : "", all_match ? "P2, " : "");
    }
    EACH_TARGET_OF(ANY)
    check_warp(one_value, "MATCH.ALL P2, R20, RZ");
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

enum { AND, OR, XOR, SUM, MIN, MAX };
static unsigned operation;
static bool is_signed;
static uint32_t joined(uint32_t a, uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (operation) {
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SUM: return a + b;
    case MIN: return less ? a : b;
    default: return less ? b : a;
    }
}
static void reduced(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 4), r = 0;
    for (unsigned i = 0, any = 0; i < LANES; i++)
        if (of(here, i))
            r = any++ ? joined(r, (uint32_t)before[i].a) : (uint32_t)before[i].a;
    for (unsigned i = 0; i < LANES; i++)
        if (of(here, i))
            set_d32(&after[i], r);
}
CORPUS(lanes7x, reductions)
{
    static const char *const names[] = {"", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"};
    for (operation = AND; operation <= MAX; operation++)
        for (unsigned i = 0; i < 2; i++) {
            is_signed = i;
            EACH_TARGET_OF(FROM_80)
            check_warp(reduced, "@P4 REDUX%s%s UR8, R4\n@P4 MOV R20, UR8", names[operation], i ? ".S32" : "");
        }
}

/* ---- values for the warp ----------------------------------------------------------------------------------------- */

/* What the first lane has; the predicate says which lanes have something else. */
static void first_value(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 4);
    for (unsigned i = 0; i < LANES; i++)
        if (of(here, i)) {
            uint32_t v = (uint32_t)before[lowest(here)].a & 1;
            set_d32(&after[i], v);
            set_p(&after[i], 2, ((uint32_t)before[i].a & 1) != v);
        }
}
static void elected(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 4);
    for (unsigned i = 0; i < LANES; i++)
        if (of(here, i)) {
            set_d32(&after[i], lowest(here));
            set_p(&after[i], 2, i == lowest(here));
        }
}
CORPUS(lanes7x, first_lanes)
{
    EACH_TARGET_OF(FROM_75)
    check_warp(first_value, "LOP3.LUT R4, R4, 0x1, RZ, 0xc0, !PT\n@P4 R2UR P2, UR8, R4\n@P4 MOV R20, UR8");
    EACH_TARGET_OF(SASS_90)
    check_warp(elected, "@P4 ELECT P2, UR8, PT\n@P4 MOV R20, UR8");
    EACH_TARGET_OF(SASS_90)
    check_warp(elected, "UMOV UR9, 0xffffffff\n@P4 ELECT P2, UR8, UR9\n@P4 MOV R20, UR8");
    EACH_TARGET_OF(SASS_90)
    check_warp(elected, "UMOV UR9, 0x0\n@P4 ELECT P2, UR8, ~UR9\n@P4 MOV R20, UR8");
}

/* ---- matrices in shared memory: PTX ISA, "ldmatrix", "stmatrix", "movmatrix" ------------------------------------- */

/* Of an 8 x 8 matrix of 16 bits lane i has a pair: of row i / 4, from column 2 (i % 4) on. The rows are 16 bytes each,
 * at addresses that lanes give: lane r that of row r, lane 8 + r that of row r of the second matrix. */
typedef uint16_t matrix[8][8];
static void fragments(const struct state *s, matrix m)
{
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; k < 2; k++)
            m[i / 4][i % 4 * 2 + k] = (uint16_t)(s[i].a >> 16 * k);
}
static uint32_t fragment(matrix m, unsigned i, bool transposed)
{
    unsigned row = i / 4, column = i % 4 * 2;
    uint32_t low = transposed ? m[column][row] : m[row][column];
    return low | (uint32_t)(transposed ? m[column + 1][row] : m[row][column + 1]) << 16;
}

/* Lane i's a is word i of the warp's 128 bytes. The second matrix begins with row 4 of the first and ends with row 3.
 */
static bool transposed;
static unsigned matrices;
static void loaded(const struct state *before, struct state *after)
{
    matrix first, second;
    fragments(before, first);
    for (unsigned r = 0; r < 8; r++)
        memcpy(second[r], first[(r + 4) % 8], sizeof second[r]);
    for (unsigned i = 0; i < LANES; i++) {
        set_d32(&after[i], fragment(first, i, transposed));
        if (matrices > 1)
            after[i].d = (uint32_t)after[i].d | (uint64_t)fragment(second, i, transposed) << 32;
    }
}
static void turned(const struct state *before, struct state *after)
{
    matrix m;
    fragments(before, m);
    for (unsigned i = 0; i < LANES; i++)
        set_d32(&after[i], fragment(m, i, transposed));
}
/* R14: the warp's part of shared memory; R15: the row that the lane gives; R16: the lane's word; UR8 and R13: an offset
 * and what is left of R15. */
#define PLACES                                                                                                         \
    "S2R R14, SR_TID.X\nS2R R15, SR_LANEID\nLOP3.LUT R14, R14, 0xe0, RZ, 0xc0, !PT\nIMAD.SHL R14, R14, 0x4, RZ\n"      \
    "IMAD.SHL R16, R15, 0x4, RZ\nIADD3 R16, R16, R14, RZ\nLOP3.LUT R17, R15, 0x8, RZ, 0xc0, !PT\n"                     \
    "IMAD.SHL R17, R17, 0x8, RZ\nIMAD.SHL R15, R15, 0x10, RZ\nIADD3 R15, R15, R17, RZ\n"                               \
    "LOP3.LUT R15, R15, 0x7f, RZ, 0xc0, !PT\nIADD3 R15, R15, R14, RZ\nIADD3 R13, R15, -0x10, RZ\n"
CORPUS(lanes7x, matrices)
{
    for (unsigned i = 0; i < 4; i++) {
        const char *name = i & 1 ? "MT88" : "M88", *count = i & 2 ? ".2" : "";
        transposed = i & 1;
        matrices = i & 2 ? 2 : 1;
        EACH_TARGET_OF(FROM_75)
        {
            check_warp(loaded, PLACES "STS [R16], R4\nBAR.SYNC 0x0\nLDSM.16.%s%s R20, [R15]", name, count);
            check_warp(loaded, PLACES "UMOV UR8, 0x18\nSTS [R16], R4\nBAR.SYNC 0x0\nLDSM.16.%s%s R20, [R13+UR8+-0x8]",
                       name, count);
        }
        EACH_TARGET_OF(i & 2 ? 0 : SASS_90)
        {
            check_warp(turned, PLACES "STSM.16.%s [R15], R4\nBAR.SYNC 0x0\nLDS R20, [R16]", name);
            check_warp(turned, PLACES "UMOV UR8, 0x18\nSTSM.16.%s [R13+UR8+-0x8], R4\nBAR.SYNC 0x0\nLDS R20, [R16]",
                       name);
        }
    }
    transposed = true;
    EACH_TARGET_OF(FROM_75)
    check_warp(turned, "MOVM.16.MT88 R20, R4");
}
