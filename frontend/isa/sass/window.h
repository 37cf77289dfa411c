/* Where the registers of machine code lie in the window of a warp.
 *
 * While a kernel is lowered nobody knows how many registers of each kind it has, so each kind has a range of offsets of
 * its own, with room for the most. At the end the ranges that are in use are packed: a window is cleared for each
 * warp and should stay in the computer's caches. */
#ifndef REPRISE_FRONTEND_ISA_SASS_WINDOW_H
#define REPRISE_FRONTEND_ISA_SASS_WINDOW_H

#include "frontend/isa/sass/build.h"

enum sass_range {
    RANGE_FIXED,       /* predicates, results of BAR.RED, a place for results that nobody reads: see build.c */
    RANGE_TEMPORARIES, /* 64 bits in each lane */
    RANGE_CONVERGENCE,
    RANGE_UNIFORM,
    RANGE_LINK,
    RANGE_GENERAL,
    RANGES
};
enum { SASS_FIXED_BYTES = 448 };

/* Number n of a range, before the ranges are packed. */
struct operand sass_place(enum sass_range, uint32_t n);
/* Moves all registers of the operations so that the ranges follow each other. */
void sass_pack_window(struct sass_build *);

#endif
