/* Undefined bits that kernels have moved to device memory. That is no finding yet: they may be padding of a structure,
 * or nobody may look at them. What becomes one if the host or another launch uses them is kept here, with its texts,
 * since the kernel may be gone by then. */
#include <stdlib.h>
#include <string.h>

#include "frontend/check/internal.h"

struct moved_read {
    struct rp_finding f; /* without texts if it is in the list of findings */
    unsigned missing;    /* bytes */
};
struct moved_reads {
    uint32_t count, room; /* number n is in place n - 1 */
    struct moved_read *list;
};

/* The number of an equal read; 0: there is none. */
static uint32_t find(const struct moved_reads *m, const struct rp_kernel *k, const struct rp_finding *f,
                     unsigned missing)
{
    for (uint32_t i = m->count; i-- > 0;)
        if (m->list[i].missing == missing && check_same(k, &m->list[i].f, f))
            return i + 1;
    return 0;
}

/* 0: out of memory. */
static uint32_t append(struct moved_reads *m, struct rp_finding f, unsigned missing)
{
    if (m->count == m->room) {
        uint32_t room = 2 * m->room + 16;
        struct moved_read *more = realloc(m->list, room * sizeof *more);
        if (!more) {
            rp_finding_clear(&f);
            return 0;
        }
        m->list = more;
        m->room = room;
    }
    m->list[m->count++] = (struct moved_read){f, missing};
    return m->count;
}

/* The number of the read that an origin stands for; 0: out of memory. */
static uint32_t number_of(struct rp_check *c, const struct block *b, const struct origin *o)
{
    char detail[ORIGIN_DETAIL];
    if (o->moved || o->found || c->muted)
        return o->moved ? o->moved : MOVED_UNSAID;
    if (!c->moved && !(c->moved = calloc(1, sizeof *c->moved)))
        return 0;
    struct rp_finding f = origins_finding(b, o, detail);
    f.program = b->program->kernel.identity;
    uint32_t same = find(c->moved, &b->program->kernel, &f, o->missing);
    return same ? same : append(c->moved, check_make(c, b, f, detail), o->missing);
}

static uint32_t *words_of(struct rp_check *c, const struct allocation *a)
{
    struct checked_allocation *mine = check_allocation(c, a);
    if (mine && !mine->moved)
        mine->moved = calloc(a->size / 4 + 1, sizeof *mine->moved);
    return mine ? mine->moved : NULL;
}

void moved_to(struct checked_block *cb, const struct touch *t, uint64_t at, uint32_t origin, bool like_padding)
{
    uint32_t *words = words_of(cb->check, t->a);
    uint32_t number = words ? number_of(cb->check, t->block, origins_find(cb->check, origin)) : 0;
    if (!number)
        cb->check->missed |= MISSED_MEMORY;
    else
        words[(at - t->a->base) / 4] = number | (like_padding ? MOVED_LIKE_PADDING : 0);
    origins_set_moved(cb->check, origin, number);
}

uint32_t moved_at(struct rp_check *c, const struct allocation *a, uint64_t offset)
{
    const struct checked_allocation *mine = check_allocation(c, a);
    return mine && mine->moved ? mine->moved[offset / 4] : 0;
}

void moved_copied(struct rp_check *c, const struct allocation *a, uint64_t offset, const struct allocation *from,
                  uint64_t from_offset, uint64_t bytes)
{
    const uint32_t *source = check_allocation(c, from)->moved;
    uint32_t *to = source ? words_of(c, a) : NULL;
    for (uint64_t i = 0; to && i < bytes; i++)
        to[(offset + i) / 4] = source[(from_offset + i) / 4];
}

void moved_used(struct rp_check *c, uint32_t number)
{
    number &= MOVED_NUMBER;
    if (number == MOVED_UNSAID || !number || c->muted)
        return;
    struct rp_finding *own = &c->moved->list[number - 1].f, f = *own;
    *own = check_key_of(&f);
    check_add_made(c, f);
}

void moved_free(struct rp_check *c)
{
    for (uint32_t i = 0; c->moved && i < c->moved->count; i++)
        rp_finding_clear(&c->moved->list[i].f);
    if (c->moved)
        free(c->moved->list);
    free(c->moved);
    c->moved = NULL;
}
