/* Which launches wait for which, and those that may run now.
 *
 * A launch waits for the earlier launches of its stream, for its dependencies (trace.h, struct rp_launch), and for what
 * the host had waited for before it: the host makes no launch while it synchronises. A launch that waits for an event
 * waits for what its stream had to do when the event was recorded. Copies and memsets take no time.
 *
 * A trace falls into units, one after the other: no launch of a unit begins before all launches of earlier units have
 * ended, whatever the machine. Between two synchronisations of the whole device, launches of a single stream are units
 * of their own; with several streams they are one unit together.
 */
#ifndef REPRISE_REPLAY_QUEUE_H
#define REPRISE_REPLAY_QUEUE_H

#include "tracefmt/reader.h"

/* The first launch of every unit, ascending; *first is malloced. False: out of memory. */
bool launch_units(const struct rp_trace *, uint32_t **first, uint32_t *count, struct rp_error *);

/* The launches of one unit. */
struct launch_queue;
struct launch_queue *launch_queue_new(const struct rp_trace *, uint32_t first, uint32_t count, struct rp_error *);
void launch_queue_free(struct launch_queue *);

/* How many have not been taken yet. */
uint32_t launch_queue_left(const struct launch_queue *);
/* The launch that may run and has been able to for the longest time; of several, the first in the trace. False: none
 * may run now. */
bool launch_queue_next(const struct launch_queue *, uint32_t *launch);
/* Takes it. */
bool launch_queue_take(struct launch_queue *, uint32_t *launch);
/* The launch has ended in this cycle, which is not before those of earlier calls: others may run from there on. */
void launch_queue_ended(struct launch_queue *, uint32_t launch, uint64_t cycle);

#endif
