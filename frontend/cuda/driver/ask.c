/* What kernels ask about their device by calls of the device runtime. The caller of the launch holds the lock. */
#include "frontend/core/device_call.h"
#include "frontend/cuda/driver/driver.h"

static CUresult limit(uint64_t number, uint64_t *value)
{
    if (number > CU_LIMIT_PERSISTING_L2_CACHE_SIZE || !current_context())
        return CUDA_ERROR_INVALID_VALUE;
    *value = current_context()->limits[number];
    return CUDA_SUCCESS;
}

static CUresult look_up(const struct device_asked *asked, struct program *kernel, uint64_t *value)
{
    struct CUfunc_st f;
    int number = 0;
    CUresult r = CUDA_SUCCESS;
    switch (asked->what) {
    case ASK_DEVICES: number = driver.devices; break;
    case ASK_ATTRIBUTE: r = device_attribute((CUdevice)asked->with, (int)asked->of, &number); break;
    case ASK_LIMIT: return limit(asked->of, value);
    case ASK_FUNCTION:
        f = function_with(kernel);
        r = function_attribute(&f, (CUfunction_attribute)asked->of, &number);
        break;
    default: f = function_with(kernel); number = (int)occupancy(&f, (unsigned)asked->with, asked->more);
    }
    *value = (uint32_t)number;
    return r;
}

uint32_t device_ask(const struct device_asked *asked, struct program *kernel, uint64_t *value)
{
    CUresult r = look_up(asked, kernel, value);
    return r == CUDA_ERROR_INVALID_DEVICE ? DEVICE_NO_DEVICE : r ? DEVICE_INVALID_VALUE : DEVICE_SUCCESS;
}
