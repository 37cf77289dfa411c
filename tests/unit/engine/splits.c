/* Lanes of a warp that wait for one another: each kernel on sm_75, where they give way, beside its verdict on sm_62,
 * where a warp runs one path at a time. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests/support/kernel_case.h"

/* %r1: thread, %r2: lane, %rd1: argument 0, %rd3: its word for this thread, %p1: an even lane */
#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a)\n{\n"                                                                            \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<8>; .shared .align 4 .b8 s[4096];\n"                           \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1;\n"                                  \
    "mov.u32 %r2, %laneid; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;\n"
#define STORE "st.global.u32 [%rd3], %r9;"
#define TAIL "\nret;\n}\n"

static const uint64_t bytes[] = {4096};

static uint32_t word(const struct rig *r, uint32_t i) { return ((uint32_t *)r->host[0])[i]; }

/* Runs the kernel on a target and compares each thread's word. */
static void gives(const char *target, const char *body, uint32_t blocks, uint32_t threads,
                  uint32_t (*expected)(uint32_t))
{
    struct rig r;
    rig_target = target;
    rig_open(&r, body, 1, bytes);
    cr_assert(rig_run(&r, blocks, threads), "%s: %s", target, r.err.text);
    for (uint32_t i = 0; i < threads; i++)
        cr_expect_eq(word(&r, i), expected(i), "%s: thread %u: %u, not %u", target, i, word(&r, i), expected(i));
    rig_close(&r);
    struct outcome o = rig_same_at_any_threads(body, 1, bytes, NULL, blocks, threads); /* the trace is whole, too */
    outcome_free(&o);
}

static void fails(const char *target, const char *body, uint32_t threads, enum rp_fault_kind kind, const char *text)
{
    struct rig r;
    rig_target = target;
    rig_open(&r, body, 1, bytes);
    r.config.limit = 50000;
    rig_expect_fault(&r, 1, threads, kind, text);
    rig_close(&r);
}

/* ---- spinning ---------------------------------------------------------------------------------------------------- */

/* Each lane takes the lock in word 0, adds 3 to word 1, and gives the lock back. */
#define LOCK(step)                                                                                                     \
    HEAD "mov.u32 %r8, 0;\nL: " step "atom.global.cas.b32 %r4, [%rd1], 0, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra L;\n"   \
         "ld.volatile.global.u32 %r5, [%rd1+4]; add.u32 %r5, %r5, 3; st.volatile.global.u32 [%rd1+4], %r5;\n"          \
         "membar.gl; atom.global.exch.b32 %r4, [%rd1], 0;" TAIL
static uint32_t locked_64(uint32_t t) { return t == 1 ? 3 * 128 : 0; }
static uint32_t locked_32(uint32_t t) { return t == 1 ? 3 * 32 : 0; }

Test(splits, a_lock_per_lane)
{
    gives("sm_75", LOCK(""), 2, 64, locked_64);
    fails("sm_62", LOCK(""), 64, RP_FAULT_LIVELOCK, "");
}

/* Lanes that count while they wait never come to the same state. */
Test(splits, a_lock_per_lane_and_lanes_that_count)
{
    gives("sm_75", LOCK("add.u32 %r8, %r8, 1; "), 1, 32, locked_32);
    fails("sm_62", LOCK("add.u32 %r8, %r8, 1; "), 32, RP_FAULT_LIVELOCK, "");
}

/* The side that runs first spins with plain loads and counts: the count does not decide, so it is seen to spin, and the
 * side that stores the flag gets its turn. */
#define COUNTING_SIDES                                                                                                 \
    HEAD "mov.u32 %r8, 0; @%p1 bra L;\nmov.u32 %r5, 6; st.shared.u32 [s], %r5; bra.uni DONE;\n"                        \
         "L: add.u32 %r8, %r8, 1; ld.shared.u32 %r4, [s]; setp.eq.u32 %p2, %r4, 0; @%p2 bra L;\n"                      \
         "DONE: ld.shared.u32 %r9, [s];\n" STORE TAIL
static uint32_t six(uint32_t t)
{
    (void)t;
    return 6;
}

Test(splits, one_side_counts_while_it_waits_for_the_other)
{
    gives("sm_75", COUNTING_SIDES, 1, 32, six);
    fails("sm_62", COUNTING_SIDES, 32, RP_FAULT_LIMIT, "");
}

