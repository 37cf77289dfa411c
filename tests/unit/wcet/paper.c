/* The examples and figures of "Bounding the WCET of a GPU Thread Block with a Multi-Phase Representation of Warps
 * Execution" (ECRTS 2025), to the cycle. The units of the figures, with initiation and latency as Example 3 gives them:
 * FU0 2 and 6, FU1 3 and 4, FU2 2 and 4. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/issue_log.h"
#include "tests/unit/wcet/common.h"

static struct machine *figure_machine(const char *scheduler)
{
    const struct machine_setting settings[] = {
        {"classes.int.unit", "int"},   {"classes.int.initiation", "2"},  {"classes.int.latency", "6"},
        {"classes.fp32.unit", "fp32"}, {"classes.fp32.initiation", "3"}, {"classes.fp32.latency", "4"},
        {"classes.sfu.unit", "sfu"},   {"classes.sfu.initiation", "2"},  {"classes.sfu.latency", "4"},
        {"scheduler", scheduler},
    };
    return orin(settings, MODEL_COUNT_OF(settings));
}

/* i0 on FU0, i1 and i2 on FU1, i3 on FU2 after the result of i0. */
static const struct warp_op kernel[] = {
    OP(INT, 0, NO, NO, NO),
    OP(FP32, 1, NO, NO, NO),
    OP(FP32, 2, NO, NO, NO),
    OP(SFU, 3, 0, NO, NO),
};
static const struct warp_program warps[] = {{kernel, 4}, {kernel, 4}};

struct seen {
    struct wcet_phase phase[16];
    struct wcet_instant instant[16];
    unsigned phases, instants;
};

static void see_phase(void *data, const struct wcet_location *place, const struct wcet_phase *phase)
{
    struct seen *s = data;
    if (place->warp == 0)
        s->phase[s->phases++] = *phase;
}

static void see_phase_of_one(void *data, const struct wcet_phase *phase)
{
    struct seen *s = data;
    s->phase[s->phases++] = *phase;
}

static void see_instant(void *data, const struct wcet_location *place, const struct wcet_instant *instant)
{
    struct seen *s = data;
    if (place->warp == 0)
        s->instant[s->instants++] = *instant;
}

/* What the analysis says of warp 0, and the bounds of the block. */
static struct wcet_bounds analysed(struct rp_trace *t, const struct machine *m, struct seen *seen)
{
    struct rp_error err;
    struct wcet_watch watch = {.phase = see_phase, .instant = see_instant, .data = seen};
    struct wcet_bounds b;
    cr_assert(wcet_analyse(t, 0, m, 0, &watch, &b, &err), "%s", err.text);
    return b;
}

static void expect_instants(const struct wcet_instant *seen, const uint64_t (*times)[3], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        cr_expect_eq(seen[i].issue, times[i][0], "i%u", i);
        cr_expect_eq(seen[i].dispatch, times[i][1], "i%u", i);
        cr_expect_eq(seen[i].writeback, times[i][2], "i%u", i);
    }
}

/* "Instruction i0 is dispatched at cycle 0. ... At cycle 1, i1 is issued and directly dispatched ... although [i2] is
 * issued at cycle 2, it cannot be dispatched before the initiation of i1 is finished, at cycle 4. ... i3 cannot start
 * its initiation before i0 produces its result at the end of cycle 8" */
Test(paper, example_1)
{
    const uint64_t times[4][3] = {{0, 0, 8}, {1, 1, 8}, {2, 4, 11}, {8, 8, 14}};
    struct machine *m = figure_machine("gto");
    struct rp_trace *t = trace_of(warps, 1);
    struct seen seen = {0};
    struct wcet_bounds b = analysed(t, m, &seen);
    cr_assert_eq(seen.instants, 4);
    expect_instants(seen.instant, times, 4);
    /* One warp has nobody to wait for. */
    cr_expect_eq(b.gub, 14);
    cr_expect_eq(b.serial, 14);
    cr_expect_eq(b.unit_bound, 14);
    cr_expect_eq(replayed(t, m, REPLAY_REFERENCE), 14);
    wcet_bounds_free(&b);
    rp_trace_close(t);
    machine_free(m);
}

/* The bottom part: "The first phase accounts for the initiation of instructions i0, i1 and i2 in the 7 first cycles ...
 * the idle cycle that results from i3 waiting for the result produced by i0 ... the initiation of i3 and ... the
 * latencies of i2 and i3." */
