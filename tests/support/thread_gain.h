/* What a second thread is worth to a replay. */
#ifndef REPRISE_TESTS_SUPPORT_THREAD_GAIN_H
#define REPRISE_TESTS_SUPPORT_THREAD_GAIN_H

#include "replay/session/replay.h"

/* How many times as fast the trace at this path is replayed on two threads as on one, by the clock on the wall: the
 * best of `runs` of each, which take turns. */
bool thread_gain(const char *path, const struct machine_request *, unsigned runs, double *times, struct rp_error *);

#endif
