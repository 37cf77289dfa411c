#include "tests/support/tensor_box.h"

static uint32_t count_in(const struct tensor_box *t, unsigned d) { return (t->box[d] + t->steps[d] - 1) / t->steps[d]; }

bool tensor_box_encode(struct tensor_map *map, const struct tensor_box *t, uint64_t address, struct rp_error *err)
{
    struct rp_tensor_map_config config = {t->element, t->rank,  address, t->sizes,   t->strides,
                                          t->box,     t->steps, 0,       t->swizzle, t->fill};
    return rp_tensor_map_encode(map, &config, err);
}

uint32_t tensor_box_count(const struct tensor_box *t)
{
    uint32_t n = 1;
    for (unsigned d = 0; d < t->rank; d++)
        n *= count_in(t, d);
    return n;
}

int64_t tensor_box_place(const struct tensor_box *t, uint32_t e)
{
    int64_t offset = 0;
    bool inside = true;
    for (unsigned d = 0; d < t->rank; d++) {
        int64_t i = t->at[d] + (int64_t)(e % count_in(t, d)) * t->steps[d];
        e /= count_in(t, d);
        inside &= i >= 0 && i < (int64_t)t->sizes[d];
        offset += i * (int64_t)(d ? t->strides[d - 1] : tensor_element_bytes(t->element));
    }
    return inside ? offset : -1;
}

uint64_t tensor_box_outside(const struct tensor_box *t)
{
    uint32_t bytes = tensor_element_bytes(t->element);
    return !t->fill ? 0 : bytes == 2 ? 0x7fff : bytes == 4 ? 0x7fffffff : 0x7fffffffffffffff;
}

/* Chunks of 16 bytes of each 128 change places by the number of the 128. */
uint32_t tensor_box_swizzled(const struct tensor_box *t, uint32_t at)
{
    static const uint32_t chunks[] = {1, 2, 4, 8};
    uint32_t n = chunks[t->swizzle], chunk = at / 16, line = at / 128;
    return (chunk / n * n + (chunk % n ^ line % n)) * 16 + at % 16;
}