Test(paper, figure_2)
{
    const uint64_t phases[4][4] = {
        {0, 7, WCET_EXEC, 3}, {7, 1, WCET_IDLE, 0}, {8, 2, WCET_EXEC, 1}, {10, 4, WCET_IDLE, 0}};
    struct machine *m = figure_machine("gto");
    struct rp_trace *t = trace_of(warps, 1);
    struct seen seen = {0};
    struct wcet_bounds b = analysed(t, m, &seen);
    cr_assert_eq(seen.phases, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(seen.phase[i].start, phases[i][0]);
        cr_expect_eq(seen.phase[i].duration, phases[i][1]);
        cr_expect_eq(seen.phase[i].kind, phases[i][2]);
        cr_expect_eq(seen.phase[i].instructions, phases[i][3]);
    }
    wcet_bounds_free(&b);
    rp_trace_close(t);
    machine_free(m);
}

/* Example 2: two warps. */
struct issues {
    uint64_t issue[2][4], dispatch[2][4], done[2][4];
    unsigned count[2];
};

static void see_issue(struct issues *s, const struct logged_issue *i)
{
    uint32_t warp = i->issue.warp;
    unsigned n = s->count[warp]++;
    s->issue[warp][n] = i->issue.cycle;
    s->dispatch[warp][n] = i->dispatch;
    s->done[warp][n] = i->done;
}

static uint64_t replayed_issues(struct issues *seen)
{
    struct machine *m = figure_machine("gto");
    struct rp_trace *t = trace_of(warps, 2);
    struct rp_error err;
    struct replay_result result;
    struct issue_log log = {0};
    const struct observer observer = issue_log_observer(&log);
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = -1, .observer = &observer};
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    uint64_t cycles = result.total.cycles;
    replay_result_free(&result);
    for (size_t i = 0; i < log.count; i++)
        see_issue(seen, &log.list[i]);
    issue_log_free(&log);
    rp_trace_close(t);
    machine_free(m);
    return cycles;
}

/* The text gives what issues and is dispatched in cycles 0 to 8. w0 issues i0, i1, i2 in cycles 0 to 2; "in cycle 3 ...
 * the warp scheduler elects w1 to issue i0 and start its initiation. At cycle 4, ... initiate i2 for w0 ... i1 is
 * issued for w1 ... At cycle 5, i2 is issued for w1. After the initiation of i2 for w0 completes at the end of cycle 7,
 * i1 of w1 starts its initiation" */
Test(paper, example_2)
{
    struct issues seen = {0};
    replayed_issues(&seen);
    const uint64_t issue[2][3] = {{0, 1, 2}, {3, 4, 5}}, dispatch[2][2] = {{0, 1}, {3, 7}};
    for (unsigned w = 0; w < 2; w++) {
        for (unsigned i = 0; i < 3; i++)
            cr_expect_eq(seen.issue[w][i], issue[w][i]);
        for (unsigned i = 0; i < 2; i++)
            cr_expect_eq(seen.dispatch[w][i], dispatch[w][i]);
    }
    cr_expect_eq(seen.dispatch[0][2], 4);
}

/* The whole of the schedule, worked out by hand from where Example 2 stops: i3 of w0 has its operand at 8; i2 of w1
 * waits for FU1 until 10; i3 of w1 has its operand at 3 + 8. Both i2 and i3 of w1 are written at 17. */
Test(paper, figure_3)
{
    const uint64_t issue[2][4] = {{0, 1, 2, 8}, {3, 4, 5, 11}}, dispatch[2][4] = {{0, 1, 4, 8}, {3, 7, 10, 11}},
                   done[2][4] = {{8, 8, 11, 14}, {11, 14, 17, 17}};
    struct issues seen = {0};
    cr_expect_eq(replayed_issues(&seen), 17);
    for (unsigned w = 0; w < 2; w++) {
        cr_assert_eq(seen.count[w], 4);
        for (unsigned i = 0; i < 4; i++) {
            cr_expect_eq(seen.issue[w][i], issue[w][i], "w%u i%u", w, i);
            cr_expect_eq(seen.dispatch[w][i], dispatch[w][i], "w%u i%u", w, i);
            cr_expect_eq(seen.done[w][i], done[w][i], "w%u i%u", w, i);
        }
    }
    struct machine *m = figure_machine("gto");
    struct rp_trace *t = trace_of(warps, 2);
    struct wcet_bounds b = bounds_of(t, m, 0);
    cr_expect_eq(b.gub, 14 + 9, "Definition 9: 14 cycles of one warp, 7 + 2 of execution phases of the other");
    cr_expect_eq(b.serial, 14 + 10, "every initiation of the other: 2 + 3 + 3 + 2");
    cr_expect_leq(17, b.unit_bound);
    wcet_bounds_free(&b);
    rp_trace_close(t);
    machine_free(m);
}

