#include "tools/timeline/sorting.h"

#include <string.h>

#define DIGIT 11 /* bits */
#define DIGITS (1u << DIGIT)

/* Distributes the list over another one by a digit of the keys less `least`. */
static void distribute(const struct keyed *from, struct keyed *to, uint32_t count, uint64_t least, unsigned shift)
{
    uint32_t begin[DIGITS] = {0}, next = 0;
    for (uint32_t i = 0; i < count; i++)
        begin[(from[i].key - least) >> shift & (DIGITS - 1)]++;
    for (uint32_t d = 0; d < DIGITS; d++) {
        uint32_t size = begin[d];
        begin[d] = next;
        next += size;
    }
    for (uint32_t i = 0; i < count; i++)
        to[begin[(from[i].key - least) >> shift & (DIGITS - 1)]++] = from[i];
}

void sort_keyed(struct keyed *list, struct keyed *spare, uint32_t count)
{
    uint64_t least = UINT64_MAX, most = 0;
    struct keyed *from = list, *to = spare;
    for (uint32_t i = 0; i < count; i++) {
        least = list[i].key < least ? list[i].key : least;
        most = list[i].key > most ? list[i].key : most;
    }
    for (unsigned shift = 0; count && shift < 64 && (most - least) >> shift; shift += DIGIT) {
        struct keyed *sorted = to;
        distribute(from, to, count, least, shift);
        to = from;
        from = sorted;
    }
    if (from != list)
        memcpy(list, from, count * sizeof *list);
}
