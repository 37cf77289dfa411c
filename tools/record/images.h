/* Images of a launch file: arrays, textures and surfaces of what is in buffers. */
#ifndef REPRISE_TOOLS_RECORD_IMAGES_H
#define REPRISE_TOOLS_RECORD_IMAGES_H

#include "tools/record/plan.h"

/* Makes the image of its buffer, which is filled. RP_USAGE if they do not go together. */
bool image_make(const struct plan *, struct plan_image *, struct rp_device *, const struct module *, struct rp_error *);
/* The image's content into its buffer. */
bool image_read_back(const struct plan *, const struct plan_image *, struct rp_device *, struct rp_error *);

#endif
