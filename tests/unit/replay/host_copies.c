/* Copies of the host in time: their cycles follow from the machine's bandwidth and latency alone. */
#include <criterion/criterion.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "steps.h"

#define COPY(way, in, bytes)                                                                                           \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_COPY, .direction = RP_COPY_##way, .stream = in, .size = bytes, .address = 0 }       \
    }
#define COPY_WAITS(way, in, bytes, how)                                                                                \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_COPY, .direction = RP_COPY_##way, .stream = in, .size = bytes, .waits = how }       \
    }
#define SET(in, bytes)                                                                                                 \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_SET, .stream = in, .size = bytes }                                                  \
    }
#define APART(in)                                                                                                      \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_CREATE_STREAM, .stream = in, .non_blocking = true }                                 \
    }
#define TIMED TWO_SMS, "copy.bandwidth=2.5", "copy.latency=7"

/* 7 + 1001 / 2.5, rounded up: bytes that take no whole number of cycles. */
#define BYTES 1001u
#define TIME (7u + 401u)

Test(host_copies, a_copy_takes_latency_and_bytes_over_bandwidth)
{
    uint64_t times[1][2],
        total = run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), LAUNCH(100, 1, 1)), SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], TIME);
    cr_expect_eq(total, TIME + alone(100));
}

Test(host_copies, they_take_none_where_the_machine_says_nothing)
{
    uint64_t times[1][2],
        total = run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), SET(1, BYTES), LAUNCH(100, 1, 1), COPY(TO_HOST, 1, BYTES)),
                          SETTINGS(TWO_SMS), times);
    cr_expect_eq(times[0][0], 0);
    cr_expect_eq(total, alone(100));
}

Test(host_copies, one_stream_takes_the_sum)
{
    uint64_t times[2][2], total = run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), LAUNCH(100, 1, 1), COPY(TO_HOST, 1, BYTES),
                                                  LAUNCH(50, 1, 1), COPY(TO_HOST, 1, BYTES)),
                                            SETTINGS(TIMED), times);
    cr_expect_eq(times[1][0], 2 * TIME + alone(100));
    cr_expect_eq(total, 3 * TIME + alone(100) + alone(50));
}

/* A copy in one stream while a launch of another runs: the launch behind it comes in the midst. */
Test(host_copies, two_streams_overlap)
{
    uint64_t times[2][2], total = run_steps(STEPS(LAUNCH(300, 1, 1), COPY(TO_DEVICE, 2, BYTES), LAUNCH(50, 1, 2)),
                                            SETTINGS(TIMED), times);
    cr_assert_lt(TIME, alone(300));
    cr_expect_eq(times[0][0], 0);
    cr_expect_eq(times[1][0], TIME);
    cr_expect_eq(total, alone(300) > TIME + alone(50) ? alone(300) : TIME + alone(50));
}

/* And as long as the copy where that is longer: the launch begins on a machine that was idle in between. */
Test(host_copies, a_machine_waits_for_copies)
{
    uint64_t times[2][2],
        total = run_steps(STEPS(LAUNCH(20, 1, 1), COPY(TO_DEVICE, 2, BYTES), LAUNCH(50, 1, 2)), SETTINGS(TIMED), times);
    cr_assert_gt(TIME, alone(20));
    cr_expect_eq(times[1][0], TIME);
    cr_expect_eq(total, TIME + alone(50));
}

/* Directions have engines of their own, or share one; of one direction, copies go one after the other. */
Test(host_copies, engines)
{
    uint64_t times[2][2];
    const struct step both[] = {COPY(TO_DEVICE, 1, BYTES), COPY(TO_HOST, 2, BYTES), LAUNCH(20, 1, 1), LAUNCH(20, 1, 2)};
    const struct step one_way[] = {COPY(TO_DEVICE, 1, BYTES), COPY(TO_DEVICE, 2, BYTES), LAUNCH(20, 1, 1),
                                   LAUNCH(20, 1, 2)};
    run_steps(both, 4, SETTINGS(TIMED), times);
    cr_expect(times[0][0] == TIME && times[1][0] == TIME);
    run_steps(both, 4, SETTINGS(TIMED, "copy.engines=1"), times);
    cr_expect(times[0][0] == TIME && times[1][0] == 2 * TIME);
    run_steps(one_way, 4, SETTINGS(TIMED), times);
    cr_expect(times[0][0] == TIME && times[1][0] == 2 * TIME);
}

/* What stays on the device has a bandwidth of its own, and takes no time without one; so does what stays off it. */
Test(host_copies, within_the_device)
{
    uint64_t times[1][2];
    const struct step steps[] = {COPY(ON_DEVICE, 1, 1000), SET(1, 500), COPY(ON_HOST, 1, 1000), LAUNCH(20, 1, 1)};
    run_steps(steps, 4, SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], 0);
    run_steps(steps, 4, SETTINGS(TIMED, "copy.device_bandwidth=100"), times);
    cr_expect_eq(times[0][0], 7 + 10 + 7 + 5);
}

