/* Which of 2^n sets of a cache, or slices of L2, a line belongs to. The hash computes the n bits of the index from the
 * number of the line.
 *
 *     none:  the lowest bits.
 *     xor:   all groups of n bits, exclusive-ored.
 *     ipoly: the number as a polynomial over GF(2), modulo a primitive polynomial of degree n (Rau, "Pseudo-randomly
 *            Interleaved Memory", ISCA 1991): strides that are powers of two are spread over all indices evenly.
 */
#ifndef REPRISE_HW_MODELS_SET_HASH_H
#define REPRISE_HW_MODELS_SET_HASH_H

#include <stdbool.h>
#include <stdint.h>

enum { SET_HASH_NONE, SET_HASH_XOR, SET_HASH_IPOLY };
#define SET_HASH_MOST_BITS 16u

struct set_hash {
    unsigned kind, bits; /* 2^bits indices */
    uint64_t mask;
    uint64_t taps[SET_HASH_MOST_BITS]; /* ipoly: the number's bits whose parity is this bit of the index */
};

/* Primitive polynomials of degree 1 to 16, without their highest term (Peterson, Weldon, "Error-Correcting Codes"). */
static inline void set_hash_begin(struct set_hash *h, unsigned kind, unsigned bits)
{
    static const uint32_t polynomials[SET_HASH_MOST_BITS + 1] = {
        0, 1, 3, 3, 3, 5, 3, 3, 0x1d, 0x11, 0x09, 0x05, 0x53, 0x1b, 0x443, 0x003, 0x100b};
    *h = (struct set_hash){.kind = bits ? kind : SET_HASH_NONE, .bits = bits, .mask = (1ull << bits) - 1};
    uint32_t power = 1; /* x^n modulo the polynomial */
    for (unsigned n = 0; bits && n < 64; n++) {
        for (unsigned i = 0; i < bits; i++)
            h->taps[i] |= (uint64_t)(power >> i & 1) << n;
        bool carry = power >> (bits - 1) & 1;
        power = (power << 1 & (uint32_t)h->mask) ^ (carry ? polynomials[bits] : 0);
    }
}

static inline uint32_t set_hash(const struct set_hash *h, uint64_t number)
{
    uint64_t index = number & h->mask;
    if (h->kind == SET_HASH_NONE)
        return (uint32_t)index;
    if (h->kind == SET_HASH_XOR) {
        for (uint64_t rest = number >> h->bits; rest; rest >>= h->bits)
            index ^= rest & h->mask;
        return (uint32_t)index;
    }
    index = 0;
    for (unsigned i = 0; i < h->bits; i++)
        index |= (uint64_t)__builtin_parityll(number & h->taps[i]) << i;
    return (uint32_t)index;
}

#endif
