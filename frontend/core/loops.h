/* The loops of a program: sets of operations to which a lane can return, also across calls. A lane that comes to an
 * operation for the second time has executed only operations of that operation's loop in between. */
#ifndef REPRISE_FRONTEND_CORE_LOOPS_H
#define REPRISE_FRONTEND_CORE_LOOPS_H

#include "frontend/core/program.h"

/* The loop of each operation, numbered from 1 on; 0: none. An inner loop belongs to the outer one. The program's
 * operations must have been checked. The caller frees the array; NULL: out of memory. */
uint32_t *loops_find(const struct program *, uint32_t *count);

#endif
