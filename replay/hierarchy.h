/* The state of the memory models: instruction caches, L1 caches, L2, DRAM. It may live on from launch to launch, so its
 * clock does, too. */
#ifndef REPRISE_REPLAY_HIERARCHY_H
#define REPRISE_REPLAY_HIERARCHY_H

#include "replay/machine.h"
#include "tracefmt/trace.h"

struct hierarchy {
    const struct machine *machine;
    const struct cache_model *l1_model, *l2_model;
    const struct dram_model *dram_model;
    const struct instruction_cache_model *icache_model;
    uint32_t icache_count; /* of the whole chip */
    void **icache;         /* [SM × (sub-cores / icache_subcores) + sub-core / icache_subcores] */
    uint32_t l1_count;     /* of the whole chip */
    void **l1;             /* [SM × (sub-cores / l1_subcores) + sub-core / l1_subcores] */
    void *l2, *dram;
    uint64_t clock; /* cycles of earlier launches: models see this plus the launch's own cycle */
};

bool hierarchy_begin(struct hierarchy *, const struct machine *, struct rp_error *);
void hierarchy_end(struct hierarchy *);
/* Fills L2 with what the host wrote before the launch, in the order in which the trace lists it, from the first byte to
 * the last: as if the host had just copied it through L2. For a hierarchy that no request has reached yet. */
void hierarchy_warm(struct hierarchy *, const struct rp_launch *);

/* State of a model for these options, 64-byte aligned and zeroed; NULL when out of memory. Freed by free(). */
void *model_state(const struct machine_part *);

static inline uint32_t hierarchy_l1_of(const struct machine *m, uint32_t sm, uint32_t subcore)
{
    return (uint32_t)(sm * (m->subcores / m->l1_subcores) + subcore / m->l1_subcores);
}

static inline uint32_t hierarchy_icache_of(const struct machine *m, uint32_t sm, uint32_t subcore)
{
    return (uint32_t)(sm * (m->subcores / m->icache_subcores) + subcore / m->icache_subcores);
}
/* Where an instruction stands: kernels lie 4 GiB apart. */
static inline uint64_t hierarchy_code_address(uint32_t kernel, const struct rp_instruction *in)
{
    return ((uint64_t)kernel << 32) + in->pc;
}

#endif
