/* Instructions whose meaning is not known are refused by name, address and text. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_rig.h"

static const struct {
    unsigned sm;
    const char *text;
} refused[] = {
    {90, "FMNMX.IS_A R20, P0, R4, R6, PT"},
    {86, "FMNMX.XORSIGN R20, R4, R6, PT"},
    {86, "FMNMX.XORSIGN R20, -|R4|, |R6|, PT"},
    {80, "HMNMX2.F32 R20, R4, R6, PT"},
    {90, "HMNMX2.IS_A R20, P0, P1, R4, R6, PT"},
    {90, "VHMNMX.XORSIGN R20, |R4|, |R6|, |R8|, PT"},
    {80, "HFMA2.RELU R20, R4, R6, R8, P0"},
    {80, "HFMA2.F32.RELU R20, R4, R6, R8"},
    {75, "HSETP2.T.AND P0, P1, R4, R6, PT"},
    {75, "MUFU.RCP.F16 R20, R4"},
    {90, "MUFU.SIN.BF16 R20, R4"},
    {86, "FADD R20, R4, cx[UR4][0x10]"},
    {80, "F2FP.PACK_AB.RS R20, R4, R6, R8"},
    {90, "F2FP.E4M3.F32.PACK_AB R20, R4, R6"},
    {90, "F2FP.E4M3.F32.PACK_AB_MERGE_C R20, R4, R6, RZ"},
    {90, "F2FP.SATFINITE.F16.F32.PACK_AB_MERGE_C R20, R4, R6, RZ"},
    {90, "F2FP.BF16.E4M3.UNPACK_B R20, R4"},
    {75, "F2I R20, R4"},
    {75, "F2I.F64.NTZ R20, R4"},
    {86, "I2IP.U8.S32 R20, R4, R6, R8"},
    {86, "F2IP.U8.F32.NTZ.RELU R20, R4, R6, R8"},
    {86, "F2IP.U8.F32 R20, R4, R6, R8"},
    {86, "UF2FP.MERGE_C UR8, UR6, UR7"},
    {75, "BMOV.32.PQUAD MACTIVE, B15"},
    {86, "TEX.SCR.NDV R18, R16, R16, R7, 0x0, 0x58, 3D"},
    {86, "MOV R16, R16, 0x1"},
    {90, "UTMALDG.3D.IM2COL [UR8], [UR4], UR6"},
    {90, "LDGMC.E.ADD.F32x4.RN.STRONG.SYS R8, [R2.64+URZ]"},
};

Test(refusals7x, by_name_and_address)
{
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[128];
        struct sass_rig r;
        snprintf(text, sizeof text, "NOP\n%s\nEXIT\n", refused[i].text);
        bool loaded = sass_rig_load(&r, refused[i].sm, text, 64);
        cr_expect_not(loaded, "sm_%u takes %s", refused[i].sm, refused[i].text);
        if (!loaded) {
            cr_expect(strstr(r.err.text, "kernel 'k': address 0x10: "), "%s", r.err.text);
            cr_expect(strstr(r.err.text, refused[i].text), "%s: %s", refused[i].text, r.err.text);
            cr_expect(strstr(r.err.text, "not covered yet"), "%s", r.err.text);
        }
        sass_rig_close(&r);
    }
}

Test(refusals7x, a_trap_ends_the_launch)
{
    static const unsigned targets[] = {70, 75, 80, 86, 89, 90};
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct sass_rig r;
        sass_rig_open(&r, targets[i], "NOP\nBPT.TRAP 0x1\nEXIT\n", 64);
        cr_expect_not(sass_rig_run(&r, 1, 32, NULL), "sm_%u goes on", targets[i]);
        cr_expect(strstr(r.err.text, "BPT.TRAP") || strstr(r.err.text, "trap"), "%s", r.err.text);
        sass_rig_close(&r);
    }
}
