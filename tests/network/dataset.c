#include "dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint32_t big32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Magic number, number of items, extents of an item; then the items, of which `count` are read. */
static bool read_items(gzFile f, const char *path, uint32_t magic, uint32_t dimensions, uint32_t count, uint8_t *to,
                       size_t item, struct rp_error *err)
{
    uint8_t head[16];
    unsigned bytes = 4 * (1 + dimensions);
    if (gzread(f, head, bytes) != (int)bytes || big32(head) != magic)
        return rp_fail(err, RP_BAD_INPUT, "%s: not a file of the kind 0x%04x", path, magic);
    if (dimensions == 3 && (big32(head + 8) != 28 || big32(head + 12) != 28))
        return rp_fail(err, RP_BAD_INPUT, "%s: images of %u x %u, not 28 x 28", path, big32(head + 8),
                       big32(head + 12));
    if (big32(head + 4) < count)
        return rp_fail(err, RP_BAD_INPUT, "%s: holds %u items, fewer than %u", path, big32(head + 4), count);
    return gzread(f, to, (unsigned)(count * item)) == (int)(count * item) ||
           rp_fail(err, RP_BAD_INPUT, "%s: cut short or damaged", path);
}

static uint8_t *load(const char *folder, const char *part, const char *kind, uint32_t dimensions, uint32_t count,
                     size_t item, struct rp_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%s-idx%u-ubyte.gz", folder, part, kind, dimensions);
    gzFile f = gzopen(path, "rb");
    if (!f) {
        rp_fail(err, RP_BAD_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    uint8_t *items = malloc(count * item + 1);
    bool ok = items ? read_items(f, path, 0x800 | dimensions, dimensions, count, items, item, err)
                    : rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    gzclose(f);
    if (ok)
        return items;
    free(items);
    return NULL;
}

bool dataset_load(struct dataset *d, const char *folder, const char *part, uint32_t count, struct rp_error *err)
{
    *d = (struct dataset){.count = count};
    if (!(d->pixels = load(folder, part, "images", 3, count, PIXELS, err)) ||
        !(d->labels = load(folder, part, "labels", 1, count, 1, err))) {
        dataset_free(d);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (d->labels[i] >= CLASSES) {
            rp_fail(err, RP_BAD_INPUT, "label %u of %s is %u, not below %d", i, part, d->labels[i], CLASSES);
            dataset_free(d);
            return false;
        }
    return true;
}

void dataset_free(struct dataset *d)
{
    free(d->pixels);
    free(d->labels);
    *d = (struct dataset){0};
}
