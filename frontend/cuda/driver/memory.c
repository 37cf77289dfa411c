/* Memory that programs allocate. Device, pinned and managed memory is in the device's range, at the same address for
 * host and kernels; registered memory belongs to the program. */
#include <inttypes.h>
#include <stdlib.h>

#include "frontend/cuda/driver/check.h"
#include "frontend/cuda/driver/pending.h"

#define GRANULE 512u /* GPUs allocate multiples of this */

struct buffer *buffer_at(CUdeviceptr address)
{
    struct rp_range range;
    return driver.device && rp_find(driver.device, address, &range) ? range.user : NULL;
}

uint32_t access_to(int device, CUmemoryPool pool)
{
    return UINT32_C(1) << device | (pool ? pool_access(pool) : driver.peers[device]);
}

void memory_is_of(int device, uint32_t devices) { rp_set_owner(driver.device, (uint32_t)device, devices); }

void access_changed(int device)
{
    for (const struct buffer *b = driver.buffers; b; b = b->next)
        if (b->kind == BUFFER_DEVICE && b->device == device)
            rp_set_access(driver.device, b->base, access_to(device, b->pool));
    modules_access(device, access_to(device, NULL));
}

int device_at(CUdeviceptr address, int other)
{
    struct rp_range range;
    if (!rp_find(driver.device, address, &range) && !rp_find_constants(driver.device, address, &range))
        return other;
    const struct buffer *b = range.user;
    if (!b)
        return (int)range.owner;
    return b->kind == BUFFER_DEVICE ? b->device : b->kind == BUFFER_RESERVED ? mapped_device(address, other) : other;
}

static void list(struct buffer *b)
{
    b->id = ++driver.next_id;
    b->context = current_context();
    b->next = driver.buffers;
    b->link = &driver.buffers;
    if (b->next)
        b->next->link = &b->next;
    driver.buffers = b;
    driver.used[b->device] += b->room;
    pool_account(b->pool, (int64_t)b->room);
    check_made(b);
    rp_set_user(driver.device, b->base, b);
}

static const char *const names[] = {"device memory",     "pinned memory",      "managed memory",
                                    "registered memory", "reserved addresses", "memory of another process"};

