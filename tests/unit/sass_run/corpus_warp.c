/* Exchange between the lanes of a warp against models of all of them; see corpus.h. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/operation/uop.h"
#include "tests/support/model_float.h"
#include "tests/support/model_warp.h"
#include "tests/support/sass_corpus.h"

static struct {
    unsigned mode, b, c;
    bool b_immediate, c_immediate, not ;
} m;
static const char *when(bool condition, const char *text) { return condition ? text : ""; }

/* ---- SHFL: the rule of PTX ISA, "shfl" --------------------------------------------------------------------------- */

static void model_shfl(const struct state *before, struct state *after)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned b = m.b_immediate ? m.b : (unsigned)before[lane].b, c = m.c_immediate ? m.c : (unsigned)before[lane].c;
        bool inside;
        set_d32(&after[lane], (uint32_t)before[shuffle_source(m.mode, lane, b, c, &inside)].a);
        set_p(&after[lane], 1, inside);
    }
}
CORPUS(warp, shfl)
{
    static const char *const modes[4] = {"IDX", "UP", "DOWN", "BFLY"};
    static const unsigned clamps[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1000, 0x1e01, 0x100f};
    for (m.mode = 0; m.mode < 4; m.mode++) {
        memset(&m.b, 0, sizeof m - sizeof m.mode);
        check_warp(model_shfl, "SHFL.%s P1, R20, R4, R6, R8", modes[m.mode]);
        for (unsigned i = 0; i < 7 * 4; i++) {
            m.c_immediate = true;
            m.c = clamps[i % 7];
            m.b_immediate = i / 7;
            m.b = i / 7 * 5 + 1;
            if (m.b_immediate)
                check_warp(model_shfl, "SHFL.%s P1, R20, R4, 0x%x, 0x%x", modes[m.mode], m.b, m.c);
            else
                check_warp(model_shfl, "SHFL.%s P1, R20, R4, R6, 0x%x", modes[m.mode], m.c);
        }
    }
}

/* ---- VOTE: only the lanes that execute it count, and only they learn of it --------------------------------------- */

static void model_vote(const struct state *before, struct state *after)
{
    uint32_t executing = 0, yes = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        executing |= (before[lane].p >> 4 & 1) << lane;
        yes |= ((before[lane].p >> 5 & 1) ^ (uint32_t)m.not ) << lane;
    }
    yes &= executing;
    bool answer = m.mode == 0 ? yes == executing : m.mode == 1 ? yes != 0 : yes == executing || yes == 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (executing >> lane & 1) {
            set_d32(&after[lane], yes);
            set_p(&after[lane], 1, answer);
        }
}
CORPUS(warp, vote)
{
    static const char *const modes[3] = {"ALL", "ANY", "EQ"};
    for (m.mode = 0; m.mode < 3; m.mode++)
        for (unsigned i = 0; i < 2; i++) {
            m.not = i;
            check_warp(model_vote, "@P4 VOTE.%s R20, P1, %sP5", modes[m.mode], when(m.not, "!"));
        }
}

/* ---- S2R: where a thread is -------------------------------------------------------------------------------------- */

static void model_lane(const struct state *before, struct state *after)
{
    (void)before;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t one = 1u << lane, below = one - 1;
        const uint32_t values[6] = {lane, one, below, below | one, ~(below | one), ~below};
        set_d32(&after[lane], values[m.mode]);
    }
}
CORPUS(warp, special_registers)
{
    static const char *const names[6] = {"SR_LANEID", "SR_EQMASK", "SR_LTMASK", "SR_LEMASK", "SR_GTMASK", "SR_GEMASK"};
    for (m.mode = 0; m.mode < 6; m.mode++)
        check_warp(model_lane, "S2R R20, %s", names[m.mode]);
}

/* ---- FSWZADD: what the letters say, the first two of lane 0 ------------------------------------------------------ */

static const char *letters;
static uint64_t with_sign(char sign, uint32_t v) { return sign == 'Z' ? 0 : sign == 'N' ? negated(&FORMAT_F32, v) : v; }
static void model_fswzadd(const struct state *before, struct state *after)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        const char *sign = letters + 2 * (lane % 4);
        uint64_t a = with_sign(sign[0], (uint32_t)before[lane].a & 0xbfffffff);
        uint64_t b = with_sign(sign[1], (uint32_t)before[lane].b & 0xbfffffff);
        uint64_t r = soft_add(&FORMAT_F32, m.mode ? ROUND_Z : ROUND_N, m.not ? flushed(a) : a, m.not ? flushed(b) : b);
        set_d32(&after[lane], (uint32_t)(m.not ? flushed(r) : r));
    }
}
CORPUS(warp, fswzadd)
{
    static const char *const all[] = {"ZPPPZPPP", "ZPZPPPPP", "PNNPPPZP", "PPPPPPPP", "NPNPPNPN"};
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        letters = all[i];
        m.mode = i & 1;
        m.not = i == 2;
        /* no NaN, whose bits nobody promises */
        check_warp(model_fswzadd,
                   "LOP32I.AND R4, R4, 0xbfffffff\nLOP32I.AND R6, R6, 0xbfffffff\nFSWZADD%s%s%s R20, R4, R6, %s",
                   when(m.not, ".FTZ"), when(m.mode, ".RZ"), when(i & 2, ".NDV"), letters);
    }
}
