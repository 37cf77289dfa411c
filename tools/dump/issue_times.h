/* When the instructions of a warp issue, and when their results are there: a replay that is observed. */
#ifndef REPRISE_TOOLS_DUMP_ISSUE_TIMES_H
#define REPRISE_TOOLS_DUMP_ISSUE_TIMES_H

#include "replay/session/replay.h"

/* Cycles since the launch began, alone on the machine. */
struct issue_time {
    uint64_t issue, dispatch, done; /* done: its result can be used in this cycle; 0: that never came */
};

struct issue_times {
    uint32_t launch, warp; /* of which one is asked for */
    uint64_t block, most;  /* most: instructions, from the first on */
    struct issue_time *list;
    size_t count, room;
    bool out_of_memory;
};

/* Fills in the list for what is asked for: an item for each instruction that takes an issue slot, in the warp's order,
 * up to the first that is never done, where the recording ended early. False: err says why; the list may be freed in
 * any case. */
bool issue_times_find(struct issue_times *, struct rp_trace *, const struct machine *, struct rp_error *);
void issue_times_free(struct issue_times *);

#endif
