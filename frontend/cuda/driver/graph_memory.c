/* How much memory the nodes of graphs have: in use from an allocating node to a freeing one; reserved until
 * cuDeviceGraphMemTrim. */
#include "frontend/cuda/driver/driver.h"

/* Of each device: now, and the most so far. */
static struct amount {
    uint64_t now, high;
} used[DEVICES_MOST], reserved[DEVICES_MOST];

/* CUgraphMem_attribute */
enum { USED_NOW, USED_HIGH, RESERVED_NOW, RESERVED_HIGH };

static void set(bool *flag, bool value, struct amount *a, uint64_t bytes)
{
    if (*flag != value)
        a->now += value ? bytes : -bytes;
    *flag = value;
    a->high = a->now > a->high ? a->now : a->high;
}

void graph_memory_taken(struct buffer *b)
{
    set(&b->in_use, true, &used[b->device], b->room);
    set(&b->reserved, true, &reserved[b->device], b->room);
}

void graph_memory_given_back(struct buffer *b) { set(&b->in_use, false, &used[b->device], b->room); }

void graph_memory_released(struct buffer *b)
{
    graph_memory_given_back(b);
    set(&b->reserved, false, &reserved[b->device], b->room);
}

static CUresult enter_device(CUdevice device, const void *value)
{
    CUresult r = enter(NEED_DRIVER);
    if (r || (is_device(device) && value))
        return r;
    return leave(is_device(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CUresult r = enter_device(device, value);
    if (r)
        return r;
    const uint64_t values[] = {used[device].now, used[device].high, reserved[device].now, reserved[device].high};
    if (attribute < USED_NOW || attribute > RESERVED_HIGH)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *(uint64_t *)value = values[attribute];
    return leave(CUDA_SUCCESS);
}

/* Only 0 is allowed: it restarts a high-water mark. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CUresult r = enter_device(device, value);
    if (r)
        return r;
    if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || *(const uint64_t *)value)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (attribute == USED_HIGH)
        used[device].high = used[device].now;
    else
        reserved[device].high = reserved[device].now;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    CUresult r = enter_device(device, &used);
    if (r)
        return r;
    for (struct buffer *b = driver.buffers; b; b = b->next)
        if (!b->in_use && b->device == device)
            set(&b->reserved, false, &reserved[b->device], b->room);
    return leave(CUDA_SUCCESS);
}
