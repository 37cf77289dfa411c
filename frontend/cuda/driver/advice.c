/* Hints about managed memory. They change nothing, because host and device access the same memory; but programs can
 * query them. */
#include "frontend/cuda/driver/driver.h"

/* CUmemLocationType, CUmem_advise, CUmem_range_attribute */
enum { LOCATION_INVALID, LOCATION_DEVICE, LOCATION_HOST };
enum { READ_MOSTLY = 1, NOT_READ_MOSTLY, PREFER, NOT_PREFER, ACCESSED_BY, NOT_ACCESSED_BY };
enum {
    RANGE_READ_MOSTLY = 1,
    RANGE_PREFERRED,
    RANGE_ACCESSED_BY,
    RANGE_PREFETCHED,
    RANGE_PREFERRED_TYPE,
    RANGE_PREFERRED_ID,
    RANGE_PREFETCHED_TYPE,
    RANGE_PREFETCHED_ID
};

/* Enters the driver for a range of managed memory. */
static CUresult enter_managed(CUdeviceptr address, size_t bytes, struct buffer **b)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    *b = buffer_at(address);
    if (!*b || (*b)->kind != BUFFER_MANAGED || !bytes || bytes > (*b)->base + (*b)->bytes - address)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!(*b)->advice.given)
        (*b)->advice = (struct advice){.given = true, .preferred = PLACE_NOWHERE, .prefetched = PLACE_NOWHERE};
    return CUDA_SUCCESS;
}

static int place_of(CUmemLocation l) { return l.type == LOCATION_DEVICE ? l.id : PLACE_CPU; }

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
    (void)stream;
    struct buffer *b;
    CUresult r = enter_managed(address, bytes, &b);
    if (r)
        return r;
    if (device != PLACE_CPU && !is_device(device))
        return leave(CUDA_ERROR_INVALID_DEVICE);
    b->advice.prefetched = device;
    return leave(CUDA_SUCCESS);
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation place, unsigned flags, CUstream stream)
{
    (void)flags;
    return cuMemPrefetchAsync(address, bytes, place_of(place), stream);
}

static void set_accessed(struct advice *a, CUdevice device, bool on)
{
    uint32_t bit = device == PLACE_CPU ? 0 : UINT32_C(1) << device;
    if (!bit)
        a->accessed_by_host = on;
    a->accessed_by = on ? a->accessed_by | bit : a->accessed_by & ~bit;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device)
{
    struct buffer *b;
    CUresult r = enter_managed(address, bytes, &b);
    if (r)
        return r;
    struct advice *a = &b->advice;
    bool uses_place = advice == PREFER || advice == ACCESSED_BY || advice == NOT_ACCESSED_BY;
    if (uses_place && device != PLACE_CPU && !is_device(device))
        return leave(CUDA_ERROR_INVALID_DEVICE);
    switch (advice) {
    case READ_MOSTLY:
    case NOT_READ_MOSTLY: a->read_mostly = advice == READ_MOSTLY; break;
    case PREFER: a->preferred = device; break;
    case NOT_PREFER: a->preferred = PLACE_NOWHERE; break;
    case ACCESSED_BY:
    case NOT_ACCESSED_BY: set_accessed(a, device, advice == ACCESSED_BY); break;
    default: return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(CUDA_SUCCESS);
}
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice, CUmemLocation place)
{
    return cuMemAdvise(address, bytes, advice, place_of(place));
}

static int type_of(int place)
{
    return place == PLACE_NOWHERE ? LOCATION_INVALID : place == PLACE_CPU ? LOCATION_HOST : LOCATION_DEVICE;
}

/* Writes a list of locations: as many as there is room for, filled up with PLACE_NOWHERE. */
static void give_accessing(const struct advice *a, int *to, size_t room)
{
    size_t n = 0;
    for (int d = 0; d < driver.devices; d++)
        if (a->accessed_by >> d & 1 && n < room)
            to[n++] = d;
    if (a->accessed_by_host && n < room)
        to[n++] = PLACE_CPU;
    while (n < room)
        to[n++] = PLACE_NOWHERE;
}

static CUresult give(const struct advice *a, int *to, size_t bytes, int attribute)
{
    if (attribute == RANGE_ACCESSED_BY && bytes && bytes % sizeof *to == 0) {
        give_accessing(a, to, bytes / sizeof *to);
        return CUDA_SUCCESS;
    }
    if (bytes != sizeof *to)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case RANGE_READ_MOSTLY: *to = a->read_mostly; break;
    case RANGE_PREFERRED: *to = a->preferred; break;
    case RANGE_PREFETCHED: *to = a->prefetched; break;
    case RANGE_PREFERRED_TYPE: *to = type_of(a->preferred); break;
    case RANGE_PREFERRED_ID: *to = a->preferred >= 0 ? a->preferred : 0; break;
    case RANGE_PREFETCHED_TYPE: *to = type_of(a->prefetched); break;
    case RANGE_PREFETCHED_ID: *to = a->prefetched >= 0 ? a->prefetched : 0; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, int attribute, CUdeviceptr address, size_t bytes)
{
    struct buffer *b;
    CUresult r = enter_managed(address, bytes, &b);
    if (r)
        return r;
    return leave(data ? give(&b->advice, data, data_bytes, attribute) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *data_bytes, int *attributes, size_t count, CUdeviceptr address,
                                 size_t bytes)
{
    CUresult r = data && data_bytes && attributes && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !r; i++)
        r = cuMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], address, bytes);
    return r;
}
