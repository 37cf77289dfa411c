/* Internals of arrays: private to array.c and texture.c. */
#ifndef REPRISE_FRONTEND_HOST_ARRAY_H
#define REPRISE_FRONTEND_HOST_ARRAY_H

#include "frontend/core/image.h"
#include "frontend/host/texture.h"

struct rp_array {
    struct rp_array_config config;
    struct image image; /* for a level: only this level, with the bytes of the whole image */
    struct rp_device *device;
    struct rp_array *next;                 /* list of the device's arrays; unused for levels */
    struct rp_array *levels[IMAGE_LEVELS]; /* the levels that the caller has asked for */
};

/* Whether there are such elements. */
bool element_ok(struct rp_element, struct rp_error *);
/* Frees the array and its levels, but not its device memory. */
void array_release(struct rp_array *);

#endif
