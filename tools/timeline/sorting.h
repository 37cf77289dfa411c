/* Sorts numbers by keys, a digit at a time: for lists of a million, in a few passes. */
#ifndef REPRISE_TOOLS_TIMELINE_SORTING_H
#define REPRISE_TOOLS_TIMELINE_SORTING_H

#include <stdint.h>

struct keyed {
    uint64_t key;
    uint32_t number;
};

/* By key; equal keys stay in their order. `spare` has room for as many, and is overwritten. */
void sort_keyed(struct keyed *list, struct keyed *spare, uint32_t count);

#endif
