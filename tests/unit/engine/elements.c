/* Elements of arrays as operands, "a[i]" without brackets around them, and names of variables with numbers. What the
 * indices count was found by asking ptxas 12.9 and executing its code. */
#include <criterion/criterion.h>

#include "rig.h"

static const char *const text =
    ".global .u32 g[8] = {0, 10, 20, 30, 40, 50, 60, 70};\n"
    ".global .u32 rows[2][3] = {{0, 10, 20}, {30, 40, 50}};\n"
    ".global .u16 h[8] = {0, 1, 2, 3, 4, 5, 6, 7};\n"
    ".global .v2 .u32 v[4] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};\n"
    ".global .align 8 .u32 n<3>;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b32 %r<3>; .reg .b64 %d<5>; .reg .b16 %h<3>; .reg .pred %p; .shared .u32 s<2>, sm[8];\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, 2; mov.u64 %d3, 2; setp.ne.u32 %p, %r1, 2;\n"
    "ld.global.u32 %r2, g[1]; st.global.u32 [%d1], %r2;\n"
    "ld.global.u32 %r2, g[%r1]; st.global.u32 [%d1+4], %r2;\n"
    "ld.global.u32 %r2, g[%d3]; st.global.u32 [%d1+8], %r2;\n"
    "ld.global.u32 %r2, g[%r1+1]; st.global.u32 [%d1+12], %r2;\n"
    "ld.global.u32 %r2, rows[1]; st.global.u32 [%d1+16], %r2;\n"
    "ld.global.u16 %h2, h[%r1]; cvt.u32.u16 %r2, %h2; st.global.u32 [%d1+20], %r2;\n"
    "ld.global.u32 %r2, v[1]; st.global.u32 [%d1+24], %r2;\n"
    "mov.u64 %d2, g[2]; ld.global.u32 %r2, [%d2]; st.global.u32 [%d1+28], %r2;\n"
    "mov.u64 %d2, g[%r1]; ld.global.u32 %r2, [%d2]; st.global.u32 [%d1+32], %r2;\n"
    "ld.global.u16 %h2, g[2]; cvt.u32.u16 %r2, %h2; st.global.u32 [%d1+36], %r2;\n"
    "@!%p st.global.u32 g[%r1+1], 77; @%p st.global.u32 g[%r1+1], 78;\n"
    "ld.global.u32 %r2, [g+12]; st.global.u32 [%d1+40], %r2;\n"
    "mov.u32 %r2, sm[%r1-1]; st.shared.u32 [%r2], 5; ld.shared.u32 %r2, [sm+4]; st.global.u32 [%d1+44], %r2;\n"
    "st.shared.u32 [s1], 6; st.shared.u32 [s0], 9; ld.shared.u32 %r2, [s1]; st.global.u32 [%d1+48], %r2;\n"
    "st.global.u32 [n2], 8; st.global.u32 [n1], 9; ld.global.u32 %r2, [n2]; st.global.u32 [%d1+52], %r2; ret; }\n";

Test(elements, of_arrays)
{
    static const uint32_t expected[] = {10, 20, 20, 30, 10, 2, 1, 20, 20, 20, 77, 5, 6, 8};
    struct rig r;
    rig_open(&r, text, 1, (uint64_t[]){sizeof expected});
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect(((uint32_t *)r.host[0])[i] == expected[i], "%u: %u, not %u", i, ((uint32_t *)r.host[0])[i],
                  expected[i]);
    rig_close(&r);
}
