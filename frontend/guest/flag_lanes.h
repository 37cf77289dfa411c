/* What the lane handlers of ARM and IA-32 share, for their files that are compiled for each width of vectors. */
#ifndef REPRISE_FRONTEND_GUEST_FLAG_LANES_H
#define REPRISE_FRONTEND_GUEST_FLAG_LANES_H

#include "frontend/core/lanes/loop.h"
#include "frontend/guest/lanes.h"

/* Flags are masks, which are made one by one: bringing two into a vector takes longer. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#define FOR_LANES for (int l = 0; l < LANES; l++)

INLINE void merge(lanemask *to, lanemask value, lanemask executed) { *to = (*to & ~executed) | (value & executed); }

INLINE lanemask *predicate_at(const struct warp *w, unsigned n) { return register_at(w, GUEST_PREDICATE(n)); }

/* Where not all lanes execute, bits are blended: of a choice of words compilers make a load under a mask, for which
 * `from` had to be written to memory each time, whatever executes. For AVX-512 they do not. */
INLINE void store_lanes(u32 *to, const u32 *from, lanemask executed)
{
    if (executed == EVERY_LANE)
        FOR_LANES to[l] = from[l];
    else
#ifdef __AVX512DQ__
        FOR_LANES to[l] = executed & lane_bit[l] ? from[l] : to[l];
#else
        FOR_LANES to[l] ^= (to[l] ^ from[l]) & (executed & lane_bit[l] ? UINT32_MAX : 0);
#endif
}

/* Computes `expression` (over int l, the lane) for all lanes, and stores it in the executed ones. */
#define STORE_WORDS(to, executed, expression)                                                                          \
    do {                                                                                                               \
        u32 r_[LANES] ALIGNED;                                                                                         \
        FOR_LANES r_[l] = (u32)(expression);                                                                           \
        store_lanes((to), r_, (executed));                                                                             \
    } while (0)

/* The number of the highest bit that is set, of what is not 0. Without AVX-512 it is the exponent of a float: where the
 * bit below is 0, rounding does not make it another. */
INLINE u32 highest_bit(u32 x)
{
#ifdef __AVX512CD__
    return 31 - (u32)__builtin_clz(x);
#else
    const u32 exponent = bits_f32((f32)(s32)(x & ~(x >> 1))) >> 23;
    return x >> 31 ? 31 : exponent - 127;
#endif
}

/* Bit 0 of each word, as lanes of a mask. */
INLINE lanemask mask_of_ones(const u32 *x)
{
    u32 words[LANES] ALIGNED;
    FOR_LANES words[l] = x[l] << 31;
    return mask_of_words(words);
}

#endif
