/* Patterns of a scattered chunk, as its logs hold them. Hardly one comes twice, so they are neither numbered nor
 * searched, but for the last one at the same memory operand, and the last even one. A shape is the number of its first
 * word in rp_chunk.shapes: 0 of an even pattern, whose stride is the next word, else the lanes, and then the offset
 * from the lowest one of each other lane. Lanes alone have SHAPE_UNIFORM. */
#ifndef REPRISE_TRACEFMT_SHAPE_H
#define REPRISE_TRACEFMT_SHAPE_H

#include "tracefmt/chunk.h"

#define SHAPE_UNIFORM 0u
#define EVEN_WORDS 2 /* of an even shape */

/* The shape of these addresses, which differ from base as an access of `mask` does. last: the shape that came last at
 * its operand + 1, or 0. NO_PATTERN: out of memory. */
uint32_t shape_find(struct rp_chunk *, uint32_t last, rp_lanemask mask, uint64_t base,
                    const uint64_t address[RP_WARP_LANES]);
/* Adds those of `from`. Each of them is now the returned number greater, but SHAPE_UNIFORM. False: out of memory. */
bool shape_absorb(struct rp_chunk *to, const struct rp_chunk *from, uint32_t *greater);

static inline rp_lanemask shape_lanes(const struct rp_chunk *c, uint32_t shape) /* 0: even */
{
    return (rp_lanemask)c->shapes[shape];
}
static inline uint64_t shape_stride(const struct rp_chunk *c, uint32_t shape) { return c->shapes[shape + 1]; }
static inline const uint64_t *shape_offsets(const struct rp_chunk *c, uint32_t shape) { return &c->shapes[shape + 1]; }

/* Whether two different shapes are of the same content. */
bool shape_same_content(const struct rp_chunk *, uint32_t, uint32_t);
/* Whether two shapes of accesses of the same lanes are the same. */
static inline bool shape_equal(const struct rp_chunk *c, uint32_t a, uint32_t b)
{
    return a == b || shape_same_content(c, a, b);
}

#endif
