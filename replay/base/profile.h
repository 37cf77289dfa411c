/* Where the cycles of a replay go: by static instruction, and by sub-core.
 *
 * The rule is that of statistics.h. Each cycle of a sub-core is an issue, a stall, or idle; an issue belongs to the
 * instruction that issues (with dual issue to the first of the pair), and the stall that ends with it belongs to it,
 * too. The stall "drain" belongs to no instruction, but to its kernel. So over all kernels the rows, and idleness, add
 * up to cycles × sub-cores, and the rows of sub-cores do so as well. All engines give the same rows, on any number of
 * threads.
 */
#ifndef REPRISE_REPLAY_BASE_PROFILE_H
#define REPRISE_REPLAY_BASE_PROFILE_H

#include <stdbool.h>

#include "replay/base/observer.h"
#include "tracefmt/reader.h"

struct profile_row {
    uint64_t issued;             /* warp instructions that issued: exits that take no issue slot do not count */
    uint64_t threads;            /* lanes whose guard was true, summed over them */
    uint64_t issue_cycles;       /* sub-core cycles in which it issued, not as the second one of a pair */
    uint64_t stall[STALL_COUNT]; /* sub-core cycles */
    /* Sub-core cycles of stall "memory" in which an access was waited for that this level served. With pipeline
     * one-at-a-time also issue cycles. Fences are in no level. */
    uint64_t level[RESPONSE_LEVELS];
    uint64_t misses; /* of machines of kind `cores`: look-ups of a core that did not find their line */
};

struct profile_kernel {
    uint32_t count;           /* instructions */
    struct profile_row *rows; /* [count + 1], the last one for what belongs to no instruction */
};

/* Sums over launches, read when the replay is over. */
struct profile {
    struct observer observer; /* for replay(): what it reports is added */
    uint32_t kernel_count, subcore_count;
    struct profile_kernel *kernels; /* as in the trace */
    struct profile_row *subcores;   /* SM × sub-cores + sub-core */
    /* events of launches that have not ended, by SM, as those of several SMs come at once */
    struct profile_sm *sms;
    const struct rp_trace *trace;
    uint32_t sm_count, subcores_per_sm;
};

/* For replays of this trace on this machine. NULL: memory ran out. */
struct profile *profile_new(const struct rp_trace *, const struct machine *, struct rp_error *);
void profile_free(struct profile *); /* NULL is allowed */
/* The replay is over. False: memory ran out while it listened. */
bool profile_end(const struct profile *, struct rp_error *);

void profile_row_add(struct profile_row *to, const struct profile_row *);
/* Issue cycles and stalls. */
uint64_t profile_row_cycles(const struct profile_row *);

#endif
