/* Initialisation, errors, the device, contexts. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

Test(cuda_device, needs_initialisation)
{
    int n;
    FAILS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    FAILS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuInit(0));
    WORKS(cuInit(0));
    WORKS(cuDeviceGetCount(&n));
    cr_assert_eq(n, 1);
    FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

Test(cuda_device, can_be_hidden)
{
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    FAILS(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

static int attribute(CUdevice_attribute a)
{
    int value = -1;
    WORKS(cuDeviceGetAttribute(&value, a, 0));
    return value;
}

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 6.1. */
Test(cuda_device, is_of_capability_6_1)
{
    WORKS(cuInit(0));
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 6);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 1);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), 98304);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 49152);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 2048);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    FAILS(cuDeviceGetAttribute(&(int){0}, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
    FAILS(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_device, is_of_7_5_for_clients_of_cuda_13)
{
    void *f;
    WORKS(cuInit(0));
    WORKS(cuGetProcAddress_v2("cuInit", &f, 13000, 0, NULL));
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 7);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 1024);
}

Test(cuda_device, has_the_figures_that_it_is_given)
{
    char name[16];
    setenv("REPRISE_DEVICE", "name=V;capability=70;sms=80", 1);
    WORKS(cuInit(0));
    WORKS(cuDeviceGetName(name, sizeof name, 0));
    cr_assert_str_eq(name, "V");
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 80);
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 98304);
}

/* An SM with less shared memory than GPUs of its capability have: no block gets more than that. */
Test(cuda_device, no_block_has_more_shared_memory_than_an_sm)
{
    setenv("REPRISE_DEVICE", "capability=87;shared_per_sm=102400", 1);
    WORKS(cuInit(0));
    cr_assert_eq(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 102400);
}

Test(cuda_device, refuses_figures_that_it_does_not_know)
{
    setenv("REPRISE_DEVICE", "smms=80", 1);
    FAILS(cuInit(0), CUDA_ERROR_INVALID_VALUE);
}

Test(cuda_device, names_errors)
{
    const char *text;
    WORKS(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    cr_assert_str_eq(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    WORKS(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    cr_assert_str_eq(text, "an illegal memory access was encountered");
    FAILS(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    cr_assert_null(text);
}

Test(cuda_device, finds_the_newest_function_not_above_a_version)
{
    CUdriverProcAddressQueryResult status;
    void *f;
    WORKS(cuGetProcAddress_v2("cuEventElapsedTime", &f, 12070, 0, &status));
    cr_assert_eq(f, (void *)cuEventElapsedTime);
    WORKS(cuGetProcAddress_v2("cuEventElapsedTime", &f, 12080, 0, &status));
    cr_assert_eq(f, (void *)cuEventElapsedTime_v2);
    WORKS(cuGetProcAddress_v2("cuLaunchKernelEx", &f, 11050, 0, &status));
    cr_assert(!f && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    WORKS(cuGetProcAddress_v2("cuGLInit", &f, 13000, 0, &status));
    cr_assert(!f && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    FAILS(cuGetProcAddress("", &f, 13000, 0), CUDA_ERROR_NOT_FOUND);
}

Test(cuda_device, keeps_a_stack_of_contexts_per_thread)
{
    CUcontext primary, made, c;
    unsigned flags;
    int active;
    start();
    WORKS(cuCtxGetCurrent(&primary));
    WORKS(cuCtxCreate_v2(&made, 0, 0));
    WORKS(cuCtxGetCurrent(&c));
    cr_assert_eq(c, made);
    WORKS(cuCtxPopCurrent_v2(&c));
    cr_assert_eq(c, made);
    WORKS(cuCtxPushCurrent_v2(made));
    WORKS(cuCtxDestroy_v2(made));
    WORKS(cuCtxGetCurrent(&c));
    cr_assert_eq(c, primary);
    FAILS(cuCtxPushCurrent_v2(made), CUDA_ERROR_INVALID_CONTEXT);
    WORKS(cuDevicePrimaryCtxRelease_v2(0));
    WORKS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    cr_assert_eq(active, 0);
    FAILS(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    FAILS(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
}

Test(cuda_device, keeps_limits)
{
    size_t value;
    start();
    WORKS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_assert_eq(value, 1024);
    WORKS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    WORKS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_assert_eq(value, 4096);
    FAILS(cuCtxGetLimit(&value, 77), CUDA_ERROR_UNSUPPORTED_LIMIT);
}
