/* Timing to the cycle on traces written by hand, worked out on paper from docs/timing-model.md and from the ECRTS 2025
 * paper. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/issue_log.h"
#include "tests/unit/replay/common.h"

/* The units of ECRTS's figures, with initiation and latency as its Example 3 gives them. */
static const char *const figure_units[] = {"classes.int.initiation=2",
                                           "classes.int.latency=6",
                                           "classes.fp32.initiation=3",
                                           "classes.fp32.latency=4",
                                           "classes.sfu.initiation=2",
                                           "classes.sfu.latency=4",
                                           NULL};
static const struct warp_op figure_kernel[] = {OP(INT, 0, NO, NO), OP(FP32, 1, NO, NO), OP(FP32, 2, NO, NO),
                                               OP(SFU, 3, 0, NO)};

struct seen {
    unsigned count, warp[16];
    uint64_t issue[16], dispatch[16], done[16];
    bool initiating[64]; /* some unit is, in this cycle */
};

static void see(struct seen *s, const struct logged_issue *i)
{
    static const uint64_t initiation[] = {2, 3, 3, 2};
    s->warp[s->count] = i->issue.warp;
    s->issue[s->count] = i->issue.cycle;
    s->dispatch[s->count] = i->dispatch;
    s->done[s->count++] = i->done;
    for (uint64_t c = 0; c < initiation[i->issue.index % 5]; c++)
        s->initiating[i->dispatch + c] = true;
}

static struct seen watch(struct rp_trace *t, const struct machine *m)
{
    struct seen seen = {0};
    struct issue_log log = {0};
    const struct observer observer = issue_log_observer(&log);
    struct replay_result result;
    struct rp_error err;
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = -1, .observer = &observer};
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    replay_result_free(&result);
    for (size_t i = 0; i < log.count; i++)
        see(&seen, &log.list[i]);
    issue_log_free(&log);
    return seen;
}

Test(timing, ecrts_figure_2_and_example_3)
{
    static const struct warp_program warp[] = {{figure_kernel, 4}};
    struct machine *m = test_machine("orin-wcet", NULL, figure_units);
    struct rp_trace *t = trace_of(warp, 1);
    struct seen s = watch(t, m);
    static const uint64_t issue[] = {0, 1, 2, 8}, dispatch[] = {0, 1, 4, 8}, done[] = {8, 8, 11, 14};
    cr_assert_eq(s.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(s.issue[i], issue[i]);
        cr_expect_eq(s.dispatch[i], dispatch[i]);
        cr_expect_eq(s.done[i], done[i]);
    }
    /* Phases: while some unit initiates, and while none does. They end at cycles 7, 8, 10, and 14, the last result. */
    static const uint64_t ends[] = {7, 8, 10, 14};
    unsigned phase = 0;
    for (uint64_t c = 1; c < 14; c++)
        if (s.initiating[c] != s.initiating[c - 1])
            cr_expect_eq(c, ends[phase++]);
    cr_expect_eq(phase, 3);
    struct statistics stats = both_engines(t, m);
    cr_expect_eq(stats.cycles, ends[3]);
    cr_expect_eq(stats.issue_cycles, 4, "ret takes no issue slot");
    cr_expect_eq(stats.warp_instructions, 5);
    cr_expect_eq(stats.stall[STALL_SCOREBOARD], 5, "cycles 3 to 7");
    cr_expect_eq(stats.stall[STALL_DRAIN], 5, "cycles 9 to 13");
    rp_trace_close(t);
    machine_free(m);
}

/* Figure 3, two warps. Example 2: w0 issues i0, i1, i2 in cycles 0 to 2; w1 issues i0 in 3, i1 in 4 and i2 in 5; i2 of
 * w0 initiates from 4, and i1 of w1 when that is over, from 7. The rest follows from the rules: i2 of w1 from 10, i3 of
 * w0 when i0 has its result at 8, i3 of w1 likewise at 3 + 8 = 11; the last result is i2's of w1, 10 + 3 + 4 = 17. */
Test(timing, ecrts_figure_3)
{
    static const struct warp_program warps[] = {{figure_kernel, 4}, {figure_kernel, 4}};
    struct machine *m = test_machine("orin-wcet", NULL, figure_units);
    struct rp_trace *t = trace_of(warps, 2);
    struct seen s = watch(t, m);
    static const unsigned warp[] = {0, 0, 0, 1, 1, 1, 0, 1};
    static const uint64_t issue[] = {0, 1, 2, 3, 4, 5, 8, 11}, dispatch[] = {0, 1, 4, 3, 7, 10, 8, 11};
    cr_assert_eq(s.count, 8);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(s.warp[i], warp[i]);
        cr_expect_eq(s.issue[i], issue[i]);
        cr_expect_eq(s.dispatch[i], dispatch[i]);
    }
    cr_expect_eq(both_engines(t, m).cycles, 17);
    rp_trace_close(t);
    machine_free(m);
}

