/* A growing byte buffer with the protobuf varint encodings (protobuf.dev/programming-guides/encoding). Running out of
 * memory sets `failed`, after which everything appended is dropped: check it once, at the end. */
#ifndef REPRISE_TRACEFMT_BUFFER_H
#define REPRISE_TRACEFMT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

bool buffer_reserve(struct buffer *, size_t more); /* room for `more` bytes behind size */
void buffer_append(struct buffer *, const void *data, size_t size);
void buffer_free(struct buffer *);

/* The groups of 7 bits of a value below 2^56, each in a byte. */
static inline uint64_t varint_groups(uint64_t x)
{
    x = (x & 0x000000000fffffff) | (x & 0x00fffffff0000000) << 4;
    x = (x & 0x00003fff00003fff) | (x & 0x0fffc0000fffc000) << 2;
    return (x & 0x007f007f007f007f) | (x & 0x3f803f803f803f80) << 1;
}

#define VARINT_BYTES 10 /* at most */

/* Writes 8 bytes, the lowest first. */
static inline void put_little_endian(uint8_t *at, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &value, sizeof value); /* of single bytes, compilers do not always make one store */
#else
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
#endif
}

/* Writes a value below 2^56 to where there is room for 8 bytes, without a branch on its length. Returns what is behind
 * it. */
static inline uint8_t *varint_put_short(uint8_t *at, uint64_t value)
{
    const unsigned last = (unsigned)(63 - __builtin_clzll(value | 1)) / 7; /* of its bytes, from 0 on */
    put_little_endian(at, varint_groups(value) | (0x8080808080808080 & ((UINT64_C(1) << 8 * last) - 1)));
    return at + last + 1;
}

/* Writes a value to where there is room for VARINT_BYTES. Returns what is behind it. Lengths are hard to predict:
 * values of 2 to 8 bytes are written without a branch on them. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
    if (value >= 0x80 && value < UINT64_C(1) << 56)
        return varint_put_short(at, value);
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* The same, for values of one or two bytes mostly: no branch on which. */
static inline uint8_t *varint_put_pair(uint8_t *at, uint64_t value)
{
    if (value >= 0x4000)
        return varint_put(at, value);
    const unsigned two = value >= 0x80;
    at[0] = (uint8_t)((value & 0x7f) | two << 7);
    at[1] = (uint8_t)(value >> 7);
    return at + 1 + two;
}

static inline uint64_t zigzag_encode(uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }

static inline void buffer_varint(struct buffer *b, uint64_t value)
{
    if (b->capacity - b->size >= VARINT_BYTES || buffer_reserve(b, VARINT_BYTES))
        b->size = (size_t)(varint_put(b->data + b->size, value) - b->data);
}

/* A signed value, given modulo 2^64, so that small ones of either sign are short. */
static inline void buffer_zigzag(struct buffer *b, uint64_t value) { buffer_varint(b, zigzag_encode(value)); }

#endif
