/* Memory in the reference engine: from the addresses of a warp's lanes to the cycle in which the last one is served. */
#include "replay/base/lsu_lines.h"
#include "replay/engines/reference/reference.h"

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
    struct shared_memory_access access = {a->mask, a->operand->width, a->address, is_atomic(a->operand)};
    struct shared_memory_cost cost;
    model->cost(r->machine->shared.options, &access, &cost);
    *shared_counter(w->block->grid->statistics, a->operand) += cost.transactions;
    w->block->grid->statistics->shared_conflicts += cost.conflicts;
    struct ref_sm *sm = &r->sms[w->sm];
    if (!cost.occupancy) /* it does not wait for other accesses */
        return dispatched + cost.duration;
    uint64_t start = later(dispatched, sm->shared_free);
    sm->shared_free = start + cost.occupancy;
    return start + cost.duration;
}

/* The same in the shared memory of other blocks of the cluster: the access first occupies the port of its SM. */
static uint64_t in_other_block(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched)
{
    const struct shared_memory_model *model = (const struct shared_memory_model *)r->machine->shared.model;
    struct shared_memory_access access = {a->mask, a->operand->width, a->address, is_atomic(a->operand)};
    struct shared_memory_cost cost;
    model->cost(r->machine->shared.options, &access, &cost);
    *shared_counter(w->block->grid->statistics, a->operand) += cost.transactions;
    w->block->grid->statistics->shared_conflicts += cost.conflicts;
    uint64_t cycles = cluster_cycles(r->machine, (uint64_t)rp_lane_count(a->mask) * a->operand->width);
    if (!cycles) /* the port has no bound */
        return dispatched + cost.duration;
    struct ref_sm *sm = &r->sms[w->sm];
    uint64_t start = later(dispatched, sm->cluster_port_free);
    sm->cluster_port_free = start + cycles;
    return start + cycles - 1 + cost.duration;
}

static uint64_t noted(struct reference *r, uint64_t shared_end)
{
    r->shared_end = later(r->shared_end, shared_end);
    return shared_end;
}

/* Transactions of an access take their turn in shared memory, where their lines have one. Those before which there were
 * none of this instruction reach the LSU later by the time that they wait. */
static void take_turn(struct reference *r, struct ref_warp *w, const struct access *a, const uint64_t *address,
                      uint32_t count)
{
    struct ref_sm *sm = &r->sms[w->sm];
    uint64_t cycles = lsu_line_cycles(r->machine, cache_kind_of(a->operand));
    if (!cycles)
        return;
    uint64_t start = later(r->dispatched, sm->shared_free);
    sm_memory_wait(memory_system_sm(r->job->memory, w->sm), start - r->dispatched);
    sm->shared_free = start;
    for (uint32_t i = 0; i < count; i++) {
        bool seen = false;
        for (uint32_t other = 0; other < i; other++)
            seen |= address[other] / LSU_LINE == address[i] / LSU_LINE;
        sm->shared_free += seen ? 0 : cycles;
    }
}

/* The transactions of one coalesced piece of an access. */
static void transactions(struct reference *r, struct ref_warp *w, const struct access *a, uint32_t width)
{
    const struct coalescer_model *model = (const struct coalescer_model *)r->machine->coalescer.model;
    struct coalescer_access access = {a->mask, width, a->address};
    uint64_t address[COALESCER_MOST];
    uint32_t count = model->coalesce(r->machine->coalescer.options, &access, address);
    *global_counter(w->block->grid->statistics, a->operand) += count;
    take_turn(r, w, a, address, count);
    uint8_t repeats[COALESCER_MOST];
    uint32_t bytes[COALESCER_MOST];
    uint64_t sector = memory_system_sector(r->job->memory);
    atomic_repeats(a->mask, a->address, address, count, repeats);
    if (sector)
        touched_bytes(a->mask, a->address, width, sector, address, count, bytes);
    for (uint32_t i = 0; i < count; i++)
        sm_memory_add(memory_system_sm(r->job->memory, w->sm),
                      &(struct memory_transaction){.address = address[i],
                                                   .kind = (uint8_t)cache_kind_of(a->operand),
                                                   .bypass_l1 = bypasses_l1(a->operand),
                                                   .repeats = repeats[i],
                                                   .hint = hints_of(a->operand),
                                                   .bytes = sector ? bytes[i] : CACHE_ALL_BYTES});
}

/* Local memory is interleaved word by word, so each 4-byte word of the lanes is a piece of its own. */
static void local(struct reference *r, struct ref_warp *w, const struct access *a)
{
    uint64_t warp_slot = ((uint64_t)w->sm * (uint64_t)r->machine->subcores + w->subcore) * SCHEDULER_SLOTS + w->slot;
    struct access piece = *a;
    uint32_t width = a->operand->width < COALESCER_WIDEST ? a->operand->width : COALESCER_WIDEST;
    for (uint32_t at = 0; at == 0 || at < width; at += 4) {
        for (unsigned l = 0; l < RP_WARP_LANES; l++)
            piece.address[l] = local_address(warp_slot, local_words(w->block->grid->of.kernel), a->address[l] + at, l);
        transactions(r, w, &piece, width < 4 ? width : 4);
    }
}

