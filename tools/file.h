/* Whole files in memory. */
#ifndef REPRISE_TOOLS_FILE_H
#define REPRISE_TOOLS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* The file's bytes, with a NUL behind them that *size does not count; the caller frees them. NULL: err says why. "-" is
 * standard input. */
uint8_t *file_read(const char *path, size_t *size, struct rp_error *);
/* Writes under a temporary name beside it and renames, so that no half-written file is left. */
bool file_write(const char *path, const void *bytes, size_t size, struct rp_error *);

#endif