Test(timing, write_after_write_waits)
{
    static const struct warp_op ops[] = {OP(SFU, 0, NO, NO), OP(INT, 0, NO, NO)};
    cr_expect_eq(RUN(ops, NULL).cycles, 8 + 21 + 2 + 4);
    static const struct warp_op others[] = {OP(SFU, 0, NO, NO), OP(INT, 1, NO, NO)};
    cr_expect_eq(RUN(others, NULL).cycles, 8 + 21, "the second, at 1, is over long before");
}

Test(timing, global_memory_is_a_pipelined_unit)
{
    static const struct warp_op ops[] = {ACCESS(GLOBAL, false, 0, 4, 0), ACCESS(GLOBAL, false, 1, 512, 4096),
                                         OP(INT, 2, 0, 1)};
    struct statistics s = RUN(ops, NULL);
    cr_expect_eq(s.cycles, 1 + 201 + 6, "loads at 0 and 1, ready at 201 and 202, add takes 6");
    cr_expect_eq(s.stall[STALL_MEMORY], 200);
    cr_expect_eq(s.global_load_transactions, 2);
}

Test(timing, a_unit_without_a_queue_is_waited_for)
{
    static const struct warp_op ops[] = {OP(FP64, 0, NO, NO), OP(FP64, 1, NO, NO), OP(FP64, 2, NO, NO),
                                         OP(INT, 3, NO, NO)};
    struct statistics s = RUN(ops, "units.fp64.queue=0", NULL);
    cr_expect_eq(s.cycles, 3 * 64 + 64);
    cr_expect_eq(s.stall[STALL_UNIT], 2 * 63, "issue at 0, 64, 128");
    s = RUN(ops, "units.fp64.queue=1", NULL);
    cr_expect_eq(s.stall[STALL_UNIT], 62, "issue at 0, 1, 64");
    cr_expect_eq(s.cycles, 3 * 64 + 64);
    cr_expect_eq(RUN(ops, NULL).stall[STALL_UNIT], 0);
}

Test(timing, sub_cores_share_a_unit_or_not)
{
    static const struct warp_op ops[] = {OP(FP64, 0, NO, NO)};
    static const struct warp_program warps[] = {{ops, 1}, {ops, 1}, {ops, 1}, {ops, 1}};
#define FOUR(...) run_block(warps, 4, (const char *const[]){"subcores=4", "units.fp64.queue=0", __VA_ARGS__, NULL})
    cr_expect_eq(FOUR("units.fp64.subcores=1").cycles, 64 + 64);
    struct statistics s = FOUR("units.fp64.subcores=4");
    cr_expect_eq(s.cycles, 4 * 64 + 64, "one after the other");
    cr_expect_eq(s.stall[STALL_UNIT], 64 + 128 + 192);
    cr_expect_eq(FOUR("units.fp64.subcores=2").cycles, 2 * 64 + 64);
    s = FOUR("units.fp64.subcores=4", "units.fp64.queue=-1");
    cr_expect_eq(s.cycles, 4 * 64 + 64, "they issue at once and wait in the queue");
    cr_expect_eq(s.stall[STALL_UNIT], 0);
    s = FOUR("units.fp64.subcores=4", "units.fp64.queue=2");
    cr_expect_eq(s.stall[STALL_UNIT], 64,
                 "one is dispatched, two wait in the queue they share, the fourth cannot issue");
    cr_expect_eq(FOUR("subcores=2", "units.fp64.subcores=4").cycles, 4 * 64 + 64, "both that there are share it");
#undef FOUR
}

Test(timing, guarded_off_instructions_keep_their_unit_but_make_no_access)
{
    struct warp_op ops[] = {ACCESS(GLOBAL, false, 0, 4, 0), OP(INT, 1, 0, NO)};
    ops[0].guarded_off = true;
    struct statistics s = RUN(ops, NULL);
    cr_expect_eq(s.cycles, 1 + 6, "the register is free after the initiation");
    cr_expect_eq(s.global_load_transactions, 0);
    cr_expect_eq(s.thread_instructions, 2 * 32, "add and exit");
}

Test(timing, exits_that_issue)
{
    static const struct warp_op ops[] = {OP(INT, 0, NO, NO)};
    struct statistics s = RUN(ops, "issue_exit=true", NULL);
    cr_expect_eq(s.cycles, 9, "exit issues at 1 and takes 4 + 4");
    cr_expect_eq(s.issue_cycles, 2);
}

Test(timing, fences_wait_for_memory)
{
    static const struct warp_op ops[] = {ACCESS(GLOBAL, true, NO, 4, 0), OP(FENCE, NO, NO, NO), OP(INT, 0, NO, NO)};
    struct statistics s = RUN(ops, NULL);
    cr_expect_eq(s.cycles, 201 + 1 + 6, "the store is over at 201, the fence issues then");
    cr_expect_eq(s.stall[STALL_FENCE], 200);
}

