#include "replay/memory/calendar.h"

#include <stdlib.h>

/* ---- the heap of later days -------------------------------------------------------------------------------------- */

static bool before(const struct event *a, const struct event *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->key < b->key;
}

static bool add_later(struct calendar *c, struct event *e)
{
    if (c->later_count == c->later_room) {
        size_t room = c->later_room ? 2 * c->later_room : 64;
        struct event **later = realloc(c->later, room * sizeof *later);
        if (!later)
            return false;
        c->later = later;
        c->later_room = room;
    }
    size_t at = c->later_count++;
    for (; at && before(e, c->later[(at - 1) / 2]); at = (at - 1) / 2)
        c->later[at] = c->later[(at - 1) / 2];
    c->later[at] = e;
    return true;
}

static struct event *take_later(struct calendar *c)
{
    struct event *first = c->later[0], *last = c->later[--c->later_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= c->later_count)
            break;
        child += child + 1 < c->later_count && before(c->later[child + 1], c->later[child]);
        if (!before(c->later[child], last))
            break;
        c->later[at] = c->later[child];
        at = child;
    }
    c->later[at] = last;
    return first;
}

/* ---- the ring ---------------------------------------------------------------------------------------------------- */

/* Merges two sorted lists; of equal keys those of `a` come first. */
static struct event *merge(struct event *a, struct event *b)
{
    struct event *first = NULL, **at = &first;
    while (a && b) {
        struct event **next = b->key < a->key ? &b : &a;
        *at = *next;
        at = &(*next)->next;
        *next = *at;
    }
    *at = a ? a : b;
    return first;
}

/* A stable merge sort by key: lists of 1, 2, 4, ... events are merged as in a binary counter. */
static struct event *sort(struct event *list)
{
    struct event *sorted[32] = {NULL};
    unsigned most = 0;
    while (list) {
        struct event *one = list;
        unsigned i = 0;
        list = list->next;
        one->next = NULL;
        for (; sorted[i]; sorted[i++] = NULL)
            one = merge(sorted[i], one);
        sorted[i] = one;
        most = i > most ? i : most;
    }
    struct event *all = NULL;
    for (unsigned i = 0; i <= most; i++)
        all = merge(sorted[i], all);
    return all;
}

static void sort_day(struct calendar *c, unsigned day)
{
    struct event *e = c->first[day] = sort(c->first[day]);
    c->unsorted[day / 64] &= ~(1ull << day % 64);
    while (e->next)
        e = e->next;
    c->last[day] = e;
}

static void add_near(struct calendar *c, struct event *e)
{
    unsigned day = e->cycle % CALENDAR_DAYS;
    struct event **at = &c->first[day];
    c->count++;
    c->used[day / 64] |= 1ull << day % 64;
    if (*at && (c->last[day]->key <= e->key || e->cycle != c->today)) {
        c->unsorted[day / 64] |= (uint64_t)(c->last[day]->key > e->key) << day % 64;
        at = &c->last[day]->next;
    }
    while (*at && (*at)->key <= e->key)
        at = &(*at)->next;
    e->next = *at;
    *at = e;
    if (!e->next)
        c->last[day] = e;
}

bool calendar_add(struct calendar *c, struct event *e, uint64_t cycle)
{
    e->cycle = cycle;
    if (cycle - c->today >= CALENDAR_DAYS)
        return add_later(c, e);
    add_near(c, e);
    return true;
}

static uint64_t next_near(const struct calendar *c)
{
    unsigned today = c->today % CALENDAR_DAYS, word = today / 64;
    uint64_t bits = c->used[word] & ~0ull << today % 64;
    for (unsigned i = 0; i <= CALENDAR_DAYS / 64; i++) {
        if (bits) {
            unsigned day = word * 64 + (unsigned)__builtin_ctzll(bits);
            return c->today + (day - today) % CALENDAR_DAYS;
        }
        word = (word + 1) % (CALENDAR_DAYS / 64);
        bits = c->used[word];
    }
    return CALENDAR_NEVER;
}

uint64_t calendar_next(const struct calendar *c)
{
    if (c->count)
        return next_near(c);
    return c->later_count ? c->later[0]->cycle : CALENDAR_NEVER;
}

struct event *calendar_take(struct calendar *c, uint64_t until)
{
    uint64_t cycle = calendar_next(c);
    if (cycle == CALENDAR_NEVER || cycle > until)
        return NULL;
    if (cycle != c->today) {
        c->today = cycle;
        while (c->later_count && c->later[0]->cycle - cycle < CALENDAR_DAYS)
            add_near(c, take_later(c));
    }
    unsigned day = cycle % CALENDAR_DAYS;
    if (c->unsorted[day / 64] >> day % 64 & 1)
        sort_day(c, day);
    struct event *e = c->first[day];
    c->first[day] = e->next;
    __builtin_prefetch(e->next);
    if (!e->next)
        c->used[day / 64] &= ~(1ull << day % 64);
    c->count--;
    return e;
}

void calendar_reset(struct calendar *c, uint64_t today) { c->today = today; }

void calendar_end(struct calendar *c) { free(c->later); }
