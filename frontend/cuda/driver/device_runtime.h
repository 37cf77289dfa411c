/* Functions of NVIDIA's device runtime (libcudadevrt), with which compilers link. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_DEVICE_RUNTIME_H
#define REPRISE_FRONTEND_CUDA_DRIVER_DEVICE_RUNTIME_H

#include <stddef.h>

/* PTX that defines the functions that a module declares and calls: the grid barrier of cooperative groups, and
 * setting the condition of a node of a graph. NULL: it
 * calls none, or is no PTX. */
const char *device_runtime(const void *text, size_t size);

#endif
