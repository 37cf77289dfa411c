/* Branches, calls, returns, convergence and barriers: programs of a few lines, and what they leave. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass7x/table.h"
#include "tests/support/sass_corpus.h"
#include "tests/unit/sass7x/check.h"

enum { LANES = 32 };

static bool of(uint32_t p, unsigned n) { return p >> n & 1; }
static void threads(unsigned archs, model model, const char *text)
{
    const struct subject subject = {model, V_INT, V_INT, V_INT, SAME_BITS, 0};
    EACH_TARGET_OF(archs)
    check(&subject, &only_registers, "%s", text);
}
static void warps(unsigned archs, group_model model, const char *text)
{
    EACH_TARGET_OF(archs)
    check_warp(model, "%s", text);
}
static void blocks(unsigned archs, group_model model, const char *text)
{
    EACH_TARGET_OF(archs)
    check_block(model, "%s", text);
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

/* Each program of two sides gives b where the branch is taken, else a. */
#define SIDES(branch) branch "\nMOV R20, R4\nBRA <end>\nthere:\nMOV R20, R6\nend:\nNOP"

static void taken(struct state *s, bool yes) { set_d32(s, (uint32_t)(yes ? s->b : s->a)); }
static void by_p1(struct state *s) { taken(s, of(s->p, 1)); }
static void by_both(struct state *s) { taken(s, of(s->p, 1) && !of(s->p, 2)); }
static void always(struct state *s) { taken(s, true); }
static void never(struct state *s) { taken(s, false); }

CORPUS(control7x, branches)
{
    threads(ANY, by_p1, SIDES("@P1 BRA <there>"));
    threads(ANY, by_both, SIDES("@P1 BRA !P2, <there>"));
    threads(ANY, always, SIDES("BRA.U <there>"));
    threads(ANY, by_p1, SIDES("@P1 JMP <there>"));
    threads(ANY, by_both, SIDES("@P1 JMP !P2, <there>"));
    threads(ANY, always, SIDES("JMP.U <there>"));
}

/* Of uniform predicates: UP0 is true, as ptxas finds out of a whole warp. */
#define UP0_IS_TRUE "UISETP.EQ.AND UP0, UPT, URZ, URZ, UPT\n"
CORPUS(control7x, branches_by_uniform_predicates)
{
    threads(FROM_80, always, UP0_IS_TRUE SIDES("BRA.U UP0, <there>"));
    threads(FROM_80, never, UP0_IS_TRUE SIDES("BRA.U !UP0, <there>"));
    threads(FROM_80, by_p1, UP0_IS_TRUE SIDES("BRA.U P1, UP0, <there>"));
    threads(FROM_80, always, UP0_IS_TRUE SIDES("JMP.U UP0, <there>"));
    threads(FROM_80, never, UP0_IS_TRUE SIDES("JMP.U !UP0, <there>"));
}

/* The lanes of P1, which branch if they are not all of the warp (.DIV), or are (.CONV); others give a. */
static uint32_t lanes_with(const struct state *s, unsigned n)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < LANES; i++)
        all |= (uint32_t)of(s[i].p, n) << i;
    return all;
}
static uint32_t asked;
static bool converged;
static void by_being_together(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 1);
    bool together = (here & asked) == asked;
    for (unsigned i = 0; i < LANES; i++)
        taken(&after[i], of(here, i) && together == converged);
}
/* P1 as it comes is never that of all lanes. */
#define EVERY "ISETP.NE.OR P1, PT, R4, R4, PT\n"
static void all_together(const struct state *before, struct state *after)
{
    for (unsigned i = 0; i < LANES; i++) {
        set_p(&after[i], 1, true);
        taken(&after[i], converged);
    }
    (void)before;
}
#define WITHIN(branch) "@P1 BRA <within>\nMOV R20, R4\nBRA <end>\nwithin:\n" SIDES(branch)
CORPUS(control7x, branches_of_lanes_together)
{
    asked = ~0u;
    for (unsigned i = 0; i < 2; i++) {
        converged = i;
        warps(ANY, by_being_together, i ? WITHIN("BRA.CONV <there>") : WITHIN("BRA.DIV <there>"));
        warps(ANY, all_together, i ? EVERY SIDES("BRA.CONV <there>") : EVERY SIDES("BRA.DIV <there>"));
        warps(ANY, by_being_together, i ? WITHIN("JMP.CONV <there>") : WITHIN("JMP.DIV <there>"));
    }
    for (unsigned i = 0; i < 2; i++) {
        asked = 0x0000000f;
        converged = i;
        warps(FROM_80, by_being_together,
              i ? "UMOV UR8, 0xf\n" WITHIN("BRA.CONV UR8, <there>") : "UMOV UR8, 0xf\n" WITHIN("BRA.DIV UR8, <there>"));
        warps(FROM_80, by_being_together,
              i ? "UMOV UR8, 0xf\n" WITHIN("JMP.CONV UR8, <there>") : "UMOV UR8, 0xf\n" WITHIN("JMP.DIV UR8, <there>"));
        warps(FROM_80, by_being_together,
              i ? "UMOV UR8, 0xfffffff0\n" WITHIN("BRA.CONV ~UR8, <there>")
                : "UMOV UR8, 0xfffffff0\n" WITHIN("BRA.DIV ~UR8, <there>"));
    }
}

