/* The calendar queue against a list that is searched. */
#include "replay/memory/calendar.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/synthetic_trace.h"

#define EVENTS 300u

struct listed {
    struct event event;
    uint64_t cycle, number; /* when it was added */
    bool waits;
};

static bool listed_before(const struct listed *a, const struct listed *b)
{
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->event.kind != b->event.kind)
        return a->event.kind < b->event.kind;
    return a->event.key != b->event.key ? a->event.key < b->event.key : a->number < b->number;
}

static struct listed *first_listed(struct listed *all)
{
    struct listed *first = NULL;
    for (struct listed *l = all; l < all + EVENTS; l++)
        if (l->waits && (!first || listed_before(l, first)))
            first = l;
    return first;
}

/* Cycles near today, a few far away. Only events of days have equal keys: those of later days have an order by key. */
static void add_random(struct calendar *c, struct listed *l, uint64_t today, uint64_t number, uint64_t *random)
{
    bool far = synthetic_random(random) % 16 == 0;
    l->cycle = today + (far ? CALENDAR_DAYS + synthetic_random(random) % 5000 : synthetic_random(random) % 8);
    l->event.kind = (uint8_t)(synthetic_random(random) % CALENDAR_KINDS);
    l->event.key = far ? 100 + number : synthetic_random(random) % 20;
    l->number = number;
    l->waits = true;
    cr_assert(calendar_add(c, &l->event, l->cycle));
}

static void take_listed(struct calendar *c, struct listed *all, uint64_t *today)
{
    struct listed *first = first_listed(all);
    cr_assert_eq(calendar_next(c), first ? first->cycle : CALENDAR_NEVER);
    if (!first)
        return;
    if (first->cycle)
        cr_assert_null(calendar_take(c, first->cycle - 1));
    cr_assert_eq(calendar_take(c, first->cycle), &first->event);
    *today = first->cycle;
    first->waits = false;
}

static void add_and_take(struct calendar *c, uint64_t steps, uint64_t *random)
{
    static struct listed all[EVENTS];
    uint64_t today = 0;
    memset(all, 0, sizeof all);
    for (uint64_t step = 0; step < steps; step++) {
        struct listed *l = &all[synthetic_random(random) % EVENTS];
        if (!l->waits && synthetic_random(random) % 2)
            add_random(c, l, today, step, random);
        else
            take_listed(c, all, &today);
    }
}

/* Ended with events in it, it begins anew at cycle 0, as memory_system_clear() wants it. */
Test(calendar, events_come_in_their_order)
{
    static struct calendar c;
    uint64_t random = 1;
    for (unsigned i = 0; i < 40; i++) {
        add_and_take(&c, i % 2 ? 50 * i : 20, &random);
        calendar_end(&c);
        cr_assert_eq(calendar_next(&c), CALENDAR_NEVER);
    }
}
