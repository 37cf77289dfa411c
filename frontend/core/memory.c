#include "frontend/core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/large_pages.h"
#include "frontend/core/program.h"
#include "frontend/core/storage.h"
#include "tracefmt/plural.h"

void memory_init(struct memory *m) { *m = (struct memory){.next = HEAP_BASE, .devices = UINT32_MAX}; }

static bool is_owned(const struct allocation *a) { return a->kind <= ALLOCATION_HEAP; }

void memory_store(struct memory *m, struct storage *storage)
{
    m->storage = storage;
    m->next = storage_base(storage) + STORAGE_MODULES;
}

static void release_host(struct memory *m, struct allocation *a)
{
    if (!is_owned(a))
        return;
    if (m->storage)
        storage_give(m->storage, a->base, a->size + a->slack);
    else
        free(a->host);
}

static void release(struct memory *m, struct allocation *a)
{
    release_host(m, a);
    free(a->name);
    free(a);
}

/* ---- the tree: Seidel and Aragon, "Randomized Search Trees", Algorithmica 16, 1996 --------------------------------
 */

/* A hash of the address (the finaliser of splitmix64), so that the tree's shape is random but reproducible. */
static uint64_t priority_of(uint64_t address)
{
    uint64_t z = address + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Splits the tree into the allocations below `address` and the others. */
static void tree_split(struct allocation *at, uint64_t address, struct allocation **below, struct allocation **rest)
{
    while (at) {
        if (at->base < address) {
            *below = at;
            below = &at->right;
            at = at->right;
        } else {
            *rest = at;
            rest = &at->left;
            at = at->left;
        }
    }
    *below = *rest = NULL;
}

/* Joins two trees; everything in `below` lies below everything in `above`. */
static struct allocation *tree_join(struct allocation *below, struct allocation *above)
{
    struct allocation *root, **to = &root;
    while (below && above) {
        if (below->priority >= above->priority) {
            *to = below;
            to = &below->right;
            below = below->right;
        } else {
            *to = above;
            to = &above->left;
            above = above->left;
        }
    }
    *to = below ? below : above;
    return root;
}

static void tree_insert(struct memory *m, struct allocation *a)
{
    struct allocation **to = &m->root;
    a->priority = priority_of(a->base);
    while (*to && (*to)->priority > a->priority)
        to = (*to)->base < a->base ? &(*to)->right : &(*to)->left;
    tree_split(*to, a->base, &a->left, &a->right);
    *to = a;
    m->count++;
}

static void tree_remove(struct memory *m, struct allocation *a)
{
    struct allocation **to = &m->root;
    while (*to != a)
        to = (*to)->base < a->base ? &(*to)->right : &(*to)->left;
    *to = tree_join(a->left, a->right);
    m->count--;
}

struct allocation *memory_below(const struct memory *m, uint64_t address)
{
    struct allocation *found = NULL;
    for (struct allocation *a = m->root; a;) {
        if (a->base > address) {
            a = a->left;
        } else {
            found = a;
            a = a->right;
        }
    }
    return found;
}

struct allocation *memory_from(const struct memory *m, uint64_t address)
{
    struct allocation *found = NULL;
    for (struct allocation *a = m->root; a;) {
        if (a->base < address) {
            a = a->right;
        } else {
            found = a;
            a = a->left;
        }
    }
    return found;
}

struct allocation *memory_find(const struct memory *m, uint64_t address)
{
    struct allocation *a = memory_below(m, address);
    return a && address - a->base < a->size ? a : NULL;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static bool log_grow(struct memory *m)
{
    if (m->log_count < m->log_capacity)
        return true;
    size_t capacity = m->log_capacity ? 2 * m->log_capacity : 64;
    struct rp_host_operation *log = realloc(m->log, capacity * sizeof *log);
    if (!log)
        return false;
    m->log = log;
    m->log_capacity = capacity;
    return true;
}

/* Copies the name, if there is one. */
static void log_add(struct memory *m, const struct rp_host_operation *o)
{
    if (!m->logging || m->log_lost)
        return;
    char *name = o->name ? strdup(o->name) : NULL;
    m->log_lost = (o->name && !name) || !log_grow(m);
    if (m->log_lost) {
        free(name);
        return;
    }
    m->log[m->log_count] = *o;
    m->log[m->log_count++].name = name;
}

static void log_forget(struct memory *m)
{
    for (size_t i = 0; i < m->log_count; i++)
        free((char *)m->log[i].name);
    m->log_count = 0;
}

/* Logs the allocation again if it is in the log already: the last entry of an address says what is there. */
static void log_allocation(struct memory *m, struct allocation *a)
{
    a->logged = m->log_count;
    log_add(m, &(struct rp_host_operation){.kind = RP_HOST_ALLOCATE,
                                           .address = a->base,
                                           .size = a->size,
                                           .name = a->name,
                                           .initialised = a->initialised,
                                           .managed = a->kind == ALLOCATION_HOST,
                                           .device = a->owner});
}

void memory_log(struct memory *m)
{
    log_forget(m);
    m->log_whole = !m->logging && !m->root;
    m->logging = true;
    m->log_lost = false;
}

void memory_log_operation(struct memory *m, const struct rp_host_operation *o) { log_add(m, o); }

/* Marks an allocation as initialised. If the log still has its entry, the entry is updated. */
void memory_initialise(struct memory *m, struct allocation *a)
{
    if (a->initialised)
        return;
    a->initialised = true;
    struct rp_host_operation *o = a->logged < m->log_count ? &m->log[a->logged] : NULL;
    if (o && o->kind == RP_HOST_ALLOCATE && o->address == a->base)
        o->initialised = true;
    else
        log_allocation(m, a);
}

void memory_changed(struct memory *m, struct allocation *a) { a->version = ++m->versions; }
void memory_all_changed(struct memory *m) { m->all_changed = ++m->versions; }

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

void memory_reclaim(struct memory *m)
{
    while (m->freed) {
        struct allocation *a = m->freed;
        m->freed = a->left;
        free(a);
    }
}

void memory_clear(struct memory *m)
{
    while (m->root) {
        struct allocation *a = m->root;
        tree_remove(m, a);
        release(m, a);
    }
    storage_free(m->storage);
    memory_reclaim(m);
    free(m->free_ids);
    log_forget(m);
    free(m->log);
    memory_init(m);
}

/* Reserves room for the id in the list of free ids, so that freeing an allocation needs no memory. */
static bool take_id(struct memory *m, uint32_t *id)
{
    if (m->free_id_count) {
        *id = m->free_ids[--m->free_id_count];
        return true;
    }
    if (m->ids == m->free_id_capacity) {
        uint32_t capacity = m->free_id_capacity ? 2 * m->free_id_capacity : 64;
        uint32_t *ids = realloc(m->free_ids, capacity * sizeof *ids);
        if (!ids)
            return false;
        m->free_ids = ids;
        m->free_id_capacity = capacity;
    }
    *id = m->ids++;
    return true;
}

static struct allocation *new_allocation(struct memory *m, uint64_t base, uint64_t size, const char *name,
                                         enum allocation_kind kind)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->base = base;
    a->size = size;
    a->kind = (uint8_t)kind;
    a->owner = m->owner;
    a->devices = m->devices;
    a->version = ++m->versions;
    a->name = strdup(name ? name : "");
    if (!a->name || !take_id(m, &a->id)) {
        free(a->name);
        free(a);
        return NULL;
    }
    return a;
}

/* Whether no allocation overlaps the range, and no empty allocation begins in it. */
static bool range_is_free(const struct memory *m, uint64_t base, uint64_t size)
{
    const struct allocation *below = memory_below(m, base), *above = memory_from(m, base);
    if (below && (base == below->base || base - below->base < below->size))
        return false;
    return !above || above->base - base >= size;
}

/* Large buffers are untouched pages from calloc. The host address is aligned for the widest vector access (16 bytes).
 */
static uint8_t *zeroed(uint64_t bytes)
{
    uint8_t *host = calloc(1, bytes);
    if (host && large_pages_fit(bytes))
        large_pages_ask((uintptr_t)host, (uintptr_t)host + bytes);
    return host;
}

struct allocation *memory_allocate(struct memory *m, uint64_t size, const char *name, enum allocation_kind kind)
{
    if (size > UINT64_C(1) << 44)
        return NULL;
    uint64_t room = (size / MEMORY_ALIGNMENT + 2) * MEMORY_ALIGNMENT + m->red_zone, base = m->next;
    uint32_t slack = m->granule ? (uint32_t)(-size % m->granule) : 0;
    while (!range_is_free(m, base, room)) { /* shared host memory is in the way */
        const struct allocation *a = memory_from(m, base);
        a = a ? a : memory_below(m, base);
        base = (a->base + a->size) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT + 2 * MEMORY_ALIGNMENT;
    }
    uint8_t *host = m->storage ? storage_take(m->storage, base, size + slack) : zeroed(size + slack + !size);
    struct allocation *a = host ? new_allocation(m, base, size, name, kind) : NULL;
    if (!a) {
        if (host && m->storage)
            storage_give(m->storage, base, size + slack);
        else
            free(host);
        return NULL;
    }
    a->host = host;
    a->slack = slack;
    tree_insert(m, a);
    log_allocation(m, a);
    m->next = base + room;
    return a;
}

struct allocation *memory_place(struct memory *m, uint64_t base, uint64_t size, uint8_t *host, const char *name,
                                enum allocation_kind kind)
{
    struct allocation *a = range_is_free(m, base, size) ? new_allocation(m, base, size, name, kind) : NULL;
    if (!a)
        return NULL;
    a->host = host;
    a->initialised = a->viewed = true;
    a->unannounced = kind == ALLOCATION_HOST;
    tree_insert(m, a);
    log_allocation(m, a);
    return a;
}

void memory_free(struct memory *m, struct allocation *a)
{
    if (a->kind == ALLOCATION_HEAP)
        m->heap_freed[m->heap_freed_count++ % HEAP_FREED] = (struct heap_freed){a->base, a->size};
    tree_remove(m, a);
    log_add(m, &(struct rp_host_operation){.kind = RP_HOST_FREE, .address = a->base});
    m->free_ids[m->free_id_count++] = a->id;
    release_host(m, a);
    free(a->name);
    a->host = NULL;
    a->name = NULL;
    a->size = 0;
    a->left = m->freed;
    m->freed = a;
}

const struct heap_freed *memory_was_freed(const struct memory *m, uint64_t address)
{
    for (uint64_t i = m->heap_freed_count; i > 0 && m->heap_freed_count - i < HEAP_FREED; i--) {
        const struct heap_freed *f = &m->heap_freed[(i - 1) % HEAP_FREED];
        if (address - f->base < f->size)
            return f;
    }
    return NULL;
}

/* ---- describing -------------------------------------------------------------------------------------------------- */

void memory_describe(const struct memory *m, unsigned device, uint64_t address, char *text, size_t size)
{
    const struct allocation *below = memory_below(m, address), *next = memory_from(m, address + 1);
    uint64_t past = below ? address - below->base : UINT64_MAX;
    uint64_t before = next ? next->base - address : UINT64_MAX;
    const uint64_t near = UINT64_C(1) << 28;
    const struct heap_freed *freed = below && past < below->size ? NULL : memory_was_freed(m, address);
    if (freed)
        snprintf(text, size, "at byte %" PRIu64 " of %" PRIu64 " byte%s of the device heap that were freed",
                 address - freed->base, freed->size, rp_plural(freed->size));
    else if (below && past < below->size && !(below->devices >> device & 1))
        snprintf(text, size,
                 "at byte %" PRIu64 " of %s (%" PRIu64 " byte%s) of device %u; device %u has no access to it", past,
                 below->name, below->size, rp_plural(below->size), below->owner, device);
    else if (below && past < below->size)
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
