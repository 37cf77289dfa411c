#include "tools/wcet/states.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct wcet_states_entry {
    uint32_t round, state;
};

#define FIRST_CAPACITY 256

static bool resize(struct wcet_states *l, uint32_t capacity)
{
    uint16_t *states = realloc(l->states, (size_t)capacity * l->fields * sizeof *states + 1);
    if (states)
        l->states = states;
    uint64_t *cycle = realloc(l->cycle, capacity * sizeof *cycle);
    if (cycle)
        l->cycle = cycle;
    uint32_t *hash = realloc(l->hash, capacity * sizeof *hash);
    if (hash)
        l->hash = hash;
    struct wcet_states_entry *table = calloc(2 * (size_t)capacity, sizeof *table);
    if (!states || !cycle || !hash || !table) {
        free(table);
        return false;
    }
    free(l->table);
    l->table = table;
    l->capacity = capacity;
    l->round = 1;
    return true;
}

bool wcet_states_begin(struct wcet_states *l, uint32_t fields)
{
    *l = (struct wcet_states){.fields = (fields + 3) / 4 * 4};
    return resize(l, FIRST_CAPACITY);
}

void wcet_states_end(struct wcet_states *l)
{
    free(l->states);
    free(l->cycle);
    free(l->hash);
    free(l->table);
    *l = (struct wcet_states){0};
}

void wcet_states_clear(struct wcet_states *l)
{
    l->count = 0;
    if (++l->round)
        return;
    memset(l->table, 0, 2 * (size_t)l->capacity * sizeof *l->table);
    l->round = 1;
}

/* Takes 8 bytes at a time: multiplies, and folds the upper half of the product into the lower. */
static uint32_t hash_of(const uint16_t *state, uint32_t fields)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < fields; i += 4) {
        uint64_t word;
        memcpy(&word, state + i, sizeof word);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* The entry of the state, or the empty entry where it would be added. */
static struct wcet_states_entry *find(const struct wcet_states *l, const uint16_t *state, uint32_t hash)
{
    uint32_t mask = 2 * l->capacity - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        struct wcet_states_entry *e = &l->table[at];
        if (e->round != l->round ||
            (l->hash[e->state] == hash && !memcmp(wcet_state(l, e->state), state, l->fields * sizeof *state)))
            return e;
    }
}

static bool grow(struct wcet_states *l)
{
    if (l->capacity > UINT32_MAX / 4 || !resize(l, 2 * l->capacity))
        return false;
    for (uint32_t i = 0; i < l->count; i++)
        *find(l, wcet_state(l, i), l->hash[i]) = (struct wcet_states_entry){l->round, i};
    return true;
}

uint16_t *wcet_states_room(struct wcet_states *l, struct rp_error *err)
{
    if (l->count == l->capacity && !grow(l)) {
        rp_fail(err, RP_SYSTEM, "out of memory with %" PRIu32 " schedules' states at once; give --exhaust fewer",
                l->count);
        return NULL;
    }
    return wcet_state(l, l->count);
}

void wcet_states_keep(struct wcet_states *l, uint64_t cycle)
{
    const uint16_t *state = wcet_state(l, l->count);
    uint32_t hash = hash_of(state, l->fields);
    struct wcet_states_entry *e = find(l, state, hash);
    if (e->round == l->round) {
        l->cycle[e->state] = cycle > l->cycle[e->state] ? cycle : l->cycle[e->state];
        return;
    }
    *e = (struct wcet_states_entry){l->round, l->count};
    l->hash[l->count] = hash;
    l->cycle[l->count++] = cycle;
}
