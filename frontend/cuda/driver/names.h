/* Names of kernels as they stand in the source. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_NAMES_H
#define REPRISE_FRONTEND_CUDA_DRIVER_NAMES_H

#include <stdio.h>

/* A name of C++ in the source, without void before it, for free(); NULL: it is none, or cannot be read. */
char *name_demangled(const char *name);
/* Prints a message in which functions are named as in their modules, _Z..., with their names in the source. */
void print_readable(FILE *, const char *text);

#endif
