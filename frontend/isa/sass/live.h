/* Live registers of machine code: how many 32-bit registers, and how many predicates, hold a value that an instruction
 * writes or that it or a later one may still read.
 *
 * Liveness is the usual data flow backwards (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.5), taken as NVIDIA's nvdisasm
 * takes it for its column -lrm count, against which it was found out and is tested:
 *
 *   - blocks begin at targets of branches, behind instructions that do not fall through, and at pops of the stack of
 *     divergence and branches through a register; a conditional branch out of a block does not end it;
 *   - a write under a guard leaves the old value alive, but not beyond the beginning of its block unless the block
 *     itself reads it;
 *   - R1, the stack pointer, is alive wherever code stands;
 *   - a call reads R0 and R1 and overwrites R0, R3 to R15, R32 to R35 and all predicates; what it does with
 *     arguments is not looked at. A return reads R1, R2 and the others. Both as far as the code has such registers;
 *   - of two instructions that issue together each counts what both write.
 */
#ifndef REPRISE_FRONTEND_ISA_SASS_LIVE_H
#define REPRISE_FRONTEND_ISA_SASS_LIVE_H

#include "frontend/module/arena.h"
#include "tracefmt/trace.h"

enum sass_step_flag {
    STEP_FALLS = 1 << 0, /* the next instruction may follow */
    STEP_CALL = 1 << 1,  /* the next one follows once the callee has returned */
    STEP_RETURN = 1 << 2,
    STEP_BEGINS = 1 << 3, /* a block begins here, also without a branch to it */
    STEP_PAIR = 1 << 4,   /* issues together with the next one */
};
/* Where control goes from an instruction. */
struct sass_step {
    uint8_t flags;         /* enum sass_step_flag */
    uint32_t first, count; /* targets besides the next instruction: so many from sass_flow.targets[first] on */
};
struct sass_flow {
    uint32_t count; /* instructions */
    const struct rp_instruction *instructions;
    const struct sass_step *steps;
    const uint32_t *targets; /* numbers of instructions */
};

/* Returns an array of [count] from the arena, which also holds temporary data. */
const struct rp_live *sass_live(struct arena *, const struct sass_flow *);

#endif
