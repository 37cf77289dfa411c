/* Convergence barriers step by step: at which instruction which lanes of a warp are active, in the order of execution.
 * docs/validation.md, "Volta to Hopper", has the rules. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/core/engine.h"
#include "tests/support/sass_rig.h"

/* ---- watching: every NOP notes the active lanes ------------------------------------------------------------------ */

struct moment {
    uint32_t pc;
    lanemask active;
};
static struct moment seen[64];
static unsigned seen_count;
static uop_fn real[256];

static void watch(struct warp *w, const struct uop *u, lanemask executed)
{
    const struct program *p = w->block->program;
    const struct rp_instruction *in = &p->kernel.instructions[u->index];
    if (!strcmp(in->text, "NOP") && seen_count < sizeof seen / sizeof *seen)
        seen[seen_count++] = (struct moment){(uint32_t)in->pc, w->active};
    real[u - p->uops](w, u, executed);
}

/* P0 of lane l is bit l of the first word, P1 of the second. A few lanes wide, so that masks are short. */
#define PREDICATES                                                                                                     \
    "S2R R0, SR_LANEID\n MOV R1, c[0x0][0x168]\n MOV R2, c[0x0][0x16c]\n SHF.R.U32.HI R1, RZ, R0, R1\n"                \
    "SHF.R.U32.HI R2, RZ, R0, R2\n LOP3.LUT P0, RZ, R1, 0x1, RZ, 0xc0, !PT\n"                                          \
    "LOP3.LUT P1, RZ, R2, 0x1, RZ, 0xc0, !PT\n"

static const unsigned targets[] = {70, 75, 80, 86};

/* Runs one warp of 8 lanes on each target. Expects "label mask label mask ...", masks in hexadecimal digits. */
static void steps(const char *text, lanemask p0, lanemask p1, const char *expected)
{
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        struct sass_rig r;
        sass_rig_open(&r, targets[t], text, 4096);
        cr_assert_lt(r.program->uop_count, 256u);
        for (uint32_t i = 0; i < r.program->uop_count; i++)
            if (r.program->operations[i].kind == UOP_LANE) {
                real[i] = r.program->operations[i].fn;
                r.program->operations[i].fn = watch;
            }
        seen_count = 0;
        cr_assert(sass_rig_run(&r, 1, 8, (uint32_t[4]){p0, p1}), "%s", r.err.text);
        char all[1024] = "", label[32];
        const char *at = expected;
        for (unsigned i = 0; i < seen_count; i++) {
            int n = 0;
            unsigned mask;
            size_t used = strlen(all);
            bool more = sscanf(at, " %31s %x%n", label, &mask, &n) == 2;
            bool same = more && sass_label_of(targets[t], text, label) == seen[i].pc;
            snprintf(all + used, sizeof all - used, "%s%s 0x%x %02x", i ? ", " : "", same ? label : "?", seen[i].pc,
                     seen[i].active);
            cr_expect(same && mask == seen[i].active, "sm_%u, step %u: expected %s %02x, but: %s", targets[t], i,
                      more ? label : "no more", more ? mask : 0, all);
            at += n;
        }
        cr_expect_eq(strspn(at, " "), strlen(at), "sm_%u: '%s' did not happen, after %s", targets[t], at, all);
        sass_rig_close(&r);
    }
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

/* The side that takes the branch runs first; BSYNC holds it until the other has come. */
Test(convergence, two_sides_meet)
{
    steps(PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n BRA <sync>\n taken:\n NOP\n"
                     "sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n",
          0x0f, 0, "taken 0f rest f0 meet ff");
}

Test(convergence, a_branch_that_all_or_none_take)
{
    static const char text[] = PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n BRA <sync>\n"
                                          "taken:\n NOP\n sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n";
    steps(text, 0xff, 0, "taken ff meet ff");
    steps(text, 0, 0, "rest ff meet ff");
}

Test(convergence, a_nested_if)
{
    steps(PREDICATES "BSSY B0, <outer>\n @!P0 BRA <other>\n BSSY B1, <inner>\n @P1 BRA <both>\n"
                     "one:\n NOP\n BRA <sync1>\n both:\n NOP\n sync1:\n BSYNC B1\n inner:\n NOP\n BRA <sync0>\n"
                     "other:\n NOP\n sync0:\n BSYNC B0\n outer:\n NOP\n EXIT\n",
          0x3f, 0x33, "other c0 both 33 one 0c inner 3f outer ff");
}

