#include "tracefmt/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/utf8.h"

/* Slabs grow with the pool, so that a small pool takes little memory. */
#define SLAB_FIRST ((size_t)1 << 10)
#define SLAB_BYTES ((size_t)64 << 10)

struct pool_slab {
    struct pool_slab *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

bool budget_charge(struct budget *b, size_t bytes)
{
    if (!b)
        return true;
    size_t used = atomic_load(&b->used);
    do {
        if (used > b->limit || bytes > b->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak(&b->used, &used, used + bytes));
    return true;
}

void budget_refund(struct budget *b, size_t bytes)
{
    if (b)
        atomic_fetch_sub(&b->used, bytes);
}

static size_t slab_bytes(const struct pool *a)
{
    size_t size = SLAB_FIRST;
    while (size < a->held && size < SLAB_BYTES)
        size *= 2;
    return size;
}

static struct pool_slab *add_slab(struct pool *a, size_t bytes)
{
    /* large allocations get a slab of their own; the current slab stays in use */
    size_t wanted = slab_bytes(a), size = bytes > wanted / 4 ? bytes : wanted;
    if (!budget_charge(a->budget, sizeof(struct pool_slab) + size)) {
        a->over = true;
        return NULL;
    }
    struct pool_slab *slab = calloc(1, sizeof *slab + size);
    if (!slab) {
        budget_refund(a->budget, sizeof *slab + size);
        a->out_of_memory = true;
        return NULL;
    }
    a->held += sizeof *slab + size;
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
    char *copy = pool_copy(a, text ? text : "", strlen(text ? text : "") + 1, 1);
    if (copy)
        rp_utf8_repair(copy);
    return copy;
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
    budget_refund(a->budget, a->held);
    *a = (struct pool){.limit = a->limit, .budget = a->budget};
}
