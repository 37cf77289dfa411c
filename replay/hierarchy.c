#include "replay/hierarchy.h"

#include <stdlib.h>
#include <string.h>

void *model_state(const struct machine_part *part)
{
    size_t size = (part->model->state_size(part->options) + 63) / 64 * 64;
    size = size ? size : 64;
    void *state = aligned_alloc(64, size);
    if (state)
        memset(state, 0, size);
    return state;
}

static bool begin_icaches(struct hierarchy *h)
{
    const struct machine *m = h->machine;
    h->icache_model = (const struct instruction_cache_model *)m->icache.model;
    h->icache_count = (uint32_t)(m->sms * (m->subcores / m->icache_subcores));
    h->icache = calloc(h->icache_count, sizeof *h->icache);
    for (uint32_t i = 0; h->icache && i < h->icache_count; i++) {
        if (!(h->icache[i] = model_state(&m->icache)))
            return false;
        h->icache_model->reset(h->icache[i], m->icache.options);
    }
    return h->icache;
}

static bool begin_caches(struct hierarchy *h)
{
    const struct machine *m = h->machine;
    h->l1_model = (const struct cache_model *)m->l1.model;
    h->l2_model = (const struct cache_model *)m->l2.model;
    h->dram_model = (const struct dram_model *)m->dram.model;
    h->l1_count = (uint32_t)(m->sms * (m->subcores / m->l1_subcores));
    h->l1 = calloc(h->l1_count, sizeof *h->l1);
    h->l2 = model_state(&m->l2);
    h->dram = model_state(&m->dram);
    if (!h->l1 || !h->l2 || !h->dram)
        return false;
    for (uint32_t i = 0; i < h->l1_count; i++) {
        if (!(h->l1[i] = model_state(&m->l1)))
            return false;
        h->l1_model->reset(h->l1[i], m->l1.options);
    }
    h->l2_model->reset(h->l2, m->l2.options);
    h->dram_model->reset(h->dram, m->dram.options);
    return true;
}

bool hierarchy_begin(struct hierarchy *h, const struct machine *m, struct rp_error *err)
{
    *h = (struct hierarchy){.machine = m};
    if (begin_caches(h) && begin_icaches(h))
        return true;
    hierarchy_end(h);
    return rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", m->name);
}

void hierarchy_warm(struct hierarchy *h, const struct rp_launch *launch)
{
    for (uint32_t i = 0; i < launch->allocation_count; i++)
        if (launch->allocations[i].initialised)
            h->l2_model->preload(h->l2, launch->allocations[i].base, launch->allocations[i].size);
}

void hierarchy_end(struct hierarchy *h)
{
    for (uint32_t i = 0; h->l1 && i < h->l1_count; i++)
        free(h->l1[i]);
    free(h->l1);
    for (uint32_t i = 0; h->icache && i < h->icache_count; i++)
        free(h->icache[i]);
    free(h->icache);
    free(h->l2);
    free(h->dram);
    *h = (struct hierarchy){0};
}
