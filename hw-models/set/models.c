#include "hw-models/set/models.h"

#include "hw-models/scheduler/schedulers.h"

static const struct model *const schedulers[] = {
#define SCHEDULER(name) &scheduler_##name.model,
#include "hw-models/scheduler/schedulers.def"
#undef SCHEDULER
    NULL};
static const struct model *const units[] = {&unit_ideal.model, &unit_pipelined.model, NULL};
static const struct model *const shared_memories[] = {&shared_memory_ideal.model, &shared_memory_banks.model,
                                                      &shared_memory_pastis.model, NULL};
static const struct model *const coalescers[] = {&coalescer_ideal.model, &coalescer_segments.model, NULL};
static const struct model *const caches[] = {&cache_none.model, &cache_direct_mapped.model, &cache_sectored.model,
                                             &cache_staged.model, NULL};
static const struct model *const drams[] = {&dram_ideal.model,  &dram_fixed.model,  &dram_bandwidth.model,
                                            &dram_banked.model, &dram_staged.model, NULL};
static const struct model *const instruction_caches[] = {
    &instruction_cache_perfect.model, &instruction_cache_set_associative.model, &instruction_cache_two_level.model,
    &instruction_cache_three_level.model, NULL};

static const struct model *const memories[] = {&memory_hierarchy.model, &memory_stochastic.model, NULL};

static const struct model *const interconnects[] = {&interconnect_direct.model, &interconnect_crossbar.model, NULL};

static const struct model *const tlbs[] = {&tlb_none.model, &tlb_set_associative.model, NULL};

const struct model_set built_in_models = {{
    [KIND_SCHEDULER] = schedulers,
    [KIND_UNIT] = units,
    [KIND_SHARED_MEMORY] = shared_memories,
    [KIND_COALESCER] = coalescers,
    [KIND_CACHE] = caches,
    [KIND_DRAM] = drams,
    [KIND_INSTRUCTION_CACHE] = instruction_caches,
    [KIND_MEMORY] = memories,
    [KIND_INTERCONNECT] = interconnects,
    [KIND_TLB] = tlbs,
    [KIND_CONSTANT_CACHE] = instruction_caches,
}};
