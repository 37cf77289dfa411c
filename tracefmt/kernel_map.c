#include "tracefmt/kernel_map.h"

#include <inttypes.h>
#include <string.h>

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
    m->aux = pool_alloc(a, (size_t)count + 1, sizeof *m->aux);
    if (!m->slot || !m->next_guarded || !m->notable || !m->aux)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        m->slot[i + 1] = m->slot[i] + kernel->instructions[i].memory_count;
        m->aux[i + 1] = m->aux[i] + rp_aux_count(&kernel->instructions[i]);
    }
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

/* ---- ranks ------------------------------------------------------------------------------------------------- */

/* Where ranks are kept until it is known how many there are. */
struct ranking {
    uint32_t *of;       /* by slot; UINT32_MAX: it has not occurred */
    uint32_t *first_at; /* by rank, as in struct path */
    uint32_t *slot;
    uint32_t count;
    uint64_t room;      /* for so many accesses, and RANK_ROOM: */
    uint32_t *rank;     /* by access */
    rp_lanemask *lanes; /* by access, or NULL */
};

/* Moves what has been found to the path. False: out of memory. */
static bool ranking_end(struct ranking *g, struct path *p, struct pool *a)
{
    for (uint32_t r = 0; r < g->count; r++)
        g->of[g->slot[r]] = UINT32_MAX;
    p->rank = g->rank;
    p->rank_count = g->count;
    p->first_at = pool_copy(a, g->first_at, g->count, sizeof *p->first_at);
    p->slot = pool_copy(a, g->slot, g->count, sizeof *p->slot);
    return p->first_at && p->slot;
}

/* The first access of some of these slots. */
static __attribute__((noinline)) void rank_new(struct ranking *g, uint64_t at, uint32_t slot, uint32_t count)
{
    for (const uint32_t end = slot + count; slot < end; slot++, at++)
        if (g->of[slot] == UINT32_MAX) {
            g->first_at[g->count] = (uint32_t)at;
            g->slot[g->count] = slot;
            g->of[slot] = g->count++;
        }
}

/* Bit n: word n is 2^31 or more. */
static inline unsigned high_bits(const uint32_t word[RANK_ROOM])
{
#ifdef __x86_64__
    typedef float floats __attribute__((vector_size(16), aligned(4), may_alias));
    const floats *half = (const floats *)word;
    return (unsigned)__builtin_ia32_movmskps(half[0]) | (unsigned)__builtin_ia32_movmskps(half[1]) << 4;
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < RANK_ROOM; i++)
        bits |= word[i] >> 31 << i;
    return bits;
#endif
}

/* Accesses from number `at` on, of slots side by side. They are mostly few, and branch predictors miss the ends of
 * short loops: so RANK_ROOM of them are written at a time, however many there are. */
static inline void rank_accesses(struct ranking *g, uint64_t at, uint32_t slot, uint32_t count, rp_lanemask executed)
{
    uint32_t done = 0;
    do {
        const uint32_t left = count - done, these = left < RANK_ROOM ? left : RANK_ROOM;
        if (high_bits(g->of + slot + done) & ((1u << these) - 1))
            rank_new(g, at + done, slot + done, these);
        memcpy(g->rank + at + done, g->of + slot + done, RANK_ROOM * sizeof *g->rank);
        for (unsigned i = 0; g->lanes && i < RANK_ROOM; i++)
            g->lanes[at + done + i] = executed;
        done += RANK_ROOM;
    } while (done < count);
}

/* ---- paths --------------------------------------------------------------------------------------------------------
 */

static bool bad_run(const struct rp_run *r, const struct kernel_map *m, struct rp_error *err)
{
    return rp_fail(err, RP_BAD_INPUT,
                   "a run of %" PRIu32 " instructions from %" PRIu32 " under mask 0x%08" PRIx32
                   " does not fit a kernel of %" PRIu32 " instructions",
                   r->length, r->start, r->active, m->kernel->instruction_count);
}

static bool bad_guard(const struct path *p, size_t guard, struct rp_error *err)
{
    if (guard == p->guard_count)
        return rp_fail(err, RP_BAD_INPUT, "its path has more guarded instructions than guard masks (%zu)",
                       p->guard_count);
    return rp_fail(err, RP_BAD_INPUT, "a guard mask has lanes that are not active");
}

#define INLINED static inline __attribute__((always_inline))

/* What a walk counts, as in struct path: apart from it, so that compilers keep it in registers. */
struct sums {
    uint64_t accesses, aux, warp_instructions, thread_instructions;
};

