#include "frontend/guest/lanes.h"

#include "frontend/core/access.h"
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

void SIMD_NAME(guest_add)(uint64_t count[LANES], lanemask lanes, uint64_t n)
{
    for (unsigned l = 0; l < LANES; l++)
        count[l] += lanes >> l & 1 ? n : 0;
}

/* Where bytes lie in the host's memory for the stacks of a group (memory.h). offset: from the lowest address of the
 * lane's stack. */
static inline uint32_t stack_place(uint32_t offset, uint32_t lane)
{
    return (offset & ~3u) * GUEST_GROUP + 4 * lane + (offset & 3);
}

/* All lanes at the same offset. */
static bool same_place_in_stacks(struct lane_addresses *to, const struct lane_addresses *la,
                                 const struct guest_stacks *s, uint32_t bytes, uint32_t width)
{
    const uint32_t offset = (uint32_t)la->at[0] - s->low;
    if (la->stride != -(int64_t)s->pitch || offset > s->bytes - bytes || (offset & 3) + width > 4)
        return false;
    to->affine = true;
    to->stride = 4;
    to->at[0] = stack_place(offset, 0);
    return true;
}

bool SIMD_NAME(guest_in_stacks)(struct lane_addresses *restrict to, const struct lane_addresses *restrict la,
                                const struct guest_stacks *s, uint32_t bytes, uint32_t width, lanemask executed)
{
    const uint32_t first = (uint32_t)__builtin_ctz(executed), highest = s->bytes - bytes;
    const uint32_t low = s->low, pitch = s->pitch;
    uint32_t bad = 0;
    if (la->affine)
        return same_place_in_stacks(to, la, s, bytes, width);
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t lane = executed >> l & 1 ? l : first, offset = (uint32_t)la->at[l] - (low - lane * pitch);
        bad |= (offset > highest) | ((offset & 3) + width > 4);
        to->at[l] = stack_place(offset, lane);
    }
    to->affine = false;
    return !bad;
}
