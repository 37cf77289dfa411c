#include "frontend/core/undo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_PAGES 64
#define KEPT_SLABS 64 /* 16 MB that stay for the next launch */

/* The copies of one allocation, by page. */
struct copies {
    _Atomic(uint8_t *) *page;
    uint64_t count;
    bool changed;         /* see undo_changed */
    struct copies *older; /* of a smaller allocation with the same id: until the launch ends, threads may look there */
};

struct saved {
    const struct allocation *allocation;
    uint64_t page;
};

struct slab {
    struct slab *next;
    uint8_t pages[SLAB_PAGES][PAGE_BYTES];
};

struct undo {
    pthread_mutex_t lock;
    _Atomic(struct copies *) *copies; /* by allocation id; NULL: none yet */
    uint32_t count;
    struct saved *saved;
    size_t saved_count, saved_capacity;
    struct slab *slabs, *spare;
    size_t slab_used; /* used pages of the first slab */
    size_t spare_count;
};

struct undo *undo_new(void)
{
    struct undo *u = calloc(1, sizeof *u);
    if (u)
        pthread_mutex_init(&u->lock, NULL);
    return u;
}

static void free_slabs(struct slab *s)
{
    while (s) {
        struct slab *next = s->next;
        free(s);
        s = next;
    }
}

static void free_copies(struct copies *c)
{
    while (c) {
        struct copies *older = c->older;
        free((void *)c->page);
        free(c);
        c = older;
    }
}

void undo_free(struct undo *u)
{
    if (!u)
        return;
    for (uint32_t i = 0; i < u->count; i++)
        free_copies(u->copies[i]);
    free((void *)u->copies);
    free(u->saved);
    free_slabs(u->slabs);
    free_slabs(u->spare);
    pthread_mutex_destroy(&u->lock);
    free(u);
}

bool undo_begin(struct undo *u, const struct memory *m)
{
    if (m->ids <= u->count)
        return true;
    uint32_t count = 2 * m->ids;
    _Atomic(struct copies *) *copies = realloc((void *)u->copies, count * sizeof *copies);
    if (!copies)
        return false;
    memset((void *)(copies + u->count), 0, (count - u->count) * sizeof *copies);
    u->copies = copies;
    u->count = count;
    return true;
}

/* The copies of an allocation. An earlier allocation with the same id may have been smaller. */
static struct copies *copies_of(struct undo *u, const struct allocation *a)
{
    uint64_t pages = a->size / PAGE_BYTES + 1;
    struct copies *c = u->copies[a->id];
    if (c && c->count >= pages)
        return c;
    struct copies *new = calloc(1, sizeof *new);
    if (new)
        new->page = calloc(pages, sizeof *new->page);
    if (!new || !new->page) {
        free(new);
        return NULL;
    }
    new->count = pages;
    new->older = c;
    u->copies[a->id] = new;
    return new;
}

static uint8_t *new_page(struct undo *u)
{
    if (!u->slabs || u->slab_used == SLAB_PAGES) {
        struct slab *s = u->spare;
        if (s) {
            u->spare = s->next;
            u->spare_count--;
        } else if (!(s = malloc(sizeof *s))) {
            return NULL;
        }
        s->next = u->slabs;
        u->slabs = s;
        u->slab_used = 0;
    }
    return u->slabs->pages[u->slab_used++];
}

static bool list_page(struct undo *u, const struct allocation *a, uint64_t page)
{
    if (u->saved_count == u->saved_capacity) {
        size_t capacity = u->saved_capacity ? 2 * u->saved_capacity : 64;
        struct saved *saved = realloc(u->saved, capacity * sizeof *saved);
        if (!saved)
            return false;
        u->saved = saved;
        u->saved_capacity = capacity;
    }
    u->saved[u->saved_count++] = (struct saved){a, page};
    return true;
}

static size_t page_size(const struct allocation *a, uint64_t page)
{
    uint64_t left = a->size - page * PAGE_BYTES;
    return left < PAGE_BYTES ? (size_t)left : PAGE_BYTES;
}

static bool save(struct undo *u, const struct allocation *a, uint64_t page)
{
    struct copies *c = copies_of(u, a);
    if (!c)
        return false;
    if (c->page[page])
        return true;
    uint8_t *copy = new_page(u);
    if (!copy || !list_page(u, a, page))
        return false;
    memcpy(copy, a->host + page * PAGE_BYTES, page_size(a, page));
    atomic_store_explicit(&c->page[page], copy, memory_order_release);
    return true;
}

bool undo_save(struct undo *u, const struct allocation *a, uint64_t page)
{
    struct copies *c = atomic_load_explicit(&u->copies[a->id], memory_order_acquire);
    if (c && page < c->count && atomic_load_explicit(&c->page[page], memory_order_acquire))
        return true;
    pthread_mutex_lock(&u->lock);
    bool ok = save(u, a, page);
    pthread_mutex_unlock(&u->lock);
    return ok;
}

void undo_restore(struct undo *u)
{
    for (size_t i = 0; i < u->saved_count; i++) {
        const struct saved *s = &u->saved[i];
        memcpy(s->allocation->host + s->page * PAGE_BYTES, u->copies[s->allocation->id]->page[s->page],
               page_size(s->allocation, s->page));
    }
}

void undo_compare(struct undo *u)
{
    for (size_t i = 0; i < u->saved_count; i++) {
        const struct saved *s = &u->saved[i];
        struct copies *c = u->copies[s->allocation->id];
        c->changed = c->changed || memcmp(s->allocation->host + s->page * PAGE_BYTES, c->page[s->page],
                                          page_size(s->allocation, s->page)) != 0;
    }
}

bool undo_changed(const struct undo *u, const struct allocation *a)
{
    const struct copies *c = u->copies[a->id];
    return c && c->changed;
}

void undo_forget(struct undo *u)
{
    for (size_t i = 0; i < u->saved_count; i++) {
        struct copies *c = u->copies[u->saved[i].allocation->id];
        c->page[u->saved[i].page] = NULL;
        c->changed = false;
        free_copies(c->older);
        c->older = NULL;
    }
    u->saved_count = 0;
    while (u->slabs) {
        struct slab *s = u->slabs;
        u->slabs = s->next;
        if (u->spare_count < KEPT_SLABS) {
            s->next = u->spare;
            u->spare = s;
            u->spare_count++;
        } else {
            free(s);
        }
    }
    u->slab_used = 0;
}
