/* Means of samples, and quantiles for their confidence intervals. */
#ifndef REPRISE_REPLAY_SESSION_INTERVAL_H
#define REPRISE_REPLAY_SESSION_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

/* x such that a standard normal number lies within -x .. x with this probability, 0 < confidence < 1. */
double interval_normal(double confidence);
/* The same for Student's t with so many degrees of freedom, at least 1. */
double interval_student(double confidence, uint64_t degrees);

/* Mean and variance of numbers that come one by one (B. P. Welford, "Note on a Method for Calculating Corrected Sums of
 * Squares and Products", Technometrics 4, 1962). */
struct running {
    uint64_t count;
    double mean, squares;
};
static inline void running_add(struct running *r, double x)
{
    double before = x - r->mean;
    r->mean += before / (double)++r->count;
    r->squares += before * (x - r->mean);
}
/* The deviation of the sample; 0 for fewer than two. */
double running_deviation(const struct running *);
/* Half the width of the interval that holds the mean with this confidence; with fewer than two numbers it is infinite.
 */
double running_half_width(const struct running *, double confidence);

#endif