/* Lane 0 waits at the join for those that wait, with plain loads and a heartbeat, for what it stores behind the join.
 * Each block alone finds out that it goes round, and lets lane 0 go ahead: the blocks need no fixed order. */
static const char at_the_join[] =
    HEAD "mov.u32 %r4, %ctaid.x; mad.wide.u32 %rd4, %r4, 1024, %rd1; mov.u32 %r8, 0; setp.eq.u32 %p2, %r2, 0;\n"
         "@%p2 bra JOIN;\nL: add.u32 %r8, %r8, 1; st.global.u32 [%rd4+64], %r8; ld.global.u32 %r5, [%rd4];\n"
         "setp.eq.u32 %p3, %r5, 0; @%p3 bra L;\nJOIN: @%p2 st.global.u32 [%rd4], 9;" TAIL;

Test(splits, lanes_at_a_join_go_ahead_in_blocks_that_run_in_parallel)
{
    rig_target = "sm_75";
    struct outcome o = rig_same_at_any_threads(at_the_join, 1, bytes, NULL, 4, 32);
    cr_assert(o.ok && !o.racy, "%s", o.err.text);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(((uint32_t *)o.memory[0])[256 * i], 9);
    outcome_free(&o);
}

/* ... nor do those that store. */
Test(splits, a_lock_per_lane_and_lanes_that_store)
{
    gives("sm_75", LOCK("st.global.u32 [%rd1+2048], %r8; "), 1, 32, locked_32);
}

/* Lane n waits until word 600 is n, and makes it n + 1; from the last lane to the first, against the order of lanes. */
#define HAND_OFF                                                                                                       \
    HEAD "sub.u32 %r7, 31, %r2;\nL: ld.volatile.shared.u32 %r4, [s]; setp.ne.u32 %p2, %r4, %r7; @%p2 bra L;\n"         \
         "ld.volatile.shared.u32 %r5, [s+4]; add.u32 %r9, %r5, %r2; st.volatile.shared.u32 [s+4], %r9;\n"              \
         "add.u32 %r4, %r4, 1; st.volatile.shared.u32 [s], %r4; " STORE TAIL
static uint32_t handed(uint32_t t)
{
    uint32_t sum = 0;
    for (uint32_t l = 31; l + 1 > t; l--)
        sum += l;
    return sum;
}

Test(splits, lanes_hand_off_to_one_another)
{
    gives("sm_75", HAND_OFF, 8, 32, handed);
    fails("sm_62", HAND_OFF, 32, RP_FAULT_LIMIT, "");
}

/* The two sides of a branch wait for each other in turns, and the join of the branch is behind both. */
#define PING_PONG                                                                                                      \
    HEAD "mov.u32 %r9, 0; selp.u32 %r7, 0, 1, %p1; setp.lt.u32 %p3, %r2, 2; @!%p3 bra E; @%p1 bra A;\n"                \
         "B: ld.volatile.shared.u32 %r4, [s]; and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra B;\n"             \
         "add.u32 %r4, %r4, 1; st.volatile.shared.u32 [s], %r4; add.u32 %r9, %r9, %r4; setp.lt.u32 %p2, %r4, 20;\n"    \
         "@%p2 bra B; bra E;\n"                                                                                        \
         "A: ld.volatile.shared.u32 %r4, [s]; and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r5, 1; @%p2 bra A;\n"             \
         "add.u32 %r4, %r4, 1; st.volatile.shared.u32 [s], %r4; add.u32 %r9, %r9, %r4; setp.lt.u32 %p2, %r4, 19;\n"    \
         "@%p2 bra A;\nE: " STORE TAIL
static uint32_t ping_pong(uint32_t t) { return t == 0 ? 100 : t == 1 ? 110 : 0; }

Test(splits, two_sides_that_wait_in_turns)
{
    gives("sm_75", PING_PONG, 1, 32, ping_pong);
    fails("sm_62", PING_PONG, 32, RP_FAULT_LIMIT, "");
}

Test(splits, what_nobody_stores_is_a_livelock)
{
    fails("sm_75",
          HEAD "@%p1 bra E; L: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra L; E:" TAIL, 64,
          RP_FAULT_LIVELOCK, "");
}

/* ---- warp barriers and collectives ------------------------------------------------------------------------------- */

