/* Numbers as people write them on the command line and in launch files. */
#ifndef REPRISE_TOOLS_LIB_NUMBER_H
#define REPRISE_TOOLS_LIB_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* A number from 0 to most, decimal or 0x hexadecimal, all of the text; `what` it is for messages. Errors are RP_USAGE.
 */
bool read_number(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *);
/* The same, perhaps with K, M or G behind it, or k, m or g: 2^10, 2^20, 2^30. */
bool read_size(const char *text, uint64_t most, const char *what, uint64_t *value, struct rp_error *);
/* A block of a grid: its linear index, x fastest, or its coordinates, "3,1" or "3x1", which must be within the grid. */
bool read_block(const char *text, const uint32_t grid[3], uint64_t *index, struct rp_error *);
/* Reads "1..4", two whole numbers. False: it is something else. */
bool read_range(const char *text, long long *from, long long *to);

#endif
