/* Sorts numbers by keys, a digit at a time: for lists of a million, in a few passes. */
#ifndef REPRISE_TOOLS_TIMELINE_SORTING_H
#define REPRISE_TOOLS_TIMELINE_SORTING_H

#include <stdint.h>

/* A number and its key in a word, so that less memory is passed over. */
#define KEYED_BITS 20 /* of the number; the key has the others */
#define KEYED_KEY_MOST (UINT64_MAX >> KEYED_BITS)

static inline uint64_t keyed(uint64_t key, uint32_t number) { return key << KEYED_BITS | number; }
static inline uint64_t keyed_key(uint64_t word) { return word >> KEYED_BITS; }
static inline uint32_t keyed_number(uint64_t word) { return (uint32_t)word & ((1u << KEYED_BITS) - 1); }

/* By key; equal keys stay in their order. Both lists have `count` elements, and both are overwritten: returns the one
 * that is sorted. */
uint64_t *sort_keyed(uint64_t *list, uint64_t *spare, uint32_t count);

#endif
