/* Undefined bits that accesses bring to registers, and take back to memory. */
#include <string.h>

#include "frontend/check/shadow.h"
#include "frontend/core/lanes/lanes.h"

unsigned access_elements(const struct uop *u)
{
    return u->type == T_B128 ? 2 : u->memory->count ? u->memory->count : 1;
}

struct element access_element(const struct uop *u, unsigned i)
{
    const struct memory_descriptor *d = u->memory;
    enum lane_type type = (enum lane_type)u->type, reg = d->dtype ? (enum lane_type)d->dtype : type;
    unsigned bytes = d->operand.width / access_elements(u);
    if (u->type == T_B128)
        return (struct element){{u->d.at + i * WIDEST * RP_WARP_LANES}, i * bytes, bytes, WIDEST, false};
    struct operand o = d->count ? d->elements[i] : u->d;
    return (struct element){o, i * bytes, bytes, lane_element_bytes(reg), lane_is_signed(type)};
}

void undefined_loaded(struct checked_block *cb, struct warp_state *s, const struct uop *u, unsigned lane,
                      const uint8_t *bits, uint32_t origin)
{
    for (unsigned i = 0; i < access_elements(u); i++) {
        struct element e = access_element(u, i);
        struct granule *g = is_register(e.o) && any_bits(bits + e.at, e.bytes) ? make_undefined(cb, s, e.o, e.room) : 0;
        if (!g)
            continue;
        uint8_t *to = bits_of_lane(undefined_of(cb, s), g, lane);
        memset(to, e.sign && bits[e.at + e.bytes - 1] & 0x80 ? 0xff : 0, e.room);
        memcpy(to, bits + e.at, e.bytes < e.room ? e.bytes : e.room);
        g->origin[lane] = origin;
        g->changed &= ~((lanemask)1 << lane);
    }
}

uint32_t undefined_before(const struct checked_block *cb, const struct warp_state *s, const struct uop *u,
                          unsigned lane)
{
    const struct undefined *v = undefined_of(cb, s);
    struct operand o = access_element(u, 0).o;
    size_t at = is_register(o) ? register_place(s, o) : 0;
    return v && is_register(o) && at < v->bytes ? v->granules[at / GRANULE].origin[lane] : 0;
}

lanemask undefined_to_store(const struct checked_block *cb, const struct warp_state *s, const struct uop *u)
{
    const struct undefined *v = undefined_of(cb, s);
    lanemask lanes = 0;
    for (unsigned i = 0; i < access_elements(u); i++) {
        struct operand o = access_element(u, i).o;
        const struct granule *g = is_register(o) ? undefined_register(v, register_place(s, o)) : NULL;
        lanes |= g ? undefined_lanes(v, g, false) : 0;
    }
    return lanes;
}

bool undefined_stored(const struct checked_block *cb, const struct warp_state *s, const struct uop *u, unsigned lane,
                      struct stored_bits *to)
{
    const struct undefined *v = undefined_of(cb, s);
    bool any = false;
    to->changed = false;
    for (unsigned i = 0; i < access_elements(u); i++) {
        struct element e = access_element(u, i);
        const struct granule *g = is_register(e.o) ? undefined_register(v, register_place(s, e.o)) : NULL;
        memset(to->bits + e.at, 0, e.bytes);
        if (!g)
            continue;
        memcpy(to->bits + e.at, bits_of_lane(v, g, lane), e.bytes < g->element ? e.bytes : g->element);
        if (!any_bits(to->bits + e.at, e.bytes))
            continue;
        any = true;
        to->changed |= g->changed >> lane & 1;
        for (unsigned k = 0; k < e.bytes; k++)
            to->origins[e.at + k] = g->origin[lane];
    }
    return any;
}

void undefined_put_back(const struct checked_block *cb, const struct warp_state *s, const struct uop *u, unsigned lane)
{
    const struct undefined *v = undefined_of(cb, s);
    for (unsigned i = 0; i < access_elements(u); i++) {
        struct operand o = access_element(u, i).o;
        struct granule *g = is_register(o) ? undefined_register(v, register_place(s, o)) : NULL;
        if (g)
            g->changed &= ~((lanemask)1 << lane);
    }
}
