#include "frontend/check/shadow.h"

#include <stdlib.h>
#include <string.h>

void undefined_free(struct undefined *v)
{
    if (!v)
        return;
    free(v->bits);
    free(v->granules);
    free(v->predicates);
    free(v);
}

void undefined_clear(struct undefined *v)
{
    if (!v || !v->live)
        return;
    memset(v->bits, 0, v->bytes);
    memset(v->granules, 0, v->bytes / GRANULE * sizeof *v->granules);
    v->live = v->predicate_count = 0;
}

struct undefined *undefined_of(const struct checked_block *cb, const struct warp_state *s)
{
    return cb->undefined[s->w.id];
}

size_t register_place(const struct warp_state *s, struct operand o) { return current_window(s) + register_offset(o); }

struct granule *undefined_register(const struct undefined *v, size_t at)
{
    size_t g = at / GRANULE;
    return v && at < v->bytes && at % GRANULE == 0 && v->granules[g].start == g + 1 ? &v->granules[g] : NULL;
}

uint8_t *bits_of_lane(const struct undefined *v, const struct granule *g, unsigned lane)
{
    return v->bits + (size_t)(g - v->granules) * GRANULE + (size_t)lane * g->element;
}

bool any_bits(const uint8_t *bits, size_t bytes)
{
    uint8_t any = 0;
    for (size_t i = 0; i < bytes; i++)
        any |= bits[i];
    return any;
}

/* The lanes of an array in which some bits are set; `whole`: in which all are. */
#define LANES_OF(type)                                                                                                 \
    static lanemask lanes_of_##type(const type *bits, bool whole)                                                      \
    {                                                                                                                  \
        lanemask lanes = 0;                                                                                            \
        for (unsigned l = 0; l < RP_WARP_LANES; l++)                                                                   \
            lanes |= (lanemask)(whole ? bits[l] == (type)-1 : bits[l] != 0) << l;                                      \
        return lanes;                                                                                                  \
    }
LANES_OF(uint16_t)
LANES_OF(uint32_t)
LANES_OF(uint64_t)
lanemask lanes_of(const void *bits, unsigned element, bool whole)
{
    return element == 4   ? lanes_of_uint32_t(bits, whole)
           : element == 8 ? lanes_of_uint64_t(bits, whole)
                          : lanes_of_uint16_t(bits, whole);
}

lanemask undefined_lanes(const struct undefined *v, const struct granule *g, bool whole)
{
    return lanes_of(bits_of_lane(v, g, 0), g->element, whole);
}

static void forget_register(struct undefined *v, struct warp_state *s, struct granule *g)
{
    size_t bytes = (size_t)g->element * RP_WARP_LANES, count = (bytes + GRANULE - 1) / GRANULE;
    memset(bits_of_lane(v, g, 0), 0, bytes);
    for (size_t i = 0; i < count; i++)
        g[i].start = 0;
    s->undefined = --v->live > 0;
}

void define_lanes(struct undefined *v, struct warp_state *s, struct granule *g, lanemask lanes)
{
    FOR_LANES(l, lanes)
    memset(bits_of_lane(v, g, l), 0, g->element);
    g->changed &= ~lanes;
    if (!undefined_lanes(v, g, false))
        forget_register(v, s, g);
}

struct predicate *undefined_predicate(const struct undefined *v, size_t at)
{
    for (uint32_t i = 0; v && i < v->predicate_count; i++)
        if (v->predicates[i].at == at)
            return &v->predicates[i];
    return NULL;
}

static void forget_predicate(struct undefined *v, struct warp_state *s, struct predicate *p)
{
    *p = v->predicates[--v->predicate_count];
    s->undefined = --v->live > 0;
}

void define_predicate(struct undefined *v, struct warp_state *s, struct operand o, lanemask lanes)
{
    size_t at = is_register(o) ? register_place(s, o) : v->bytes;
    if (at >= v->bytes)
        return;
    struct predicate *p = undefined_predicate(v, at);
    uint32_t other = v->granules[at / GRANULE].start;
    if (other)
        forget_register(v, s, &v->granules[other - 1]);
    if (p && !(p->lanes &= ~lanes))
        forget_predicate(v, s, p);
}

