/* Memory pools: they count allocations, and hold no memory back. */
#include <stdlib.h>

#include "frontend/cuda/driver/check.h"

struct CUmemPoolHandle_st {
    uint64_t used, high, threshold;
    int reuse[3]; /* attributes 1 to 3 */
    struct CUmemPoolHandle_st *next;
};
static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static CUmemoryPool device_pool = &default_pool;

static bool is_pool(CUmemoryPool p) { return p == &default_pool || handle_is(HANDLE_POOL, p); }

void pool_account(CUmemoryPool p, int64_t bytes)
{
    if (!p || !is_pool(p))
        return;
    p->used += (uint64_t)bytes;
    p->high = p->used > p->high ? p->used : p->high;
}

static CUresult give(CUmemoryPool *to, CUmemoryPool pool, CUdevice device)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!to || device)
        return leave(to ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *to = pool;
    return leave(CUDA_SUCCESS);
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) { return give(pool, &default_pool, device); }
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) { return give(pool, device_pool, device); }

/* Enters the driver for an operation on a pool. */
static CUresult enter_pool(CUmemoryPool pool)
{
    CUresult r = enter(NEED_DRIVER);
    return r || is_pool(pool) ? r : leave(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!device)
        device_pool = pool;
    return leave(device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!pool || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->location.id)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUmemoryPool p = calloc(1, sizeof *p);
    if (!p || !handle_add(HANDLE_POOL, p)) {
        free(p);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    *pool = p;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (pool == &default_pool)
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (struct buffer *b = driver.buffers; b; b = b->next)
        b->pool = b->pool == pool ? NULL : b->pool;
    device_pool = device_pool == pool ? &default_pool : device_pool;
    handle_remove(pool);
    free(pool);
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    (void)bytes;
    CUresult r = enter_pool(pool);
    return r ? r : leave(CUDA_SUCCESS);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!value)
        return leave(CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: pool->reuse[attribute - 1] = *(int *)value; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool->threshold = *(uint64_t *)value; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: /* only 0 is allowed: restarts the high-water mark */
        if (*(uint64_t *)value)
            return leave(CUDA_ERROR_INVALID_VALUE);
        pool->high = pool->used;
        break;
    default: return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!value)
        return leave(CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *(int *)value = pool->reuse[attribute - 1]; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *(uint64_t *)value = pool->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *(uint64_t *)value = pool->used; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *(uint64_t *)value = pool->high; break;
    default: return leave(CUDA_ERROR_INVALID_VALUE);
    }
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    CUresult r = enter_pool(pool);
    return r ? r : leave(access || !count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *place)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!flags || !place)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *flags = 3;
    return leave(CUDA_SUCCESS);
}

/* ---- allocations ------------------------------------------------------------------------------------------------- */

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream handle)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct buffer *b;
    pool = pool ? pool : device_pool;
    CUstream stream = stream_of(handle);
    if (!address || !stream || !is_pool(pool))
        return leave(stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE);
    r = buffer_new(BUFFER_DEVICE, bytes, 0, pool, &b);
    if (r)
        return leave(r);
    *address = b->base;
    b->of_graph = stream->capture;
    return leave(b->of_graph ? submit(stream, &(struct work){.kind = WORK_ALLOCATE, .memory = b->base}) : r);
}
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    return allocate(address, bytes, NULL, stream);
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return pool ? allocate(address, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r) {
        check_given_back(address);
        return r;
    }
    CUstream stream = stream_of(handle);
    const struct buffer *b = buffer_at(address);
    if (!address || !stream)
        return leave(stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
    if (!b || b->base != address || b->kind != BUFFER_DEVICE)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(submit(stream, &(struct work){.kind = WORK_FREE, .memory = address}));
}
