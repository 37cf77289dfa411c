/* Names and sizes for people. */
#ifndef REPRISE_TOOLS_LIB_NAMES_H
#define REPRISE_TOOLS_LIB_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/error.h"

#define PLAIN_NAME 256
/* A mangled name of C++ without its parameters and what it returns: "_Z6reduceIiLi4EEvPT_" is "reduce<int, 4>". Other
 * names are as they are. Long ones are cut. Returns out. */
const char *plain_kernel_name(const char *name, char out[PLAIN_NAME]);
/* Prints a text, such as an instruction, with the mangled names in it as plain_kernel_name gives them. */
void print_plain_names(const char *text, FILE *to);

/* Which of a file's kernels is meant: by its name in the file, or, if only one has it, by its name in the source, with
 * or without scope, template arguments and parameters, whatever blanks there are: "gemm", "gemm<float,16>"; or else by
 * any spelling of its template arguments (tools/lib/spelling.h). NULL stands for the only one. Returns its name in the
 * file; NULL: err says which there are. */
const char *choose_kernel(const char *file, const char *const *names, size_t count, const char *given,
                          struct rp_error *);

/* "16x16", without trailing ones; at least one number. */
const char *dimensions(const uint32_t d[3], char text[40]);

#endif
