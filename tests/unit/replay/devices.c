/* Launches and copies of several devices in time. What each takes follows from the machine, so all cycles are sums. */
#include <criterion/criterion.h>

#include "steps.h"

#define ON(d, what, in, number)                                                                                        \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_##what, .device = d, .stream = in, .event = number }                                \
    }
#define ACROSS(f, t, d, in, bytes)                                                                                     \
    {                                                                                                                  \
        0, 0, 0,                                                                                                       \
        {                                                                                                              \
            .kind = RP_HOST_COPY, .direction = RP_COPY_ON_DEVICE, .waits = RP_WAITS_NOT, .device = d, .stream = in,    \
            .from = f, .to = t, .size = bytes                                                                          \
        }                                                                                                              \
    }
#define LINK TWO_SMS, "link.bandwidth=2.5", "link.latency=7"
#define BYTES 1001u
#define TIME (7u + 401u) /* 7 + 1001 / 2.5, rounded up */

Test(devices, run_at_the_same_time)
{
    uint64_t times[3][2], total = run_steps(STEPS(LAUNCH(300, 1, 0), LAUNCH_ON(1, 50, 1, 0), LAUNCH_ON(1, 20, 1, 0)),
                                            SETTINGS(TWO_SMS), times);
    cr_expect(times[0][0] == 0 && times[0][1] == alone(300));
    cr_expect(times[1][0] == 0 && times[1][1] == alone(50));
    cr_expect(times[2][0] == alone(50) && times[2][1] == alone(50) + alone(20));
    cr_expect_eq(total, alone(300));
}

/* Streams of one device do not overlap in such traces; its default stream and blocking streams wait for each other. */
Test(devices, one_launch_at_a_time)
{
    uint64_t times[3][2],
        total = run_steps(STEPS(LAUNCH_ON(1, 100, 1, 4), LAUNCH_ON(1, 50, 1, 5), LAUNCH_ON(1, 20, 1, 0)),
                          SETTINGS(TWO_SMS), times);
    cr_expect(times[1][0] == alone(100) && times[2][0] == alone(100) + alone(50));
    cr_expect_eq(total, alone(100) + alone(50) + alone(20));
}

Test(devices, an_event_of_another_device)
{
    uint64_t times[2][2];
    run_steps(STEPS(LAUNCH(100, 1, 1), ON(0, RECORD_EVENT, 1, 9), ON(1, WAIT_EVENT, 2, 9), LAUNCH_ON(1, 20, 1, 2)),
              SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[1][0], alone(100));
}

/* The host waits for one device, not for the other. */
Test(devices, synchronisation_is_of_a_device)
{
    uint64_t times[3][2];
    const struct step other[] = {LAUNCH(300, 1, 1), LAUNCH_ON(1, 50, 1, 2), ON(1, SYNCHRONISE, 0, 0),
                                 LAUNCH_ON(1, 20, 1, 2)};
    const struct step this[] = {LAUNCH(300, 1, 1), LAUNCH_ON(1, 50, 1, 2), ON(0, SYNCHRONISE, 0, 0),
                                LAUNCH_ON(1, 20, 1, 2)};
    run_steps(other, 4, SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[2][0], alone(50));
    run_steps(this, 4, SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[2][0], alone(300));
}

Test(devices, a_copy_takes_latency_and_bytes_over_bandwidth)
{
    uint64_t times[2][2];
    const struct step steps[] = {LAUNCH(20, 1, 1), ACROSS(0, 1, 0, 1, BYTES), ON(0, RECORD_EVENT, 1, 3),
                                 ON(1, WAIT_EVENT, 2, 3), LAUNCH_ON(1, 50, 1, 2)};
    cr_expect_eq(run_steps(steps, 5, SETTINGS(LINK), times), alone(20) + TIME + alone(50));
    cr_expect_eq(times[1][0], alone(20) + TIME);
    run_steps(steps, 5, SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[1][0], alone(20));
}

/* The two directions have links of their own; on one, copies go one after the other. */
Test(devices, links)
{
    uint64_t times[2][2];
    const struct step both[] = {ACROSS(0, 1, 0, 1, BYTES), ACROSS(1, 0, 1, 2, BYTES), LAUNCH(20, 1, 1),
                                LAUNCH_ON(1, 20, 1, 2)};
    const struct step one_way[] = {ACROSS(0, 1, 0, 1, BYTES), ACROSS(0, 1, 1, 2, BYTES), LAUNCH(20, 1, 1),
                                   LAUNCH_ON(1, 20, 1, 2)};
    run_steps(both, 4, SETTINGS(LINK), times);
    cr_expect(times[0][0] == TIME && times[1][0] == TIME);
    run_steps(one_way, 4, SETTINGS(LINK), times);
    cr_expect(times[0][0] == TIME && times[1][0] == 2 * TIME);
}
