#include "frontend/core/track.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/core/undo.h"

enum { LOADS, STORES, UPDATES, BITMAPS };
#define WORD_BYTES 4
#define PAGE_WORDS (PAGE_BYTES / WORD_BYTES)
#define PIECES (PAGE_WORDS / 64)
#define SLAB_PAGES 64
#define KEPT_SLABS 64 /* 1.6 MB that stay for the next launch */

/* The words of one page that were accessed; one bit per 4 bytes. */
struct page {
    uint64_t bits[BITMAPS][PIECES];
    uint8_t kinds; /* the bitmaps in use: 1 << kind; the others are uninitialised */
    struct page *next;
};

/* The accesses of one thread's batch, or of all batches so far, to one allocation. */
struct record {
    struct page **pages; /* by offset / PAGE_BYTES; NULL: not accessed */
    uint64_t page_count;
    uint64_t *touched;
    size_t touched_count, touched_capacity;
    uint32_t id;
    const struct allocation *allocation;
    bool listed; /* in its owner's list */
    bool loaded, stored;
    bool updated; /* by atomics, or by copies, which may add */
    bool note_loads;
    uint16_t atomic; /* operation and type of the updates, plus 1; 0: none yet */
};

/* Records by allocation id, and a list of those that are not empty. */
struct records {
    struct record **at; /* NULL: none yet */
    uint32_t count;
    struct record **listed;
    uint32_t listed_count, listed_capacity;
};

struct slab {
    struct slab *next;
    struct page pages[SLAB_PAGES];
};

struct track_grid {
    const struct memory *memory;
    struct records records;
    struct undo *undo;
    struct slab *slabs;
    uint32_t slab_count;
    struct page *free;
    pthread_mutex_t lock;
    _Atomic int verdict;
};

struct tracker {
    struct observer observer; /* first */
    struct track_grid *grid;
    struct records records;
    struct page *free;
    bool wrote; /* see tracker_wrote */
};

/* ---- records ----------------------------------------------------------------------------------------------------- */

static bool records_reserve(struct records *r, uint32_t ids)
{
    if (ids <= r->count)
        return true;
    struct record **at = realloc(r->at, 2 * (size_t)ids * sizeof(struct record *));
    if (!at)
        return false;
    memset(at + r->count, 0, (2 * (size_t)ids - r->count) * sizeof(struct record *));
    r->at = at;
    r->count = 2 * ids;
    return true;
}

static void records_free(struct records *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->at[i]) {
            free(r->at[i]->pages);
            free(r->at[i]->touched);
            free(r->at[i]);
        }
    free(r->at);
    free(r->listed);
}

static bool record_list(struct records *r, struct record *record)
{
    if (r->listed_count == r->listed_capacity) {
        uint32_t capacity = r->listed_capacity ? 2 * r->listed_capacity : 16;
        struct record **listed = realloc(r->listed, capacity * sizeof *listed);
        if (!listed)
            return false;
        r->listed = listed;
        r->listed_capacity = capacity;
    }
    r->listed[r->listed_count++] = record;
    return record->listed = true;
}

/* Returns the listed record of an allocation of `pages` pages. NULL: out of memory. An earlier allocation with the same
 * id may have been smaller. */
static struct record *record_open(struct records *r, uint32_t id, uint64_t pages)
{
    struct record *record = r->at[id];
    if (record && record->listed)
        return record;
    if (!record && !(record = r->at[id] = calloc(1, sizeof *record)))
        return NULL;
    if (record->page_count < pages) {
        free(record->pages);
        record->page_count = 0;
        if (!(record->pages = calloc(pages, sizeof(struct page *))))
            return NULL;
        record->page_count = pages;
    }
    record->id = id;
    return record_list(r, record) ? record : NULL;
}

