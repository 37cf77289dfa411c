/* Which condition flags somebody may read: those that nobody does are not computed. */
#ifndef REPRISE_FRONTEND_ISA_ARM_FLAGS_H
#define REPRISE_FRONTEND_ISA_ARM_FLAGS_H

#include "frontend/guest/program.h"
#include "frontend/isa/arm/table.h"

enum arm_flag_set { ARM_SET_N = 1, ARM_SET_Z = 2, ARM_SET_C = 4, ARM_SET_V = 8, ARM_SET_ALL = 15 };

/* The flags that an instruction reads, its condition included; and those that it writes wherever it is executed. */
unsigned arm_flags_read(const struct arm_instruction *);
unsigned arm_flags_written(const struct arm_instruction *);
/* Whether it may go to another place than the instruction behind it. */
bool arm_writes_pc(const struct arm_instruction *);
/* Those of `wanted` that instructions from pc on may read before they are written. Where code goes to is not known
 * everywhere: then all of them. ahead: as in struct guest_core. */
unsigned arm_flags_live(struct guest_build *, uint32_t pc, bool thumb, uint8_t ahead, unsigned wanted);
/* The instruction at pc, of the piece of code that is being translated. False: there is none. */
bool arm_look_ahead(struct guest_build *, uint32_t pc, bool thumb, uint8_t ahead, struct arm_instruction *);

#endif
