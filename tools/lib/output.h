/* Output files. They are written under a temporary name in the same folder and renamed when complete. So neither an
 * error nor a signal leaves an incomplete file, and two runs at once do not mix. */
#ifndef REPRISE_TOOLS_LIB_OUTPUT_H
#define REPRISE_TOOLS_LIB_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tracefmt/error.h"

struct output {
    FILE *to; /* output_close reports errors of writing */
    char *path, *temporary;
};

/* Checks that `path`, which a user has given, can be written. RP_USAGE: it is "-" (only a file can be renamed when
 * complete), it is no regular file, its folder is not writable, or it is a source (text, by its suffix), a script or a
 * host's ELF file, which was named by mistake. */
bool output_check(const char *path, struct rp_error *);
/* Opens an output, also over a source or a program, which may be our own; only one may be open at a time. NULL: err
 * says why. */
struct output *output_open(const char *path, struct rp_error *);
/* Frees the output in every case. Without `keep`, or after an error, no file is left. */
bool output_close(struct output *, bool keep, struct rp_error *);
/* Writes a whole file. */
bool output_write(const char *path, const void *bytes, size_t size, struct rp_error *);

/* Whether two paths name the same file, which need not exist. */
bool output_same_file(const char *a, const char *b);

#endif
