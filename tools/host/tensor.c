/* Makes tensor maps from the program's descriptions. */
#include <string.h>

#include "frontend/host/tensor_map.h"
#include "tools/host/reprise.h"

_Static_assert(offsetof(struct tensor_map, address) == REPRISE_TENSOR_ADDRESS, "where a launch puts the address");
_Static_assert(sizeof(struct tensor_map) == REPRISE_TENSOR_MAP, "bytes of a map");

bool reprise_tensor_map(uint8_t map[REPRISE_TENSOR_MAP], const struct reprise_tensor *t, struct rp_error *err)
{
    uint32_t steps[TENSOR_RANKS];
    struct tensor_map made;
    if (!map || !t)
        return rp_fail(err, RP_USAGE, "no %s: NULL", map ? "tensor" : "room for a tensor map");
    for (unsigned d = 0; d < TENSOR_RANKS; d++)
        steps[d] = t->steps[d] ? t->steps[d] : 1;
    const struct rp_tensor_map_config c = {.element = t->element,
                                           .rank = t->rank,
                                           .sizes = t->sizes,
                                           .strides = t->strides,
                                           .box = t->box,
                                           .steps = steps,
                                           .swizzle = t->swizzle,
                                           .fill = t->fill};
    if (!rp_tensor_map_encode(&made, &c, err))
        return false;
    memcpy(map, &made, sizeof made);
    return true;
}
