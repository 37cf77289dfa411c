/* Control words and dual issue, to the cycle, on traces written by hand: worked out on paper from docs/timing-model.md
 * on machine orin-wcet, where int keeps its unit for 2 cycles and takes 4 more, fp32 1 and 4, sfu 8 and 21, a load from
 * global memory 1 and 200, from shared memory 1 and 1. */
#include <criterion/criterion.h>

#include "tests/unit/replay/common.h"

/* A control word: stall count, barrier set until the result is written, until the operands are read, barriers waited
 * for. Bit 4 says not to yield, and with a stall of 0 that the next instruction issues together with this one. */
#define WORD(stall, write, read, wait) ((uint64_t)(stall) | 16 | (write) << 5 | (read) << 8 | (wait) << 11)
#define NONE 7
#define PAIR WORD(0, NONE, NONE, 0)

static struct warp_op with(struct warp_op op, uint64_t control)
{
    op.control = control;
    return op;
}
#define INT_OP(d, s) ((struct warp_op)OP(INT, d, s, NO))
#define FP_OP(d, s) ((struct warp_op)OP(FP32, d, s, NO))
#define SFU_OP(d) ((struct warp_op)OP(SFU, d, NO, NO))
#define LOAD(d) ((struct warp_op)ACCESS(GLOBAL, false, d, 4, 0))
#define SHARED_LOAD(d) ((struct warp_op)ACCESS(SHARED, false, d, 4, 0))

#define WORDS "dependencies=control-words"

Test(control_words, stall_counts_hold_the_next_issue_and_registers_do_not)
{
    struct warp_op ops[] = {with(INT_OP(0, NO), WORD(6, NONE, NONE, 0)), with(INT_OP(1, 0), WORD(3, NONE, NONE, 0)),
                            with(INT_OP(2, 1), WORD(1, NONE, NONE, 0))};
    struct statistics s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 9 + 6, "issue at 0, 6 and 9");
    cr_expect_eq(s.stall[STALL_CONTROL_WORD], 5 + 2);
    cr_expect_eq(s.stall[STALL_SCOREBOARD], 0);
    s = RUN(ops, NULL);
    cr_expect_eq(s.cycles, 12 + 6, "the scoreboard: at 0, 6 and 12");
    cr_expect_eq(s.stall[STALL_SCOREBOARD], 5 + 5);
}

Test(control_words, write_barriers_are_released_at_writeback)
{
    struct warp_op ops[] = {with(LOAD(0), WORD(2, 3, NONE, 0)), with(INT_OP(1, NO), WORD(1, NONE, NONE, 0)),
                            with(INT_OP(2, 0), WORD(1, NONE, NONE, 1 << 3))};
    struct statistics s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 201 + 6, "the load is back at 201");
    cr_expect_eq(s.stall[STALL_CONTROL_WORD], 1, "cycle 1");
    cr_expect_eq(s.stall[STALL_MEMORY], 198, "cycles 3 to 200");
    ops[2].control = WORD(1, NONE, NONE, 1 << 2);
    cr_expect_eq(RUN(ops, WORDS, NULL).cycles, 201, "another barrier holds nothing up: the load is last");
}

Test(control_words, read_barriers_are_released_when_operands_are_read)
{
    struct warp_op ops[] = {with(SFU_OP(0), WORD(1, NONE, 5, 0)), with(INT_OP(1, NO), WORD(1, NONE, NONE, 1 << 5))};
    struct statistics s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 8 + 21, "the add, at 8, is over before");
    cr_expect_eq(s.stall[STALL_OPERANDS], 7, "cycles 1 to 7");
    ops[0].control = WORD(1, 5, NONE, 0);
    s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 29 + 6, "a write barrier instead");
    cr_expect_eq(s.stall[STALL_SCOREBOARD], 28);
}

/* ptxas sets a barrier at the last of several loads only: they come back in order. */
Test(control_words, results_of_a_unit_come_back_in_order)
{
    struct warp_op ops[] = {with(LOAD(0), WORD(1, NONE, NONE, 0)), with(LOAD(1), WORD(2, 0, NONE, 0)),
                            with(INT_OP(2, 0), WORD(1, NONE, NONE, 1))};
    ops[1].guarded_off = true;
    cr_expect_eq(RUN(ops, WORDS, NULL).cycles, 201 + 6, "the second one, by itself, would be over at 2");
    ops[1] = with(SHARED_LOAD(1), WORD(2, 0, NONE, 0));
    cr_expect_eq(RUN(ops, WORDS, NULL).stall[STALL_CONTROL_WORD], 1, "shared memory waits for no one");
    cr_expect_eq(RUN(ops, WORDS, NULL).cycles, 201);
}

