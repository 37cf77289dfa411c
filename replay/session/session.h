/* Replaying launch units: what the files of the session share. */
#ifndef REPRISE_REPLAY_SESSION_SESSION_H
#define REPRISE_REPLAY_SESSION_SESSION_H

#include <pthread.h>

#include "replay/base/units.h"
#include "replay/memory/footprint.h"
#include "replay/memory/memory_system.h"
#include "replay/session/replay.h"

/* What is not exact of a unit: half the widths of the intervals of its statistics, by word. */
struct unit_estimate {
    double half_width[STATISTICS_WORDS];
};

struct finished;
/* Units to replay instead of all launches of the options, in ascending order. `done` gets each in this order, once it
 * and all before it are done, with its number in the list and the warp instructions that were replayed; its launches
 * begin with the unit. Of launches with many blocks only some are replayed. The results of replay_units() are empty. */
struct unit_choice {
    const struct launch_unit *list;
    uint32_t count;
    bool (*done)(void *, uint32_t number, const struct finished *, uint64_t instructions, struct rp_error *);
    void *data;
};
bool replay_units(struct rp_trace *, const struct machine *, const struct replay_options *, const struct unit_choice *,
                  struct replay_result *, struct rp_error *);

/* A launch unit (units.h) that is done and waits for the units before it. */
struct finished {
    struct replay_launch *launches;
    uint32_t count;
    struct statistics sum;
    struct copy_counts copies[COPY_PATHS];
    struct unit_estimate *estimate; /* NULL: the unit was replayed whole */
    uint64_t instructions;          /* warp instructions of replays of some of its blocks */
    bool done;
};

struct session {
    struct rp_trace *trace;
    const struct machine *machine;
    const struct replay_options *options;
    struct replay_result *result;
    bool keeps; /* caches from launch to launch; else every busy period has a memory of its own */
    struct memory_system *kept[RP_DEVICES_MOST]; /* with `keeps`, of each device that has run a launch */
    struct devices *devices;                     /* NULL: launches are of one device, or run one after the other */
    unsigned launch_threads;                     /* for each unit */
    struct launch_units units;                   /* list NULL: every launch is one */
    const struct unit_choice *choice;            /* NULL: all launches of the options */
    uint32_t first, unit_count;                  /* first: launch to replay */
    struct stochastic sampled;
    const struct engine *engine;
    pthread_t reporter;   /* the thread that reports progress */
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t handed_on;
    uint32_t next, handed;     /* the next unit to take, and to hand on */
    struct finished *finished; /* [window], by number modulo window */
    uint32_t window;
    uint32_t launches_handed;
    uint64_t clock; /* cycles of the units that were handed on */
    bool failed;
    uint32_t failed_unit; /* the first that failed, so that the message does not depend on threads */
    struct rp_error error;
    uint64_t done, total; /* warp instructions */
};

/* State that a thread keeps from period to period. */
struct worker {
    struct session *session;
    struct memory_system *memory; /* NULL if caches are kept */
    uint32_t device;              /* of the launch that runs; 0 unless something is kept from launch to launch */
    uint64_t warmed;              /* devices whose first launch has begun, a bit for each */
    struct machine *fitted;       /* NULL, or the machine with the L1 size of the current launch (carveout.h) */
    int64_t l1;                   /* its bytes */
    void *state[RP_DEVICES_MOST]; /* the engine's, for each device */
    uint32_t next;                /* the launch that `kept` caches are ready for */
};

/* Replays these blocks of the unit's only launch, where caches are not kept between launches. The launch gets their
 * statistics. */
bool session_run_blocks(struct worker *, const struct launch_unit *, const struct engine_blocks *,
                        struct replay_launch *, struct rp_error *);

/* blocks.c: replays some blocks of the unit's launch and estimates the rest, or replays all where that does not pay.
 * Some of its blocks are never more instructions than the launch has; all may be replayed after them. *done: false if
 * the launch cannot be replayed in part; then nothing was replayed. */
bool session_sample_blocks(struct worker *, const struct launch_unit *, struct finished *, bool *done,
                           struct rp_error *);

/* sample.c */
/* Whether the host copies before a launch of the unit, and the machine gives that time. */
bool unit_has_copies(struct rp_trace *, const struct machine *, const struct launch_unit *);
bool sample_replay(struct rp_trace *, const struct machine *, const struct replay_options *, struct replay_result *,
                   struct rp_error *);

#endif
