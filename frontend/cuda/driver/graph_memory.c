/* How much memory the nodes of graphs have: in use from an allocating node to a freeing one; reserved until
 * cuDeviceGraphMemTrim. */
#include "frontend/cuda/driver/driver.h"

/* Now, and the most so far. */
static struct {
    uint64_t now, high;
} used, reserved;

/* CUgraphMem_attribute */
enum { USED_NOW, USED_HIGH, RESERVED_NOW, RESERVED_HIGH };

static void set(bool *flag, bool value, uint64_t *now, uint64_t *high, uint64_t bytes)
{
    if (*flag != value)
        *now += value ? bytes : -bytes;
    *flag = value;
    *high = *now > *high ? *now : *high;
}

void graph_memory_taken(struct buffer *b)
{
    set(&b->in_use, true, &used.now, &used.high, b->room);
    set(&b->reserved, true, &reserved.now, &reserved.high, b->room);
}

void graph_memory_given_back(struct buffer *b) { set(&b->in_use, false, &used.now, &used.high, b->room); }

void graph_memory_released(struct buffer *b)
{
    graph_memory_given_back(b);
    set(&b->reserved, false, &reserved.now, &reserved.high, b->room);
}

static CUresult enter_device(CUdevice device, const void *value)
{
    CUresult r = enter(NEED_DRIVER);
    if (r || (!device && value))
        return r;
    return leave(device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    CUresult r = enter_device(device, value);
    if (r)
        return r;
    const uint64_t values[] = {used.now, used.high, reserved.now, reserved.high};
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
        used.high = used.now;
    else
        reserved.high = reserved.now;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    CUresult r = enter_device(device, &used);
    if (r)
        return r;
    for (struct buffer *b = driver.buffers; b; b = b->next)
        if (!b->in_use)
            set(&b->reserved, false, &reserved.now, &reserved.high, b->room);
    return leave(CUDA_SUCCESS);
}
