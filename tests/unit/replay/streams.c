/* Launches at the same time, where their times follow from a look at them. */
#include <criterion/criterion.h>

#include "steps.h"

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

/* Launching takes its time after the last block has left; launches of another stream run meanwhile. */
Test(streams, launching_takes_time)
{
    uint64_t times[3][2];
    uint64_t total = run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 1), LAUNCH(390, 1, 2)),
                               SETTINGS(TWO_SMS, "launch_latency=50"), times);
    cr_expect_eq(times[0][1], alone(100) + 50);
    cr_expect_eq(times[1][0], alone(100) + 50);
    cr_expect_eq(times[1][1], alone(100) + alone(300) + 100);
    cr_expect_eq(times[2][1], alone(390) + 50);
    cr_expect_eq(total, alone(100) + alone(300) + 100);
    total = run_steps(STEPS(LAUNCH(100, 1, 1), LAUNCH(300, 1, 1)), SETTINGS(TWO_SMS, "launch_latency=50"), times);
    cr_expect_eq(times[1][1], total);
    cr_expect_eq(total, alone(100) + alone(300) + 100);
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
