/* What the buffers of the engine's device hold, as one range of addresses that the GPU repeats. */
#ifndef REPRISE_TESTS_HARDWARE_MEMORY_IMAGE_H
#define REPRISE_TESTS_HARDWARE_MEMORY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_BUFFERS = 16384 };
struct memory_image {
    struct image_buffer {
        uint64_t base, size;
        const uint8_t *host; /* the engine's */
    } buffers[IMAGE_BUFFERS];
    unsigned count;
    uint64_t base, bytes;  /* the range; 0 bytes: no buffers */
    uint8_t *before, *gpu; /* of the range: what the engine had when it was taken; what the GPU has */
};

struct rp_device;
/* Notes all buffers but those of arrays. False: they do not fit. */
bool memory_image_take(struct memory_image *, const struct rp_device *);
/* To the GPU and back. Aligned words of 64 bits that point into the range are moved with it (gpu_moved). */
bool memory_image_upload(struct memory_image *);
bool memory_image_download(struct memory_image *);
/* The same for words that go to the GPU apart. */
void memory_image_move(const struct memory_image *, uint8_t *bytes, size_t size);

#endif
