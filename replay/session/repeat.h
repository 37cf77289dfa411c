/* Replaying a trace again and again on a machine with chance in it, until the mean is known well enough.
 *
 * Batch number b is a replay with the request's seed and batch b (struct replay_options): the same on any number of
 * threads, whatever else is replayed. Batches stop at the first number, from `least` on, at which half the width of the
 * confidence interval of the mean cycles is at most `width` times the mean, and at `most` at the latest.
 *
 * Where the distribution is a sum of independent draws (pipeline one-at-a-time), mean and deviation are known, and it
 * is them that the rule goes by: how many batches there will be is known then, too, and the interval is honest also for
 * rare draws, of which 100 batches may show none. Elsewhere the rule goes by the sample's, with Student's t; a sample
 * without any deviation does not end the run, unless the machine can have none.
 *
 * A machine without chance runs once.
 */
#ifndef REPRISE_REPLAY_SESSION_REPEAT_H
#define REPRISE_REPLAY_SESSION_REPEAT_H

#include "replay/session/replay.h"

#define REPEAT_MOST 100000 /* batches */

struct repeat_request {
    uint32_t least, most;     /* batches, 1 .. REPEAT_MOST */
    double confidence, width; /* above 0 and below 1; at least 0 */
};

/* What batches say of a statistic of the total. Quantiles are values of the sample: the least one that so many per cent
 * of it do not exceed. */
struct repeat_row {
    double mean, deviation, half_width; /* of the mean's interval */
    uint64_t least, greatest, q5, q50, q95;
};

struct repeat_result {
    uint32_t batches;
    bool chance;               /* else it ran once */
    bool reached;              /* the width */
    bool known;                /* the cycles' mean and deviation, in `exact`: their half_width goes by that deviation */
    struct engine_exact exact; /* with the pipeline one-at-a-time only */
    size_t row_count;
    struct repeat_row *rows; /* in the order of statistics_each; the first is that of cycles */
    uint64_t *cycles;        /* [batches] */
};

/* options: seed, engine, threads, launch, processors and progress count. */
bool repeat(struct rp_trace *, const struct machine *, const struct replay_options *, const struct repeat_request *,
            struct repeat_result *, struct rp_error *);
void repeat_result_free(struct repeat_result *);

/* Mean and deviation without a replay; with the pipeline one-at-a-time, unless it measures the slowest of several. */
bool repeat_exact(struct rp_trace *, const struct machine *, const struct replay_options *, struct engine_exact *,
                  struct rp_error *);

#endif
