/* Arrays, textures and surfaces of the engine's device, repeated on the GPU for one launch. */
#ifndef REPRISE_TESTS_HARDWARE_IMAGES_H
#define REPRISE_TESTS_HARDWARE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rp_device;

/* Notes what all arrays hold, before the launch. False: there are too many. */
bool images_take(struct rp_device *);
/* Puts handles of the GPU into the parameters in the place of the device's. NULL: fine; else why that cannot be. */
const char *images_place(struct rp_device *, uint8_t *params, size_t bytes);
/* Texels that differ after the launch, of *texels. */
uint64_t images_differ(struct rp_device *, uint64_t *texels);
/* Whether the allocation at this address is an array's. */
bool images_hold(const struct rp_device *, uint64_t address);
void images_drop(void);

#endif
