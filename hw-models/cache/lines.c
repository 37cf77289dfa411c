#include "hw-models/cache/lines.h"

#include <stdlib.h>
#include <string.h>

bool lines_open(struct lines *l, uint32_t sets, uint32_t ways, int64_t policy)
{
    const struct replacement_policy *chosen = replacement_policies[policy];
    size_t count = (size_t)sets * ways;
    *l = (struct lines){.sets = sets, .ways = ways, .recent = LINES_NONE};
    l->number = calloc(count, sizeof *l->number);
    l->state = calloc(count, sizeof *l->state);
    l->replacement = (struct replacement){
        .policy = chosen, .state = calloc(1, replacement_size(policy, sets, ways) + 8), .sets = sets, .ways = ways};
    if (!l->number || !l->state || !l->replacement.state) {
        lines_close(l);
        return false;
    }
    if (chosen->reset)
        chosen->reset(&l->replacement);
    return true;
}

void lines_close(struct lines *l)
{
    free(l->number);
    free(l->state);
    free(l->replacement.state);
    *l = (struct lines){0};
}

/* Another use of the line that was used last changes nothing with LRU; other policies may see a difference. */
static void note_recent(struct lines *l, uint32_t slot)
{
    l->recent = l->replacement.policy == &replacement_lru ? slot : LINES_NONE;
}

uint32_t lines_use(struct lines *l, uint32_t number)
{
    uint32_t slot = lines_find(l, number);
    if (slot == LINES_NONE)
        return slot;
    replacement_use(&l->replacement, slot / l->ways, slot % l->ways, ++l->clock, CACHE_HINT_NONE);
    note_recent(l, slot);
    return slot;
}

static uint32_t free_slot(const struct lines *l, uint32_t set)
{
    for (uint32_t slot = set * l->ways; slot < (set + 1) * l->ways; slot++)
        if (l->state[slot] == LINE_INVALID)
            return slot;
    return LINES_NONE;
}

enum line_state lines_make_room(struct lines *l, uint32_t number, uint32_t *victim)
{
    uint32_t set = number % l->sets;
    if (free_slot(l, set) != LINES_NONE)
        return LINE_INVALID;
    uint32_t slot = set * l->ways + l->replacement.policy->victim(&l->replacement, set, NULL);
    enum line_state was = (enum line_state)l->state[slot];
    *victim = l->number[slot];
    l->state[slot] = LINE_INVALID;
    return was;
}

void lines_fill(struct lines *l, uint32_t number, enum line_state state)
{
    uint32_t slot = free_slot(l, number % l->sets);
    l->number[slot] = number;
    l->state[slot] = (uint8_t)state;
    replacement_fill(&l->replacement, slot / l->ways, slot % l->ways, ++l->clock, CACHE_HINT_NONE);
    note_recent(l, slot);
}
