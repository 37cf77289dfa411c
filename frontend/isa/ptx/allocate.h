/* Registers of one function: liveness, and slots in the register window.
 *
 * Lanes are independent and every write is masked by the lanes that execute, so the liveness of a sequential program
 * holds lane by lane. A register's live range is the hull of its live stretches over the operations in order. Ranges
 * that do not overlap may share a slot, and each takes the first one that fits (linear scan: Poletto and Sarkar,
 * "Linear scan register allocation", 1999). A write under a guard ends no live range, because the old value may stay
 * alive in some lanes.
 *
 * In functions with loops, registers in the slice (frontend/core/slice.h) and others never share a slot.
 *
 * Handlers may read and write the same slot lane by lane. So a result may take the slot of a source that dies there, if
 * both have one size and the operation has no other result. Otherwise results and sources of an operation have
 * different slots. */
#ifndef REPRISE_FRONTEND_ISA_PTX_ALLOCATE_H
#define REPRISE_FRONTEND_ISA_PTX_ALLOCATE_H

#include "frontend/module/arena.h"
#include "frontend/operation/uop.h"

/* Blocks of operations in order: block b is [start[b], start[b + 1]); its predecessors are preds[pred_start[b] ..]. */
struct flow {
    uint32_t count;
    const uint32_t *start, *pred_start, *preds;
};

/* A place in the code that names a register. `at` is a point. Each operation has two points: sources are at the first,
 * and results that may share a source's slot are at the second. */
struct mention {
    uint32_t at;
    bool writes, kills;
    bool alive; /* the register's value is needed behind this place; not of temporaries */
};

/* Constants are registers that are set once, to a number or by a load from a known address of constant memory or of the
 * kernel's parameters, and that are no addresses: machine code has them as operands and keeps no register for them. */
struct allocation {
    uint32_t *offset;      /* by register, bytes in the window */
    uint32_t window_bytes; /* a multiple of 64 */
    uint32_t pressure;     /* the most 32-bit registers that are live at once; predicates and constants do not count */
    /* By instruction, counted from the instruction of the first operation; temporaries do not count. */
    uint32_t live_count;
    struct rp_live *live;
    uint32_t *kept; /* 32-bit registers that are live after the instruction, without constants */
    /* By register: its mentions, in the order of operations: mentions[mention_start[r]] up to mention_start[r + 1] */
    const uint32_t *mention_start;
    const struct mention *mentions;
    uint8_t *units; /* by register: 32-bit registers that it takes; 0 for predicates and constants */
};

/* Operations [0, flow->start[flow->count]) name register r by OPERAND_REGISTER(r). element[r]: bytes of r's elements, 0
 * for a predicate. A register from first_temporary on is written whole, under the guard of its uses, before they read
 * it. */
void allocate_registers(struct arena *, struct operation *operations, const struct flow *, const uint8_t *element,
                        uint32_t registers, uint32_t first_temporary, struct allocation *);
/* Replaces register numbers in operands by offsets. */
void place_registers(struct operation *operations, uint32_t count, const struct allocation *);

/* Calls visit for every register operand of u, sources first. */
void each_register(struct operation *u, void (*visit)(void *, struct operand *, bool is_destination), void *data);

#endif
