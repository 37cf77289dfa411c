/* Functional units: when an issued instruction starts.
 *
 * Every sub-core has an instance of each of the machine's units, or neighbouring sub-cores share one. An instruction is
 * issued to a unit in one cycle, and dispatched in that cycle or later: then its initiation begins. The machine file
 * gives the length of the initiation, and of the latency after it, for each class of instructions.
 */
#ifndef REPRISE_HW_MODELS_UNIT_H
#define REPRISE_HW_MODELS_UNIT_H

#include "hw-models/model.h"

struct unit_model {
    struct model model;
    void (*reset)(void *state, const int64_t *options);
    /* The first cycle from `now` on in which an instruction may be issued to the unit. Only dispatch changes it. */
    uint64_t (*accepts)(const void *state, uint64_t now);
    /* An instruction with this initiation interval (at least 1 cycle) is issued at `now`, which accepts() allowed.
     * Returns the cycle in which it is dispatched, at least `now`. */
    uint64_t (*dispatch)(void *state, uint64_t now, uint32_t initiation);
    /* How many neighbouring sub-cores share an instance, at least 1. NULL: each has its own. */
    uint32_t (*sharers)(const int64_t *options);
};

extern const struct unit_model unit_ideal, unit_pipelined;

#endif
