/* Queries of pointers. */
#include <string.h>

#include "frontend/cuda/driver/driver.h"

struct known {
    const struct buffer *buffer; /* NULL: a variable of a module */
    struct rp_range range;
    CUdeviceptr pointer;
};

/* The value of an attribute as 64 bits, and its size in bytes. */
static CUresult value_of(const struct known *k, CUpointer_attribute attribute, uint64_t *value, size_t *bytes)
{
    const struct buffer *b = k->buffer;
    enum buffer_kind kind = b ? b->kind : BUFFER_DEVICE;
    bool of_host = kind == BUFFER_PINNED || kind == BUFFER_REGISTERED;
    *bytes = 8;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *value = (uintptr_t)(b ? b->context : current_context()); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *value = of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        *bytes = 4;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *value = k->pointer; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (kind == BUFFER_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        *value = k->pointer;
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *value = 1, *bytes = 4; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *value = b ? b->id : k->range.base; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *value = kind == BUFFER_MANAGED, *bytes = 4; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = b ? (uint64_t)b->device : k->range.owner;
        *bytes = 4;
        break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *value = 0, *bytes = 4; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *value = k->range.base; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *value = b ? b->bytes : k->range.bytes; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *value = 1, *bytes = 4; break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *value = 0; break;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *value = 0, *bytes = 4; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *value = 3, *bytes = 4; break; /* readable and writable */
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *value = (uintptr_t)(b ? b->pool : NULL); break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static bool look_up(CUdeviceptr pointer, struct known *k)
{
    *k = (struct known){.pointer = pointer};
    bool found = driver.device && rp_find(driver.device, pointer, &k->range);
    k->buffer = found ? k->range.user : NULL;
    return found;
}

CUresult cuPointerGetAttribute(void *to, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct known k;
    uint64_t value;
    size_t bytes;
    r = to && look_up(pointer, &k) ? value_of(&k, attribute, &value, &bytes) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        memcpy(to, &value, bytes);
    return leave(r);
}

/* For unknown pointers, everything is zero. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr pointer)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!attributes || !values)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct known k, any = {0};
    bool known = look_up(pointer, &k);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = 0;
        size_t bytes = 0;
        if (!known || value_of(&k, attributes[i], &value, &bytes)) {
            value_of(&any, attributes[i], &value, &bytes);
            value = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (uint64_t)-2 : 0;
        }
        memcpy(values[i], &value, bytes);
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct known k;
    bool ok = value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && look_up(pointer, &k);
    return leave(ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
