/* What IA-32 is made of: the entries of its struct guest_isa. */
#ifndef REPRISE_FRONTEND_ISA_IA32_IA32_H
#define REPRISE_FRONTEND_ISA_IA32_IA32_H

#include "frontend/guest/program.h"

unsigned ia32_translate(struct guest_build *, const uint8_t *bytes, uint32_t available);
bool ia32_call(struct guest_machine *, struct guest_core *);
bool ia32_step(struct guest_machine *, struct guest_core *, const struct guest_observer *);

/* Whether guests may not have the instruction; text then says why: "fld (floating point)". */
struct ia32_instruction;
bool ia32_is_refused(const struct ia32_instruction *);
void ia32_describe_refusal(const struct ia32_instruction *, uint32_t pc, char *text, size_t size);

#endif
