/* Shared by image_access.c and surface_access.c. */
#ifndef REPRISE_FRONTEND_CORE_IMAGE_ACCESS_H
#define REPRISE_FRONTEND_CORE_IMAGE_ACCESS_H

#include <string.h>

#include "frontend/core/access.h"
#include "frontend/core/image.h"
#include "frontend/operation/flags.h"

/* Input `n` of a lane: an element of lists[1], which follows the results or values. */
static inline uint32_t image_input(const struct warp *w, const struct uop *u, unsigned n, unsigned lane)
{
    return lane_u32(w, u->memory->elements[u->memory->count + n], lane);
}
/* The handle in a lane's operand: the value itself, or the content of the reference at this address. False: a fault. */
bool image_handle(struct warp_state *, const struct uop *, struct operand, unsigned lane, uint64_t *handle);
/* The texture or surface that a lane names. NULL: a fault. */
enum image_kind { IMAGE_TEXTURE, IMAGE_SURFACE, IMAGE_ANY };
const struct texture_object *image_object(struct warp_state *, const struct uop *, unsigned lane, enum image_kind);
/* Whether an operation of this many dimensions fits the image. False: a fault. */
bool image_fits(struct warp_state *, const struct uop *, unsigned lane, const struct image *, unsigned dimensions,
                bool layered, bool cube);
/* Records operand n. */
void image_log(struct warp *, const struct uop *, unsigned n, lanemask, const uint64_t at[RP_WARP_LANES]);

void handle_surface(struct warp *, const struct uop *, lanemask);
void handle_surface_texel(struct warp *, const struct uop *, lanemask);

#endif
