/* A guest's code as the lock-step engine runs it: each static instruction once, as uops of 32 lanes (uop.h), and as the
 * trace's table has it.
 *
 * Code is found by decoding from the beginning of each piece of code, from each function's symbol to the next one,
 * from the entry point, and from what branches name; of instruction sets that interwork, from each mark to the next
 * one. An instruction to which only registers lead must begin where one of these ways comes to. Windows hold registers,
 * 32 lanes each, then temporaries, then predicates. Condition flags are the warp's condition codes (warp.h).
 *
 * An environment call is three instructions of the table. Which one has been executed depends on the call: its own
 * number stands for calls that return, and two that follow the code, at the same address, for the barrier and for the
 * end of a core. */
#ifndef REPRISE_FRONTEND_GUEST_PROGRAM_H
#define REPRISE_FRONTEND_GUEST_PROGRAM_H

#include "frontend/guest/guest.h"
#include "frontend/module/arena.h"
#include "frontend/module/constants.h"
#include "frontend/operation/uop.h"

#define GUEST_REGISTER(n) OPERAND_REGISTER((n)*4 * RP_WARP_LANES)
#define GUEST_TEMPORARIES 4 /* and the last of them takes what is loaded into no register */
#define GUEST_PREDICATES 8  /* those before the last one are state of a core, as registers are */
#define GUEST_PREDICATE(n) OPERAND_REGISTER((32 + GUEST_TEMPORARIES) * 4 * RP_WARP_LANES + (n)*4)
#define GUEST_WINDOW_BYTES ((32 + GUEST_TEMPORARIES + 1) * 4 * RP_WARP_LANES)

/* Kinds of uops, beside UOP_LANE and UOP_MEMORY; the engine of kernels gives them another meaning.
 *   UOP_BRANCH        lanes in which compare(a, b) holds go to uop `target`, the others to uop `reconverge`, or where
 *                     that is UOP_NOWHERE to the next one
 *   UOP_BRANCH_TABLE  each lane goes to the address in a
 *   UOP_HOST_CALL     environment call
 * These three and UOP_TRAP may be guarded: lanes in which the guard does not hold go on.
 *   UOP_FENCE         nothing
 *   UOP_TRAP          the instruction cannot be executed; imm: enum guest_trap */
enum guest_trap {
    GUEST_TRAP_REFUSED,
    GUEST_TRAP_DIVISION,
    GUEST_TRAP_STOP, /* what compilers put where a program must not come */
    GUEST_TRAP_UNKNOWN, /* no instruction: the text of its row of the table says what is there */
    GUEST_TRAP_OUTSIDE, /* no code, at `target`: the row is that of the branch to it */
};

/* `op` of a UOP_MEMORY: d, or the words of lists[0], loaded or stored, at a + imm; d likewise, and then c, a constant,
 * added to a, which is not d; the others have b as the operand, or
 * two words of lists[0]. Accesses of lists must be aligned to words, reservations to their own size. An atomic of kind
 * CAS stores b where c is in memory. GUEST_ATOMIC_NEGATE stores what was there with the other sign. Of
 * GUEST_COMPARE_EXCHANGE_PAIR, lists[0] is what two words were, lists[1] those they are compared with, then new ones.
 */
enum guest_memory_op {
    GUEST_PLAIN_ACCESS,
    GUEST_MOVING_ACCESS,
    GUEST_LOAD_RESERVED,
    GUEST_STORE_CONDITIONAL,
    GUEST_ATOMIC,
    GUEST_ATOMIC_NEGATE,
    GUEST_COMPARE_EXCHANGE_PAIR,
};

struct guest_program {
    const struct guest *guest;
    struct arena *arena;
    uint32_t instruction_count; /* with those for environment calls */
    uint32_t code_count;        /* without */
    const struct rp_instruction *instructions;
    uint32_t uop_count, entry; /* entry: where the cores begin */
    struct uop *uops;
    const uint8_t *constants;
    uint32_t low, high; /* addresses of code */
    uint32_t *at;    /* by address - low: the uop at which an instruction begins + 1; 0: none begins there. Addresses of
                      * short instructions of instruction sets that interwork are odd. */
    uint32_t *order; /* by uop: its place in line (order.h) */
    bool *waits;     /* and whether cores wait there for others that come before */
    uint32_t *variants; /* by instruction: of an environment call, the number of the first of its two others; else 0 */
};

/* NULL: err says why. The guest must outlive the program. */
struct guest_program *guest_translate(const struct guest *, struct rp_error *);
void guest_program_free(struct guest_program *);

/* The uop at which the instruction at `address` begins; UOP_NOWHERE: none does. */
static inline uint32_t guest_uop_at(const struct guest_program *p, uint32_t address)
{
    return address - p->low < p->high - p->low ? p->at[address - p->low] - 1 : UOP_NOWHERE;
}

/* Whether the uop stands for what is no instruction. */
static inline bool guest_is_unknown(const struct uop *u)
{
    return u->kind == UOP_TRAP && u->mode == GUEST_TRAP_UNKNOWN;
}

/* ---- for instruction sets ------------------------------------------------------------------------------------------
 */

/* What translating an instruction adds to. */
struct guest_build {
    struct arena *arena;
    const struct guest_program *program; /* what is translated so far: guest_uop_at */
    const struct guest_code *code;       /* the piece that is being translated */
    uint32_t end;                        /* where translating in a row ends at the latest */
    struct constants constants;
    VECTOR(struct operation) operations; /* targets of branches are addresses until all code is translated */
    VECTOR(struct rp_instruction) instructions;
    uint32_t pc;
    uint32_t first; /* the uop for whoever jumps to pc: the next one, unless the instruction set says another */
    bool is_short;  /* of instruction sets that interwork: the code is in the shorter encoding */
    uint8_t ahead;  /* as in struct guest_core */
    void *state;    /* what an instruction set keeps between instructions; zeroed where code begins */
    uint32_t scans; /* instructions that it has decoded ahead */
};

struct operand guest_constant(struct guest_build *, uint32_t value);
/* A temporary, from 0 on. */
struct operand guest_temporary(unsigned n);
/* Adds an operation of the instruction at hand. */
void guest_emit(struct guest_build *, struct operation);

#endif
