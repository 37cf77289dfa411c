/* What opcodes of Accel-Sim's traces mean to a trace of ours: what the instruction tables say, and opcodes.def. */
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

/* "LDG.E.64" is LDG. NULL: it is not known. */
const struct opcode *opcode_find(const char *name);

/* Fills in class, flags, barrier and fence; *operand, for what has addresses, but for its width. `name` with all its
 * parts; without a row it is an integer instruction, or a global load if it has addresses. */
void opcode_meaning(const struct opcode *, const char *name, bool addresses, struct rp_instruction *,
                    struct rp_memory_operand *operand);
/* From sm_80 on: LDGSTS starts a copy, LDGDEPBAR closes a group of them, and DEPBAR waits until at most as many groups
 * are not complete as its immediate says, which is behind all else from version 4 of the tracer on (`more`); 0 if it is
 * not there: it waits for all. Without groups it waits for nothing: DEPBAR of other scoreboards does not matter. */
void opcode_async(const struct opcode *, const char *more, struct rp_instruction *);

/* What Accel-Sim shall call an instruction whose text does not begin with an opcode of the table, PTX above all. */
void opcode_for(const struct rp_instruction *, char *name, size_t size);

#endif