/* Lane l goes round l + 1 times, at most 4. Lanes that have left wait behind the loop. */
Test(convergence, a_loop_that_lanes_leave_one_after_the_other)
{
    steps("S2R R0, SR_LANEID\n BSSY B0, <out>\n MOV R1, RZ\n again:\n NOP\n IADD3 R1, R1, 0x1, RZ\n"
          "ISETP.GT.AND P0, PT, R1, R0, PT\n @P0 BRA <leave>\n ISETP.LT.AND P1, PT, R1, 0x4, PT\n @P1 BRA <again>\n"
          "leave:\n NOP\n BSYNC B0\n out:\n NOP\n EXIT\n",
          0, 0, "again ff leave 01 again fe leave 02 again fc leave 04 again f8 leave 08 leave f0 out ff");
}

/* BREAK takes lanes out of the inner barrier, so that those that stay do not wait for them there. */
Test(convergence, a_break_out_of_a_nested_region)
{
    steps(PREDICATES
          "BSSY B0, <out>\n BSSY B1, <meet>\n @P0 BRA <leave>\n stay:\n NOP\n BSYNC B1\n meet:\n NOP\n BRA <sync>\n"
          "leave:\n NOP\n BREAK B1\n sync:\n BSYNC B0\n out:\n NOP\n EXIT\n",
          0x03, 0, "leave 03 stay fc meet fc out ff");
}

Test(convergence, an_early_exit_in_one_arm)
{
    steps(PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n BRA <sync>\n taken:\n NOP\n @P1 EXIT\n"
                     "left:\n NOP\n sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n",
          0x3f, 0x0f, "taken 3f left 30 rest c0 meet f0");
}

/* All of one arm exit: nobody waits for them. */
Test(convergence, an_arm_that_exits)
{
    steps(PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n BRA <sync>\n taken:\n NOP\n EXIT\n"
                     "sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n",
          0x0f, 0, "taken 0f rest f0 meet f0");
}

/* A function that some of its lanes leave early: they wait where the arms of their caller meet, or behind the call. */
Test(convergence, a_call_under_divergence)
{
    steps("origin:\n" PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n BRA <sync>\n"
          "taken:\n MOV R20, <back>\n MOV R21, 0x0\n CALL.REL.NOINC <function>\n back:\n NOP\n sync:\n BSYNC B0\n"
          "meet:\n NOP\n EXIT\n"
          "function:\n NOP\n @P1 RET.REL.NODEC R20 <origin>\n longer:\n NOP\n RET.REL.NODEC R20 <origin>\n",
          0x0f, 0x03, "function 0f back 03 longer 0c back 0c rest f0 meet ff");
}

/* Both arms name all lanes: those that come first wait at their WARPSYNC for those at the other. */
Test(convergence, warpsync_in_two_arms)
{
    steps(PREDICATES "BSSY B0, <meet>\n @P0 BRA <taken>\n rest:\n NOP\n WARPSYNC 0xff\n late:\n NOP\n BRA <sync>\n"
                     "taken:\n NOP\n WARPSYNC 0xff\n early:\n NOP\n sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n",
          0x0f, 0, "taken 0f rest f0 late f0 early 0f meet ff");
}

/* A barrier register that is spilled and restored is the same barrier. */
Test(convergence, a_spilled_barrier)
{
    steps(PREDICATES "BSSY B0, <meet>\n BMOV.32.CLEAR R5, B0\n BMOV.32 B0, R5\n @P0 BRA <taken>\n"
                     "rest:\n NOP\n BRA <sync>\n taken:\n NOP\n sync:\n BSYNC B0\n meet:\n NOP\n EXIT\n",
          0x0f, 0, "taken 0f rest f0 meet ff");
}

/* Each lane takes the lock in turn. The lane that has it leaves the loop's barrier with YIELD's help. */
Test(convergence, a_lock_per_lane)
{
    struct sass_rig r;
    static const char text[] = "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MOV R6, 0x1\n BSSY B0, <out>\n"
                               "again:\n MOV R4, RZ\n MOV R5, 0x1\n ATOMG.E.CAS.STRONG.GPU PT, R4, [R2], R4, R5\n"
                               "ISETP.NE.AND P0, PT, R4, RZ, PT\n @P0 YIELD\n @P0 BRA <again>\n"
                               "LDG.E.STRONG.GPU R7, [R2+0x4]\n IADD3 R7, R7, 0x3, RZ\n STG.E.STRONG.GPU [R2+0x4], R7\n"
                               "MEMBAR.SC.GPU\n STG.E.STRONG.GPU [R2], RZ\n BSYNC B0\n out:\n NOP\n EXIT\n";
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        char own[1024];
        snprintf(own, sizeof own, "%s", text);
        sass_rig_open(&r, targets[t], own, 4096);
        cr_assert(sass_rig_run(&r, 2, 64, (uint32_t[4]){0}), "sm_%u: %s", targets[t], r.err.text);
        cr_expect_eq(((uint32_t *)r.buffer)[1], 3u * 128, "sm_%u", targets[t]);
        sass_rig_close(&r);
    }
}