/* Through registers: absolute, or from the next instruction on. */
#define DISTANCE "MOV R14, <there>\nMOV R15, <next>\nIADD3 R14, R14, -R15, RZ\n"
CORPUS(control7x, branches_through_registers)
{
    threads(ANY, by_p1, SIDES("MOV R14, <there>\n@P1 JMX R14"));
    threads(ANY, by_both, SIDES("MOV R14, <there>\n@P1 JMX !P2, R14"));
    threads(ANY, by_p1, SIDES("MOV R14, <there>\nIADD3 R14, R14, 0x20, RZ\n@P1 JMX R14 -0x20"));
    threads(ANY, by_p1, SIDES(DISTANCE "@P1 BRX R14\nnext:"));
    threads(ANY, by_both, SIDES(DISTANCE "@P1 BRX !P2, R14\nnext:"));
    threads(ANY, by_p1, SIDES(DISTANCE "IADD3 R14, R14, -0x20, RZ\n@P1 BRX R14 0x20\nnext:"));
    threads(FROM_75, by_p1, SIDES("UMOV UR8, <there>\n@P1 JMXU UR8"));
    threads(FROM_75, by_p1,
            SIDES("MOV R14, <there>\nMOV R15, <next>\nIADD3 R14, R14, -R15, RZ\nR2UR UR8, R14\n@P1 BRXU UR8\nnext:"));
}

static void gone(struct state *s)
{
    if (of(s->p, 1) && of(s->p, 2))
        s->d = s->p = 0; /* it stores nothing */
}
CORPUS(control7x, exit) { threads(ANY, gone, "@P1 EXIT P2"); }

/* ---- calls: the return address is a value in a register ---------------------------------------------------------- */

static void sum_in_p1(struct state *s) { set_d32(s, of(s->p, 1) ? (uint32_t)(s->a + s->b) : (uint32_t)s->d); }
#define FUNCTION(call, returns)                                                                                        \
    "MOV R14, <back>\nMOV R16, <f>\n" call "\nback:\nBRA <end>\nf:\nIADD3 R20, R4, R6, RZ\n" returns "\nend:\nNOP"
CORPUS(control7x, calls)
{
    threads(ANY, sum_in_p1, FUNCTION("@P1 CALL.REL.NOINC <f>", "RET.REL.NODEC R14 0x0"));
    threads(ANY, sum_in_p1, FUNCTION("@P1 CALL.ABS.NOINC <f>", "RET.ABS.NODEC R14 0x0"));
    threads(ANY, sum_in_p1, FUNCTION("@P1 CALL.ABS.NOINC R16", "RET.REL.NODEC R14 0x0"));
    threads(ANY, sum_in_p1, FUNCTION("@P1 CALL.REL.NOINC R16 0x0", "RET.ABS R14 0x0"));
    threads(FROM_75, sum_in_p1,
            FUNCTION("UMOV UR8, <f>\n@P1 CALL.ABS.NOINC UR8", "UMOV UR9, <back>\nRET.ABS.NODEC UR9 0x0"));
    threads(FROM_75, sum_in_p1,
            FUNCTION("UMOV UR8, <f>\n@P1 CALL.REL.NOINC UR8 0x0", "UMOV UR9, <back>\nRET.REL.NODEC UR9 0x0"));
}

