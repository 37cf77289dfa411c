/* One launch under way, and the two ways to run its blocks. */
#ifndef REPRISE_FRONTEND_HOST_RUN_H
#define REPRISE_FRONTEND_HOST_RUN_H

#include "frontend/core/engine.h"
#include "frontend/host/launch.h"
#include "frontend/record/recorder.h"

struct ordered;

struct rp_running {
    struct rp_device *device;
    struct loaded *loaded; /* the kernel's module */
    struct program *program;
    struct rp_launch_config config; /* params: the launch's own copy */
    uint8_t *params;
    struct grid grid;
    struct recorder recorder;
    unsigned threads;
    uint64_t batch_blocks; /* decided by geometry alone, as the trace's chunks follow it */
    uint64_t batches;
    bool join_small; /* of few batches in all: what small ones recorded becomes one frame. By geometry, too */
    struct rp_launch_result result;
    struct ordered *ordered; /* NULL: not running in the fixed order */
    bool conflicted;         /* runs in order because blocks conflicted */
    bool done, ok;
    struct rp_error error;   /* why it is not ok */
    struct rp_running *next; /* open launch of the device */
};

static inline void run_progress(const struct rp_running *r, uint64_t blocks, uint64_t warp_instructions)
{
    if (r->config.progress)
        r->config.progress(r->config.progress_data, blocks, r->grid.blocks, warp_instructions);
}

/* Frees a launch as it is; the trace keeps it open. */
void running_abandon(struct rp_running *);

/* All blocks in one fixed order on this thread: one after the other, but a block that has had its turn and is not done,
 * perhaps because it waits for another, is set aside and comes again after all others had theirs. So blocks that wait
 * for each other make progress as on a GPU that holds them all, as far as memory for waiting blocks goes
 * (ORDERED_OPEN_BYTES; after that no new block begins until an old one is done, as on a GPU that is full). */
#define ORDERED_OPEN_BYTES (UINT64_C(1) << 30)
struct ordered *ordered_new(struct rp_running *, struct rp_error *);
void ordered_free(struct ordered *);
/* Some turns. RP_LAUNCH_DONE: *ok says whether it is complete. */
enum rp_launch_state ordered_drive(struct ordered *, bool *ok, struct rp_error *);
/* Ends it as a livelock. Always false. */
bool ordered_livelock(struct ordered *, struct rp_error *);

/* Batches of consecutive blocks on several threads. *again: blocks conflicted or faulted; nothing has happened, memory
 * and trace are as before, and the launch is to be run in order. */
bool batches_run(struct rp_running *, bool *again, struct rp_error *);

#endif