/* Adds a page that the record does not have yet. */
static bool record_add(struct record *r, uint64_t number, struct page *page)
{
    if (r->touched_count == r->touched_capacity) {
        size_t capacity = r->touched_capacity ? 2 * r->touched_capacity : 16;
        uint64_t *touched = realloc(r->touched, capacity * sizeof *touched);
        if (!touched)
            return false;
        r->touched = touched;
        r->touched_capacity = capacity;
    }
    r->touched[r->touched_count++] = number;
    r->pages[number] = page;
    return true;
}

/* Empties the record; its pages go to *spare. */
static void record_clear(struct record *r, struct page **spare)
{
    for (size_t i = 0; i < r->touched_count; i++) {
        struct page *page = r->pages[r->touched[i]];
        r->pages[r->touched[i]] = NULL;
        if (!page)
            continue;
        page->next = *spare;
        *spare = page;
    }
    r->touched_count = 0;
    r->loaded = r->stored = r->updated = false;
    r->atomic = 0;
}

static void records_clear(struct records *r, struct page **spare)
{
    for (uint32_t i = 0; i < r->listed_count; i++) {
        record_clear(r->listed[i], spare);
        r->listed[i]->listed = r->listed[i]->note_loads = false;
    }
    r->listed_count = 0;
}

/* ---- what threads share ------------------------------------------------------------------------------------------ */