/* The store of two transactions leaves the LSU at 1, and the fence issues then; by scope gpu it waits for 301. */
Test(timing, fences_for_the_block_wait_until_the_lsu_has_the_stores)
{
    struct warp_op ops[] = {ACCESS(GLOBAL, true, NO, 4, 0), OP(FENCE, NO, NO, NO), OP(INT, 0, NO, NO)};
    static const char *const slow[] = {"spaces.global.latency=0", "dram.latency=300", "dram.interval=7"};
    ops[1].scope = RP_SCOPE_CTA;
    struct statistics s = RUN(ops, "dram=fixed", slow[0], slow[1], slow[2], NULL);
    cr_expect_eq(s.stall[STALL_FENCE], 0, "%llu", (unsigned long long)s.stall[STALL_FENCE]);
    cr_expect_eq(s.cycles, 301, "the store's end");
    s = RUN(ops, "dram=fixed", slow[0], slow[1], slow[2], "fences=all", NULL);
    cr_expect_eq(s.stall[STALL_FENCE], 300);
    s = RUN(ops, "spaces.global.initiation=5", NULL);
    cr_expect_eq(s.stall[STALL_FENCE], 4, "where accesses take a fixed time the LSU has them at 5");
    cr_expect_eq(s.cycles, 205);
    s = RUN(ops, "dram=fixed", slow[0], slow[1], slow[2], "l1=direct-mapped", "l1.write=through", NULL);
    cr_expect_eq(s.stall[STALL_FENCE], 0);
    s = RUN(ops, "dram=fixed", slow[0], slow[1], slow[2], "l1=direct-mapped", "l1.write=through", "subcores=2",
            "l1.subcores=1", NULL);
    cr_expect_geq(s.stall[STALL_FENCE], 300, "%llu: another warp of the block may look in another L1",
                  (unsigned long long)s.stall[STALL_FENCE]);
    ops[1].scope = RP_SCOPE_CLUSTER;
    for (; ops[1].scope <= RP_SCOPE_SYSTEM; ops[1].scope++) {
        s = RUN(ops, "dram=fixed", slow[0], slow[1], slow[2], NULL);
        cr_expect_eq(s.stall[STALL_FENCE], 300);
        cr_expect_eq(s.cycles, 301 + 1 + 6);
    }
}

Test(timing, control_interval)
{
    static const struct warp_op ops[] = {OP(CONTROL, NO, NO, NO), OP(INT, 0, NO, NO)};
    struct statistics s = RUN(ops, "control_interval=13", NULL);
    cr_expect_eq(s.cycles, 13 + 6);
    cr_expect_eq(s.stall[STALL_CONTROL], 12);
}

/* The second warp comes to the barrier 20 instructions later; both go on in the cycles after. */
Test(timing, barriers_release_when_the_last_warp_arrives)
{
    static const struct warp_op early[] = {OP(BARRIER, NO, NO, NO), OP(INT, 0, NO, NO)};
    static struct warp_op late[22];
    for (int i = 0; i < 20; i++)
        late[i] = (struct warp_op)OP(FP32, i, NO, NO);
    late[20] = early[0];
    late[21] = early[1];
    struct warp_program warps[] = {{early, 2}, {late, 22}};
    struct statistics s = run_block(warps, 2, NULL);
    /* barrier of warp 0 at 0; warp 1 issues 1..20 and its barrier at 21; 22 and 23 for the adds, the second of which
     * finds its unit busy until 24 */
    cr_expect_eq(s.cycles, 24 + 6);
    s = run_block(warps, 2, (const char *const[]){"barrier_latency=9", NULL});
    cr_expect_eq(s.cycles, 24 + 9 + 6);
    cr_expect_eq(s.stall[STALL_BARRIER], 9);
    /* a warp that ends without coming counts as arrived */
    struct warp_program without[] = {{early, 2}, {late, 20}};
    cr_expect_eq(run_block(without, 2, NULL).cycles, 21 + 6, "warp 1 ends with its issue at 20");
}

Test(timing, shared_memory_of_the_tx2)
{
    static const struct warp_op ops[] = {ACCESS(SHARED, false, 0, 128, 0), OP(INT, 1, 0, NO)};
    struct machine *m = test_machine("tx2-pastis", NULL, NULL);
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 2}, 1);
    struct statistics s = both_engines(t, m);
    cr_expect_eq(s.shared_load_transactions, 32);
    cr_expect_eq(s.shared_conflicts, 31);
    cr_expect_eq(s.cycles, 23 + 2 * 31 + 6, "PasTiS's duration, then an add; the exit is over before that");
    rp_trace_close(t);
    machine_free(m);
}

