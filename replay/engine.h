/* What the two engines offer to replay(): one launch, from its first block to its last. */
#ifndef REPRISE_REPLAY_ENGINE_H
#define REPRISE_REPLAY_ENGINE_H

#include "replay/memory/memory_system.h"
#include "replay/replay.h"

struct engine_launch {
    struct rp_trace *trace;
    const struct machine *machine;
    struct memory_system *memory; /* its clock is advanced by the launch's cycles */
    uint32_t launch;              /* index */
    uint64_t blocks;              /* to replay: those that the trace holds */
    bool cut_short;               /* the recording ended early: a barrier may stay incomplete */
    unsigned threads;             /* at most, for the fast engine; 0: one */
    /* Called every so often, from any thread, with the warp instructions done since the last call; may be NULL. */
    void (*progress)(void *, uint64_t done);
    void *progress_data;
    /* As in struct replay_options; for the reference engine. */
    void (*issued)(void *, const struct replay_issue *);
    void *issued_data;
};

/* Reads out->control_words; fills out->statistics, and out->warning when a launch that was cut short got stuck. */
bool reference_launch(const struct engine_launch *, struct replay_launch *out, struct rp_error *);
bool fast_launch(const struct engine_launch *, struct replay_launch *out, struct rp_error *);

#define PROGRESS_EVERY 65536u /* warp instructions */

#endif
