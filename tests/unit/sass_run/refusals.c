/* What cannot run is refused before anything runs: one line that names file, kernel, address and instruction. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/support/sass_rig.h"

static void expect_refused(const char *text, const char *const *parts)
{
    struct sass_rig r;
    cr_assert_not(sass_rig_load(&r, 62, text, 64), "%s", text);
    cr_expect_eq(r.err.status, RP_BAD_INPUT);
    cr_expect_null(strchr(r.err.text, '\n'));
    for (; *parts; parts++)
        cr_expect_not_null(strstr(r.err.text, *parts), "'%s' lacks '%s'", r.err.text, *parts);
    sass_rig_close(&r);
}
#define REFUSED(text, ...) expect_refused(text, (const char *const[]){"test.cubin", "kernel 'k'", __VA_ARGS__, NULL})

Test(refusals, an_instruction_that_is_not_covered)
{
    REFUSED("MOV R1, R2\nSSY 0x28\nNOP\nTEX.DC R0, R2, R4, 0x52, 2D, 0xf\nEXIT\n", "address 0x28", "TEX",
            "a comparison with a depth");
    REFUSED("SAM\nEXIT\n", "address 0x8", "SAM", "not covered");
    REFUSED("SETCRSPTR R0\nEXIT\n", "address 0x8", "SETCRSPTR R0", "not covered");
}
Test(refusals, an_atomic_operation_on_a_type_that_has_none)
{
    REFUSED("ATOMS.DEC.S32 R0, [R2], R4\nEXIT\n", "address 0x8", "ATOMS.DEC.S32", "not covered");
    REFUSED("NOP\nRED.E.INC.U64 [R2], R4\nEXIT\n", "address 0x10", "RED.E.INC.U64", "not covered");
    REFUSED("RED.E.MIN.F32.FTZ.RN [R2], R4\nEXIT\n", "address 0x8", "RED.E.MIN", "not covered");
}
Test(refusals, a_word_that_is_no_instruction)
{
    REFUSED("NOP\n0xfeed000000000000\nEXIT\n", "address 0x10", "0xfeed000000000000", "no instruction of sm_62");
}
Test(refusals, a_target_outside_of_the_code)
{
    REFUSED("BRA 0x10008\nEXIT\n", "address 0x8",
            "the code is damaged: 'BRA 0x10008': its target is outside of the code");
}
Test(refusals, a_bank_that_is_not_there)
{
    REFUSED("MOV R0, c[0x3][0x0]\nEXIT\n", "address 0x8",
            "the code is damaged: 'MOV R0, c[0x3][0x0]': the file does not have this constant bank");
}
Test(refusals, code_that_runs_past_its_end)
{
    struct sass_rig r;
    bool loaded = sass_rig_load(&r, 62, "MOV R1, R2\nMOV R1, R2\nMOV R1, R2\n", 64);
    cr_expect(!loaded || !sass_rig_run(&r, 1, 32, NULL));
    cr_expect_not_null(strstr(r.err.text, ": address 0x18: the code is damaged: 'MOV R1, R2': it runs past its end"),
                       "%s", r.err.text);
    sass_rig_close(&r);
}

static void expect_no_module(uint8_t *bytes, size_t size, const char *part)
{
    struct rp_error err;
    struct module *m = module_load_bytes("test.cubin", bytes, size, 0, &err);
    free(bytes);
    cr_assert_null(m);
    cr_expect_eq(err.status, RP_BAD_INPUT);
    cr_expect_not_null(strstr(err.text, "test.cubin"), "%s", err.text);
    cr_expect_not_null(strstr(err.text, part), "'%s' lacks '%s'", err.text, part);
}
Test(refusals, a_relocatable_object)
{
    size_t size;
    uint8_t *bytes = sass_cubin(62, "EXIT\n", true, &size);
    expect_no_module(bytes, size, "relocatable");
}
Test(refusals, a_file_cut_short)
{
    size_t size;
    uint8_t *bytes = sass_cubin(62, "EXIT\n", false, &size);
    expect_no_module(bytes, size / 2, "");
}
Test(refusals, a_kernel_that_is_not_there)
{
    size_t size;
    uint8_t *bytes = sass_cubin(62, "EXIT\n", false, &size);
    struct rp_error err;
    struct module *m = module_load_bytes("test.cubin", bytes, size, 0, &err);
    free(bytes);
    cr_assert_not_null(m);
    cr_assert_null(module_find(m, "frist", &err));
    cr_expect_not_null(strstr(err.text, "frist"), "%s", err.text);
    cr_expect_not_null(strstr(err.text, ": k"), "%s", err.text);
    module_free(m);
}