/* Neighbours exchange words through shared memory, each in its arm. On sm_62 the arm that runs first finds nothing. */
#define EXCHANGE                                                                                                       \
    "shl.b32 %r4, %r2, 2; mov.u32 %r5, s; add.u32 %r5, %r5, %r4; xor.b32 %r6, %r4, 4; mov.u32 %r7, s;\n"               \
    "add.u32 %r7, %r7, %r6; add.u32 %r8, %r1, 7;\n"
#define ARMS                                                                                                           \
    HEAD EXCHANGE "@%p1 bra A; st.shared.u32 [%r5], %r8; bar.warp.sync 0xffffffff; ld.shared.u32 %r9, [%r7]; bra E;\n" \
                  "A: st.shared.u32 [%r5], %r8; bar.warp.sync -1; ld.shared.u32 %r9, [%r7]; E: " STORE TAIL
static uint32_t neighbour(uint32_t t) { return (t ^ 1) + 7; }
static uint32_t first_finds_nothing(uint32_t t) { return t & 1 ? (t ^ 1) + 7 : 0; }

Test(splits, a_warp_barrier_across_arms)
{
    gives("sm_75", ARMS, 1, 32, neighbour);
    gives("sm_62", ARMS, 1, 32, first_finds_nothing);
}

/* Collectives in both arms of a branch, with their operands in different registers. */
#define COLLECTIVES                                                                                                    \
    HEAD "mul.lo.u32 %r4, %r1, 10; mul.lo.u32 %r5, %r1, 100; and.b32 %r6, %r1, 12; cvt.u64.u32 %rd4, %r6;\n"           \
         "mov.u64 %rd5, %rd4; setp.lt.u32 %p2, %r2, 9; setp.ge.u32 %p3, %r2, 9; mov.u32 %r20, -1; @%p1 bra A;\n"       \
         "shfl.sync.bfly.b32 %r10|%p4, %r4, 1, 31, -1; vote.sync.ballot.b32 %r11, %p2, %r20;\n"                        \
         "match.any.sync.b64 %r12, %rd4, -1; redux.sync.add.u32 %r13, %r4, %r20; elect.sync %r14|%p5, -1;\n"           \
         "selp.u32 %r15, 1000, 0, %p5; bra E;\n"                                                                       \
         "A: shfl.sync.bfly.b32 %r16, %r5, 1, 31, %r20; mov.u32 %r10, %r16; vote.sync.ballot.b32 %r11, !%p3, -1;\n"    \
         "match.any.sync.b64 %r17, %rd5, %r20; mov.u32 %r12, %r17; redux.sync.add.u32 %r13, %r5, -1;\n"                \
         "elect.sync %r14|%p6, %r20; selp.u32 %r15, 1000, 0, %p6;\n"                                                   \
         "E: xor.b32 %r9, %r10, %r11; xor.b32 %r9, %r9, %r12; add.u32 %r9, %r9, %r13; add.u32 %r9, %r9, %r14;\n"       \
         "add.u32 %r9, %r9, %r15; " STORE TAIL
static uint32_t collected(uint32_t t)
{
    uint32_t n = t ^ 1, same = 0, sum = 0;
    for (uint32_t l = 0; l < 32; l++) {
        same |= (uint32_t)((l & 12) == (t & 12)) << l;
        sum += l & 1 ? 10 * l : 100 * l;
    }
    return ((n & 1 ? 10 * n : 100 * n) ^ 0x1ff ^ same) + sum + 0 + (t == 0 ? 1000 : 0);
}

Test(splits, collectives_across_arms) { gives("sm_90", COLLECTIVES, 1, 32, collected); }

/* Tiles of 8 lanes name masks of their own in one instruction; a group of it is in another arm. `largest`: into %r8 the
 * highest %r1 of the tile, which is that of its lane 7; sm_62 has no redux. */
#define REDUX "redux.sync.max.u32 %r8, %r1, %r5; "
#define LANE_7 "shfl.sync.idx.b32 %r8, %r1, 7, 6175, %r5; "
#define TILES(largest)                                                                                                 \
    "shr.u32 %r4, %r2, 3; shl.b32 %r4, %r4, 3; mov.u32 %r5, 255; shl.b32 %r5, %r5, %r4; setp.lt.u32 %p2, %r2, 13;\n"   \
    "vote.sync.ballot.b32 %r6, %p2, %r5; shfl.sync.idx.b32 %r7, %r1, 3, 6175, %r5;\n" largest                          \
    "mad.lo.u32 %r9, %r8, 100, %r7; xor.b32 %r9, %r9, %r6;\n"
