/* Surfaces: loads, stores and reductions of single elements, or of their bytes (PTX ISA, suld, sust, sured). */
#include "frontend/core/image_access.h"
#include "frontend/core/lanes/lanes.h"

/* The position of a lane's element. */
struct place {
    const struct texture_object *object;
    uint64_t address;
    bool outside; /* the access has no effect */
};

static struct surface_access access_of(const struct uop *u)
{
    struct surface_access a;
    memcpy(&a, &u->imm, sizeof a);
    return a;
}

/* Replaces a coordinate outside of [0, limit) by the nearest one inside; sets *outside unless the access clamps. */
static int64_t clamped(const struct surface_access *a, int64_t x, int64_t limit, bool *outside)
{
    if (x >= 0 && x < limit)
        return x;
    *outside |= a->clamp != SURFACE_CLAMP;
    return x < 0 ? 0 : limit - 1;
}

/* Finds the byte offset *x in its row at which the lane's access of `width` bytes begins. False: a fault. */
static bool find_x(struct warp_state *s, const struct uop *u, unsigned lane, const struct image *m, uint32_t width,
                   uint64_t *x, bool *outside)
{
    const struct surface_access access = access_of(u), *a = &access;
    int32_t given = (int32_t)image_input(&s->w, u, a->layered, lane);
    int64_t bytes = a->texels ? (int64_t)given * rp_element_bytes(m->element) : given;
    if (bytes % width) {
        block_fault(s, u, RP_FAULT_MISALIGNED, lane, "x is byte %lld, not a multiple of %u", (long long)bytes, width);
        return false;
    }
    int64_t row = (int64_t)m->levels[0].width * rp_element_bytes(m->element);
    *x = (uint64_t)clamped(a, bytes / width, row / width, outside) * width;
    if (row >= width)
        return true;
    block_fault(s, u, RP_FAULT_TEXTURE, lane, "a row of the surface has %lld bytes, fewer than %u", (long long)row,
                width);
    return false;
}

static bool find_place(struct warp_state *s, const struct uop *u, unsigned lane, struct place *p)
{
    const struct surface_access access = access_of(u), *a = &access;
    p->object = image_object(s, u, lane, IMAGE_SURFACE);
    p->outside = false;
    if (!p->object)
        return false;
    const struct image *m = &p->object->image;
    if (!image_fits(s, u, lane, m, a->dimensions, a->layered, false))
        return false;
    uint64_t x;
    uint32_t width = a->texels ? rp_element_bytes(m->element) : u->memory->operand.width;
    if (!find_x(s, u, lane, m, width, &x, &p->outside))
        return false;
    const uint32_t extents[3] = {0, m->levels[0].height, m->levels[0].depth};
    uint32_t at[3] = {0};
    for (unsigned i = 1; i < a->dimensions && i < m->dimensions; i++) {
        int32_t given = (int32_t)image_input(&s->w, u, a->layered + i, lane);
        at[i] = (uint32_t)clamped(a, given, extents[i], &p->outside);
    }
    if (a->layered)
        at[2] = (uint32_t)clamped(a, (int32_t)image_input(&s->w, u, 0, lane), m->layers, &p->outside);
    p->address = image_address(m, 0, x, at[1], at[2]);
    if (p->outside && a->clamp == SURFACE_TRAP)
        block_fault(s, u, RP_FAULT_BOUNDS, lane, "outside of the surface, at x %d",
                    (int)image_input(&s->w, u, a->layered, lane));
    return !(p->outside && a->clamp == SURFACE_TRAP);
}

/* Finds and records the elements of all lanes. `inside`: the lanes whose access has an effect. False: a fault. */
static bool find_places(struct warp *w, const struct uop *u, lanemask m, struct place all[RP_WARP_LANES],
                        lanemask *inside)
{
    uint64_t at[RP_WARP_LANES] = {0};
    *inside = 0;
    FOR_LANES(l, m)
    {
        if (!find_place((struct warp_state *)w, u, l, &all[l])) {
            image_record_none(w, u, m);
            return false;
        }
        at[l] = all[l].address;
        *inside |= (lanemask)!all[l].outside << l;
    }
    image_log(w, u, 0, m, at);
    return true;
}

