/* The order of a function's instructions, as an optimising assembler would choose it.
 *
 * PTX has loads where their values are needed; assemblers begin them earlier, as far as there are registers. Within
 * each stretch (stretch.h) this is list scheduling from the end to the beginning (Cooper and Torczon, "Engineering a
 * Compiler", 12.3): of the instructions on which none depends that is not placed yet, and whose result would be there
 * in time, it takes the one that ends the longest chain of latencies from the stretch's beginning; among equals the
 * last in the source. If its operands would need more registers than the budget has, it takes one with which as few as
 * possible are live. A load has a short chain behind it, so it comes as early as the budget allows.
 *
 * Each instruction issues in a cycle. Latencies are those of a V100: 4 cycles of most operations, 5 of integer
 * products, 6 of half precision and 8 of double precision (Jia et al., arXiv:1804.06826, Table 4.1), 14 of the units
 * for special functions and conversions (ibid.), 19 of shared memory and 193 of a hit in L2 for all other memory
 * (ibid., Table 3.1), 27 of constants (ibid., Figure 3.4), 23 of a shuffle (ibid., Table 4.1). Divisions, which are
 * sequences of instructions, have 40, those of double precision 80: assumed. Orders depend little on them. */
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
