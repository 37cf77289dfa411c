/* Devices: all of one kind, described by constants and figures. */
#include <stdio.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

/* Device i of the machine is on bus i + 1. */
static unsigned bus_of(CUdevice device) { return driver.place[device] + 1u; }

static CUresult check(CUdevice device) { return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

/* Enters the driver for a query of the device; `result`, where the value goes, must not be NULL. */
static CUresult enter_query(CUdevice device, const void *result)
{
    CUresult r = enter(NEED_DRIVER);
    if (!r && (r = !result ? CUDA_ERROR_INVALID_VALUE : check(device)))
        leave(r);
    return r;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult r = enter_query(0, count);
    if (r)
        return r;
    *count = driver.devices;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult r = enter_query(ordinal, device);
    if (r)
        return r;
    *device = ordinal;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    CUresult r = enter_query(device, name);
    if (r)
        return r;
    if (bytes > 0)
        snprintf(name, (size_t)bytes, "%s", figures()->name);
    return leave(bytes > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice device)
{
    CUresult r = enter_query(device, id);
    if (r)
        return r;
    *id = device_uuid(driver.place[device]);
    return leave(CUDA_SUCCESS);
}
CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device) { return cuDeviceGetUuid_v2(id, device); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CUresult r = enter_query(device, bytes);
    if (r)
        return r;
    *bytes = figures()->memory_bytes;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device)
{
    CUresult r = enter_query(device, bytes);
    if (r)
        return r;
    *bytes = figures()->memory_bytes > UINT32_MAX ? UINT32_MAX : (unsigned)figures()->memory_bytes;
    return leave(CUDA_SUCCESS);
}

static int attribute_value(const struct device_figures *f, int attribute)
{
    switch (attribute) {
#define ATTRIBUTE(name, number, value)                                                                                 \
    case number:                                                                                                       \
        return (int)(value);
#include "frontend/cuda/abi/attributes.def"
#undef ATTRIBUTE
    default: return 0;
    }
}

CUresult device_attribute(CUdevice device, int attribute, int *value)
{
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (attribute < 1 || attribute >= 256)
        return CUDA_ERROR_INVALID_VALUE;
    bool is_bus = attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID;
    *value = is_bus ? (int)bus_of(device) : attribute_value(figures(), attribute);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    CUresult r = enter_query(device, value);
    return r ? r : leave(device_attribute(device, (int)attribute, value));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CUresult r = enter_query(device, major && minor ? major : NULL);
    if (r)
        return r;
    *major = (int)figures()->capability / 10;
    *minor = (int)figures()->capability % 10;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device)
{
    CUresult r = enter_query(device, p);
    if (r)
        return r;
    const struct device_figures *f = figures();
    *p = (CUdevprop){.maxThreadsPerBlock = 1024,
                     .maxThreadsDim = {1024, 1024, 64},
                     .maxGridSize = {0x7fffffff, 65535, 65535},
                     .sharedMemPerBlock = (int)f->shared_per_block,
                     .totalConstantMemory = 65536,
                     .SIMDWidth = 32,
                     .memPitch = 0x7fffffff,
                     .regsPerBlock = attribute_value(f, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                     .clockRate = (int)f->clock_khz,
                     .textureAlign = 512};
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetPCIBusId(char *id, int bytes, CUdevice device)
{
    CUresult r = enter_query(device, id);
    if (r)
        return r;
    int length = snprintf(id, bytes > 0 ? (size_t)bytes : 0, "0000:%02x:00.0", bus_of(device));
    return leave(bytes > length ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Domain, bus, device and function; the first and the last are optional. */
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    CUresult r = enter_query(0, device && id ? id : NULL);
    if (r)
        return r;
    unsigned part[4] = {0};
    bool full = sscanf(id, "%x:%x:%x.%x", &part[0], &part[1], &part[2], &part[3]) >= 3;
    if (!full) {
        part[0] = 0;
        full = sscanf(id, "%x:%x.%x", &part[1], &part[2], &part[3]) >= 2;
    }
    for (CUdevice d = 0; full && d < driver.devices; d++)
        if (part[1] == bus_of(d) && !part[0] && !part[2] && !part[3]) {
            *device = d;
            return leave(CUDA_SUCCESS);
        }
    return leave(CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels, CUdevice device)
{
    CUresult r = enter_query(device, width);
    if (r)
        return r;
    (void)format;
    *width = (size_t)attribute_value(figures(), CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return leave(channels == 1 || channels == 2 || channels == 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device)
{
    CUresult r = enter_query(device, supported);
    if (r)
        return r;
    (void)type;
    *supported = 0;
    return leave(CUDA_SUCCESS);
}
