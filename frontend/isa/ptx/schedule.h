/* The order of a function's instructions, as an optimising assembler would choose it.
 *
 * PTX has loads where their values are needed; assemblers begin them earlier, as far as there are registers. Within
 * each stretch (stretch.h) this is list scheduling from the end to the beginning (Cooper and Torczon, "Engineering a
 * Compiler", 12.3): of the instructions on which none depends that is not placed yet, and whose result would be there
 * in time, it takes the one that ends the longest chain of latencies from the stretch's beginning; among equals the
 * last in the source. If its operands would need more registers than the budget has, it takes one with which as few as
 * possible are live. A load has a short chain behind it, so it comes as early as the budget allows.
 *
 * Each instruction issues in a cycle. Latencies are those of Volta: 4 cycles of most operations, 5 of integer products,
 * 6 of half and 8 of double precision, 14 of special functions and conversions; 19 of shared memory, 27 of constants,
 * and 193, a hit in L2, of all other memory (Jia et al., arXiv:1804.06826, Tables 3.1 and 4.1); 71 of integer division
 * (Arafa et al., PPT-GPU), 39 of single-precision division (Accel-Sim's configuration of a QV100), 112 of
 * double-precision division (RRZE gpu-benches, V100); 25 of matrix products (Sun et al., 2022, m16n8k16 on an A100). */
#ifndef REPRISE_FRONTEND_ISA_PTX_SCHEDULE_H
#define REPRISE_FRONTEND_ISA_PTX_SCHEDULE_H

#include "frontend/isa/ptx/allocate.h"
#include "frontend/isa/ptx/lower.h"

/* The most 32-bit registers of the current function that are live at once if each stretch has the order that needs the
 * fewest; changes nothing. first, block_start: as for join_accesses; `where` is the allocation of the order that it
 * has. */
uint32_t schedule_least(struct lowering *, uint32_t first, const uint32_t *block_start, const struct allocation *where);

/* Brings the current function's instructions into the new order. A stretch in which more than `budget` registers would
 * be live, and more than before, keeps its order. */
void schedule_function(struct lowering *, uint32_t first, const uint32_t *block_start, const struct allocation *where,
                       uint32_t budget);

#endif
