/* Compiles CUDA source to PTX with clang. */
#ifndef REPRISE_TOOLS_CUDA_COMPILE_H
#define REPRISE_TOOLS_CUDA_COMPILE_H

#include <stddef.h>

#include "tracefmt/error.h"

/* The default target of CUDA source, one that both clang 14 and today's nvcc accept. */
#define CUDA_TARGET "sm_75"

/* Compiles `source` for `target` (NULL: CUDA_TARGET) with $CLANG or clang, with source lines. `flags`: NULL, or further
 * options for clang, separated by blanks. Messages of clang go to standard error unchanged. Returns the PTX,
 * NUL-terminated, which the caller frees. NULL: RP_BAD_INPUT, also if there is no clang. */
char *cuda_compile(const char *source, const char *target, const char *flags, size_t *size, struct rp_error *);

#endif
