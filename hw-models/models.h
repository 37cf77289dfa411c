/* The tables of all models, one per kind. Replay looks models up in such a set: the built-in one, or one that a program
 * has put together with models of its own. */
#ifndef REPRISE_HW_MODELS_MODELS_H
#define REPRISE_HW_MODELS_MODELS_H

#include "hw-models/cache/cache.h"
#include "hw-models/coalescer/coalescer.h"
#include "hw-models/dram/dram.h"
#include "hw-models/model.h"
#include "hw-models/scheduler/scheduler.h"
#include "hw-models/shared-memory/shared-memory.h"
#include "hw-models/unit/unit.h"

/* NULL-terminated arrays. */
struct model_set {
    const struct scheduler_model *const *schedulers;
    const struct unit_model *const *units;
    const struct shared_memory_model *const *shared_memories;
    const struct coalescer_model *const *coalescers;
    const struct cache_model *const *caches;
    const struct dram_model *const *drams;
};

extern const struct model_set built_in_models;

#endif
