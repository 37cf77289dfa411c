/* What the parser adds instructions for. Elements of arrays as operands, "a[i]" without brackets around them, and names
 * of variables with numbers. What the indices count was found by asking ptxas 12.9 and executing its code. */
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

/* Parameters of functions in registers: vectors, 16 bits, numbers; ranges of vectors; a register plus a number. */
static const char *const registers =
    ".func (.reg .v4 .u32 r) spread (.reg .v2 .u32 a, .reg .u32 b)\n"
    "{ mov.u32 r.x, a.x; mov.u32 r.y, a.y; mov.u32 r.z, b; add.u32 r.w, b+1, b; ret; }\n"
    ".func (.reg .u32 r) even (.reg .u32 a)\n"
    "{ .reg .u32 low; and.b32 low, a, 1; xor.b32 r, low, 1; ret; }\n"
    ".func (.reg .u32 r) choose (.reg .b16 a)\n"
    "{ .reg .pred p; setp.ne.b16 p, a, 0; selp.u32 r, 4, 5, p; ret; }\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p<2>; .reg .b16 %h; .reg .v2 .u32 %v<2>; .reg .v4 "
    ".u32 %q;\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d0, %r1, 32; add.u64 %d1, %d1, %d0;\n"
    "mov.u32 %v1.x, %r1; mov.u32 %v1.y, 7; call (%q), spread, (%v1, 9); st.global.v4.u32 [%d1], %q;\n"
    "call (%r2), even, (%r1); setp.ne.u32 %p1, %r2, 0; st.global.u32 [%d1+16], %r2;\n"
    "cvt.u16.u32 %h, %r2; call (%r3), choose, (%h); st.global.u32 [%d1+20], %r3+100;\n"
    "@%p1 call (%r3), even, (%r2); st.global.v2.u32 [%d1+24], {%r3, %r1}; ret; }\n";

Test(elements, of_functions_in_registers)
{
    struct rig r;
    rig_open(&r, registers, 1, (uint64_t[]){32 * 32});
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *own = (uint32_t *)r.host[0] + 8 * i, odd = i & 1;
        const uint32_t expected[] = {i, 7, 9, 19, !odd, 104 + odd, odd ? 5 : 0, i};
        cr_expect_arr_eq(own, expected, sizeof expected, "thread %u: %u %u %u %u %u %u %u %u", i, own[0], own[1],
                         own[2], own[3], own[4], own[5], own[6], own[7]);
    }
    rig_close(&r);
}

/* Registers of other kinds as arguments, a number as one of an indirect call, and an initial value that names the
 * variable of the scope around. */
static const char *const kinds =
    ".func (.reg .u32 r) first (.reg .v2 .u32 a) { mov.u32 r, a.x; ret; }\n"
    ".func (.reg .f32 r) same (.reg .f32 a) { mov.f32 r, a; ret; }\n"
    ".func (.reg .f16 r) half (.reg .f16 a) { add.f16 r, a, a; ret; }\n"
    ".func (.param .b32 r) next (.param .b32 a) { .reg .u32 x; ld.param.u32 x, [a]; st.param.u32 [r], x+1; ret; }\n"
    ".global .u64 g;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<4>; .reg .b32 %r<4>; .reg .f32 %f; .reg .f16x2 %y; .reg .b16 %h; .reg .v2 .f32 %v; .reg .u64 %to;\n"
    "ld.param.u64 %d1, [p]; mov.f32 %v.x, 2.0; call (%r1), first, (%v); st.global.u32 [%d1], %r1;\n"
    "mov.b32 %y, 0x40400000; call (%f), same, (%y); st.global.f32 [%d1+4], %f;\n"
    "mov.b16 %h, 0x3c00; call (%h), half, (%h); cvt.u32.u16 %r1, %h; st.global.u32 [%d1+8], %r1;\n"
    "mov.u64 %to, next; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (%r1), %to, (41), P;\n"
    "T: .calltargets next; call (%r2), %to, (%r1), T; st.global.u32 [%d1+12], %r1; st.global.u32 [%d1+16], %r2;\n"
    "call (%r2), next, (%r2), P; st.global.u32 [%d1+20], %r2;\n" /* as clang, and not ptxas, has it */
    "{ .global .u64 g = g; ld.global.u64 %d2, [g]; } mov.u64 %d3, g; sub.u64 %d2, %d2, %d3;\n"
    "st.global.u64 [%d1+24], %d2; ret; }\n";

Test(elements, of_other_kinds)
{
    struct rig r;
    rig_open(&r, kinds, 1, (uint64_t[]){32});
    cr_assert(rig_run(&r, 1, 1), "%s", r.err.text);
    const uint32_t *got = (uint32_t *)r.host[0], expected[] = {0x40000000, 0x40400000, 0x4000, 42, 43, 44, 0, 0};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(got[i], expected[i], "%u: %x", i, got[i]);
    rig_close(&r);
}

