/* The order in which cores run that wait at the same depth of their stacks: who comes first by it runs first, so that
 * the others can be joined where all of them come to.
 *
 * Code of a function comes before that of the functions that call it, as a function without a frame of its own does not
 * deepen the stack: cores that have returned wait for those that have not. Within a function uops are in the order of
 * their addresses, but for the first one of a loop, that a branch back leads to: it comes behind the last branch to it.
 * So cores that have come round wait for those that have not, where otherwise each would go round alone. */
#ifndef REPRISE_FRONTEND_GUEST_ORDER_H
#define REPRISE_FRONTEND_GUEST_ORDER_H

#include "frontend/guest/program.h"

/* By uop: its place in line, below 2^32 - 1. p has its uops and instructions; memory comes from its arena. */
uint32_t *guest_order(const struct guest_program *p);

#endif
