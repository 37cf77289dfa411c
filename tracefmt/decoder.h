/* The inside of decoding a chunk: what decode.c, and decode_scattered.c of scattered chunks, share. */
#ifndef REPRISE_TRACEFMT_DECODER_H
#define REPRISE_TRACEFMT_DECODER_H

#include "tracefmt/decode.h"
#include "tracefmt/pattern.h"
#include "tracefmt/whereabouts.h"
#include "tracefmt/wire.h"

struct decoder {
    struct chunk *chunk;
    struct span column[CHUNK_FIELDS];
    bool seen[CHUNK_FIELDS];
    uint64_t scalar[CHUNK_FIRST_COLUMN];
    const struct rp_launch *launch;
    const struct kernel_map *map;
    uint32_t coding; /* of CHUNK_SCATTERED; 0: the chunk has none */
    uint32_t named;  /* patterns that have been named, the first ones; of SCATTERED_PATTERNS */
    uint32_t warp_count;
    struct pool work; /* the following arrays, which live as long as the decoder */
    uint32_t *scratch;
    struct extrapolation *slot_first;
    struct extrapolation **path_first;
    rp_lanemask *previous_guard; /* per instruction; valid where guard_path is this path's number + 1 */
    uint32_t *guard_path;
    struct whereabouts whereabouts; /* this and the following: of SCATTERED_LANES */
    rp_lanemask **path_lanes;       /* by path: the lanes of each access */
    struct pattern_set *set;
    struct exception *exceptions; /* of a warp, before it is known how many there are */
    size_t exception_capacity;
    struct rp_error *err;
};

/* Both return false; the error says what is wrong. */
bool decode_bad(struct decoder *, enum chunk_field, const char *what);
bool decode_no_memory(struct decoder *);

/* The next value of a column. */
static inline bool decode_next(struct decoder *d, enum chunk_field f, uint64_t *value)
{
    *value = 0; /* compilers do not see that it is not used where the column has ended */
    return span_varint(&d->column[f], value) || decode_bad(d, f, "ends too early");
}

/* The next value, which must be below the limit. */
static inline bool decode_below(struct decoder *d, enum chunk_field f, uint64_t limit, uint32_t *value)
{
    uint64_t v;
    if (!decode_next(d, f, &v))
        return false;
    *value = (uint32_t)v;
    return v < limit || decode_bad(d, f, "a value is out of range");
}

static inline bool decode_signed(struct decoder *d, enum chunk_field f, uint64_t *value)
{
    if (!decode_next(d, f, value))
        return false;
    *value = zigzag_decode(*value);
    return true;
}

/* Of chunks with SCATTERED_LANES. Before the first path: */
bool decode_scattered_prepare(struct decoder *);
/* First values, patterns and exceptions of a warp. */
bool decode_scattered_leader(struct decoder *, struct chunk_warp *);
bool decode_scattered_exceptions(struct decoder *, struct chunk_warp *);

#endif
