/* Filling memory with a value of 1, 2 or 4 bytes. */
#include <string.h>

#include "frontend/cuda/driver/driver.h"

CUresult set_check(const CUDA_MEMSET_NODE_PARAMS *s)
{
    size_t width = s->width * s->elementSize;
    bool ok = (s->elementSize == 1 || s->elementSize == 2 || s->elementSize == 4) && !(s->dst % s->elementSize) &&
              (s->height <= 1 || (s->pitch >= width && !(s->pitch % s->elementSize)));
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void fill(uint8_t *to, unsigned value, unsigned element, size_t count)
{
    if (element == 1)
        memset(to, (int)value, count);
    for (size_t i = 0; element == 2 && i < count; i++)
        ((uint16_t *)to)[i] = (uint16_t)value;
    for (size_t i = 0; element == 4 && i < count; i++)
        ((uint32_t *)to)[i] = value;
}

/* Whether all of a row has the value: it begins with it, and each element equals the next one. */
static bool is_filled(const uint8_t *at, unsigned value, unsigned element, size_t count)
{
    uint8_t first[4];
    fill(first, value, element, 1);
    return !memcmp(at, first, element) && !memcmp(at, at + element, (count - 1) * element);
}

/* Whether the memory has the content that it is to get. */
static bool is_set(const CUDA_MEMSET_NODE_PARAMS *s, size_t bytes)
{
    const uint8_t *at = driver.defaults.spare_repeats ? content_at(s->dst, bytes) : NULL;
    for (size_t y = 0; at && y < s->height; y++)
        if (!is_filled(at + y * s->pitch, s->value, s->elementSize, s->width))
            return false;
    return at;
}

/* CUDA Driver API, "API synchronization behavior", Memset: the host waits if the memory is host or managed memory, but
 * never in an asynchronous call. */
static enum rp_host_waits set_waits(const struct work *w)
{
    const struct buffer *b = w->call == BLOCKING ? buffer_at(w->set.dst) : NULL;
    return b && b->kind != BUFFER_DEVICE ? RP_WAITS : RP_WAITS_NOT;
}

CUresult set_run(CUstream stream, const struct work *w)
{
    const CUDA_MEMSET_NODE_PARAMS *s = &w->set;
    size_t width = s->width * s->elementSize, bytes = (s->height - 1) * s->pitch + width;
    bool device;
    if (!width || !s->height)
        return CUDA_SUCCESS;
    bool done = is_set(s, bytes);
    uint8_t *to = view(s->dst, bytes, !done, &device);
    if (!to || !device)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t y = 0; !done && y < s->height; y++)
        fill(to + y * s->pitch, s->value, s->elementSize, s->width);
    wrote(s->dst, width, s->pitch, s->height);
    record_operation(&(struct rp_host_operation){.kind = RP_HOST_SET,
                                                 .waits = set_waits(w),
                                                 .device = (uint32_t)stream->device,
                                                 .stream = stream->number,
                                                 .address = s->dst,
                                                 .size = width * s->height});
    return CUDA_SUCCESS;
}

static CUresult set(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                    CUstream handle, bool blocking)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct work w = {.kind = WORK_SET,
                     .call = blocking ? BLOCKING : ASYNCHRONOUS,
                     .set = {to, pitch, value, element, width, height}};
    CUstream stream = stream_of(handle);
    r = stream ? set_check(&w.set) : CUDA_ERROR_INVALID_HANDLE;
    return leave(r ? r : submit(stream, &w));
}

#define LINE(name, asynchronous, type, element)                                                                        \
    CUresult name(CUdeviceptr to, type value, size_t count)                                                            \
    {                                                                                                                  \
        return set(to, 0, value, element, count, 1, NULL, true);                                                       \
    }                                                                                                                  \
    CUresult asynchronous(CUdeviceptr to, type value, size_t count, CUstream stream)                                   \
    {                                                                                                                  \
        return set(to, 0, value, element, count, 1, stream, false);                                                    \
    }
LINE(cuMemsetD8_v2, cuMemsetD8Async, unsigned char, 1)
LINE(cuMemsetD16_v2, cuMemsetD16Async, unsigned short, 2)
LINE(cuMemsetD32_v2, cuMemsetD32Async, unsigned, 4)

#define RECTANGLE(name, asynchronous, type, element)                                                                   \
    CUresult name(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)                               \
    {                                                                                                                  \
        return set(to, pitch, value, element, width, height, NULL, true);                                              \
    }                                                                                                                  \
    CUresult asynchronous(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream)      \
    {                                                                                                                  \
        return set(to, pitch, value, element, width, height, stream, false);                                           \
    }
RECTANGLE(cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char, 1)
RECTANGLE(cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short, 2)
RECTANGLE(cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned, 4)
