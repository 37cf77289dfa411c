/* The stacks of 32 cores, as the lock-step engine accesses them: each core its own, mostly all of them at one place.
 * The words of a place lie side by side in the host's memory (memory.h): a row. An access that is not aligned touches
 * two rows. */
#ifndef REPRISE_FRONTEND_GUEST_STACKS_H
#define REPRISE_FRONTEND_GUEST_STACKS_H

#include "frontend/core/lanes/simd.h"
#include "frontend/operation/warp.h"
#include "tracefmt/trace.h"

struct lane_addresses;

/* The stacks of a group. */
struct guest_stacks {
    uint32_t low;                 /* the lowest address of lane 0's */
    uint32_t pitch;               /* how much lower that of the next lane is */
    uint32_t bytes;               /* of each */
    uint8_t *host;                /* where the host has them all */
    uint32_t down[RP_WARP_LANES]; /* how much lower that of each lane is */
};

struct guest_memory;
/* Those of 32 cores from `first` on. */
void guest_set_stacks(struct guest_stacks *, const struct guest_memory *, uint32_t first);

/* How far above the lowest address of its own stack each lane accesses. Lanes that do not execute are where the lowest
 * one is that does. */
struct guest_offsets {
    uint32_t at[RP_WARP_LANES] __attribute__((aligned(64)));
    bool same;  /* all are at one place */
    bool split; /* some lane's element lies in two words */
};

/* Whether each lane that executes accesses `bytes` of its own stack, in elements of `width`. */
SIMD_DECLARE(bool, guest_find_in_stacks,
             (struct guest_offsets *, const struct lane_addresses *, const struct guest_stacks *, uint32_t bytes,
              uint32_t width, lanemask executed))
/* Elements of 1, 2 or 4 bytes, `beyond` bytes above the offsets: a multiple of 4. */
SIMD_DECLARE(void, guest_load_stacks,
             (uint32_t * d, const struct guest_offsets *, const struct guest_stacks *, uint32_t beyond, uint32_t width,
              bool sign, lanemask executed))
SIMD_DECLARE(void, guest_store_stacks,
             (const uint32_t *from, const struct guest_offsets *, const struct guest_stacks *, uint32_t beyond,
              uint32_t width, lanemask executed))

/* The handlers of plain accesses of one element, and of lists of words. They make accesses of 32 cores to their stacks;
 * of lists, those to one place. All others are for guest_access and guest_access_list (access.c). `known`: an access
 * before may have found that they are to one place (places.h). op: GUEST_PLAIN_ACCESS, GUEST_MOVING_ACCESS. */
SIMD_DECLARE(uop_fn, guest_access_handler, (unsigned op, bool store, unsigned width, bool sign, bool known))
SIMD_DECLARE(uop_fn, guest_list_handler, (bool store, bool known))

#endif
