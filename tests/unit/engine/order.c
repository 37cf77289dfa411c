/* The order of blocks: where it can show it is fixed, where it cannot blocks run in parallel, and neither result nor
 * trace depends on the number of host threads. */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"

/* %r1: thread in the grid, %r2: block, %r3: threads per block, %r4: blocks, %r5: thread in its block; %rd1, %rd2:
 * arguments 0 and 1 */
#define HEAD                                                                                                           \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"                                                             \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<8>;\n"                                        \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"                                                                \
    "mov.u32 %r5, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x;\n"                      \
    "mad.lo.s32 %r1, %r2, %r3, %r5;\n"
#define TAIL "ret;\n}\n"

enum { BLOCKS = 200, THREADS = 64, COUNT = BLOCKS * THREADS };
static const uint64_t two[] = {4 * COUNT, 4 * COUNT};

static void iota(struct rig *r)
{
    for (int i = 0; i < COUNT; i++)
        ((uint32_t *)r->host[0])[i] = (uint32_t)i * 3 + 1;
}

/* b[i] = 2 a[i]: nothing to fear. */
Test(order, separate_buffers_run_in_parallel)
{
    struct outcome o =
        rig_same_at_any_threads(HEAD "mad.wide.u32 %rd3, %r1, 4, %rd1; mad.wide.u32 %rd4, %r1, 4, %rd2;\n"
                                     "ld.global.u32 %r6, [%rd3]; shl.b32 %r6, %r6, 1;\n"
                                     "st.global.u32 [%rd4], %r6;\n" TAIL,
                                2, two, iota, BLOCKS, THREADS);
    cr_assert(o.ok && !o.racy);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(((uint32_t *)o.memory[1])[i], 2u * ((uint32_t)i * 3 + 1));
    outcome_free(&o);
}

/* a[i] += i: loads and stores of one buffer, but of different words. */
Test(order, updates_in_place_run_in_parallel)
{
    struct outcome o = rig_same_at_any_threads(HEAD "mad.wide.u32 %rd3, %r1, 4, %rd1;\n"
                                                    "ld.global.u32 %r6, [%rd3]; add.u32 %r6, %r6, %r1;\n"
                                                    "st.global.u32 [%rd3], %r6;\n" TAIL,
                                               2, two, iota, BLOCKS, THREADS);
    cr_assert(o.ok && !o.racy);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(((uint32_t *)o.memory[0])[i], (uint32_t)i * 4 + 1);
    outcome_free(&o);
}

/* a[i] = a[i - 64] + 1 for all but the first block: each block reads what the one before it stores. In order, block n
 * sees n added up; any other order gives less. */
Test(order, blocks_that_read_what_others_store_run_in_order)
{
    struct outcome o = rig_same_at_any_threads(HEAD "setp.eq.u32 %p1, %r2, 0; @%p1 ret;\n"
                                                    "mad.wide.u32 %rd3, %r1, 4, %rd1;\n"
                                                    "ld.global.u32 %r6, [%rd3 + -256]; add.u32 %r6, %r6, 1;\n"
                                                    "st.global.u32 [%rd3], %r6;\n" TAIL,
                                               2, two, NULL, BLOCKS, THREADS);
    cr_assert(o.ok && o.racy);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(((uint32_t *)o.memory[0])[i], (uint32_t)(i / THREADS));
    outcome_free(&o);
}

static void frontier(struct rig *r)
{
    for (int i = 0; i < COUNT; i += 97)
        ((uint32_t *)r->host[0])[i] = 1;
}

/* What racy_graph_search must do to the buffer: block after block, warp after warp, lanes in step. */
static void search_in_order(uint32_t *a)
{
    for (uint32_t warp = 0; warp < COUNT / 32; warp++) {
        uint32_t own[32], seen[32];
        memcpy(own, a + 32 * warp, sizeof own);
        for (uint32_t k = 1; k <= 3; k++) {
            for (uint32_t l = 0; l < 32; l++)
                seen[l] = a[((32 * warp + l) * 7 + k) % COUNT];
            for (uint32_t l = 0; l < 32; l++)
                if (own[l] && !seen[l])
                    a[((32 * warp + l) * 7 + k) % COUNT] = own[l] + 1;
        }
    }
}

/* A step of breadth-first search as people write it: marks neighbours with plain stores while others look at them. Node
 * i has the neighbours 7i+1, 7i+2, 7i+3; a node that an earlier block has marked is visited in the same launch, so the
 * result is a matter of order. */
