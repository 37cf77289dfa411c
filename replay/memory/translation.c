#include "replay/memory/translation.h"

#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void *open_tlb(const struct machine_part *part)
{
    void *state = machine_part_state(part);
    if (state)
        ((const struct tlb_model *)part->model)->reset(state, part->options);
    return state;
}

bool translation_open(struct translation *t, const struct memory_layout *l)
{
    *t = (struct translation){0};
    if (!l->translates)
        return true;
    bool fine = (t->near = calloc(l->sms, sizeof *t->near)) && (t->shared = open_tlb(&l->machine->l2_tlb));
    for (uint32_t i = 0; fine && i < l->sms; i++)
        fine = (t->near[i] = open_tlb(&l->machine->tlb)) != NULL;
    return fine && (l->walkers == MEMORY_ANY || (t->walkers = calloc(l->walkers, sizeof *t->walkers)));
}

void translation_close(struct translation *t, const struct memory_layout *l)
{
    for (uint32_t i = 0; t->near && i < l->sms; i++)
        free(t->near[i]);
    free(t->near);
    free(t->shared);
    free(t->walkers);
    *t = (struct translation){0};
}

/* Returns the end of a walk. All walks take the same time, so walkers become free in the order in which they are taken.
 */
static uint64_t walk(struct translation *t, const struct memory_layout *l, uint64_t from)
{
    uint64_t *walker = t->walkers ? &t->walkers[t->walks % l->walkers] : &from;
    uint64_t end = later(from, *walker) + l->walk;
    t->walks++;
    t->counts.walks++;
    return *walker = end;
}

/* A miss of the SM's TLB: returns the cycle in which the L2 TLB or a walk has the translation. */
static uint64_t from_shared(struct translation *t, const struct memory_layout *l, uint64_t address, uint64_t now)
{
    const struct machine_part *part = &l->machine->l2_tlb;
    const struct tlb_model *model = (const struct tlb_model *)part->model;
    uint64_t done = now + model->latency(part->options);
    if (!model->keeps)
        return walk(t, l, done);
    bool hit;
    uint64_t *ready = model->look_up(t->shared, address, &hit);
    t->counts.l2_hits += hit;
    if (!hit)
        *ready = walk(t, l, done);
    return later(done, *ready);
}

uint64_t translation_of(struct translation *t, const struct memory_layout *l, uint32_t sm, uint64_t address,
                        uint64_t now)
{
    const struct machine_part *part = &l->machine->tlb;
    const struct tlb_model *model = (const struct tlb_model *)part->model;
    uint64_t done = now + model->latency(part->options);
    bool hit;
    uint64_t *ready = model->look_up(t->near[sm], address, &hit);
    *(hit ? &t->counts.hits : &t->counts.misses) += 1;
    if (!hit)
        *ready = from_shared(t, l, address, done);
    done = later(done, *ready);
    t->counts.waited += done - now;
    return done;
}
