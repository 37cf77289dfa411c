/* Faults of kernels. */
#ifndef REPRISE_FRONTEND_CORE_FAULT_H
#define REPRISE_FRONTEND_CORE_FAULT_H

#include <stdint.h>

enum rp_fault_kind {
    RP_FAULT_NONE,
    RP_FAULT_BOUNDS,
    RP_FAULT_MISALIGNED,
    RP_FAULT_READ_ONLY,
    RP_FAULT_BARRIER,
    RP_FAULT_DEADLOCK,
    RP_FAULT_STACK,
    RP_FAULT_LIMIT,
    RP_FAULT_TRAP,
    RP_FAULT_ASSERT,
    RP_FAULT_BAD_CALL,
    RP_FAULT_SYNC, /* misuse of a barrier or collective */
    RP_FAULT_FREE, /* free() of what is not memory of the device heap */
    RP_FAULT_LIVELOCK,
    RP_FAULT_TEXTURE,
    RP_FAULT_INTERRUPTED
};
/* "out of bounds" */
const char *rp_fault_title(enum rp_fault_kind);

/* ASSERT: the lanes of the warp that fail the assertion together, one bit each, and its texts, "?" where they are
 * unreadable. */
struct failed_assertion {
    uint32_t lanes, line;
    char file[80], function[80], condition[128];
};

/* The calls that a thread is in, innermost first: static indices. Code that is not optimised has them, and PTX keeps
 * track of them; machine code has branches that do not. */
enum { MOST_CALLERS = 16 };
struct callers {
    uint32_t at[MOST_CALLERS], count;
};

/* The first fault of a block. */
struct fault {
    enum rp_fault_kind kind;
    uint32_t instruction; /* static index */
    uint32_t warp, lane;
    uint64_t address;
    uint32_t size; /* bytes of a bad access; 0: the fault is no access */
    uint8_t space, access;
    char detail[400]; /* what happened, or what the address is near */
    struct failed_assertion assertion;
};

#endif
