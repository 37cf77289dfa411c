#include "frontend/core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/program.h"
#include "tracefmt/plural.h"

void memory_init(struct memory *m) { *m = (struct memory){.next = HEAP_BASE}; }

static void release(struct allocation *a)
{
    if (a->owned)
        free(a->host);
    free(a->name);
    free(a);
}

void memory_clear(struct memory *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        release(m->table[i]);
    free(m->table);
    while (m->freed) {
        struct allocation *a = m->freed;
        m->freed = a->next_freed;
        free(a);
    }
    memory_init(m);
}

/* The number of allocations that begin at or below `address`. */
static uint32_t upper_bound(const struct memory *m, uint64_t address)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->table[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct memory *m, struct allocation *a)
{
    if (m->count == m->capacity) {
        uint32_t capacity = m->capacity ? 2 * m->capacity : 16;
        struct allocation **table = realloc(m->table, capacity * sizeof *table);
        if (!table)
            return false;
        m->table = table;
        m->capacity = capacity;
    }
    uint32_t at = upper_bound(m, a->base);
    memmove(m->table + at + 1, m->table + at, (m->count - at) * sizeof *m->table);
    m->table[at] = a;
    m->count++;
    for (uint32_t i = at; i < m->count; i++)
        m->table[i]->slot = i;
    return true;
}

static struct allocation *new_allocation(uint64_t base, uint64_t size, const char *name)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->base = base;
    a->size = size;
    a->name = strdup(name ? name : "");
    if (!a->name) {
        free(a);
        return NULL;
    }
    return a;
}

/* Large buffers come as untouched pages from calloc. The host address is aligned for the widest vector access (16). */
struct allocation *memory_allocate(struct memory *m, uint64_t size, const char *name)
{
    if (size > UINT64_C(1) << 44)
        return NULL;
    struct allocation *a = new_allocation(m->next, size, name);
    if (!a)
        return NULL;
    a->owned = true;
    a->host = calloc(1, size ? size : 1);
    if (!a->host || !insert(m, a)) {
        release(a);
        return NULL;
    }
    m->next += (size / MEMORY_ALIGNMENT + 2) * MEMORY_ALIGNMENT;
    return a;
}

struct allocation *memory_place(struct memory *m, uint64_t base, uint64_t size, uint8_t *host, const char *name)
{
    uint32_t above = upper_bound(m, base);
    bool overlaps_below = above > 0 && base - m->table[above - 1]->base < m->table[above - 1]->size;
    bool overlaps_above = above < m->count && m->table[above]->base - base < size;
    if (overlaps_below || overlaps_above)
        return NULL;
    struct allocation *a = new_allocation(base, size, name);
    if (!a)
        return NULL;
    a->host = host;
    a->initialised = true;
    if (!insert(m, a)) {
        release(a);
        return NULL;
    }
    return a;
}

void memory_free(struct memory *m, struct allocation *a)
{
    uint32_t at = a->slot;
    memmove(m->table + at, m->table + at + 1, (m->count - at - 1) * sizeof *m->table);
    m->count--;
    for (uint32_t i = at; i < m->count; i++)
        m->table[i]->slot = i;
    if (a->owned)
        free(a->host);
    free(a->name);
    a->host = NULL;
    a->name = NULL;
    a->size = 0;
    a->next_freed = m->freed;
    m->freed = a;
}

struct allocation *memory_find(const struct memory *m, uint64_t address)
{
    uint32_t above = upper_bound(m, address);
    if (!above)
        return NULL;
    struct allocation *a = m->table[above - 1];
    return address - a->base < a->size ? a : NULL;
}

void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size)
{
    uint32_t above = upper_bound(m, address);
    const struct allocation *below = above ? m->table[above - 1] : NULL;
    const struct allocation *next = above < m->count ? m->table[above] : NULL;
    uint64_t past = below ? address - below->base : UINT64_MAX;
    uint64_t before = next ? next->base - address : UINT64_MAX;
    const uint64_t near = UINT64_C(1) << 28;
    if (below && past < below->size)
        snprintf(text, size, "at byte %" PRIu64 " of %s (%" PRIu64 " byte%s)", past, below->name, below->size,
                 rp_plural(below->size));
    else if (below && past - below->size <= before && past - below->size < near)
        snprintf(text, size, "%" PRIu64 " byte%s past the end of %s (%" PRIu64 " byte%s)", past - below->size,
                 rp_plural(past - below->size), below->name, below->size, rp_plural(below->size));
    else if (next && before < near)
        snprintf(text, size, "%" PRIu64 " byte%s before %s (%" PRIu64 " byte%s)", before, rp_plural(before), next->name,
                 next->size, rp_plural(next->size));
    else if (address < 4096)
        snprintf(text, size, "a null pointer");
    else
        snprintf(text, size, "nothing is allocated near it");
}
