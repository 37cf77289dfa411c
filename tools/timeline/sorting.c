#include "tools/timeline/sorting.h"

#define DIGIT_MOST 11 /* bits */

/* Distributes the list over another one by a digit of the keys, of so many bits. */
static void distribute(const uint64_t *from, uint64_t *to, uint32_t count, unsigned shift, unsigned bits)
{
    uint32_t begin[1u << DIGIT_MOST] = {0}, next = 0, last = (1u << bits) - 1;
    for (uint32_t i = 0; i < count; i++)
        begin[from[i] >> shift & last]++;
    for (uint32_t d = 0; d <= last; d++) {
        uint32_t size = begin[d];
        begin[d] = next;
        next += size;
    }
    for (uint32_t i = 0; i < count; i++)
        to[begin[from[i] >> shift & last]++] = from[i];
}

uint64_t *sort_keyed(uint64_t *list, uint64_t *spare, uint32_t count)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= keyed_key(list[i]);
    unsigned bits = all ? 64 - (unsigned)__builtin_clzll(all) : 0, passes = (bits + DIGIT_MOST - 1) / DIGIT_MOST;
    unsigned digit = passes ? (bits + passes - 1) / passes : 0;
    for (unsigned pass = 0; pass < passes; pass++) {
        distribute(list, spare, count, KEYED_BITS + pass * digit, digit);
        uint64_t *sorted = spare;
        spare = list;
        list = sorted;
    }
    return list;
}
