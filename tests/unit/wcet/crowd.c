/* Warps in a crowd: the plain simulation agrees with replay, and what Theorem 6 (docs/wcet-proofs.md) makes of it. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/crowd.h"
#include "tests/support/issue_log.h"
#include "tests/unit/wcet/common.h"
#include "tools/wcet/exhaust.h"

/* Units, latencies, branches and an access; each warp in an order of its own. */
static const struct warp_op mixed[] = {OP(INT, 0, NO, NO, NO),   OP(INT, 1, 0, NO, NO),      OP(FP32, 2, NO, NO, NO),
                                       OP(SFU, 3, 2, NO, NO),    OP(CONTROL, NO, 1, NO, NO), OP(INT, 4, 1, 0, NO),
                                       OP(FP32, 5, 3, 4, NO),    OP(FP32, 6, 5, 2, NO),      OP(INT, 0, 4, NO, NO),
                                       OP(CONTROL, NO, 0, 6, NO)};
static const struct warp_op heavy[] = {OP(INT, 0, NO, NO, NO), OP(INT, 1, NO, NO, NO), OP(INT, 2, 0, 1, NO),
                                       OP(SFU, 3, 2, NO, NO),  OP(INT, 4, 2, NO, NO),  OP(SFU, 5, 4, NO, NO),
                                       OP(INT, 6, 3, 5, NO)};
static const struct warp_op light[] = {OP(FP32, 0, NO, NO, NO), OP(FP32, 1, 0, NO, NO), OP(FP32, 2, 1, NO, NO),
                                       OP(INT, 3, 2, NO, NO)};
#define PROGRAM(ops)                                                                                                   \
    {                                                                                                                  \
        ops, sizeof(ops) / sizeof *(ops)                                                                               \
    }
static const struct warp_program company[] = {PROGRAM(mixed), PROGRAM(heavy), PROGRAM(light)};

static struct crowd *crowd_of(struct rp_trace *t, const struct machine *m)
{
    struct rp_error err;
    struct crowd *c = crowd_open(t, 0, m, &err);
    cr_assert(c, "%s", err.text);
    return c;
}

static uint64_t over(const struct logged_issue *l)
{
    const struct observed_issue *i = &l->issue;
    if (i->warp > 0 || i->instruction->flags & RP_EXIT)
        return 0;
    return i->instruction->unit_class == RP_CLASS_CONTROL ? i->cycle + 1 : l->done;
}

/* When the last result of warp 0, starved, is there, but for those of branches. */
static uint64_t replayed_starved(struct rp_trace *t, const char *order)
{
    const struct machine_setting settings[] = {
        {"scheduler", "levels"}, {"scheduler.order", order}, {"scheduler.low", "1"}};
    struct machine *m = orin(settings, 3);
    uint64_t last = 0;
    struct issue_log log = {0};
    const struct observer observer = issue_log_observer(&log);
    struct replay_options options = {.engine = REPLAY_REFERENCE, .launch = 0, .observer = &observer};
    struct replay_result result;
    struct rp_error err;
    cr_assert(replay(t, m, &options, &result, &err), "%s", err.text);
    replay_result_free(&result);
    machine_free(m);
    for (size_t i = 0; i < log.count; i++)
        last = over(&log.list[i]) > last ? over(&log.list[i]) : last;
    issue_log_free(&log);
    return last;
}

/* A warp beside up to ten copies of two others, by the simulation and by the reference engine, for which every copy is
 * a warp of the trace. */
Test(crowd, runs_as_replay_does)
{
    static const char *const orders[CROWD_ORDERS] = {"turns", "age", "behind", "ahead"};
    struct machine *m = orin(NULL, 0);
    struct rp_trace *three = trace_of(company, 3);
    struct crowd *c = crowd_of(three, m);
    cr_expect_eq(crowd_sections(c), 1);
    cr_expect_eq(crowd_warps(c), 3);
    for (uint32_t copies = 0; copies <= 10; copies++) {
        struct warp_program all[21] = {company[0]};
        for (uint32_t i = 0; i < 2 * copies; i++)
            all[1 + i] = company[1 + i % 2];
        struct rp_trace *t = trace_of(all, 1 + 2 * copies);
        for (unsigned o = 0; o < CROWD_ORDERS; o++)
            cr_expect_eq(crowd_cycles(c, 0, 0, copies, (enum crowd_order)o), replayed_starved(t, orders[o]),
                         "%u copies, %s", copies, orders[o]);
        rp_trace_close(t);
    }
    crowd_free(c);
    rp_trace_close(three);
    machine_free(m);
}