/* Accesses and aux values of these instructions. g: NULL, or it ranks the accesses. False: it has no room. */
INLINED bool walk_part(struct sums *s, const struct kernel_map *m, struct ranking *g, uint32_t from, uint32_t to,
                       rp_lanemask executed)
{
    const uint32_t slot = m->slot[from], count = m->slot[to] - slot;
    const uint64_t at = s->accesses;
    s->accesses += count;
    s->aux += m->aux[to] - m->aux[from];
    if (!g || !count)
        return true;
    if (s->accesses > g->room)
        return false;
    rank_accesses(g, at, slot, count, executed);
    return true;
}

/* A run that has guarded instructions. *guard: the number of its first guard mask, then of the first behind it. */
INLINED bool walk_guarded(const struct path *p, const struct kernel_map *m, struct ranking *g, const struct rp_run *r,
                          struct sums *s, size_t *guard, bool *full, struct rp_error *err)
{
    const uint32_t end = r->start + r->length;
    const unsigned lanes = rp_lane_count(r->active);
    for (const struct notable *n = &m->notable[r->start]; n->at < end; n = &m->notable[n->at + 1]) {
        rp_lanemask executed = r->active;
        if (n->guarded) {
            if (*guard == p->guard_count || p->guards[*guard] & ~executed)
                return bad_guard(p, *guard, err);
            executed = p->guards[(*guard)++];
            s->thread_instructions -= lanes - rp_lane_count(executed);
        }
        if (!(n->memory + n->aux) || !executed) /* the former can be predicted */
            continue;
        if (!walk_part(s, m, g, n->at, n->at + 1, executed)) {
            *full = true;
            return true;
        }
    }
    return true;
}

/* Checks and measures a path. *full: it ended early, as g has no room. */
INLINED bool walk_runs(const struct path *p, const struct kernel_map *m, struct ranking *g, struct sums *sums,
                       bool *full, struct rp_error *err)
{
    const uint32_t count = m->kernel->instruction_count;
    size_t guard = 0;
    struct sums s = {0};
    for (size_t i = 0; i < p->run_count && !*full; i++) {
        const struct rp_run *r = &p->runs[i];
        if (!r->length || !r->active || r->start >= count || r->length > count - r->start)
            return bad_run(r, m, err);
        s.warp_instructions += r->length;
        s.thread_instructions += (uint64_t)rp_lane_count(r->active) * r->length;
        if (m->next_guarded[r->start] >= r->start + r->length)
            *full = !walk_part(&s, m, g, r->start, r->start + r->length, r->active);
        else if (!walk_guarded(p, m, g, r, &s, &guard, full, err))
            return false;
        if (s.accesses + s.aux > PATH_VALUE_LIMIT)
            return rp_fail(err, RP_BAD_INPUT, "its path has more than %d accesses", PATH_VALUE_LIMIT);
    }
    *sums = s;
    return *full || guard == p->guard_count ||
           rp_fail(err, RP_BAD_INPUT, "its path has %zu guard masks, its runs demand %zu", p->guard_count, guard);
}

INLINED bool walk(struct path *p, const struct kernel_map *m, struct ranking *g, bool *full, struct rp_error *err)
{
    struct sums s = {0};
    const bool ok = walk_runs(p, m, g, &s, full, err);
    p->access_count = s.accesses;
    p->aux_count = s.aux;
    p->warp_instructions = s.warp_instructions;
    p->thread_instructions = s.thread_instructions;
    return ok;
}

bool path_measure(struct path *p, const struct kernel_map *m, struct rp_error *err)
{
    bool full = false;
    return walk(p, m, NULL, &full, err);
}

bool path_measure_and_rank(struct path *p, const struct kernel_map *m, struct pool *a, uint64_t accesses,
                           uint32_t *scratch, rp_lanemask *lanes, struct rp_error *err)
{
    const size_t slots = m->slot_count;
    struct ranking g = {.of = scratch, .first_at = scratch + slots, .slot = scratch + 2 * slots, .room = accesses};
    bool full = false;
    g.lanes = lanes;
    g.rank = pool_alloc(a, accesses + RANK_ROOM, sizeof *g.rank);
    if (!g.rank)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    const bool ok = walk(p, m, &g, &full, err);
    if (!ranking_end(&g, p, a))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    return ok && (!full || path_measure(p, m, err));
}

bool path_rank(struct path *p, const struct kernel_map *m, struct pool *a, uint32_t *scratch, rp_lanemask *lanes)
{
    return path_measure_and_rank(p, m, a, p->access_count, scratch, lanes, NULL);
}
