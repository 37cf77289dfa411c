/* Strides that are known: memory uops of one straight line that use the same address register. The distance between the
 * lanes' addresses is found once, for the first of them. */
#ifndef REPRISE_FRONTEND_CORE_STRIDES_H
#define REPRISE_FRONTEND_CORE_STRIDES_H

#include "frontend/core/program.h"

/* Marks the uops: the first keeps the stride in a slot of the warp (UF_KEEP_STRIDE), the others take it from there
 * (UF_KNOWN_STRIDE). Joins loads that one handler can make (UF_TOGETHER). Called when the uops have their final order.
 * False: out of memory. */
bool strides_mark(struct program *);

#endif