static uint32_t tiled(uint32_t t)
{
    uint32_t first = t & 24, ballot = 0x1fffu & 255u << first;
    return ((first + 7) * 100 + (first + 3)) ^ ballot;
}

Test(splits, tiles_with_masks_of_their_own)
{
    gives("sm_80", HEAD TILES(REDUX) STORE TAIL, 1, 32, tiled);
    gives("sm_62", HEAD TILES(LANE_7) STORE TAIL, 1, 32, tiled);
}
/* Where each tile is in two arms, its lanes wait for one another; tiles do not wait for other tiles. */
Test(splits, tiles_in_two_arms)
{
    gives("sm_80", HEAD "@%p1 bra A;\n" TILES(REDUX) "bra E;\nA:" TILES(REDUX) "E: " STORE TAIL, 1, 32, tiled);
}

/* Sums like those of NVIDIA's samples: half the warp adds what lies 16, 8, ... lanes above, where at first nobody takes
 * part. On sm_62 what is left in the registers of the others gets into the sum. */
#define PART                                                                                                           \
    HEAD "add.u32 %r9, %r1, 1; setp.ge.u32 %p2, %r2, 16; @%p2 bra E; mov.u32 %r4, 16;\n"                               \
         "L: shfl.sync.down.b32 %r5, %r9, %r4, 31, 0xffff; add.u32 %r9, %r9, %r5; shr.u32 %r4, %r4, 1;\n"              \
         "setp.ne.u32 %p3, %r4, 0; @%p3 bra L; setp.ne.u32 %p3, %r2, 0; @%p3 mov.u32 %r9, 0; E: " STORE TAIL
static uint32_t sum_of_16(uint32_t t) { return t == 0 ? 136 : t < 16 ? 0 : t + 1; }
static uint32_t sum_of_32(uint32_t t) { return t == 0 ? 528 : t < 16 ? 0 : t + 1; }

Test(splits, a_reduction_by_some_of_the_lanes)
{
    gives("sm_75", PART, 1, 32, sum_of_16);
    gives("sm_62", PART, 1, 32, sum_of_32);
}

static uint32_t ballot_of_odd(uint32_t t) { return t & 1 ? 5 : 0x5555; }
static uint32_t filled(uint32_t t) { return t & 1 ? 77 : 1; }
/* Lanes that have exited are not waited for, whether they exit before the others come or after. */
Test(splits, exited_lanes_are_not_waited_for)
{
    gives("sm_75",
          HEAD "mov.u32 %r9, 0; @!%p1 bra A; setp.lt.u32 %p2, %r2, 16; vote.sync.ballot.b32 %r9, %p2, -1; " STORE
               "ret;\nA: mov.u32 %r9, 5; " STORE TAIL,
          1, 32, ballot_of_odd);
}

/* Guards keep lanes out: they do not wait. */
#define GUARDED HEAD "mov.u32 %r9, 0; @%p1 vote.sync.ballot.b32 %r9, %p1, 0x55555555; " STORE TAIL
static uint32_t even_ballot(uint32_t t) { return t & 1 ? 0 : 0x55555555; }
Test(splits, guarded_collectives)
{
    gives("sm_75", GUARDED, 1, 32, even_ballot);
    gives("sm_62", GUARDED, 1, 32, even_ballot);
}

/* ---- named barriers ---------------------------------------------------------------------------------------------- */

#define SHARE                                                                                                          \
    "shl.b32 %r4, %r1, 2; mov.u32 %r5, s; add.u32 %r5, %r5, %r4; xor.b32 %r6, %r4, 132; mov.u32 %r7, s;\n"             \
    "add.u32 %r7, %r7, %r6; add.u32 %r8, %r1, 7; st.shared.u32 [%r5], %r8;\n"
static uint32_t far_neighbour(uint32_t t) { return (t ^ 33) + 7; }
#define BARRIER_ARMS(a, b)                                                                                             \
    HEAD SHARE "@%p1 bra A; " a "; ld.shared.u32 %r9, [%r7]; bra E;\nA: " b "; ld.shared.u32 %r9, [%r7]; E: " STORE TAIL

