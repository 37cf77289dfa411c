/* The order of launches: which launches wait for which, and which may run now.
 *
 * A launch waits for the earlier launches of its stream, for its dependencies (trace.h, struct rp_launch), and for
 * everything that the host waited for earlier: the host launches nothing while it synchronises. A launch that waits for
 * an event waits for the work that was in the event's stream when the event was recorded.
 *
 * Copies and memsets take no time, unless the machine says how long they take (replay/base/copies.h). Then they are
 * ordered in their streams as launches are. In the default stream they wait for all blocking streams, and the host
 * waits for them.
 */
#ifndef REPRISE_REPLAY_BASE_QUEUE_H
#define REPRISE_REPLAY_BASE_QUEUE_H

#include "replay/base/copies.h"
#include "replay/base/observer.h"
#include "replay/base/units.h"

/* The launches of one launch unit. */
struct launch_queue;
/* Gets copies as they go to their engines. */
struct copy_listener {
    const struct observer *observer;
    uint64_t clock; /* the cycle of its clock in which the unit begins */
};
struct launch_queue *launch_queue_new(const struct rp_trace *, const struct machine *, const struct launch_unit *,
                                      const struct copy_listener *, struct rp_error *);
void launch_queue_free(struct launch_queue *);

/* The number of launches that have not been taken. */
uint32_t launch_queue_left(const struct launch_queue *);
/* Advances to this cycle: launches and copies that end in it or before have ended. The caller has reported the end of
 * each launch that ends by then (launch_queue_ended), while launches are left. */
void launch_queue_advance(struct launch_queue *, uint64_t cycle);
/* The first cycle in which a launch may become ready; UINT64_MAX: none does before a running launch ends. */
uint64_t launch_queue_wakes(const struct launch_queue *);
/* The launch that has been ready for the longest time; of several, the first in the trace. False: none is ready. */
bool launch_queue_next(const struct launch_queue *, uint32_t *launch);
/* The same, and takes it out of the queue. */
bool launch_queue_take(struct launch_queue *, uint32_t *launch);
/* Reports that the launch ends in this cycle. Launches that wait for it become ready once the queue has advanced to it.
 */
void launch_queue_ended(struct launch_queue *, uint32_t launch, uint64_t cycle);
/* After all launches have ended: returns the cycle in which the last launch or copy ends, and adds the counts of
 * copies. */
uint64_t launch_queue_finish(struct launch_queue *, struct copy_counts copies[COPY_PATHS]);

#endif
