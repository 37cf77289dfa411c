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

bool hierarchy_begin(struct hierarchy *h, const struct machine *m, struct rp_error *err)
{
    *h = (struct hierarchy){.machine = m,
                            .l1_model = (const struct cache_model *)m->l1.model,
                            .l2_model = (const struct cache_model *)m->l2.model,
                            .dram_model = (const struct dram_model *)m->dram.model,
                            .l1_count = (uint32_t)(m->sms * (m->subcores / m->l1_subcores))};
    h->l1 = calloc(h->l1_count, sizeof *h->l1);
    h->l2 = model_state(&m->l2);
    h->dram = model_state(&m->dram);
    bool fine = h->l1 && h->l2 && h->dram;
    for (uint32_t i = 0; fine && i < h->l1_count; i++) {
        h->l1[i] = model_state(&m->l1);
        fine = h->l1[i];
        if (fine)
            h->l1_model->reset(h->l1[i], m->l1.options);
    }
    if (!fine) {
        hierarchy_end(h);
        return rp_fail(err, RP_SYSTEM, "out of memory for the caches of %s", m->name);
    }
    h->l2_model->reset(h->l2, m->l2.options);
    h->dram_model->reset(h->dram, m->dram.options);
    return true;
}

void hierarchy_end(struct hierarchy *h)
{
    for (uint32_t i = 0; h->l1 && i < h->l1_count; i++)
        free(h->l1[i]);
    free(h->l1);
    free(h->l2);
    free(h->dram);
    *h = (struct hierarchy){0};
}