/* The register of the program counter holds a value. */
static void a_from_rpc(struct state *s) { s->d = (s->a & 0xffffffff) | s->b << 32; }
static uint32_t number;
static void number_from_rpc(struct state *s) { set_d32(s, number); }
CORPUS(control7x, rpc)
{
    threads(ANY, a_from_rpc,
            "RPCMOV.32 Rpc.LO, R4\nRPCMOV.32 Rpc.HI, R6\nRPCMOV.32 R20, Rpc.LO\nRPCMOV.32 R21, Rpc.HI");
    number = 0x12345678;
    threads(ANY, number_from_rpc, "RPCMOV.32 Rpc.LO, 0x12345678\nRPCMOV.32 R20, Rpc.LO");
    threads(FROM_75, number_from_rpc, "UMOV UR8, 0x12345678\nRPCMOV.32 Rpc.LO, UR8\nRPCMOV.32 R20, Rpc.LO");
    number = 256; /* threads of a block */
    threads(ANY, number_from_rpc, "RPCMOV.32 Rpc.HI, c[0x0][0x0]\nRPCMOV.32 R20, Rpc.HI");
}

/* Of LEPC: its own address, or the one that it names. */
static void address_of_itself(struct state *s) { s->d = 1; }
CORPUS(control7x, lepc)
{
    threads(ANY, address_of_itself,
            "here:\nLEPC R14\nMOV R16, <here>\nISETP.EQ.AND P1, PT, R14, R16, PT\nISETP.EQ.AND P1, PT, R15, RZ, P1\n"
            "SEL R20, RZ, 0x1, !P1\nMOV R21, RZ\nR2P PR, R12, 0x7f");
    threads(SASS_90, address_of_itself,
            "LEPC R14, <there>\nMOV R16, <there>\nISETP.EQ.AND P1, PT, R14, R16, PT\n"
            "SEL R20, RZ, 0x1, !P1\nMOV R21, RZ\nR2P PR, R12, 0x7f\nthere:\nNOP");
}

/* ---- convergence ------------------------------------------------------------------------------------------------- */

static void moved(struct state *s) { s->d = (uint32_t)s->a; }

/* R20: the lanes together within, of those of P1 or the others; R21: those together behind. */
static uint32_t behind;
static void converges(const struct state *before, struct state *after)
{
    uint32_t first = lanes_with(before, 1);
    for (unsigned i = 0; i < LANES; i++)
        after[i].d = (of(first, i) ? first : ~first) | (uint64_t)behind << 32;
}
#define PARTS "@P1 BRA <within>\nVOTE.ANY R20, PT, PT\nBRA <joined>\nwithin:\nVOTE.ANY R20, PT, PT\njoined:\n"
#define TOGETHER "\nVOTE.ANY R21, PT, PT"
CORPUS(control7x, convergence)
{
    behind = ~0u;
    warps(ANY, converges, "BSSY B3, <joined>\n" PARTS "BSYNC B3" TOGETHER);
    warps(TO_89, converges, PARTS "WARPSYNC 0xffffffff" TOGETHER);
    warps(ANY, converges, "MOV R14, 0xffffffff\n" PARTS "WARPSYNC R14" TOGETHER);
    warps(FROM_80, converges, "MOV R14, 0xffffffff\n" PARTS "WARPSYNC.EXCLUSIVE R14" TOGETHER);
    warps(SASS_90, converges, PARTS "WARPSYNC.ALL" TOGETHER);
    warps(FROM_75_TO_89, converges, "UMOV UR8, 0xffffffff\n" PARTS "WARPSYNC UR8" TOGETHER);
    warps(SASS_90, converges, "MOV R14, 0xffffffff\n" PARTS "WARPSYNC.COLLECTIVE R14, <end>\nend:" TOGETHER);
    warps(SASS_90, converges, PARTS "WARPSYNC.COLLECTIVE.ALL <end>\nend:" TOGETHER);
    EACH_TARGET_OF(TO_89)
    {
        const struct subject subject = {moved, V_INT, V_INT, V_INT, SAME_BITS, 0};
        check_with_words(&subject, 0xffffffff, "WARPSYNC c[0x0][0x168]\nMOV R20, R4\nMOV R21, RZ");
    }
}

/* R20: the lanes that vote together, R21: from which of two places. All lanes have one mask, or those of P1 one and the
 * others another. */
