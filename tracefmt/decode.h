/* A decoded chunk: immutable, shared by all blocks and cursors that read it.
 *
 * Paths are decoded once, with their runs and guards. Accesses are not expanded: a warp is a *stream*, which is the
 * initial state of the predictors and a list of exceptions. A cursor generates accesses from it, one segment at a time.
 * Only leaders with followers have their accesses as an array, which their followers read. Decoding checks everything,
 * so generating accesses cannot fail. */
#ifndef REPRISE_TRACEFMT_DECODE_H
#define REPRISE_TRACEFMT_DECODE_H

#include "tracefmt/chunk_format.h"
#include "tracefmt/index.h"
#include "tracefmt/kernel_map.h"
#include "tracefmt/reader.h"

struct exception {
    uint64_t base;                    /* is added to the predicted base */
    const struct rp_pattern *pattern; /* NULL: as predicted */
    uint32_t at;                      /* number of the access within the warp's piece */
};

/* Consecutive whole runs whose accesses are generated together. */
struct segment {
    uint32_t run_end;
    uint32_t access_end;
};

struct chunk_path {
    struct path path;
    uint32_t users, leader;            /* warps with this path; the first of them */
    struct rp_dynamic_access *leading; /* the leader's accesses; NULL without followers */
    struct segment *segments;
    uint32_t segment_count, segment_accesses; /* the most accesses of any segment */
};

struct chunk_warp {
    struct chunk_path *path;
    const uint64_t *first; /* per rank: the first base (leader), or its difference from the leader's (follower) */
    const struct rp_pattern **first_pattern; /* per rank, leaders only */
    const struct exception *exceptions;
    uint32_t exception_count;
    bool follows, same; /* same: the accesses equal the leader's */
    const uint64_t *aux;
};

struct chunk_block {
    uint64_t index;
    uint32_t piece;
    bool end;
    struct chunk_warp *warps;
};

struct chunk {
    struct pool pool;
    uint32_t number; /* in the index; the decoder does not set it */
    uint32_t launch, warps_per_block;
    uint64_t warp_instructions, thread_instructions;
    uint32_t block_count, path_count, pattern_count;
    struct chunk_block *blocks;
    struct chunk_path *paths;
    struct chunk_warp *warps;
    struct rp_pattern *patterns;
};

/* What the decoder needs from the tables. */
struct decode_context {
    uint32_t launch_count;
    struct rp_launch *const *launches;
    struct kernel_map *const *maps; /* per kernel */
    struct budget *budget;          /* NULL: none */
};

/* `content` is a decompressed chunk frame. NULL: not a chunk, or damaged; with *over: the budget has no room for it
 * now. */
struct chunk *chunk_decode(const uint8_t *content, size_t size, const struct decode_context *, bool *over,
                           struct rp_error *);
void chunk_free(struct chunk *);
/* The block's piece in this chunk, or NULL. */
const struct chunk_block *chunk_find_block(const struct chunk *, uint64_t block);

/* ---- streams ----------------------------------------------------------------------------------------------------- */

struct leader_rank {
    struct leader_state state;
    const struct rp_pattern *pattern;
};
struct follower_rank {
    uint64_t difference;
    const struct rp_pattern *from, *to;
};
/* Generates the accesses of one warp's piece, in order. */
struct stream {
    const struct chunk_warp *warp;
    uint32_t at; /* accesses generated so far */
    const struct exception *next;
    union {
        struct leader_rank *leader;
        struct follower_rank *follower;
        void *ranks; /* malloced, `capacity` bytes; reused for the next piece */
    };
    size_t capacity;
};
/* Positions the stream before the warp's first access. False: out of memory. */
bool stream_begin(struct stream *, const struct chunk_warp *);
/* Generates accesses up to, but not including, number `end`. */
void stream_fill(struct stream *, struct rp_dynamic_access *out, uint32_t end);
void stream_free(struct stream *);

#endif
