/* What cores have changed in their own stacks since the state of their split was kept. Compilers that do not optimise
 * keep what a loop computes in the stack: a loop that waits changes it, and puts it back. */
#ifndef REPRISE_FRONTEND_GUEST_CHANGES_H
#define REPRISE_FRONTEND_GUEST_CHANGES_H

#include "frontend/guest/lanes.h"

#define GUEST_CHANGED_ROWS 64 /* that are remembered, at most */

/* Rows of the stacks (stacks.h), as they were before one of their words was changed. */
struct guest_changes {
    uint32_t old[GUEST_CHANGED_ROWS][RP_WARP_LANES] __attribute__((aligned(64)));
    uint32_t row[GUEST_CHANGED_ROWS]; /* which ones: their numbers from the lowest addresses on */
    uint32_t count;
};

/* The lane is about to change these bytes. False: they are not of its own stack, or there are too many rows. */
bool guest_remember_change(struct guest_group *, unsigned lane, uint32_t address, uint32_t bytes);
/* Those of these lanes whose stacks are not as they were. */
lanemask guest_changed(const struct guest_group *, lanemask);
/* Forgets all rows. What is not as it was counts as stored. */
void guest_end_changes(struct guest_group *);

#endif
