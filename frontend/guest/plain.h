/* The plain engine of guests: one core after the other, one instruction at a time, a switch per instruction. It is
 * meant to be read, and to be compared with. */
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

#endif
