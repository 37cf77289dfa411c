/* The lock-step engine for whoever drives models of their own with it: an instruction of each core at a time.
 *
 * Groups of 32 neighbouring cores take turns in the order of their numbers; of a group, those that are at the same
 * instruction execute it together, and who has the core of the lowest number comes first. So it is always the same. */
#ifndef REPRISE_FRONTEND_GUEST_STEPPING_H
#define REPRISE_FRONTEND_GUEST_STEPPING_H

#include "frontend/guest/plain.h"
#include "frontend/guest/program.h"

struct guest_stepper;

/* Both must outlive it. NULL: machine.err says why. */
struct guest_stepper *guest_stepper_open(struct guest_machine *, const struct guest_program *);
void guest_stepper_close(struct guest_stepper *); /* NULL is allowed */

/* What is called from now on; the functions see id and pc of a core, not its registers. */
void guest_stepper_observe(struct guest_stepper *, const struct guest_observer *);

/* Executes an instruction of each core that does not wait at the barrier. False: machine.err says why. */
bool guest_stepper_step(struct guest_stepper *);

/* The number of cores that have not exited. */
uint32_t guest_stepper_running(const struct guest_stepper *);

/* The core between two steps: registers, pc, thumb, retired and status are up to date. */
const struct guest_core *guest_stepper_core(struct guest_stepper *, uint32_t core);

#endif
