/* The coding of a chunk, shared by encoder and decoder: field numbers, limits and predictors. docs/trace-format.md
 * describes the same in words; keep them in step. All sums are modulo 2^64.
 */
#ifndef REPRISE_TRACEFMT_CHUNK_FORMAT_H
#define REPRISE_TRACEFMT_CHUNK_FORMAT_H

#include "tracefmt/trace.h"

#define FORMAT_NAME "reprise trace"
#define FORMAT_VERSION 1          /* of a header without required features */
#define FORMAT_VERSION_FEATURES 2 /* of one that announces some */

/* No frame decompresses to more than this, and no decoded frame takes more memory. Logs at which a chunk must be
 * finished (CHUNK_LOG_LIMIT) stay far below either. */
#define FRAME_RAW_LIMIT ((size_t)128 << 20)
#define CHUNK_MEMORY_LIMIT ((size_t)256 << 20)
#define CHUNK_LOG_LIMIT ((size_t)64 << 20)

#define TRACE_FIELD_CHUNK 5 /* of message Trace */

/* Fields of message Chunk in trace.proto. */
enum chunk_field {
    CHUNK_LAUNCH = 1,
    CHUNK_WARP_INSTRUCTIONS,
    CHUNK_THREAD_INSTRUCTIONS,
    CHUNK_BLOCK,
    CHUNK_BLOCK_PIECE,
    CHUNK_BLOCK_END,
    CHUNK_WARP_PATH,
    CHUNK_PATH_RUNS,
    CHUNK_RUN_START,
    CHUNK_RUN_LENGTH,
    CHUNK_RUN_MASK,
    CHUNK_GUARD,
    CHUNK_PATTERN_MASK,
    CHUNK_PATTERN_KIND,
    CHUNK_PATTERN_STRIDE,
    CHUNK_PATTERN_OFFSET,
    CHUNK_FIRST,
    CHUNK_FIRST_PATTERN,
    CHUNK_EXCEPTIONS,
    CHUNK_EXCEPTION_GAP,
    CHUNK_EXCEPTION_BASE,
    CHUNK_EXCEPTION_PATTERN,
    CHUNK_AUX,
    CHUNK_SCATTERED,
    CHUNK_FIELDS
};
#define CHUNK_FIRST_COLUMN CHUNK_BLOCK

#define LAUNCH_WARPS_LIMIT 32     /* 1024 threads */
#define RUN_MASK_START UINT32_MAX /* the mask that the first run of a path is compared with */

/* Values of column CHUNK_SCATTERED; without the column the chunk is coded as in format version 1.
 * SCATTERED_PATTERNS, which is not written any more: the chunk has patterns of one kind more, PATTERN_ABOUT_STRIDE, and
 * names patterns in another way: NAMED_NEXT is the first one that was not named before, and pattern n is
 * NAMED_FIRST + n.
 * SCATTERED_LANES: masks are coded by where lanes are (whereabouts.h), accesses have the lanes of their executions, and
 * patterns have no numbers: they stand where they come (enum scattered_code). */
enum { SCATTERED_PATTERNS = 1, SCATTERED_LANES };
#define PATTERN_ABOUT_STRIDE (RP_PATTERN_AFFINE + 1)
enum { NAMED_NEXT = 1, NAMED_FIRST };

/* Of SCATTERED_LANES: codes of column exception_pattern. A pattern is *even* where lanes have equal distances, which is
 * the pattern's stride. */
enum scattered_code {
    PATTERN_PREDICTED,
    PATTERN_EVEN,         /* even, with the next value of pattern_stride */
    PATTERN_ABOUT_ORIGIN, /* pattern_offset: each lane's address less predicted origin + the rank's stride × lane */
    PATTERN_ABOUT_BASE    /* the next value of pattern_stride is a stride; pattern_offset: of all lanes but the lowest,
                             the address less base + this stride × the distance to the lowest */
};

/* Codes of the guard column; an explicit mask is GUARD_EXPLICIT + mask, of SCATTERED_LANES the executed lanes among the
 * active ones, packed. */
enum guard_code { GUARD_ALL, GUARD_NONE, GUARD_PREVIOUS, GUARD_EXPLICIT };

/* Predicts the first value of each warp at a slot or at a rank of a path: the previous warp's value plus the last
 * difference. */
struct extrapolation {
    uint64_t last, difference;
    uint64_t stride; /* SCATTERED_LANES: the last one at the slot */
    uint32_t seen;   /* 0, 1, 2 = more */
    uint32_t pattern;
};
static inline uint64_t extrapolate(const struct extrapolation *e) { return e->last + e->difference; }
static inline void extrapolation_update(struct extrapolation *e, uint64_t value)
{
    if (e->seen)
        e->difference = value - e->last;
    e->last = value;
    e->seen += e->seen < 2;
}

/* Predicts the bases of a leader at one rank: the last base plus the stride. The stride changes only when the same
 * difference comes twice in a row (or is the first one), so that the end of an inner loop costs one exception, not two.
 */
struct leader_state {
    uint64_t last, stride, difference;
    uint32_t seen; /* accesses so far: 0, 1, 2 = more */
};
static inline uint64_t leader_predict(const struct leader_state *s) { return s->last + s->stride; }
static inline void leader_update(struct leader_state *s, uint64_t base)
{
    uint64_t difference = base - s->last;
    if (s->seen == 1 || (s->seen == 2 && difference == s->difference))
        s->stride = difference;
    if (s->seen)
        s->difference = difference;
    s->seen += s->seen < 2;
    s->last = base;
}

/* Of SCATTERED_LANES: predicts the accesses of a leader at one rank. The origin of an access is where lane 0 would be,
 * base - stride × lowest lane: it stays the same when other lanes execute. */
struct origin_state {
    struct leader_state origin;
    uint64_t stride;
};
/* The rank has another stride, as it has in an access whose lowest lane is `lowest`. */
static inline void origin_turn(struct origin_state *s, uint64_t stride, unsigned lowest)
{
    s->origin.last += (s->stride - stride) * lowest;
    s->stride = stride;
}

#endif
