/* Device memory: when a request to it is answered. */
#ifndef REPRISE_HW_MODELS_DRAM_H
#define REPRISE_HW_MODELS_DRAM_H

#include "hw-models/model.h"

struct dram_model {
    struct model model;
    void (*reset)(void *state, const int64_t *options);
    /* A request for the transaction at `address` arrives at `cycle`; returns the cycle in which its data is back at
     * the requester, or a write is done. Requests are served in the order of the calls. */
    uint64_t (*access)(void *state, uint64_t address, bool write, uint64_t cycle);
};

extern const struct dram_model dram_ideal, dram_fixed;

#endif
