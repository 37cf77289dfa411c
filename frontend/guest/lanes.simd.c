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