Test(order, racy_graph_search_runs_in_order)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "mad.wide.u32 %rd3, %r1, 4, %rd1; ld.global.u32 %r6, [%rd3];\n"
             "setp.eq.u32 %p2, %r6, 0; @%p2 ret;\n"
             "mov.u32 %r7, 0;\nL: add.u32 %r7, %r7, 1; mad.lo.u32 %r8, %r1, 7, %r7; rem.u32 %r8, %r8, 12800;\n"
             "mad.wide.u32 %rd4, %r8, 4, %rd1; ld.global.u32 %r9, [%rd4]; setp.ne.u32 %p3, %r9, 0; @%p3 bra N;\n"
             "add.u32 %r10, %r6, 1; st.global.u32 [%rd4], %r10;\n"
             "N: setp.lt.u32 %p4, %r7, 3; @%p4 bra L;\n" TAIL,
        2, two, frontier, BLOCKS, THREADS);
    cr_assert(o.ok && o.racy);
    static uint32_t wanted[COUNT];
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < COUNT; i += 97)
        wanted[i] = 1;
    search_in_order(wanted);
    cr_assert_arr_eq(o.memory[0], wanted, sizeof wanted);
    uint32_t deepest = 0;
    for (int i = 0; i < COUNT; i++)
        deepest = wanted[i] > deepest ? wanted[i] : deepest;
    cr_assert_gt(deepest, 2, "no block has seen what another stored: the test shows nothing");
    outcome_free(&o);
}

/* All blocks store their number to one word: the last in order stays. */
Test(order, blocks_that_store_to_one_place_run_in_order)
{
    struct outcome o = rig_same_at_any_threads(HEAD "st.global.u32 [%rd1], %r1;\n" TAIL, 2, two, NULL, BLOCKS, THREADS);
    cr_assert(o.ok && o.racy);
    cr_assert_eq(*(uint32_t *)o.memory[0], COUNT - 1, "the highest lane of the last block");
    outcome_free(&o);
}

Test(order, integer_reductions_run_in_parallel)
{
    struct outcome o = rig_same_at_any_threads(HEAD "and.b32 %r6, %r1, 7; mad.wide.u32 %rd3, %r6, 4, %rd1;\n"
                                                    "red.global.add.u32 [%rd3], %r1;\n"
                                                    "red.global.max.u32 [%rd2], %r1;\n" TAIL,
                                               2, two, NULL, BLOCKS, THREADS);
    cr_assert(o.ok && !o.racy);
    uint32_t sums[8] = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        sums[i & 7] += i;
    cr_assert_arr_eq(o.memory[0], sums, sizeof sums);
    cr_assert_eq(*(uint32_t *)o.memory[1], COUNT - 1);
    outcome_free(&o);
}

/* Adding and taking the maximum in one place do not commute. */
Test(order, reductions_of_different_kinds_in_one_place_run_in_order)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "red.global.add.u32 [%rd1], 1; red.global.max.u32 [%rd1], %r1;\n" TAIL, 2, two, NULL, BLOCKS, THREADS);
    cr_assert(o.ok && o.racy);
    outcome_free(&o);
}

Test(order, floating_point_sums_have_one_order)
{
    struct outcome o = rig_same_at_any_threads(HEAD "cvt.rn.f32.u32 %f1, %r1; red.global.add.f32 [%rd1], %f1;\n" TAIL,
                                               2, two, NULL, BLOCKS, THREADS);
    float sum = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        sum += (float)i;
    cr_assert_eq(*(float *)o.memory[0], sum, "block after block, lane after lane");
    outcome_free(&o);
}

/* ---- blocks that wait for one another ---------------------------------------------------------------------------- */

/* Every block but the last waits until the next one has raised its flag: block 0 starts first and ends last. */
Test(order, blocks_may_wait_for_later_blocks)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "mad.wide.u32 %rd3, %r2, 4, %rd1; add.u32 %r7, %r2, 1; setp.eq.u32 %p1, %r7, %r4; @%p1 bra GO;\n"
             "W: ld.volatile.global.u32 %r6, [%rd3 + 4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra W;\n"
             "GO: add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd3], %r6;\n" TAIL,
        2, two, NULL, 12, 32);
    cr_assert(o.ok, "%s", o.err.text);
    for (uint32_t i = 0; i < 12; i++)
        cr_assert_eq(((uint32_t *)o.memory[0])[i], 12 - i);
    outcome_free(&o);
}

/* A barrier of the whole grid: all blocks add one and wait for the sum. */
Test(order, grid_barriers_make_progress)
{
    struct outcome o =
        rig_same_at_any_threads(HEAD "setp.ne.u32 %p1, %r5, 0; @%p1 bra B; atom.global.add.u32 %r6, [%rd1], 1;\n"
                                     "W: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra W;\n"
                                     "B: bar.sync 0; mad.wide.u32 %rd3, %r1, 4, %rd2; st.global.u32 [%rd3], 7;\n" TAIL,
                                2, two, NULL, 40, 96);
    cr_assert(o.ok, "%s", o.err.text);
    for (uint32_t i = 0; i < 40 * 96; i++)
        cr_assert_eq(((uint32_t *)o.memory[1])[i], 7);
    outcome_free(&o);
}

