/* A hash map from numbers to numbers, for streams and events. Open addressing; an empty map is all zero. */
#ifndef REPRISE_REPLAY_BASE_MAP_H
#define REPRISE_REPLAY_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAP_NONE UINT32_MAX /* no value */

struct map_entry {
    uint32_t key, value; /* value MAP_NONE: free */
};
struct map {
    struct map_entry *entries;
    uint32_t room, count; /* room: capacity, a power of two */
};

static inline struct map_entry *map_find(const struct map *m, uint32_t key)
{
    uint32_t at = key * 2654435761u & (m->room - 1);
    while (m->entries[at].value != MAP_NONE && m->entries[at].key != key)
        at = (at + 1) & (m->room - 1);
    return &m->entries[at];
}

static inline bool map_grow(struct map *m)
{
    struct map more = {.room = m->room ? 2 * m->room : 16, .count = m->count};
    more.entries = malloc(more.room * sizeof *more.entries);
    if (!more.entries)
        return false;
    memset(more.entries, 0xff, more.room * sizeof *more.entries);
    for (uint32_t i = 0; i < m->room; i++)
        if (m->entries[i].value != MAP_NONE)
            *map_find(&more, m->entries[i].key) = m->entries[i];
    free(m->entries);
    *m = more;
    return true;
}

static inline bool map_put(struct map *m, uint32_t key, uint32_t value)
{
    if (2 * (m->count + 1) > m->room && !map_grow(m))
        return false;
    struct map_entry *e = map_find(m, key);
    m->count += e->value == MAP_NONE;
    *e = (struct map_entry){key, value};
    return true;
}

static inline uint32_t map_get(const struct map *m, uint32_t key)
{
    return m->room ? map_find(m, key)->value : MAP_NONE;
}

static inline void map_clear(struct map *m)
{
    if (m->count)
        memset(m->entries, 0xff, m->room * sizeof *m->entries);
    m->count = 0;
}

#endif