static void write_zeros(const struct warp *w, struct operand d, unsigned bytes, lanemask m)
{
    FOR_LANES(l, m)
    if (!is_sink(d))
        memset((uint8_t *)operand_at(w, d) + l * bytes, 0, bytes);
}

static void load_zeros(const struct warp *w, const struct uop *u, lanemask m)
{
    const struct memory_descriptor *d = u->memory;
    unsigned bytes = lane_element_bytes((enum lane_type)(d->dtype ? d->dtype : u->type));
    if (!d->count)
        write_zeros(w, u->d, bytes, m);
    for (uint32_t i = 0; i < d->count; i++)
        write_zeros(w, d->elements[i], bytes, m);
}

/* The addresses of the elements: from here on the access is one to device memory. */
static struct lane_addresses addresses_of(const struct place all[RP_WARP_LANES], lanemask m)
{
    uint64_t first = all[__builtin_ctz(m)].address;
    struct lane_addresses la = {.low = first, .high = first};
    for (unsigned l = 0; l < RP_WARP_LANES; l++) {
        la.at[l] = m >> l & 1 ? all[l].address : first;
        la.low = la.at[l] < la.low ? la.at[l] : la.low;
        la.high = la.at[l] > la.high ? la.at[l] : la.high;
        la.bits |= la.at[l];
    }
    return la;
}

void handle_surface(struct warp *w, const struct uop *u, lanemask m)
{
    struct place all[RP_WARP_LANES];
    lanemask inside;
    if (!find_places(w, u, m, all, &inside))
        return;
    if (u->memory->operand.kind == RP_ACCESS_LOAD)
        load_zeros(w, u, m & ~inside);
    if (!inside)
        return;
    struct lane_addresses la = addresses_of(all, inside);
    struct uop typed = *u;
    const struct image *image = &all[__builtin_ctz(inside)].object->image;
    if (access_of(u).by_format && image->element.kind == RP_ELEMENT_SIGNED)
        typed.type = u->type == T_U64 ? T_S64 : T_S32;
    access_global((struct warp_state *)w, &typed, inside, &la);
}

/* ---- elements in their own format -------------------------------------------------------------------------------- */

static void move_texel(const struct warp *w, const struct uop *u, unsigned lane, const struct image *m, uint8_t *at)
{
    const struct memory_descriptor *d = u->memory;
    uint32_t channels[4] = {0};
    if (d->operand.kind == RP_ACCESS_LOAD && at)
        texel_load(m->element, at, channels);
    for (uint32_t i = 0; i < d->count; i++)
        if (d->operand.kind == RP_ACCESS_STORE)
            channels[i] = lane_u32(w, d->elements[i], lane);
        else if (!is_sink(d->elements[i]))
            ((uint32_t *)operand_at(w, d->elements[i]))[lane] = channels[i];
    if (d->operand.kind == RP_ACCESS_STORE && at)
        texel_store(m->element, at, channels);
}

void handle_surface_texel(struct warp *w, const struct uop *u, lanemask m)
{
    struct place all[RP_WARP_LANES];
    lanemask inside;
    if (!find_places(w, u, m, all, &inside))
        return;
    FOR_LANES(l, m)
    {
        const struct image *image = &all[l].object->image;
        uint32_t bytes = rp_element_bytes(image->element);
        uint8_t *at = NULL;
        if (inside >> l & 1)
            at = global_bytes((struct warp_state *)w, u, l, all[l].address, bytes, bytes,
                              u->memory->operand.kind == RP_ACCESS_STORE);
        if (inside >> l & 1 && !at)
            return;
        move_texel(w, u, l, image, at);
    }
}
