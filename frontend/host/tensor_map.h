/* Tensor maps for kernels that copy boxes of tensors (PTX: cp.async.bulk.tensor), as cuTensorMapEncodeTiled makes them.
 */
#ifndef REPRISE_FRONTEND_HOST_TENSOR_MAP_H
#define REPRISE_FRONTEND_HOST_TENSOR_MAP_H

#include <stdbool.h>

#include "frontend/operation/tensor_map.h"
#include "tracefmt/error.h"

/* The arguments of cuTensorMapEncodeTiled, in its order and with its numbers (CUDA Driver API, "Tensor Map Object
 * Management"). Dimension 0 is the innermost one. */
struct rp_tensor_map_config {
    unsigned element;        /* enum tensor_element: CUtensorMapDataType */
    unsigned rank;           /* 1 to 5 */
    uint64_t address;        /* in device memory, a multiple of 16 */
    const uint64_t *sizes;   /* rank of them: elements, 1 to 2^32 */
    const uint64_t *strides; /* rank - 1 of them, from dimension 1 on: bytes, multiples of 16 below 2^40 */
    const uint32_t *box;     /* rank of them: elements, 1 to 256; the innermost dimension's are multiples of 16 bytes */
    const uint32_t
        *steps; /* rank of them, 1 to 8: distance of the elements that are copied; 1 in the innermost dimension */
    unsigned interleave; /* CUtensorMapInterleave: must be 0 */
    unsigned swizzle;    /* enum tensor_swizzle: CUtensorMapSwizzle */
    unsigned fill; /* enum tensor_fill: the value of elements outside of the tensor; NaN for floating point only */
};

/* Writes the map's 128 bytes. RP_USAGE: the configuration is invalid, err says why. */
bool rp_tensor_map_encode(struct tensor_map *, const struct rp_tensor_map_config *, struct rp_error *);

#endif
