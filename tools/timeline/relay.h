/* The events of a replay for a listener on a thread of its own: the replay goes on while it writes.
 *
 * They come in the order in which the engine reports them, so that it makes no difference to the listener. What
 * timelines do not read is not handed on: the lanes and the instruction of an issue, and the instruction and the warp
 * of a stall. For observers (replay/base/observer.h). */
#ifndef REPRISE_TOOLS_TIMELINE_RELAY_H
#define REPRISE_TOOLS_TIMELINE_RELAY_H

#include "replay/base/observer.h"

struct relay;

/* NULL: one processor, no memory, or no thread; then the replay calls the listener itself. Close it. */
struct relay *relay_open(const struct observer *listener);
/* What the replay is to call; the listener gets the same events. */
struct observer relay_observer(struct relay *);
/* Returns when the listener has had all events. NULL is fine. */
void relay_close(struct relay *);

#endif
