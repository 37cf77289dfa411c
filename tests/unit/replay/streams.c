/* Launches at the same time, where their times follow from a look at them. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "common.h"

/* A launch of `ops` additions that wait for one another, and an exit. */
#define LONGEST 400
struct step {
    uint32_t ops, blocks, stream; /* ops 0: the operation instead */
    struct rp_host_operation host;
};
#define LAUNCH(ops, blocks, stream)                                                                                    \
    {                                                                                                                  \
        ops, blocks, stream, { 0 }                                                                                     \
    }
#define HOST(what, in, number)                                                                                         \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_##what, .stream = in, .event = number }                                             \
    }

static struct rp_trace *trace_of_steps(const struct step *steps, size_t count)
{
    static struct warp_op ops[LONGEST];
    char path[] = "/tmp/reprise-streams-XXXXXX";
    struct rp_error err;
    close(mkstemp(path));
    struct warp_trace *w = warp_trace_begin(path, &err);
    bool fine = w;
    for (unsigned i = 0; i < LONGEST; i++)
        ops[i] = (struct warp_op)OP(INT, 1, 1, NO);
    for (size_t i = 0; fine && i < count; i++) {
        struct warp_program program = {ops, steps[i].ops};
        warp_trace_stream(w, steps[i].stream);
        fine = steps[i].ops ? warp_trace_launch(w, &program, 1, steps[i].blocks, &err)
                            : warp_trace_host(w, &steps[i].host, &err);
    }
    cr_assert(fine && warp_trace_end(w, true, &err), "%s", err.text);
    struct rp_trace *t = rp_trace_open(path, &err);
    cr_assert(t, "%s", err.text);
    unlink(path);
    return t;
}

/* The begins and ends of all launches, the same with both engines, and with several threads. */
static uint64_t run_steps(const struct step *steps, size_t count, const char *const *settings, uint64_t (*times)[2])
{
    struct rp_trace *t = trace_of_steps(steps, count);
    struct machine *m = test_machine("orin-wcet", NULL, settings);
    uint64_t total = 0;
    static const unsigned threads[] = {1, 1, 2, 3, 5};
    for (int e = 0; e < 5; e++) {
        struct replay_options options = {
            .engine = e == 1 ? REPLAY_REFERENCE : REPLAY_FAST, .threads = threads[e], .launch = -1};
        struct replay_result r;
        struct rp_error err;
        cr_assert(replay(t, m, &options, &r, &err), "%s", err.text);
        for (uint32_t i = 0; i < r.count; i++) {
            cr_assert(!e || (times[i][0] == r.launches[i].begin && times[i][1] == r.launches[i].end));
            times[i][0] = r.launches[i].begin;
            times[i][1] = r.launches[i].end;
        }
        cr_assert(!e || total == r.total.cycles);
        total = r.total.cycles;
        replay_result_free(&r);
    }
    machine_free(m);
    rp_trace_close(t);
    return total;
}

#define STEPS(...) (const struct step[]){__VA_ARGS__}, sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step)
#define SETTINGS(...)                                                                                                  \
    (const char *const[]) { __VA_ARGS__, NULL }
#define TWO_SMS "sms=2", "limits.grids=128", "limits.blocks=1", "issue_exit=true"

/* How long a launch alone takes. */
static uint64_t alone(uint32_t ops)
{
    uint64_t times[1][2];
    return run_steps(STEPS(LAUNCH(ops, 1, 0)), SETTINGS(TWO_SMS), times);
}

Test(streams, two_streams_take_as_long_as_the_longer_one)
{
    uint64_t times[2][2], total = run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 2)), SETTINGS(TWO_SMS), times);
    cr_expect_eq(total, alone(300));
    cr_expect_eq(times[0][0], 0);
    cr_expect_eq(times[0][1], alone(100));
    cr_expect_eq(times[1][0], 0);
}

Test(streams, one_stream_takes_the_sum)
{
    uint64_t times[2][2], total = run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 1)), SETTINGS(TWO_SMS), times);
    cr_expect_eq(total, alone(100) + alone(300));
    cr_expect_eq(times[1][0], alone(100));
}

Test(streams, a_machine_may_run_one_launch_at_a_time)
{
    uint64_t times[2][2],
        total = run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 2)),
                          SETTINGS("sms=2", "limits.grids=1", "limits.blocks=1", "issue_exit=true"), times);
    cr_expect_eq(total, alone(100) + alone(300));
}

/* Three blocks on two SMs of one block each: the later launch gets the SM that the earlier one leaves over. */
Test(streams, later_launches_get_what_earlier_ones_leave_over)
{
    uint64_t times[3][2], one = alone(100);
    run_steps(STEPS(LAUNCH(100, 3, 1), LAUNCH(50, 1, 2), LAUNCH(10, 1, 3)), SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[0][1], 2 * one);
    cr_expect_eq(times[1][0], one);
    cr_expect_eq(times[1][1], one + alone(50));
    cr_expect_eq(times[2][0], one + alone(50));
}

/* A launch that finds no room holds up those behind it, though they would fit. */
Test(streams, nobody_overtakes)
{
    uint64_t times[4][2];
    run_steps(STEPS(LAUNCH(300, 1, 1), LAUNCH(100, 4, 2), LAUNCH(10, 1, 3)), SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[1][1], alone(300) + alone(100));
    cr_expect_eq(times[2][0], 3 * alone(100)); /* then the second SM is free again, and no block before it */
}

Test(streams, events_hold_back)
{
    uint64_t times[3][2];
    run_steps(
        STEPS(LAUNCH(100, 1, 1), HOST(RECORD_EVENT, 1, 7), LAUNCH(50, 1, 1), HOST(WAIT_EVENT, 2, 7), LAUNCH(20, 1, 2)),
        SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[2][0], alone(100));
    cr_expect_eq(times[1][0], alone(100));
    cr_expect_eq(times[2][1], alone(100) + alone(20));
}

/* What the host does after it has waited comes later, in every stream. */
Test(streams, the_host_holds_back)
{
    uint64_t times[3][2];
    run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 2), HOST(SYNCHRONISE_STREAM, 1, 0), LAUNCH(20, 1, 3)),
              SETTINGS("sms=3", "limits.grids=128", "limits.blocks=1", "issue_exit=true"), times);
    cr_expect_eq(times[2][0], alone(100));
    run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 2), HOST(SYNCHRONISE, 0, 0), LAUNCH(20, 1, 3)),
              SETTINGS("sms=3", "limits.grids=128", "limits.blocks=1", "issue_exit=true"), times);
    cr_expect_eq(times[2][0], alone(300));
    run_steps(STEPS(LAUNCH(100, 1, 1), HOST(RECORD_EVENT, 1, 0), LAUNCH(300, 1, 2), HOST(SYNCHRONISE_EVENT, 0, 0),
                    LAUNCH(20, 1, 3)),
              SETTINGS("sms=3", "limits.grids=128", "limits.blocks=1", "issue_exit=true"), times);
    cr_expect_eq(times[2][0], alone(100));
}

/* An event that was recorded before anything was done is over. */
Test(streams, an_empty_event_holds_nobody_back)
{
    uint64_t times[2][2];
    run_steps(STEPS(HOST(RECORD_EVENT, 1, 7), LAUNCH(100, 1, 1), HOST(WAIT_EVENT, 2, 7), HOST(WAIT_EVENT, 2, 8),
                    LAUNCH(20, 1, 2)),
              SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[1][0], 0);
}
