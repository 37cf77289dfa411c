/* Numbers in few bytes. A byte has seven bits of a number, the lowest first; all bytes but the last have the top bit
 * set. In a row of numbers each 0 is followed by the number of further zeros. A text follows its length. */
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

/* Makes room for `more` bytes, so that later calls allocate nothing. False: out of memory. */
bool packed_reserve(struct packed *, size_t more);
void packed_put(struct packed *, uint64_t);
void packed_put_row(struct packed *, const uint64_t *words, size_t count); /* needs room for PACKED_MOST bytes each */
void packed_put_text(struct packed *, const char *); /* needs room for PACKED_MOST bytes and the text */

/* Reads any bytes. If they are not of the expected form, `damaged` is set, and everything after is read as 0. */
struct packed_reader {
    const uint8_t *bytes;
    size_t size, at;
    bool damaged;
};
uint64_t packed_get(struct packed_reader *);
void packed_get_row(struct packed_reader *, uint64_t *words, size_t count);
/* Reads a text shorter than `room`, without a NUL in it. */
void packed_get_text(struct packed_reader *, char *text, size_t room);

#endif
