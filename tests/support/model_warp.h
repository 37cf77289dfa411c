/* What lanes of a warp exchange, by the PTX ISA. */
#ifndef REPRISE_TESTS_SUPPORT_MODEL_WARP_H
#define REPRISE_TESTS_SUPPORT_MODEL_WARP_H

#include <stdbool.h>

/* The lane that a lane reads ("shfl"); *inside: whether it is within the segment, else the lane keeps its own value. */
enum shuffle { SHUFFLE_IDX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY };
unsigned shuffle_source(enum shuffle, unsigned lane, unsigned b, unsigned c, bool *inside);

#endif
