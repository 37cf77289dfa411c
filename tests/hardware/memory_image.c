#include "tests/hardware/memory_image.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/host/internal.h"
#include "tests/hardware/gpu.h"
#include "tests/hardware/images.h"

enum { MOST_BYTES = 128 << 20, SLACK = 8 };

bool memory_image_take(struct memory_image *image, const struct rp_device *d)
{
    const struct memory *m = &d->memory;
    const struct allocation *a = memory_from(m, 0);
    image->count = 0;
    image->base = a ? a->base : 0;
    image->bytes = 0;
    if (!image->before) {
        image->before = calloc(1, MOST_BYTES + SLACK);
        image->gpu = calloc(1, MOST_BYTES + SLACK);
    }
    for (; a; a = memory_from(m, a->base + 1)) {
        uint64_t at = a->base - image->base;
        if (a->kind != ALLOCATION_BUFFER || images_hold(d, a->base))
            continue;
        if (!image->count)
            image->base = a->base, at = 0;
        if (image->count == IMAGE_BUFFERS || at + a->size > MOST_BYTES)
            return false;
        image->buffers[image->count++] = (struct image_buffer){a->base, a->size, a->host};
        memcpy(image->before + at, a->host, a->size);
        image->bytes = (at + a->size + 7) & ~7ull;
    }
    return true;
}

/* Adds `by` to the words that point from `from` on into the image. */
static void move_pointers(const struct memory_image *image, uint8_t *bytes, size_t size, uint64_t from, int64_t by)
{
    for (size_t i = 0; by && i + 8 <= size; i += 8) {
        uint64_t v;
        memcpy(&v, bytes + i, 8);
        if (v - from < image->bytes)
            v += (uint64_t)by, memcpy(bytes + i, &v, 8);
    }
}

void memory_image_move(const struct memory_image *image, uint8_t *bytes, size_t size)
{
    move_pointers(image, bytes, size, image->base, gpu_moved());
}

bool memory_image_upload(struct memory_image *image)
{
    if (!image->bytes)
        return true;
    if (!gpu_map(image->base, image->bytes))
        return false;
    memcpy(image->gpu, image->before, image->bytes);
    memory_image_move(image, image->gpu, image->bytes);
    return gpu_write(image->base, image->gpu, image->bytes);
}

bool memory_image_download(struct memory_image *image)
{
    if (!image->bytes)
        return true;
    bool ok = gpu_read(image->base, image->gpu, image->bytes);
    move_pointers(image, image->gpu, image->bytes, image->base + (uint64_t)gpu_moved(), -gpu_moved());
    return ok;
}
