/* Vector loops over neighbouring cells. */
#include "frontend/check/internal.h"

bool SIMD_NAME(scan_all)(const check_past *p, uint64_t count, struct window w)
{
    uint64_t out = 0;
    for (uint64_t k = 0; k < count; k++)
        out |= (uint64_t)!within(p[k], w);
    return !out;
}

bool SIMD_NAME(scan_any)(const check_past *p, uint64_t count, struct window w)
{
    uint64_t in = 0;
    for (uint64_t k = 0; k < count; k++)
        in |= (uint64_t)within(p[k], w);
    return in;
}

bool SIMD_NAME(scan_owned)(const check_past *p, uint64_t count, check_past first, unsigned shift, check_past since)
{
    uint64_t other = 0, thread = agent_thread(past_agent(first));
    for (uint64_t k = 0; k < count; k++)
        other |= (p[k] < since) | ((p[k] ^ (thread + (k >> shift))) & AGENT_THREADS);
    return !other;
}

void SIMD_NAME(scan_keep)(check_past *p, uint64_t count, check_past first, unsigned shift)
{
    for (uint64_t k = 0; k < count; k++)
        p[k] = first + (k >> shift);
}

lanemask SIMD_NAME(scan_steps)(const uint64_t at[RP_WARP_LANES], uint64_t distance)
{
    lanemask steps = 0;
    for (unsigned l = 1; l < RP_WARP_LANES; l++)
        steps |= (lanemask)(at[l] - at[l - 1] == distance) << l;
    return steps;
}

bool SIMD_NAME(scan_place)(const struct lane_addresses *la, unsigned shift, uint64_t first, check_past start,
                           struct scattered *s)
{
    uint64_t outside = 0, descends = 0;
    uint64_t at[RP_WARP_LANES];
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        at[l] = ((la->affine ? la->at[0] + (uint64_t)la->stride * l : la->at[l]) >> shift) - first;
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        s->cell[l] = (uint32_t)at[l];
        s->now[l] = start + l;
        outside |= (uint64_t)(at[l] >= CELLS);
    }
    for (unsigned l = 1; l < RP_WARP_LANES; l++)
        descends |= (uint64_t)(at[l] <= at[l - 1]);
    s->count = RP_WARP_LANES;
    s->ascends = !descends;
    return !outside;
}

void SIMD_NAME(scan_scattered)(const struct scattered *s, struct scattered_pasts *out)
{
    const struct window open = s->open, fresh = s->fresh;
    const check_past strong = s->strong_store ? AGENT_STRONG : 0;
    lanemask store = 0, load = 0, second = 0, load_fresh = 0, second_fresh = 0;
    for (unsigned i = 0; i < s->count; i++) {
        check_past a = s->page[PAST_STORE][s->cell[i]], b = s->page[PAST_LOAD][s->cell[i]],
                   c = s->page[PAST_SECOND_LOAD][s->cell[i]];
        store |= (lanemask)(!within(a, open) | !!(a & strong)) << i;
        load |= (lanemask)(!within(b, open) | !!(b & strong) | !((b ^ s->now[i]) & AGENT_THREADS)) << i;
        second |= (lanemask)(!within(c, open) | !!(c & strong)) << i;
        load_fresh |= (lanemask)within(b, fresh) << i;
        second_fresh |= (lanemask)within(c, fresh) << i;
    }
    *out = (struct scattered_pasts){store, load, second, load_fresh, second_fresh};
}
