#include "replay/engines/cores/agenda.h"

#include <stdlib.h>

bool agenda_add(struct agenda *a, struct event e)
{
    if (a->count == a->room) {
        size_t room = a->room ? 2 * a->room : 1024;
        struct event *more = realloc(a->events, room * sizeof *more);
        if (!more)
            return false;
        a->events = more;
        a->room = room;
    }
    size_t at = a->count++;
    for (size_t above; at && event_before(&e, &a->events[above = (at - 1) / 2]); at = above)
        a->events[at] = a->events[above];
    a->events[at] = e;
    return true;
}

struct event agenda_take(struct agenda *a)
{
    struct event first = a->events[0], last = a->events[--a->count];
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < a->count; at = below) {
        below += below + 1 < a->count && event_before(&a->events[below + 1], &a->events[below]);
        if (!event_before(&a->events[below], &last))
            break;
        a->events[at] = a->events[below];
    }
    if (a->count)
        a->events[at] = last;
    return first;
}

void agenda_free(struct agenda *a)
{
    free(a->events);
    *a = (struct agenda){0};
}
