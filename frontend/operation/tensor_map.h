/* Tensor maps: 128 bytes that describe a tensor and the box of it that a copy (PTX: cp.async.bulk.tensor) moves. The
 * layout is our own. Programs get maps from rp_tensor_map_encode (frontend/host/tensor_map.h). With tensormap.replace
 * they may change a map field by field, or build one from 128 zero bytes. Sizes are stored minus one, as in hardware: a
 * zero means a size of 1. */
#ifndef REPRISE_FRONTEND_OPERATION_TENSOR_MAP_H
#define REPRISE_FRONTEND_OPERATION_TENSOR_MAP_H

#include <stdint.h>

#define TENSOR_RANKS 5
#define TENSOR_MAP_MAGIC 0x4d545200u /* "RTM" above the rank */

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
/* The NaN that fills elements outside of a tensor of f16 or bf16; fma.oob turns it into 0. ASSUMPTION: NVIDIA does not
 * publish the bits; these are the NaN that the hardware's arithmetic returns. */
#define TENSOR_NAN_16 0x7fff
enum tensor_fill { TENSOR_FILL_ZEROS, TENSOR_FILL_NAN };

struct tensor_map {
    uint32_t kind;                              /* TENSOR_MAP_MAGIC | (number of dimensions - 1) */
    uint8_t element, swizzle, fill, interleave; /* interleave: 0 */
    uint64_t address;                           /* of element 0, 0, ... */
    uint64_t stride[TENSOR_RANKS - 1];          /* bytes, from dimension 1 on; dimension 0 is dense */
    uint32_t last[TENSOR_RANKS];                /* elements in each dimension, minus one */
    uint8_t box_last[TENSOR_RANKS];             /* elements that a box spans, 1 to 256, minus one */
    uint8_t step_less[TENSOR_RANKS];            /* element stride of the copy, 1 to 8, minus one; 0 in dimension 0 */
    uint8_t unused[50];
};
_Static_assert(sizeof(struct tensor_map) == 128, "as large as a CUtensorMap");

static inline uint32_t tensor_element_bytes(unsigned element)
{
    static const uint8_t bytes[TENSOR_ELEMENTS] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[element];
}
/* The number of dimensions; 0: this is no tensor map. */
static inline unsigned tensor_rank(const struct tensor_map *t)
{
    uint32_t less = t->kind - TENSOR_MAP_MAGIC;
    return less < TENSOR_RANKS ? less + 1 : 0;
}
static inline uint32_t tensor_step(const struct tensor_map *t, unsigned dimension)
{
    return t->step_less[dimension] % 8 + 1u;
}
/* The number of elements that a copy moves along one dimension of a box. */
static inline uint32_t tensor_box(const struct tensor_map *t, unsigned dimension)
{
    return t->box_last[dimension] / tensor_step(t, dimension) + 1;
}
/* The most bytes of a box along dimension 0 with this swizzle. */
static inline uint32_t tensor_row_limit(unsigned swizzle)
{
    static const uint32_t spans[] = {256 * 8, 32, 64, 128};
    return spans[swizzle];
}

#endif