/* Returns the cycle in which it is complete. For caches the memory system reports that later. */
static uint64_t one_space(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched)
{
    switch (path_of_space(a->space)) {
    case PATH_SHARED:
        if (a->space == RP_SPACE_SHARED_CLUSTER && in_clusters(w->block->grid->of.launch))
            return noted(r, in_other_block(r, w, a, dispatched));
        return noted(r, shared(r, w, a, dispatched));
    case PATH_CONSTANT:
        return sm_memory_constants(memory_system_sm(r->job->memory, w->sm),
                                   constant_bank(w->block->grid->of.launch, a->space), a->mask, a->address,
                                   r->accepted);
    case PATH_CACHES: break;
    }
    if (a->space == RP_SPACE_LOCAL)
        local(r, w, a);
    else
        transactions(r, w, a, a->operand->width);
    return 0;
}

/* Splits an access whose lanes may be in different spaces, in the order of enum rp_space. */
static uint64_t apart(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched)
{
    uint64_t done = 0;
    for (unsigned space = 0; space < RP_SPACE_COUNT; space++) {
        struct access part = {.operand = a->operand, .space = space};
        for (unsigned l = 0; l < RP_WARP_LANES; l++) {
            uint64_t offset = a->address[l];
            if ((a->mask >> l & 1) &&
                resolve_operand(w->block->grid->of.launch, w->block->rank, a->space, &offset) == space) {
                part.mask |= 1u << l;
                part.address[l] = offset;
            }
        }
        if (part.mask)
            done = later(done, one_space(r, w, &part, dispatched));
    }
    return done;
}

/* Accesses with sampled latency: all ends are known, and no access waits for another. Returns the latest end. */
static uint64_t sampled(struct reference *r, struct ref_warp *w, uint64_t dispatched, enum response_level *level)
{
    const struct rp_instruction *in = w->next.instruction;
    const struct engine_launch *of = &w->block->grid->of;
    uint64_t done = dispatched, response = 0;
    for (uint32_t i = 0; i < in->memory_count; i++) {
        struct access a = {.operand = &in->memory[i], .mask = w->next.accesses[i].pattern->mask};
        struct sampled_access request;
        if (names_texel_again(&w->next, i))
            continue;
        sampled_access_of(r->job->sampled, r->machine, of->launch, of->kernel, &w->next, i, &request, a.address);
        if (request.path == TIMED_BY_SHARED)
            done = later(done, shared(r, w, &a, dispatched));
        if (request.path != TIMED_BY_SAMPLE)
            continue;
        *sampled_counter(w->block->grid->statistics, &request, a.operand) += request.transactions;
        response = later(response, sampled_response(r->job->sampled, &request, &w->random, w->block->grid->statistics));
    }
    *level = response_level(response);
    return later(done, dispatched + response_cycle(response));
}

static uint64_t all_spaces(struct reference *r, struct ref_warp *w, const struct access *a, uint64_t dispatched)
{
    return needs_resolving(w->block->grid->of.launch, a->space) ? apart(r, w, a, dispatched)
                                                                : one_space(r, w, a, dispatched);
}

/* One side of a bulk copy: each lane's bytes, block by block of a multicast, piece by piece. */
static uint64_t bulk(struct reference *r, struct ref_warp *w, const struct access *a, uint32_t i, uint64_t dispatched)
{
    const struct rp_launch *l = w->block->grid->of.launch;
    struct rp_memory_operand operand = *a->operand;
    uint64_t done = 0, bytes = rp_bulk_bytes(*rp_step_operand_aux(&w->next, i));
    uint32_t blocks = bulk_blocks(l, &w->next, i);
    operand.width = ASYNC_PIECE_WIDTH;
    for (unsigned lane = 0; lane < RP_WARP_LANES; lane++)
        for (uint32_t b = 0; (a->mask >> lane & 1) && b < (blocks ? RP_CLUSTER_MOST : 1); b++) {
            if (blocks && !(blocks >> b & 1))
                continue;
            uint64_t at = a->address[lane];
            if (blocks)
                at = cluster_address(l, w->block->rank, a->space, at, b);
            struct access piece = {.operand = &operand, .space = a->space};
            for (uint64_t p = 0; (piece.mask = async_piece(at, bytes, p, piece.address)); p++)
                done = later(done, all_spaces(r, w, &piece, dispatched));
        }
    return done;
}

bool ref_memory(struct reference *r, struct ref_warp *w, uint64_t dispatched, uint64_t accepted, uint32_t token,
                uint64_t *known, enum response_level *level, uint64_t *taken)
{
    const struct rp_instruction *in = w->next.instruction;
    struct sm_memory *memory = memory_system_sm(r->job->memory, w->sm);
    *known = r->accepted = accepted;
    r->dispatched = dispatched;
    if (r->job->sampled) {
        *known = later(accepted, sampled(r, w, dispatched, level));
        if (taken)
            *taken = accepted;
        return true;
    }
    sm_memory_begin(memory, w->subcore, accepted, token, 0);
    for (uint32_t i = 0; i < in->memory_count; i++) {
        const struct rp_dynamic_access *dynamic = &w->next.accesses[i];
        struct access a = {.operand = &in->memory[i], .space = in->memory[i].space, .mask = dynamic->pattern->mask};
        if (!a.mask || a.space == RP_SPACE_NONE || names_texel_again(&w->next, i))
            continue;
        rp_access_addresses(dynamic, a.address);
        uint64_t end = is_bulk(a.operand) ? bulk(r, w, &a, i, dispatched) : all_spaces(r, w, &a, dispatched);
        *known = later(*known, end);
    }
    uint64_t end = sm_memory_commit(memory, taken, level);
    *known = end == MEMORY_PENDING ? *known : later(*known, end);
    return end != MEMORY_PENDING;
}
