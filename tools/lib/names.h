/* Names and sizes for people. */
#ifndef REPRISE_TOOLS_LIB_NAMES_H
#define REPRISE_TOOLS_LIB_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/error.h"

#define PLAIN_NAME 4096
/* A mangled C++ name without its parameters and return type: "_Z6reduceIiLi4EEvPT_" is "reduce<int, 4>". Other names
 * are unchanged. Longer names are cut. Returns out. */
const char *plain_kernel_name(const char *name, char out[PLAIN_NAME]);
/* Prints a text, such as an instruction; plain_kernel_name() replaces the mangled names in it. */
void print_plain_names(const char *text, FILE *to);
/* The same in the text of an error, which is as it was if memory runs out. A name that follows "no kernel '" stays as
 * the user gave it. */
void plain_error(struct rp_error *);

/* Finds a kernel of a file: by its name in the file; or, if it is unique, by its name in the source, with or without
 * scope, return type, template arguments and parameters, blanks ignored ("gemm", "gemm<float,16>"); or by any spelling
 * of its template arguments (tools/lib/spelling.h); or as NVIDIA's tools print it (tools/lib/template_parameters.h).
 * NULL stands for the only kernel. Returns its name in the file; NULL: err lists the kernels. */
const char *choose_kernel(const char *file, const char *const *names, size_t count, const char *given,
                          struct rp_error *);

/* "16x16": at least one extent, without trailing extents of 1. */
const char *dimensions(const uint32_t d[3], char text[40]);

#endif
