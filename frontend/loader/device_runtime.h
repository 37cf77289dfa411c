/* Functions of NVIDIA's device runtime (libcudadevrt), with which compilers link. */
#ifndef REPRISE_FRONTEND_LOADER_DEVICE_RUNTIME_H
#define REPRISE_FRONTEND_LOADER_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/loader/pieces.h"

/* Adds PTX that defines the functions that a module declares and calls: the grid barrier of cooperative groups, setting
 * the condition of a node of a graph, and what libcudadevrt asks of the driver for kernels that launch kernels. Adds
 * nothing where it calls none, or is no PTX. False: out of memory. */
bool device_runtime(const void *text, size_t size, struct ptx_pieces *to);

#endif
