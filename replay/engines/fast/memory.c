/* Memory in the fast engine. An access's cost in shared memory, and its transactions, depend on its pattern, its width,
 * and its base modulo the model's period. Tables keep these results. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/lsu_lines.h"
#include "replay/engines/fast/shared.h"

struct memo *memo_new(void)
{
    struct memo *memo = aligned_alloc(_Alignof(struct memo), sizeof *memo);
    return memo ? memset(memo, 0, sizeof *memo) : NULL;
}

void memo_free(struct memo *memo) { free(memo); }

static void lane_addresses(uint64_t base, const struct rp_pattern *p, uint64_t address[RP_WARP_LANES])
{
    rp_access_addresses(&(struct rp_dynamic_access){base, p}, address);
}

/* ---- shared memory ---------------------------------------------------------------------------------------------- */

static const struct shared_memory_model *shared_model(const struct fast_sm *sm)
{
    return (const struct shared_memory_model *)sm->chip->machine->shared.model;
}

void fast_compute_cost(const struct fast_sm *sm, const struct rp_memory_operand *o, uint64_t base,
                       const struct rp_pattern *p, const struct access_key *key, struct shared_entry *e)
{
    uint64_t address[RP_WARP_LANES];
    lane_addresses(base, p, address);
    struct shared_memory_access access = {p->mask, o->width, address, is_atomic(o)};
    shared_model(sm)->cost(sm->chip->machine->shared.options, &access, &e->cost);
    e->key = *key;
    access_key_keep_offsets(&e->offsets, p);
}

/* Where an access costs nothing, it is a transaction. */
static uint64_t shared(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o, uint64_t base,
                       const struct rp_pattern *p, uint64_t dispatched)
{
    uint64_t *counter = shared_counter(&w->part->statistics, o);
    if (!sm->chip->plain_shared)
        return take_shared(sm, w->part, counter, cost_of(sm, o, o->width, is_atomic(o), base, p), dispatched);
    ++*counter;
    return dispatched;
}

/* The same in the shared memory of other blocks of the cluster: the access first occupies the port of its SM. */
static uint64_t take_cluster_port(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                                  const struct shared_memory_cost *cost, uint64_t bytes, uint64_t dispatched)
{
    uint64_t cycles = cluster_cycles(sm->chip->machine, bytes), end = dispatched + cost->duration;
    *shared_counter(&w->part->statistics, o) += cost->transactions;
    w->part->statistics.shared_conflicts += cost->conflicts;
    if (cycles) {
        sm->cluster_port_free = later(dispatched, sm->cluster_port_free) + cycles;
        end = sm->cluster_port_free - 1 + cost->duration;
    }
    sm->shared_end = later(sm->shared_end, end);
    return end;
}

static uint64_t shared_lanes(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                             unsigned space, rp_lanemask mask, const uint64_t *address, uint64_t dispatched)
{
    struct shared_memory_access access = {mask, o->width, address, is_atomic(o)};
    struct shared_memory_cost cost;
    shared_model(sm)->cost(sm->chip->machine->shared.options, &access, &cost);
    if (space == RP_SPACE_SHARED_CLUSTER && in_clusters(w->part->grid->launch))
        return take_cluster_port(sm, w, o, &cost, (uint64_t)rp_lane_count(mask) * o->width, dispatched);
    return take_shared(sm, w->part, shared_counter(&w->part->statistics, o), &cost, dispatched);
}

/* ---- caches and device memory ----------------------------------------------------------------------------------- */

/* The different lines of the LSU that transactions at base + segment[i] touch. */
static uint32_t lines_touched(uint64_t base, const int64_t *segment, uint32_t count)
{
    uint64_t line[COALESCER_MOST];
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = (base + (uint64_t)segment[i]) / LSU_LINE;
        uint32_t other = lines;
        while (other && line[other - 1] != number)
            other--;
        if (!other)
            line[lines++] = number;
    }
    return lines;
}

/* The transactions take their turn in shared memory, where they have one. The first ones of an instruction say when all
 * of them reach the LSU. */
