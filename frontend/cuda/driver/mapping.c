/* Addresses that a program reserves, and memory that it maps there. A reservation is one buffer, so that copies and
 * kernels may cross the borders of what is mapped; memory that is reached at several addresses at once is refused. What
 * is reserved and not mapped can be accessed all the same, unlike on a GPU. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/pending.h"

#define GRANULARITY ((size_t)2 << 20)
#define ALIGNMENT 512u

struct CUmemory_st {
    size_t bytes;
    uint64_t at;   /* 0: not mapped */
    uint8_t *kept; /* the content between two mappings */
    unsigned references;
    CUmemAllocationProp properties;
    struct CUmemory_st *next;
};
static struct CUmemory_st *all;

static struct CUmemory_st *memory_of(CUmemGenericAllocationHandle handle)
{
    for (struct CUmemory_st *m = all; m; m = m->next)
        if ((uintptr_t)m == handle)
            return m;
    return NULL;
}

static struct CUmemory_st *mapped_at(CUdeviceptr address)
{
    for (struct CUmemory_st *m = all; m; m = m->next)
        if (m->at && address - m->at < m->bytes)
            return m;
    return NULL;
}

int mapped_device(CUdeviceptr address, int other)
{
    const struct CUmemory_st *m = mapped_at(address);
    return m ? m->properties.location.id : other;
}

static void forget(struct CUmemory_st *m)
{
    struct CUmemory_st **at = &all;
    if (m->references || m->at)
        return;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    driver.used[m->properties.location.id] -= m->bytes;
    free(m->kept);
    free(m);
}

void mappings_forget(const struct buffer *b)
{
    for (struct CUmemory_st *m = all, *next; m; m = next) {
        next = m->next;
        if (m->at && m->at - b->base < b->bytes) {
            m->at = 0;
            forget(m);
        }
    }
}

/* ---- addresses ----------------------------------------------------------------------------------------------------
 */

/* The reservation that holds all of the range; NULL: none does. */
static struct buffer *reservation(CUdeviceptr address, size_t bytes)
{
    struct buffer *b = buffer_at(address);
    return b && b->kind == BUFFER_RESERVED && bytes <= b->bytes && address - b->base <= b->bytes - bytes ? b : NULL;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    (void)wanted; /* a hint */
    struct buffer *b;
    static bool reported;
    if (!address || !bytes || bytes % GRANULARITY || flags || (alignment & (alignment - 1)))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (alignment > ALIGNMENT)
        return leave(refuse("cuMemAddressReserve with an alignment of more than 512", &reported));
    r = buffer_new(BUFFER_RESERVED, bytes, 0, NULL, &b);
    if (!r)
        *address = b->base;
    return leave(r);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct buffer *b = reservation(address, bytes);
    bool whole = b && b->base == address && b->bytes == bytes;
    for (struct CUmemory_st *m = all; m && whole; m = m->next)
        whole = !m->at || m->at - address >= bytes;
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    return leave(whole ? buffer_release(b) : CUDA_ERROR_INVALID_VALUE);
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *p, int option)
{
    if (!granularity || !p || option < 0 || option > 1)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *p,
                     unsigned long long flags)
{
    static bool reported;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!handle || !p || !bytes || bytes % GRANULARITY || flags || p->type != 1)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!is_device(p->location.id))
        return leave(CUDA_ERROR_INVALID_DEVICE);
    uint64_t *used = &driver.used[p->location.id];
    if (p->requestedHandleTypes)
        return leave(refuse("cuMemCreate for other processes", &reported));
    struct CUmemory_st *m = bytes <= figures()->memory_bytes - *used ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *m = (struct CUmemory_st){.bytes = bytes, .references = 1, .properties = *p, .next = all};
    all = m;
    *used += bytes;
    *handle = (uintptr_t)m;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct CUmemory_st *m = memory_of(handle);
    if (!m || !m->references)
        return leave(CUDA_ERROR_INVALID_VALUE);
    m->references--;
    forget(m);
    return leave(CUDA_SUCCESS);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct CUmemory_st *m = mapped_at((uintptr_t)address);
    if (!handle || !m)
        return leave(CUDA_ERROR_INVALID_VALUE);
    m->references++;
    *handle = (uintptr_t)m;
    return leave(CUDA_SUCCESS);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *p, CUmemGenericAllocationHandle handle)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    const struct CUmemory_st *m = memory_of(handle);
    if (!p || !m)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *p = m->properties;
    return leave(CUDA_SUCCESS);
}

/* ---- mapping ------------------------------------------------------------------------------------------------------
 */

/* Whether another memory is mapped within the range. */
static bool is_taken(CUdeviceptr address, size_t bytes)
{
    for (const struct CUmemory_st *m = all; m; m = m->next)
        if (m->at && m->at < address + bytes && address < m->at + m->bytes)
            return true;
    return false;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    static bool reported;
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    struct CUmemory_st *m = memory_of(handle);
    const struct buffer *b = reservation(address, bytes);
    if (!m || !b || (address - b->base) % GRANULARITY || offset || flags || bytes != m->bytes ||
        is_taken(address, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (m->at)
        return leave(refuse("cuMemMap of memory that is mapped elsewhere", &reported));
    if (m->kept)
        memcpy(rp_host_range(driver.device, address, bytes), m->kept, bytes);
    free(m->kept);
    m->kept = NULL;
    m->at = address;
    return leave(CUDA_SUCCESS);
}

/* False: out of memory. */
static bool unmap(struct CUmemory_st *m)
{
    const void *from = rp_host_read(driver.device, m->at, m->bytes);
    if (m->references && !(m->kept = malloc(m->bytes)))
        return false;
    if (m->kept)
        memcpy(m->kept, from, m->bytes);
    m->at = 0;
    forget(m);
    return true;
}

/* Unmaps all memory that is mapped within the range. */
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!reservation(address, bytes) || !bytes)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if ((r = pending_wait(NULL, NULL)))
        return leave(r);
    for (struct CUmemory_st *m = all, *next; m; m = next) {
        next = m->next;
        if (m->at && m->at - address < bytes && !unmap(m))
            return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    return leave(CUDA_SUCCESS);
}

/* Host and device can access all memory. */
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    return leave(access && count && mapped_at(address) && reservation(address, bytes) ? CUDA_SUCCESS
                                                                                      : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *place, CUdeviceptr address)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!flags || !place || !mapped_at(address))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *flags = 3; /* CU_MEM_ACCESS_FLAGS_PROT_READWRITE */
    return leave(CUDA_SUCCESS);
}
