/* One launch under way, and the two ways to run its blocks. */
#ifndef REPRISE_FRONTEND_HOST_RUN_H
#define REPRISE_FRONTEND_HOST_RUN_H

#include "frontend/core/engine.h"
#include "frontend/host/launch.h"
#include "frontend/record/recorder.h"

struct run {
    struct grid grid;
    struct recorder recorder;
    const struct rp_launch_config *config;
    unsigned threads;
    uint64_t batch_blocks; /* decided by geometry alone, as the trace's chunks follow it */
    uint64_t batches;
    bool join_small; /* of few batches in all: what small ones recorded becomes one frame. By geometry, too */
    struct rp_launch_result result;
};

static inline void run_progress(const struct run *r, uint64_t blocks, uint64_t warp_instructions)
{
    if (r->config->progress)
        r->config->progress(r->config->progress_data, blocks, r->grid.blocks, warp_instructions);
}

/* All blocks in one fixed order on this thread: one after the other, but a block that has had its turn and is not done,
 * perhaps because it waits for another, is set aside and comes again after all others had theirs. So blocks that wait
 * for each other make progress as on a GPU that holds them all, as far as memory for waiting blocks goes
 * (ORDERED_OPEN_BYTES; after that no new block begins until an old one is done, as on a GPU that is full). */
#define ORDERED_OPEN_BYTES (UINT64_C(1) << 30)
bool ordered_run(struct run *, struct rp_error *);

/* Batches of consecutive blocks on several threads. *again: blocks conflicted or faulted; nothing has happened, memory
 * and trace are as before, and the launch is to be run in order. */
bool batches_run(struct run *, bool *again, struct rp_error *);

#endif
