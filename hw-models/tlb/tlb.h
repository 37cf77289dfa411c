/* Translation look-aside buffers: which translations of addresses are at hand. An SM has one, and all SMs share the
 * next; behind that the page tables are walked. Who waits for a walk is the memory system's business.
 *
 * A look-up always ends with an entry for the address: what is not there makes room at once, and is on its way until
 * its owner has said from when it is there.
 */
#ifndef REPRISE_HW_MODELS_TLB_H
#define REPRISE_HW_MODELS_TLB_H

#include "hw-models/model.h"

struct tlb_model {
    struct model model;
    bool keeps; /* false: has no entries at all; nothing is looked up and nothing is counted */
    void (*reset)(void *state, const int64_t *options);
    /* Cycles of a look-up that come on top of what stands before it. */
    uint64_t (*latency)(const int64_t *options);
    /* Looks the address up. *hit: its entry is there, or on its way. Returns where the cycle stands from which it is
     * there: after a miss the caller writes it, before the next look-up. */
    uint64_t *(*look_up)(void *state, uint64_t address, bool *hit);
};

extern const struct tlb_model tlb_none, tlb_set_associative;

#endif
