/* Division by a number that is known early: by a multiplication, as processors take many cycles to divide.
 *
 * n / by is the integer part of n * inverse / 2^64, where inverse = 2^64 / by rounded up: the error of the inverse is
 * below 1, so that of the quotient is below n / 2^64, and below 1 / by for n up to `most` (Granlund, Montgomery,
 * "Division by Invariant Integers using Multiplication", PLDI 1994). Greater numbers are divided. */
#ifndef REPRISE_REPLAY_BASE_DIVISOR_H
#define REPRISE_REPLAY_BASE_DIVISOR_H

#include <stdint.h>

struct divisor {
    uint64_t by, inverse, most;
};

/* With `by` 0 nothing may be divided. */
static inline struct divisor divisor_of(uint64_t by)
{
    return by > 1 ? (struct divisor){by, UINT64_MAX / by + 1, UINT64_MAX / by} : (struct divisor){by, 0, 0};
}

static inline uint64_t divide(uint64_t n, const struct divisor *d)
{
    return n <= d->most ? (uint64_t)((unsigned __int128)n * d->inverse >> 64) : n / d->by;
}

#endif