Test(splits, barriers_in_two_arms)
{
    gives("sm_75", BARRIER_ARMS("barrier.sync 0", "barrier.sync 0"), 1, 64, far_neighbour);
    gives("sm_75", BARRIER_ARMS("bar.sync 0", "bar.sync 0"), 1, 64, far_neighbour);
    gives("sm_75", BARRIER_ARMS("barrier.sync 1, 64", "barrier.sync 1, 64"), 1, 64, far_neighbour);
    fails("sm_62", BARRIER_ARMS("barrier.sync 0", "barrier.sync 0"), 64, RP_FAULT_BARRIER,
          "a barrier is reached by 16 threads of warp 0 while 16 others of it are elsewhere");
}

/* The lanes of a warp arrive by themselves: half of it fills, the other half waits. */
Test(splits, a_part_of_a_warp_arrives)
{
    static const char body[] = HEAD "mov.u32 %r9, 1; @%p1 bra A; bar.sync 2, 32; ld.shared.u32 %r9, [s+64]; bra E;\n"
                                    "A: st.shared.u32 [s+64], 77; bar.arrive 2, 32; E: " STORE TAIL;
    gives("sm_75", body, 1, 32, filled);
}

#define RED_ARMS                                                                                                       \
    HEAD "setp.lt.u32 %p2, %r1, 37; @%p1 bra A; barrier.red.popc.u32 %r9, 0, %p2; bra E;\n"                            \
         "A: barrier.red.popc.u32 %r10, 0, %p2; mov.u32 %r9, %r10; E: " STORE TAIL
static uint32_t thirty_seven(uint32_t t) { return t < 64 ? 37 : 0; }
Test(splits, a_reduction_in_two_arms) { gives("sm_75", RED_ARMS, 1, 64, thirty_seven); }

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Two functions whose registers lie at the same place but are of other widths wait for each other's lanes; the lanes of
 * one arm find what they kept. */
static uint32_t through_calls(uint32_t t) { return (t & 1 ? 3 * t + 1 : 5 * t + 2) + 496; }
Test(splits, waits_inside_calls)
{
    gives(
        "sm_80",
        ".func (.param .b32 r) f(.param .b32 x) {\n.reg .b64 %d<9>; .reg .b32 %r<4>; ld.param.b32 %r1, [x];\n"
        "cvt.u64.u32 %d1, %r1; mul.lo.u64 %d2, %d1, 3; add.u64 %d3, %d2, 1; redux.sync.add.u32 %r2, %r1, -1;\n"
        "cvt.u32.u64 %r3, %d3; add.u32 %r3, %r3, %r2; st.param.b32 [r], %r3; ret; }\n"
        ".func (.param .b32 r) g(.param .b32 x) {\n.reg .b32 %r<19>; ld.param.b32 %r1, [x]; mul.lo.u32 %r7, %r1, 5;\n"
        "add.u32 %r8, %r7, 2; mov.u32 %r9, %r8; redux.sync.add.u32 %r2, %r1, -1; add.u32 %r3, %r9, %r2;\n"
        "st.param.b32 [r], %r3; ret; }\n" HEAD "@%p1 bra A; { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; "
        "call (r), f, (x); ld.param.b32 %r9, [r]; }\n"
        "bra E;\nA: { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), g, (x); ld.param.b32 %r9, [r]; }\n"
        "E: " STORE TAIL,
        1, 32, through_calls);
}

/* Lanes meet in a ballot at different depths of a recursion. */
static uint32_t recursed(uint32_t t) { return 32 + t % 4 * 10; }
Test(splits, waits_inside_a_recursion)
{
    gives("sm_75",
          ".func (.param .b32 r) f(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p<3>; ld.param.b32 %r1, [n];\n"
          "setp.eq.u32 %p1, %r1, 0; @%p1 bra Z; sub.u32 %r2, %r1, 1;\n"
          "{ .param .b32 n; .param .b32 r; st.param.b32 [n], %r2; call (r), f, (n); ld.param.b32 %r3, [r]; }\n"
          "add.u32 %r3, %r3, 10; st.param.b32 [r], %r3; ret;\n"
          "Z: vote.sync.ballot.b32 %r4, %p1, -1; popc.b32 %r5, %r4; st.param.b32 [r], %r5; ret; }\n" HEAD
          "and.b32 %r4, %r1, 3; { .param .b32 n; .param .b32 r; st.param.b32 [n], %r4; call (r), f, (n);\n"
          "ld.param.b32 %r9, [r]; } " STORE TAIL,
          1, 32, recursed);
}

