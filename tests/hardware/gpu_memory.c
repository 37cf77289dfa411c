/* Memory of a GPU at the addresses that the engine's buffers have. */
#include "tests/hardware/gpu.h"

enum { PAGE = 2 << 20, LEAST_BYTES = 64 << 20 };

/* The functions for memory at an address of one's choice, which our own libcuda.so.1 refuses: CUDA Driver API, "Virtual
 * Memory Management". */
struct memory_properties {
    int type, handle_types;
    CUmemLocation location;
    void *security;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
};
enum { PINNED = 1, ON_DEVICE = 1, READ_AND_WRITE = 3 };
typedef unsigned long long memory_handle;
typedef int reserve_fn(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
typedef int create_fn(memory_handle *, size_t, const struct memory_properties *, unsigned long long);
typedef int map_fn(CUdeviceptr, size_t, size_t, memory_handle, unsigned long long);
typedef int set_access_fn(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
typedef int range_fn(CUdeviceptr, size_t);
typedef int release_fn(memory_handle);
#define CHOSEN(type, name, ...) ((type *)gpu_function(#name))(__VA_ARGS__)

static struct {
    uint64_t base, bytes; /* of the engine */
    CUdeviceptr at;       /* of the GPU; 0: none */
    memory_handle handle; /* of memory at base */
    bool chosen;          /* it is */
} memory;

static void unmap(void)
{
    if (memory.at && memory.chosen) {
        (void)CHOSEN(range_fn, cuMemUnmap, memory.at, memory.bytes);
        (void)CHOSEN(release_fn, cuMemRelease, memory.handle);
        (void)CHOSEN(range_fn, cuMemAddressFree, memory.at, memory.bytes);
    } else if (memory.at) {
        (void)GPU(cuMemFree_v2, memory.at);
    }
    memory.at = 0;
}

/* Puts memory at addresses that are reserved. */
static bool fill_reserved(CUdeviceptr at)
{
    const struct memory_properties p = {.type = PINNED, .location = {ON_DEVICE, 0}};
    const CUmemAccessDesc access = {{ON_DEVICE, 0}, READ_AND_WRITE};
    if (CHOSEN(create_fn, cuMemCreate, &memory.handle, memory.bytes, &p, 0))
        return false;
    if (!CHOSEN(map_fn, cuMemMap, at, memory.bytes, 0, memory.handle, 0)) {
        if (!CHOSEN(set_access_fn, cuMemSetAccess, at, memory.bytes, &access, 1))
            return true;
        (void)CHOSEN(range_fn, cuMemUnmap, at, memory.bytes);
    }
    (void)CHOSEN(release_fn, cuMemRelease, memory.handle);
    return false;
}

static bool map_at_base(void)
{
    CUdeviceptr at = 0;
    if (CHOSEN(reserve_fn, cuMemAddressReserve, &at, memory.bytes, PAGE, memory.base, 0))
        return false;
    memory.chosen = at == memory.base && fill_reserved(at);
    if (memory.chosen)
        memory.at = at;
    else
        (void)CHOSEN(range_fn, cuMemAddressFree, at, memory.bytes);
    return memory.chosen;
}

bool gpu_map(uint64_t base, uint64_t bytes)
{
    if (memory.at && memory.base <= base && base - memory.base + bytes <= memory.bytes)
        return true;
    unmap();
    memory.base = base / PAGE * PAGE;
    bytes += base - memory.base;
    memory.bytes = bytes < LEAST_BYTES ? LEAST_BYTES : (bytes + PAGE - 1) / PAGE * PAGE;
    return map_at_base() || !GPU(cuMemAlloc_v2, &memory.at, memory.bytes);
}

int64_t gpu_moved(void) { return (int64_t)(memory.at - memory.base); }

bool gpu_write(uint64_t to, const void *from, size_t bytes)
{
    return !GPU(cuMemcpyHtoD_v2, to + (uint64_t)gpu_moved(), from, bytes);
}

bool gpu_read(uint64_t from, void *to, size_t bytes)
{
    return !GPU(cuMemcpyDtoH_v2, to, from + (uint64_t)gpu_moved(), bytes);
}

void gpu_memory_lost(void) { memory.at = 0; }