static void forget_predicates(struct undefined *v, struct warp_state *s, size_t at, size_t end)
{
    for (uint32_t i = v->predicate_count; i-- > 0;)
        if (v->predicates[i].at >= at && v->predicates[i].at < end)
            forget_predicate(v, s, &v->predicates[i]);
}

void overwrite(struct undefined *v, struct warp_state *s, struct operand o, unsigned element, lanemask lanes)
{
    if (!is_register(o) || !v->live)
        return;
    size_t at = register_place(s, o), end = at + (size_t)element * RP_WARP_LANES;
    forget_predicates(v, s, at, end);
    struct granule *same = undefined_register(v, at);
    if (same && same->element == element && lanes != ~(lanemask)0) {
        define_lanes(v, s, same, lanes);
        return;
    }
    for (; at < end && at < v->bytes; at += GRANULE)
        if (v->granules[at / GRANULE].start)
            forget_register(v, s, &v->granules[v->granules[at / GRANULE].start - 1]);
}

static bool make_room(struct undefined *v, size_t bytes)
{
    bytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    if (bytes <= v->bytes)
        return true;
    uint8_t *bits = realloc(v->bits, bytes);
    v->bits = bits ? bits : v->bits;
    struct granule *granules = bits ? realloc(v->granules, bytes / GRANULE * sizeof *granules) : NULL;
    if (!granules)
        return false;
    v->granules = granules;
    memset(bits + v->bytes, 0, bytes - v->bytes);
    memset(granules + v->bytes / GRANULE, 0, (bytes - v->bytes) / GRANULE * sizeof *granules);
    v->bytes = bytes;
    return true;
}

/* The warp's, with room for a register at the place. NULL: out of memory. */
static struct undefined *undefined_with_room(struct checked_block *cb, struct warp_state *s, size_t at)
{
    struct undefined **v = &cb->undefined[s->w.id];
    if (!*v)
        *v = calloc(1, sizeof **v);
    if (*v && make_room(*v, at + REGISTER_BYTES))
        return *v;
    cb->check->missed |= MISSED_MEMORY;
    return NULL;
}

static bool make_room_for_predicate(struct undefined *v)
{
    if (v->predicate_count < v->predicate_room)
        return true;
    uint32_t room = 2 * v->predicate_room + 8;
    struct predicate *more = realloc(v->predicates, room * sizeof *more);
    if (!more)
        return false;
    v->predicates = more;
    v->predicate_room = room;
    return true;
}

struct predicate *make_undefined_predicate(struct checked_block *cb, struct warp_state *s, struct operand o)
{
    size_t at = register_place(s, o);
    struct undefined *v = undefined_with_room(cb, s, at);
    struct predicate *p = undefined_predicate(v, at);
    if (p || !v)
        return p;
    if (!make_room_for_predicate(v)) {
        cb->check->missed |= MISSED_MEMORY;
        return NULL;
    }
    p = &v->predicates[v->predicate_count++];
    p->at = at;
    p->lanes = 0;
    v->live++;
    s->undefined = true;
    return p;
}

struct granule *make_undefined(struct checked_block *cb, struct warp_state *s, struct operand o, unsigned element)
{
    size_t at = register_place(s, o), bytes = (size_t)element * RP_WARP_LANES;
    struct undefined *v = undefined_with_room(cb, s, at);
    if (!v)
        return NULL;
    struct granule *g = undefined_register(v, at);
    if (g && g->element == element)
        return g;
    overwrite(v, s, o, element, ~(lanemask)0);
    g = &v->granules[at / GRANULE];
    for (size_t i = 0; i < (bytes + GRANULE - 1) / GRANULE; i++)
        g[i].start = (uint32_t)(at / GRANULE) + 1;
    g->element = (uint8_t)element;
    g->changed = 0;
    v->live++;
    s->undefined = true;
    return g;
}
