/* Live registers of machine code: how many 32-bit registers, and how many predicates, hold a value that an instruction
 * writes or that it or a later one may still read.
 *
 * Liveness is the usual backward data flow (Aho, Lam, Sethi, Ullman, "Compilers", 9.2.5). The details follow nvdisasm's
 * column -lrm count, from whose output they were found; tests compare with it:
 *
 * - Blocks begin at targets of branches, after instructions that do not fall through and after BSYNC, at pops of the
 * divergence stack, and at branches through a register. A conditional branch out of a block does not end it.
 *
 * - A write under a guard leaves the old value alive, but only back to the beginning of its block, unless the block
 * itself reads it.
 *
 * - R1, the stack pointer, is always live.
 *
 * - A call reads R0 and R1 and overwrites R0, R3 to R15, of each eight registers from R32 on the lower four (R32 to
 * R35, R40 to R43, ...), and all predicates; its arguments are not considered. A return reads R1, R2 and all registers
 * that a call does not overwrite. Only registers that the code has count: a return keeps as many as the file says, and
 * a call overwrites up to the highest one that the code names or a return keeps. nvdisasm takes the highest of all
 * kernels of the file, and may so count more at a call, up to two in what ptxas makes. Predicates count up to the
 * highest one named.
 *
 * - Of two instructions that issue together each counts the results of both. */
#ifndef REPRISE_FRONTEND_ISA_SASS_LIVE_H
#define REPRISE_FRONTEND_ISA_SASS_LIVE_H

#include "frontend/module/arena.h"
#include "tracefmt/trace.h"

enum sass_step_flag {
    STEP_FALLS = 1 << 0, /* the next instruction may follow */
    STEP_CALL = 1 << 1,  /* the next one follows when the callee has returned */
    STEP_RETURN = 1 << 2,
    STEP_BEGINS = 1 << 3, /* a block begins here, even if no branch leads here */
    STEP_PAIR = 1 << 4,   /* it issues together with the next one */
};
/* Where control may go after an instruction. */
struct sass_step {
    uint8_t flags; /* enum sass_step_flag */
    uint32_t first,
        count; /* targets besides the next instruction: `count` elements of sass_flow.targets from `first` on */
};
struct sass_flow {
    uint32_t count;     /* instructions */
    uint32_t own;       /* the first of them, which the file holds; the others are functions of the runtime */
    uint32_t registers; /* that the file says the code has, the highest one named or more */
    const struct rp_instruction *instructions;
    const struct sass_step *steps;
    const uint32_t *targets; /* numbers of instructions */
};

/* Returns an array of [count] in the arena, which also holds temporary data. */
const struct rp_live *sass_live(struct arena *, const struct sass_flow *);

#endif
