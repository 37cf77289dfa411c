/* The order in which cores run that wait at the same depth of their stacks: who comes first runs first, so that it can
 * meet the others where they wait. It is that of addresses, with four exceptions.
 *
 * The first uop of a loop, to which a branch back leads, comes behind the last branch to it: cores that have come round
 * wait for those that have not, where otherwise each would go round alone. So do cores that come to it from the uop
 * before, as others may be about to branch to it. Code of a function comes before that of its callers, as a function
 * without a frame of its own does not deepen the stack: cores that have returned wait for those that have not. But the
 * first uop of a function that lies behind its callers comes behind theirs: cores that call it wait for those that may.
 * And a branch forward without a condition comes right before its target: cores that a table of jumps has brought to it
 * go on at once. */
#ifndef REPRISE_FRONTEND_GUEST_ORDER_H
#define REPRISE_FRONTEND_GUEST_ORDER_H

#include "frontend/guest/program.h"

/* By uop: its place in line, below 2^32 - 1. Sets waits[i] where uop i is the first one of a loop or a function that
 * comes behind others: cores that come to it from the uop before wait there, too. p has its uops and instructions;
 * memory comes from its arena. */
uint32_t *guest_order(const struct guest_program *p, bool *waits);

#endif
