/* Images of modules as programs hand them over: PTX, cubins, fat binaries and the wrappers that nvcc makes around them,
 * none with its length. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H
#define REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H

#include "frontend/cuda/driver/driver.h"
#include "frontend/cuda/driver/pieces.h"
#include "frontend/loader/fatbin.h"

struct image {
    const void *bytes;
    size_t size;
    struct fatbin *fat;       /* of which the bytes are, or NULL */
    struct ptx_pieces linked; /* PTX that had to be linked, or nothing */
};
/* Which code of an image the device takes. image_free in every case. CUDA_ERROR_NO_BINARY_FOR_GPU: none of it can be
 * executed; err says why. PTX that calls functions of the device runtime gets those that there are. */
CUresult image_choose(const char *name, const void *given, struct image *, struct rp_error *);
void image_free(struct image *);

#endif
