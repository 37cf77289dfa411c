#include "frontend/core/track.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS, STORES, UPDATES, BITMAPS };
#define WORD_BYTES 4

/* Words of one allocation that were touched; one bit per 4 bytes. low..high: the range of 64-bit pieces in use. */
struct bitmap {
    uint64_t *bits;
    size_t low, high;
};

/* An allocation as one thread's batch, or all batches so far, touched it. */
struct record {
    struct bitmap map[BITMAPS];
    bool loaded, stored;
    bool note_loads;
    uint16_t atomic; /* operation and type of the updates + 1, 0: none yet */
};

struct track_grid {
    struct memory *memory;
    struct record *records;
    uint8_t **before; /* copies made before the first store */
    uint32_t count;
    pthread_mutex_t lock;
    _Atomic int verdict;
};

struct tracker {
    struct track_grid *grid;
    struct record *records;
    bool wrote; /* see tracker_wrote */
};

struct track_grid *track_grid_new(struct memory *memory)
{
    struct track_grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->memory = memory;
    g->count = memory->count;
    g->records = calloc(g->count + 1, sizeof *g->records);
    g->before = calloc(g->count + 1, sizeof *g->before);
    if (!g->records || !g->before) {
        free(g->records);
        free(g->before);
        free(g);
        return NULL;
    }
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void free_records(struct record *records, uint32_t count)
{
    for (uint32_t i = 0; records && i < count; i++)
        for (int k = 0; k < BITMAPS; k++)
            free(records[i].map[k].bits);
    free(records);
}

void track_grid_free(struct track_grid *g)
{
    if (!g)
        return;
    free_records(g->records, g->count);
    for (uint32_t i = 0; i < g->count; i++)
        free(g->before[i]);
    free(g->before);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

void track_restore(struct track_grid *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->before[i])
            memcpy(g->memory->table[i]->host, g->before[i], g->memory->table[i]->size);
}

static void clear(struct bitmap *m)
{
    if (m->bits && m->low < m->high)
        memset(m->bits + m->low, 0, (m->high - m->low) * sizeof *m->bits);
    m->low = SIZE_MAX;
    m->high = 0;
}

void track_again(struct track_grid *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct record *r = &g->records[i];
        for (int k = 0; k < BITMAPS; k++)
            clear(&r->map[k]);
        r->loaded = r->stored = false;
        r->atomic = 0;
    }
    g->verdict = TRACK_CLEAN;
}

enum track_verdict track_verdict(const struct track_grid *g) { return (enum track_verdict)g->verdict; }

/* Under the lock: a batch that ends at this moment must not put its own verdict over this one. */
void track_give_up(struct track_grid *g)
{
    pthread_mutex_lock(&g->lock);
    g->verdict = TRACK_CONFLICT;
    pthread_mutex_unlock(&g->lock);
}

bool tracker_wrote(struct tracker *t)
{
    bool wrote = t->wrote;
    t->wrote = false;
    return wrote;
}

void tracker_give_up(struct tracker *t) { track_give_up(t->grid); }

struct tracker *tracker_new(struct track_grid *g)
{
    struct tracker *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->grid = g;
    t->records = calloc(g->count + 1, sizeof *t->records);
    if (!t->records) {
        free(t);
        return NULL;
    }
    for (uint32_t i = 0; i < g->count; i++)
        t->records[i].note_loads = g->records[i].note_loads;
    return t;
}

void tracker_free(struct tracker *t)
{
    if (!t)
        return;
    free_records(t->records, t->grid->count);
    free(t);
}

static bool make_bitmap(struct bitmap *m, uint64_t size)
{
    if (m->bits)
        return true;
    m->bits = calloc(size / (64 * WORD_BYTES) + 1, sizeof *m->bits);
    m->low = SIZE_MAX;
    return m->bits != NULL;
}

/* ---- noting accesses --------------------------------------------------------------------------------------------- */

/* The first access of a kind to an allocation in an attempt: memory for its words, and a copy before the first store.
 */
static bool begin(struct tracker *t, const struct allocation *a, int kind)
{
    struct track_grid *g = t->grid;
    bool ok = make_bitmap(&t->records[a->slot].map[kind], a->size);
    if (ok && kind != LOADS) {
        pthread_mutex_lock(&g->lock);
        if (!g->before[a->slot] && (g->before[a->slot] = malloc(a->size + 1)))
            memcpy(g->before[a->slot], a->host, a->size);
        ok = g->before[a->slot] != NULL;
        pthread_mutex_unlock(&g->lock);
    }
    if (!ok)
        track_give_up(g);
    return ok;
}

static inline void mark(struct bitmap *m, uint64_t first, uint64_t last)
{
    size_t low = first / 64, high = last / 64;
    m->low = low < m->low ? low : m->low;
    m->high = high >= m->high ? high + 1 : m->high;
    if (low == high) {
        m->bits[low] |= (~0ull >> (63 - (last - first))) << first % 64;
        return;
    }
    m->bits[low] |= ~0ull << first % 64;
    for (size_t i = low + 1; i < high; i++)
        m->bits[i] = ~0ull;
    m->bits[high] |= ~0ull >> (63 - last % 64);
}

