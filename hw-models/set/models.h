/* The tables of all models, one for each kind. Replay looks models up in such a set: the built-in one, or one that a
 * program makes with models of its own. */
#ifndef REPRISE_HW_MODELS_SET_MODELS_H
#define REPRISE_HW_MODELS_SET_MODELS_H

#include "hw-models/cache/cache.h"
#include "hw-models/coalescer/coalescer.h"
#include "hw-models/dram/dram.h"
#include "hw-models/instruction-cache/instruction-cache.h"
#include "hw-models/interconnect/interconnect.h"
#include "hw-models/memory/memory.h"
#include "hw-models/model.h"
#include "hw-models/scheduler/scheduler.h"
#include "hw-models/shared-memory/shared-memory.h"
#include "hw-models/tlb/tlb.h"
#include "hw-models/unit/unit.h"

enum model_kind {
    KIND_SCHEDULER,
    KIND_UNIT,
    KIND_SHARED_MEMORY,
    KIND_COALESCER,
    KIND_CACHE,
    KIND_DRAM,
    KIND_INSTRUCTION_CACHE,
    KIND_PIPELINE, /* struct model: comes with an engine; the built-in set has none */
    KIND_MEMORY,
    KIND_INTERCONNECT,
    KIND_TLB,
    KIND_CONSTANT_CACHE, /* instruction_cache_model */
    KIND_COUNT
};

/* For each kind a NULL-terminated array of its models: pointers to the struct model with which each begins. */
struct model_set {
    const struct model *const *of[KIND_COUNT];
};

extern const struct model_set built_in_models;

#endif
