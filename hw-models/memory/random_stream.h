/* Random streams: a random number is computed from its consumer (batch, launch, block, warp, access), not from how many
 * numbers were taken before.
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC
 * 2011): ten rounds that turn a counter of 128 bits and a key of 64 into 128 random bits. Each warp of each batch has a
 * stream, whose key is computed from the seed and from batch, launch, block and warp. Within the stream, a number
 * depends on its index in the warp and on the transaction. So it is the same in whatever order warps issue, on any
 * machine, with any engine and number of threads.
 */
#ifndef REPRISE_HW_MODELS_RANDOM_STREAM_H
#define REPRISE_HW_MODELS_RANDOM_STREAM_H

#include <stdint.h>

struct random_bits {
    uint64_t word[2];
};

static inline struct random_bits random_philox(uint64_t key, uint64_t low, uint64_t high)
{
    uint32_t c0 = (uint32_t)low, c1 = (uint32_t)(low >> 32), c2 = (uint32_t)high, c3 = (uint32_t)(high >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (unsigned round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53u * c0, b = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return (struct random_bits){{c0 | (uint64_t)c1 << 32, c2 | (uint64_t)c3 << 32}};
}

/* The key of a warp's stream; `warp`: its number in the block, less than 64. */
static inline uint64_t random_stream(uint64_t seed, uint32_t batch, uint32_t launch, uint64_t block, unsigned warp)
{
    return random_philox(seed, block * 64 + warp, launch | (uint64_t)batch << 32).word[0];
}

/* The numbers 2 × pair and 2 × pair + 1 of the stream. */
static inline struct random_bits random_pair(uint64_t stream, uint64_t pair, uint32_t transaction)
{
    return random_philox(stream, pair, transaction);
}

/* Uniform in 0 .. 2^63 - 1. */
static inline uint64_t random_number(uint64_t stream, uint64_t number, uint32_t transaction)
{
    return random_pair(stream, number / 2, transaction).word[number % 2] >> 1;
}

#endif
