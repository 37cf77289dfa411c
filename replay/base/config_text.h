/* Checks of files in libconfig's syntax before libconfig reads them: machine files and launch files. */
#ifndef REPRISE_REPLAY_BASE_CONFIG_TEXT_H
#define REPRISE_REPLAY_BASE_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

/* Reads the file and appends a NUL; the caller frees the text. RP_BAD_INPUT: no regular file, or larger than 1 MiB. */
char *config_text_read(const char *path, size_t *size, struct rp_error *);
/* Refuses what libconfig accepts and should not: includes of other files, unbounded recursion, numbers that it would
 * cut to 32 bits, text after a zero byte, and files for which memory does not suffice, as libconfig does not check its
 * allocations. Refuses sizes such as 32K without quotes, of which libconfig says no more than that the syntax is wrong.
 * RP_BAD_INPUT with file and line. `text` has a NUL after its `size` bytes. */
bool config_text_check(const char *file, const char *text, size_t size, struct rp_error *);

#endif
