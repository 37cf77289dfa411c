/* Replaying a trace on a machine: the cycles of its launches, and their causes.
 *
 * Launches run at the same time if the trace allows it (replay/base/queue.h) and the machine has room.
 *
 * Two engines implement the timing model of docs/timing-model.md. The fast engine goes from event to event. The
 * reference engine steps every cycle and is written to be read. They always give the same cycles and the same
 * statistics. The result depends only on the trace and the machine.
 */
#ifndef REPRISE_REPLAY_SESSION_REPLAY_H
#define REPRISE_REPLAY_SESSION_REPLAY_H

#include "replay/engines/engine.h"

/* Sampled replay (docs/sampling.md): the cycles of the launches are known within this part of them, with this
 * confidence. */
struct sample_request {
    double error;      /* above 0, below 1; 0: everything is replayed */
    double confidence; /* above 0, below 1 */
};

struct replay_options {
    enum replay_engine engine;
    unsigned threads; /* for launches that do not depend on one another, and for the SMs of a launch; 0: one */
    int64_t launch;   /* the only launch to replay, without copies; -1: all */
    bool serial;      /* one launch after the other, whatever the streams allow; copies take no time */
    /* The random stream, for machines with random parts (replay/base/sampled.h). Replays with equal seed and batch are
     * equal. */
    uint64_t seed;
    uint32_t batch;
    uint64_t processors;          /* with the pipeline one-at-a-time: replay the first ones only; 0: all */
    struct sample_request sample; /* without an observer, and without `caches` */
    /* With flush_caches = false: NULL, or the caches as earlier calls left them. memory_system_new() makes them, empty,
     * for the same machine and engine. So launches may be replayed as they come, one call each. */
    struct memory_system *caches;
    /* NULL, or called now and then, from one thread, with the warp instructions done and their total. */
    void (*progress)(void *, uint64_t done, uint64_t total);
    void *progress_data;
    /* NULL, or gets events, of the kinds that replay_events() names. Unless it is concurrent, one thread replays. */
    const struct observer *observer;
    /* NULL: the result has every launch. Else it is called for each launch in trace order, once this and all earlier
     * launches are done. Any thread may call it, but only one at a time. The result has no launches then, so its size
     * does not grow with their number. False: it failed and set the error, and replay() fails with it. */
    bool (*launch_done)(void *, const struct replay_launch *, struct rp_error *);
    void *launch_done_data;
};

/* What a sampled replay replayed, and how well its statistics are known. */
struct sample_result {
    bool sampled;                        /* false: everything was replayed; the rest is 0 */
    bool reached;                        /* the interval of the cycles is as narrow as was asked for */
    uint32_t count[REPLAY_SOURCE_COUNT]; /* launches by the source of their numbers */
    uint32_t strata;                     /* of the launches that no equal launch stands for */
    uint64_t instructions, all;          /* warp instructions that were replayed, and those of the launches */
    /* Half the widths of the intervals of the total's statistics, rounded up; 0: exact. */
    struct statistics half_width;
};

/* What a device did in a replay of several. */
struct replay_device {
    uint64_t launches, cycles; /* cycles: in which it ran a launch */
};

struct replay_result {
    uint32_t count;
    struct replay_launch *launches; /* in trace order; NULL with launch_done */
    struct statistics total; /* of the machine: sums over launches, but cycles are those until the end of the last one,
                              * or of the last copy that takes time */
    struct copy_counts copies[COPY_PATHS]; /* those that take time (replay/base/copies.h) */
    uint32_t device_count;                 /* 0: the launches are of one device */
    struct replay_device *devices;         /* [device_count] */
    struct copy_counts *links;             /* copies between devices: [from × device_count + to] */
    /* What the model of each channel of device memory counted, in all launches: [channel × number of its counters +
     * counter]. Their sums are in `total`. NULL: the model counts nothing. After a sampled replay they are 0. */
    uint64_t *channels;
    struct core_counts *cores; /* what each core counted, in all launches; NULL: the machine is not of kind `cores` */
    struct sample_result sample;
};

/* The events that a replay in this mode can report, enum observer_event. */
unsigned replay_events(const struct machine *, enum replay_engine);
/* False: err says why, and nothing need be freed. Errors: a damaged trace, a block that does not fit on the machine, a
 * barrier that can never be complete. A launch whose recording ended early (a fault, a cut file) is replayed as far as
 * it goes and has a warning. */
bool replay(struct rp_trace *, const struct machine *, const struct replay_options *, struct replay_result *,
            struct rp_error *);
/* The length of `channels` of its results; 0: it is NULL. */
size_t replay_channel_counters(const struct machine *);
/* The same of `cores`. */
size_t replay_core_counters(const struct machine *);
void replay_result_free(struct replay_result *);

#endif
