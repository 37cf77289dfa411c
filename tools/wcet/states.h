/* A set of states, each with the latest cycle in which it was reached. A state is a row of 16-bit fields; states are
 * equal if their fields are. */
#ifndef REPRISE_TOOLS_WCET_STATES_H
#define REPRISE_TOOLS_WCET_STATES_H

#include "tracefmt/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcet_states {
    uint32_t fields;  /* of a state: the requested number, padded with zeros to a multiple of 4 */
    uint32_t count;   /* states */
    uint16_t *states; /* one after the other */
    uint64_t *cycle;  /* by state */
    /* private to the set */
    uint32_t *hash; /* by state */
    uint32_t capacity;
    struct wcet_states_entry *table; /* twice as many entries as `capacity`, a power of 2 */
    uint32_t round;                  /* entries of earlier rounds are empty */
};

/* False: out of memory. wcet_states_end frees it in either case. */
bool wcet_states_begin(struct wcet_states *, uint32_t fields);
void wcet_states_end(struct wcet_states *);
void wcet_states_clear(struct wcet_states *);

/* Room for the next state: the caller sets all of its fields. Valid until the next call. NULL: failure. */
uint16_t *wcet_states_room(struct wcet_states *, struct rp_error *);
/* Adds the state in that room, unless the set has an equal one, and raises the state's cycle to `cycle`. */
void wcet_states_keep(struct wcet_states *, uint64_t cycle);

static inline uint16_t *wcet_state(const struct wcet_states *l, uint32_t index)
{
    return l->states + (size_t)index * l->fields;
}

#endif
