/* Loads from shared memory by lanes at arbitrary addresses wait here until a store or an event needs their cells. Most
 * kernels load much between two barriers and store afterwards, and pasts that a barrier has ordered need no cells. */
#include <stdlib.h>

#include "frontend/check/internal.h"

#define WAITING_LOADS 512 /* about 70 KiB */

struct waiting_load {
    const struct uop *u;
    uint32_t thread; /* thread number of lane 0 */
    lanemask lanes;
    uint32_t at[RP_WARP_LANES]; /* shared memory has less than 4 GiB */
};

struct waiting_loads {
    const struct block *block;
    struct waiting_load list[WAITING_LOADS];
};

/* Lanes that check_lanes handles all at once. */
static bool in_a_row(const struct touch *t, const struct lane_addresses *la)
{
    return la->affine && (!la->stride || (uint64_t)la->stride == t->bytes);
}

bool loads_wait(struct checked_block *cb, const struct touch *t, const struct lane_addresses *la, lanemask lanes)
{
    if (t->apart || t->uncached || copies_pending(cb) || in_a_row(t, la))
        return false;
    if (!cb->loads && !(cb->loads = calloc(1, sizeof *cb->loads)))
        return false;
    if (cb->waiting == WAITING_LOADS)
        loads_keep(cb);
    cb->loads->block = t->block;
    struct waiting_load *w = &cb->loads->list[cb->waiting++];
    w->u = t->u;
    w->thread = t->thread;
    w->lanes = lanes;
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        w->at[l] = (uint32_t)lane_address(la, l);
    return true;
}

static void keep_waiting(struct checked_block *cb, const struct block *b, const struct waiting_load *w)
{
    struct lane_addresses la = {.low = UINT64_MAX};
    struct touch t = {
        .block = b,
        .u = w->u,
        .space = RP_SPACE_SHARED,
        .of = cb,
        .thread = w->thread,
        .bytes = w->u->memory->operand.width,
        .loads = true,
    };
    for (unsigned l = 0; l < RP_WARP_LANES; l++)
        la.at[l] = w->at[l];
    FOR_LANES(l, w->lanes)
    {
        la.low = la.at[l] < la.low ? la.at[l] : la.low;
        la.high = la.at[l] > la.high ? la.at[l] : la.high;
    }
    check_lanes(cb, &t, &la, w->lanes);
}

void loads_keep(struct checked_block *cb)
{
    for (uint32_t i = 0; i < cb->waiting; i++)
        keep_waiting(cb, cb->loads->block, &cb->loads->list[i]);
    cb->waiting = 0;
}