/* L1 hit 82, L2 hit 216 (the sources that the machine file names), plus interval 1 for each further sector. */
Test(timing, caches_of_the_tx2)
{
    struct machine *m = test_machine("tx2-pastis", NULL, NULL);
    static const struct warp_op ops[] = {ACCESS(GLOBAL, false, 0, 0, 0), OP(INT, 1, 0, NO),
                                         ACCESS(GLOBAL, false, 2, 0, 0), OP(INT, 3, 2, 1)};
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 4}, 1);
    struct statistics s = both_engines(t, m);
    uint64_t miss = 216 + 100;
    cr_expect_eq(s.memory.l1.misses, 1);
    cr_expect_eq(s.memory.l1.hits, 1);
    cr_expect_eq(s.memory.l2.misses, 1);
    cr_expect_eq(s.memory.dram.accesses, 1);
    /* load 0..316, add at 316, load with it hits: 316 + 82 = 398, add 398..404 */
    cr_expect_eq(s.dual_issues, 2, "the exit goes with the last add");
    cr_expect_eq(s.cycles, miss + 82 + 6);
    rp_trace_close(t);
    machine_free(m);
}

/* Constants of GP104 (Jia et al., arXiv:1804.06826, Table 3.1): L1 of 2 KiB in lines of 64 bytes, 8 sets, L1.5 of 32
 * KiB in lines of 256; 87 cycles from L1.5 and 225 from L2 against 25 from L1: 62 and 138 more. */
Test(timing, constants_of_gp104)
{
    static const struct warp_op ops[] = {ACCESS(PARAM, false, 0, 0, 0),  OP(INT, 1, 0, NO),
                                         ACCESS(PARAM, false, 2, 0, 64), OP(INT, 3, 2, 1),
                                         ACCESS(PARAM, false, 4, 0, 4),  OP(INT, 5, 4, 3)};
    static const char *const settings[] = {"constants=two-level", "constants.latency=62", "constants.next.latency=138",
                                           NULL};
    struct machine *m = test_machine("tx2-pastis", NULL, settings), *perfect = test_machine("tx2-pastis", NULL, NULL);
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 6}, 1);
    struct statistics s = both_engines(t, m);
    cr_expect_eq(s.memory.constants.misses, 2);
    cr_expect_eq(s.memory.constants.hits, 1);
    /* load 0..206, add at 206, load 207..275 from L1.5, add at 275, load 276..282 from L1, add 282..288 */
    cr_expect_eq(s.cycles, 288, "%d", (int)s.cycles);
    s = both_engines(t, perfect);
    cr_expect_eq(s.cycles, 288 - (62 + 138) - 62);
    cr_expect_eq(s.memory.constants.hits + s.memory.constants.misses, 0);
    rp_trace_close(t);
    machine_free(m);
    machine_free(perfect);
}

/* Lanes that name words of several lines wait for all of them; each word is looked up once. */
Test(timing, lanes_load_constants_of_several_lines)
{
    static const struct warp_op ops[] = {ACCESS(CONST, false, 0, 8, 0), OP(INT, 1, 0, NO)};
    struct statistics s = RUN(ops, "constants=set-associative", "constants.line=64", "constants.latency=50", NULL);
    struct statistics perfect = RUN(ops, NULL);
    cr_expect_eq(s.memory.constants.misses, 32 * 8 / 64);
    cr_expect_eq(s.memory.constants.hits, 32 - 4);
    cr_expect_eq(s.cycles, perfect.cycles + 50);
}

/* Cycles of so many warps, each with one atomic whose lanes are `stride` bytes apart, at an L2 that takes 5 cycles for
 * each further lane at one address. */
static uint64_t atomics(uint32_t warps, uint32_t stride, const char *interval)
{
    struct warp_op op[] = {ACCESS(GLOBAL, false, 0, stride, 4096)};
    struct warp_program programs[] = {{op, 1}, {op, 1}};
    op[0].atomic = true;
    const char *const settings[] = {"l2=direct-mapped", "l2.write=back", interval, "dram=ideal", NULL};
    return run_block(programs, warps, settings).cycles;
}

Test(timing, atomics_at_one_address_go_one_after_the_other)
{
    static const char five[] = "l2.atomic_interval=5", none[] = "l2.atomic_interval=0";
    uint64_t apart = atomics(1, 4, five), together = atomics(1, 0, five);
    cr_expect_eq(apart, atomics(1, 4, none), "lanes at addresses of their own do not wait for one another");
    cr_expect_eq(together, apart + 31 * 5, "%llu", (unsigned long long)together);
    cr_expect_eq(atomics(1, 0, none), apart);
    cr_expect_eq(atomics(2, 0, five), atomics(2, 4, five) + 2 * 31 * 5, "the second warp's wait for the first's");
}
