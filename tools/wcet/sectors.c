#include "tools/wcet/sectors.h"

#include <stdlib.h>

static struct wcet_sector *place(struct wcet_sector *table, uint64_t capacity, uint32_t cache, uint64_t number)
{
    uint64_t hash = (number ^ (uint64_t)cache << 58) * 0x9e3779b97f4a7c15u;
    uint64_t at = (hash ^ hash >> 32) & (capacity - 1);
    while (table[at].number && (table[at].number != number || table[at].cache != cache))
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

struct wcet_sector *wcet_sectors_find(struct wcet_sectors *s, uint32_t cache, uint64_t number)
{
    struct wcet_sector *found = place(s->table, s->capacity, cache, number);
    if (!found->number) {
        *found = (struct wcet_sector){.number = number, .cache = cache};
        s->count++;
    }
    return found;
}

bool wcet_sectors_reserve(struct wcet_sectors *s, uint64_t more, struct rp_error *err)
{
    uint64_t capacity = s->capacity ? s->capacity : 1024;
    while (capacity < 2 * (s->count + more))
        capacity *= 2;
    if (capacity == s->capacity)
        return true;
    struct wcet_sector *table = calloc(capacity, sizeof *table);
    if (!table)
        return rp_fail(err, RP_SYSTEM, "out of memory for the sectors that a launch touches");
    for (uint64_t i = 0; i < s->capacity; i++)
        if (s->table[i].number)
            *place(table, capacity, s->table[i].cache, s->table[i].number) = s->table[i];
    free(s->table);
    s->table = table;
    s->capacity = capacity;
    return true;
}

void wcet_sectors_free(struct wcet_sectors *s)
{
    free(s->table);
    *s = (struct wcet_sectors){0};
}
