/* cudaDeviceProp: nearly every field is an attribute of the driver. */
#include <string.h>

#include "frontend/cuda/runtime/runtime.h"

struct row {
    size_t at;
    int attribute;
    bool wide; /* a size_t, not an int */
};
static const struct row rows[] = {
#define NARROW(field, attribute) {offsetof(struct cudaDeviceProp, field), attribute, false},
#define WIDE(field, attribute) {offsetof(struct cudaDeviceProp, field), attribute, true},
#include "frontend/cuda/runtime/properties.def"
#undef NARROW
#undef WIDE
};

static cudaError_t fill(struct cudaDeviceProp *p, size_t bytes, int device)
{
    CUdevice handle;
    struct cudaDeviceProp all = {0};
    CUuuid uuid = {0};
    if (!p)
        return fail(cudaErrorInvalidValue);
    if (!device_handle(device, &handle) || done(cuDeviceGetName(all.name, sizeof all.name, handle)) ||
        done(cuDeviceTotalMem_v2(&all.totalGlobalMem, handle)) || done(cuDeviceGetUuid_v2(&uuid, handle)))
        return last_error();
    memcpy(all.uuid, &uuid, sizeof all.uuid);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int value = 0;
        if (cuDeviceGetAttribute(&value, rows[i].attribute, handle))
            value = 0; /* an attribute that the driver does not know */
        size_t wide = (size_t)value;
        memcpy((char *)&all + rows[i].at, rows[i].wide ? (void *)&wide : (void *)&value,
               rows[i].wide ? sizeof wide : sizeof value);
    }
    memcpy(p, &all, bytes);
    return cudaSuccess;
}

#if CUDART_MAJOR == 12
/* Programs of CUDA 11 call this under its old name; their structure ends here. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    return fill(p, offsetof(struct cudaDeviceProp, hostRegisterSupported), device);
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device) { return fill(p, sizeof *p, device); }
#else
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) { return fill(p, sizeof *p, device); }
#endif
