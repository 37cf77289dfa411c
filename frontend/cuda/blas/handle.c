#include "frontend/cuda/blas/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK 0x62a5b1a5u
#define PARTIAL sizeof(struct blas_partial)

extern const char blas_kernels[]; /* kernels.S */

int blas_status(CUresult r)
{
    switch (r) {
    case CUDA_SUCCESS: return CUBLAS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY: return CUBLAS_ALLOC_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT: return CUBLAS_NOT_INITIALIZED;
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return CUBLAS_ARCH_MISMATCH;
    default: return CUBLAS_EXECUTION_FAILED;
    }
}

int blas_refuse(const char *name, const char *why)
{
    static const char *reported[1024];
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
        const char *none = NULL;
        if (__atomic_compare_exchange_n(&reported[i], &none, name, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            fprintf(stderr, "reprise: libcublas: %s: %s\n", name, why);
            break;
        }
        if (none == name)
            break;
    }
    return CUBLAS_NOT_SUPPORTED;
}

/* As in the runtime, a thread without a context gets the primary one of device 0. */
static CUresult handle_find_context(CUcontext *context)
{
    CUdevice device;
    CUresult r = cuInit(0);
    if (r == CUDA_SUCCESS)
        r = cuCtxGetCurrent(context);
    if (r != CUDA_SUCCESS || *context)
        return r;
    if ((r = cuDeviceGet(&device, 0)) == CUDA_SUCCESS &&
        (r = cuDevicePrimaryCtxRetain(context, device)) == CUDA_SUCCESS)
        r = cuCtxSetCurrent(*context);
    return r;
}

int blas_check(cublasHandle_t h)
{
    CUcontext context;
    if (!h || h->mark != MARK)
        return CUBLAS_NOT_INITIALIZED;
    CUresult r = cuCtxGetCurrent(&context);
    if (r == CUDA_SUCCESS && !context)
        r = cuCtxSetCurrent(h->context);
    return blas_status(r);
}

BLAS_EXPORT int cublasCreate_v2(cublasHandle_t *to)
{
    if (!to)
        return CUBLAS_INVALID_VALUE;
    struct blas_handle *h = calloc(1, sizeof *h);
    if (!h)
        return CUBLAS_ALLOC_FAILED;
    CUresult r = handle_find_context(&h->context);
    if (r == CUDA_SUCCESS)
        r = cuModuleLoadData(&h->module, blas_kernels);
    if (r == CUDA_SUCCESS)
        r = cuMemAlloc_v2(&h->scratch, (BLAS_PARTIALS + BLAS_SLOTS) * PARTIAL);
    if (r != CUDA_SUCCESS) {
        if (h->module)
            cuModuleUnload(h->module);
        free(h);
        return blas_status(r);
    }
    h->mark = MARK;
    h->atomics_mode = 0;
    *to = h;
    return CUBLAS_SUCCESS;
}

BLAS_EXPORT int cublasDestroy_v2(cublasHandle_t h)
{
    int status = blas_check(h);
    if (status != CUBLAS_SUCCESS)
        return status;
    CUresult freed = cuMemFree_v2(h->scratch), unloaded = cuModuleUnload(h->module);
    h->mark = 0;
    free(h);
    return blas_status(freed ? freed : unloaded);
}

CUdeviceptr blas_slot(const struct blas_handle *h, enum blas_slot slot)
{
    return h->scratch + (BLAS_PARTIALS + (unsigned)slot) * PARTIAL;
}

/* ---- arguments
 * ------------------------------------------------------------------------------------------------------- */

static double half_value(uint16_t bits)
{
    double m = bits & 0x3ff, v;
    int e = bits >> 10 & 31;
    if (e == 31)
        v = m != 0 ? __builtin_nan("") : __builtin_inf();
    else
        v = e ? __builtin_ldexp(m + 1024, e - 25) : __builtin_ldexp(m, -24);
    return bits >> 15 ? -v : v;
}

struct blas_scalar blas_scalar_at(cublasHandle_t h, const void *value, enum blas_type type)
{
    struct blas_scalar s = {.type = type};
    union {
        float f32;
        double f64;
        uint16_t f16;
        int32_t s32;
    } v;
    if (h->pointer_mode == CUBLAS_DEVICE) {
        s.at = (uintptr_t)value;
        return s;
    }
    switch (type) {
    case BLAS_F64: memcpy(&v, value, 8), s.value = v.f64; break;
    case BLAS_F16: memcpy(&v, value, 2), s.value = half_value(v.f16); break;
    case BLAS_S32: memcpy(&v, value, 4), s.value = v.s32; break;
    default: memcpy(&v, value, 4), s.value = v.f32; break;
    }
    return s;
}

struct blas_vector blas_vector_at(const void *at, int64_t n, int64_t step, enum blas_type type)
{
    int64_t bytes = type == BLAS_F64 ? 8 : 4;
    uintptr_t first = (uintptr_t)at + (uintptr_t)(step < 0 ? (1 - n) * step * bytes : 0);
    return (struct blas_vector){first, step};
}

struct blas_matrix blas_matrix_at(const void *at, int64_t leading, int operation)
{
    struct blas_matrix m = {.at = (uintptr_t)at, .row = 1, .column = leading};
    if (operation != CUBLAS_N)
        m.row = leading, m.column = 1;
    return m;
}

/* ---- launches and results
 * -------------------------------------------------------------------------------------------- */

int64_t blas_blocks(int64_t n, int64_t most)
{
    int64_t blocks = (n + BLAS_BLOCK - 1) / BLAS_BLOCK;
    return blocks < most ? blocks : most;
}

int blas_launch(cublasHandle_t h, int type, const char *name, const int64_t grid[3], void **arguments)
{
    char full[64];
    CUfunction function;
    if (grid[0] > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535)
        return blas_refuse("launch", "the sizes need more blocks than a grid can have");
    snprintf(full, sizeof full, "reprise_cublas_%s%s", type == BLAS_F32 ? "s" : type == BLAS_F64 ? "d" : "", name);
    CUresult r = cuModuleGetFunction(&function, h->module, full);
    if (r == CUDA_SUCCESS)
        r = cuLaunchKernel(function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], BLAS_BLOCK, 1, 1, 0,
                           h->stream, arguments, NULL);
    return blas_status(r);
}

CUdeviceptr blas_result(cublasHandle_t h, void *to)
{
    return h->pointer_mode == CUBLAS_DEVICE ? (uintptr_t)to : blas_slot(h, BLAS_SLOT_RESULT);
}

int blas_result_fetch(cublasHandle_t h, void *to, size_t bytes)
{
    if (h->pointer_mode == CUBLAS_DEVICE)
        return CUBLAS_SUCCESS;
    CUresult r = cuMemcpyDtoHAsync_v2(to, blas_slot(h, BLAS_SLOT_RESULT), bytes, h->stream);
    return blas_status(r == CUDA_SUCCESS ? cuStreamSynchronize(h->stream) : r);
}
