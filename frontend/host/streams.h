/* The launches that a launch waits for: those of its own stream, in order, and those of other streams that the trace
 * must list as dependencies (struct rp_launch, tracefmt/trace.h).
 *
 * Each stream has a vector clock: for every stream, the launch that has certainly ended before the next operation of
 * this one. An event holds the clock of its stream when it was recorded; waiting for it takes the maximum of both
 * clocks, stream by stream. The host has a clock, too, of everything that it has waited for: its next requests come
 * later.
 *
 * CUDA C++ Programming Guide, "Default Stream": the default stream of a device, number 0, waits for all other streams
 * of the device, and they wait for it, but for those that were created as non-blocking ("cudaStreamNonBlocking"). The
 * caller says whether a copy or memset blocks the host (rp_host_waits); by default it does in the default stream. */
#ifndef REPRISE_FRONTEND_HOST_STREAMS_H
#define REPRISE_FRONTEND_HOST_STREAMS_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* A vector clock: for each stream, by its index in the list, the number of its last launch + 1; missing entries are 0.
 */
struct clock {
    uint32_t *at;
    uint32_t count;
};

struct stream {
    uint32_t id, device;
    uint32_t last;     /* launch + 1 */
    bool non_blocking; /* it and the default stream do not wait for each other */
    struct clock before;
    struct clock listed; /* the part of `before` that its launches have listed */
};
struct event {
    uint32_t id;
    struct clock clock;
};

/* Streams in which the launches of kernels are. Each stream of the host has as many as a GPU runs launches side by
 * side: CUDA C++ Programming Guide, "Compute Capabilities", of 7.5 and later. */
#define CHILD_STREAMS 128
struct child_stream {
    uint32_t device, stream; /* of the host */
    uint32_t index;          /* below CHILD_STREAMS */
};
/* The numbers of these streams, which no stream of the host has. */
#define CHILD_STREAM_BASE (1u << 24)

struct streams {
    struct child_stream *children; /* stream CHILD_STREAM_BASE + i of the trace */
    uint32_t child_count;
    struct stream *list; /* the first is the default stream of device 0 */
    uint32_t count;
    struct event *events;
    uint32_t event_count;
    struct clock host;
    uint32_t *dependencies;
};

void streams_free(struct streams *);

/* Sets what the next launch of a stream lists: dependency_count and dependencies, which are valid until the next call.
 */
bool streams_before(struct streams *, uint32_t device, uint32_t stream, struct rp_launch *, struct rp_error *);
/* The launch has begun. */
bool streams_launched(struct streams *, uint32_t device, uint32_t stream, uint32_t launch, struct rp_error *);
/* The next operation of a stream comes after all that another one of the device was asked for. */
bool streams_follow(struct streams *, uint32_t device, uint32_t stream, uint32_t other, struct rp_error *);
/* The number of a stream for launches of kernels. *made: it is new, and blocks as the stream of the host does. */
bool streams_child(struct streams *, const struct child_stream *, uint32_t *number, bool *made, struct rp_error *);
bool streams_blocks(const struct streams *, uint32_t device, uint32_t stream);
/* The host has performed an operation. *nothing: it waited for an event that was never recorded, which has no effect.
 */
bool streams_note(struct streams *, const struct rp_host_operation *, bool *nothing, struct rp_error *);

#endif
