/* printf as a kernel sees it. */
#ifndef REPRISE_FRONTEND_CORE_PRINT_H
#define REPRISE_FRONTEND_CORE_PRINT_H

#include "frontend/core/engine.h"

/* printf for one thread: `format` and `args` are generic addresses; args points to the packed arguments (each aligned
 * to its size, floats as doubles). Conversions are those of C without n. A malformed conversion is printed unchanged;
 * "(null)" stands for a string that cannot be read. Appends to the block's text. Returns the number of arguments used,
 * or -1 if format or arguments cannot be read. */
int print_formatted(struct warp_state *, unsigned lane, uint64_t format, uint64_t args);

/* Reads a string into `text`, cut at size - 1 bytes; false: not readable. */
bool read_string(struct warp_state *, unsigned lane, uint64_t address, char *text, size_t size);

#endif
