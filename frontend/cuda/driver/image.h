/* Images of modules as programs pass them: PTX, cubins, fat binaries and nvcc's wrappers around them. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H
#define REPRISE_FRONTEND_CUDA_DRIVER_IMAGE_H

#include "frontend/cuda/driver/driver.h"
#include "frontend/loader/pieces.h"
#include "frontend/module/fatbin.h"

struct image {
    const void *bytes;
    size_t size;
    struct fatbin *fat;         /* the fat binary that holds the bytes, or NULL */
    const void *const *objects; /* those that nvlink linked, in the program's memory, or NULL */
    struct ptx_pieces linked;   /* PTX that had to be linked, or nothing */
    uint8_t *assembled;         /* machine code that was made of PTX, or NULL */
};
/* Chooses the code of an image that the device runs: by itself, or where REPRISE_PREFER says so, machine code for this
 * device, or PTX. image_free is needed also after a failure. CUDA_ERROR_NO_BINARY_FOR_GPU: none of it can be executed;
 * err says why. PTX that calls functions of the device runtime gets the supported ones.
 *
 * size: the bytes given. A text may end with a NUL, which counts. 0: unknown; the image's headers say how many there
 * are. CUDA_ERROR_INVALID_IMAGE: the headers name more than were given, or than can be read. */
CUresult image_choose(const char *name, const void *given, size_t size, struct image *, struct rp_error *);
/* Where REPRISE_PREFER says sass, makes machine code of an image that has only PTX. If there is no ptxas that can, or
 * nobody can for this device, says so once, and the PTX is run; so it is where the system fails, which a trace lacks
 * then. CUDA_ERROR_INVALID_PTX: ptxas finds errors in it. */
CUresult image_assemble(const char *name, struct image *, struct rp_error *);
/* Whether an image that runs as machine code has PTX, too, which could run in its place. */
bool image_has_ptx(const char *name, const struct image *);
void image_free(struct image *);

#endif
