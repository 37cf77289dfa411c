/* The exact worst case over all schedules, where it can be worked out by hand. */
#include <criterion/criterion.h>

#include "tests/unit/wcet/common.h"
#include "tools/wcet/exhaust.h"

static struct wcet_exact exhausted(struct rp_trace *t, const struct machine *m, uint64_t budget)
{
    struct wcet_states_budget left = {budget, budget};
    struct rp_error err;
    struct wcet_exact exact;
    cr_assert(wcet_exhaust(t, 0, m, ALL_EXTENSIONS, &left, NULL, &exact, &err), "%s", err.text);
    return exact;
}

static struct wcet_exact exact_of(const struct warp_program *programs, uint32_t warps,
                                  const struct machine_setting *settings, size_t count)
{
    struct machine *m = orin(settings, count);
    struct rp_trace *t = trace_of(programs, warps);
    struct wcet_exact exact = exhausted(t, m, 100000);
    struct wcet_bounds b = bounds_of(t, m, ALL_EXTENSIONS);
    cr_expect_leq(exact.cycles, b.unit_bound);
    cr_expect_leq(replayed(t, m, REPLAY_REFERENCE), exact.cycles);
    wcet_bounds_free(&b);
    rp_trace_close(t);
    machine_free(m);
    return exact;
}

/* The block of docs/wcet-proofs.md, "Why the published bound is mended": 31 cycles, which takes a schedule that no
 * policy without chance or purpose finds. Theorem 1 says at most 32. */
Test(exhaust, the_worst_schedule_is_one_that_known_policies_miss)
{
    static const char *const policies[] = {"gto", "lrr", "oldest", "two-level"};
    struct rp_trace *t = trace_of(counterexample, 2);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct machine *m = counterexample_machine(&(struct machine_setting){"scheduler", policies[p]}, 1);
        cr_expect_eq(exhausted(t, m, 100000).cycles, 31);
        cr_expect_lt(replayed(t, m, REPLAY_REFERENCE), 31, "%s", policies[p]);
        machine_free(m);
    }
    rp_trace_close(t);
}

/* In whatever order, the three instructions before the barrier issue in cycles 0 to 2, the last one an arrival. It is
 * open 1 + 3 cycles later, at 6; the two behind issue at 6 and 7, and the later one is written at 7 + 1 + 4. */
Test(exhaust, a_barrier)
{
    static const struct warp_op three[] = {OP(FP32, 0, NO, NO, NO), OP(BARRIER, NO, NO, NO, NO),
                                           OP(FP32, 1, NO, NO, NO)};
    static const struct warp_program both[] = {{three, 3}, {three + 1, 2}};
    static const struct machine_setting settings[] = {{"barrier_latency", "3"}};
    cr_expect_eq(exact_of(both, 2, settings, 1).cycles, 12);
}

/* Warp 1 ends at the barrier, for which warp 0 does not wait: its second instruction issues at 2 + 1 at the latest,
 * when both barriers have gone before it. */
Test(exhaust, a_warp_that_ends_at_a_barrier)
{
    static const struct warp_op two[] = {OP(BARRIER, NO, NO, NO, NO), OP(FP32, 1, NO, NO, NO)};
    static const struct warp_program both[] = {{two, 2}, {two, 1}, {two, 0}};
    cr_expect_eq(exact_of(both, 3, NULL, 0).cycles, 2 + 1 + 4);
}

/* Three instructions for a unit that each keeps for 5 cycles, then one with a latency of 20. Without a queue they issue
 * at 0, 5 and 10; if the warp with the long latency comes last, that begins at 11. With a queue it begins at 3. */
Test(exhaust, units_that_refuse)
{
    static const struct warp_op first[] = {OP(INT, 0, NO, NO, NO), OP(INT, 1, NO, NO, NO)};
    static const struct warp_op second[] = {OP(INT, 0, NO, NO, NO), OP(FP32, 1, NO, NO, NO)};
    static const struct warp_program both[] = {{first, 2}, {second, 2}};
    struct machine_setting settings[] = {{"classes.int.initiation", "5"},
                                         {"classes.int.latency", "0"},
                                         {"classes.fp32.latency", "20"},
                                         {"units.int.queue", "0"}};
    cr_expect_eq(exact_of(both, 2, settings, 4).cycles, 11 + 1 + 20);
    cr_expect_eq(exact_of(both, 2, settings, 3).cycles, 3 + 1 + 20);
}

/* Nobody has anything to issue: the block is over in the cycle after it was placed, whenever warps might issue. */
Test(exhaust, a_block_without_instructions)
{
    static const struct warp_program both[] = {{NULL, 0}, {NULL, 0}};
    static const struct machine_setting settings[] = {{"dispatch_latency", "7"}};
    cr_expect_eq(exact_of(both, 2, settings, 1).cycles, 1);
}

/* In half of these warps the last instruction waits for the second one's result, too. That issues within 15 cycles of
 * the first, as each other warp has 5 instructions to go before it, and takes 5 cycles; the last comes after the first
 * one's result, 29 cycles. So warps that take the same time are not taken to be alike, and the figure must be the same.
 */
