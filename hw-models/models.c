#include "hw-models/models.h"

static const struct scheduler_model *const schedulers[] = {&scheduler_serial, &scheduler_lrr, &scheduler_gto, NULL};
static const struct unit_model *const units[] = {&unit_ideal, &unit_pipelined, NULL};
static const struct shared_memory_model *const shared_memories[] = {&shared_memory_ideal, &shared_memory_pastis, NULL};
static const struct coalescer_model *const coalescers[] = {&coalescer_ideal, &coalescer_segments, NULL};
static const struct cache_model *const caches[] = {&cache_none, &cache_direct_mapped, NULL};
static const struct dram_model *const drams[] = {&dram_ideal, &dram_fixed, NULL};

const struct model_set built_in_models = {schedulers, units, shared_memories, coalescers, caches, drams};
