/* The inside of encoding a chunk: what encode.c, and encode_scattered.c of scattered chunks, share. */
#ifndef REPRISE_TRACEFMT_ENCODER_H
#define REPRISE_TRACEFMT_ENCODER_H

#include "tracefmt/chunk.h"

struct known_path {
    struct path path;
    const struct rp_warp_log *leader; /* the first warp with this path */
    uint64_t hash;
    struct extrapolation *first; /* per rank: how the followers' first bases differ from the leader's */
    rp_lanemask *lanes;          /* by access: the lanes that execute; of scattered chunks only */
    bool followed;
};

struct encoder {
    struct rp_chunk *chunk;
    struct buffer *column;
    struct pool work;
    struct known_path *paths;
    uint32_t path_count;
    uint32_t *table; /* open addressing: path + 1 */
    size_t table_size;
    uint32_t *pattern_id; /* number in the file + 1, per pattern of the chunk, in order of first use */
    uint32_t patterns_used;
    struct rp_error *err;
};

/* The columns of a warp's accesses in a scattered chunk. False: e->err says why. */
bool encode_scattered_leader(struct encoder *e, const struct known_path *k);
bool encode_scattered_follower(struct encoder *e, struct known_path *k, const struct rp_warp_log *);

#endif