/* Example 3 walks through Algorithm 1 and gives FU_state and reg_state, which count down to 0; here is the cycle in
 * which they would get there. Of i2's result the text says 7 at t = 2, which forgets that i2 waits for i1, but 3 at
 * t = 8, which does not. */
Test(paper, example_3)
{
    enum { FU0, FU1, FU2 };
    const struct {
        uint64_t t, unit[3], reg[4]; /* after each instruction: t, and FU_state and reg_state + t */
    } states[] = {
        {0, {0 + 2, 0, 0}, {0 + 8, 0, 0, 0}},
        {1, {2, 1 + 3, 0}, {8, 1 + 7, 0, 0}},
        {2, {2, 2 + 2 + 3, 0}, {8, 8, 8 + 3, 0}},
        {8, {2, 3 + 4, 8 + 2}, {8 /* 3 + 5 */, 8, 8 + 3, 8 + 6}},
    };
    struct machine *m = figure_machine("gto");
    struct rp_trace *t = trace_of(warps, 1);
    struct rp_error err;
    struct wcet_model model;
    struct wcet_warp w;
    struct seen seen = {0};
    struct wcet_sink sink = {.phase = see_phase_of_one, .data = &seen};
    const struct rp_launch *l = rp_trace_launch(t, 0);
    cr_assert(wcet_model_begin(&model, m, rp_trace_kernel(t, l->kernel), l, 0, &err), "%s", err.text);
    cr_assert(wcet_warp_begin(&w, &model, &sink, &err));
    wcet_warp_open(&w, 0);
    const unsigned units[3] = {model.rows[0].op.unit, model.rows[1].op.unit, model.rows[3].op.unit};
    for (unsigned i = 0; i < 4; i++) {
        wcet_warp_step(&w, i, true, &model.rows[i].op);
        cr_expect_eq(w.next, states[i].t + 1, "i%u: t = %llu", i, (unsigned long long)w.next);
        for (unsigned u = FU0; u <= FU2; u++)
            cr_expect_eq(w.unit_free[units[u]], states[i].unit[u], "i%u: FU%u", i, u);
        for (unsigned r = 0; r < 4; r++)
            cr_expect_eq(w.registers[r].ready, states[i].reg[r], "i%u: r%u", i, r);
        cr_expect_eq(seen.phases, i < 3 ? 0 : 2, "phases are closed when i3 has to wait");
    }
    wcet_warp_close(&w, true);
    /* "The end of phase 0 is t_inter = 3 + 4 = 7 ... The next idle phase, starts at cycle 7 and lasts for 5 - 4 = 1
     * cycle ... the next execution phase starts at cycle 8 ... extended to the end of the initiation of the pending
     * instruction at cycle 10, and a last idle phase is created between cycle 10 and ... cycle 14" */
    const uint64_t ends[4] = {7, 8, 10, 14};
    cr_assert_eq(seen.phases, 4);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(seen.phase[i].start + seen.phase[i].duration, ends[i]);
    wcet_warp_end(&w);
    wcet_model_end(&model);
    rp_trace_close(t);
    machine_free(m);
}

Test(paper, the_published_bound_is_too_small_here)
{
    struct rp_trace *t = trace_of(counterexample, 2);
    uint64_t longest = 0;
    struct wcet_bounds b = {0};
    for (int64_t seed = 0; seed < 64; seed++) {
        char number[32];
        snprintf(number, sizeof number, "%d", (int)seed);
        const struct machine_setting random[] = {{"scheduler", "random"}, {"scheduler.seed", number}};
        struct machine *m = counterexample_machine(random, 2);
        uint64_t cycles = replayed(t, m, REPLAY_REFERENCE);
        longest = cycles > longest ? cycles : longest;
        if (seed == 0)
            b = bounds_of(t, m, 0);
        machine_free(m);
    }
    cr_expect_eq(b.gub, 23);
    cr_expect_eq(longest, 31);
    cr_expect_eq(b.serial, 32);
    cr_expect_geq(b.unit_bound, longest);
    wcet_bounds_free(&b);
    rp_trace_close(t);
}
