/* Lane handlers of ARMv7-A, for what handlers of kernels do not do: OP_GUEST with one of these as its fn. N Z C V are
 * the warp's condition codes (warp.h); Q, GE and the condition of the instruction at hand are predicates.
 *
 * Operands: d result; a = n, b = m or the operand, c = the third register; imm as in struct arm_instruction. Of
 * ARM_CLASS_LONG d is the upper word and c the lower one, both read and written. */
#ifndef REPRISE_FRONTEND_ISA_ARM_LANES_H
#define REPRISE_FRONTEND_ISA_ARM_LANES_H

#include "frontend/core/lanes/simd.h"
#include "frontend/guest/program.h"

/* Predicates: struct guest_build. */
enum arm_predicate { ARM_P_Q, ARM_P_GE, ARM_P_GE_LAST = ARM_P_GE + 3, ARM_P_CONDITION };

/* Handlers beside those of operations. */
enum arm_lane {
    ARM_LANE_NOTHING,
    ARM_LANE_SHIFT,                          /* + enum arm_shift: d = a shifted by the lowest byte of b */
    ARM_LANE_CARRY = ARM_LANE_SHIFT + 5,     /* + enum arm_shift: C = the shifter's carry of the same */
    ARM_LANE_SET_CARRY = ARM_LANE_CARRY + 5, /* C = imm */
    ARM_LANE_COMPARE_C,                      /* C = that of a - (b << imm) */
    ARM_LANE_NZ,                             /* N and Z of a */
    ARM_LANE_NZ_LONG,                        /* of a (upper word) and b */
    ARM_LANE_GET_STATUS,                     /* d = the status register */
    ARM_LANE_SET_STATUS,                     /* the bits of imm of the status register = those of a */
    ARM_LANES
};

/* Data processing; computing (imm: of the instruction); products of 64 bits: by enum arm_operation. ARM_LEFT is without
 * flags, and the operand is b << imm. */
enum arm_data_form { ARM_PLAIN, ARM_WITH_FLAGS, ARM_LEFT };
SIMD_DECLARE(uop_fn, arm_data_handler, (unsigned operation, enum arm_data_form))
SIMD_DECLARE(uop_fn, arm_compute_handler, (unsigned operation, uint32_t imm))
SIMD_DECLARE(uop_fn, arm_long_handler, (unsigned operation))
SIMD_DECLARE(uop_fn, arm_lane_handler, (unsigned lane))
/* ARM_P_CONDITION = a condition other than ARM_ALWAYS. Recorded: the trace gets it as the guard of the instruction. */
SIMD_DECLARE(uop_fn, arm_condition_handler, (unsigned condition, bool recorded))

#endif
