/* The inside of arrays: private to array.c and texture.c. */
#ifndef REPRISE_FRONTEND_HOST_ARRAY_H
#define REPRISE_FRONTEND_HOST_ARRAY_H

#include "frontend/core/image.h"
#include "frontend/host/texture.h"

struct rp_array {
    struct rp_array_config config;
    struct image image; /* of a level: that one alone, with the bytes of the whole */
    struct rp_device *device;
    struct rp_array *next;                 /* of the device; of a level unused */
    struct rp_array *levels[IMAGE_LEVELS]; /* those that were asked for */
};

/* There are such elements. */
bool element_ok(struct rp_element, struct rp_error *);
/* Frees the array and its levels, not its device memory. */
void array_release(struct rp_array *);

#endif
