/* The checks' calls with a clock: --stats says how long they take. */
#include <time.h>

#include "frontend/check/internal.h"

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add(struct observer *o, uint64_t begun)
{
    ((struct checked_block *)o)->check->nanoseconds += now() - begun;
}

static bool timed_access(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                         const struct allocation *a, const struct lane_addresses *la, lanemask m)
{
    uint64_t begun = now();
    bool ok = check_calls.access(o, s, u, space, a, la, m);
    add(o, begun);
    return ok;
}

static bool timed_bytes(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                        const struct allocation *a, unsigned lane, uint64_t at, uint64_t bytes, bool stores)
{
    uint64_t begun = now();
    bool ok = check_calls.bytes(o, s, u, space, a, lane, at, bytes, stores);
    add(o, begun);
    return ok;
}

static bool timed_host_call(struct observer *o) { return check_calls.host_call(o); }

static void timed_event(struct observer *o, struct warp_state *s, enum block_event event, const struct uop *u,
                        lanemask m)
{
    uint64_t begun = now();
    check_calls.event(o, s, event, u, m);
    add(o, begun);
}

static void timed_objects(struct observer *o, struct warp_state *s, const struct uop *u,
                          const struct lane_addresses *la, lanemask m)
{
    uint64_t begun = now();
    check_calls.objects(o, s, u, la, m);
    add(o, begun);
}

static bool timed_leave_out(struct observer *o, struct warp_state *s, const struct uop *u, unsigned lane)
{
    return check_calls.leave_out(o, s, u, lane);
}

static void timed_values(struct observer *o, struct warp_state *s, const struct uop *u, lanemask m)
{
    uint64_t begun = now();
    check_calls.values(o, s, u, m);
    add(o, begun);
}

const struct observer_calls check_timed_calls = {timed_access,  timed_bytes,     timed_host_call, timed_event,
                                                 timed_objects, timed_leave_out, timed_values,    false};

void rp_check_time(struct rp_check *c) { c->timed = true; }
uint64_t rp_check_nanoseconds(const struct rp_check *c) { return c ? c->nanoseconds : 0; }
