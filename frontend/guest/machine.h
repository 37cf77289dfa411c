/* The chip that runs a guest, as far as programs see it: cores, memory, environment calls.
 *
 * Environment calls are Linux's of the instruction set, as far as they are in `enum guest_call`, and four of ours,
 * which Linux and qemu-user answer with -ENOSYS. Those are the same on all instruction sets. */
#ifndef REPRISE_FRONTEND_GUEST_MACHINE_H
#define REPRISE_FRONTEND_GUEST_MACHINE_H

#include <stdio.h>

#include "frontend/guest/memory.h"

enum guest_call {
    GUEST_CALL_UNKNOWN,
    GUEST_CALL_WRITE,      /* to 1 or 2 */
    GUEST_CALL_EXIT,       /* the core ends */
    GUEST_CALL_EXIT_GROUP, /* all cores end */
    GUEST_CALL_BRK,
    GUEST_CALL_CORE,    /* 0x5250: the number of the core */
    GUEST_CALL_CORES,   /* 0x5251: how many cores there are */
    GUEST_CALL_BARRIER, /* 0x5252: waits for all cores that have not exited; returns 0 */
    GUEST_CALL_RETIRED, /* 0x5253: instructions that the core has executed, without this one, modulo 2^32 */
};
#define GUEST_CALL_FIRST_OWN 0x5250u
#define GUEST_REGISTERS 32
/* What a division is told that processors would interrupt. */
#define GUEST_BAD_DIVISION "the divisor is 0, or the quotient does not fit"
/* What an instruction is told by which a program stops itself, as __builtin_trap does. */
#define GUEST_STOPS "the program stops itself"

enum guest_status { GUEST_RUNS, GUEST_AT_BARRIER, GUEST_EXITED };

struct guest_core {
    uint32_t registers[GUEST_REGISTERS], pc;
    uint32_t from; /* of the plain engine: the instruction executed before */
    uint32_t id;
    uint64_t retired;     /* instructions executed */
    uint32_t reservation; /* the word of an LR that no store has changed since; GUEST_NO_RESERVATION: none */
    uint32_t holder;      /* its place in the list of those that have one */
    uint8_t reserved;     /* bytes of it: 4, or 8 of a pair */
    uint8_t status;       /* enum guest_status */
    /* Of the plain engine, for instruction sets that have them: condition flags, whether the core executes short
     * instructions (ARM: T32), and what an instruction says of those behind it (ARM: ITSTATE). */
    bool thumb;
    uint8_t ahead;
    uint32_t flags;
};
#define GUEST_NO_RESERVATION 1u /* no word has this address */

/* The reservations of all cores (reservations.h). */
#define GUEST_RESERVED_PLACES 256u
struct guest_reservations {
    uint32_t *holders;                  /* the cores that have one, in any order */
    uint32_t count;                     /* how many these are */
    uint32_t low, high;                 /* no reserved byte lies below `low`, or at `high` or above */
    uint16_t at[GUEST_RESERVED_PLACES]; /* how many are of these 8 bytes of memory, by their number modulo the places */
};

struct guest_machine {
    const struct guest *guest;
    struct guest_memory memory;
    uint32_t cores, live; /* live: those that have not exited */
    struct guest_core *core;
    FILE *output, *errors; /* where the program's 1 and 2 go */
    struct guest_reservations reservations;
    bool linux;  /* it answers calls of its own with -ENOSYS, as Linux does; for comparisons with qemu */
    bool ended;  /* by exit_group */
    int status;  /* the program's: the first one that is not 0 */
    bool failed; /* *err says why */
    struct rp_error *err;
    const _Atomic bool *interrupted; /* set by another thread or a signal: the run fails; NULL: never */
    /* Of the plain engine: instructions by address modulo GUEST_DECODED, as their instruction set has them. */
    void *decoded;
    uint32_t *decoded_at; /* whose they are */
};
#define GUEST_DECODED 65536u
#define GUEST_DECODED_BYTES 40u      /* of one, at most */
#define GUEST_NOT_DECODED UINT32_MAX /* no instruction has this address */

/* stack_bytes 0: the default. program: argv[0]. The guest must outlive the machine. */
bool guest_machine_open(struct guest_machine *, const struct guest *, uint32_t cores, uint32_t stack_bytes,
                        struct rp_error *);
void guest_machine_close(struct guest_machine *);

/* Carries a call out; *result is what the core finds in its register. May change the core's status. False: it failed,
 * and machine.err says why. */
bool guest_call(struct guest_machine *, struct guest_core *, enum guest_call, uint32_t number,
                const uint32_t arguments[3], uint32_t *result);

/* A bad access: fails the machine. rights: enum guest_rights, what the access needed. */
void guest_fault_access(struct guest_machine *, const struct guest_core *, uint32_t address, uint32_t bytes,
                        unsigned rights);
/* Any other fault: "core 3, main+0x1c (0x10090): TEXT". */
void guest_fault(struct guest_machine *, const struct guest_core *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The bytes at the core's pc are no instruction. is_short: as in struct guest_build. */
void guest_fault_unknown(struct guest_machine *, const struct guest_core *, const void *bytes, uint32_t available,
                         bool is_short);

/* Whether the run is interrupted; then it has failed. Engines ask between turns. */
bool guest_interrupted(struct guest_machine *);

/* Cores that wait at the barrier go on, if all others have exited or wait, too. True: some go on. */
bool guest_release_barrier(struct guest_machine *);

#endif
