/* The slices of a program, one for each of its loops (loops.h): what decides how a lane that is in the loop goes on.
 * Registers in it flow into branches, guards, barriers and the addresses of accesses of the loop; a load is in it if
 * its result is. What else a loop computes, such as how often it has gone round, does not bring it to its end; nor does
 * what is read only before the loop, or behind it. (Weiser, "Program Slicing", ICSE 1981, of a loop for itself, without
 * regard to order within it.)
 *
 * Whoever is at an operation for the second time has carried out that loop's operations alone. All their addresses and
 * guards are in its slice, so two passes that begin with equal slices access the same places, and none of them can
 * fault where the other did not. The values that stores leave in shared and local memory are in it as far as loads in a
 * slice may read them; of those in global memory watch.h takes care. */
#ifndef REPRISE_FRONTEND_CORE_SLICE_H
#define REPRISE_FRONTEND_CORE_SLICE_H

#include "frontend/core/program.h"

/* What of a window is in a slice, whatever its function: a bit for 4 bytes. */
struct slice_words {
    uint64_t *bits;
    bool clock; /* a clock is: nothing ever comes again */
};
struct slice_part {
    struct slice_words alone; /* where no slice at hand has the content of shared or local memory, or none is there */
    struct slice_words with_memory; /* and where one has: what is stored there is in it as well */
    bool memory;                    /* this one has; it may be for generic addresses that are global ones */
};

struct slice {
    uint32_t *part_of; /* by uop; 0: in no loop */
    struct slice_part *parts;
    uint64_t *bits;     /* of all parts */
    bool shared, local; /* a slice with memory has the content of that memory */
    bool clock;         /* some part has a clock */
};

static inline bool slice_has(const struct slice_words *w, uint32_t word) { return w->bits[word / 64] >> word % 64 & 1; }

/* Of a program whose operations are checked and whose extent is known: fills p->slice and marks loads and atomics in
 * the slice of their loop with UF_SLICE. False: no memory. */
bool slice_find(struct program *);

/* The same before registers have places. loop_of[i]: of operation i, 0 or a number up to `loops`; words[r] says of each
 * number r < registers in which slices it is; it is 0 at first. scratch: SLICE_SCRATCH words. */
struct slice_numbers {
    struct operation *operations;
    uint32_t count;
    const uint32_t *loop_of;
    uint32_t loops, registers;
};
#define SLICE_SCRATCH(count, loops, registers) ((size_t)(count) + (loops) + 2 + (registers) / 4 + 1)
enum { SLICE_WITH_MEMORY = 1, SLICE_ALONE = 2 };
void slice_of_numbers(const struct slice_numbers *, uint8_t *words, uint32_t *scratch);
void slice_free(struct slice *);

#endif
