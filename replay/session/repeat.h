/* Replaying a trace many times on a machine with random parts, until the mean is known well enough.
 *
 * Batch number b is a replay with the seed of the request and batch b (struct replay_options). Its result does not
 * depend on the number of threads or on other batches. Batches end at the first number, from `least` on, at which half
 * the width of the confidence interval of the mean cycles is at most `width` times the mean, and at `most` at the
 * latest.
 *
 * If the cycles are a sum of independent samples (pipeline one-at-a-time), their mean and deviation are known, and the
 * rule uses these. Then the number of batches is known in advance. The interval is also valid for rare outcomes, which
 * 100 batches may not show. Else the rule uses the deviation of the sample and Student's t. A sample without deviation
 * does not end the run, unless the results of the machine are certain.
 *
 * A machine without random parts runs once.
 */
#ifndef REPRISE_REPLAY_SESSION_REPEAT_H
#define REPRISE_REPLAY_SESSION_REPEAT_H

#include "replay/session/replay.h"

#define REPEAT_MOST 100000 /* batches */

struct repeat_request {
    uint32_t least, most;     /* batches, 1 .. REPEAT_MOST */
    double confidence, width; /* above 0 and below 1; at least 0 */
};

/* A statistic of the total over all batches. A quantile is the least value of the sample that so many per cent of the
 * sample do not exceed. */
struct repeat_row {
    double mean, deviation, half_width; /* of the mean's interval */
    uint64_t least, greatest, q5, q50, q95;
};

struct repeat_result {
    uint32_t batches;
    bool chance;  /* the machine has random parts; else it ran once */
    bool reached; /* the interval is narrow enough */
    bool known; /* mean and deviation of the cycles are known, in `exact`: their half_width comes from that deviation */
    struct engine_exact exact; /* with the pipeline one-at-a-time only */
    size_t row_count;
    struct repeat_row *rows; /* in the order of statistics_each; the first is that of cycles */
    uint64_t *cycles;        /* [batches] */
};

/* options: seed, engine, threads, launch, processors and progress count. */
bool repeat(struct rp_trace *, const struct machine *, const struct replay_options *, const struct repeat_request *,
            struct repeat_result *, struct rp_error *);
void repeat_result_free(struct repeat_result *);
/* The means of the statistics, rounded. */
bool repeat_means(const struct machine *, const struct repeat_result *, struct statistics *, struct rp_error *);

/* Mean and deviation without a replay; with the pipeline one-at-a-time, unless it measures the slowest of several. */
bool repeat_exact(struct rp_trace *, const struct machine *, const struct replay_options *, struct engine_exact *,
                  struct rp_error *);

#endif
