/* The slice of a program: what decides how a loop that waits goes on. Registers in it flow into branches, guards,
 * barriers and the addresses of accesses; a load is in it if its result is. What else a loop computes, such as how
 * often it has gone round, does not bring it to its end. (Weiser, "Program Slicing", ICSE 1981, without regard to
 * order.)
 *
 * All addresses and guards are in the slice, so two passes that begin with equal slices access the same places, and
 * none of them can fault where the other did not. The values that stores leave in shared and local memory are in it as
 * far as loads in the slice may read them; of those in global memory watch.h takes care. */
#ifndef REPRISE_FRONTEND_CORE_SLICE_H
#define REPRISE_FRONTEND_CORE_SLICE_H

#include "frontend/core/program.h"

struct slice {
    uint8_t *words; /* of each window, whatever its function, 4 bytes each: not 0 if in the slice; register_extent / 4
                       of them */
    bool shared, local; /* the memory's content is */
    bool clock;         /* a clock is: nothing ever comes again */
};

/* Of a program whose operations are checked and whose extent is known: fills p->slice and marks loads and atomics in
 * the slice with UF_SLICE. False: no memory. */
bool slice_find(struct program *);
/* The same before registers have places: words[r] is set for each number r < registers in the slice; it is 0 at first.
 */
void slice_of_numbers(struct operation *, uint32_t count, uint32_t registers, uint8_t *words);
void slice_free(struct slice *);

#endif
