/* The caches of an SM whose response is known within the call: instruction and constant caches. */
#include "replay/memory/sm_requests.h"

uint64_t sm_memory_fetch(struct sm_memory *s, unsigned subcore, uint64_t address, uint64_t cycle)
{
    const struct machine_part *part = &s->layout->machine->icache;
    const struct instruction_cache_model *model = (const struct instruction_cache_model *)part->model;
    struct instruction_cache_reply reply;
    s->used = true;
    if (!model->keeps)
        return cycle;
    const uint32_t group = s->layout->icache_subcores;
    model->fetch(s->icache[subcore / group], subcore % group, s->kernels + address, cycle + s->origin, &reply);
    *(reply.hit ? &s->icache_counts.hits : &s->icache_counts.misses) += 1;
    return reply.cycle - s->origin;
}

uint64_t sm_memory_constants(struct sm_memory *s, uint64_t bank, rp_lanemask mask,
                             const uint64_t address[RP_WARP_LANES], uint64_t cycle)
{
    const struct machine_part *part = &s->layout->machine->constants;
    const struct instruction_cache_model *model = (const struct instruction_cache_model *)part->model;
    uint64_t end = cycle;
    s->used |= model->keeps;
    for (rp_lanemask left = model->keeps ? mask : 0; left;) {
        uint64_t named = address[__builtin_ctz(left)];
        for (rp_lanemask m = left; m; m &= m - 1)
            if (address[__builtin_ctz(m)] == named)
                left &= ~(m & -m);
        struct instruction_cache_reply reply;
        model->fetch(s->constants, 0, s->kernels + bank + named, cycle + s->origin, &reply);
        *(reply.hit ? &s->constant_counts.hits : &s->constant_counts.misses) += 1;
        end = later(end, reply.cycle - s->origin);
    }
    return end;
}
