/* The cycles in which a warp's instructions issue and write their results, from a replay with an observer. */
#ifndef REPRISE_TOOLS_DUMP_ISSUE_TIMES_H
#define REPRISE_TOOLS_DUMP_ISSUE_TIMES_H

#include "replay/session/replay.h"

/* In cycles since the launch began; the launch runs alone on the machine. */
struct issue_time {
    uint64_t issue, dispatch, done; /* done: the first cycle in which the result can be used; 0: never */
};

struct issue_times {
    uint32_t launch, warp; /* the warp whose times are wanted */
    uint64_t block, most;  /* most: instructions, from the first on */
    struct issue_time *list;
    size_t count, room;
    bool out_of_memory;
};

/* Replays the launch and fills the list with an item per instruction that takes an issue slot, in program order. The
 * list ends before the first instruction that is never done because the recording ended early. False: err says why; the
 * list may be freed in any case. */
bool issue_times_find(struct issue_times *, struct rp_trace *, const struct machine *, struct rp_error *);
void issue_times_free(struct issue_times *);

#endif
