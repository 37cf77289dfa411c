/* Launches of several devices: when each begins and ends. Each device runs its launches one after the other, in the
 * order of the trace, and all devices run at the same time, but for what streams, events, the host and copies order.
 *
 * The time that a launch takes is known before it is placed here. A copy between devices takes link.latency + bytes /
 * link.bandwidth; each ordered pair of devices has a link of its own, which carries one copy at a time. Other copies
 * take the time of copy.bandwidth and copy.device_bandwidth, on the engines of the device that has their stream. */
#ifndef REPRISE_REPLAY_SESSION_DEVICES_H
#define REPRISE_REPLAY_SESSION_DEVICES_H

#include "replay/session/replay.h"

struct devices;

/* How many devices the trace's launches and copies name: the highest number + 1. */
uint32_t devices_of(const struct rp_trace *);
/* NULL: out of memory. */
struct devices *devices_new(const struct rp_trace *, const struct machine *, struct replay_result *, struct rp_error *);
void devices_free(struct devices *);
/* Sets begin and end of the next launch of the trace, whose cycles are given, and adds what it, and copies before it,
 * count to the result. False: out of memory. */
bool devices_place(struct devices *, struct replay_launch *, struct rp_error *);
/* After the last launch: the cycle in which the last launch or copy ends. */
bool devices_finish(struct devices *, uint64_t *end, struct rp_error *);

#endif
