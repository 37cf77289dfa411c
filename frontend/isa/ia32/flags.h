/* Which flags somebody may read: those that nobody does are not computed. */
#ifndef REPRISE_FRONTEND_ISA_IA32_FLAGS_H
#define REPRISE_FRONTEND_ISA_IA32_FLAGS_H

#include "frontend/guest/program.h"
#include "frontend/isa/ia32/table.h"

/* Sets of flags are the bits of enum ia32_eflags, without DF, which is always kept up to date. */

/* The flags that an instruction reads; those that it writes wherever it is executed; and those that it may write. */
unsigned ia32_flags_read(const struct ia32_instruction *);
unsigned ia32_flags_written(const struct ia32_instruction *);
unsigned ia32_flags_changed(const struct ia32_instruction *);
/* Those of `wanted` that instructions from pc on may read before they are written. Where code goes to is not known
 * everywhere: then all of them. */
unsigned ia32_flags_live(struct guest_build *, uint32_t pc, unsigned wanted);
/* The instruction at pc, of the piece of code that is being translated. False: there is none. */
bool ia32_look_ahead(struct guest_build *, uint32_t pc, struct ia32_instruction *);

#endif