/* The default stream and blocking ones wait for each other, and the host for copies in it; a non-blocking stream does
 * not wait for the default stream. */
Test(host_copies, the_default_stream)
{
    uint64_t times[2][2];
    run_steps(STEPS(COPY(TO_DEVICE, 0, BYTES), LAUNCH(20, 1, 1)), SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], TIME);
    run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), LAUNCH(20, 1, 0)), SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], TIME);
    run_steps(STEPS(APART(1), COPY(TO_DEVICE, 1, BYTES), LAUNCH(20, 1, 0)), SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], 0);
    run_steps(STEPS(LAUNCH(100, 1, 1), COPY(TO_HOST, 0, BYTES), LAUNCH(20, 1, 2)), SETTINGS(TIMED), times);
    cr_expect_eq(times[1][0], alone(100) + TIME);
}

/* Beside an asynchronous copy in the default stream the host goes on to a non-blocking stream; one in another stream
 * that it waits for holds up all that comes later. */
Test(host_copies, the_host_waits_where_a_copy_says_so)
{
    uint64_t times[1][2];
    static const uint64_t begins[] = {[RP_WAITS_IN_DEFAULT_STREAM] = TIME, [RP_WAITS] = TIME, [RP_WAITS_NOT] = 0};
    for (unsigned how = RP_WAITS_IN_DEFAULT_STREAM; how <= RP_WAITS_NOT; how++) {
        run_steps(STEPS(APART(1), COPY_WAITS(TO_DEVICE, 0, BYTES, how), LAUNCH(20, 1, 1)), SETTINGS(TIMED), times);
        cr_expect_eq(times[0][0], begins[how], "default stream, %u", how);
        run_steps(STEPS(COPY_WAITS(TO_DEVICE, 1, BYTES, how), LAUNCH(20, 1, 2)), SETTINGS(TIMED), times);
        cr_expect_eq(times[0][0], how == RP_WAITS ? TIME : 0, "stream 1, %u", how);
        run_steps(STEPS(COPY_WAITS(TO_DEVICE, 0, BYTES, how), LAUNCH(20, 1, 2)), SETTINGS(TIMED), times);
        cr_expect_eq(times[0][0], TIME, "a blocking stream waits for the default stream");
    }
}

/* Events and the host's waiting know copies; units end with the copies in them. */
Test(host_copies, events_and_synchronisation)
{
    uint64_t times[2][2], total;
    run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), HOST(RECORD_EVENT, 1, 7), HOST(WAIT_EVENT, 2, 7), LAUNCH(20, 1, 2),
                    LAUNCH(20, 1, 3)),
              SETTINGS(TIMED), times);
    cr_expect(times[0][0] == TIME && times[1][0] == 0);
    run_steps(STEPS(LAUNCH(20, 1, 2), COPY(TO_DEVICE, 1, BYTES), HOST(SYNCHRONISE_STREAM, 1, 0), LAUNCH(20, 1, 3)),
              SETTINGS(TIMED), times);
    cr_expect_eq(times[1][0], TIME);
    run_steps(STEPS(LAUNCH(20, 1, 2), COPY(TO_DEVICE, 1, BYTES), HOST(SYNCHRONISE, 0, 0), LAUNCH(20, 1, 3)),
              SETTINGS(TIMED), times);
    cr_expect_eq(times[1][0], TIME);
    total = run_steps(STEPS(LAUNCH(20, 1, 1), COPY(TO_HOST, 1, BYTES), HOST(SYNCHRONISE, 0, 0), LAUNCH(30, 1, 1)),
                      SETTINGS(TIMED), times);
    cr_expect_eq(times[1][0], alone(20) + TIME);
    cr_expect_eq(total, alone(20) + TIME + alone(30));
}

/* The pattern that the streams are there for: two halves, each copied in, worked on and copied out. */
Test(host_copies, halves_overlap)
{
    uint64_t times[2][2],
        total = run_steps(STEPS(COPY(TO_DEVICE, 1, BYTES), LAUNCH(200, 1, 1), COPY(TO_HOST, 1, BYTES),
                                COPY(TO_DEVICE, 2, BYTES), LAUNCH(200, 1, 2), COPY(TO_HOST, 2, BYTES)),
                          SETTINGS(TIMED), times);
    cr_expect_eq(times[0][0], TIME);
    cr_expect_eq(times[1][0], 2 * TIME);
    uint64_t back = TIME + alone(200) + TIME, second = 2 * TIME + alone(200);
    cr_expect_eq(total, (back > second ? back : second) + TIME);
}

/* Pipelines that run one launch after the other say that they have no time for copies. */
Test(host_copies, pipelines_without_streams_refuse)
{
    struct rp_error err;
    const struct machine_setting copies = {"copy.bandwidth", "10"};
    struct machine_request request = {.name = "rtx2060-accelsim", .settings = &copies, .setting_count = 1};
    cr_assert_null(machine_open(&request, &err));
    cr_expect(strstr(err.text, "pipeline 'staged' runs one launch after the other"), "%s", err.text);
}
