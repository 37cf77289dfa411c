/* The slices of a program, one for each of its loops (loops.h): the state that decides how a lane in the loop goes on.
 * Registers in it flow into branches, guards, barriers and the addresses of accesses of the loop; a load is in it if
 * its result is. Other values that a loop computes, such as an iteration count, do not help to end it; nor do values
 * that are read only before or after the loop. (Weiser, "Program Slicing", ICSE 1981, applied to each loop alone and
 * ignoring the order within it.)
 *
 * A lane that comes to an operation for the second time has executed only operations of that loop. All their addresses
 * and guards are in its slice, so two passes that begin with equal slices access the same addresses, and neither can
 * fault where the other did not. Values that stores leave in shared and local memory are in it as far as loads in a
 * slice may read them; watch.h takes care of global memory. */
#ifndef REPRISE_FRONTEND_CORE_SLICE_H
#define REPRISE_FRONTEND_CORE_SLICE_H

#include "frontend/core/program.h"

/* The part of a register window that is in a slice, whatever the function: a bit per 4 bytes. */
struct slice_words {
    uint64_t *bits;
    bool clock; /* a clock is in the slice: no state ever comes again */
};
struct slice_part {
    struct slice_words
        alone; /* when no slice in question includes the content of shared or local memory, or there is none */
    struct slice_words with_memory; /* when one of them does: values stored there are in this slice, too */
    bool memory; /* this slice includes memory; perhaps only because of generic addresses that turn out to be global */
};

struct slice {
    uint32_t *part_of; /* by uop; 0: not in a loop */
    struct slice_part *parts;
    uint64_t *bits;     /* of all parts */
    bool shared, local; /* slices with memory include the content of this memory */
    bool clock;         /* some part has a clock */
};

static inline bool slice_has(const struct slice_words *w, uint32_t word) { return w->bits[word / 64] >> word % 64 & 1; }

/* Needs checked operations and the register extent of the program: fills p->slice, and marks loads and atomics that are
 * in the slice of their loop with UF_SLICE. False: out of memory. */
bool slice_find(struct program *);

/* The same before registers have offsets. loop_of[i]: the loop of operation i, 1 to `loops`, or 0. words[r] tells in
 * which slices register number r < registers is; it is 0 on entry. scratch: SLICE_SCRATCH words. */
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
