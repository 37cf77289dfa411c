#include "replay/memory/calendar.h"

#include <stdlib.h>
#include <string.h>

/* ---- the heap of later days -------------------------------------------------------------------------------------- */

static bool before(const struct event *a, const struct event *b) { return a->cycle < b->cycle; }

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

/* ---- the days ---------------------------------------------------------------------------------------------------- */

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

/* Takes the longest sorted beginning of a list. */
static struct event *take_run(struct event **list)
{
    struct event *first = *list, *last = first;
    while (last->next && last->next->key >= last->key)
        last = last->next;
    *list = last->next;
    last->next = NULL;
    return first;
}

/* A stable merge sort by key: the sorted runs of the list are merged as in a binary counter. */
static struct event *sort(struct event *list)
{
    struct event *sorted[32];
    unsigned count = 0; /* entries of `sorted` in use: entry i is NULL, or has 2^i runs */
    while (list) {
        struct event *run = take_run(&list);
        unsigned i = 0;
        for (; i < count && sorted[i]; sorted[i++] = NULL)
            run = merge(sorted[i], run);
        sorted[i] = run;
        count += i == count;
    }
    struct event *all = NULL;
    for (unsigned i = 0; i < count; i++)
        all = sorted[i] ? merge(sorted[i], all) : all;
    return all;
}

static __attribute__((noinline)) void sort_kind(struct calendar_day *d, unsigned kind)
{
    struct event *last = d->last[kind], *first = last->next;
    last->next = NULL;
    first = last = sort(first);
    while (last->next)
        last = last->next;
    last->next = first;
    d->last[kind] = last;
    d->unsorted &= (uint16_t) ~(1u << kind);
}

static void add_near(struct calendar *c, struct event *e)
{
    unsigned number = e->cycle % CALENDAR_DAYS, kind = e->kind;
    struct calendar_day *d = &c->days[number];
    struct event *last = d->last[kind];
    c->count++;
    d->last[kind] = e;
    if (!last) {
        c->used[number / 64] |= 1ull << number % 64;
        d->used |= (uint16_t)(1u << kind);
        e->next = e;
        return;
    }
    d->unsorted |= (uint16_t)((e->key < last->key) << kind);
    e->next = last->next;
    last->next = e;
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

/* Goes on to the next day with events, if that is `until` or earlier. NULL: it is not. */
static struct calendar_day *next_day(struct calendar *c, uint64_t until)
{
    uint64_t cycle = calendar_next(c);
    if (cycle == CALENDAR_NEVER || cycle > until)
        return NULL;
    c->today = cycle;
    while (c->later_count && c->later[0]->cycle - cycle < CALENDAR_DAYS)
        add_near(c, take_later(c));
    return &c->days[cycle % CALENDAR_DAYS];
}

struct event *calendar_take(struct calendar *c, uint64_t until)
{
    struct calendar_day *d = &c->days[c->today % CALENDAR_DAYS];
    if ((!d->used || c->today > until) && !(d = next_day(c, until)))
        return NULL;
    unsigned kind = (unsigned)__builtin_ctz(d->used);
    if (d->unsorted >> kind & 1)
        sort_kind(d, kind);
    struct event *last = d->last[kind], *e = last->next;
    __builtin_prefetch(e->next);
    c->count--;
    last->next = e->next;
    if (e != last)
        return e;
    d->last[kind] = NULL;
    d->used &= (uint16_t) ~(1u << kind);
    if (!d->used)
        c->used[c->today % CALENDAR_DAYS / 64] &= ~(1ull << c->today % 64);
    return e;
}

void calendar_reset(struct calendar *c, uint64_t today) { c->today = today; }

void calendar_end(struct calendar *c)
{
    free(c->later);
    c->later = NULL;
    c->later_count = c->later_room = 0;
    c->today = 0;
    if (!c->count)
        return;
    memset(c->used, 0, sizeof c->used);
    memset(c->days, 0, sizeof c->days);
    c->count = 0;
}
