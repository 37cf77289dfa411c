/* Names and texts of errors, and versions. */
#include "frontend/cuda/runtime/runtime.h"

static const struct error {
    int code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, driver, runtime, text) {code, #runtime, text},
#define DRIVER_ERROR(code, name, text)
#define RUNTIME_ERROR(code, name, text) {code, #name, text},
#include "frontend/cuda/abi/errors.def"
};

static const struct error *error_of(cudaError_t code)
{
    static const struct error unknown = {0, "unrecognized error code", "unrecognized error code"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    return &unknown;
}

const char *cudaGetErrorName(cudaError_t error) { return error_of(error)->name; }
const char *cudaGetErrorString(cudaError_t error) { return error_of(error)->text; }

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return fail(cudaErrorInvalidValue);
    *version = RUNTIME_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return version ? done(cuDriverGetVersion(version)) : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetExportTable(const void **table, const void *id)
{
    (void)id;
    if (table)
        *table = NULL;
    return fail(cudaErrorSymbolNotFound);
}

/* Looks up an entry point. An unknown name is no error of the call: `status` reports it. */
static cudaError_t entry_point(const char *name, void **function, unsigned version, unsigned long long flags,
                               int *status)
{
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!name || !function || !*name)
        return fail(cudaErrorInvalidValue);
    if (!flags && per_thread())
        flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    CUresult result = cuGetProcAddress_v2(name, function, (int)version, flags, &found);
    if (status)
        *status = (int)found;
    if (result == CUDA_ERROR_NOT_FOUND || found)
        *function = NULL;
    else
        return done(result);
    return status ? cudaSuccess : fail(cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
    return entry_point(name, function, RUNTIME_VERSION, flags, status);
}

#if CUDART_MAJOR >= 12
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    return entry_point(name, function, version, flags, status);
}
#endif

cudaError_t cudaProfilerStart(void) { return ready() ? done(cuProfilerStart()) : last_error(); }
cudaError_t cudaProfilerStop(void) { return ready() ? done(cuProfilerStop()) : last_error(); }

#if CUDART_MAJOR == 11
cudaError_t cudaProfilerInitialize(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return cudaSuccess;
}
#endif
