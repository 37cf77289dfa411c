/* Protobuf's wire format (protobuf.dev/programming-guides/encoding), written to a file through a buffer.
 *
 * Written here, not by protobuf-c: a replay writes several messages for each instruction, and each has a handful of
 * numbers. A message is put together in the buffer: make room, open it, put its fields, close it.
 */
#ifndef REPRISE_TOOLS_TIMELINE_WIRE_H
#define REPRISE_TOOLS_TIMELINE_WIRE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WIRE_BUFFER 65536
#define WIRE_TEXT 1000 /* bytes; longer texts are cut */
#define WIRE_MOST 2048 /* bytes of the largest message: a text, and what is around it */

struct wire {
    FILE *to;       /* errors stay in it */
    uint64_t bytes; /* given to the file */
    uint8_t *at;    /* where the next byte goes */
    uint8_t buffer[WIRE_BUFFER];
};

static inline void wire_begin(struct wire *w, FILE *to)
{
    w->to = to;
    w->bytes = 0;
    w->at = w->buffer;
}

/* Gives to the file what is in the buffer. */
static inline void wire_flush(struct wire *w)
{
    w->bytes += fwrite(w->buffer, 1, (size_t)(w->at - w->buffer), w->to);
    w->at = w->buffer;
}

/* Before each outermost message. */
static inline void wire_room(struct wire *w)
{
    if (w->at > w->buffer + WIRE_BUFFER - WIRE_MOST)
        wire_flush(w);
}

/* The functions below write at a place and return the one behind. */

static inline uint8_t *wire_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
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

#endif
