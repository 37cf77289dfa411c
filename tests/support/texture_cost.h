/* What a texture fetch costs beside a load: sums along the rows of a square of floats, by tex.2d and by ld.global
 * with clamped columns. */
#ifndef REPRISE_TESTS_SUPPORT_TEXTURE_COST_H
#define REPRISE_TESTS_SUPPORT_TEXTURE_COST_H

#include <stdbool.h>

#include "tracefmt/error.h"

/* The processor time of launches with fetches, on one thread, in parts of that of launches with loads: the best of
 * `runs` each, in turns. Both leave the same sums, which are compared. */
bool texture_cost(bool linear, unsigned runs, double *times, struct rp_error *);

#endif
