#include "replay/base/sampled.h"

#include <string.h>

#include "hw-models/coalescer/coalescer.h"
#include "hw-models/shared-memory/shared-memory.h"

/* The number of transactions of the lanes. It does not depend on the address of the warp's local memory. */
static uint32_t transactions(const struct machine *m, const struct rp_kernel *k, unsigned space,
                             const struct rp_memory_operand *o, rp_lanemask mask, const uint64_t *address)
{
    const struct coalescer_model *model = (const struct coalescer_model *)m->coalescer.model;
    uint64_t out[COALESCER_MOST], piece[RP_WARP_LANES] = {0};
    uint32_t width = o->width < COALESCER_WIDEST ? o->width : COALESCER_WIDEST, count = 0;
    if (space != RP_SPACE_LOCAL)
        return model->coalesce(m->coalescer.options, &(struct coalescer_access){mask, width, address}, out);
    for (uint32_t at = 0; at == 0 || at < width; at += 4) {
        for (rp_lanemask left = mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            piece[l] = local_address(0, local_words(k), address[l] + at, l);
        }
        struct coalescer_access access = {mask, width < 4 ? width : 4, piece};
        count += model->coalesce(m->coalescer.options, &access, out);
    }
    return count;
}

/* The space of the operand; *window: the address at which it begins. All lanes of a generic operand are taken to be in
 * the space of the lowest lane. */
static unsigned space_of(const struct rp_launch *l, const struct rp_memory_operand *o,
                         const struct rp_dynamic_access *a, uint64_t *window)
{
    uint64_t offset = a->base;
    unsigned space = o->space == RP_SPACE_GENERIC ? resolve_generic(l, a->base, &offset) : o->space;
    *window = a->base - offset;
    return space;
}

static void sample_as(struct sampled_access *r, const struct rp_memory_operand *o, bool local)
{
    enum cache_kind kind = cache_kind_of(o);
    uint8_t load = local ? SAMPLE_LOCAL_LOAD : SAMPLE_GLOBAL_LOAD,
            store = local ? SAMPLE_LOCAL_STORE : SAMPLE_GLOBAL_STORE;
    r->path = TIMED_BY_SAMPLE;
    r->samples = kind == CACHE_ATOMIC ? 2 : 1;
    r->kind[0] = kind == CACHE_WRITE ? store : load;
    r->kind[1] = kind == CACHE_ATOMIC ? store : 0;
}

void sampled_access_of(const struct stochastic *s, const struct machine *m, const struct rp_launch *l,
                       const struct rp_kernel *k, const struct rp_step *step, uint32_t i, struct sampled_access *r,
                       uint64_t address[RP_WARP_LANES])
{
    const struct rp_memory_operand *o = &step->instruction->memory[i];
    const struct rp_dynamic_access *a = &step->accesses[i];
    *r = (struct sampled_access){.transactions = 1};
    if (!a->pattern->mask || o->space == RP_SPACE_NONE)
        return;
    uint64_t window;
    unsigned space = space_of(l, o, a, &window);
    enum path path = path_of_space(space);
    if (path == PATH_CONSTANT)
        return;
    bool shared = r->shared = path == PATH_SHARED;
    if (shared && s->separate_shared)
        r->path = TIMED_BY_SHARED;
    else
        sample_as(r, o, shared || space == RP_SPACE_LOCAL);
    if (r->path != TIMED_BY_SHARED && !s->by_transaction)
        return;
    rp_access_addresses(a, address);
    for (rp_lanemask left = a->pattern->mask; left; left &= left - 1)
        address[__builtin_ctz(left)] -= window;
    if (r->path == TIMED_BY_SHARED)
        return;
    if (shared) {
        struct shared_memory_cost cost;
        const struct shared_memory_model *model = (const struct shared_memory_model *)m->shared.model;
        model->cost(m->shared.options,
                    &(struct shared_memory_access){a->pattern->mask, o->width, address, is_atomic(o)}, &cost);
        r->transactions = cost.transactions;
    } else {
        r->transactions = transactions(m, k, space, o, a->pattern->mask, address);
    }
}

/* ---- random parts besides memory --------------------------------------------------------------------------------- */

static int seed_row(const struct machine_part *p)
{
    for (unsigned o = 0; o < p->model->option_count; o++)
        if (!strcmp(p->model->options[o].key, "seed"))
            return (int)o;
    return -1;
}

void machine_of_batch(const struct machine *m, const struct random_source *random, struct machine *out)
{
    *out = *m;
    int row = seed_row(&out->scheduler);
    if (row >= 0) {
        uint64_t given = (uint64_t)out->scheduler.options[row];
        out->scheduler.options[row] = (int64_t)(random_philox(random->seed, given, random->batch).word[0] >> 1);
    }
}

const char *machine_samples_from(const struct machine *m)
{
    struct stochastic sampled = {.from = ""};
    if (machine_samples(m))
        stochastic_of(m->memory.options, &sampled);
    return sampled.from;
}

bool machine_has_chance(const struct machine *m) { return seed_row(&m->scheduler) >= 0 || machine_samples(m); }

bool machine_is_certain(const struct machine *m)
{
    struct stochastic s = {0};
    if (machine_samples(m))
        stochastic_of(m->memory.options, &s);
    return seed_row(&m->scheduler) < 0 && !s.chance;
}