static void take_turn(struct fast_sm *sm, enum cache_kind kind, uint64_t base, const int64_t *segment, uint32_t count)
{
    const uint64_t cycles = lsu_line_cycles(sm->chip->machine, kind);
    const bool first = !sm->reaches_lsu;
    sm->reaches_lsu = true;
    if (!cycles)
        return;
    uint64_t start = later(sm->dispatched, sm->shared_free);
    sm->shared_free = start + cycles * lines_touched(base, segment, count);
    if (first)
        sm->arrival += start - sm->dispatched;
}

/* Makes transactions at base + segment[i], which all reach the LSU in cycle sm->arrival. Returns their end as far as it
 * is known; sm->token names the access if it is not complete. */
static uint64_t transactions(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                             uint64_t base, const int64_t *segment, const uint8_t *repeats, const uint32_t *bytes,
                             uint32_t count, uint64_t accepted)
{
    *global_counter(&w->part->statistics, o) += count;
    take_turn(sm, cache_kind_of(o), base, segment, count);
    if (sm->chip->immediate) {
        sm->level = RESPONSE_DRAM;
        return sm->arrival + sm->chip->delay;
    }
    if (sm->token == NO_ACCESS) {
        sm->token = fast_access_new(sm);
        sm_memory_begin(sm->memory, w->subcore->number, sm->arrival, sm->token, w->block->number);
    }
    sm_memory_add_all(sm->memory,
                      &(struct memory_transactions){base, segment, repeats, bytes, count, (uint8_t)cache_kind_of(o),
                                                    hints_of(o), bypasses_l1(o)});
    return accepted;
}

/* Whether the number of lanes at one address matters. */
static bool atomics_repeat(const struct fast_sm *sm, const struct rp_memory_operand *o)
{
    return sm->chip->atomics_repeat && cache_kind_of(o) == CACHE_ATOMIC;
}

/* Whether it matters which bytes of its sectors a write covers. */
static bool bytes_matter(const struct fast_sm *sm, const struct rp_memory_operand *o)
{
    return sm->chip->sector && cache_kind_of(o) == CACHE_WRITE;
}

static uint64_t coalesce_lanes(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                               rp_lanemask mask, const uint64_t *address, uint32_t width, uint64_t accepted)
{
    const struct coalescer_model *model = (const struct coalescer_model *)sm->chip->machine->coalescer.model;
    struct coalescer_access access = {mask, width, address};
    uint64_t out[COALESCER_MOST];
    int64_t segment[COALESCER_MOST];
    uint32_t count = model->coalesce(sm->chip->machine->coalescer.options, &access, out);
    uint8_t repeats[COALESCER_MOST];
    uint32_t bytes[COALESCER_MOST];
    bool counts = atomics_repeat(sm, o), covers = bytes_matter(sm, o);
    for (uint32_t i = 0; i < count; i++)
        segment[i] = (int64_t)out[i];
    if (counts)
        atomic_repeats(mask, address, out, count, repeats);
    if (covers)
        touched_bytes(mask, address, width, sm->chip->sector, out, count, bytes);
    return transactions(sm, w, o, 0, segment, counts ? repeats : NULL, covers ? bytes : NULL, count, accepted);
}

static uint64_t global(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o, uint64_t base,
                       const struct rp_pattern *p, uint64_t accepted)
{
    const struct coalescer_model *model = (const struct coalescer_model *)sm->chip->machine->coalescer.model;
    uint64_t period = later(model->period(sm->chip->machine->coalescer.options), sm->chip->sector);
    struct access_key key = access_key_of(p, base, period, o->width, false);
    size_t index = access_key_index(&key, p, MEMO_ENTRIES);
    struct global_entry *e = &sm->memo->global[index];
    bool repeats = atomics_repeat(sm, o), covers = bytes_matter(sm, o);
    if (repeats || !access_key_same(&e->key, &e->offsets, &key, p)) {
        uint64_t address[RP_WARP_LANES], out[COALESCER_MOST];
        lane_addresses(base, p, address);
        if (repeats)
            return coalesce_lanes(sm, w, o, p->mask, address, o->width, accepted);
        struct coalescer_access access = {p->mask, o->width, address};
        uint32_t count = model->coalesce(sm->chip->machine->coalescer.options, &access, out);
        if (count > MEMO_SEGMENTS)
            return coalesce_lanes(sm, w, o, p->mask, address, o->width, accepted);
        e->key = key;
        e->count = count;
        for (uint32_t i = 0; i < count; i++)
            e->segment[i] = (int64_t)(out[i] - (base - key.residue));
        access_key_keep_offsets(&e->offsets, p);
        if (sm->chip->sector)
            touched_bytes(p->mask, address, o->width, sm->chip->sector, out, count, sm->memo->bytes[index]);
    }
    return transactions(sm, w, o, base - key.residue, e->segment, NULL, covers ? sm->memo->bytes[index] : NULL,
                        e->count, accepted);
}

