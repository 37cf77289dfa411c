/* Memory pools: they count allocations, and hold no memory back. */
#include <stdlib.h>
#include <unistd.h>

#include "frontend/cuda/driver/check.h"

struct CUmemPoolHandle_st {
    uint64_t used, high, threshold;
    int reuse[3]; /* attributes 1 to 3 */
    bool made;    /* of a default pool */
    int device;
    uint32_t access; /* other devices whose kernels may access its memory, a bit each */
    int handles;     /* CUmemAllocationHandleType, or-ed: what may stand for it in other processes */
    struct pool_origin origin;
};
/* Of each device: its default pool, and the one that it uses; NULL: the default pool. */
static struct CUmemPoolHandle_st defaults[DEVICES_MOST];
static CUmemoryPool chosen[DEVICES_MOST];

static CUmemoryPool default_pool(int device)
{
    CUmemoryPool p = &defaults[device];
    if (!p->made)
        *p = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}, .made = true, .device = device, .origin.file = -1};
    return p;
}

static CUmemoryPool device_pool(int device) { return chosen[device] ? chosen[device] : default_pool(device); }

static bool is_default(const struct CUmemPoolHandle_st *p)
{
    for (int d = 0; d < driver.devices; d++)
        if (p == &defaults[d])
            return true;
    return false;
}

static bool is_pool(CUmemoryPool p) { return is_default(p) || handle_is(HANDLE_POOL, p); }

int pool_device(CUmemoryPool p) { return p->device; }
uint32_t pool_access(CUmemoryPool p) { return p->access; }
bool pool_is_for(CUmemoryPool p, int type) { return p->handles & type; }
const struct pool_origin *pool_origin(CUmemoryPool p) { return is_pool(p) ? &p->origin : NULL; }

static CUmemoryPool new_pool(int device, const struct pool_origin *origin)
{
    CUmemoryPool p = calloc(1, sizeof *p);
    if (!p || !handle_add(HANDLE_POOL, p)) {
        free(p);
        return NULL;
    }
    *p = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}, .device = device, .origin = *origin};
    return p;
}

CUmemoryPool pool_import(const struct pool_origin *origin) { return new_pool(current_device(), origin); }

void pool_account(CUmemoryPool p, int64_t bytes)
{
    if (!p || !is_pool(p))
        return;
    p->used += (uint64_t)bytes;
    p->high = p->used > p->high ? p->used : p->high;
}

static CUresult give(CUmemoryPool *to, CUmemoryPool (*pool)(int), CUdevice device)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!to || !is_device(device))
        return leave(to ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *to = pool(device);
    return leave(CUDA_SUCCESS);
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) { return give(pool, default_pool, device); }
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
    if (!is_device(device) || pool->device != device || pool->origin.file >= 0)
        return leave(is_device(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE);
    chosen[device] = pool;
    return leave(CUDA_SUCCESS);
}

/* Whether memory of a type has a pool of a device at a place. CUDA 13 has pools of the host's and of managed memory,
   too: they are refused. */
static CUresult check_place(const CUmemLocation *place, int type)
{
    static bool reported;
    bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
    if (!place || (type != CU_MEM_ALLOCATION_TYPE_PINNED && !managed) || place->type < CU_MEM_LOCATION_TYPE_NONE ||
        place->type > CU_MEM_LOCATION_TYPE_HOST_NUMA || (place->type == CU_MEM_LOCATION_TYPE_NONE && !managed))
        return CUDA_ERROR_INVALID_VALUE;
    if (managed || place->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return refuse("a memory pool of the host or of managed memory", &reported);
    return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *place, int type)
{
    CUresult r = check_place(place, type);
    return r ? r : cuDeviceGetDefaultMemPool(pool, place->id);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *place, int type)
{
    CUresult r = check_place(place, type);
    return r ? r : cuDeviceGetMemPool(pool, place->id);
}

CUresult cuMemSetMemPool(CUmemLocation *place, int type, CUmemoryPool pool)
{
    CUresult r = check_place(place, type);
    return r ? r : cuDeviceSetMemPool(place->id, pool);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!pool || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !is_device(properties->location.id))
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUmemoryPool p = new_pool(properties->location.id, &(struct pool_origin){.number = ++driver.next_id, .file = -1});
    if (!p)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    p->handles = properties->handleTypes;
    *pool = p;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (is_default(pool))
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (struct buffer *b = driver.buffers; b; b = b->next)
        b->pool = b->pool == pool ? NULL : b->pool;
    if (chosen[pool->device] == pool)
        chosen[pool->device] = NULL;
    handle_remove(pool);
    if (pool->origin.file >= 0)
        close(pool->origin.file);
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

/* A device always has access to its own pool. */
static CUresult check_access(CUmemoryPool pool, const CUmemAccessDesc *a)
{
    enum { NONE, READ, READ_AND_WRITE = 3 }; /* CUmemAccess_flags */
    if (a->location.type != CU_MEM_LOCATION_TYPE_DEVICE || a->flags < NONE || a->flags > READ_AND_WRITE)
        return CUDA_ERROR_INVALID_VALUE;
    bool fits = is_device(a->location.id) && (a->flags || a->location.id != pool->device);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!access && count)
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count && !r; i++)
        r = check_access(pool, &access[i]);
    for (size_t i = 0; i < count && !r; i++) {
        uint32_t bit = UINT32_C(1) << access[i].location.id;
        pool->access = access[i].flags ? pool->access | bit : pool->access & ~bit;
    }
    access_changed(pool->device);
    return leave(r);
}

CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, CUmemLocation *place)
{
    CUresult r = enter_pool(pool);
    if (r)
        return r;
    if (!flags || !place || place->type != CU_MEM_LOCATION_TYPE_DEVICE || !is_device(place->id))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *flags = access_to(pool->device, pool) >> place->id & 1 ? 3 : 0;
    return leave(CUDA_SUCCESS);
}

/* ---- allocations ------------------------------------------------------------------------------------------------- */

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream handle)
{
    CUresult r = enter_on(handle);
    if (r)
        return r;
    struct buffer *b;
    CUstream stream = stream_of(handle);
    pool = pool || !stream ? pool : device_pool(stream->device);
    if (!address || !stream || !is_pool(pool) || pool->origin.file >= 0)
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
    CUresult r = enter_on(handle);
    if (r) {
        check_given_back(address);
        return r;
    }
    CUstream stream = stream_of(handle);
    const struct buffer *b = buffer_at(address);
    if (!address || !stream)
        return leave(stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
    if (!b || !((b->base == address && b->kind == BUFFER_DEVICE) || ipc_of_pool(b, address)))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(submit(stream, &(struct work){.kind = WORK_FREE, .memory = address}));
}
