/* How much memory can be read from an address on: programs pass images of modules without a size, and what their
 * headers say may be wrong. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_READABLE_H
#define REPRISE_FRONTEND_CUDA_DRIVER_READABLE_H

#include <stddef.h>

/* The bytes from `at` to the end of the mappings that follow one another there and can be read, as /proc/self/maps has
 * them; 0: none. SIZE_MAX: the file cannot be read, so nothing is known. */
size_t readable_from(const void *at);

#endif
