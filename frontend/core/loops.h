/* The loops of a program: operations to which a lane can come back, across calls, too. A lane that is at an operation
 * for the second time has in between carried out operations of that one's loop alone. */
#ifndef REPRISE_FRONTEND_CORE_LOOPS_H
#define REPRISE_FRONTEND_CORE_LOOPS_H

#include "frontend/core/program.h"

/* By operation the number of the loop that it is in, from 1 on, 0: in none. An inner loop is part of the outer one. Of
 * a program whose operations are checked. The caller frees it; NULL: no memory. */
uint32_t *loops_find(const struct program *, uint32_t *count);

#endif
