#include "tests/support/divergent_calls.h"

#include <stdbool.h>

/* f(a) gives a and what the thread's partner gave, or 0 if that did not call. */
#define F                                                                                                              \
    ".shared .align 4 .b8 sh[512];\n"                                                                                  \
    ".func (.param .b32 r) f(.param .b32 a)\n{\n"                                                                      \
    ".reg .b32 %r<12>;\n"                                                                                              \
    "ld.param.b32 %r1, [a]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, sh; add.u32 %r5, %r4, %r3;\n"       \
    "mov.u32 %r7, 2; st.shared.u32 [%r5], %r1; bar.sync %r7;\n"                                                        \
    "xor.b32 %r3, %r3, 380; add.u32 %r5, %r4, %r3; ld.shared.u32 %r6, [%r5]; bar.sync %r7;\n"                          \
    "add.u32 %r6, %r6, %r1; st.param.b32 [r], %r6; ret;\n}\n"
#define CALL(function, a)                                                                                              \
    "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], " a "; call (r0), " function                                 \
    ", (a0); ld.param.b32 %r9, [r0]; }\n"
/* %r1: thread, %rd3: its word */
#define K                                                                                                              \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                          \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"                                                         \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1;\n"
#define END "\nret;\n}\n"

static uint32_t partner(uint32_t thread) { return thread ^ 95; }

static uint32_t with_early_leavers(uint32_t i) { return i & 4 ? 0 : i; }

static uint32_t with_bystanders(uint32_t i) { return i & 1 ? 8 : i + 1; }

static bool by_g(uint32_t i) { return (i & 95) < 12; }

static uint32_t of_two_calls(uint32_t i)
{
    return i + partner(i) + (by_g(i) ? 1000 + 8 * i : 0) + (by_g(partner(i)) ? 1000 : 0);
}

/* Partners make as many rounds. */
static uint32_t of_a_loop(uint32_t i)
{
    uint32_t rounds = ((i < partner(i) ? i : partner(i)) & 3) + 1, sum = 0;
    for (uint32_t n = 0; n < rounds; n++)
        sum += i + n + partner(i) + n;
    return sum;
}

const struct divergent_call divergent_calls[DIVERGENT_CALLS] = {
    {"lanes that have left, and wait at the kernel's end",
     F K "and.b32 %r4, %r1, 4; setp.ne.u32 %p1, %r4, 0; @%p1 bra END;\n" CALL(
         "f", "%r1") "st.global.u32 [%rd3], %r9;\nEND:" END,
     with_early_leavers},
    {"lanes that do not call, and have work left",
     F K "and.b32 %r4, %r1, 1; setp.ne.u32 %p1, %r4, 0; mov.u32 %r9, 7; @%p1 bra J;\n" CALL(
         "f", "%r1") "J: add.u32 %r9, %r9, 1; st.global.u32 [%rd3], %r9;" END,
     with_bystanders},
    /* The wider registers of g must not lie over those of f. Two warps do not divide, so that a barrier whose number is
     * read from another lane's registers is never complete. */
    {"both sides of a branch call, the one f, the other g, which calls f",
     F ".func (.param .b32 r) g(.param .b32 a)\n{\n.reg .b32 %r<12>; .reg .b64 %d<20>;\n"
       "ld.param.b32 %r1, [a]; mul.wide.u32 %d1, %r1, 3; mul.wide.u32 %d15, %r1, 5; add.u32 %r2, %r1, 1000;\n" CALL(
           "f", "%r2") "cvt.u32.u64 %r3, %d1; add.u32 %r9, %r9, %r3; cvt.u32.u64 %r3, %d15; add.u32 %r9, %r9, %r3;\n"
                       "st.param.b32 [r], %r9; ret;\n}\n" K
                       "and.b32 %r4, %r1, 95; setp.lt.u32 %p1, %r4, 12; @%p1 bra A;\n" CALL(
                           "f", "%r1") "bra J;\nA: " CALL("g", "%r1") "J: st.global.u32 [%rd3], %r9;" END,
     of_two_calls},
    {"a loop of calls that lanes leave after one to four rounds",
     F K "mov.u32 %r8, 0; mov.u32 %r12, 0; xor.b32 %r4, %r1, 95; min.u32 %r4, %r4, %r1; and.b32 %r4, %r4, 3;\n"
         "L: add.u32 %r7, %r1, %r8;\n" CALL(
             "f", "%r7") "add.u32 %r12, %r12, %r9; add.u32 %r8, %r8, 1; setp.le.u32 %p2, %r8, %r4; @%p2 bra L;\n"
                         "st.global.u32 [%rd3], %r12;" END,
     of_a_loop},
};