/* What ptxas makes of numbers without a digit before the point, of such beyond 64 bits, and of long tables of lop3. */
static const char *const numbers =
    ".global .f32 g = .75;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<3>; .reg .b32 %r<3>; .reg .f32 %f;\n"
    "ld.param.u64 %d1, [p]; mov.f32 %f, .5; st.global.f32 [%d1], %f; mov.f32 %f, -.25e1; st.global.f32 [%d1+4], %f;\n"
    "ld.global.f32 %f, [g]; st.global.f32 [%d1+8], %f;\n"
    "mov.u32 %r1, 12; lop3.b32 %r2, %r1, 10, 6, 0x180; st.global.u32 [%d1+12], %r2;\n"
    "mov.u64 %d2, 18446744073709551621; st.global.u64 [%d1+16], %d2;\n"
    "mov.u64 %d2, 0x1ffff000fffff00ff; st.global.u64 [%d1+24], %d2; ret; }\n";

Test(elements, of_odd_spelling)
{
    struct rig r;
    rig_open(&r, numbers, 1, (uint64_t[]){32});
    cr_assert(rig_run(&r, 1, 1), "%s", r.err.text);
    const uint32_t *got = (uint32_t *)r.host[0];
    const uint32_t expected[] = {0x3f000000, 0xc0200000, 0x3f400000, 12 & 10 & 6, 5, 0, 0xffff00ff, 0xffff000f};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(got[i], expected[i], "%u: %x", i, got[i]);
    rig_close(&r);
}

/* A .param variable that is an argument and a result, or stands in several calls, keeps its value between them. */
static const char *const copies =
    ".func (.param .b32 r) next (.param .b32 a) { .reg .u32 x; ld.param.u32 x, [a]; st.param.u32 [r], x+1; ret; }\n"
    ".func (.param .b32 r) minus (.param .b32 a, .param .b32 b)\n"
    "{ .reg .u32 x, y; ld.param.u32 x, [a]; ld.param.u32 y, [b]; sub.u32 x, x, y; st.param.u32 [r], x; ret; }\n"
    ".func (.param .align 4 .b8 r[7]) shifted (.param .align 4 .b8 a[7])\n"
    "{ .reg .b32 x, y; ld.param.b32 x, [a]; ld.param.u16 y, [a+4]; st.param.b32 [r], y; ld.param.u8 y, [a+6];\n"
    "st.param.u16 [r+4], x; st.param.u8 [r+6], y; ret; }\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d; .reg .b32 %r<3>; ld.param.u64 %d, [p];\n"
    "{ .param .b32 z, w, n; st.param.b32 [z], 1; call (z), next, (z); ld.param.b32 %r1, [z]; st.global.u32 [%d], %r1;\n"
    "st.param.b32 [w], 5; call (n), minus, (z, w); ld.param.b32 %r1, [n]; st.global.u32 [%d+4], %r1;\n"
    "call (n), minus, (w, z); ld.param.b32 %r1, [n]; st.global.u32 [%d+8], %r1;\n"
    "call (n), minus, (w, w); ld.param.b32 %r1, [n]; st.global.u32 [%d+12], %r1; }\n"
    "{ .param .align 4 .b8 z[7]; st.param.b32 [z], 0x1234; st.param.b16 [z+4], 99; st.param.b8 [z+6], 7;\n"
    "call (z), shifted, (z); call (z), shifted, (z); ld.param.b32 %r1, [z]; st.global.u32 [%d+16], %r1;\n"
    "ld.param.u16 %r1, [z+4]; st.global.u32 [%d+20], %r1; ld.param.u8 %r1, [z+6]; st.global.u32 [%d+24], %r1; }\n"
    "ret; }\n";

Test(elements, of_several_calls)
{
    struct rig r;
    rig_open(&r, copies, 1, (uint64_t[]){32});
    cr_assert(rig_run(&r, 1, 1), "%s", r.err.text);
    const uint32_t *got = (uint32_t *)r.host[0], expected[] = {2, (uint32_t)-3, 3, 0, 0x1234, 99, 7};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(got[i], expected[i], "%u: %x", i, got[i]);
    rig_close(&r);
}

/* A module with a function of several results has no ABI, and may pass predicates and 16 bits. */
static const char *const without_abi =
    ".func (.reg .u32 a, .reg .pred b) both (.reg .u32 x) { add.u32 a, x, 1; setp.gt.u32 b, x, 3; ret; }\n"
    ".func (.reg .u16 r) choose (.reg .pred a, .reg .u16 b) { selp.u16 r, b, 5, a; ret; }\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %d<2>; .reg .b32 %r<3>; .reg .u16 %h<2>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d0, %r1, 8; add.u64 %d1, %d1, %d0;\n"
    "call (%r2, %p), both, (%r1); cvt.u16.u32 %h1, %r1; @%p call (%h1), choose, (%p, %h1);\n"
    "@!%p call (%h1), choose, (%p, %h1); cvt.u32.u16 %r1, %h1; st.global.v2.u32 [%d1], {%r2, %r1}; ret; }\n";

Test(elements, without_the_abi)
{
    struct rig r;
    rig_open(&r, without_abi, 1, (uint64_t[]){8 * 32});
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *own = (uint32_t *)r.host[0] + 2 * i;
        cr_expect(own[0] == i + 1 && own[1] == (i > 3 ? i : 5), "thread %u: %u %u", i, own[0], own[1]);
    }
    rig_close(&r);
}
