/* What orders accesses of one warp in machine code: ptxas makes a NOP of bar.warp.sync where the lanes are together. */
#include <criterion/criterion.h>

#include "frontend/check/check.h"
#include "tests/support/sass_rig.h"

static const unsigned targets[] = {70, 75, 80, 86, 90};

/* Each thread stores to a word of its own, and loads that of another one. */
static size_t races(unsigned sm, const char *between, unsigned other, unsigned threads)
{
    char text[1000];
    struct sass_rig r;
    const char *scope = sm < 80 ? ".SYS" : "";
    unsigned parameters = sm == 90 ? 0x210 : 0x160;
    snprintf(
        text, sizeof text,
        "S2R R0, SR_TID.X\n MOV R6, 0x4\n IMAD.WIDE R2, R0, R6, c[0x0][0x%x]\n LOP3.LUT R1, R0, 0x%x, RZ, 0x3c, !PT\n"
        "IMAD.WIDE R4, R1, R6, c[0x0][0x%x]\n STG.E%s [R2], R0\n%s LDG.E%s R7, [R4]\n EXIT\n",
        parameters, other, parameters, scope, between, scope);
    sass_rig_open(&r, sm, text, 4096);
    r.config.check = rp_check_new(RP_CHECK_RACE, RP_CHECK_FINDINGS);
    cr_assert(r.config.check);
    cr_assert(sass_rig_run(&r, 1, threads, (uint32_t[4]){0}), "%s", r.err.text);
    size_t count = rp_check_count(r.config.check);
    rp_check_free(r.config.check);
    sass_rig_close(&r);
    return count;
}

Test(order, nop_orders_a_warp)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        cr_expect_eq(races(targets[i], "", 1, 32), 1, "sm_%u: nothing orders them", targets[i]);
        cr_expect_eq(races(targets[i], "NOP\n", 1, 32), 0, "sm_%u", targets[i]);
    }
}

Test(order, nop_orders_no_other_warp)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        cr_expect_eq(races(targets[i], "NOP\n", 32, 64), 1, "sm_%u", targets[i]);
}

/* A lane that does not execute it is not ordered by it. */
Test(order, nop_of_no_lane)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        cr_expect_eq(races(targets[i], "@!PT NOP\n", 1, 32), 1, "sm_%u", targets[i]);
}
