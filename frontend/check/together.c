/* Lanes of a warp that store different values to one place by one instruction: which of them stays is undefined (CUDA
 * C++ Programming Guide, "SIMT Architecture"). */
#include <string.h>

#include "frontend/check/internal.h"

enum { SLOTS = 64, WIDEST = 32 };

static void report(struct checked_block *cb, const struct touch *t, uint64_t at, uint32_t lane, uint32_t other)
{
    check_report(cb->check, t->block,
                 (struct rp_finding){
                     .kind = RP_CHECK_RACE,
                     .space = (uint8_t)t->space,
                     .address = at,
                     .size = (uint32_t)t->bytes,
                     .memory = touch_buffer(t),
                     .here = check_location(t->block, t->u->index, t->thread + lane, touch_kind(t)),
                     .other = check_location(t->block, t->u->index, t->thread + other, touch_kind(t)),
                     .two = true,
                 },
                 "and another lane stores another value there by the same instruction");
}

/* True: the two lanes store different values. */
static bool differ(struct warp_state *s, const struct touch *t, uint32_t lane, uint32_t other)
{
    uint8_t one[WIDEST], two[WIDEST];
    access_stored(s, t->u, lane, one);
    access_stored(s, t->u, other, two);
    return memcmp(one, two, t->bytes) != 0;
}

void check_together(struct checked_block *cb, const struct touch *t, struct warp_state *s,
                    const struct lane_addresses *la, lanemask lanes)
{
    int8_t first[SLOTS]; /* by address: the last lane that had such a one */
    if (t->u->memory->operand.kind != RP_ACCESS_STORE || t->bytes > WIDEST || (la->affine && la->stride) ||
        !(lanes & (lanes - 1)))
        return;
    memset(first, -1, sizeof first);
    FOR_LANES(l, lanes)
    {
        uint64_t at = lane_address(la, l);
        int8_t *slot = &first[at / t->bytes * UINT64_C(0x9e3779b97f4a7c15) >> 58];
        if (*slot >= 0 && lane_address(la, (unsigned)*slot) == at && differ(s, t, l, (uint32_t)*slot)) {
            report(cb, t, at, l, (uint32_t)*slot);
            return;
        }
        *slot = (int8_t)l;
    }
}