Test(control_words, counted_barriers)
{
    struct warp_op nop = OP(NOP, NO, NO, NO);
    struct warp_op ops[] = {with(LOAD(0), WORD(10, 0, NONE, 0)), with(LOAD(1), WORD(10, 0, NONE, 0)),
                            with(LOAD(2), WORD(10, 0, NONE, 0)),
                            with(nop, WORD(1, NONE, NONE, 0) | RP_CONTROL_COUNT(0, 1)),
                            with(INT_OP(3, 2), WORD(1, NONE, NONE, 0) | RP_CONTROL_ALSO_WAIT(1))};
    struct statistics s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 221 + 6, "loads are back at 201, 211, 221; the nop goes at 211");
    cr_expect_eq(s.stall[STALL_CONTROL_WORD], 9 + 9);
    cr_expect_eq(s.stall[STALL_MEMORY], 190 + 9, "cycles 21 to 210 and 212 to 220");
    ops[3].control = WORD(1, NONE, NONE, 0) | RP_CONTROL_COUNT(0, 3);
    s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.stall[STALL_CONTROL_WORD], 9 + 9 + 9, "three may be outstanding: the nop goes at 30");
}

Test(control_words, stand_in_for_the_control_interval)
{
    struct warp_op branch = OP(CONTROL, NO, NO, NO);
    struct warp_op ops[] = {with(branch, WORD(5, NONE, NONE, 0)), with(INT_OP(0, NO), WORD(1, NONE, NONE, 0))};
    cr_expect_eq(RUN(ops, WORDS, "control_interval=13", NULL).cycles, 5 + 6);
    cr_expect_eq(RUN(ops, "control_interval=13", NULL).cycles, 13 + 6);
}

/* Warp by warp, in the order of issue: a digit each. */
struct order {
    uint64_t warps;
    uint64_t last;
};
static void note(void *data, const struct observed_issue *i)
{
    struct order *o = data;
    o->warps = 10 * o->warps + i->warp + 1;
    o->last = i->cycle;
}
static uint64_t order_of(const struct warp_program *warps, uint32_t count, const char *const *settings)
{
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    struct rp_trace *t = trace_of(warps, count);
    struct order o = {0};
    struct replay_result result;
    struct rp_error err;
    both_engines(t, m);
    const struct observer observer = {.data = &o, .issue = note};
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = -1, .observer = &observer};
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    cr_expect(result.launches[0].control_words);
    replay_result_free(&result);
    rp_trace_close(t);
    machine_free(m);
    cr_expect_eq(o.last, 3, "one per cycle");
    return o.warps;
}

Test(control_words, the_yield_hint_lets_others_go_first)
{
    uint64_t stays = WORD(1, NONE, NONE, 0), yields = stays & ~16ull;
    struct warp_op greedy[] = {with(FP_OP(0, NO), stays), with(FP_OP(1, NO), stays)};
    struct warp_op polite[] = {with(FP_OP(0, NO), yields), with(FP_OP(1, NO), yields)};
    struct warp_program stay[] = {{greedy, 2}, {greedy, 2}}, yield[] = {{polite, 2}, {polite, 2}};
    static const char *const gto[] = {WORDS, "scheduler=gto", NULL}, *const serial[] = {WORDS, "scheduler=serial",
                                                                                        NULL};
    cr_expect_eq(order_of(stay, 2, gto), 1122);
    cr_expect_eq(order_of(yield, 2, gto), 1212);
    cr_expect_eq(order_of(yield, 2, serial), 1122, "a scheduler that wants this warp only gets it");
    struct warp_op four[] = {polite[0], polite[1], polite[0], polite[1]};
    cr_expect_eq(order_of(&(struct warp_program){four, 4}, 1, gto), 1111, "a warp alone goes on");
}

/* ---- dual issue ---------------------------------------------------------------------------------------------------
 */

