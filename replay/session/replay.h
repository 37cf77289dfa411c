/* Replaying a trace on a machine: how many cycles its launches take, and where they go.
 *
 * Launches run at the same time where the trace allows it (replay/base/queue.h) and the machine has room.
 *
 * Two engines carry out the timing model of docs/timing-model.md. The fast one goes from event to event; the reference
 * engine steps every cycle and is written to be read. They give the same cycles and the same statistics, always. The
 * result depends on the trace and the machine alone.
 */
#ifndef REPRISE_REPLAY_SESSION_REPLAY_H
#define REPRISE_REPLAY_SESSION_REPLAY_H

#include "replay/engines/engine.h"

struct replay_options {
    enum replay_engine engine;
    unsigned threads; /* for launches that do not depend on one another, and for the SMs of a launch; 0: one */
    int64_t launch;   /* the only launch to replay, without copies; -1: all */
    bool serial;      /* one launch after the other, whatever the streams allow; copies take no time */
    /* Where a machine has chance in it (replay/base/sampled.h): its random stream. Replays with the same two are the
     * same. */
    uint64_t seed;
    uint32_t batch;
    uint64_t processors; /* with the pipeline one-at-a-time: replay the first ones only; 0: all */
    /* With flush_caches = false: NULL, or the caches as earlier calls left them (memory_system_new makes them, empty,
     * for the same machine and engine). So launches may be replayed as they come, one call each. */
    struct memory_system *caches;
    /* NULL, or called now and then from one thread: warp instructions done, and in all. */
    void (*progress)(void *, uint64_t done, uint64_t total);
    void *progress_data;
    /* NULL, or gets events, of the kinds that replay_events() names. Unless it is concurrent, one thread replays. */
    const struct observer *observer;
    /* NULL: the result keeps every launch. Else called for each in trace order, once it and all before it are done,
     * from any thread, but one at a time; the result keeps none, so that memory does not grow with their number. False:
     * it failed and filled the error in, and replay() fails with it. */
    bool (*launch_done)(void *, const struct replay_launch *, struct rp_error *);
    void *launch_done_data;
};

struct replay_result {
    uint32_t count;
    struct replay_launch *launches; /* in trace order; NULL with launch_done */
    struct statistics total; /* of the machine: sums over launches, but cycles are those until the end of the last one,
                              * or of the last copy that takes time */
    struct copy_counts copies[COPY_PATHS]; /* those that take time (replay/base/copies.h) */
    /* What the model of each channel of device memory counted, in all launches: [channel × its counters + counter].
     * Their sums are in `total`. NULL: it counts nothing. */
    uint64_t *channels;
};

/* The events that a replay in this mode can report, enum observer_event. */
unsigned replay_events(const struct machine *, enum replay_engine);
/* False: err says why, and nothing need be freed. Errors: a damaged trace, a block that does not fit on the machine, a
 * barrier that can never be complete. A launch whose recording ended early (a fault, a cut file) is replayed as far as
 * it goes and has a warning. */
bool replay(struct rp_trace *, const struct machine *, const struct replay_options *, struct replay_result *,
            struct rp_error *);
/* How many numbers `channels` of its results has; 0: it is NULL. */
size_t replay_channel_counters(const struct machine *);
void replay_result_free(struct replay_result *);

#endif
