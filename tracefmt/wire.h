/* Reads the protobuf wire format (protobuf.dev/programming-guides/encoding) in place, without copies. Only the hot
 * message, Chunk, is read this way; protobuf-c reads all others. */
#ifndef REPRISE_TRACEFMT_WIRE_H
#define REPRISE_TRACEFMT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes not yet read. */
struct span {
    const uint8_t *at, *end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };
struct wire_field {
    uint32_t number;
    uint32_t type; /* enum wire_type */
    uint64_t value;
    struct span body; /* WIRE_BYTES */
};

/* A varint that is not longer than eight bytes, read without a branch on its length, which is unpredictable. At least
 * eight bytes must be readable. False: it is longer. */
static inline bool span_short_varint(struct span *s, uint64_t *value)
{
    uint64_t v;
    memcpy(&v, s->at, sizeof v);
    uint64_t last = ~v & 0x8080808080808080u; /* the bytes that end a varint */
    if (!last)
        return false;
    s->at += __builtin_ctzll(last) / 8 + 1;
    v &= (last ^ (last - 1)) &
         0x7f7f7f7f7f7f7f7fu; /* keeps seven bits of each byte up to the first that ends a varint */
    v = (v & 0x007f007f007f007fu) | (v & 0x7f007f007f007f00u) >> 1;
    v = (v & 0x00003fff00003fffu) | (v & 0x3fff00003fff0000u) >> 2;
    *value = (v & 0x000000000fffffffu) | (v & 0x0fffffff00000000u) >> 4;
    return true;
}

/* False: the span ends within the value, or the value has more than 64 bits. */
static inline bool span_varint(struct span *s, uint64_t *value)
{
    if (s->at < s->end && *s->at < 0x80) {
        *value = *s->at++;
        return true;
    }
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (little && s->end - s->at >= 8 && span_short_varint(s, value))
        return true;
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && s->at < s->end; shift += 7) {
        uint64_t byte = *s->at++;
        if (shift == 63 && byte > 1)
            return false;
        result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return true;
        }
    }
    return false;
}

static inline uint64_t zigzag_decode(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

/* The number of varints that end in the span. */
static inline size_t span_count(struct span s)
{
    size_t count = 0;
    for (const uint8_t *p = s.at; p < s.end; p++)
        count += *p < 0x80;
    return count;
}

/* The next field of a message. False: damaged. Call while s->at < s->end. */
static inline bool span_field(struct span *s, struct wire_field *f)
{
    uint64_t tag;
    if (!span_varint(s, &tag) || tag >> 3 == 0 || tag >> 32)
        return false;
    f->number = (uint32_t)(tag >> 3);
    f->type = tag & 7;
    if (f->type == WIRE_VARINT)
        return span_varint(s, &f->value);
    if (f->type == WIRE_BYTES) {
        if (!span_varint(s, &f->value) || f->value > (uint64_t)(s->end - s->at))
            return false;
    } else if (f->type == WIRE_FIXED64 || f->type == WIRE_FIXED32) {
        f->value = f->type == WIRE_FIXED64 ? 8 : 4;
        if (f->value > (uint64_t)(s->end - s->at))
            return false;
    } else {
        return false;
    }
    f->body = (struct span){s->at, s->at + f->value};
    s->at += f->value;
    return true;
}

#endif
