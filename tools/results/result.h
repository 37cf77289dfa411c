/* What a replay gave: all statistics of all launches, their total, and what the host copied. */
#ifndef REPRISE_TOOLS_RESULTS_RESULT_H
#define REPRISE_TOOLS_RESULTS_RESULT_H

#include "tools/results/launch_log.h"

struct result {
    struct launch_log launches;
    struct statistics total;               /* as in struct replay_result */
    struct copy_counts copies[COPY_PATHS]; /* the same */
    uint64_t *channels;                    /* the same */
};

/* replay() with its launches in the log; launch_done of the options is not looked at. False: err says why, and nothing
 * need be freed. */
bool result_replay(struct rp_trace *, const struct machine *, const struct replay_options *, struct result *,
                   struct rp_error *);
void result_free(struct result *);

#endif
