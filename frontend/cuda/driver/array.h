/* Arrays of the driver API. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H
#define REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H

#include "frontend/cuda/driver/driver.h"
#include "frontend/host/texture.h"

struct CUarray_st {
    struct rp_array *array;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUcontext context; /* NULL: a level of another */
};
struct CUmipmappedArray_st {
    struct rp_array *array;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray levels[16]; /* those that were asked for */
    unsigned level_count;
};

/* The elements of a format; false: there are none such. */
bool element_of(CUarray_format, unsigned channels, struct rp_element *);

#endif
