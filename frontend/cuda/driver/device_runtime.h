/* Functions of NVIDIA's device runtime (libcudadevrt), which compilers link with. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_DEVICE_RUNTIME_H
#define REPRISE_FRONTEND_CUDA_DRIVER_DEVICE_RUNTIME_H

#include <stddef.h>

/* PTX that defines those that a module declares and calls: the barrier of cooperative groups across a grid. NULL: it
 * calls none, or is no PTX. */
const char *device_runtime(const void *text, size_t size);

#endif
