/* Accesses whose address register is that of an access before: whether it points to one place of all stacks need not be
 * found again. */
#ifndef REPRISE_FRONTEND_GUEST_PLACES_H
#define REPRISE_FRONTEND_GUEST_PLACES_H

#include "frontend/guest/program.h"

/* Gives them other handlers: where an unguarded access by the register comes before in a straight line of uops, and
 * nothing has written it since, unless to add a constant. */
void guest_mark_places(struct guest_program *, const struct operation *);

#endif
