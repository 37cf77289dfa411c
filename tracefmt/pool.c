#include "tracefmt/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES ((size_t)64 << 10)

struct pool_slab {
    struct pool_slab *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

static struct pool_slab *add_slab(struct pool *a, size_t bytes)
{
    /* large allocations get a slab of their own, behind the one being filled */
    size_t size = bytes > SLAB_BYTES / 4 ? bytes : SLAB_BYTES;
    struct pool_slab *slab = calloc(1, sizeof *slab + size);
    if (!slab)
        return NULL;
    slab->size = size;
    if (a->slabs && size == bytes) {
        slab->next = a->slabs->next;
        a->slabs->next = slab;
    } else {
        slab->next = a->slabs;
        a->slabs = slab;
    }
    return slab;
}

void *pool_alloc(struct pool *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - SLAB_BYTES) / size)
        return NULL;
    const size_t align = alignof(max_align_t);
    size_t bytes = (count * size + align) & ~(align - 1);
    if (a->limit && bytes > a->limit - a->used) {
        a->over = true;
        return NULL;
    }
    struct pool_slab *slab = a->slabs;
    if (!slab || slab->size - slab->used < bytes)
        slab = add_slab(a, bytes);
    if (!slab)
        return NULL;
    void *result = slab->data + slab->used;
    slab->used += bytes;
    a->used += bytes;
    return result;
}

char *pool_string(struct pool *a, const char *text)
{
    return pool_copy(a, text ? text : "", strlen(text ? text : "") + 1, 1);
}

void *pool_copy(struct pool *a, const void *data, size_t count, size_t size)
{
    void *copy = pool_alloc(a, count, size);
    if (copy && count && size)
        memcpy(copy, data, count * size);
    return copy;
}

void pool_free(struct pool *a)
{
    while (a->slabs) {
        struct pool_slab *next = a->slabs->next;
        free(a->slabs);
        a->slabs = next;
    }
    *a = (struct pool){.limit = a->limit};
}
