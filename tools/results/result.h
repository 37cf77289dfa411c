/* The result of a replay: the statistics of each launch, their total, and the host's copies. */
#ifndef REPRISE_TOOLS_RESULTS_RESULT_H
#define REPRISE_TOOLS_RESULTS_RESULT_H

#include "tools/results/launch_log.h"

struct result {
    struct launch_log launches;
    struct statistics total;               /* as in struct replay_result */
    struct copy_counts copies[COPY_PATHS]; /* the same */
    uint64_t *channels;                    /* the same */
    struct core_counts *cores;             /* the same */
    uint32_t device_count;                 /* the same, as are the next two */
    struct replay_device *devices;
    struct copy_counts *links;
    struct sample_result sample; /* the same */
};

/* Calls replay() and keeps its launches in the log; launch_done of the options is ignored. False: err says why; nothing
 * needs to be freed. A trace that somebody wrote into meanwhile has no result, and is RP_SYSTEM whatever else failed.
 */
bool result_replay(struct rp_trace *, const struct machine *, const struct replay_options *, struct result *,
                   struct rp_error *);
void result_free(struct result *);

#endif
