/* Random images on a device and in plain arrays, and kernels of one texture or surface instruction. */
#ifndef REPRISE_TESTS_PTX_FORMS_IMAGE_RIG_H
#define REPRISE_TESTS_PTX_FORMS_IMAGE_RIG_H

#include "frontend/host/launch.h"
#include "tests/support/form_walk.h"
#include "tests/unit/ptx_forms/image_model.h"

enum { IMAGE_THREADS = 32, IMAGE_INPUTS = 20, IMAGE_OUTPUTS = 5 }; /* words of a thread; the last result: predicate */

struct image_rig {
    struct rp_device *device;
    struct model_image model;
    struct rp_array *array;
    uint64_t plain; /* or device memory that the texture reads */
    uint64_t handle;
    struct rp_sampler sampler; /* of a texture */
    uint32_t in[IMAGE_THREADS][IMAGE_INPUTS], out[IMAGE_THREADS][IMAGE_OUTPUTS];
};

/* Random numbers go on from here. */
void image_seed(uint64_t);
uint32_t image_random(uint32_t below);
/* Which geometry a form has: dimensions, + 16 layered, + 32 cube. */
int geometry_of(const struct spelled *);
/* A device with an image of random elements; levels: of more than one. */
void rig_open(struct image_rig *, int geometry, bool levels);
struct rp_sampler random_sampler(bool normalized);
/* Sets handle: a texture, in plain memory where one may be and `plain` says so. */
void rig_texture(struct image_rig *, const struct rp_sampler *, bool plain);
void rig_surface(struct image_rig *);
/* The array's content compared with the model's. False: it differs. */
bool rig_holds(struct image_rig *);
void rig_close(struct image_rig *);

/* A random image with inputs for a form, and the instructions of a kernel. False: it is none, nothing is open. */
bool texture_form_open(struct image_rig *, const struct spelled *, char *body, size_t size); /* textures.c */
bool surface_form_open(struct image_rig *, const struct spelled *, char *body, size_t size); /* surfaces.c */
bool query_form_open(struct image_rig *, const struct spelled *, char *body, size_t size);   /* likewise */
/* Only queries of extents, which machine code up to sm_62 asks the hardware for. */
bool extent_form_open(struct image_rig *, const struct spelled *, char *body, size_t size);

/* The text of a kernel around `body`, without the module's header. */
size_t image_kernel_text(char *to, size_t size, const char *name, const char *body);
/* A module around `body`, which finds the handle in %d0, its inputs in %r0.. and leaves results in %r20..%r23 and a
 * predicate in %p1. Fails the test if it does not load. */
struct program *image_kernel(struct image_rig *, const char *body);
/* Runs it on in[] into out[]. False: a fault, in err. */
bool image_run(struct image_rig *, struct program *, struct rp_error *err);

#endif
