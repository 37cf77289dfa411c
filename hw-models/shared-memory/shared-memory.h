/* Shared memory: transactions, bank conflicts and duration of one access by one warp.
 *
 * The result depends only on the access, never on time, so engines may keep it for equal accesses. Adding a multiple of
 * the model's period to all addresses does not change it.
 */
#ifndef REPRISE_HW_MODELS_SHARED_MEMORY_H
#define REPRISE_HW_MODELS_SHARED_MEMORY_H

#include "hw-models/model.h"

#define SHARED_MEMORY_LANES 32

struct shared_memory_access {
    uint32_t mask;           /* lanes that take part; not 0 */
    uint32_t width;          /* bytes per lane */
    const uint64_t *address; /* per lane: offset in the block's shared memory; only those in the mask count */
    bool atomic;             /* a read-modify-write: lanes with the same address cannot share what they read */
};

struct shared_memory_cost {
    uint32_t transactions;
    uint32_t conflicts; /* transactions beyond what the access would need without bank conflicts */
    uint32_t duration;  /* cycles from the start of the access to its result */
    uint32_t occupancy; /* cycles for which the SM's shared memory takes no other access; 0: the access does not wait
                           for others either */
};

struct shared_memory_model {
    struct model model;
    uint32_t period; /* bytes, a power of two */
    void (*cost)(const int64_t *options, const struct shared_memory_access *, struct shared_memory_cost *);
};

extern const struct shared_memory_model shared_memory_ideal, shared_memory_banks, shared_memory_pastis;

#endif
