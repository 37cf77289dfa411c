/* CUDA source to PTX, by calling clang. */
#ifndef REPRISE_TOOLS_CUDA_COMPILE_H
#define REPRISE_TOOLS_CUDA_COMPILE_H

#include <stddef.h>

#include "tracefmt/error.h"

/* What CUDA source is compiled for unless a target is given: one that clang 14 and today's nvcc both take. */
#define CUDA_TARGET "sm_75"

/* Compiles `source` for `target` (NULL: CUDA_TARGET) with $CLANG or clang, with source lines. `flags`: NULL, or more
 * options for clang with blanks between. What clang says goes to standard error as it is. The PTX, NUL-terminated, is
 * the caller's; NULL: RP_BAD_INPUT, also where there is no clang. */
char *cuda_compile(const char *source, const char *target, const char *flags, size_t *size, struct rp_error *);

#endif
