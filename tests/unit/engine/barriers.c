/* Barriers: who waits for whom, reductions, and what never completes. */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"
#include "tests/support/divergent_calls.h"

/* %r1: thread, %rd1: argument 0, %rd3: its word for this thread */
#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a)\n{\n"                                                                            \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<8>; .shared .align 4 .b8 s[4096];\n"                           \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1;\n"                                  \
    "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"
#define TAIL "\nret;\n}\n"

static const uint64_t bytes[] = {4096};

static struct rig run(const char *body, uint32_t threads)
{
    struct rig r;
    rig_open(&r, body, 1, bytes);
    cr_assert(rig_run(&r, 1, threads), "%s", r.err.text);
    return r;
}

static void faults(const char *body, uint32_t threads, enum rp_fault_kind kind, const char *text)
{
    struct rig r;
    rig_open(&r, body, 1, bytes);
    rig_expect_fault(&r, 1, threads, kind, text);
    rig_close(&r);
}

static uint32_t word(const struct rig *r, uint32_t i) { return ((uint32_t *)r->host[0])[i]; }

Test(barriers, all_warps_see_what_was_stored_before)
{
    struct rig r = run(HEAD "st.shared.u32 [%r3], %r1; bar.sync 0; xor.b32 %r2, %r2, 1020; mov.u32 %r3, s;\n"
                            "add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd3], %r4;" TAIL,
                       256);
    for (uint32_t i = 0; i < 256; i++)
        cr_assert_eq(word(&r, i), 255 - i);
    rig_close(&r);
}

/* Pascal counts warps that have ended as arrived. */
Test(barriers, warps_that_have_ended_are_not_waited_for)
{
    struct rig r = run(HEAD "setp.lt.u32 %p1, %r1, 96; @%p1 ret; bar.sync 0; st.global.u32 [%rd3], 5;" TAIL, 256);
    for (uint32_t i = 0; i < 256; i++)
        cr_assert_eq(word(&r, i), i < 96 ? 0 : 5);
    rig_close(&r);
}

/* ... also when they end while others wait already. */
Test(barriers, a_warp_that_ends_lets_the_others_go)
{
    struct rig r = run(HEAD "setp.ge.u32 %p1, %r1, 96; @%p1 ret; bar.sync 0; st.global.u32 [%rd3], 5;" TAIL, 128);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(word(&r, i), i < 96 ? 5 : 0);
    rig_close(&r);
}

/* Some lanes leave early, deep in a branch, so that no post-dominator brings the others together before the barrier:
 * they still arrive as one. */
Test(barriers, lanes_meet_at_a_barrier_after_early_returns)
{
    struct rig r = run(HEAD "and.b32 %r4, %r1, 3; setp.lt.u32 %p1, %r4, 2; @%p1 bra A; bra B;\n"
                            "A: setp.eq.u32 %p2, %r4, 1; @%p2 bra OUT;\n"
                            "B: st.shared.u32 [%r3], %r1; bar.sync 0; xor.b32 %r2, %r2, 256; mov.u32 %r3, s;\n"
                            "add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd3], %r4;\nOUT:" TAIL,
                       128);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(word(&r, i), i % 4 == 1 ? 0 : i ^ 64, "thread %u", i);
    rig_close(&r);
}

/* The same where both sides of a branch have the barrier's join behind them, and in a loop: lanes with an odd number
 * leave in the third round. */
Test(barriers, lanes_that_left_a_loop_are_not_waited_for)
{
    struct rig r =
        run(HEAD "mov.u32 %r5, 0; and.b32 %r6, %r1, 1;\n"
                 "L: setp.eq.u32 %p1, %r5, 2; setp.eq.u32 %p2, %r6, 1; and.pred %p3, %p1, %p2; @%p3 bra OUT;\n"
                 "bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 6; @%p1 bra L;\n"
                 "OUT: st.global.u32 [%rd3], %r5;" TAIL,
            96);
    for (uint32_t i = 0; i < 96; i++)
        cr_assert_eq(word(&r, i), i & 1 ? 2 : 6);
    rig_close(&r);
}

/* Warp 0 fills, warps 1 to 3 wait for barrier 2 with 128 threads; warp 0 only arrives. */
Test(barriers, producers_arrive_and_go_on)
{
    struct rig r = run(HEAD "setp.ge.u32 %p1, %r1, 32; @%p1 bra C;\n"
                            "st.shared.u32 [%r3], 77; bar.arrive 2, 128; st.global.u32 [%rd3], 1; bra E;\n"
                            "C: bar.sync 2, 128; ld.shared.u32 %r4, [s+4]; st.global.u32 [%rd3], %r4;\nE:" TAIL,
                       128);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(word(&r, i), i < 32 ? 1 : 77);
    rig_close(&r);
}

