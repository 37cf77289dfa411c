/* Fetches of a whole warp from one texture, as loops over 32 lanes. The results are those of footprint.h and image.h,
 * lane by lane, which tests/unit/texture compares. Lanes that are not active get texels of the image, too. */
#ifndef REPRISE_FRONTEND_CORE_TEXELS_H
#define REPRISE_FRONTEND_CORE_TEXELS_H

#include "frontend/core/footprint.h"
#include "frontend/core/lanes/simd.h"
#include "frontend/operation/uop.h"

struct warp;
/* Fetches for these lanes from one texture, with one sampler, records that, and writes the results. False: nothing has
 * happened; the fetch must be made lane by lane. */
bool texels_fetch(struct warp *, const struct uop *, lanemask, const struct fetch *, const struct image *,
                  const struct rp_sampler *);

/* ---- its parts ----------------------------------------------------------------------------------------------------
 */

enum { TEXELS_MOST = 8, TEXELS_SIDE = 1 << 21 };
struct warp_texels {
    /* From the start of the allocation, in bytes, below 2^31. Outside, as if each coordinate that is outside were 0.
     * Aligned, so that no vector lies in two lines of the cache */
    _Alignas(64) uint32_t at[TEXELS_MOST][RP_WARP_LANES];
    int32_t weight[TEXELS_MOST][RP_WARP_LANES]; /* of several, in parts of 2^24 */
    lanemask outside[TEXELS_MOST];
    uint32_t count;
};
/* Whether texels_find knows the fetch: from the base level, without a cube, layers, and offsets; with a filter, of an
 * image of at most TEXELS_SIDE texels in each dimension. */
bool texels_known(const struct fetch *, const struct image *, const struct rp_sampler *);
/* `first`: where the image's base level begins, from the start of the allocation. `coordinates`: one array of 32 lanes
 * for each dimension of the fetch. */
SIMD_DECLARE(void, texels_find,
             (struct warp_texels *, const struct fetch *, const struct image *, uint32_t first,
              const struct rp_sampler *, const uint32_t *const coordinates[3]))
/* The least and the greatest `at`, of all lanes. */
SIMD_DECLARE(void, texels_span, (const struct warp_texels *, uint32_t *low, uint32_t *high))
/* Whether these lanes have this value. */
SIMD_DECLARE(bool, lanes_equal_32, (const uint32_t *values, uint32_t value, lanemask))
SIMD_DECLARE(bool, lanes_equal_64, (const uint64_t *values, uint64_t value, lanemask))
/* Reads a channel and filters it. host + t->at[n][l] is where texel n of lane l lies;
 * `outside`: what lanes outside get in its place. */
SIMD_DECLARE(void, texels_read,
             (uint32_t *restrict to, const struct warp_texels *t, struct rp_element, const struct rp_sampler *,
              uint32_t channel, uint32_t outside, const uint8_t *host))

#endif
