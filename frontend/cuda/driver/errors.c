/* Names and texts of errors, the version, and a query that always fails. */
#include "frontend/cuda/driver/driver.h"

static const struct {
    CUresult code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, driver, runtime, text) {driver, #driver, text},
#define DRIVER_ERROR(code, name, text) {name, #name, text},
#define RUNTIME_ERROR(code, name, text)
#include "frontend/cuda/abi/errors.def"
};

static CUresult look_up(CUresult error, const char **to, bool name)
{
    if (!to)
        return CUDA_ERROR_INVALID_VALUE;
    *to = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error)
            *to = name ? errors[i].name : errors[i].text;
    return *to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name) { return look_up(error, name, true); }
CUresult cuGetErrorString(CUresult error, const char **text) { return look_up(error, text, false); }

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* NVIDIA's own libraries look for private tables of its driver; there are none. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