struct track_grid *track_grid_new(void)
{
    struct track_grid *g = calloc(1, sizeof *g);
    if (g && !(g->undo = undo_new())) {
        free(g);
        return NULL;
    }
    if (g)
        pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void free_slabs(struct track_grid *g)
{
    while (g->slabs) {
        struct slab *next = g->slabs->next;
        free(g->slabs);
        g->slabs = next;
    }
    g->slab_count = 0;
    g->free = NULL;
}

void track_grid_free(struct track_grid *g)
{
    if (!g)
        return;
    records_free(&g->records);
    free_slabs(g);
    undo_free(g->undo);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

bool track_begin(struct track_grid *g, const struct memory *memory)
{
    g->memory = memory;
    g->verdict = TRACK_CLEAN;
    return records_reserve(&g->records, memory->ids) && undo_begin(g->undo, memory);
}

void track_end(struct track_grid *g)
{
    records_clear(&g->records, &g->free);
    if (g->slab_count > KEPT_SLABS)
        free_slabs(g);
    undo_forget(g->undo);
}

void track_restore(struct track_grid *g) { undo_restore(g->undo); }

void track_compare(struct track_grid *g) { undo_compare(g->undo); }

const struct allocation *track_accessed(const struct track_grid *g, uint32_t *next, struct track_effect *effect)
{
    while (*next < g->records.listed_count) {
        const struct record *r = g->records.listed[(*next)++];
        if (!r->loaded && !r->stored) /* only in an attempt that was started over */
            continue;
        effect->read = r->loaded || r->updated;
        effect->changed = r->stored && undo_changed(g->undo, r->allocation);
        return r->allocation;
    }
    return NULL;
}

/* The records stay listed, because they remember which buffers are loaded. */
void track_again(struct track_grid *g)
{
    for (uint32_t i = 0; i < g->records.listed_count; i++)
        record_clear(g->records.listed[i], &g->free);
    g->verdict = TRACK_CLEAN;
}

enum track_verdict track_verdict(const struct track_grid *g) { return (enum track_verdict)g->verdict; }

/* Takes the lock: a batch that ends at the same time must not overwrite this verdict. */
void track_give_up(struct track_grid *g)
{
    pthread_mutex_lock(&g->lock);
    g->verdict = TRACK_CONFLICT;
    pthread_mutex_unlock(&g->lock);
}

/* ---- one thread's part ------------------------------------------------------------------------------------------- */

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
    if (t)
        t->grid = g;
    return t;
}

/* Its pages belong to the grid. */
void tracker_free(struct tracker *t)
{
    if (!t)
        return;
    records_free(&t->records);
    free(t);
}

bool tracker_begin(struct tracker *t)
{
    records_clear(&t->records, &t->free);
    t->wrote = false;
    return records_reserve(&t->records, t->grid->memory->ids);
}

void tracker_end(struct tracker *t)
{
    records_clear(&t->records, &t->free);
    while (t->free) {
        struct page *page = t->free;
        t->free = page->next;
        page->next = t->grid->free;
        t->grid->free = page;
    }
}

/* Moves some pages from the grid to the thread. Called with the lock held. */
static bool refill(struct tracker *t)
{
    struct track_grid *g = t->grid;
    if (!g->free) {
        struct slab *s = malloc(sizeof *s);
        if (!s)
            return false;
        s->next = g->slabs;
        g->slabs = s;
        g->slab_count++;
        for (int i = 0; i < SLAB_PAGES; i++) {
            s->pages[i].next = g->free;
            g->free = &s->pages[i];
        }
    }
    for (int i = 0; i < SLAB_PAGES / 4 && g->free; i++) {
        struct page *page = g->free;
        g->free = page->next;
        page->next = t->free;
        t->free = page;
    }
    return true;
}

/* ---- noting accesses --------------------------------------------------------------------------------------------- */

/* The first access of the batch to an allocation. */
static __attribute__((noinline)) struct record *first_access(struct tracker *t, const struct allocation *a)
{
    struct track_grid *g = t->grid;
    struct record *r = record_open(&t->records, a->id, a->size / PAGE_BYTES + 1);
    pthread_mutex_lock(&g->lock);
    const struct record *all = g->records.at[a->id];
    if (r) {
        r->allocation = a;
        r->note_loads = all && all->listed && all->note_loads;
    } else {
        g->verdict = TRACK_CONFLICT;
    }
    pthread_mutex_unlock(&g->lock);
    return r;
}

/* The first access of a kind to a page in a batch: clears the page's bitmap, and copies the page before its first
 * store. */
static __attribute__((noinline)) struct page *first_of_kind(struct tracker *t, struct record *r,
                                                            const struct allocation *a, uint64_t number, int kind)
{
    struct track_grid *g = t->grid;
    struct page *page = r->pages[number];
    if (!page) {
        pthread_mutex_lock(&g->lock);
        bool ok = t->free || refill(t);
        pthread_mutex_unlock(&g->lock);
        if (ok && record_add(r, number, t->free)) {
            page = t->free;
            t->free = page->next;
            page->kinds = 0;
        }
    }
    if (!page || (kind != LOADS && !undo_save(g->undo, a, number))) {
        track_give_up(g);
        return NULL;
    }
    memset(page->bits[kind], 0, sizeof page->bits[kind]);
    page->kinds |= (uint8_t)(1 << kind);
    return page;
}

static inline void mark_bits(uint64_t *bits, unsigned first, unsigned last)
{
    unsigned low = first / 64, high = last / 64;
    if (low == high) {
        bits[low] |= (~0ull >> (63 - (last - first))) << first % 64;
        return;
    }
    bits[low] |= ~0ull << first % 64;
    for (unsigned i = low + 1; i < high; i++)
        bits[i] = ~0ull;
    bits[high] |= ~0ull >> (63 - last % 64);
}

/* Marks the words first to last of the allocation. */
static __attribute__((noinline)) bool mark(struct tracker *t, struct record *r, const struct allocation *a, int kind,
                                           uint64_t first, uint64_t last)
{
    for (uint64_t number = first / PAGE_WORDS; number <= last / PAGE_WORDS; number++) {
        struct page *page = r->pages[number];
        if (__builtin_expect(!page || !(page->kinds >> kind & 1), 0) && !(page = first_of_kind(t, r, a, number, kind)))
            return false;
        uint64_t base = number * PAGE_WORDS, end = base + PAGE_WORDS - 1;
        mark_bits(page->bits[kind], first > base ? (unsigned)(first - base) : 0,
                  last < end ? (unsigned)(last - base) : PAGE_WORDS - 1);
    }
    return true;
}

/* Marks a lane's words: nearly always few neighbouring words in a page that has been accessed before. */
static inline bool mark_lane(struct tracker *t, struct record *r, const struct allocation *a, int kind, uint64_t first,
                             uint64_t last)
{
    struct page *page = r->pages[first / PAGE_WORDS];
    if (__builtin_expect(first / 64 != last / 64 || !page || !(page->kinds >> kind & 1), 0))
        return mark(t, r, a, kind, first, last);
    page->bits[kind][first % PAGE_WORDS / 64] |= (~0ull >> (63 - (last - first))) << first % 64;
    return true;
}

/* The bitmap that an access belongs to. Atomics count as updates as long as all atomics on the allocation are the same
 * commuting operation; otherwise as stores. */
static int kind_of(struct record *r, const struct uop *u)
{
    if (u->memory->operand.kind == RP_ACCESS_LOAD)
        return LOADS;
    if (u->memory->operand.kind == RP_ACCESS_STORE)
        return STORES;
    r->updated = true;
    switch (u->memory->operand.atomic) {
    case RP_ATOMIC_ADD:
    case RP_ATOMIC_MIN:
    case RP_ATOMIC_MAX:
    case RP_ATOMIC_AND:
    case RP_ATOMIC_OR:
    case RP_ATOMIC_XOR: break;
    default: return STORES;
    }
    uint16_t operation = (uint16_t)(u->memory->operand.atomic << 8 | (u->type + 1));
    if (!r->atomic)
        r->atomic = operation;
    return r->atomic == operation ? UPDATES : STORES;
}

static bool track_bytes(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                        const struct allocation *a, unsigned lane, uint64_t at, uint64_t bytes, bool stores)
{
    struct tracker *t = (struct tracker *)o;
    (void)s, (void)u, (void)space, (void)lane;
    struct record *r = t->records.at[a->id];
    if ((!r || !r->listed) && !(r = first_access(t, a)))
        return false;
    if (stores)
        r->stored = r->updated = t->wrote = true;
    else
        r->loaded = true;
    if (!bytes || (!stores && !r->note_loads))
        return true;
    uint64_t first = at - a->base, last = first + bytes - 1;
    return mark(t, r, a, stores ? STORES : LOADS, first / WORD_BYTES, last / WORD_BYTES);
}

static bool track_access(struct observer *o, struct warp_state *s, const struct uop *u, enum rp_space space,
                         const struct allocation *a, const struct lane_addresses *la, lanemask m)
{
    struct tracker *t = (struct tracker *)o;
    (void)s, (void)space;
    struct record *r = t->records.at[a->id];
    if (__builtin_expect(!r || !r->listed, 0) && !(r = first_access(t, a)))
        return false;
    int kind = kind_of(r, u);
    if (kind == LOADS) {
        r->loaded = true;
        if (!r->note_loads)
            return true;
    } else {
        r->stored = t->wrote = true;
    }
    uint64_t width = u->memory->operand.width;
    if (la->affine && la->stride >= 0 && (uint64_t)la->stride <= width)
        return mark(t, r, a, kind, (la->low - a->base) / WORD_BYTES, (la->high + width - 1 - a->base) / WORD_BYTES);
    FOR_LANES(l, m)
    {
        uint64_t at = lane_address(la, l) - a->base;
        if (!mark_lane(t, r, a, kind, at / WORD_BYTES, (at + width - 1) / WORD_BYTES))
            return false;
    }
    return true;
}

/* Its order is visible: not in parallel. */
static bool track_host_call(struct observer *o)
{
    tracker_give_up((struct tracker *)o);
    return false;
}

static void track_event(struct observer *o, struct warp_state *s, enum block_event event, const struct uop *u,
                        lanemask lanes)
{
    (void)o, (void)s, (void)event, (void)u, (void)lanes;
}

static const struct observer_calls track_calls = {track_access, track_bytes, track_host_call, track_event, NULL, NULL,
                                                  NULL,         true};

struct observer *tracker_observer(struct tracker *t)
{
    t->observer = (struct observer){.calls = &track_calls, .spaces = 1u << RP_SPACE_GLOBAL};
    return &t->observer;
}

/* ---- comparing batches ------------------------------------------------------------------------------------------- */

static bool overlap(const struct page *x, int kind_of_x, const struct page *y, int kind_of_y)
{
    if (!(x->kinds >> kind_of_x & 1) || !(y->kinds >> kind_of_y & 1))
        return false;
    uint64_t both = 0;
    for (unsigned i = 0; i < PIECES; i++)
        both |= x->bits[kind_of_x][i] & y->bits[kind_of_y][i];
    return both;
}

static bool page_conflicts(const struct page *all, const struct page *mine)
{
    for (int k = 0; k < BITMAPS; k++)
        for (int j = 0; j < BITMAPS; j++)
            if ((k != j || k == STORES) && overlap(all, k, mine, j))
                return true;
    return false;
}

static bool conflicts(const struct record *all, const struct record *mine)
{
    for (size_t i = 0; i < mine->touched_count; i++) {
        const struct page *other = all->pages[mine->touched[i]];
        if (other && page_conflicts(other, mine->pages[mine->touched[i]]))
            return true;
    }
    /* different operations may update the same word only within a batch */
    return all->atomic && mine->atomic && all->atomic != mine->atomic;
}

static void merge_page(struct page *into, const struct page *from)
{
    for (int k = 0; k < BITMAPS; k++) {
        if (!(from->kinds >> k & 1))
            continue;
        if (into->kinds >> k & 1)
            for (unsigned i = 0; i < PIECES; i++)
                into->bits[k][i] |= from->bits[k][i];
        else
            memcpy(into->bits[k], from->bits[k], sizeof into->bits[k]);
    }
    into->kinds |= from->kinds;
}

/* Takes over pages that no earlier batch has accessed; merges the others. */
static bool merge_pages(struct record *all, struct record *mine)
{
    for (size_t i = 0; i < mine->touched_count; i++) {
        uint64_t number = mine->touched[i];
        if (all->pages[number]) {
            merge_page(all->pages[number], mine->pages[number]);
        } else {
            if (!record_add(all, number, mine->pages[number]))
                return false;
            mine->pages[number] = NULL;
        }
    }
    return true;
}

/* Adds one batch's accesses to an allocation to those of all batches. The record's capacity is at least that of mine.
 */
static int merge_record(struct record *all, struct record *mine)
{
    all->allocation = mine->allocation;
    all->loaded |= mine->loaded;
    all->stored |= mine->stored;
    all->updated |= mine->updated;
    if (all->loaded && all->stored && !all->note_loads) {
        all->note_loads = true;
        return TRACK_REPEAT;
    }
    if (conflicts(all, mine) || !merge_pages(all, mine))
        return TRACK_CONFLICT;
    all->atomic = all->atomic ? all->atomic : mine->atomic;
    return TRACK_CLEAN;
}

bool tracker_end_batch(struct tracker *t)
{
    struct track_grid *g = t->grid;
    pthread_mutex_lock(&g->lock);
    int worst = g->verdict;
    for (uint32_t i = 0; i < t->records.listed_count; i++) {
        struct record *mine = t->records.listed[i];
        struct record *all = record_open(&g->records, mine->id, mine->page_count);
        int verdict = all ? merge_record(all, mine) : TRACK_CONFLICT;
        /* if more loads must be noted, the launch starts over anyway */
        if (verdict == TRACK_REPEAT || worst == TRACK_CLEAN)
            worst = verdict;
    }
    g->verdict = worst;
    pthread_mutex_unlock(&g->lock);
    records_clear(&t->records, &t->free);
    return worst == TRACK_CLEAN;
}
