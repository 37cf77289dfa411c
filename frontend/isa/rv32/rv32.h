/* What RV32IMAC is made of: the entries of its struct guest_isa. */
#ifndef REPRISE_FRONTEND_ISA_RV32_RV32_H
#define REPRISE_FRONTEND_ISA_RV32_RV32_H

#include "frontend/guest/program.h"

unsigned rv32_translate(struct guest_build *, const uint8_t *bytes, uint32_t available);
bool rv32_call(struct guest_machine *, struct guest_core *);
bool rv32_step(struct guest_machine *, struct guest_core *, const struct guest_observer *);

/* Of an instruction of class RV32_CLASS_REFUSED: "flw (floating point): guests compute in integers". */
struct rv32_instruction;
void rv32_describe_refusal(const struct rv32_instruction *, uint32_t pc, char *text, size_t size);

#endif
