/* An instruction set that guests may have: one row, defined in its own folder. frontend/loader/guests.h has all of
 * them. */
#ifndef REPRISE_FRONTEND_GUEST_ISA_H
#define REPRISE_FRONTEND_GUEST_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct guest;
struct guest_build;
struct guest_core;
struct guest_machine;
struct guest_observer;

struct guest_isa {
    const char *name;              /* "rv32imac" */
    const char *text;              /* "RISC-V (RV32IMAC)" */
    uint16_t elf_machine;          /* e_machine */
    uint8_t registers;             /* how many there are, from 0 on */
    uint8_t stack_pointer, result; /* registers: result is that of an environment call */
    uint8_t alignment;             /* instructions begin at its multiples: 1, 2 */
    bool unaligned_atomics;        /* atomic instructions access any address */
    bool interworks;               /* the lowest bit of a code's address says which of two encodings it has */
    /* Whether programs with these e_flags can run; err says how to compile them. */
    bool (*accepts)(uint32_t elf_flags, struct rp_error *);
    /* Translates the instruction at b->pc: adds its operations and its row of the table. At most `available` bytes may
     * be read. Returns the length of the instruction; 0: there is none. */
    unsigned (*translate)(struct guest_build *, const uint8_t *bytes, uint32_t available);
    /* Says of at least one byte with no instruction what it is: "0x73 is no instruction of ...". is_short: as in struct
     * guest_build. Returns the length that an instruction would have that begins so, which may be beyond `available`.
     */
    unsigned (*unknown)(const uint8_t *bytes, uint32_t available, bool is_short, char *text, size_t size);
    /* Of instruction sets that interwork: finds the marks of a guest whose file has none. */
    void (*find_marks)(struct guest *);
    /* Carries out the environment call for which a core's registers ask, and sets the register of its result. False: it
     * failed. */
    bool (*call)(struct guest_machine *, struct guest_core *);
    /* The plain engine: executes one instruction of a core. False: a fault. */
    bool (*step)(struct guest_machine *, struct guest_core *, const struct guest_observer *);
};

#endif
