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

#include <pthread.h>
#include <stdbool.h>

#include "replay/base/response.h"
#include "replay/base/statistics.h"
#include "tracefmt/reader.h"

struct profile_row {
    uint64_t issued;             /* warp instructions that issued: exits that take no issue slot do not count */
    uint64_t threads;            /* lanes whose guard was true, summed over them */
    uint64_t issue_cycles;       /* sub-core cycles in which it issued, not as the second one of a pair */
    uint64_t stall[STALL_COUNT]; /* sub-core cycles */
    /* Of stalls "memory" those in which an access was waited for that this level answered; on processors that execute
     * one instruction at a time also of the issue cycles. Fences are in none. */
    uint64_t level[ANSWER_LEVELS];
};

struct profile_kernel {
    uint32_t count;           /* instructions */
    struct profile_row *rows; /* [count + 1], the last one for what belongs to no instruction */
};

/* Sums over launches. Written by engines, and read when the replay is over. */
struct profile {
    uint32_t kernel_count, subcore_count;
    struct profile_kernel *kernels; /* as in the trace */
    struct profile_row *subcores;   /* SM × sub-cores + sub-core */
    uint64_t cycles;                /* as in the replay's total: each sub-core was idle in those that its row lacks */
    pthread_mutex_t lock;
};

/* NULL: memory ran out. */
struct profile *profile_new(const struct rp_trace *, const struct machine *, struct rp_error *);
void profile_free(struct profile *); /* NULL is allowed */

void profile_row_add(struct profile_row *to, const struct profile_row *);
/* Issue cycles and stalls. */
uint64_t profile_row_cycles(const struct profile_row *);

/* ---- for engines: from any thread -------------------------------------------------------------------------------- */

/* Rows for a launch of the kernel, all 0; NULL: memory ran out. */
struct profile_row *profile_rows_new(const struct rp_kernel *);
/* An instruction issues, alone or as one of a pair. */
static inline void profile_issue(struct profile_row *r, rp_lanemask executed)
{
    r->issued++;
    r->threads += rp_lane_count(executed);
}
/* A cycle goes to an instruction, and the stall before it. */
static inline void profile_charge(struct profile_row *r, enum stall why, uint64_t stalled)
{
    r->issue_cycles++;
    r->stall[why] += stalled;
}
/* The same; `level` answered what was waited for, if that was memory. */
static inline void profile_charge_answered(struct profile_row *r, enum stall why, enum answer_level level,
                                           uint64_t stalled)
{
    profile_charge(r, why, stalled);
    if (why == STALL_MEMORY)
        r->level[level] += stalled;
}
/* Adds what a launch of the kernel has in its rows. */
void profile_add(struct profile *, uint32_t kernel, const struct profile_row *);
void profile_add_subcore(struct profile *, uint32_t number, const struct profile_row *);
void profile_add_cycles(struct profile *, uint64_t);

#endif
