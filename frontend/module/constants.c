#include "frontend/module/constants.h"

#include <string.h>

enum { LINE = sizeof(struct constant_line), MAX_LINES = OPERAND_WINDOW / LINE };

static uint32_t hash_of(const struct constant_line *lines, uint32_t count)
{
    uint64_t hash = count, word;
    for (uint32_t i = 0; i < count * LINE; i += sizeof word) {
        memcpy(&word, (const uint8_t *)lines + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* The slot of these lines, or a free one for them. */
static struct constant_slot *find_slot(const struct constants *c, const struct constant_line *lines, uint32_t count)
{
    uint32_t at = hash_of(lines, count) & (c->slot_count - 1);
    for (;; at = (at + 1) & (c->slot_count - 1)) {
        struct constant_slot *s = &c->slots[at];
        if (!s->count || (s->count == count && !memcmp(&c->lines.at[s->line], lines, count * LINE)))
            return s;
    }
}

static void grow_slots(struct constants *c, struct arena *arena)
{
    struct constants grown = *c;
    grown.slot_count = c->slot_count ? c->slot_count * 2 : 64;
    grown.slots = ARENA_ARRAY(arena, struct constant_slot, grown.slot_count);
    for (uint32_t i = 0; i < c->slot_count; i++)
        if (c->slots[i].count)
            *find_slot(&grown, &c->lines.at[c->slots[i].line], c->slots[i].count) = c->slots[i];
    *c = grown;
}

static void begin(struct constants *c, struct arena *arena)
{
    while (c->lines.count < CONSTANTS_START / LINE)
        VECTOR_PUSH(arena, &c->lines, (struct constant_line){{0}});
}

static struct operand add(struct constants *c, struct arena *arena, const struct constant_line *lines, uint32_t count)
{
    begin(c, arena);
    if (2 * c->used >= c->slot_count)
        grow_slots(c, arena);
    struct constant_slot *slot = find_slot(c, lines, count);
    if (!slot->count) {
        if (c->lines.count + count > MAX_LINES)
            longjmp(*arena->out_of_memory, ARENA_FULL);
        *slot = (struct constant_slot){c->lines.count, count};
        c->used++;
        for (uint32_t i = 0; i < count; i++)
            VECTOR_PUSH(arena, &c->lines, lines[i]);
    }
    return OPERAND_CONSTANT(slot->line * LINE);
}

struct operand constants_equal(struct constants *c, struct arena *arena, uint64_t value, unsigned size)
{
    struct constant_line lines[RP_WARP_LANES * 8 / LINE];
    for (unsigned lane = 0; lane < RP_WARP_LANES; lane++)
        memcpy((uint8_t *)lines + lane * size, &value, size);
    return add(c, arena, lines, RP_WARP_LANES * size / LINE);
}

struct operand constants_words(struct constants *c, struct arena *arena, const uint32_t elements[RP_WARP_LANES])
{
    struct constant_line lines[RP_WARP_LANES * 4 / LINE];
    memcpy(lines, elements, sizeof lines);
    return add(c, arena, lines, sizeof lines / LINE);
}

const uint8_t *constants_area(struct constants *c, struct arena *arena)
{
    begin(c, arena);
    return (const uint8_t *)c->lines.at;
}
