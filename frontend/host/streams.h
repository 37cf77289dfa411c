/* What a launch waits for, as far as a trace says it: launches of its own stream, in order, and those of other streams
 * that it must list (struct rp_launch, tracefmt/trace.h).
 *
 * Each stream has a clock: of every stream, how far it has come for certain before whatever this one does next. An
 * event is the clock of its stream when it was recorded; who waits takes the later of both clocks, stream by stream.
 * The host has a clock, too, of all that it has waited for: whatever it asks for next comes later.
 *
 * CUDA C++ Programming Guide, "Default Stream": stream 0 waits for all other streams, and they wait for it, but for
 * those that were created as non-blocking ("cudaStreamNonBlocking"). Whether a copy or memset holds the host up is its
 * caller's to say (rp_host_waits); if nothing is said it does in the default stream. */
#ifndef REPRISE_FRONTEND_HOST_STREAMS_H
#define REPRISE_FRONTEND_HOST_STREAMS_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* Of each stream, by its place in the list, the number of its last launch + 1; those that are not there are 0. */
struct clock {
    uint32_t *at;
    uint32_t count;
};

struct stream {
    uint32_t id;
    uint32_t last;     /* launch + 1 */
    bool non_blocking; /* the default stream and this one do not wait for each other */
    struct clock before;
    struct clock listed; /* of `before`, what its launches have listed */
};
struct event {
    uint32_t id;
    struct clock clock;
};

struct streams {
    struct stream *list; /* the first one is the default stream */
    uint32_t count;
    struct event *events;
    uint32_t event_count;
    struct clock host;
    uint32_t *dependencies;
};

void streams_free(struct streams *);

/* What the next launch of a stream lists: dependency_count and dependencies, which stay until the next call. */
bool streams_before(struct streams *, uint32_t stream, struct rp_launch *, struct rp_error *);
/* It has begun. */
bool streams_launched(struct streams *, uint32_t stream, uint32_t launch, struct rp_error *);
/* The host did something. *nothing: it waited for an event that was never recorded, which is no waiting. */
bool streams_note(struct streams *, const struct rp_host_operation *, bool *nothing, struct rp_error *);

#endif
