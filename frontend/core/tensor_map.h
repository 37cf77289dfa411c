/* Tensor maps: 128 bytes that tell a copy (PTX: cp.async.bulk.tensor) where a tensor lies and which box of it moves.
 * The layout is our own; programs get maps from rp_tensor_map_encode (frontend/host/tensor_map.h) and hand them on. */
#ifndef REPRISE_FRONTEND_CORE_TENSOR_MAP_H
#define REPRISE_FRONTEND_CORE_TENSOR_MAP_H

#include <stdint.h>

#define TENSOR_RANKS 5
#define TENSOR_MAP_MAGIC 0x504d5452u /* "RTMP" */

/* Numbers as in CUDA's driver API: CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapFloatOOBfill. */
enum tensor_element {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_ELEMENTS
};
enum tensor_swizzle { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };
enum tensor_fill { TENSOR_FILL_ZEROS, TENSOR_FILL_NAN };

struct tensor_map {
    uint32_t magic;
    uint8_t rank, element, swizzle, fill;
    uint64_t address;                  /* of element 0, 0, ... */
    uint64_t stride[TENSOR_RANKS - 1]; /* bytes, of dimension 1 and on; dimension 0 is dense */
    uint32_t last[TENSOR_RANKS];       /* elements in each dimension, less one */
    uint16_t box[TENSOR_RANKS];        /* elements that a box spans, 1 to 256 */
    uint8_t step[TENSOR_RANKS];        /* every which of them is copied, 1 to 8; 1 in dimension 0 */
    uint8_t unused[45];
};
_Static_assert(sizeof(struct tensor_map) == 128, "as large as a CUtensorMap");

static inline uint32_t tensor_element_bytes(unsigned element)
{
    static const uint8_t bytes[TENSOR_ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[element];
}
/* Elements of a box that are copied in one dimension. */
static inline uint32_t tensor_box(const struct tensor_map *t, unsigned dimension)
{
    return (t->box[dimension] + t->step[dimension] - 1u) / t->step[dimension];
}

#endif