/* Two warps alike. The least by Theorem 6 in crowds of up to 256 warps, the published bound, the longest of all
 * schedules. */
static void expect(const struct warp_program *program, double least, uint64_t gub, uint64_t longest)
{
    static const char *const policies[] = {"gto", "lrr", "oldest", "two-level"};
    const struct warp_program both[] = {*program, *program};
    struct rp_trace *t = trace_of(both, 2);
    struct machine *m = orin(NULL, 0);
    struct wcet_bounds b = bounds_of(t, m, 0);
    struct crowd *c = crowd_of(t, m);
    struct wcet_states_budget left = WCET_STATES_BUDGET;
    struct wcet_exact exact;
    struct rp_error err;
    cr_assert(wcet_exhaust(t, 0, m, 0, &left, NULL, &exact, &err), "%s", err.text);
    cr_expect_eq(exact.cycles, longest, "%llu cycles", (unsigned long long)exact.cycles);
    cr_expect_eq(b.gub, gub);
    cr_expect_float_eq(crowd_least(c, 256), least, 1e-9, "%f", crowd_least(c, 256));
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        struct machine *other = orin(&(struct machine_setting){"scheduler", policies[p]}, 1);
        cr_expect_leq(replayed(t, other, REPLAY_REFERENCE), longest);
        machine_free(other);
    }
    crowd_free(c);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}

#define FREE OP(FP32, NO, NO, NO, NO)
#define LINK OP(FP32, 0, 0, NO, NO)

/* By hand, fp32 with initiation 1 and latency 4. Alone, eight instructions that need nothing issue in [0,8), and the
 * last result is there at 12. Starved by k others, they issue in [8k,8k+8): 8k + 12. So nothing is below 12 + 8, which
 * is the published bound and what the schedule with k = 1 takes. */
Test(crowd, where_the_published_bound_is_met)
{
    static const struct warp_op ops[] = {FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE};
    expect(&(struct warp_program)PROGRAM(ops), 20, 20, 20);
}

/* Five instructions that each need the one before take 25 cycles alone. Two such warps fit into one another: 26 cycles
 * under any schedule, for the second can be held up by the first once. But five fill every cycle, and 255 of them keep
 * a starved one waiting for 1275 cycles: a bound that charges 255 warps 255 times what it charges one is not below
 * 25 + 1275 / 255. */
Test(crowd, what_two_warps_do_is_not_what_many_do)
{
    static const struct warp_op ops[] = {LINK, LINK, LINK, LINK, LINK};
    expect(&(struct warp_program)PROGRAM(ops), 30, 30, 26);
}

#define BARRIER OP(BARRIER, NO, NO, NO, NO)

/* Sections: each by itself, up to the issue of the barrier. The first: alone issues in [0,3), the barrier being the
 * third; beside k others at 3k + 3. The second as above, with two instructions: 6 and 2. Together six issue in [0,6),
 * four in [6,10), and the last of these has its result at 14. */
Test(crowd, sections_add_up)
{
    static const struct warp_op ops[] = {FREE, FREE, BARRIER, FREE, FREE};
    expect(&(struct warp_program)PROGRAM(ops), 3 + 3 + 6 + 2, 6 + 3 + 6 + 2, 14);
}

/* One that is alone has nobody to wait for. */
Test(crowd, one_warp_is_its_isolation)
{
    struct machine *m = orin(NULL, 0);
    struct rp_trace *t = trace_of(&company[1], 1);
    struct wcet_bounds b = bounds_of(t, m, 0);
    struct crowd *c = crowd_of(t, m);
    cr_expect_eq((uint64_t)crowd_least(c, 256), b.gub);
    crowd_free(c);
    wcet_bounds_free(&b);
    machine_free(m);
    rp_trace_close(t);
}
