/* The plain engine of guests: one core after the other, one instruction at a time, a switch per instruction. It is meant
 * to be read, and to be compared with. */
#ifndef REPRISE_FRONTEND_GUEST_PLAIN_H
#define REPRISE_FRONTEND_GUEST_PLAIN_H

#include "frontend/guest/machine.h"

/* Instructions that a core executes before the next one gets a turn, while several can run: cores that spin wait for
 * others. */
#define GUEST_PLAIN_TURN 100000u

/* What a core is about to do, for whoever compares or counts; NULL functions are not called. */
struct guest_observer {
    void *data;
    void (*instruction)(void *data, const struct guest_core *); /* before each one */
    void (*access)(void *data, const struct guest_core *, uint32_t address, uint32_t bytes, bool store);
};

/* Runs until all cores have exited. limit: instructions of a core, a guard against endless loops; 0: none. False:
 * machine.err says why. */
bool guest_run_plain(struct guest_machine *, uint64_t limit, const struct guest_observer *);

/* Carries out the environment call for which a core's registers ask, and sets the register of its result. False: it
 * failed. */
#define RV32_CALL_RESULT 10 /* a0 */
bool rv32_call(struct guest_machine *, struct guest_core *);

/* Executes one instruction of a core. False: a fault. */
bool rv32_step(struct guest_machine *, struct guest_core *, const struct guest_observer *);

#endif
