/* Lines in sets, with a state for each: the private caches and the banks of L2 of a chip of many cores
 * (replay/engines/cores). They know which lines are there and which one goes, and nothing of time.
 *
 * A line is known by its number, address / line size, below 2^32 - 1. It belongs to set number % sets. */
#ifndef REPRISE_HW_MODELS_CACHE_LINES_H
#define REPRISE_HW_MODELS_CACHE_LINES_H

#include "hw-models/replacement/replacement.h"

/* MODIFIED is dirty: no other cache has the line. */
enum line_state { LINE_INVALID, LINE_SHARED, LINE_MODIFIED };

struct lines {
    uint32_t sets, ways;
    uint32_t *number; /* [sets][ways] */
    uint8_t *state;   /* [sets][ways], enum line_state */
    uint64_t clock;   /* of uses and fills, for the policy */
    uint32_t recent;  /* the slot that was used or filled last; LINES_NONE: none, or another policy than LRU */
    struct replacement replacement;
};

#define LINES_NONE UINT32_MAX

/* False: out of memory, and nothing need be freed. policy: the value of an option `replacement`. */
bool lines_open(struct lines *, uint32_t sets, uint32_t ways, int64_t policy);
void lines_close(struct lines *);

/* The slot that has the line; LINES_NONE: none has. Changes nothing. */
static inline uint32_t lines_find(const struct lines *l, uint32_t number)
{
    uint32_t first = (l->sets & (l->sets - 1) ? number % l->sets : number & (l->sets - 1)) * l->ways;
    for (uint32_t slot = first; slot < first + l->ways; slot++)
        if (l->number[slot] == number && l->state[slot] != LINE_INVALID)
            return slot;
    return LINES_NONE;
}

/* The slot that has the line, which is used; LINES_NONE: none has. */
uint32_t lines_use(struct lines *, uint32_t number);

/* Whether the line was the last one that was used, so that another use changes nothing. */
static inline bool lines_is_recent(const struct lines *l, uint32_t number)
{
    return l->recent != LINES_NONE && l->number[l->recent] == number && l->state[l->recent] != LINE_INVALID;
}

/* Makes room for a line that is not there: another one goes if its set is full. Returns the state that this one had,
 * LINE_INVALID if none goes; *victim: its number. */
enum line_state lines_make_room(struct lines *, uint32_t number, uint32_t *victim);
/* Fills a line that is not there into the room that was made. */
void lines_fill(struct lines *, uint32_t number, enum line_state);

#endif
