/* Images of a launch file: arrays, textures and surfaces with the content of buffers. */
#ifndef REPRISE_TOOLS_RECORD_IMAGES_H
#define REPRISE_TOOLS_RECORD_IMAGES_H

#include "tools/record/plan.h"

/* Makes the image from its buffer, which is filled. RP_USAGE if they do not fit together. */
bool image_make(const struct plan *, struct plan_image *, struct rp_device *, const struct module *, struct rp_error *);
/* Copies the image's content into its buffer. */
bool image_read_back(const struct plan *, const struct plan_image *, struct rp_device *, struct rp_error *);

#endif
