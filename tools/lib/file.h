/* Whole files in memory. */
#ifndef REPRISE_TOOLS_LIB_FILE_H
#define REPRISE_TOOLS_LIB_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

/* The file's bytes, with a NUL behind them that *size does not count; the caller frees them. NULL: err says why. "-" is
 * standard input. More than 256 MiB, or an endless stream, is RP_BAD_INPUT. */
uint8_t *file_read(const char *path, size_t *size, struct rp_error *);

#endif
