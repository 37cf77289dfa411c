#include "frontend/guest/lanes.h"

#define COMPARE(name, type, operator)                                                                                  \
    static lanemask name(const uint32_t *x, const uint32_t *y)                                                         \
    {                                                                                                                  \
        const type *a = (const type *)x, *b = (const type *)y;                                                         \
        lanemask m = 0;                                                                                                \
        for (unsigned l = 0; l < RP_WARP_LANES; l++)                                                                   \
            m |= (lanemask)(a[l] operator b[l]) << l;                                                                  \
        return m;                                                                                                      \
    }
COMPARE(guest_equal, uint32_t, ==)
COMPARE(guest_not_equal, uint32_t, !=)
COMPARE(guest_less, int32_t, <)
COMPARE(guest_not_less, int32_t, >=)
COMPARE(guest_below, uint32_t, <)
COMPARE(guest_not_below, uint32_t, >=)

guest_compare_fn SIMD_NAME(guest_compare)(unsigned compare)
{
    switch (compare) {
    case CMP_EQ: return guest_equal;
    case CMP_NE: return guest_not_equal;
    case CMP_LT: return guest_less;
    case CMP_GE: return guest_not_less;
    case CMP_LO: return guest_below;
    default: return guest_not_below; /* CMP_HS */
    }
}

#define LANES RP_WARP_LANES

lanemask SIMD_NAME(guest_find)(const uint32_t at[LANES], uint32_t wanted)
{
    lanemask m = 0;
    for (unsigned l = 0; l < LANES; l++)
        m |= (lanemask)(at[l] == wanted) << l;
    return m;
}

uint32_t SIMD_NAME(guest_nearest)(const uint32_t at[LANES], uint32_t after)
{
    uint32_t nearest = UINT32_MAX;
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t x = at[l] > after ? at[l] : UINT32_MAX;
        nearest = x < nearest ? x : nearest;
    }
    return nearest;
}

unsigned SIMD_NAME(guest_greatest)(const uint64_t key[LANES])
{
    uint64_t most = 0;
    lanemask m = 0;
    for (unsigned l = 0; l < LANES; l++)
        most = key[l] > most ? key[l] : most;
    for (unsigned l = 0; l < LANES; l++)
        m |= (lanemask)(key[l] == most) << l;
    return most ? (unsigned)__builtin_ctz(m) : LANES;
}

void SIMD_NAME(guest_add)(uint64_t count[LANES], lanemask lanes, uint64_t n)
{
    for (unsigned l = 0; l < LANES; l++)
        count[l] += lanes >> l & 1 ? n : 0;
}
