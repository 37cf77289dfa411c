/* Translation look-aside buffers. Each SM has one, and all SMs share the next one; a miss there walks the page tables.
 * The memory system models the walks.
 *
 * A look-up always ends with an entry for the address. If there was none, another entry is replaced at once, and the
 * new one is in flight until the owner has set the cycle from which it is there.
 */
#ifndef REPRISE_HW_MODELS_TLB_H
#define REPRISE_HW_MODELS_TLB_H

#include "hw-models/model.h"

struct tlb_model {
    struct model model;
    bool keeps; /* false: has no entries at all; nothing is looked up and nothing is counted */
    void (*reset)(void *state, const int64_t *options);
    /* Cycles that a look-up takes, after those of the level before. */
    uint64_t (*latency)(const int64_t *options);
    /* Bytes that an entry translates; 0 if there are none. */
    uint64_t (*page)(const int64_t *options);
    /* Looks the address up. *hit: its entry is there or in flight. Returns a pointer to the cycle from which the entry
     * is there. After a miss the caller sets this cycle before the next look-up. */
    uint64_t *(*look_up)(void *state, uint64_t address, bool *hit);
};

extern const struct tlb_model tlb_none, tlb_set_associative;

#endif
