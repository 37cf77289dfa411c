/* A growing byte buffer with the protobuf varint encodings (protobuf.dev/programming-guides/encoding). Running out of
 * memory sets `failed`, after which everything appended is dropped: check it once, at the end. */
#ifndef REPRISE_TRACEFMT_BUFFER_H
#define REPRISE_TRACEFMT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

bool buffer_reserve(struct buffer *, size_t more); /* room for `more` bytes behind size */
void buffer_append(struct buffer *, const void *data, size_t size);
void buffer_free(struct buffer *);

static inline void buffer_varint(struct buffer *b, uint64_t value)
{
    if (b->capacity - b->size < 10 && !buffer_reserve(b, 10))
        return;
    uint8_t *at = b->data + b->size;
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    b->size = (size_t)(at - b->data);
}

/* A signed value, given modulo 2^64, so that small ones of either sign are short. */
static inline void buffer_zigzag(struct buffer *b, uint64_t value)
{
    buffer_varint(b, value << 1 ^ (0 - (value >> 63)));
}

#endif
