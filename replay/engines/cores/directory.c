#include <stdlib.h>
#include <string.h>

#include "replay/engines/cores/chip.h"

bool directory_open(struct directory *d, uint32_t cores)
{
    *d = (struct directory){.room = 1024, .words = (cores + 63) / 64};
    d->table = calloc(d->room, sizeof *d->table);
    d->sharers = calloc((size_t)d->room * d->words, sizeof *d->sharers);
    return d->table && d->sharers;
}

void directory_close(struct directory *d)
{
    free(d->table);
    free(d->sharers);
    *d = (struct directory){0};
}

static struct holders *directory_find(const struct directory *d, uint32_t line)
{
    uint32_t at = line * 2654435761u & (d->room - 1);
    while (d->table[at].line && d->table[at].line != line + 1)
        at = (at + 1) & (d->room - 1);
    return &d->table[at];
}

static bool directory_grow(struct directory *d)
{
    struct directory more = {.room = 2 * d->room, .count = d->count, .words = d->words};
    more.table = calloc(more.room, sizeof *more.table);
    more.sharers = calloc((size_t)more.room * more.words, sizeof *more.sharers);
    if (!more.table || !more.sharers) {
        directory_close(&more);
        return false;
    }
    for (uint32_t i = 0; i < d->room; i++) {
        const struct holders *h = &d->table[i];
        if (!h->line)
            continue;
        struct holders *to = directory_find(&more, h->line - 1);
        *to = *h;
        memcpy(directory_sharers(&more, to), directory_sharers(d, h), d->words * sizeof *d->sharers);
    }
    directory_close(d);
    *d = more;
    return true;
}

struct holders *directory_of(struct directory *d, uint32_t line)
{
    if (2 * (d->count + 1) > d->room && !directory_grow(d))
        return NULL;
    struct holders *h = directory_find(d, line);
    if (!h->line) {
        *h = (struct holders){.line = line + 1, .owner = NOBODY};
        d->count++;
    }
    return h;
}

void directory_forget(struct directory *d, uint32_t line, uint32_t core)
{
    struct holders *h = directory_find(d, line);
    if (!h->line)
        return;
    directory_sharers(d, h)[core / 64] &= ~(UINT64_C(1) << core % 64);
    h->owner = h->owner == core ? NOBODY : h->owner;
}