/* The block that draws the last ticket adds up what all have left. */
Test(order, the_last_block_sees_what_all_others_stored)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "setp.ne.u32 %p1, %r5, 0; @%p1 ret; mad.wide.u32 %rd3, %r2, 4, %rd1; add.u32 %r6, %r2, 5;\n"
             "st.global.u32 [%rd3], %r6; membar.gl; atom.global.inc.u32 %r7, [%rd2], 1000; add.u32 %r7, %r7, 1;\n"
             "setp.ne.u32 %p2, %r7, %r4; @%p2 ret; mov.u32 %r8, 0; mov.u32 %r9, 0; mov.u64 %rd4, %rd1;\n"
             "L: ld.global.u32 %r6, [%rd4]; add.u32 %r9, %r9, %r6; add.u64 %rd4, %rd4, 4; add.u32 %r8, %r8, 1;\n"
             "setp.lt.u32 %p3, %r8, %r4; @%p3 bra L; st.global.u32 [%rd2 + 4], %r9;\n" TAIL,
        2, two, NULL, 100, 64);
    cr_assert(o.ok, "%s", o.err.text);
    cr_assert_eq(((uint32_t *)o.memory[1])[1], 100 * 99 / 2 + 500);
    outcome_free(&o);
}

/* A lock taken by one thread per block, with a counter that plain instructions change. */
Test(order, spin_locks_make_progress)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "setp.ne.u32 %p1, %r5, 0; @%p1 ret;\n"
             "T: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra T;\n"
             "ld.volatile.global.u32 %r7, [%rd1 + 4]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd1 + 4], %r7;\n"
             "membar.gl; atom.global.exch.b32 %r6, [%rd1], 0;\n" TAIL,
        2, two, NULL, 150, 64);
    cr_assert(o.ok, "%s", o.err.text);
    cr_assert_eq(((uint32_t *)o.memory[0])[1], 150);
    outcome_free(&o);
}

/* Within a block: warp 1 sets what warp 0 polls. */
Test(order, warps_may_poll_shared_memory)
{
    struct rig r;
    rig_open(&r,
             HEAD
             ".shared .u32 flag; setp.ge.u32 %p1, %r5, 32; @%p1 bra S;\n"
             "W: ld.volatile.shared.u32 %r6, [flag]; setp.eq.u32 %p2, %r6, 0; @%p2 bra W; bra E;\n"
             "S: st.volatile.shared.u32 [flag], 9;\nE: mad.wide.u32 %rd3, %r1, 4, %rd1; ld.shared.u32 %r6, [flag];\n"
             "st.global.u32 [%rd3], %r6;\n" TAIL,
             2, two);
    cr_assert(rig_run(&r, 1, 64), "%s", r.err.text);
    for (int i = 0; i < 64; i++)
        cr_assert_eq(((uint32_t *)r.host[0])[i], 9);
    rig_close(&r);
}

/* All lanes of a warp take the lock at the top of the loop, and the one that got it waits behind the loop for the
 * others: never to end, and said so long before the limit. */
Test(order, lanes_that_wait_for_one_another_are_a_livelock, .timeout = 120)
{
    struct outcome o =
        rig_same_at_any_threads(HEAD "T: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra T;\n"
                                     "membar.gl; atom.global.exch.b32 %r6, [%rd1], 0;\n" TAIL,
                                2, two, NULL, 10, 64);
    cr_assert(!o.ok);
    cr_expect(strstr(o.err.text, "livelock") && strstr(o.err.text, "10 blocks"), "%s", o.err.text);
    outcome_free(&o);
}

/* The state that comes again may be long in coming: a loop counts to 10007 between two looks at the flag. */
Test(order, a_livelock_with_a_long_period, .timeout = 120)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "W: mov.u32 %r8, 0;\nL: add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 10007; @%p1 bra L;\n"
             "ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p2, %r7, 0; @%p2 bra W;\n" TAIL,
        2, two, NULL, 2, 32);
    cr_assert(!o.ok);
    cr_expect(strstr(o.err.text, "livelock"), "%s", o.err.text);
    outcome_free(&o);
}

/* What a loop stores beside its looks is not what it waits for, through generic addresses either: a block without
 * shared and local memory reads nothing there but global memory. */