Test(dual_issue, pairs_that_the_code_marks)
{
    struct warp_op ops[] = {with(INT_OP(0, NO), PAIR), with(FP_OP(1, NO), WORD(1, NONE, NONE, 0)),
                            with(FP_OP(2, NO), WORD(1, NONE, NONE, 0))};
    struct statistics s = RUN(ops, WORDS, "issue.width=2", NULL);
    cr_expect_eq(s.cycles, 1 + 5, "fp32 at 0 and 1, int at 0");
    cr_expect_eq(s.dual_issues, 1);
    cr_expect_eq(s.issue_cycles, 2);
    cr_expect_eq(s.warp_instructions, 4, "exit included");
    s = RUN(ops, WORDS, NULL);
    cr_expect_eq(s.cycles, 2 + 5, "one by one");
    cr_expect_eq(s.dual_issues, 0);
    ops[0].control = WORD(0, NONE, NONE, 0) & ~16ull;
    cr_expect_eq(RUN(ops, WORDS, "issue.width=2", NULL).dual_issues, 0, "a stall of 0 alone marks no pair");
    ops[0] = with(FP_OP(0, NO), PAIR);
    cr_expect_eq(RUN(ops, WORDS, "issue.width=2", NULL).dual_issues, 0, "both to one unit");
    ops[0] = with(INT_OP(0, NO), PAIR);
    ops[1].control = PAIR;
    ops[2] = with(SFU_OP(2), WORD(1, NONE, NONE, 0));
    cr_expect_eq(RUN(ops, WORDS, "issue.width=2", NULL).dual_issues, 1, "no third one in a cycle");
}

Test(dual_issue, a_marked_pair_waits_for_barriers_and_units)
{
    struct warp_op ops[] = {with(LOAD(0), WORD(2, 0, NONE, 0)), with(INT_OP(1, NO), PAIR),
                            with(FP_OP(2, 0), WORD(1, NONE, NONE, 1))};
    struct statistics s = RUN(ops, WORDS, "issue.width=2", NULL);
    cr_expect_eq(s.cycles, 201 + 5, "the second waits for the load");
    cr_expect_eq(s.dual_issues, 0);
    struct warp_op busy[] = {with(SFU_OP(0), WORD(1, NONE, NONE, 0)), with(INT_OP(1, NO), PAIR),
                             with(SFU_OP(2), WORD(1, NONE, NONE, 0))};
    s = RUN(busy, WORDS, "issue.width=2", "units.sfu.queue=0", NULL);
    cr_expect_eq(s.dual_issues, 0);
    cr_expect_eq(s.cycles, 8 + 29, "the unit is free at 8");
    cr_expect_eq(s.stall[STALL_UNIT], 6);
}

Test(dual_issue, by_the_scoreboard_when_independent_and_on_another_unit)
{
    struct warp_op ops[] = {INT_OP(0, NO), FP_OP(1, NO), INT_OP(2, 1)};
    struct statistics s = RUN(ops, "issue.width=2", NULL);
    cr_expect_eq(s.dual_issues, 1);
    cr_expect_eq(s.cycles, 5 + 6, "int and fp32 at 0, the second int when fp32 has its result");
    ops[1] = FP_OP(1, 0);
    cr_expect_eq(RUN(ops, "issue.width=2", NULL).dual_issues, 0, "reads what the first writes");
    ops[1] = FP_OP(0, NO);
    ops[2] = INT_OP(2, 0);
    cr_expect_eq(RUN(ops, "issue.width=2", NULL).dual_issues, 0, "writes what the first writes");
    ops[1] = INT_OP(1, NO);
    cr_expect_eq(RUN(ops, "issue.width=2", NULL).dual_issues, 0, "the same unit");
    struct warp_op branch[] = {OP(CONTROL, NO, NO, NO), OP(INT, 0, NO, NO)};
    cr_expect_eq(RUN(branch, "issue.width=2", NULL).dual_issues, 0, "nothing goes with what follows a branch");
    struct warp_op before[] = {OP(INT, 0, NO, NO), OP(CONTROL, NO, NO, NO)};
    cr_expect_eq(RUN(before, "issue.width=2", NULL).dual_issues, 1, "but with what comes before");
}

/* A kernel without control words, as of PTX, on a machine that goes by them. */
Test(control_words, are_not_asked_for_where_there_are_none)
{
    struct warp_op ops[] = {INT_OP(0, NO), INT_OP(1, 0)};
    struct machine *m = test_machine("orin-wcet", NULL, (const char *const[]){WORDS, NULL});
    struct rp_trace *t = trace_of(&(struct warp_program){ops, 2}, 1);
    struct replay_result result;
    struct rp_error err;
    cr_assert(replay(t, m, &(struct replay_options){.launch = -1}, &result, &err), "%s", err.text);
    cr_expect_not(result.launches[0].control_words);
    cr_expect_eq(result.total.cycles, 6 + 6);
    replay_result_free(&result);
    cr_expect_eq(both_engines(t, m).cycles, 12);
    rp_trace_close(t);
    machine_free(m);
}
