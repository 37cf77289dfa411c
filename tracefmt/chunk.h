/* The inside of struct rp_chunk: open blocks with their logs, the patterns seen so far, and what encoding reuses from
 * one chunk to the next. */
#ifndef REPRISE_TRACEFMT_CHUNK_H
#define REPRISE_TRACEFMT_CHUNK_H

#include <zstd.h>

#include "tracefmt/buffer.h"
#include "tracefmt/chunk_format.h"
#include "tracefmt/index.h"
#include "tracefmt/kernel_map.h"
#include "tracefmt/pattern.h"
#include "tracefmt/whereabouts.h"
#include "tracefmt/writer.h"

#define NO_PATTERN UINT32_MAX

typedef uint64_t (*pattern_differs_fn)(const struct wide_pattern *, uint64_t base,
                                       const uint64_t address[RP_WARP_LANES]);
/* The fastest version that this CPU runs. All return the same. */
pattern_differs_fn pattern_differs(void);

/* One entry of each kind, for a log whose arrays could not be allocated. */
struct rp_log_reserve {
    struct rp_run run;
    rp_lanemask guard;
    uint64_t aux;
    struct rp_access access;
};

struct open_block {
    uint64_t index;
    uint32_t warps, piece;
    bool ended;
    struct rp_warp_log *logs;
    struct rp_log_reserve *reserve; /* per log */
    struct open_block *next_spare;
};

/* How a follower differs from its leader at one rank of their path. */
struct follower_state {
    uint64_t difference;
    uint32_t from, to; /* where the leader has pattern `from`, the follower has `to` */
};

/* At one rank of the path of a scattered chunk's leader. */
struct scattered_state {
    struct origin_state predicted;
    rp_lanemask mask; /* of the last access; 0: there was none */
    uint32_t shape;   /* and its shape */
    bool about;       /* patterns were coded about the origin */
};

struct rp_chunk {
    const struct rp_kernel *kernel;
    uint64_t identity; /* of the kernel, which may be freed before the chunk is renewed */
    uint32_t launch;
    int level;
    bool scattered; /* as struct rp_writer_options has it */
    bool failed;    /* out of memory while logging */
    ZSTD_CCtx *compressor;

    struct open_block **blocks; /* ascending index */
    size_t block_count, block_capacity;
    size_t open_count, ended_bytes; /* open blocks; bytes that ended blocks have logged */
    struct open_block *spare;       /* closed blocks whose logs are reused by the next ones */

    struct wide_pattern *patterns;
    uint32_t pattern_count, pattern_capacity;
    size_t pattern_bytes; /* what they take in a reader */
    uint64_t *shapes;     /* of a scattered chunk, instead of patterns (shape.h) */
    size_t shape_words, shape_capacity, shape_count;
    size_t shapes_shared;    /* even shapes that were found, and count in rp_chunk_bytes as if they had been added */
    uint32_t *pattern_table; /* open addressing: pattern + 1; a power of two, at most half full */
    uint32_t pattern_table_size;
    uint32_t *last_pattern;        /* per slot: pattern + 1, or shape + 1 */
    uint32_t last_even;            /* the even shape that was added last + 1; NO_PATTERN: none was */
    uint64_t even_stride;          /* and its stride */
    uint32_t alone[RP_WARP_LANES]; /* of a lane alone: pattern + 1 */
    pattern_differs_fn differs;

    struct pool fixed; /* the following arrays, which live as long as the chunk */
    struct kernel_map *map;
    uint32_t *scratch;                 /* for path_rank */
    rp_lanemask *previous_guard;       /* per instruction */
    struct extrapolation *slot_first;  /* per slot */
    struct leader_state *leader_state; /* per slot at most */
    struct follower_state *follower_state;
    struct scattered_state *scattered_state; /* per slot at most; of a scattered chunk, as are the following */
    struct whereabouts whereabouts;

    struct buffer column[CHUNK_FIELDS], raw;
    struct chunk_entry summary; /* of the chunk being encoded */
    size_t decoded_bytes;       /* estimate of what the decoded chunk takes in a reader */
};

struct rp_frame {
    uint8_t *data;
    size_t bytes, raw_bytes;
    struct chunk_entry summary;
    uint64_t *carried;     /* summary.carried_count block indices */
    uint64_t last_block;   /* the highest block that begins here; valid if summary.blocks > 0 */
    uint32_t warps;        /* of each block */
    bool scattered;        /* it has column CHUNK_SCATTERED */
    struct rp_frame *next; /* the next slice: what the blocks did after this one */
};

/* Returns the pattern's number in the chunk; adds the pattern if it is new. NO_PATTERN: out of memory. */
uint32_t chunk_intern(struct rp_chunk *, const struct wide_pattern *);
/* An estimate of what the pattern takes in a reader. */
static inline size_t pattern_decoded_bytes(const struct wide_pattern *p)
{
    const size_t offsets = p->kind == RP_PATTERN_GENERAL ? rp_lane_count(p->mask) : 0;
    return sizeof(struct rp_pattern) + offsets * sizeof(int32_t);
}
/* Turns the logs into columns and fills summary, except for the carried blocks. */
bool chunk_encode(struct rp_chunk *, struct rp_error *);
/* A carried block that has done nothing since the last chunk and has not ended: nothing to store. */
bool block_is_silent(const struct open_block *);

#endif
