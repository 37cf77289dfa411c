/* What the trace says of an instruction of IA-32. */
#ifndef REPRISE_FRONTEND_ISA_IA32_DESCRIBE_H
#define REPRISE_FRONTEND_ISA_IA32_DESCRIBE_H

#include "frontend/guest/program.h"
#include "frontend/isa/ia32/table.h"

#define IA32_ACCESSES_MOST 8 /* PUSHA */
struct ia32_accesses {
    struct rp_memory_operand at[IA32_ACCESSES_MOST];
    uint32_t count;
};

/* Appends the instruction at b->pc to b->instructions, with these accesses. */
void ia32_describe(struct guest_build *b, const struct ia32_instruction *, const uint8_t *bytes,
                   const struct ia32_accesses *);

#endif
