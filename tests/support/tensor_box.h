/* A tensor and a box of it, and where each element of the box lies: a model of copies by tensor maps (PTX ISA,
 * "Tensors", tiled mode), written from its text, element by element. It knows nothing of frontend/core/tensor.c. */
#ifndef REPRISE_TESTS_SUPPORT_TENSOR_BOX_H
#define REPRISE_TESTS_SUPPORT_TENSOR_BOX_H

#include "frontend/host/tensor_map.h"

/* struct rp_tensor_map_config says what each is; at: the first element. */
struct tensor_box {
    unsigned rank, element, swizzle, fill;
    uint64_t sizes[TENSOR_RANKS], strides[TENSOR_RANKS - 1];
    uint32_t box[TENSOR_RANKS], steps[TENSOR_RANKS];
    int at[TENSOR_RANKS];
};

bool tensor_box_encode(struct tensor_map *, const struct tensor_box *, uint64_t address, struct rp_error *);
/* Elements that are copied. */
uint32_t tensor_box_count(const struct tensor_box *);
/* Element `e` of the box: its offset in the tensor in bytes, or -1 outside of it. */
int64_t tensor_box_place(const struct tensor_box *, uint32_t e);
/* What is loaded outside of the tensor. */
uint64_t tensor_box_outside(const struct tensor_box *);
/* Where what lies at byte `at` of shared memory without a swizzle lies with it; their pattern begins at byte 0. */
uint32_t tensor_box_swizzled(const struct tensor_box *, uint32_t at);

#endif
