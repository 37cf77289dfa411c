#include "tracefmt/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES ((size_t)64 << 10)

struct arena_slab {
    struct arena_slab *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

static struct arena_slab *add_slab(struct arena *a, size_t bytes)
{
    /* large allocations get a slab of their own, behind the one being filled */
    size_t size = bytes > SLAB_BYTES / 4 ? bytes : SLAB_BYTES;
    struct arena_slab *slab = calloc(1, sizeof *slab + size);
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

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - SLAB_BYTES) / size)
        return NULL;
    const size_t align = alignof(max_align_t);
    size_t bytes = (count * size + align) & ~(align - 1);
    if (a->limit && bytes > a->limit - a->used) {
        a->over = true;
        return NULL;
    }
    struct arena_slab *slab = a->slabs;
    if (!slab || slab->size - slab->used < bytes)
        slab = add_slab(a, bytes);
    if (!slab)
        return NULL;
    void *result = slab->data + slab->used;
    slab->used += bytes;
    a->used += bytes;
    return result;
}

char *arena_string(struct arena *a, const char *text)
{
    return arena_copy(a, text ? text : "", strlen(text ? text : "") + 1, 1);
}

void *arena_copy(struct arena *a, const void *data, size_t count, size_t size)
{
    void *copy = arena_alloc(a, count, size);
    if (copy && count && size)
        memcpy(copy, data, count * size);
    return copy;
}

void arena_free(struct arena *a)
{
    while (a->slabs) {
        struct arena_slab *next = a->slabs->next;
        free(a->slabs);
        a->slabs = next;
    }
    *a = (struct arena){.limit = a->limit};
}