static uint64_t local_lanes(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                            rp_lanemask mask, const uint64_t *offset, uint64_t accepted)
{
    uint64_t index = (uint64_t)w->subcore->chip_number * SCHEDULER_SLOTS + w->slot,
             words = local_words(w->part->grid->kernel), done = accepted;
    uint32_t width = o->width < COALESCER_WIDEST ? o->width : COALESCER_WIDEST;
    for (uint32_t at = 0; at == 0 || at < width; at += 4) {
        uint64_t address[RP_WARP_LANES] = {0};
        for (rp_lanemask m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            address[l] = local_address(index, words, offset[l] + at, l);
        }
        done = later(done, coalesce_lanes(sm, w, o, mask, address, width < 4 ? width : 4, accepted));
    }
    return done;
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

static uint64_t constants(struct fast_sm *sm, const struct fast_warp *w, unsigned space, rp_lanemask mask,
                          const uint64_t *address, uint64_t accepted)
{
    return sm_memory_constants(sm->memory, constant_bank(w->part->grid->launch, space), mask, address, accepted);
}

static uint64_t constant_pattern(struct fast_sm *sm, const struct fast_warp *w, unsigned space, uint64_t base,
                                 const struct rp_pattern *p, uint64_t accepted)
{
    if (!sm->chip->constants)
        return accepted;
    uint64_t address[RP_WARP_LANES];
    if (p->kind == RP_PATTERN_UNIFORM) { /* one lane names all of it */
        unsigned lowest = (unsigned)__builtin_ctz(p->mask);
        address[lowest] = base;
        return constants(sm, w, space, 1u << lowest, address, accepted);
    }
    lane_addresses(base, p, address);
    return constants(sm, w, space, p->mask, address, accepted);
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

static uint64_t lanes_in(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                         unsigned space, rp_lanemask mask, const uint64_t *address, uint64_t dispatched,
                         uint64_t accepted)
{
    switch (path_of_space(space)) {
    case PATH_SHARED: return shared_lanes(sm, w, o, space, mask, address, dispatched);
    case PATH_CONSTANT: return constants(sm, w, space, mask, address, accepted);
    case PATH_CACHES: break;
    }
    return space == RP_SPACE_LOCAL ? local_lanes(sm, w, o, mask, address, accepted)
                                   : coalesce_lanes(sm, w, o, mask, address, o->width, accepted);
}

/* An access whose lanes may be in different spaces: one space after the other, in the order of enum rp_space. */
static uint64_t mixed(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                      const struct rp_dynamic_access *a, uint64_t dispatched, uint64_t accepted)
{
    uint64_t address[RP_WARP_LANES], done = accepted;
    rp_lanemask in[RP_SPACE_COUNT] = {0};
    lane_addresses(a->base, a->pattern, address);
    for (rp_lanemask m = a->pattern->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        in[resolve_operand(w->part->grid->launch, w->block->rank, o->space, &address[l])] |= 1u << l;
    }
    for (unsigned space = 0; space < RP_SPACE_COUNT; space++)
        if (in[space])
            done = later(done, lanes_in(sm, w, o, space, in[space], address, dispatched, accepted));
    return done;
}

static uint64_t in_space(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                         unsigned space, uint64_t base, const struct rp_pattern *p, uint64_t dispatched,
                         uint64_t accepted)
{
    switch (path_of_space(space)) {
    case PATH_SHARED: return shared(sm, w, o, base, p, dispatched);
    case PATH_CONSTANT: return constant_pattern(sm, w, space, base, p, accepted);
    case PATH_CACHES: break;
    }
    if (space != RP_SPACE_LOCAL)
        return global(sm, w, o, base, p, accepted);
    uint64_t address[RP_WARP_LANES];
    lane_addresses(base, p, address);
    return local_lanes(sm, w, o, p->mask, address, accepted);
}

/* A piece of one side of a bulk copy, by the spaces of its lanes. */
static uint64_t piece(struct fast_sm *sm, const struct fast_warp *w, const struct rp_memory_operand *o,
                      rp_lanemask mask, uint64_t address[RP_WARP_LANES], uint64_t dispatched, uint64_t accepted)
{
    rp_lanemask in[RP_SPACE_COUNT] = {0};
    uint64_t done = accepted;
    for (rp_lanemask left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        in[resolve_operand(w->part->grid->launch, w->block->rank, o->space, &address[l])] |= 1u << l;
    }
    for (unsigned space = 0; space < RP_SPACE_COUNT; space++)
        if (in[space])
            done = later(done, lanes_in(sm, w, o, space, in[space], address, dispatched, accepted));
    return done;
}

/* One side of a bulk copy: each lane's bytes, block by block of a multicast, piece by piece. */
static uint64_t bulk(struct fast_sm *sm, const struct fast_warp *w, uint32_t operand, uint64_t dispatched,
                     uint64_t accepted)
{
    const struct rp_dynamic_access *a = &w->next.accesses[operand];
    const struct rp_launch *launch = w->part->grid->launch;
    struct rp_memory_operand o = w->next.instruction->memory[operand];
    uint64_t from[RP_WARP_LANES] = {0}, bytes = rp_bulk_bytes(*rp_step_operand_aux(&w->next, operand)), done = accepted;
    uint32_t blocks = bulk_blocks(launch, &w->next, operand);
    o.width = ASYNC_PIECE_WIDTH;
    lane_addresses(a->base, a->pattern, from);
    for (rp_lanemask m = a->pattern->mask; m; m &= m - 1)
        for (uint32_t left = blocks ? blocks : 1; left; left &= left - 1) {
            uint64_t address[RP_WARP_LANES], at = from[__builtin_ctz(m)];
            rp_lanemask mask;
            if (blocks)
                at = cluster_address(launch, w->block->rank, o.space, at, (uint32_t)__builtin_ctz(left));
            for (uint64_t i = 0; (mask = async_piece(at, bytes, i, address)); i++)
                done = later(done, piece(sm, w, &o, mask, address, dispatched, accepted));
        }
    return done;
}

/* The least and the greatest offset of a lane. False: they are too far apart. */
static bool offset_range(const struct rp_pattern *p, int64_t *least, int64_t *most)
{
    *least = *most = 0; /* the lowest lane's */
    if (p->kind == RP_PATTERN_GENERAL) {
        int64_t offset[RP_WARP_LANES];
        rp_pattern_offsets(p, offset);
        for (unsigned i = 0; i < RP_WARP_LANES; i++) {
            *least = offset[i] < *least ? offset[i] : *least;
            *most = offset[i] > *most ? offset[i] : *most;
        }
        return true;
    }
    int lanes = 31 - __builtin_clz(p->mask) - __builtin_ctz(p->mask);
    return !__builtin_mul_overflow(p->stride, lanes, p->stride < 0 ? least : most);
}

/* The space that all lanes of a generic access are in; RP_SPACE_NONE if they differ, or if it is not known without
 * looking at each lane. */
static unsigned common_space(const struct rp_launch *l, const struct rp_dynamic_access *a, uint64_t *offset)
{
    int64_t least, most;
    if (!offset_range(a->pattern, &least, &most))
        return RP_SPACE_NONE;
    uint64_t low = a->base + (uint64_t)least, high = a->base + (uint64_t)most, ignored;
    unsigned space = resolve_generic(l, a->base, offset);
    if (low > high || low > a->base || high < a->base || resolve_generic(l, low, &ignored) != space ||
        resolve_generic(l, high, &ignored) != space)
        return RP_SPACE_NONE;
    if (space != RP_SPACE_GLOBAL)
        return space;
    const uint64_t windows[] = {l->shared_window, l->local_window, l->const_window, l->param_window};
    for (size_t i = 0; i < MODEL_COUNT_OF(windows); i++)
        if (windows[i] > low && windows[i] <= high)
            return RP_SPACE_NONE; /* a window lies between the lanes */
    return space;
}

/* Commits the access. Returns its end, or UNKNOWN; then its completion is recorded. `done`: the end of the
 * instruction's other accesses. */
static uint64_t commit(struct fast_sm *sm, struct fast_warp *w, uint64_t done, uint64_t accepted)
{
    bool posted = (w->op->flags & OP_ORDERED) && is_posted(w->part->grid->launch, &w->next);
    uint64_t end = sm_memory_commit(sm->memory, posted ? &sm->taken : NULL, &sm->level);
    if (sm->out_of_memory || end != MEMORY_PENDING) {
        fast_access_free(sm, sm->token);
        return sm->out_of_memory ? accepted : end;
    }
    bool starts = w->op->flags & OP_STARTS;
    sm->accesses[sm->token] = (struct fast_access){
        .warp = w, .op = w->op, .done = done, .latency = w->latency, .producer = w->producer, .starts = starts};
    w->unresolved += !starts;
    w->block->unresolved++;
    fast_sm_limit(sm);
    if (sm->chip->stepped && sm->memory_next > accepted) {
        sm->memory_next = accepted;
        fast_sm_stop(sm, accepted);
    }
    return UNKNOWN;
}

/* Accesses with sampled latency: all ends are known at once. */
static uint64_t sampled(struct fast_sm *sm, struct fast_warp *w, uint64_t dispatched, uint64_t accepted)
{
    const struct engine_job *job = sm->chip->job;
    const struct fast_grid *grid = w->part->grid;
    const struct rp_instruction *in = w->next.instruction;
    uint64_t done = accepted, response = 0;
    for (uint32_t i = 0; i < in->memory_count; i++) {
        const struct rp_memory_operand *o = &in->memory[i];
        const struct rp_dynamic_access *a = &w->next.accesses[i];
        uint64_t address[RP_WARP_LANES];
        struct sampled_access request;
        if (names_texel_again(&w->next, i))
            continue;
        sampled_access_of(job->sampled, sm->chip->machine, grid->launch, grid->kernel, &w->next, i, &request, address);
        if (request.path == TIMED_BY_SHARED) {
            uint64_t lowest = address[__builtin_ctz(a->pattern->mask)];
            done = later(done, shared(sm, w, o, lowest, a->pattern, dispatched));
        }
        if (request.path != TIMED_BY_SAMPLE)
            continue;
        *sampled_counter(&w->part->statistics, &request, o) += request.transactions;
        response = later(response, sampled_response(job->sampled, &request, &w->random, &w->part->statistics));
    }
    w->producer = producer_served(w->producer, response_level(response));
    return later(done, dispatched + response_cycle(response)) + w->latency;
}

uint64_t fast_memory(struct fast_sm *sm, struct fast_warp *w, uint64_t dispatched, uint64_t accepted)
{
    const struct rp_instruction *in = w->next.instruction;
    uint64_t done = accepted;
    sm->dispatched = dispatched;
    sm->arrival = accepted;
    sm->reaches_lsu = false;
    if (sm->chip->job->sampled)
        return sampled(sm, w, dispatched, accepted);
    sm->token = NO_ACCESS;
    sm->level = RESPONSE_NONE;
    sm->shared_end = accepted;
    for (uint32_t i = 0; i < in->memory_count; i++) {
        const struct rp_memory_operand *o = &in->memory[i];
        const struct rp_dynamic_access *a = &w->next.accesses[i];
        if (!a->pattern->mask || o->space == RP_SPACE_NONE || names_texel_again(&w->next, i))
            continue;
        uint64_t base = a->base, end;
        const struct rp_launch *launch = w->part->grid->launch;
        unsigned space = o->space == RP_SPACE_GENERIC ? common_space(launch, a, &base) : o->space;
        if (is_bulk(o))
            end = bulk(sm, w, i, dispatched, accepted);
        else if (space == RP_SPACE_NONE || needs_resolving(launch, space))
            end = mixed(sm, w, o, a, dispatched, accepted);
        else
            end = in_space(sm, w, o, space, base, a->pattern, dispatched, accepted);
        done = later(done, end);
    }
    if (sm->token != NO_ACCESS)
        done = later(done, commit(sm, w, done, accepted));
    if (done == UNKNOWN)
        return UNKNOWN;
    w->producer = producer_served(w->producer, sm->level);
    return done + w->latency;
}
