/* What operations read and write, for passes over a whole program. */
#ifndef REPRISE_FRONTEND_CORE_OPERANDS_H
#define REPRISE_FRONTEND_CORE_OPERANDS_H

#include "frontend/core/program.h"

#define PREDICATE_BYTES 4u

/* An upper bound on the bytes of any operand that is no predicate: 32 lanes of the widest type, 32 bits or more. */
uint32_t operation_width(const struct operation *);
/* Whether the operation reads or writes condition codes of the warp. */
bool operation_uses_codes(const struct operation *);
/* Whether the next operation may execute after this one, that is, unless this one always jumps. */
bool operation_may_fall_through(const struct operation *);
/* A byte for each operation: whether control may enter there from elsewhere than the operation before. NULL: out of
 * memory. The caller frees it. */
uint8_t *program_entries(const struct program *);

#endif