Test(order, a_livelock_that_stores_through_generic_addresses, .timeout = 120)
{
    static const char *const loops[] = {
        "mov.u32 %r8, 0;\nW: ld.volatile.u32 %r7, [%rd1]; st.volatile.u32 [%rd1+8], %r8; add.u32 %r8, %r8, 1;\n"
        "setp.eq.u32 %p2, %r7, 0; @%p2 bra W;\n",
        "W: ld.volatile.u32 %r8, [%rd1+8]; add.u32 %r8, %r8, 1; rem.u32 %r8, %r8, 5; st.volatile.u32 [%rd1+8], %r8;\n"
        "ld.volatile.u32 %r7, [%rd1]; setp.eq.u32 %p2, %r7, 0; @%p2 bra W;\n"};
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", HEAD, loops[i], TAIL);
        struct outcome o = rig_same_at_any_threads(text, 2, two, NULL, 1, 32);
        cr_assert(!o.ok, "loop %u", i);
        cr_expect(strstr(o.err.text, "livelock"), "%s", o.err.text);
        outcome_free(&o);
    }
}

/* What it stores is what it waits for: in shared memory, which a generic address of its own reaches. */
Test(order, whoever_counts_through_generic_addresses_is_in_no_livelock)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD ".shared .u32 count; mov.u64 %rd3, count; cvta.shared.u64 %rd3, %rd3;\n"
             "W: ld.volatile.u32 %r7, [%rd3]; add.u32 %r7, %r7, 1; st.volatile.u32 [%rd3], %r7;\n"
             "setp.lt.u32 %p1, %r7, 100000; @%p1 bra W;\n"
             "mad.wide.u32 %rd3, %r2, 4, %rd2; st.global.u32 [%rd3], %r7;\n" TAIL,
        2, two, NULL, 3, 1);
    cr_assert(o.ok, "%s", o.err.text);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(((uint32_t *)o.memory[1])[i], 100000);
    outcome_free(&o);
}

/* Looks in vain, but counts its looks and gives up after a while: no state comes twice. */
Test(order, whoever_counts_is_in_no_livelock)
{
    struct outcome o =
        rig_same_at_any_threads(HEAD "mov.u32 %r8, 0;\nW: ld.volatile.global.u32 %r7, [%rd1]; add.u32 %r8, %r8, 1;\n"
                                     "setp.lt.u32 %p1, %r8, 100000; setp.eq.and.u32 %p2, %r7, 0, %p1; @%p2 bra W;\n"
                                     "mad.wide.u32 %rd3, %r2, 4, %rd2; st.global.u32 [%rd3], %r8;\n" TAIL,
                                2, two, NULL, 3, 32);
    cr_assert(o.ok, "%s", o.err.text);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(((uint32_t *)o.memory[1])[i], 100000);
    outcome_free(&o);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Blocks 150 and 70 fault: whatever the threads, block 70 is reported, and the trace holds the blocks before it. */
Test(order, the_first_block_that_faults_is_reported)
{
    struct outcome o = rig_same_at_any_threads(
        HEAD "mad.wide.u32 %rd3, %r1, 4, %rd1; setp.eq.u32 %p1, %r2, 150; setp.eq.u32 %p2, %r2, 70;\n"
             "or.pred %p1, %p1, %p2; @%p1 add.u64 %rd3, %rd3, 1000000; st.global.u32 [%rd3], 1;\n" TAIL,
        2, two, NULL, BLOCKS, THREADS);
    cr_assert(!o.ok);
    cr_assert_not_null(strstr(o.err.text, "block (70,0,0), thread (0,0,0)"), "%s", o.err.text);
    for (uint32_t i = 0; i < COUNT; i++)
        cr_assert_eq(((uint32_t *)o.memory[0])[i], i < 70 * THREADS, "what blocks before it did is kept, nothing else");
    outcome_free(&o);
}

/* Each of two warps adds 1 to 10 to a[lane] in a register and stores each sum, as mvt of PolyBench does. Both begin
 * with what was there. */
Test(order, warps_that_store_the_same_sums_begin_together)
{
    static const char body[] = HEAD "and.b32 %r6, %r5, 31; mad.wide.u32 %rd3, %r6, 4, %rd1;\n"
                                    "ld.global.u32 %r7, [%rd3]; mov.u32 %r8, 1;\n"
                                    "SUM: add.u32 %r7, %r7, %r8; st.global.u32 [%rd3], %r7; add.u32 %r8, %r8, 1;\n"
                                    "setp.le.u32 %p1, %r8, 10; @%p1 bra SUM;\n" TAIL;
    struct outcome o = rig_same_at_any_threads(body, 2, two, iota, 1, THREADS);
    cr_assert(o.ok);
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(((uint32_t *)o.memory[0])[i], i * 3 + 1 + 55);
    outcome_free(&o);
}
