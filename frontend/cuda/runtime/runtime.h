/* What the parts of our libcudart share. Everything is built on the driver API of libcuda.so.1, with which this library
 * is linked. A function of the runtime calls ready() first, makes its driver calls and returns done(their result),
 * which the thread keeps for cudaGetLastError. */
#ifndef REPRISE_FRONTEND_CUDA_RUNTIME_H
#define REPRISE_FRONTEND_CUDA_RUNTIME_H

#include <stdbool.h>

#include "frontend/cuda/abi/runtime.h"

#define RUNTIME_VERSION (CUDART_MAJOR == 11 ? 11080 : CUDART_MAJOR == 12 ? 12090 : 13000)

/* ---- the calling thread (thread.c) ------------------------------------------------------------------------------- */

/* Initialises the driver and makes the primary context of the thread's device current, unless the program has made
 * another one current. False: the thread's last error says why. */
bool ready(void);
/* The thread's last error, also after a failure of ready(). */
cudaError_t last_error(void);
/* Converts a driver's result to the runtime's error, and keeps it. */
cudaError_t done(CUresult);
cudaError_t fail(cudaError_t);
/* The device that the thread has selected; device 0 at first. */
int current_device(void);
/* The driver's handle of a device. False after fail(). */
bool device_handle(int device, CUdevice *);
/* Its primary context. False after fail(). */
bool device_context(int device, CUcontext *);
/* The device of the current context; to be called after ready(). */
int context_device(void);
/* The stream that 0 means in this call: the thread's own in functions that end in _ptsz or _ptds. */
CUstream stream_of(cudaStream_t);
bool per_thread(void);
/* To be called before and after such a function; the first returns the argument of the second. */
bool enter_per_thread(void);
cudaError_t leave_per_thread(bool was, cudaError_t);
/* Reports once per process and name, on standard error, that a function is unsupported, and fails. */
cudaError_t not_supported(const char *name);

/* ---- what modules register (registry.c) -------------------------------------------------------------------------- */

/* Converts a host function, a handle from __cudaGetKernel, or a kernel of the driver to the driver's function. Loads
 * the module on first use. False after fail(). */
bool function_of(const void *function, CUfunction *);
/* The host function of a driver function; the handle itself if no module has registered one. */
void *host_function_of(CUfunction);
/* The address and size of the device variable that belongs to a host variable. False after fail(). */
bool symbol_of(const void *symbol, CUdeviceptr *, size_t *bytes);
/* Forgets what all modules are on a device, after cudaDeviceReset. */
void forget_modules(int device);

/* ---- conversions ------------------------------------------------------------------------------------------------- */

bool array_format(const struct cudaChannelFormatDesc *, CUarray_format *, unsigned *channels);
struct cudaChannelFormatDesc channel_of(CUarray_format, unsigned channels);
unsigned element_bytes(CUarray_format, unsigned channels);
/* False after fail(). */
bool copy3d_of(const struct cudaMemcpy3DParms *, CUDA_MEMCPY3D *);
struct cudaMemcpy3DParms copy_of_line(void *to, const void *from, size_t bytes, int kind);
/* The address of a range within a variable. An error if it is outside, after fail(). */
cudaError_t symbol_address(const void *symbol, size_t bytes, size_t offset, char **address);
bool kernel_node_of(const struct cudaKernelNodeParams *, CUDA_KERNEL_NODE_PARAMS *);
CUcontext current_context(void);

#include "frontend/cuda/runtime/functions.h"

#endif
