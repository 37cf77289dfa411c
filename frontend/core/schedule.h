/* The order of uops within a straight line.
 *
 * The warp loop calls a handler per uop, and the CPU predicts the handler from the ones called before. In code that is
 * too long for its predictor it mispredicts nearly every change of handler, and a misprediction takes longer than a
 * handler. So uops with the same handler are grouped as far as their data dependences allow: list scheduling within
 * basic blocks, as compilers do it, which prefers the handler of the previous uop.
 *
 * The new order is not observable: it changes only within stretches of UOP_LANE that are entered at their first uop,
 * which stays first, and left at their end; runs are counted and logged at their ends, by static indices. */
#ifndef REPRISE_FRONTEND_CORE_SCHEDULE_H
#define REPRISE_FRONTEND_CORE_SCHEDULE_H

#include "frontend/core/program.h"

/* The program's uops must have been made. False: out of memory. */
bool schedule_uops(struct program *);

#endif
