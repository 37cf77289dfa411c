/* Calls of CUDA's device runtime by which kernels launch kernels and ask about the device: CUDA C++ Programming Guide,
 * "CUDA Dynamic Parallelism", in its second version (CDP2), where no kernel waits for the kernels that it launches. The
 * launch that a block belongs to serves them (frontend/host/children.c). */
#ifndef REPRISE_FRONTEND_CORE_DEVICE_CALL_H
#define REPRISE_FRONTEND_CORE_DEVICE_CALL_H

#include <stdint.h>

#include "frontend/core/engine.h"

/* Results of these calls: numbers of cudaError_t. */
enum device_error {
    DEVICE_SUCCESS = 0,
    DEVICE_INVALID_VALUE = 1,
    DEVICE_NO_MEMORY = 2,
    DEVICE_INVALID_CONFIGURATION = 9,
    DEVICE_TOO_DEEP = 65,     /* cudaErrorLaunchMaxDepthExceeded */
    DEVICE_TOO_MANY = 69,     /* cudaErrorLaunchPendingCountExceeded */
    DEVICE_NO_FUNCTION = 98,  /* cudaErrorInvalidDeviceFunction */
    DEVICE_NO_DEVICE = 101,   /* cudaErrorInvalidDevice */
    DEVICE_UNSUPPORTED = 801, /* cudaErrorNotSupported */
};

/* What a kernel asks; `of`, `with` and `more` are arguments of the question. */
enum device_question {
    ASK_HANDLE,    /* a new handle of a stream or an event */
    ASK_DEVICE,    /* the number of the device that runs the kernel */
    ASK_DEVICES,   /* how many devices there are */
    ASK_ATTRIBUTE, /* number `of` (cudaDeviceAttr) of device `with` */
    ASK_LIMIT,     /* number `of` (cudaLimit) */
    ASK_FUNCTION,  /* attribute `of` (CUfunction_attribute) of the kernel at address `with` */
    ASK_OCCUPANCY, /* the most resident blocks per SM: of the kernel at address `of`, with so many threads, and `more`
                      bytes of dynamic shared memory */
    ASK_PARAMETERS /* the bytes of the parameters of the kernel at address `of` */
};
enum { FUNCTION_MOST_SHARED = 8 }; /* an attribute of kernels: the most dynamic shared memory of a block */
struct device_asked {
    uint32_t what; /* enum device_question */
    uint64_t of, with, more;
};

/* The shape of a launch by a kernel; `kernel` is its address. */
struct device_shape {
    uint64_t kernel;
    uint32_t grid[3], block[3], shared;
};

struct device_calls {
    /* The address of device memory for the parameters of such a launch. 0: *error (enum device_error) says why. */
    uint64_t (*parameters)(void *data, const struct device_shape *, uint32_t *error);
    /* Asks for the launch with these parameters; `block`: the one that does. Returns an enum device_error, as ask. */
    uint32_t (*launch)(void *data, uint64_t parameters, uint64_t stream, uint64_t block);
    uint32_t (*ask)(void *data, const struct device_asked *, uint64_t *value);
    void *data;
};

/* Executes the call for one lane. */
void device_call(struct warp_state *, const struct uop *, unsigned lane);

/* Arguments and results of a host call, at an offset as uop.h has it. An argument outside the stack is 0, with a fault.
 */
uint64_t call_argument(struct warp_state *, const struct uop *, unsigned lane, uint32_t offset, unsigned bytes);
void call_result(struct warp_state *, const struct uop *, unsigned lane, uint32_t offset, uint64_t value,
                 unsigned bytes);

#endif
