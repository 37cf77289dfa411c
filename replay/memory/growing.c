#include "replay/memory/growing.h"

#include <stdlib.h>

bool array_grow(void **items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *bigger = realloc(*items, more * size);
    if (!bigger)
        return false;
    *items = bigger;
    *room = more;
    return true;
}

static bool is_before(const struct due *a, const struct due *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

bool ring_add(struct ring *r, struct due due)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        struct due *items = malloc(room * sizeof *items);
        if (!items)
            return false;
        for (size_t i = 0; i < r->count; i++)
            items[i] = r->items[(r->first + i) & (r->room - 1)];
        free(r->items);
        *r = (struct ring){items, 0, r->count, room};
    }
    size_t at = r->count++;
    for (; at && is_before(&due, &r->items[(r->first + at - 1) & (r->room - 1)]); at--)
        r->items[(r->first + at) & (r->room - 1)] = r->items[(r->first + at - 1) & (r->room - 1)];
    r->items[(r->first + at) & (r->room - 1)] = due;
    return true;
}
