/* Even accesses: loads from shared memory whose lanes lie at equal or neighbouring addresses, within one variable
 * (even_access.simd.c). The first access of a slot keeps what the handlers of the others check. */
#ifndef REPRISE_FRONTEND_CORE_EVEN_ACCESS_H
#define REPRISE_FRONTEND_CORE_EVEN_ACCESS_H

#include <string.h>

#include "frontend/core/access_internal.h"
#include "frontend/core/observe.h"

/* Keeps the variable beside the stride. It is in a header because every first access of a slot does it. */
static inline void keep_even(struct warp_state *s, const struct uop *u, const struct lane_addresses *la)
{
    const struct block *b = s->w.block;
    struct even_stride *e = &s->even[u->mode];
    memset(e->room, 0, sizeof e->room);
    bool even = la->affine && (la->stride == 0 || la->stride == 4 || la->stride == 8);
    bool watched = observed(b, RP_SPACE_SHARED) || (b->observer && b->observer->calls->values);
    if (!even || s->w.log || watched)
        return;
    const struct extent *in = extents_find(&b->grid->shared, la->low);
    if (!in)
        return;
    e->base = in->base;
    e->host = b->shared + in->base;
    for (unsigned k = 0; k < EVEN_WIDTHS; k++) {
        uint64_t bytes = UINT64_C(4) << k, span = bytes + (RP_WARP_LANES - 1) * (uint64_t)la->stride;
        bool fits = (!la->stride || (uint64_t)la->stride == bytes) && in->size >= span;
        e->room[k] = fits ? in->size - span + 1 : 0;
    }
}

#endif
