/* Output files. They are written under a temporary name in the same folder and renamed when complete. So neither an
 * error nor a signal leaves an incomplete file, and two runs at once do not mix. A symbolic link stays, and the file
 * that it leads to is written (tracefmt/output_path.h). */
#ifndef REPRISE_TOOLS_LIB_OUTPUT_H
#define REPRISE_TOOLS_LIB_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/lib/input.h"

struct output {
    FILE *to; /* output_close reports errors of writing */
    char *path, *temporary;
    char *target; /* the file that the path leads to */
};

/* Checks that `path`, which a user has given, can be written. RP_USAGE: it is "-" (only a file can be renamed when
 * complete), it is no regular file or that of stdout, its folder is not writable, or it was named by mistake: it is a
 * source or a configuration (text, by its suffix), a script, a host's ELF file, or a trace, machine code, an array or a
 * database, and not of the kind that is `written`, INPUT_OTHER for none of them. */
bool output_check(const char *path, enum input written, struct rp_error *);
/* RP_USAGE if both are given (not NULL) and name the same file, which the command reads. `option`: with what the output
 * was named, "-o"; `role`: what the input is, "the trace". */
bool output_spares(const char *option, const char *output, const char *input, const char *role, struct rp_error *);
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
