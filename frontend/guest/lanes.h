/* What the lock-step engine does to 32 cores at once. */
#ifndef REPRISE_FRONTEND_GUEST_LANES_H
#define REPRISE_FRONTEND_GUEST_LANES_H

#include "frontend/core/lanes/simd.h"
#include "frontend/guest/machine.h"
#include "frontend/guest/program.h"
#include "frontend/guest/stacks.h"
#include "frontend/operation/warp.h"

struct guest_observer;
struct guest_changes;

#define GUEST_TURNS 64 /* words of memory whose turns are kept apart */

/* 32 neighbouring cores. Lane handlers see the warp, which is therefore the first member. */
struct guest_group {
    struct warp w; /* w.live: the cores that have not exited */
    struct guest_machine *machine;
    const struct guest_program *program;
    uint32_t first;                        /* core of lane 0 */
    bool compares;                         /* guest_compare_stores */
    struct guest_changes *changes;         /* while it compares (changes.h) */
    const struct guest_observer *observer; /* is told of accesses; NULL: nobody is */
    struct guest_stacks stacks;
    uint64_t in_place; /* by guest_place_bit: the registers by which an access to stacks has found all lanes at one
                        * place, in the straight line of uops that is being executed (places.h) */
    uint8_t turn[GUEST_TURNS]; /* by word: the lane that comes first in its next atomic access by several lanes */
    bool stored;               /* memory has changed since somebody cleared this */
    bool failed;               /* an access was not made; machine->err says why */
};

/* The lanes in which compare(a, b) holds, of registers of 32 bits. */
typedef lanemask (*guest_compare_fn)(const uint32_t *a, const uint32_t *b);
SIMD_DECLARE(guest_compare_fn, guest_compare, (unsigned compare))

/* The elements of an array that are `wanted`. */
SIMD_DECLARE(lanemask, guest_find, (const uint32_t at[RP_WARP_LANES], uint32_t wanted))
/* Adds to the counts of these lanes. */
SIMD_DECLARE(void, guest_add_few, (uint32_t count[RP_WARP_LANES], lanemask, uint32_t))
SIMD_DECLARE(void, guest_add, (uint64_t count[RP_WARP_LANES], lanemask, uint64_t))

/* Logs the accesses that an instruction would still have made after its uop `failed`: the trace has all of an executed
 * instruction. */
void guest_log_rest(struct guest_group *, const struct uop *failed);

/* The handler of a UOP_LANE that ends the reservations of its lanes. */
void guest_drop_reservations(struct warp *, const struct uop *, lanemask);

/* Whether plain stores compare what they store with what memory has: if it has it, they do not set `stored`; what they
 * change in the core's own stack is remembered. They take longer then. Not where an observer is told. */
void guest_compare_stores(struct guest_group *, bool);

/* Logs an access, if the run is recorded. */
void guest_log_access(const struct guest_group *, const struct uop *, lanemask, const struct lane_addresses *);
/* The handlers of all plain accesses: of an element, and of lists of words. */
void guest_access(struct warp *, const struct uop *, lanemask);
void guest_access_list(struct warp *, const struct uop *, lanemask);

/* Chooses the handler of a UOP_MEMORY, and what it calls. */
struct memory_descriptor;
void guest_prepare_access(struct uop *, struct memory_descriptor *);
/* Chooses the handler of a plain access whose place an access before has found: `in_place` has the bit of its address
 * register then. */
void guest_prepare_known_access(struct uop *);
/* The number of a register's bit; that of what is no register is another's. */
static inline unsigned guest_place_bit(struct operand o) { return o.at / (4 * RP_WARP_LANES) % 64; }

/* The state of the core of a lane, as environment calls and reports need it. */
static inline struct guest_core *guest_lane_core(const struct guest_group *g, unsigned lane)
{
    return &g->machine->core[g->first + lane];
}

#endif
