#include "frontend/guest/lanes.h"

#include "frontend/core/lanes/loop.h"

#define COMPARE(name, type, operator)                                                                                  \
    static lanemask name(const uint32_t *x, const uint32_t *y)                                                         \
    {                                                                                                                  \
        const type *a = (const type *)x, *b = (const type *)y;                                                         \
        u32 holds[LANES] ALIGNED;                                                                                      \
        for (unsigned l = 0; l < LANES; l++)                                                                           \
            holds[l] = a[l] operator b[l] ? UINT32_MAX : 0;                                                            \
        return mask_of_words(holds);                                                                                   \
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

lanemask SIMD_NAME(guest_find)(const uint32_t at[LANES], uint32_t wanted)
{
    u32 same[LANES] ALIGNED;
    for (unsigned l = 0; l < LANES; l++)
        same[l] = at[l] == wanted ? UINT32_MAX : 0;
    return mask_of_words(same);
}

void SIMD_NAME(guest_add_few)(uint32_t count[LANES], lanemask lanes, uint32_t n)
{
    for (unsigned l = 0; l < LANES; l++)
        count[l] += lanes & lane_bit[l] ? n : 0;
}

void SIMD_NAME(guest_add)(uint64_t count[LANES], lanemask lanes, uint64_t n)
{
    for (unsigned l = 0; l < LANES; l++)
        count[l] += lanes >> l & 1 ? n : 0;
}
