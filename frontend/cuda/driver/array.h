/* Arrays of the driver API. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H
#define REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H

#include "frontend/cuda/driver/driver.h"
#include "frontend/host/texture.h"

struct CUarray_st {
    struct rp_array *array;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUcontext context; /* NULL: a level of another array */
};
struct CUmipmappedArray_st {
    struct rp_array *array;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray levels[16]; /* the levels that the program has asked for */
    unsigned level_count;
};

/* Converts a format to elements. False: there is no such format. */
bool element_of(CUarray_format, unsigned channels, struct rp_element *);

#endif
