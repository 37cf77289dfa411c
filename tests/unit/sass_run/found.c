/* Instructions that random programs (make random-programs) found wrong once, each in the sequence that ptxas writes. */
#include <criterion/criterion.h>

#include "tests/support/sass_rig.h"

/* Runs one thread of `text`, which leaves its result in R4; R0 and R1 are words[0] and words[1]. */
static uint32_t result_of(const char *text, uint32_t a, uint32_t b)
{
    char all[1024];
    snprintf(all, sizeof all,
             "MOV R0, c[0x0][0x148]\n MOV R1, c[0x0][0x14c]\n MOV R2, c[0x0][0x140]\n MOV R3, c[0x0][0x144]\n%s"
             "STG.E [R2], R4\n EXIT\n",
             text);
    struct sass_rig r;
    sass_rig_open(&r, 60, all, 64);
    cr_assert(sass_rig_run(&r, 1, 1, (uint32_t[4]){a, b}), "%s", r.err.text);
    uint32_t got = *(const uint32_t *)r.buffer;
    sass_rig_close(&r);
    return got;
}

/* mul.hi.s32: CSFU mends what the unsigned sum of two signed products counts too much. */
Test(found, signed_high_product)
{
    static const int32_t values[] = {0, 1, -1, 5, 0x10000, -0x10000, 0x7fffffff, INT32_MIN, 0x12340000, -0x12340001};
    const unsigned count = sizeof values / sizeof *values;
    for (unsigned i = 0; i < count * count; i++) {
        int32_t a = values[i / count], b = values[i % count];
        uint32_t got = result_of("XMAD R5, R0, R1, RZ\n XMAD.U16.S16 R4, R0, R1.H1, RZ\n"
                                 "XMAD.S16.S16.CSFU R6, R0.H1, R1.H1, RZ\n XMAD.S16.U16.CHI R5, R0.H1, R1, R5\n"
                                 "IADD3.RS R4, R5, R4, R6\n",
                                 (uint32_t)a, (uint32_t)b);
        cr_expect_eq((int32_t)got, (int32_t)((int64_t)a * b >> 32), "%d * %d: %d", a, b, (int32_t)got);
    }
}

/* setp.ne.s64 with 0: zero of the upper word goes on from that of the lower one. */
Test(found, zero_test_of_two_words)
{
    static const uint32_t words[][2] = {{0, 0}, {1, 0}, {0, 1}, {0x80000000, 0}, {5, 5}};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        uint32_t any = words[i][0] || words[i][1];
        cr_expect_eq(result_of("I2I.U32.U32 RZ.CC, R0\n LOP.OR.X.NZ P0, RZ, R1, RZ\n SEL R4, RZ, 0x1, !P0\n",
                               words[i][0], words[i][1]),
                     any, "NZ of %08x %08x", words[i][1], words[i][0]);
        cr_expect_eq(result_of("LOP.AND RZ.CC, R0, -0x1\n LOP.AND.X.Z P0, RZ, R1, -0x1\n SEL R4, RZ, 0x1, P0\n",
                               words[i][0], words[i][1]),
                     any, "Z of %08x %08x", words[i][1], words[i][0]);
    }
}

/* mov.b16 of a constant at -O0: 1.0048828125 and -0.0085067749 are f32 in the bank, f16 in the register. */
Test(found, half_constants)
{
    const char *load = "HADD2 R4, -RZ.H0_H0, c[0x0][0x148]\n";
    cr_expect_eq(result_of(load, 0x3f80a000, 0), 0x3c053c05);
    cr_expect_eq(result_of(load, 0xbc0b6000, 0), 0xa05ba05b);
}

/* What stands above a 16-bit result: zeros from I2I, the sign from F2I. */
Test(found, above_narrow_results)
{
    cr_expect_eq(result_of("I2I.S16.S8 R4, R0\n", 0x80, 0), 0xff80);
    cr_expect_eq(result_of("I2I.S16.S16 R4, -R0\n", 1, 0), 0xffff);
    cr_expect_eq(result_of("F2I.S16.F32.TRUNC R4, R0\n", 0xc0000000, 0), 0xfffffffe);
}

/* A branch on two predicates at once: PSET's condition codes. */
Test(found, condition_codes_of_pset)
{
    for (uint32_t bits = 0; bits < 4; bits++) {
        uint32_t got = result_of("LOP.AND.NZ P0, RZ, R0, 0x1\n LOP.AND.NZ P2, RZ, R0, 0x2\n MOV32I R4, 0x7\n"
                                 "PSET.XOR.AND RZ.CC, !P2, P0, PT\n BRA CC.NEU, <end>\n MOV32I R4, 0x9\n end:\n",
                                 bits, 0);
        cr_expect_eq(got, (!(bits & 2) ^ (bits & 1)) ? 7u : 9u, "P0 and P2 of %u: %u", bits, got);
    }
}
