/* The least cycles between an instruction of fixed latency and one that takes its result, in the code that NVIDIA's
 * assembler writes for a GPU's own compute capability.
 *
 * Machines have one latency for a class, as others measured it with chains of one instruction. Code of the assembler
 * needs finer ones: by shape of a matrix product, and by the reader. These are its own least stall counts: of ptxas
 * 12.9 and 13.0, -O1 and -O3, for sm_80, sm_86, sm_89 and sm_90, over each form of the instruction, with stores, loads,
 * shuffles, conversions, special functions, arithmetic and the same instruction as readers. */
#ifndef REPRISE_TOOLS_HAZARDS_DISTANCE_H
#define REPRISE_TOOLS_HAZARDS_DISTANCE_H

#include "replay/base/machine.h"

/* Until `reader` may issue, from the issue of `writer`; 0: no such writer is in the table, and the machine's latency
 * holds. `capability`: of the machine, 80 for 8.0; 0: unknown. */
uint32_t distance_of(unsigned capability, const struct rp_instruction *writer, const struct rp_instruction *reader);

#endif
