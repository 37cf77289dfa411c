/* How fast straight-line code runs, by its length. */
#ifndef REPRISE_TESTS_SUPPORT_STRAIGHT_LINE_H
#define REPRISE_TESTS_SUPPORT_STRAIGHT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* Warp instructions per second of processor time of one warp that goes round and round a loop of `length` arithmetic
 * instructions, eight kinds in turn, every immediate another. False: err says why. */
bool straight_line_rate(uint32_t length, double *rate, struct rp_error *err);

#endif
