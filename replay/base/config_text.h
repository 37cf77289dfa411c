/* Files in libconfig's syntax, before libconfig sees them: machine files and launch files. */
#ifndef REPRISE_REPLAY_BASE_CONFIG_TEXT_H
#define REPRISE_REPLAY_BASE_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

/* The whole file, with a NUL behind; freed by the caller. At most 1 MiB, regular files only: RP_BAD_INPUT. */
char *config_text_read(const char *path, size_t *size, struct rp_error *);
/* Refuses what libconfig would do on its own terms: read other files, recurse without bound, cut numbers to 32 bits,
 * end at a zero byte, and lack of memory, which it does not look for. RP_BAD_INPUT with file and line. `text` has a NUL
 * behind its `size` bytes. */
bool config_text_check(const char *file, const char *text, size_t size, struct rp_error *);

#endif
