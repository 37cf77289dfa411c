/* Translates opcodes of Accel-Sim's traces by the instruction tables and opcodes.def. */
#ifndef REPRISE_TOOLS_ACCELSIM_OPCODES_H
#define REPRISE_TOOLS_ACCELSIM_OPCODES_H

#include "tracefmt/trace.h"

enum { OPCODE_NAME = 24, MOST_OPCODES = 4096 }; /* with the NUL; a test sees to it that all fit */
struct opcode {
    char name[OPCODE_NAME];
    uint8_t unit_class; /* enum rp_class */
    uint16_t flags;     /* enum rp_instruction_flag */
    uint8_t space;      /* enum rp_space of MEMORY */
    uint8_t kind;       /* enum rp_access_kind of MEMORY */
};

/* Finds the opcode of a name: "LDG.E.64" is LDG. NULL: it is not known. */
const struct opcode *opcode_find(const char *name);

/* Fills in class, flags, barrier and fence, and *operand, except its width, of an instruction with addresses. `name`
 * has all its parts. Without a row the instruction is an integer instruction, or with addresses a global load. */
void opcode_meaning(const struct opcode *, const char *name, bool addresses, struct rp_instruction *,
                    struct rp_memory_operand *operand);
/* From sm_80 on LDGSTS starts a copy, LDGDEPBAR closes a group of copies, and DEPBAR waits until at most n groups are
 * incomplete. n is its immediate, which is the last word of the line from version 4 of the tracer on (`more`); without
 * it n is 0, so DEPBAR waits for all. If the kernel has no groups, DEPBAR waits for other scoreboards, which are
 * ignored. */
void opcode_async(const struct opcode *, const char *more, struct rp_instruction *);

/* The opcode that Accel-Sim gets for an instruction whose text begins with no opcode of the table; PTX above all. */
void opcode_for(const struct rp_instruction *, char *name, size_t size);

#endif
