/* Arrays of the driver API. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H
#define REPRISE_FRONTEND_CUDA_DRIVER_ARRAY_H

#include "frontend/cuda/abi/types.h"
#include "frontend/host/texture.h"

struct CUarray_st {
    struct rp_array *array;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    bool whole; /* not a level of another */
    CUcontext context;
    struct CUarray_st *next; /* of all that are left */
};

#endif
