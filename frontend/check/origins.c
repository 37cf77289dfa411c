/* Where undefined bits come from: the access that read them first, and the one that a register or a word of memory has
 * them from. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

enum { ORIGINS = 1 << 15, CARRIED = 1 << 14, KNOWN = 1 << 16 };

/* A word of memory to which undefined bits were stored. */
struct carried {
    uint64_t key;
    uint32_t origin;
};

struct origin_memory {
    uint32_t made; /* origins so far; origin n is in place n % ORIGINS */
    struct origin list[ORIGINS];
    struct carried carried[CARRIED]; /* by key; later ones replace earlier ones */
    uint64_t known[KNOWN];           /* reads that were found, likewise */
};

static struct origin_memory *memory_of(struct rp_check *c)
{
    if (!c->undefined_from)
        c->undefined_from = calloc(1, sizeof *c->undefined_from);
    if (!c->undefined_from)
        c->missed |= MISSED_MEMORY;
    return c->undefined_from;
}

void origins_free(struct rp_check *c)
{
    free(c->undefined_from);
    c->undefined_from = NULL;
}

static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

/* Tells memory of threads and blocks apart. */
static uint64_t key_of_memory(const struct checked_block *cb, enum rp_space space, uint32_t thread, bool of_block)
{
    uint64_t key = mix(space + 1, space == RP_SPACE_LOCAL ? thread + 1 : 0);
    return of_block || space != RP_SPACE_GLOBAL ? mix(key, (uint64_t)cb->check->launch << 32 | cb->index) : key;
}

static uint64_t key_of_word(const struct checked_block *cb, const struct touch *t, uint64_t at)
{
    return mix(key_of_memory(cb, t->space, t->thread, true), at / 4) | 1;
}

/* Of a read: its instruction and its bytes. */
static uint64_t key_of_read(const struct checked_block *cb, const struct origin *o)
{
    uint64_t key = mix(key_of_memory(cb, (enum rp_space)o->space, o->thread, false), o->at);
    return mix(key, cb->check->grid->program->kernel.identity << 32 | o->u->index) | 1;
}

const struct origin *origins_find(struct rp_check *c, uint32_t number)
{
    struct origin_memory *m = c->undefined_from;
    bool there = m && number && number <= m->made && m->made - number < ORIGINS;
    return there ? &m->list[number % ORIGINS] : NULL;
}

void origins_set_moved(struct rp_check *c, uint32_t number, uint32_t moved)
{
    if (origins_find(c, number))
        c->undefined_from->list[number % ORIGINS].moved = moved;
}

void origins_carried(struct checked_block *cb, const struct touch *t, uint64_t at, uint32_t origin)
{
    struct origin_memory *m = memory_of(cb->check);
    uint64_t key = key_of_word(cb, t, at);
    if (m)
        m->carried[key / 2 % CARRIED] = (struct carried){key, origin};
}

static uint32_t carried_from(struct checked_block *cb, const struct touch *t)
{
    uint64_t key = key_of_word(cb, t, t->at);
    const struct carried *c = &memory_of(cb->check)->carried[key / 2 % CARRIED];
    return c->key == key && origins_find(cb->check, c->origin) ? c->origin : 0;
}

static struct origin origin_of_touch(const struct touch *t, unsigned missing)
{
    return (struct origin){.u = t->u,
                           .at = t->at,
                           .memory = touch_buffer(t),
                           .thread = t->thread,
                           .bytes = (uint32_t)t->bytes,
                           .missing = missing,
                           .space = (uint8_t)t->space,
                           .access = touch_kind(t)};
}

/* What another block or launch has moved to where the load reads. */
static uint32_t moved_before(struct rp_check *c, const struct touch *t)
{
    return t->space == RP_SPACE_GLOBAL ? moved_at(c, t->a, t->at - t->a->base) : 0;
}

/* Whether an earlier load is this one again. */
static bool is_same_load(const struct checked_block *cb, const struct origin *o, const struct touch *t,
                         const struct origin *now)
{
    return o && !o->next && o->from == t->u && o->from_at == t->at && o->block == cb->index && o->u == now->u &&
           o->at == now->at && o->thread == now->thread && o->padding.holes == now->padding.holes &&
           o->padding.alignment == now->padding.alignment && o->padding.gap == now->padding.gap &&
           o->from_space == t->space;
}

