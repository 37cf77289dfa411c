/* A set of states, each with the latest cycle in which it was reached. A state is a row of 16-bit fields; two are the
 * same if their fields are. */
#ifndef REPRISE_TOOLS_WCET_STATES_H
#define REPRISE_TOOLS_WCET_STATES_H

#include "tracefmt/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcet_states {
    uint32_t fields;  /* of a state, a multiple of 4: what is asked for and zeros */
    uint32_t count;   /* states */
    uint16_t *states; /* one after the other */
    uint64_t *cycle;  /* by state */
    /* the rest is the set's own */
    uint32_t *hash; /* by state */
    uint32_t capacity;
    struct wcet_states_entry *table; /* twice as many as there may be states, a power of 2 */
    uint32_t round;                  /* entries of earlier rounds are empty */
};

/* False: no memory. wcet_states_end frees it in either case. */
bool wcet_states_begin(struct wcet_states *, uint32_t fields);
void wcet_states_end(struct wcet_states *);
void wcet_states_clear(struct wcet_states *);

/* Where the next state goes, all of its fields to be set; valid until the next call. NULL: failure. */
uint16_t *wcet_states_room(struct wcet_states *, struct rp_error *);
/* Keeps what is there, unless it is among the states already; in either case notes the cycle. */
void wcet_states_keep(struct wcet_states *, uint64_t cycle);

static inline uint16_t *wcet_state(const struct wcet_states *l, uint32_t index)
{
    return l->states + (size_t)index * l->fields;
}

#endif
