#include "hw-models/replacement/sets.h"

#include <string.h>

size_t set_table_size(int64_t policy, uint64_t sets, uint32_t ways)
{
    return sets * ways * sizeof(struct set_entry) + replacement_size(policy, sets, ways);
}

void set_table_begin(struct set_table *t, void *memory, int64_t policy, uint64_t sets, uint32_t ways)
{
    *t = (struct set_table){.entries = memory};
    memset(t->entries, 0, sets * ways * sizeof *t->entries);
    replacement_begin(&t->replacement, t->entries + sets * ways, policy, sets, ways);
}

struct set_entry *set_table_look_up(struct set_table *t, uint64_t set, uint64_t number, bool *hit)
{
    const struct replacement *r = &t->replacement;
    struct set_entry *entries = &t->entries[set * r->ways];
    uint32_t way = 0;
    while (way < r->ways && entries[way].tag && entries[way].tag != number + 1)
        way++;
    *hit = way < r->ways && entries[way].tag;
    if (*hit) {
        replacement_use(r, set, way, ++t->clock, CACHE_HINT_NONE);
        return &entries[way];
    }
    way = way < r->ways ? way : r->policy->victim(r, set, NULL);
    entries[way] = (struct set_entry){.tag = number + 1};
    replacement_fill(r, set, way, ++t->clock, CACHE_HINT_NONE);
    return &entries[way];
}
