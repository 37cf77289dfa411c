#include "frontend/core/image.h"

enum { BLOCK_X = 64, BLOCK_Y = 8, BLOCK_BYTES = BLOCK_X * BLOCK_Y };

static uint64_t blocks(uint64_t n, uint64_t size) { return (n + size - 1) / size; }

static uint64_t level_bytes(const struct image *m, const struct image_level *l)
{
    uint64_t bytes = m->tiled ? l->row * blocks(l->height, BLOCK_Y) * l->depth : l->row;
    return blocks(bytes, BLOCK_BYTES) * BLOCK_BYTES;
}

static uint32_t halved(uint32_t extent, uint32_t times) { return extent >> times ? extent >> times : 1; }

void image_lay_out(struct image *m, uint32_t width, uint32_t height, uint32_t depth)
{
    m->tiled = m->dimensions > 1;
    m->layer_bytes = 0;
    for (uint32_t i = 0; i < m->level_count; i++) {
        struct image_level *l = &m->levels[i];
        *l = (struct image_level){halved(width, i), halved(height, i), halved(depth, i), m->layer_bytes, 0};
        uint64_t in_row = blocks((uint64_t)l->width * rp_element_bytes(m->element), BLOCK_X);
        l->row = in_row * (m->tiled ? BLOCK_BYTES : BLOCK_X);
        m->layer_bytes += level_bytes(m, l);
    }
    m->bytes = m->layer_bytes * m->layers;
}

static uint64_t in_block(uint64_t x, uint32_t y)
{
    return (x & 32) << 3 | (uint64_t)(y & 6) << 5 | (x & 16) << 1 | (uint64_t)(y & 1) << 4 | (x & 15);
}

uint64_t image_address(const struct image *m, uint32_t level, uint64_t x, uint32_t y, uint32_t z)
{
    const struct image_level *l = &m->levels[level];
    uint64_t layer = m->layered || m->cube ? z : 0, slice = m->layered || m->cube ? 0 : z;
    uint64_t at = m->address + layer * m->layer_bytes + l->offset;
    if (!m->tiled)
        return at + y * l->row + x;
    at += (slice * blocks(l->height, BLOCK_Y) + y / BLOCK_Y) * l->row;
    return at + x / BLOCK_X * BLOCK_BYTES + in_block(x, y);
}
