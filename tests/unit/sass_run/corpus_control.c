/* Control flow, barriers and what has no effect on values, against models; see corpus.h. Where a thread goes shows in
 * the register that it writes on its way. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_corpus.h"

static const struct operand_forms *const plain = &only_registers;
#define OF(model) (&(const struct subject){model, V_INT, V_INT, V_INT, SAME_BITS, 0})

static void take(struct state *s, bool a) { set_d32(s, (uint32_t)(a ? s->a : s->b)); }
static bool p4(const struct state *s) { return s->p >> 4 & 1; }
static bool equal(const struct state *s) { return (uint32_t)s->a == (uint32_t)s->b; }
static void a_where_p4(struct state *s) { take(s, p4(s)); }
static void b_where_p4(struct state *s) { take(s, !p4(s)); }
static void only_a(struct state *s) { take(s, true); }
/* What IADD RZ.CC, R4, -R6 leaves. */
static void subtract(struct state *s)
{
    uint32_t a = (uint32_t)s->a, b = (uint32_t)s->b, r = a - b;
    bool overflows = (int64_t)(int32_t)a - (int32_t)b != (int32_t)r;
    s->cc = (r ? 0 : CC_ZERO) | (r >> 31 ? CC_SIGN : 0) | (a >= b ? CC_CARRY : 0) | (overflows ? CC_OVERFLOW : 0);
}
/* c where P4 holds and the operands are equal, else a. */
static void c_where_both(struct state *s)
{
    set_d32(s, (uint32_t)(p4(s) && equal(s) ? s->c : s->a));
    subtract(s);
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

#define TO_X "MOV R20, R6\nBRA <end>\nx:\nMOV R20, R4\nend:"
CORPUS(control, branches)
{
    check(OF(a_where_p4), plain, "@P4 BRA <x>\n" TO_X);
    check(OF(b_where_p4), plain, "@!P4 BRA.U <x>\n" TO_X);
    check(OF(a_where_p4), plain, "@P4 JMP <x>\n" TO_X);
    check(OF(a_where_p4), plain, "SSY <join>\n@P4 BRA <x>\nMOV R20, R6\nSYNC\nx:\nMOV R20, R4\nSYNC\njoin:");
    check(OF(c_where_both), plain,
          "IADD RZ.CC, R4, -R6\nSSY <join>\n@P4 BRA CC.EQ, <x>\nMOV R20, R4\nSYNC\nx:\nMOV R20, R8\nSYNC\njoin:");
}
/* The target in a register: as it is, and counted from behind the branch. */
CORPUS(control, indirect_branches)
{
    check(OF(a_where_p4), plain, "MOV32I R13, <x>\nMOV32I R14, <y>\nSEL R13, R13, R14, P4\nJMX R13\ny:\n" TO_X);
    check(OF(a_where_p4), plain,
          "MOV32I R13, <x>\nMOV32I R14, <y>\nSEL R13, R13, R14, P4\nIADD32I R13, R13, -<here>\nhere:\nBRX R13 "
          "-0x8\ny:\n" TO_X);
    check(OF(a_where_p4), plain,
          "MOV32I R13, <x>\nMOV32I R14, <y>\nSEL R13, R13, R14, P4\nIADD32I R13, R13, -0x30\nJMX R13 0x30\ny:\n" TO_X);
}
/* Pushed first: where the lanes that leave meet again. */
CORPUS(control, stack)
{
    static const struct {
        const char *push, *pop;
    } pairs[] = {{"SSY", "SYNC"}, {"PBK", "BRK"}, {"PCNT", "CONT"}, {"PRET", "RET"}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *push = pairs[i].push, *pop = pairs[i].pop;
        check(OF(a_where_p4), plain, "%s <end>\nMOV R20, R4\n@P4 %s\nMOV R20, R6\n%s\nend:", push, pop, pop);
        check(OF(c_where_both), plain,
              "IADD RZ.CC, R4, -R6\n%s <end>\nMOV R20, R8\n@P4 %s CC.EQ\nMOV R20, R4\n%s\nend:", push, pop, pop);
    }
}
CORPUS(control, calls)
{
    static const char *const calls[] = {"CAL", "JCAL"};
    for (unsigned i = 0; i < 2; i++) {
        check(OF(a_where_p4), plain, "%s <f>\nBRA <end>\nf:\nMOV R20, R4\n@P4 RET\nMOV R20, R6\nRET\nend:", calls[i]);
        check(OF(only_a), plain, "MOV R20, R6\n%s <f>\nMOV R20, R13\nBRA <end>\nf:\nMOV R13, R4\nRET\nend:", calls[i]);
    }
}
/* A thread that is gone stores nothing: its cell keeps the zeros that the host put there. */
static void gone_where_p4(struct state *s)
{
    if (p4(s))
        s->d = s->p = s->cc = 0;
    else
        take(s, true);
}
static void gone_where_equal(struct state *s)
{
    bool gone = equal(s);
    take(s, true);
    subtract(s);
    if (gone)
        s->d = s->p = s->cc = 0;
}
CORPUS(control, exits)
{
    check(OF(gone_where_p4), plain, "@P4 EXIT\nMOV R20, R4");
    check(OF(gone_where_equal), plain, "IADD RZ.CC, R4, -R6\nEXIT CC.EQ\nMOV R20, R4");
}

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

/* Each thread leaves a word in shared memory and reads that of a thread of another warp, behind the barrier. */
static void from_the_other_end(const struct state *before, struct state *after)
{
    for (unsigned t = 0; t < BLOCK_THREADS; t++)
        set_d32(&after[t], (uint32_t)before[t ^ (BLOCK_THREADS - 1)].a);
}
#define SHARE "S2R R13, SR_TID.X\nSHL R13, R13, 0x4\nSTS [R13], R4\n"
#define LOOK "\nLOP32I.XOR R13, R13, 0xff0\nLDS R20, [R13]"
CORPUS(barriers, sync)
{
    check_block(from_the_other_end, SHARE "BAR.SYNC 0x0" LOOK);
    check_block(from_the_other_end, SHARE "BAR.SYNC 0xf, 0x100" LOOK);
    check_block(from_the_other_end, SHARE "MOV32I R14, 0x3\nMOV32I R15, 0x100\nBAR.SYNC R14, R15" LOOK);
    check_block(from_the_other_end, SHARE "MOV32I R14, 0x3\nBAR.SYNC R14\nMEMBAR.CTA" LOOK);
}
/* The upper half of the block writes and goes on, the lower half waits for it. */
static void from_the_upper_half(const struct state *before, struct state *after)
{
    const unsigned half = BLOCK_THREADS / 2;
    for (unsigned t = 0; t < BLOCK_THREADS; t++) {
        set_p(&after[t], 0, t >= half);
        if (t < half)
            set_d32(&after[t], (uint32_t)before[t + half].a);
    }
}
CORPUS(barriers, arrive)
{
    static const char *const operands[] = {"0x1, 0x100", "R14, R15"};
    for (unsigned i = 0; i < 2; i++)
        check_block(from_the_upper_half,
                    "S2R R13, SR_TID.X\nLOP.AND.NZ P0, RZ, R13, 0x80\nSHL R13, R13, 0x4\nMOV32I R14, 0x1\n"
                    "MOV32I R15, 0x100\n@P0 STS [R13], R4\n@P0 BAR.ARV %s\n@!P0 BAR.SYNC 0x1, 0x100\n"
                    "@!P0 LDS R20, [R13+0x800]",
                    operands[i]);
}
static struct {
    bool flip;
    unsigned how;
} reduction;
static void reduced(const struct state *before, struct state *after)
{
    uint32_t count = 0;
    for (unsigned t = 0; t < BLOCK_THREADS; t++)
        count += p4(&before[t]) ^ reduction.flip;
    for (unsigned t = 0; t < BLOCK_THREADS; t++)
        if (reduction.how == 0)
            set_d32(&after[t], count);
        else
            set_p(&after[t], 1, reduction.how == 1 ? count == BLOCK_THREADS : count != 0);
}
/* A predicate that holds in every thread, in none, in some. */
static void all_of_them(const struct state *before, struct state *after)
{
    (void)before;
    for (unsigned t = 0; t < BLOCK_THREADS; t++) {
        set_p(&after[t], 1, true);
        set_p(&after[t], 2, false);
    }
}
CORPUS(barriers, reductions)
{
    static const char *const hows[] = {"POPC", "AND", "OR"};
    static const char *const operands[] = {"0x0", "0x2, 0x100", "R14, R15"};
    for (unsigned i = 0; i < 3 * 3 * 2; i++) {
        reduction.how = i % 3;
        reduction.flip = i / 9;
        check_block(reduced, "MOV32I R14, 0x4\nMOV32I R15, 0x100\nBAR.RED.%s %s, %sP4\nB2R.RESULT %s", hows[i % 3],
                    operands[i / 3 % 3], reduction.flip ? "!" : "", reduction.how ? "RZ, P1" : "R20");
    }
    check_block(all_of_them, "BAR.RED.AND 0x0, PT\nB2R.RESULT RZ, P1\nBAR.RED.OR 0x0, !PT\nB2R.RESULT RZ, P2");
}

/* ---- no effect on values ----------------------------------------------------------------------------------------- */

static void nothing(struct state *s) { (void)s; }
CORPUS(control, without_effect)
{
    static const char *const texts[] = {"NOP",
                                        "NOP.TRIG 0x3",
                                        "MEMBAR.CTA",
                                        "MEMBAR.GL",
                                        "MEMBAR.SYS",
                                        "DEPBAR.LE SB0, 0x1",
                                        "DEPBAR {0}",
                                        "CCTL.E.PF1 [R2]",
                                        "CCTL.E.PF2 [R2+0x4]",
                                        "MOV32I R13, 0x20\nCCTLL.PF1 [R13]"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        check(OF(nothing), plain, "%s", texts[i]);
}
