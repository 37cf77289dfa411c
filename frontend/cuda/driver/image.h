/* Images of modules as programs pass them: PTX, cubins, fat binaries and nvcc's wrappers around them, none with a size.
 */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H
#define REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/pieces.h"
#include "frontend/module/fatbin.h"

struct image {
    const void *bytes;
    size_t size;
    struct fatbin *fat;       /* the fat binary that holds the bytes, or NULL */
    struct ptx_pieces linked; /* PTX that had to be linked, or nothing */
};
/* Chooses the code of an image that the device runs. image_free is needed also after a failure.
 * CUDA_ERROR_NO_BINARY_FOR_GPU: none of it can be executed; err says why. PTX that calls functions of the device
 * runtime gets the supported ones. */
CUresult image_choose(const char *name, const void *given, struct image *, struct rp_error *);
void image_free(struct image *);

#endif
