/* What ARMv7-A is made of: the entries of its struct guest_isa. */
#ifndef REPRISE_FRONTEND_ISA_ARM_ARM_H
#define REPRISE_FRONTEND_ISA_ARM_ARM_H

#include "frontend/guest/program.h"

unsigned arm_translate(struct guest_build *, const uint8_t *bytes, uint32_t available);
/* reach.c */
void arm_find_marks(struct guest *);
bool arm_call(struct guest_machine *, struct guest_core *);
bool arm_step(struct guest_machine *, struct guest_core *, const struct guest_observer *);

/* Of instructions that cannot be executed: "vadd (floating point): compile with -mfloat-abi=soft". What is in a
 * function of libgcc says so. */
struct arm_instruction;
void arm_describe_refusal(const struct arm_instruction *, const struct guest *, uint32_t pc, char *text, size_t size);

#endif