Test(exhaust, warps_that_are_alike)
{
    static const struct warp_op one[] = {OP(SFU, 1, NO, NO, NO), OP(FP32, 0, NO, NO, NO), OP(INT, 2, NO, NO, NO),
                                         OP(INT, 3, 1, NO, NO), OP(FP32, 4, NO, NO, NO)};
    static const struct warp_op other[] = {OP(SFU, 1, NO, NO, NO), OP(FP32, 0, NO, NO, NO), OP(INT, 2, NO, NO, NO),
                                           OP(INT, 3, 1, NO, NO), OP(FP32, 4, 0, NO, NO)};
    static const struct warp_program alike[] = {{one, 5}, {one, 5}, {one, 5}, {one, 5}};
    static const struct warp_program unlike[] = {{one, 5}, {other, 5}, {other, 5}, {one, 5}};
    struct wcet_exact a = exact_of(alike, 4, NULL, 0), b = exact_of(unlike, 4, NULL, 0);
    cr_expect_gt(a.cycles, 0);
    cr_expect_eq(a.cycles, b.cycles);
    cr_expect_lt(a.states, b.states);
}

/* ---- giving up -----------------------------------------------------------------------------------------------------
 */

static const struct warp_op four[] = {OP(INT, 0, NO, NO, NO), OP(SFU, 1, NO, NO, NO), OP(FP32, 2, 0, NO, NO),
                                      OP(FP32, 3, 1, NO, NO)};
static const struct warp_program four_of_two[] = {{four, 4}, {four + 1, 3}};

Test(exhaust, a_budget_of_states_is_kept)
{
    struct machine *m = orin(NULL, 0);
    struct rp_trace *t = trace_of(four_of_two, 2);
    struct wcet_exact all = exhausted(t, m, 100000);
    cr_assert_gt(all.cycles, 0);
    cr_assert_gt(all.states, 10, "more than the 9 instructions");
    cr_expect_eq(exhausted(t, m, all.states).cycles, all.cycles);
    cr_expect_eq(exhausted(t, m, all.states - 1).cycles, 0, "one too few: no figure at all");
    cr_expect_eq(exhausted(t, m, 8).states, 0, "more instructions than states: not begun");
    cr_expect_eq(exhausted(t, m, 0).states, 0);
    rp_trace_close(t);
    machine_free(m);
}

Test(exhaust, what_is_not_covered_has_no_figure)
{
    static const struct machine_setting settings[][1] = {
        {{"subcores", "2"}},
        {{"issue.width", "2"}},
        {{"icache", "set-associative"}},
        {{"l1", "direct-mapped"}},
    };
    struct rp_trace *t = trace_of(four_of_two, 2), *blocks = trace_of_blocks(four_of_two, 2, 2);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct machine *m = orin(settings[i], 1);
        cr_expect_eq(exhausted(t, m, 100000).cycles, 0, "%s", settings[i][0].key);
        machine_free(m);
    }
    struct machine *m = orin(NULL, 0);
    cr_expect_eq(exhausted(blocks, m, 100000).cycles, 0);
    machine_free(m);
    rp_trace_close(t);
    rp_trace_close(blocks);
}

/* Cycles that do not fit into a state: 40 instructions that keep a unit for 2,000 cycles each, two warps of them. */
Test(exhaust, times_that_are_too_long_have_no_figure)
{
    struct warp_op ops[40];
    const struct warp_program both[] = {{ops, 40}, {ops, 40}};
    static const struct machine_setting settings[] = {{"classes.int.initiation", "2000"}};
    for (int i = 0; i < 40; i++)
        ops[i] = (struct warp_op)OP(INT, i % 8, NO, NO, NO);
    struct machine *m = orin(settings, 1);
    struct rp_trace *t = trace_of(both, 2);
    cr_expect_eq(exhausted(t, m, 100000).cycles, 0);
    rp_trace_close(t);
    machine_free(m);
}

/* 150 results under way in a warp: a state has 152 fields and a few for units, more than WCET_STATE_FIELDS and less
 * than twice as many. */
Test(exhaust, large_states_count_as_several)
{
    static struct warp_op ops[300];
    for (int i = 0; i < 150; i++) {
        ops[i] = (struct warp_op)OP(FP64, i, NO, NO, NO);
        ops[150 + i] = (struct warp_op)OP(FP32, NO, i, NO, NO);
    }
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 300}, 1);
    struct machine *m = orin(NULL, 0);
    struct wcet_exact all = exhausted(t, m, 1000000), less;
    cr_assert_gt(all.cycles, 0);
    cr_expect_eq(exhausted(t, m, 2 * all.states).cycles, all.cycles);
    less = exhausted(t, m, 2 * all.states - 1);
    cr_expect(!less.cycles && less.too_many);
    cr_expect_leq(less.states, all.states);
    struct wcet_states_budget left = {1000000, 4 * all.states};
    struct rp_error err;
    for (unsigned time = 0; time < 3; time++) {
        cr_assert(wcet_exhaust(t, 0, m, 0, &left, NULL, &less, &err), "%s", err.text);
        cr_expect_eq(less.cycles, time < 2 ? all.cycles : 0);
    }
    machine_free(m);
    rp_trace_close(t);
}

/* A launch three times, and states for two. */
Test(exhaust, launches_share_what_there_is)
{
    static const struct warp_op ops[] = {OP(INT, 0, NO, NO, NO), OP(FP32, 1, 0, NO, NO), OP(SFU, 2, 1, NO, NO)};
    static const struct warp_program both[] = {{ops, 3}, {ops, 2}};
    struct rp_trace *t = trace_of(both, 2);
    struct machine *m = orin(NULL, 0);
    struct wcet_exact one = exhausted(t, m, 100000), again;
    struct wcet_states_budget left = {100000, 2 * one.states};
    struct rp_error err;
    for (unsigned time = 0; time < 3; time++) {
        cr_assert(wcet_exhaust(t, 0, m, 0, &left, NULL, &again, &err), "%s", err.text);
        cr_expect_eq(again.cycles, time < 2 ? one.cycles : 0);
        cr_expect_eq(left.all, time < 2 ? (1 - time) * one.states : 0);
    }
    machine_free(m);
    rp_trace_close(t);
}
