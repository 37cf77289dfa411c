/* Numbers in few bytes: seven bits to a byte, the least first, the last byte without the top bit. In a row of numbers a
 * 0 stands for itself and is followed by how many more zeros there are. Texts have their length before them. */
#ifndef REPRISE_TOOLS_RESULTS_PACKED_H
#define REPRISE_TOOLS_RESULTS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_MOST 10 /* bytes of a number */

struct packed {
    uint8_t *bytes; /* allocated */
    size_t size, room;
};

/* Room for `more` bytes; what follows asks for none. False: out of memory. */
bool packed_reserve(struct packed *, size_t more);
void packed_put(struct packed *, uint64_t);
void packed_put_row(struct packed *, const uint64_t *words, size_t count); /* at most PACKED_MOST bytes for each */
void packed_put_text(struct packed *, const char *);                       /* PACKED_MOST and its length */

/* Reads bytes that may be anything. Once they do not read as what is asked for, `damaged` is set, and all that follows
 * is 0. */
struct packed_reader {
    const uint8_t *bytes;
    size_t size, at;
    bool damaged;
};
uint64_t packed_get(struct packed_reader *);
void packed_get_row(struct packed_reader *, uint64_t *words, size_t count);
/* A text of less than `room` bytes without NUL. */
void packed_get_text(struct packed_reader *, char *text, size_t room);

#endif
