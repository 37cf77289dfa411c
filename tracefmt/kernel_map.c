#include "tracefmt/kernel_map.h"

#include <inttypes.h>

struct kernel_map *kernel_map_new(struct pool *a, const struct rp_kernel *kernel)
{
    uint32_t count = kernel->instruction_count;
    struct kernel_map *m = pool_alloc(a, 1, sizeof *m);
    if (!m)
        return NULL;
    m->kernel = kernel;
    m->slot = pool_alloc(a, (size_t)count + 1, sizeof *m->slot);
    m->next_guarded = pool_alloc(a, (size_t)count + 1, sizeof *m->next_guarded);
    m->notable = pool_alloc(a, (size_t)count + 1, sizeof *m->notable);
    if (!m->slot || !m->next_guarded || !m->notable)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        m->slot[i + 1] = m->slot[i] + kernel->instructions[i].memory_count;
    m->slot_count = m->slot[count];
    m->next_guarded[count] = m->notable[count].at = count;
    for (uint32_t i = count; i-- > 0;) {
        const struct rp_instruction *in = &kernel->instructions[i];
        m->next_guarded[i] = in->flags & RP_GUARDED ? i : m->next_guarded[i + 1];
        m->notable[i] = in->memory_count || in->flags & (RP_GUARDED | RP_HAS_AUX)
                            ? (struct notable){i, in->memory_count, (uint16_t)rp_aux_count(in), in->flags & RP_GUARDED}
                            : m->notable[i + 1];
    }
    return m;
}

static bool bad_run(const struct rp_run *r, const struct kernel_map *m, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT,
                   "a run of %" PRIu32 " instructions from %" PRIu32 " under mask 0x%08" PRIx32
                   " does not fit a kernel of %" PRIu32 " instructions",
                   r->length, r->start, r->active, m->kernel->instruction_count);
}

bool path_measure(struct path *p, const struct kernel_map *m, struct rp_error *err)
{
    uint32_t count = m->kernel->instruction_count;
    size_t guard = 0;
    p->access_count = p->aux_count = p->warp_instructions = p->thread_instructions = 0;
    for (size_t i = 0; i < p->run_count; i++) {
        const struct rp_run *r = &p->runs[i];
        if (!r->length || !r->active || r->start >= count || r->length > count - r->start)
            return bad_run(r, m, err);
        uint32_t end = r->start + r->length;
        unsigned lanes = rp_lane_count(r->active);
        p->warp_instructions += r->length;
        p->thread_instructions += (uint64_t)lanes * r->length;
        for (const struct notable *n = &m->notable[r->start]; n->at < end; n = &m->notable[n->at + 1]) {
            if (n->guarded) {
                if (guard == p->guard_count)
                    return rp_fail(err, RP_BAD_INPUT, "its path has more guarded instructions than guard masks (%zu)",
                                   p->guard_count);
                rp_lanemask executed = p->guards[guard++];
                if (executed & ~r->active)
                    return rp_fail(err, RP_BAD_INPUT, "a guard mask has lanes that are not active");
                p->thread_instructions -= lanes - rp_lane_count(executed);
                if (!executed)
                    continue;
            }
            p->access_count += n->memory;
            p->aux_count += n->aux;
            if (p->access_count + p->aux_count > PATH_VALUE_LIMIT)
                return rp_fail(err, RP_BAD_INPUT, "its path has more than %d accesses", PATH_VALUE_LIMIT);
        }
    }
    if (guard != p->guard_count)
        return rp_fail(err, RP_BAD_INPUT, "its path has %zu guard masks, its runs demand %zu", p->guard_count, guard);
    return true;
}

/* Stores the slot of each access in rank[], and its lanes if they are wanted; the caller turns slots into ranks. */
static void list_slots(const struct path *p, const struct kernel_map *m, uint32_t *list, rp_lanemask *lanes)
{
    const rp_lanemask *guard = p->guards;
    for (size_t i = 0; i < p->run_count; i++) {
        uint32_t end = p->runs[i].start + p->runs[i].length;
        for (const struct notable *n = &m->notable[p->runs[i].start]; n->at < end; n = &m->notable[n->at + 1]) {
            const rp_lanemask executed = n->guarded ? *guard++ : p->runs[i].active;
            for (uint32_t k = 0; executed && k < n->memory; k++) {
                *list++ = m->slot[n->at] + k;
                if (lanes)
                    *lanes++ = executed;
            }
        }
    }
}

bool path_rank(struct path *p, const struct kernel_map *m, struct pool *a, uint32_t *scratch, rp_lanemask *lanes)
{
    p->rank_count = 0;
    p->rank = pool_alloc(a, p->access_count, sizeof *p->rank);
    if (!p->rank)
        return false;
    list_slots(p, m, p->rank, lanes);
    for (uint64_t i = 0; i < p->access_count; i++)
        if (scratch[p->rank[i]] == UINT32_MAX)
            scratch[p->rank[i]] = p->rank_count++;
    p->first_at = pool_alloc(a, p->rank_count, sizeof *p->first_at);
    p->slot = pool_alloc(a, p->rank_count, sizeof *p->slot);
    bool ok = p->first_at && p->slot;
    uint32_t seen = 0;
    for (uint64_t i = 0; i < p->access_count; i++) {
        uint32_t slot = p->rank[i];
        p->rank[i] = scratch[slot];
        if (ok && p->rank[i] == seen) {
            p->first_at[seen] = (uint32_t)i;
            p->slot[seen++] = slot;
        }
    }
    for (uint32_t r = 0; ok && r < p->rank_count; r++)
        scratch[p->slot[r]] = UINT32_MAX;
    return ok;
}
