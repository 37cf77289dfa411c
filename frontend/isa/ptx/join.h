/* Joins neighbouring loads, and neighbouring stores, as ptxas does: two or four of 32 bits, or two of 64 bits, become
 * one of 64 or 128 bits.
 *
 * They are of one stretch (stretch.h), go to shared, global or generic memory, add their offsets to one value, have one
 * guard, type and cache policy, and lie side by side. The first one's address must be known to be a multiple of all
 * their bytes (low_bits.h): a pointer that a kernel gets as a parameter is not known to be, an array in shared memory
 * is. A load moves up to the first of them, a store down to the last one, if nothing in between is in the way. */
#ifndef REPRISE_FRONTEND_ISA_PTX_JOIN_H
#define REPRISE_FRONTEND_ISA_PTX_JOIN_H

#include "frontend/isa/ptx/lower.h"

/* For the current function, whose operations begin with `first` and have their registers not yet placed. block_start is
 * by block of the control-flow graph, counted from `first`, with one entry more; it follows. */
void join_accesses(struct lowering *, uint32_t first, uint32_t *block_start);

#endif