static bool two_masks;
static void gathers(const struct state *before, struct state *after)
{
    uint32_t first = lanes_with(before, 1), second_place = lanes_with(before, 2);
    for (unsigned i = 0; i < LANES; i++)
        after[i].d = (!two_masks ? ~0u : of(first, i) ? first : ~first) | (of(second_place, i) ? 2ull : 1ull) << 32;
}
#define VOTE_AT(label, mask, place)                                                                                    \
    "WARPSYNC.COLLECTIVE" mask ", <" label ">\nVOTE.ANY R20, PT, PT\nENDCOLLECTIVE\n" label ":\nMOV R21, " place "\n"
#define TWO_PLACES(mask)                                                                                               \
    "@P2 BRA <second>\n" VOTE_AT("one", mask, "0x1") "BRA <end>\nsecond:\n" VOTE_AT("two", mask, "0x2") "end:\nNOP"
CORPUS(control7x, collectives_at_several_places)
{
    two_masks = false;
    warps(SASS_90, gathers, "MOV R14, 0xffffffff\n" TWO_PLACES(" R14"));
    two_masks = true;
    warps(SASS_90, gathers, "VOTE.ANY R14, PT, P1\n@!P1 LOP3.LUT R14, RZ, R14, RZ, 0x33, !PT\n" TWO_PLACES(" R14"));
}

/* Lanes of P2 leave early: the others wait for each other only. */
static void breaks(const struct state *before, struct state *after)
{
    uint32_t leave = lanes_with(before, 2), stay = ~leave;
    for (unsigned i = 0; i < LANES; i++)
        set_d32(&after[i], of(leave, i) ? 0 : stay);
}
CORPUS(control7x, leaving)
{
    warps(ANY, breaks,
          "BSSY B0, <joined>\n@P2 BREAK B0\n@P2 BRA <out>\n@P1 BRA <joined>\nNOP\njoined:\nBSYNC B0\n"
          "VOTE.ANY R20, PT, PT\nBRA <end>\nout:\nMOV R20, RZ\nend:\nNOP");
    warps(ANY, breaks,
          "BSSY B0, <joined>\nBREAK P2, B0\n@P2 BRA <out>\n@P1 BRA <joined>\nNOP\njoined:\nBSYNC B0\n"
          "VOTE.ANY R20, PT, PT\nBRA <end>\nout:\nMOV R20, RZ\nend:\nNOP");
}

static void cleared(struct state *s) { s->d = (uint64_t)(uint32_t)s->a << 32; }
CORPUS(control7x, barrier_registers)
{
    threads(ANY, moved, "BMOV.32 B3, R4\nBMOV.32 R20, B3\nBMOV.32 B3, 0x0\nBMOV.32 R21, B3");
    threads(ANY, cleared, "BMOV.32 B15, R4\nBMOV.32.CLEAR R21, B15\nBMOV.32 R20, B15");
    threads(ANY, moved, "BMOV.32 B0, R4\nBMOV.32 B7, B0\nBMOV.32 R20, B7\nMOV R21, RZ");
    threads(ANY, moved, "BMOV.32 B0, R4\nBMOV.32.CLEAR B7, B0\nBMOV.32 R20, B7\nBMOV.32 R21, B0");
    number = 256;
    threads(ANY, number_from_rpc, "BMOV.32 B1, c[0x0][0x0]\nBMOV.32 R20, B1");
    number = 0x12345678;
    threads(FROM_75, number_from_rpc, "UMOV UR8, 0x12345678\nBMOV.32 B1, UR8\nBMOV.32 R20, B1");
}
static void active(const struct state *before, struct state *after)
{
    uint32_t here = lanes_with(before, 1);
    for (unsigned i = 0; i < LANES; i++)
        if (of(here, i))
            set_d32(&after[i], here);
}
CORPUS(control7x, active_lanes)
{
    warps(ANY, active, "@P1 BMOV.32 R20, MACTIVE");
    warps(ANY, active, "@P1 BMOV.32 B4, MACTIVE\n@P1 BMOV.32 R20, B4");
}

/* ---- barriers of a block ----------------------------------------------------------------------------------------- */

enum { WARP = 32, HALF = BLOCK_THREADS / 2 };

