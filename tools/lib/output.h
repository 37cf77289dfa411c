/* Output files: written under a temporary name beside them and renamed when they are whole, so that neither an error
 * nor a signal leaves half of one, and two runs at once do not mix. */
#ifndef REPRISE_TOOLS_LIB_OUTPUT_H
#define REPRISE_TOOLS_LIB_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tracefmt/error.h"

struct output {
    FILE *to; /* whoever writes leaves errors to output_close */
    char *path, *temporary;
};

/* RP_USAGE if there is no point in trying to write to `path`: it is "-" (a file is renamed into place when it is whole,
 * which stdout cannot be), no regular file, or its folder cannot be written. */
bool output_check(const char *path, struct rp_error *);
/* One output at a time. NULL: err says why. */
struct output *output_open(const char *path, struct rp_error *);
/* Frees in every case; without `keep`, or after an error, no file is left. */
bool output_close(struct output *, bool keep, struct rp_error *);
/* All of it in one go. */
bool output_write(const char *path, const void *bytes, size_t size, struct rp_error *);

/* Whether two names mean one file, however they are spelt; it need not exist. */
bool output_same_file(const char *a, const char *b);

#endif