/* The lanes of warp 0 spin in two loops with calls, in turns, until warp 1 has counted for long and sets the flag. No
 * number of turns needs more registers than the calls that are open. */
static uint32_t flagged(uint32_t t) { return t < 32 ? 1 + t % 2 : t == 32 ? 1 : 0; }
#define POLL                                                                                                           \
    "{ .param .b64 x; .param .b32 r; st.param.b64 [x], %rd1; call (r), f, (x); ld.param.b32 %r9, [r]; }\n"             \
    "setp.eq.u32 %p3, %r9, 0;"
Test(splits, spinning_with_calls_in_two_arms)
{
    gives("sm_75",
          ".func (.param .b32 r) f(.param .b64 x) {\n.reg .b64 %d<3>; .reg .b32 %r<4>; ld.param.b64 %d1, [x];\n"
          "ld.volatile.global.u32 %r1, [%d1+128]; st.param.b32 [r], %r1; ret; }\n" HEAD
          "setp.ge.u32 %p2, %r1, 32; @%p2 bra WORK; @%p1 bra B;\n"
          "A: " POLL " @%p3 bra A; mov.u32 %r9, 2; bra E;\nB: " POLL " @%p3 bra B; mov.u32 %r9, 1;\nE: " STORE
          "\nret;\nWORK: setp.ne.u32 %p4, %r2, 0; @%p4 bra Z; mov.u32 %r8, 0;\n"
          "W: add.u32 %r8, %r8, 1; st.volatile.global.u32 [%rd1+256], %r8; setp.lt.u32 %p3, %r8, 400000; @%p3 bra W;\n"
          "st.volatile.global.u32 [%rd1+256], 0; st.volatile.global.u32 [%rd1+128], 1;\nZ:" TAIL,
          1, 64, flagged);
}

/* ---- what never ends --------------------------------------------------------------------------------------------- */

Test(splits, a_lane_that_never_comes)
{
    fails("sm_75", HEAD "@%p1 bra A; bar.warp.sync -1; bra E;\nA: vote.sync.ballot.b32 %r9, %p1, -1; E:" TAIL, 32,
          RP_FAULT_DEADLOCK, "waits here forever for lane");
    fails("sm_75",
          HEAD "@%p1 bra A; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; bra E;\n"
               "A: shfl.sync.down.b32 %r9, %r1, 0, 31, -1; E:" TAIL,
          32, RP_FAULT_DEADLOCK, "which its mask 0xffffffff names: lane");
    fails("sm_75", HEAD "@%p1 bra A; bar.warp.sync -1; bra E;\nA: bar.sync 0; E:" TAIL, 64, RP_FAULT_DEADLOCK,
          "all 2 warps left wait forever: lanes 0x");
}

Test(splits, barriers_that_wait_for_each_other)
{
    fails("sm_75", HEAD "@%p1 bra A; barrier.sync 1; bra E;\nA: barrier.sync 2; E:" TAIL, 32, RP_FAULT_DEADLOCK,
          "of warp 0 at barrier 1");
    fails("sm_75", HEAD "setp.ge.u32 %p2, %r1, 32; @%p2 ret; @%p1 bra E; barrier.sync 1, 64; E:" TAIL, 64,
          RP_FAULT_BARRIER, "barrier 1 has 32 of 64 threads"); /* the lanes that have exited count with their warp */
}

Test(splits, a_lane_must_be_in_its_own_mask)
{
    fails("sm_75", HEAD "vote.sync.ballot.b32 %r9, %p1, 0x0fffffff;" TAIL, 32, RP_FAULT_SYNC,
          "lane 28 executes this, but its mask 0x0fffffff does not name it");
}