uint32_t origins_loaded(struct checked_block *cb, const struct touch *t, unsigned missing, struct padding padding,
                        uint32_t before)
{
    struct origin_memory *m = memory_of(cb->check);
    if (!m)
        return 0;
    uint32_t last = carried_from(cb, t);
    struct origin o = last ? *origins_find(cb->check, last) : origin_of_touch(t, missing);
    const struct origin *same = origins_find(cb->check, before);
    o.next = 0;
    o.padding = padding;
    o.moved = last ? o.moved : moved_before(cb->check, t);
    if (is_same_load(cb, same, t, &o))
        return same->found ? 0 : before;
    uint64_t key = key_of_read(cb, &o);
    if (m->known[key / 2 % KNOWN] == key)
        return 0;
    o.found = false;
    o.block = cb->index;
    o.from = t->u;
    o.from_space = (uint8_t)t->space;
    o.from_at = t->at;
    o.from_bytes = (uint32_t)t->bytes;
    uint32_t number = ++m->made;
    m->list[number % ORIGINS] = o;
    return number;
}

/* Whether a load by the instruction is among those of an origin; or there are many. */
static bool has_load_by(struct rp_check *c, uint32_t number, const struct uop *u)
{
    enum { MOST = 64 };
    unsigned count = 0;
    for (const struct origin *o; (o = origins_find(c, number)) && count < MOST; number = o->next, count++)
        if (o->u == u)
            return true;
    return count == MOST;
}

uint32_t origins_join(struct rp_check *c, uint32_t to, uint32_t number)
{
    struct origin_memory *m = c->undefined_from;
    if (!origins_find(c, to))
        return number;
    for (const struct origin *o; to != number && (o = origins_find(c, number)); number = o->next) {
        if (o->found || has_load_by(c, to, o->u))
            continue;
        struct origin joined = *o;
        joined.next = to;
        to = ++m->made;
        m->list[to % ORIGINS] = joined;
    }
    return to;
}

static void describe(const struct origin *o, char detail[ORIGIN_DETAIL])
{
    static const char *const what[] = {
        [RP_SPACE_SHARED] = "which nobody has written since the block began",
        [RP_SPACE_LOCAL] = "which the thread has not written",
        [RP_SPACE_GLOBAL] = "which neither the host nor a kernel has written",
    };
    if (o->missing < o->bytes)
        snprintf(detail, ORIGIN_DETAIL, "%u of %s", o->missing, what[o->space]);
    else
        snprintf(detail, ORIGIN_DETAIL, "%s", what[o->space]);
}

struct rp_finding origins_finding(const struct block *b, const struct origin *o, char detail[ORIGIN_DETAIL])
{
    describe(o, detail);
    return (struct rp_finding){
        .kind = RP_CHECK_INIT,
        .space = o->space,
        .address = o->at,
        .size = o->bytes,
        .memory = o->memory,
        .here = check_location(b, o->u->index, o->thread, o->access),
    };
}

static void report(struct checked_block *cb, const struct block *b, const struct origin *o)
{
    char detail[ORIGIN_DETAIL];
    if (o->moved)
        moved_used(cb->check, o->moved);
    else
        check_report(cb->check, b, origins_finding(b, o, detail), detail);
}

static void found(struct checked_block *cb, const struct block *b, const struct origin *o)
{
    struct origin_memory *m = memory_of(cb->check);
    uint64_t key = key_of_read(cb, o);
    if (!m || m->known[key / 2 % KNOWN] == key || cb->check->muted)
        return;
    m->known[key / 2 % KNOWN] = key;
    report(cb, b, o);
}

void origins_used(struct checked_block *cb, const struct block *b, uint32_t number)
{
    for (const struct origin *o; (o = origins_find(cb->check, number)); number = o->next) {
        if (o->found)
            continue;
        found(cb, b, o);
        cb->check->undefined_from->list[number % ORIGINS].found = !cb->check->muted;
    }
}

void origins_used_at_once(struct checked_block *cb, const struct touch *t, unsigned missing)
{
    struct origin o = origin_of_touch(t, missing);
    o.moved = moved_before(cb->check, t);
    found(cb, t->block, &o);
}
