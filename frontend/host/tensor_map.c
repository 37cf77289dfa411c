#include "frontend/host/tensor_map.h"

#include <inttypes.h>

static bool refuse(struct rp_error *err, const char *what, unsigned dimension, uint64_t value, const char *rule)
{
    return rp_fail(err, RP_USAGE, "tensor map: %s of dimension %u is %" PRIu64 "; it must be %s", what, dimension,
                   value, rule);
}

static bool is_float(unsigned element) { return element >= TENSOR_F16; }

static bool check_kinds(const struct rp_tensor_map_config *c, struct rp_error *err)
{
    if (c->element >= TENSOR_ELEMENTS)
        return rp_fail(err, RP_USAGE, "tensor map: there is no element type %u, or it is not covered yet", c->element);
    if (c->rank < 1 || c->rank > TENSOR_RANKS)
        return rp_fail(err, RP_USAGE, "tensor map: %u dimensions; it must be 1 to %d", c->rank, TENSOR_RANKS);
    if (c->interleave)
        return rp_fail(err, RP_USAGE, "tensor map: interleaved layouts are not covered yet");
    if (c->swizzle > TENSOR_SWIZZLE_128)
        return rp_fail(err, RP_USAGE, "tensor map: there is no swizzle %u, or it is not covered yet", c->swizzle);
    if (c->fill > TENSOR_FILL_NAN || (c->fill == TENSOR_FILL_NAN && !is_float(c->element)))
        return rp_fail(err, RP_USAGE, "tensor map: no fill %u for elements of type %u", c->fill, c->element);
    if (c->address % 16)
        return rp_fail(err, RP_USAGE, "tensor map: address 0x%" PRIx64 " is no multiple of 16", c->address);
    return true;
}

static bool check_dimension(const struct rp_tensor_map_config *c, unsigned d, struct rp_error *err)
{
    if (c->sizes[d] < 1 || c->sizes[d] > UINT64_C(1) << 32)
        return refuse(err, "the size", d, c->sizes[d], "1 to 2^32");
    if (c->box[d] < 1 || c->box[d] > 256)
        return refuse(err, "the box", d, c->box[d], "1 to 256");
    if (c->steps && (c->steps[d] < 1 || c->steps[d] > 8))
        return refuse(err, "the step", d, c->steps[d], "1 to 8");
    if (d && (c->strides[d - 1] % 16 || c->strides[d - 1] >> 40))
        return refuse(err, "the stride", d, c->strides[d - 1], "a multiple of 16 below 2^40");
    return true;
}

bool rp_tensor_map_encode(struct tensor_map *t, const struct rp_tensor_map_config *c, struct rp_error *err)
{
    if (!check_kinds(c, err))
        return false;
    struct tensor_map map = {.kind = TENSOR_MAP_MAGIC | (c->rank - 1), .address = c->address};
    map.element = (uint8_t)c->element, map.swizzle = (uint8_t)c->swizzle, map.fill = (uint8_t)c->fill;
    for (unsigned d = 0; d < c->rank; d++) {
        if (!check_dimension(c, d, err))
            return false;
        map.last[d] = (uint32_t)(c->sizes[d] - 1);
        map.box_last[d] = (uint8_t)(c->box[d] - 1);
        map.step_less[d] = d && c->steps ? (uint8_t)(c->steps[d] - 1) : 0; /* the step of dimension 0 is ignored */
        if (d)
            map.stride[d - 1] = c->strides[d - 1];
    }
    uint32_t inner = c->box[0] * tensor_element_bytes(c->element);
    if (inner % 16 || inner > tensor_row_limit(c->swizzle))
        return rp_fail(
            err, RP_USAGE,
            "tensor map: a box has %u bytes of dimension 0; with this swizzle it must be a multiple of 16 up "
            "to %u",
            inner, tensor_row_limit(c->swizzle));
    *t = map;
    return true;
}
