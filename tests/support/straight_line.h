/* How fast straight-line code runs, by its length. */
#ifndef REPRISE_TESTS_SUPPORT_STRAIGHT_LINE_H
#define REPRISE_TESTS_SUPPORT_STRAIGHT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* Of which kinds the instructions are: one, eight in turn, or eight in no order that a branch predictor could learn. */
enum straight_mix { STRAIGHT_ONE, STRAIGHT_TURNS, STRAIGHT_RANDOM };

/* Warp instructions per second of processor time of one warp that goes round and round a loop of `length` arithmetic
 * instructions, every immediate another. False: err says why. */
bool straight_line_rate(enum straight_mix, uint32_t length, double *rate, struct rp_error *err);

#endif