/* Each thread has what that of the next warp has stored. */
static void from_the_next_warp(const struct state *before, struct state *after)
{
    for (unsigned i = 0; i < BLOCK_THREADS; i++)
        set_d32(&after[i], (uint32_t)before[(i + WARP) % BLOCK_THREADS].a);
}
/* R14: where it stores; R15: where that of the next warp does. R16: barrier 3; R17: the threads; R18: both, as one
 * register says it. */
#define PLACES                                                                                                         \
    "S2R R14, SR_TID.X\nIADD3 R15, R14, 0x20, RZ\nLOP3.LUT R15, R15, 0xff, RZ, 0xc0, !PT\nSHF.L.U32 R14, R14, 0x2, "   \
    "RZ\nSHF.L.U32 R15, R15, 0x2, RZ\nMOV R16, 0x3\nMOV R17, 0x100\nMOV R18, 0x1000003\n"
#define EXCHANGE(barrier) PLACES "STS [R14], R4\n" barrier "\nLDS R20, [R15]"
CORPUS(control7x, barriers)
{
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC 0x3"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC 0x3, 0x100"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC.DEFER_BLOCKING 0x3, 0x100"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC 0x3, R17"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC.DEFER_BLOCKING 0x3, R17"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC R16, 0x100"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC R16"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC.DEFER_BLOCKING R16, 0x100"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC R18, R18"));
    blocks(ANY, from_the_next_warp, EXCHANGE("BAR.SYNC.DEFER_BLOCKING R18, R18"));
}

/* The lower half of the block stores and arrives, the upper half waits and has what it stored. */
static void from_the_lower_half(const struct state *before, struct state *after)
{
    for (unsigned i = 0; i < HALF; i++) {
        set_d32(&after[i], (uint32_t)before[i].a);
        set_d32(&after[i + HALF], (uint32_t)before[i].a);
    }
}
#define HALVES(arrives, waits)                                                                                         \
    PLACES "LOP3.LUT R15, R14, 0x1ff, RZ, 0xc0, !PT\nISETP.GE.AND P6, PT, R14, 0x200, PT\n@P6 BRA <upper>\n"           \
           "STS [R14], R4\n" arrives "\nMOV R20, R4\nBRA <end>\nupper:\n" waits "\nLDS R20, [R15]\nend:\n"             \
           "R2P PR, R12, 0x7f"
CORPUS(control7x, arrivals)
{
    blocks(ANY, from_the_lower_half, HALVES("BAR.ARV 0x3, 0x100", "BAR.SYNC 0x3, 0x100"));
    blocks(ANY, from_the_lower_half, HALVES("BAR.ARV 0x3, R17", "BAR.SYNC 0x3, R17"));
    blocks(ANY, from_the_lower_half, HALVES("BAR.ARV R16, 0x100", "BAR.SYNC R16, 0x100"));
    blocks(ANY, from_the_lower_half, HALVES("BAR.ARV R18, R18", "BAR.SYNC R18, R18"));
}

static unsigned reduction;
static void reduced(const struct state *before, struct state *after)
{
    unsigned count = 0;
    for (unsigned i = 0; i < BLOCK_THREADS; i++)
        count += of(before[i].p, 1);
    for (unsigned i = 0; i < BLOCK_THREADS; i++) {
        if (!reduction)
            set_d32(&after[i], count);
        else
            set_p(&after[i], 3, reduction == 1 ? count == BLOCK_THREADS : count > 0);
    }
}
/* Of .POPC the result is a word, of the others a predicate. */
#define RESULT "\nB2R.RESULT R15, P6\nR2P PR, R12, 0x7f"
CORPUS(control7x, reductions)
{
    static const char *const names[] = {"POPC", "AND", "OR"};
    static const char *const operands[] = {"0x3", "0x3, 0x100", "0x3, R17", "R16", "R16, 0x100", "R18, R18"};
    for (reduction = 0; reduction < 3; reduction++)
        for (unsigned i = 0; i < sizeof operands / sizeof *operands; i++)
            for (unsigned k = 0; k < 2; k++) {
                char text[400];
                snprintf(text, sizeof text, PLACES "BAR.RED.%s%s %s, P1\n%s", names[reduction],
                         k ? ".DEFER_BLOCKING" : "", operands[i], reduction ? "B2R.RESULT RZ, P3" : "B2R.RESULT R20");
                blocks(ANY, reduced, text);
            }
}
