/* Numbers as people write them on the command line and in launch files. */
#ifndef REPRISE_TOOLS_LIB_NUMBER_H
#define REPRISE_TOOLS_LIB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* Reads a whole number from 0 to `most`, decimal or 0x hexadecimal, that is all of the text. `what`: its name in
 * messages. Errors are RP_USAGE. */
bool read_number(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *);
/* The same, optionally with a suffix K, M or G, or k, m or g: 2^10, 2^20, 2^30. */
bool read_size(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *);
/* A size, or a number with a fraction or an exponent. False: the text is no number. */
bool read_size_or_real(const char *text, double *value);
/* Reads a block of a grid: its linear index, x fastest, or its coordinates, "3,1" or "3x1". It must be within the grid.
 */
bool read_block(const char *text, const uint32_t grid[3], uint64_t *index, struct rp_error *);
/* Reads two whole numbers, "1..4". False: the text has another form. */
bool read_range(const char *text, long long *from, long long *to);

#endif
