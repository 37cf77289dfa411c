/* The constants of a program while it is made: arrays with an element for each lane, each content once (struct operand,
 * frontend/operation/uop.h). Memory comes from an arena and goes with it. */
#ifndef REPRISE_FRONTEND_MODULE_CONSTANTS_H
#define REPRISE_FRONTEND_MODULE_CONSTANTS_H

#include "frontend/module/arena.h"
#include "frontend/operation/uop.h"

struct constant_line {
    uint8_t bytes[64];
};
struct constant_slot { /* of the hash table; count 0: free */
    uint32_t line, count;
};
struct constants {
    VECTOR(struct constant_line) lines; /* the area, from its beginning on; moves as it grows */
    struct constant_slot *slots;
    uint32_t slot_count, used;
};

/* All lanes have the value of `size` bytes (2, 4 or 8). */
struct operand constants_equal(struct constants *, struct arena *, uint64_t value, unsigned size);
/* Lane l has elements[l]. */
struct operand constants_words(struct constants *, struct arena *, const uint32_t elements[RP_WARP_LANES]);
/* The area, once all constants are in it. */
const uint8_t *constants_area(struct constants *, struct arena *);

#endif
