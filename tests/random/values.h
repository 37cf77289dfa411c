/* The values that random programs begin with. */
#ifndef REPRISE_TESTS_RANDOM_VALUES_H
#define REPRISE_TESTS_RANDOM_VALUES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Random words, small numbers, and bits at which integers and floats turn over. */
static inline void random_values(uint32_t *to, unsigned count)
{
    static const uint32_t corners[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x80000001,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000, 0x00000001,
                                       0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x5f000000,
                                       0x0000ffff, 0x00008000, 0x000000ff, 0x00000080, 0x7ff00000, 0x43e00000};
    uint64_t state = 2026;
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = splitmix64(&state);
        uint32_t kind = x >> 61, word = (uint32_t)x;
        float f = (float)(int32_t)word / 1e6f;
        if (kind < 2)
            to[i] = corners[word % (sizeof corners / sizeof *corners)];
        else if (kind < 4)
            to[i] = word % 100;
        else if (kind < 6)
            memcpy(&to[i], &f, sizeof f);
        else
            to[i] = word;
    }
}

#endif
