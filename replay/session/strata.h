/* Stratified samples: totals with their intervals, and how large the samples should be. docs/sampling.md.
 *
 * A stratum is a set of items, each with a known size x and statistics y. Some items are drawn at random without
 * replacement. The total of a statistic is estimated as a ratio to the size: Y = X Σy / Σx, with X the size of all
 * items (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6). With residuals d = y - (Σy / Σx) x of the
 * n drawn items of N, their variance s² = Σd² / (n - 1), half the width of the interval is
 *
 *     t √((N² (1 - n/N) s² / n) (X/N)² / (Σx/n)² + (N/n) Σh²)
 *
 * with t of Student's distribution for n - 1 degrees of freedom, and h half the width of a drawn item's own interval.
 * Half the width of a sum over strata is the root of the sum of their squares.
 */
#ifndef REPRISE_REPLAY_SESSION_STRATA_H
#define REPRISE_REPLAY_SESSION_STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/base/statistics.h"

struct stratum {
    uint32_t items, drawn;
    double size, cost; /* of all items: X; and what a replay of all costs, in warp instructions */
    double least; /* what s is at least, as a part of the mean: a few items that are alike do not show that all are */
    double x, xx; /* of those drawn: Σx, Σx² */
    double y[STATISTICS_WORDS], yy[STATISTICS_WORDS], xy[STATISTICS_WORDS],
        hh[STATISTICS_WORDS]; /* Σy, Σy², Σxy, Σh² */
};

/* An item of this size was drawn, which stands for `weight` equal ones: y and h are `weight` times these. half_width:
 * NULL: exact. */
void stratum_add(struct stratum *, double size, double weight, const struct statistics *, const double *half_width);
/* The ratio of a statistic, by word, to the size. */
double stratum_ratio(const struct stratum *, size_t word);
double stratum_total(const struct stratum *, size_t word);
/* Infinite with a single drawn item of several. */
double stratum_half_width(const struct stratum *, size_t word, double confidence);
/* t; infinite with fewer than two drawn items. */
double stratum_quantile(const struct stratum *, double confidence);
/* √s². */
double stratum_deviation(const struct stratum *, size_t word);

/* How many items to draw, at least as many as were drawn, so that half the width of the statistic's total is at most
 * `half`, at the least cost: m_h ∝ N_h s_h / √c_h (J. Neyman, "On the Two Different Aspects of the Representative
 * Method", Journal of the Royal Statistical Society 97, 1934; with costs: Cochran, chapter 5). */
void strata_sizes(const struct stratum *, uint32_t count, size_t word, double half, double confidence, uint32_t *sizes);

#endif
