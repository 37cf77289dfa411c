/* Memory that functions take at run time: alloca, stacksave, stackrestore. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

enum { THREADS = 64 };
static const char *const targets[] = {"sm_62", "sm_90"};

/* A list of n words on the stack, n by thread and depth, by a function that calls itself: its sum, and what the deeper
 * calls return, while each call's list must stay as it was. Odd threads take a second piece and give it back. Each call
 * tells where its list lies. */
#define SUMS                                                                                                           \
    ".func (.param .u32 r) sum(.param .u32 n, .param .u32 depth) {\n"                                                  \
    ".local .align 8 .b8 own[8];\n"                                                                                    \
    ".reg .b64 %p, %q, %w, %s; .reg .b32 %n, %d, %i, %v, %r, %o; .reg .pred %c, %e;\n"                                 \
    "ld.param.u32 %n, [n]; ld.param.u32 %d, [depth]; st.local.u32 [own], %n; mov.u32 %r, 0;\n"                         \
    "setp.eq.u32 %c, %d, 0; @%c bra OUT;\n"                                                                            \
    "mul.wide.u32 %w, %n, 4; alloca.u64 %p, %w, 64; and.b64 %s, %p, 63; cvt.u32.u64 %v, %s; add.u32 %r, %r, %v;\n"     \
    "mov.u32 %i, 0; mov.u64 %q, %p;\n"                                                                                 \
    "F: mad.lo.u32 %v, %d, 1000, %i; st.local.u32 [%q], %v; add.u64 %q, %q, 4; add.u32 %i, %i, 1;\n"                   \
    "setp.lt.u32 %e, %i, %n; @%e bra F;\n"                                                                             \
    "and.b32 %o, %n, 1; setp.eq.u32 %e, %o, 0; @%e bra CALL;\n"                                                        \
    "stacksave.u64 %s; mov.u32 %i, 0;\n"                                                                               \
    "T: alloca.u64 %q, 200; st.local.u32 [%q+196], %v; stackrestore.u64 %s; add.u32 %i, %i, 1;\n"                      \
    "setp.lt.u32 %e, %i, 500; @%e bra T;\n"                                                                            \
    "CALL: sub.u32 %i, %d, 1; add.u32 %v, %n, 1;\n"                                                                    \
    "{ .param .u32 a; .param .u32 b; .param .u32 c; st.param.u32 [a], %v; st.param.u32 [b], %i;\n"                     \
    "call (c), sum, (a, b); ld.param.u32 %v, [c]; add.u32 %r, %r, %v; }\n"                                             \
    "mov.u32 %i, 0; mov.u64 %q, %p;\n"                                                                                 \
    "S: ld.local.u32 %v, [%q]; add.u32 %r, %r, %v; add.u64 %q, %q, 4; add.u32 %i, %i, 1; setp.lt.u32 %e, %i, %n;\n"    \
    "@%e bra S; ld.local.u32 %v, [own]; add.u32 %r, %r, %v;\n"                                                         \
    "OUT: st.param.u32 [r], %r; ret; }\n"                                                                              \
    ".visible .entry k(.param .u64 out) { .reg .b64 %o, %t; .reg .b32 %i, %n, %r, %k, %all; .reg .pred %p;\n"          \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; and.b32 %n, %i, 7; add.u32 %n, %n, 1; mov.u32 %k, 0; mov.u32 %all, "  \
    "0;\n"                                                                                                             \
    "L: { .param .u32 a; .param .u32 b; .param .u32 c; st.param.u32 [a], %n; st.param.u32 [b], 5;\n"                   \
    "call (c), sum, (a, b); ld.param.u32 %r, [c]; add.u32 %all, %all, %r; }\n"                                         \
    "add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 99; @%p bra L;\n"                                                          \
    "mul.wide.u32 %t, %i, 4; add.u64 %o, %o, %t; st.global.u32 [%o], %all; ret; }\n"

static uint32_t sum(uint32_t n, uint32_t depth)
{
    uint32_t r = 0;
    if (!depth)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        r += depth * 1000 + i;
    return r + n + sum(n + 1, depth - 1);
}

Test(stack, lists_of_a_recursive_function)
{
    for (int t = 0; t < 2; t++) {
        const uint64_t bytes[] = {THREADS * 4};
        rig_target = targets[t];
        struct outcome o = rig_same_at_any_threads(SUMS, 1, bytes, NULL, 4, THREADS);
        cr_assert(o.ok, "%s", o.err.text);
        for (uint32_t i = 0; i < THREADS; i++)
            cr_expect_eq(((uint32_t *)o.memory[0])[i], 99 * sum(i % 8 + 1, 5), "%s thread %u", targets[t], i);
        outcome_free(&o);
    }
    rig_target = "sm_62";
}

/* In a kernel itself, with 32-bit addresses of the type, sizes by lane, guarded, and by a generic address; what is
 * taken again after a restore lies where it lay. */
