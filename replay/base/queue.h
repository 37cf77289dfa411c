/* Which launches wait for which, and those that may run now.
 *
 * A launch waits for the earlier launches of its stream, for its dependencies (trace.h, struct rp_launch), and for what
 * the host had waited for before it: the host makes no launch while it synchronises. A launch that waits for an event
 * waits for what its stream had to do when the event was recorded.
 *
 * Copies and memsets take no time, unless the machine says how long they take (replay/base/copies.h). Then they wait
 * and are waited for like launches of their streams; those of the default stream wait for all blocking streams, and the
 * host waits for them.
 */
#ifndef REPRISE_REPLAY_BASE_QUEUE_H
#define REPRISE_REPLAY_BASE_QUEUE_H

#include "replay/base/copies.h"
#include "replay/base/units.h"

/* The launches of one unit. */
struct launch_queue;
struct launch_queue *launch_queue_new(const struct rp_trace *, const struct machine *, const struct launch_unit *,
                                      struct rp_error *);
void launch_queue_free(struct launch_queue *);

/* How many have not been taken yet. */
uint32_t launch_queue_left(const struct launch_queue *);
/* What ends until this cycle has ended, launches of which that was told, and copies. While launches are left, ends of
 * launches in this cycle and before have been told. */
void launch_queue_advance(struct launch_queue *, uint64_t cycle);
/* The first cycle to which to advance, in which a launch may become ready; UINT64_MAX: none, until a launch ends. */
uint64_t launch_queue_wakes(const struct launch_queue *);
/* The launch that may run and has been able to for the longest time; of several, the first in the trace. False: none
 * may run now. */
bool launch_queue_next(const struct launch_queue *, uint32_t *launch);
/* Takes it. */
bool launch_queue_take(struct launch_queue *, uint32_t *launch);
/* The launch has ended in this cycle. Others may run once the queue is advanced to it. */
void launch_queue_ended(struct launch_queue *, uint32_t launch, uint64_t cycle);
/* All launches have ended: returns the cycle in which the last of them and of the copies ends. Adds what was copied. */
uint64_t launch_queue_finish(struct launch_queue *, struct copy_counts copies[COPY_PATHS]);

#endif
