/* The order of uops within a straight line.
 *
 * The warp loop calls a handler per uop. The CPU predicts which one from those called before. In code that is too long
 * to be learned it is wrong nearly each time the handler changes, and a wrong guess takes longer than a handler. So
 * uops of one handler are brought together as far as what they read and write allows: a list scheduling, as compilers
 * do it within basic blocks, whose aim is the last handler.
 *
 * Nobody can tell: the order changes only within stretches of UOP_LANE that are entered at their first uop, which stays
 * there, and left at their end; runs are counted and logged by static indices at their ends. */
#ifndef REPRISE_FRONTEND_CORE_SCHEDULE_H
#define REPRISE_FRONTEND_CORE_SCHEDULE_H

#include "frontend/core/program.h"

/* Of a program whose uops are made. False: out of memory. */
bool schedule_uops(struct program *);

#endif