/* Two halves of a block use two barriers, named in a register. */
Test(barriers, ids_and_counts_may_be_in_registers)
{
    struct rig r = run(HEAD "shr.u32 %r5, %r1, 6; add.u32 %r5, %r5, 3; mov.u32 %r6, 64; st.shared.u32 [%r3], %r1;\n"
                            "bar.sync %r5, %r6; xor.b32 %r2, %r2, 128; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"
                            "ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd3], %r4;" TAIL,
                       128);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(word(&r, i), i ^ 32);
    rig_close(&r);
}

Test(barriers, reductions_give_all_threads_the_result)
{
    struct rig r = run(HEAD "setp.lt.u32 %p1, %r1, 37; bar.red.popc.u32 %r4, 0, %p1; bar.red.and.pred %p2, 0, !%p1;\n"
                            "bar.red.or.pred %p3, 1, %p1; setp.lt.u32 %p1, %r1, 500; bar.red.and.pred %p4, 1, %p1;\n"
                            "selp.u32 %r5, 1000, 0, %p2; selp.u32 %r6, 2000, 0, %p3; selp.u32 %r7, 4000, 0, %p4;\n"
                            "add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7;\n"
                            "st.global.u32 [%rd3], %r4;" TAIL,
                       160);
    for (uint32_t i = 0; i < 160; i++)
        cr_assert_eq(word(&r, i), 37 + 2000 + 4000);
    rig_close(&r);
}

Test(barriers, lanes_meet_in_functions)
{
    for (unsigned i = 0; i < DIVERGENT_CALLS; i++) {
        const struct divergent_call *c = &divergent_calls[i];
        struct rig r = run(c->ptx, DIVERGENT_CALL_THREADS);
        for (uint32_t t = 0; t < DIVERGENT_CALL_THREADS; t++)
            cr_expect_eq(word(&r, t), c->expected(t), "%s: thread %u: %u", c->name, t, word(&r, t));
        rig_close(&r);
    }
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The two halves of each warp stand before different barriers, and neither gets on without the other. */
Test(barriers, half_a_warp_cannot_wait)
{
    faults(HEAD
           "and.b32 %r4, %r1, 31; setp.lt.u32 %p1, %r4, 16; @%p1 bra A; bra E;\nA: bar.sync 0;\nE: bar.sync 0;" TAIL,
           64, RP_FAULT_BARRIER, "reached by 16 threads of warp 0 while 16 others of it are elsewhere");
}

Test(barriers, a_guard_cannot_divide_a_warp_at_a_barrier)
{
    faults(HEAD "setp.eq.u32 %p1, %r1, 3; @%p1 bar.sync 0;" TAIL, 32, RP_FAULT_BARRIER,
           "reached by 1 thread of warp 0 while 31 others");
}

/* The operands of the two halves lie in different places. */
Test(barriers, a_reduction_by_different_calls)
{
    faults(".func f()\n{\n.reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3;\n"
           "bar.red.popc.u32 %r1, 0, %p1; ret;\n}\n" HEAD
           "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; call f; bra E;\nA: call f;\nE:" TAIL,
           32, RP_FAULT_BARRIER, "threads of warp 0 reach a reducing barrier by different calls");
}

Test(barriers, two_barriers_each_waiting_for_the_other_are_a_deadlock)
{
    faults(HEAD "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; bra E;\nA: bar.sync 2;\nE:" TAIL, 64,
           RP_FAULT_DEADLOCK, "warp 0 at barrier 2");
}

Test(barriers, a_count_that_is_never_reached_is_reported)
{
    faults(HEAD "setp.ge.u32 %p1, %r1, 32; @%p1 ret; bar.sync 1, 64;" TAIL, 64, RP_FAULT_BARRIER,
           "barrier 1 has 32 of 64 threads");
}

Test(barriers, bad_ids_and_counts_are_reported)
{
    faults(HEAD "mov.u32 %r4, 16; bar.sync %r4;" TAIL, 32, RP_FAULT_SYNC, "barrier 16 does not exist");
    faults(HEAD "mov.u32 %r4, 33; bar.sync 0, %r4;" TAIL, 64, RP_FAULT_SYNC, "must be a multiple of 32");
    faults(HEAD "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1, 96; bra E;\nA: bar.sync 1, 64;\nE:" TAIL, 96,
           RP_FAULT_SYNC, "used with 64 threads and with 96");
}
