/* Launches and operations of the host, replayed by both engines. */
#ifndef REPRISE_TESTS_REPLAY_STEPS_H
#define REPRISE_TESTS_REPLAY_STEPS_H

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
#define LAUNCH_ON(device_number, ops, blocks, stream)                                                                  \
    {                                                                                                                  \
        ops, blocks, stream, { .device = device_number }                                                               \
    }
#define HOST(what, in, number)                                                                                         \
    {                                                                                                                  \
        0, 0, 0, { .kind = RP_HOST_##what, .stream = in, .event = number }                                             \
    }

#define STEPS(...) (const struct step[]){__VA_ARGS__}, sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step)
#define SETTINGS(...)                                                                                                  \
    (const char *const[]) { __VA_ARGS__, NULL }
#define TWO_SMS "sms=2", "limits.grids=128", "limits.blocks=1", "issue_exit=true"

/* The begins and ends of all launches, and the cycles of all: the same with both engines, and with several threads. */
uint64_t run_steps(const struct step *, size_t count, const char *const *settings, uint64_t (*times)[2]);
/* How long a launch alone takes. */
uint64_t alone(uint32_t ops);

#endif
