/* Memory in the reference engine: from the addresses of a warp's lanes to the cycle in which the last one is served. */
#include "replay/reference/reference.h"

/* One access of one operand, all of its lanes in one space. */
struct access {
    const struct rp_memory_operand *operand;
    unsigned space;
    rp_lanemask mask;
    uint64_t address[RP_WARP_LANES];
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t shared(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched)
{
    const struct shared_memory_model *model = (const struct shared_memory_model *)r->machine->shared.model;
    struct shared_memory_access access = {a->mask, a->operand->width, a->address};
    struct shared_memory_cost cost;
    model->cost(r->machine->shared.options, &access, &cost);
    *shared_counter(r->statistics, a->operand) += cost.transactions;
    r->statistics->shared_conflicts += cost.conflicts;
    struct ref_sm *sm = &r->sms[w->sm];
    if (!cost.occupancy) /* it has a way in of its own */
        return dispatched + cost.duration;
    uint64_t start = later(dispatched, sm->shared_free);
    sm->shared_free = start + cost.occupancy;
    return start + cost.duration;
}

static uint64_t dram(struct reference *r, uint64_t address, bool write, uint64_t cycle)
{
    struct hierarchy *h = r->job->hierarchy;
    r->statistics->dram_accesses++;
    return h->dram_model->access(h->dram, address, write, cycle);
}

/* One transaction at L2 and beyond; cycles on the hierarchy's clock. */
static uint64_t beyond_l1(struct reference *r, uint64_t address, enum cache_kind kind, uint64_t cycle)
{
    struct hierarchy *h = r->job->hierarchy;
    struct cache_request request = {address, cycle, kind};
    struct cache_reply reply;
    h->l2_model->access(h->l2, &request, &reply);
    if (h->l2_model->keeps)
        *(reply.hit ? &r->statistics->l2_hits : &r->statistics->l2_misses) += 1;
    if (reply.write_back)
        dram(r, reply.victim, true, reply.cycle);
    if (reply.served)
        return reply.cycle;
    uint64_t done = dram(r, address, kind != CACHE_READ, reply.cycle);
    if (reply.fill)
        h->l2_model->fill(h->l2, address, done);
    return done;
}

static uint64_t through_l1(struct reference *r, void *l1, uint64_t address, enum cache_kind kind, uint64_t cycle)
{
    struct hierarchy *h = r->job->hierarchy;
    struct cache_request request = {address, cycle, kind};
    struct cache_reply reply;
    h->l1_model->access(l1, &request, &reply);
    if (h->l1_model->keeps)
        *(reply.hit ? &r->statistics->l1_hits : &r->statistics->l1_misses) += 1;
    if (reply.write_back)
        beyond_l1(r, reply.victim, CACHE_WRITE, reply.cycle);
    if (reply.served)
        return reply.cycle;
    uint64_t done = beyond_l1(r, address, kind, reply.cycle);
    if (reply.fill)
        h->l1_model->fill(l1, address, done);
    return done;
}

/* The transactions of one coalesced piece of an access, which all reach the first level in cycle `accepted`. */
static uint64_t transactions(struct reference *r, struct ref_warp *w, const struct access *a, uint32_t width,
                             uint64_t accepted)
{
    const struct coalescer_model *model = (const struct coalescer_model *)r->machine->coalescer.model;
    struct hierarchy *h = r->job->hierarchy;
    struct coalescer_access access = {a->mask, width, a->address};
    uint64_t address[COALESCER_MOST], done = accepted;
    uint32_t count = model->coalesce(r->machine->coalescer.options, &access, address);
    enum cache_kind kind = cache_kind_of(a->operand);
    *global_counter(r->statistics, a->operand) += count;
    void *l1 = h->l1[hierarchy_l1_of(r->machine, w->sm, w->subcore)];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t cycle = accepted + h->clock;
        uint64_t end = bypasses_l1(a->operand) ? beyond_l1(r, address[i], kind, cycle)
                                               : through_l1(r, l1, address[i], kind, cycle);
        done = later(done, end - h->clock);
    }
    return done;
}

/* Local memory is interleaved word by word, so each 4-byte word of the lanes is a piece of its own. */
static uint64_t local(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t accepted)
{
    uint64_t place = ((uint64_t)w->sm * (uint64_t)r->machine->subcores + w->subcore) * SCHEDULER_SLOTS + w->slot;
    uint64_t done = accepted;
    struct access piece = *a;
    uint32_t width = a->operand->width < COALESCER_WIDEST ? a->operand->width : COALESCER_WIDEST;
    for (uint32_t at = 0; at == 0 || at < width; at += 4) {
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            piece.address[l] = local_address(place, local_words(r->kernel), a->address[l] + at, l);
        uint64_t end = transactions(r, w, &piece, width < 4 ? width : 4, accepted);
        done = later(done, end);
    }
    return done;
}

static uint64_t one_space(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched,
                          uint64_t accepted)
{
    switch (path_of_space(a->space)) {
    case PATH_SHARED: return shared(r, w, a, dispatched);
    case PATH_CONSTANT: return accepted;
    case PATH_CACHES: break;
    }
    return a->space == RP_SPACE_LOCAL ? local(r, w, a, accepted) : transactions(r, w, a, a->operand->width, accepted);
}

/* Generic accesses are taken apart by space, in the order of enum rp_space. */
static uint64_t generic(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched,
                        uint64_t accepted)
{
    uint64_t done = accepted;
    for (unsigned space = 0; space < RP_SPACE_COUNT; space++) {
        struct access part = {.operand = a->operand, .space = space};
        for (unsigned l = 0; l < RP_WARP_LANES; l++) {
            uint64_t offset;
            if ((a->mask >> l & 1) && resolve_generic(r->launch, a->address[l], &offset) == space) {
                part.mask |= 1u << l;
                part.address[l] = offset;
            }
        }
        if (part.mask)
            done = later(done, one_space(r, w, &part, dispatched, accepted));
    }
    return done;
}

uint64_t ref_memory(struct reference *r, struct ref_warp *w, uint64_t dispatched, uint64_t accepted)
{
    const struct rp_instruction *in = w->next.instruction;
    uint64_t done = accepted;
    for (uint32_t i = 0; i < in->memory_count; i++) {
        const struct rp_dynamic_access *dynamic = &w->next.accesses[i];
        struct access a = {.operand = &in->memory[i], .space = in->memory[i].space, .mask = dynamic->pattern->mask};
        if (!a.mask || a.space == RP_SPACE_NONE)
            continue;
        rp_access_addresses(dynamic, a.address);
        uint64_t end = a.space == RP_SPACE_GENERIC ? generic(r, w, &a, dispatched, accepted)
                                                   : one_space(r, w, &a, dispatched, accepted);
        done = later(done, end);
    }
    return done;
}