/* ---- where nothing waits ----------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t used, room;
    uint64_t seed;
    unsigned labels;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, t->room - t->used, format, args);
    va_end(args);
    cr_assert_lt(t->used, t->room);
}

static void put_condition(struct text *t)
{
    put(t, "and.b32 %%t, %%x, %u; setp.ne.u32 %%p, %%t, 0;\n", 1u << (3 + random_below(&t->seed, 13)));
}

static void put_statements(struct text *t, unsigned depth, unsigned function, unsigned leave);

static void put_statement(struct text *t, unsigned depth, unsigned function, unsigned leave)
{
    unsigned kind = depth ? random_below(&t->seed, 9) : 0, label = t->labels;
    if (kind < 2) {
        put(t, "mad.lo.u32 %%x, %%x, %u, %u;\n", random_below(&t->seed, 1 << 16) | 1, random_below(&t->seed, 1 << 16));
    } else if (kind < 5) { /* if, perhaps else */
        t->labels += 2;
        put_condition(t);
        put(t, "@%s%%p bra L%u;\n", random_below(&t->seed, 2) ? "!" : "", label);
        put_statements(t, depth - 1, function, leave);
        if (random_below(&t->seed, 2)) {
            put(t, "bra L%u;\nL%u:\n", label + 1, label);
            put_statements(t, depth - 1, function, leave);
            put(t, "L%u:\n", label + 1);
        } else {
            put(t, "L%u:\n", label);
        }
    } else if (kind < 7) { /* a loop, which may be left early */
        t->labels += 2;
        put(t, "mov.u32 %%c%u, 0;\nL%u:\n", depth, label);
        put_statements(t, depth - 1, function, label + 1);
        put(t, "add.u32 %%c%u, %%c%u, 1; and.b32 %%t, %%x, 3; setp.le.u32 %%p, %%c%u, %%t; @%%p bra L%u;\nL%u:\n",
            depth, depth, depth, label, label + 1);
    } else if (kind == 7 && leave) {
        put_condition(t);
        put(t, "@%%p bra L%u;\n", leave);
    } else if (function < 2) {
        put(t, "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%x; call (r), f%u, (a); ld.param.b32 %%x, [r]; }\n",
            function + 1);
    } else { /* an early return */
        put_condition(t);
        put(t, "st.param.b32 [r], %%x; @%%p ret;\n");
    }
}

static void put_statements(struct text *t, unsigned depth, unsigned function, unsigned leave)
{
    for (unsigned n = 1 + random_below(&t->seed, 3); n; n--)
        put_statement(t, depth, function, leave);
}

static void put_program(struct text *t)
{
    static const char registers[] = ".reg .b32 %x, %t, %c0, %c1, %c2, %c3, %c4; .reg .pred %p; .reg .b64 %d<4>;\n";
    for (unsigned f = 2; f; f--) {
        put(t, ".func (.param .b32 r) f%u(.param .b32 a)\n{ %sld.param.b32 %%x, [a];\n", f, registers);
        put_statements(t, 2, f, 0);
        put(t, "st.param.b32 [r], %%x; ret; }\n");
    }
    put(t, ".visible .entry k(.param .u64 a)\n{ %smov.u32 %%x, %%tid.x; mad.lo.u32 %%x, %%x, 2654435761, %u;\n",
        registers, random_below(&t->seed, 1 << 20));
    put_statements(t, 4, 0, 0);
    put(t, "ld.param.u64 %%d1, [a]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%d2, %%t, 4, %%d1; st.global.u32 [%%d2], %%x; "
           "ret; }\n");
}

/* Random programs in which no lane waits for another leave the same words and the same trace, byte for byte. */
Test(splits, nothing_waits_and_all_is_as_on_the_stack)
{
    static char room[1 << 20];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct text t = {.at = room, .room = sizeof room, .seed = seed, .labels = 1};
        put_program(&t);
        rig_target = "sm_62";
        struct outcome stack = rig_record(room, 1, bytes, NULL, 1, 96, 1);
        rig_target = "sm_75";
        struct outcome splits = rig_record(room, 1, bytes, NULL, 1, 96, 1);
        cr_assert(stack.ok && splits.ok, "seed %llu: %s%s", (unsigned long long)seed, stack.err.text, splits.err.text);
        cr_assert_arr_eq(splits.memory[0], stack.memory[0], bytes[0], "seed %llu: memory", (unsigned long long)seed);
        size_t size = stack.chunks_end - stack.chunks_begin; /* tables name the module and its target */
        cr_assert_eq(splits.chunks_end - splits.chunks_begin, size, "seed %llu", (unsigned long long)seed);
        cr_assert_arr_eq(splits.trace + splits.chunks_begin, stack.trace + stack.chunks_begin, size, "seed %llu: trace",
                         (unsigned long long)seed);
        outcome_free(&stack);
        outcome_free(&splits);
    }
}