#define ENTRY                                                                                                          \
    ".visible .entry k(.param .u64 out) { .local .align 4 .b8 own[40];\n"                                              \
    ".reg .b64 %o, %t, %g; .reg .b32 %i, %n, %a, %b, %s, %v, %w; .reg .pred %p;\n"                                     \
    "ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mul.lo.u32 %n, %i, 12; stacksave.u32 %s; mov.u32 %a, 0; mov.u32 "     \
    "%v, 0;\n"                                                                                                         \
    "setp.ge.u32 %p, %i, 10; @%p alloca.u32 %a, %n; @%p st.local.u32 [%a], %i; sub.u32 %v, %s, %a;\n"                  \
    "@%p cvt.u64.u32 %g, %a; @%p cvta.local.u64 %g, %g; @%p ld.u32 %w, [%g]; @!%p mov.u32 %w, %i;\n"                   \
    "stackrestore.u32 %s; @%p alloca.u32 %b, %n; @!%p mov.u32 %b, %a; sub.u32 %b, %b, %a; add.u32 %w, %w, %b;\n"       \
    "mul.wide.u32 %t, %i, 8; add.u64 %o, %o, %t; st.global.u32 [%o], %w; @%p st.global.u32 [%o+4], %v; ret; }\n"

Test(stack, of_the_kernel_itself)
{
    for (int t = 0; t < 2; t++) {
        const uint64_t bytes[] = {THREADS * 8};
        struct rig r;
        rig_target = targets[t];
        rig_open(&r, ENTRY, 1, bytes);
        rig_target = "sm_62";
        cr_assert(rig_run(&r, 2, THREADS), "%s", r.err.text);
        for (uint32_t i = 0; i < THREADS; i++) {
            const uint32_t *v = (uint32_t *)r.host[0] + 2 * i;
            cr_expect_eq(v[0], i, "thread %u: %u", i, v[0]);
            cr_expect_eq(v[1], i < 10 ? 0 : (12 * i + 7) / 8 * 8, "thread %u: %u", i, v[1]);
        }
        rig_close(&r);
    }
}

Test(stack, faults)
{
    static const struct {
        const char *body, *said;
    } cases[] = {
        {"alloca.u64 %a, 20000;", "20000 bytes: the stack of 16384 bytes per thread is exhausted"},
        {"L: alloca.u64 %a, 100; bra L;", "100 bytes: the stack of 16384 bytes"},
        {"alloca.u64 %a, 16; sub.u64 %a, %a, 16; stackrestore.u64 %a;", "is no address that a stacksave has given"},
        {"mov.u64 %a, -1; alloca.u64 %a, %a;", "18446744073709551615 bytes: the stack of"},
        {"alloca.u64 %a, 16000; call f;", "the stack of 16384 bytes per thread is exhausted"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[500];
        struct rig r;
        snprintf(body, sizeof body,
                 ".func f() { .local .b8 much[400]; ret; }\n"
                 ".visible .entry k() { .reg .b64 %%a;\n%s\nret; }\n",
                 cases[i].body);
        rig_open(&r, body, 0, NULL);
        rig_expect_fault(&r, 1, 32, RP_FAULT_STACK, cases[i].said);
        rig_close(&r);
    }
}

/* .local variables of a module without the ABI: one for all functions, in each thread, apart from their own. */
static const char *const of_module =
    "\n.version 2.3\n.target sm_20\n.local .u32 first;\n.local .align 8 .v2 .u32 pair[2];\n"
    ".func set(.param .u32 x) { .local .u32 own[4]; .reg .u32 r, a;\n"
    "ld.param.u32 r, [x]; st.local.u32 [own+4], 1; st.local.u32 [first], r; mov.u32 a, pair; add.u32 r, r, 1;\n"
    "st.local.u32 [a+12], r; ret; }\n"
    ".visible .entry k(.param .u64 p) { .reg .u64 d; .reg .u32 r<4>; .local .u32 mine;\n"
    "ld.param.u64 d, [p]; mov.u32 r0, %tid.x; mad.wide.u32 d, r0, 12, d;\n"
    "st.local.u32 [mine], 7; st.local.u32 [first], 8; { .param .u32 a; st.param.u32 [a], r0; call set, (a); }\n"
    "ld.local.u32 r1, [first]; ld.local.u32 r2, [pair+12]; ld.local.u32 r3, [mine];\n"
    "st.global.u32 [d], r1; st.global.u32 [d+4], r2; st.global.u32 [d+8], r3; ret; }\n";

Test(stack, variables_of_a_module)
{
    struct rig r;
    rig_open(&r, of_module, 1, (uint64_t[]){32 * 12});
    cr_assert(rig_run(&r, 1, 32), "%s", r.err.text);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *own = (uint32_t *)r.host[0] + 3 * i;
        cr_expect(own[0] == i && own[1] == i + 1 && own[2] == 7, "thread %u: %u %u %u", i, own[0], own[1], own[2]);
    }
    rig_close(&r);
}

/* The callee's frame is larger than the stack that was asked for, and it calls through a pointer, so that nobody knows
 * what the kernel needs at most. What it needs at least is known. */
Test(stack, has_room_for_direct_calls_beside_those_through_pointers)
{
    struct rig rig;
    rig_open(&rig,
             ".func last() { ret; }\n"
             ".func large() {\n.local .align 4 .b8 big[4096]; .reg .b64 %f;\nst.local.u32 [big+4092], 1;\n"
             "mov.u64 %f, last;\nPROTO: .callprototype _ ();\ncall %f, PROTO; ret; }\n"
             ".visible .entry k(.param .u64 arg0) {\n.reg .b64 %a;\nld.param.u64 %a, [arg0];\ncall large;\n"
             "st.global.u32 [%a], 5; ret; }\n",
             1, (uint64_t[]){4});
    rig.config.stack_bytes = 1024;
    cr_assert(rig_run(&rig, 1, 1), "%s", rig.err.text);
    cr_expect_eq(*(const uint32_t *)rig.host[0], 5);
    rig_close(&rig);
}
