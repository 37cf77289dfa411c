/* Protobuf's wire format (protobuf.dev/programming-guides/encoding), written into a buffer.
 *
 * Written here, not by protobuf-c: a replay writes several messages for each instruction, and each has a handful of
 * numbers. A message is put together in its place: open it, put its fields, close it.
 */
#ifndef REPRISE_TOOLS_TIMELINE_WIRE_H
#define REPRISE_TOOLS_TIMELINE_WIRE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define WIRE_TEXT 1000 /* bytes; longer texts are cut */
#define WIRE_SLACK 8   /* bytes behind a message that may be overwritten */

/* The functions below write at a place and return the one behind. They may overwrite WIRE_SLACK bytes there. */

/* Seven bits in each byte, the lowest first; all but the last have the bit above. */
static inline uint8_t *wire_varint(uint8_t *at, uint64_t value)
{
    if (value < 0x80) {
        *at = (uint8_t)value;
        return at + 1;
    }
    if (value < 0x4000) {
        at[0] = (uint8_t)(value | 0x80);
        at[1] = (uint8_t)(value >> 7);
        return at + 2;
    }
    while (value >> 56) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    /* halves of 28 bits to the halves of the word, quarters of 14, and so on */
    unsigned before_last = (63 - (unsigned)__builtin_clzll(value)) / 7;
    value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
    value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
    value = (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
    value = htole64(value | (0x8080808080808080 & ((UINT64_C(1) << 8 * before_last) - 1)));
    memcpy(at, &value, sizeof value);
    return at + before_last + 1;
}

static inline uint8_t *wire_number(uint8_t *at, unsigned field, uint64_t value)
{
    return wire_varint(wire_varint(at, field << 3 | 0), value);
}

/* The text ends where a character of UTF-8 does. */
static inline uint8_t *wire_text(uint8_t *at, unsigned field, const char *text)
{
    size_t size = strlen(text);
    if (size > WIRE_TEXT)
        for (size = WIRE_TEXT; ((unsigned char)text[size] & 0xc0) == 0x80;)
            size--;
    at = wire_varint(wire_varint(at, field << 3 | 2), size);
    memcpy(at, text, size);
    return at + size;
}

/* Fields of the message follow, up to wire_close, which is given what wire_open has returned. */
static inline uint8_t *wire_open(uint8_t *at, unsigned field) { return wire_varint(at, field << 3 | 2) + 1; }

static inline uint8_t *wire_close(uint8_t *begin, uint8_t *at)
{
    size_t size = (size_t)(at - begin);
    if (size >= 0x80) { /* one byte was left for the size: most messages are small */
        memmove(begin + 1, begin, size);
        at++;
    }
    wire_varint(begin - 1, size);
    return at;
}

/* The same for a message of less than 128 bytes. */
static inline uint8_t *wire_close_short(uint8_t *begin, uint8_t *at)
{
    begin[-1] = (uint8_t)(at - begin);
    return at;
}

#endif
