/* What the trace says of an instruction of ARMv7-A. */
#ifndef REPRISE_FRONTEND_ISA_ARM_DESCRIBE_H
#define REPRISE_FRONTEND_ISA_ARM_DESCRIBE_H

#include "frontend/guest/program.h"
#include "frontend/isa/arm/table.h"

/* The type of each element that an instruction loads or stores. */
enum lane_type arm_memory_type(unsigned operation);
/* One access of an instruction, of so many words. */
struct rp_memory_operand arm_memory_operand(const struct arm_instruction *, unsigned words);
/* Appends the instruction at b->pc to b->instructions. guarded: a condition decides whether a lane executes it. */
void arm_describe(struct guest_build *b, const struct arm_instruction *, const uint8_t *bytes, bool guarded);

#endif