/* Which bitmap an access belongs to. Atomics are updates as long as all of an allocation's are the same, commuting
 * operation; others count as stores. */
static int kind_of(struct record *r, const struct uop *u)
{
    if (u->memory.kind == RP_ACCESS_LOAD)
        return LOADS;
    if (u->memory.kind == RP_ACCESS_STORE)
        return STORES;
    switch (u->memory.atomic) {
    case RP_ATOMIC_ADD:
    case RP_ATOMIC_MIN:
    case RP_ATOMIC_MAX:
    case RP_ATOMIC_AND:
    case RP_ATOMIC_OR:
    case RP_ATOMIC_XOR: break;
    default: return STORES;
    }
    uint16_t operation = (uint16_t)(u->memory.atomic << 8 | (u->type + 1));
    if (!r->atomic)
        r->atomic = operation;
    return r->atomic == operation ? UPDATES : STORES;
}

bool track_access(struct tracker *t, const struct allocation *a, const struct uop *u, const struct lane_addresses *la,
                  lanemask m)
{
    struct record *r = &t->records[a->slot];
    int kind = kind_of(r, u);
    if (kind == LOADS) {
        r->loaded = true;
        if (!r->note_loads)
            return true;
    } else {
        r->stored = t->wrote = true;
    }
    struct bitmap *map = &r->map[kind];
    if (__builtin_expect(!map->bits, 0) && !begin(t, a, kind))
        return false;
    uint64_t width = u->memory.width;
    if (la->affine && la->stride >= 0 && (uint64_t)la->stride <= width) {
        mark(map, (la->low - a->base) / WORD_BYTES, (la->high + width - 1 - a->base) / WORD_BYTES);
        return true;
    }
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l) - a->base;
        mark(map, at / WORD_BYTES, (at + width - 1) / WORD_BYTES);
    }
    return true;
}

/* ---- comparing batches ------------------------------------------------------------------------------------------- */

static bool overlap(const struct bitmap *x, const struct bitmap *y)
{
    size_t low = x->low > y->low ? x->low : y->low, high = x->high < y->high ? x->high : y->high;
    for (size_t i = low; i < high; i++)
        if (x->bits[i] & y->bits[i])
            return true;
    return false;
}

static bool merge(struct bitmap *into, struct bitmap *from, uint64_t size)
{
    if (!from->bits || from->low >= from->high)
        return true;
    if (!make_bitmap(into, size))
        return false;
    for (size_t i = from->low; i < from->high; i++)
        into->bits[i] |= from->bits[i];
    into->low = from->low < into->low ? from->low : into->low;
    into->high = from->high > into->high ? from->high : into->high;
    clear(from);
    return true;
}

static bool conflicts(const struct record *all, const struct record *mine)
{
    for (int k = 0; k < BITMAPS; k++)
        for (int j = 0; j < BITMAPS; j++)
            if ((k != j || k == STORES) && all->map[k].bits && mine->map[j].bits &&
                overlap(&all->map[k], &mine->map[j]))
                return true;
    /* the same word may be updated by different operations only within a batch */
    return all->atomic && mine->atomic && all->atomic != mine->atomic;
}

/* Adds what a batch did to one allocation to what all did. */
static int merge_record(struct track_grid *g, uint32_t slot, struct record *mine)
{
    struct record *all = &g->records[slot];
    all->loaded |= mine->loaded;
    all->stored |= mine->stored;
    if (all->loaded && all->stored && !all->note_loads) {
        all->note_loads = true;
        return TRACK_REPEAT;
    }
    if (conflicts(all, mine))
        return TRACK_CONFLICT;
    for (int k = 0; k < BITMAPS; k++)
        if (!merge(&all->map[k], &mine->map[k], g->memory->table[slot]->size))
            return TRACK_CONFLICT;
    all->atomic = all->atomic ? all->atomic : mine->atomic;
    mine->loaded = mine->stored = false;
    mine->atomic = 0;
    return TRACK_CLEAN;
}

bool tracker_end_batch(struct tracker *t)
{
    struct track_grid *g = t->grid;
    pthread_mutex_lock(&g->lock);
    int worst = g->verdict;
    for (uint32_t i = 0; i < g->count; i++) {
        struct record *mine = &t->records[i];
        if (!mine->loaded && !mine->stored)
            continue;
        int verdict = merge_record(g, i, mine);
        /* with more loads to note, everything is looked at again anyway */
        if (verdict == TRACK_REPEAT || worst == TRACK_CLEAN)
            worst = verdict;
    }
    g->verdict = worst;
    pthread_mutex_unlock(&g->lock);
    return worst == TRACK_CLEAN;
}
