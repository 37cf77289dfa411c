/* What the trace says about scheduling: control bits, and what DEPBAR waits for. */
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/core/program.h"
#include "tests/support/sass_rig.h"

Test(control, depbar_says_what_it_waits_for)
{
    struct sass_rig r;
    sass_rig_open(&r, 62, "DEPBAR.LE SB2, 0x3, {4,1}\nDEPBAR {3}\nDEPBAR.LE SB5, 0x3f\nNOP\nEXIT\n", 64);
    const struct rp_instruction *in = r.program->kernel.instructions;
    uint64_t own = in[3].control; /* what the assembler gives every instruction */
    cr_expect_eq(rp_control_wait(own), 0);
    cr_expect(rp_control_counts(in[0].control));
    cr_expect_eq(rp_control_counted_barrier(in[0].control), 2);
    cr_expect_eq(rp_control_count(in[0].control), 3);
    cr_expect_eq(rp_control_wait(in[0].control), 1 << 4 | 1 << 1);
    cr_expect_not(rp_control_counts(in[1].control));
    cr_expect_eq(rp_control_wait(in[1].control), 1 << 3);
    cr_expect_eq(rp_control_counted_barrier(in[2].control), 5);
    cr_expect_eq(rp_control_count(in[2].control), 63);
    cr_expect_eq(rp_control_wait(in[2].control), 0);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(in[i].control & 0x1fffff, own, "the control word's own bits stay as they are");
    sass_rig_close(&r);
}

/* A 32-bit product is three of these, each at the rate of an add. */
Test(control, xmad_is_an_integer_operation)
{
    struct sass_rig r;
    sass_rig_open(&r, 62, "XMAD R2, R4, R3, RZ\nEXIT\n", 64);
    cr_expect_eq(r.program->kernel.instructions[0].unit_class, RP_CLASS_INT);
    sass_rig_close(&r);
}

/* PTX's trap, of one thread of the second warp. It takes no guard: ptxas branches around it. */
Test(control, a_trap_ends_the_launch)
{
    struct sass_rig r;
    sass_rig_open(&r, 62, "S2R R0, SR_TID.X\nISETP.NE.AND P0, PT, R0, 0x21, PT\n@P0 EXIT\nBPT.TRAP 0x1\nEXIT\n", 64);
    cr_expect(sass_rig_run(&r, 1, 32, NULL), "%s", r.err.text);
    cr_expect_not(sass_rig_run(&r, 1, 64, NULL));
    cr_expect_eq(r.result.fault, RP_FAULT_TRAP);
    cr_expect_not_null(strstr(r.err.text, "address 0x28"), "%s", r.err.text);
    sass_rig_close(&r);
}
