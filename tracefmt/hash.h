/* A fast non-cryptographic hash for hash tables and for rp_pattern.hash: multiply and fold, word by word. */
#ifndef REPRISE_TRACEFMT_HASH_H
#define REPRISE_TRACEFMT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
    /* the odd constant is 2^64 / golden ratio (Knuth, TAOCP 3, 6.4) */
    uint64_t x = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *p = data;
    uint64_t word = 0;
    for (; size >= 8; p += 8, size -= 8) {
        memcpy(&word, p, 8);
        hash = hash_word(hash, word);
    }
    word = 0;
    if (size)
        memcpy(&word, p, size);
    return hash_word(hash, word ^ (uint64_t)size << 56);
}

#endif
