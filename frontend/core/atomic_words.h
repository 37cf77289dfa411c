/* Atomics on words of 32 and 64 bits: a loop for each operation and type. */
#ifndef REPRISE_FRONTEND_CORE_ATOMIC_WORDS_H
#define REPRISE_FRONTEND_CORE_ATOMIC_WORDS_H

#include "frontend/core/access.h"

struct atomic_words {
    enum rp_atomic op;
    enum lane_type type;
    const void *operand; /* of 32 lanes */
    const void *third;   /* of cas: what is stored */
    void *old;           /* NULL: nobody wants old values */
    uint8_t *host;       /* the word of lane l is at host + lane_address(la, l) */
    const struct lane_addresses *la;
    bool shared;      /* other host threads may access the memory */
    bool flushed;     /* f32 sums flush subnormals */
    uint64_t changes; /* grows if memory changes; stays 0 if it is shared */
};
/* The lanes' operations in ascending order. False: there is no loop for this operation and type, and nothing has
 * happened. */
bool atomic_words(struct atomic_words *, lanemask);

#endif