CUresult buffer_new(enum buffer_kind kind, size_t bytes, unsigned flags, CUmemoryPool pool, struct buffer **made)
{
    uint64_t room = (bytes + GRANULE - 1) / GRANULE * GRANULE, total = figures()->memory_bytes;
    int device = pool ? pool_device(pool) : current_device();
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > SIZE_MAX - GRANULE || (kind == BUFFER_DEVICE && room > total - driver.used[device]))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct rp_error err = {0};
    struct buffer *b = calloc(1, sizeof *b);
    if (!b)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory_is_of(device, kind == BUFFER_DEVICE ? access_to(device, pool) : UINT32_MAX);
    b->base = rp_alloc(driver.device, bytes, names[kind], &err);
    if (!b->base) {
        free(b);
        say("%s", err.text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    b->bytes = bytes;
    b->kind = kind;
    b->device = device;
    b->flags = flags;
    b->pool = pool;
    b->room = kind == BUFFER_DEVICE ? room : 0;
    list(b);
    if (kind == BUFFER_PINNED || kind == BUFFER_MANAGED) {
        rp_host(driver.device, b->base, bytes);
        rp_set_unannounced(driver.device, b->base);
    }
    *made = b;
    return CUDA_SUCCESS;
}

CUresult buffer_release(struct buffer *b)
{
    struct rp_error err = {0};
    check_freed(b);
    if (b->of_graph)
        graph_memory_released(b);
    if (b->kind == BUFFER_RESERVED)
        mappings_forget(b);
    ipc_forget(b);
    bool ok = rp_free(driver.device, b->base, &err);
    *b->link = b->next;
    if (b->next)
        b->next->link = b->link;
    driver.used[b->device] -= b->room;
    pool_account(b->pool, -(int64_t)b->room);
    free(b);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void buffers_free(CUcontext context)
{
    for (struct buffer *b = driver.buffers, *next; b; b = next) {
        next = b->next;
        if (!context || b->context == context)
            buffer_release(b);
    }
}

uint8_t *view(CUdeviceptr address, size_t bytes, bool write, bool *device)
{
    struct rp_range range;
    bool found = rp_find(driver.device, address, &range),
         constant = !found && rp_find_constants(driver.device, address, &range);
    *device = found || constant || rp_reserved(driver.device, address);
    if (!*device)
        return (uint8_t *)(uintptr_t)address;
    const struct buffer *b = found ? range.user : NULL;
    uint64_t end = b ? b->base + b->bytes : found || constant ? range.base + range.bytes : 0;
    if (constant && write)
        rp_all_changed(driver.device);
    if (address <= end && bytes <= end - address)
        return constant ? (uint8_t *)(uintptr_t)address
               : write  ? rp_host_range(driver.device, address, bytes)
                        : (uint8_t *)(uintptr_t)rp_host_read(driver.device, address, bytes);
    if (bytes) /* without, the caller only asks where the address is */
        check_misused(address, "a copy or fill of %zu bytes at 0x%llx %s", bytes, address,
                      end ? "goes beyond what is allocated there" : "is of memory that is not allocated");
    return NULL;
}

const uint8_t *content_at(CUdeviceptr address, size_t bytes)
{
    struct rp_range range;
    if (rp_find_constants(driver.device, address, &range))
        return bytes <= range.bytes - (address - range.base) ? (const uint8_t *)(uintptr_t)address : NULL;
    return rp_host_read(driver.device, address, bytes);
}

void wrote(CUdeviceptr address, size_t bytes, size_t pitch, size_t rows)
{
    for (size_t y = 0; driver.defaults.check && y < rows; y++)
        rp_wrote(driver.device, driver.defaults.check, address + y * pitch, bytes);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    uint64_t all = figures()->memory_bytes, used = driver.used[current_device()];
    if (free_bytes)
        *free_bytes = all > used ? all - used : 0;
    if (total)
        *total = all;
    return leave(CUDA_SUCCESS);
}

static CUresult allocate(enum buffer_kind kind, void *to, size_t bytes, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if ((r = capture_forbids_unsafe()))
        return leave(r);
    struct buffer *b;
    r = to ? buffer_new(kind, bytes, flags, NULL, &b) : CUDA_ERROR_INVALID_VALUE;
    if (!r)
        *(CUdeviceptr *)to = b->base;
    return leave(r);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) { return allocate(BUFFER_DEVICE, address, bytes, 0); }

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    size_t row = (width + GRANULE - 1) / GRANULE * GRANULE;
    if (!pitch || !width || !height || row < width || height > SIZE_MAX / row)
        return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = allocate(BUFFER_DEVICE, address, row * height, 0);
    if (!r)
        *pitch = row;
    return r;
}

/* What is freed is no allocation of this kind; b NULL: it is in none. */
static void say_unfit(CUdeviceptr address, const struct buffer *b, bool pinned)
{
    static const char *const kinds[] = {[BUFFER_DEVICE] = "memory of the device",
                                        [BUFFER_PINNED] = "pinned memory of the host",
                                        [BUFFER_MANAGED] = "managed memory",
                                        [BUFFER_REGISTERED] = "memory of the host that the program has registered",
                                        [BUFFER_RESERVED] = "a reservation of addresses",
                                        [BUFFER_IMPORTED] = "memory of another process"};
    static const char *const ways[] = {
        [BUFFER_DEVICE] = "cudaFree()",           [BUFFER_PINNED] = "cudaFreeHost()",
        [BUFFER_MANAGED] = "cudaFree()",          [BUFFER_REGISTERED] = "cudaHostUnregister()",
        [BUFFER_RESERVED] = "cuMemAddressFree()", [BUFFER_IMPORTED] = "cudaIpcCloseMemHandle()"};
    if (b && b->base == address && ((b->kind == BUFFER_PINNED) != pinned || b->kind > BUFFER_MANAGED))
        check_misused(address, "0x%llx is freed by %s, but it is %s: %s frees it", address,
                      pinned ? "cudaFreeHost() or cuMemFreeHost()" : "cudaFree() or cuMemFree()", kinds[b->kind],
                      ways[b->kind]);
    else
        check_misused(address, "0x%llx is freed, but it is not the beginning of %s", address,
                      pinned ? "pinned memory" : "an allocation");
}

static CUresult free_kinds(CUdeviceptr address, bool pinned)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r) {
        check_given_back(address);
        return r;
    }
    if (!address)
        return leave(pinned ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
    if ((r = capture_forbids_unsafe()))
        return leave(r);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    struct buffer *b = buffer_at(address);
    bool fits = b && b->base == address && b->kind != BUFFER_REGISTERED && b->kind < BUFFER_RESERVED &&
                (b->kind == BUFFER_PINNED) == pinned;
    fits = fits || (b && !pinned && ipc_of_pool(b, address));
    if (!fits)
        say_unfit(address, b, pinned);
    if (fits && b->of_graph) { /* the graph's next launch allocates it again */
        graph_memory_given_back(b);
        return leave(CUDA_SUCCESS);
    }
    return leave(fits ? buffer_release(b) : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemFree_v2(CUdeviceptr address) { return free_kinds(address, false); }
CUresult cuMemFreeHost(void *address) { return free_kinds((uintptr_t)address, true); }

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct rp_range range;
    if (!rp_find(driver.device, address, &range))
        return leave(CUDA_ERROR_NOT_FOUND);
    const struct buffer *b = range.user;
    if (base)
        *base = range.base;
    if (bytes)
        *bytes = b ? b->bytes : range.bytes;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    return flags & ~7u ? CUDA_ERROR_INVALID_VALUE : allocate(BUFFER_PINNED, address, bytes, flags);
}
CUresult cuMemAllocHost_v2(void **address, size_t bytes)
{
    return allocate(BUFFER_PINNED, address, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
}
CUresult cuMemAllocHost(void **address, size_t bytes) { return cuMemAllocHost_v2(address, bytes); }

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    return allocate(BUFFER_MANAGED, address, bytes, flags);
}

static bool is_hosts(const struct buffer *b) { return b && (b->kind == BUFFER_PINNED || b->kind == BUFFER_REGISTERED); }

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!address || flags || !is_hosts(buffer_at((uintptr_t)host)))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *address = (uintptr_t)host;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    const struct buffer *b = buffer_at((uintptr_t)host);
    if (!flags || !is_hosts(b))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *flags = b->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct rp_error err = {0};
    if (!host || !bytes || flags & ~15u)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (buffer_at((uintptr_t)host))
        return leave(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    struct buffer *b = calloc(1, sizeof *b);
    memory_is_of(current_device(), UINT32_MAX);
    if (!b || !rp_share(driver.device, host, bytes, names[BUFFER_REGISTERED], &err)) {
        free(b);
        say("cuMemHostRegister: %s", b ? err.text : "out of memory");
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    *b = (struct buffer){
        .base = (uintptr_t)host, .bytes = bytes, .kind = BUFFER_REGISTERED, .device = current_device(), .flags = flags};
    list(b);
    return leave(CUDA_SUCCESS);
}
CUresult cuMemHostRegister(void *host, size_t bytes, unsigned flags)
{
    return cuMemHostRegister_v2(host, bytes, flags);
}

CUresult cuMemHostUnregister(void *host)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    struct buffer *b = buffer_at((uintptr_t)host);
    bool fits = b && b->kind == BUFFER_REGISTERED && b->base == (uintptr_t)host;
    return leave(fits ? buffer_release(b) : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}
