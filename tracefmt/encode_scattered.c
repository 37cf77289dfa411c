/* The accesses of a scattered chunk: patterns stand where they come. docs/trace-format.md, "Scattered chunks". */
#include <string.h>

#include "tracefmt/decode.h"
#include "tracefmt/encoder.h"
#include "tracefmt/shape.h"

/* Lanes that are so near to where the rank's stride puts them are coded about it. Two bytes hold the distance. */
#define NEAR (UINT64_C(1) << 13)
/* Lanes so far apart tell what the stride is. */
#define FAR_APART 8
/* Of so many lanes that have equal distances, but not the rank's stride, that is thought to be chance. */
#define CHANCE_LANES 6
/* So many accesses ahead, half a kilobyte, a log is fetched into the cache. */
#define ACCESSES_AHEAD 32

static bool is_even(const struct rp_chunk *c, rp_lanemask lanes, uint32_t shape, uint64_t stride)
{
    return !(lanes & (lanes - 1)) || (!shape_lanes(c, shape) && shape_stride(c, shape) == stride);
}

/* Logs must hold the lanes that their runs and guards tell. */
static bool check_lanes(struct encoder *e, rp_lanemask lanes, uint32_t shape)
{
    const rp_lanemask logged = shape_lanes(e->chunk, shape);
    return !logged || logged == lanes ||
           rp_fail(e->err, RP_SYSTEM, "an access has other lanes than its instruction's execution");
}

/* ---- distances -----------------------------------------------------------------------------------------------------
 */

/* How many lanes there are is hard to predict: so many distances are written at a time. */
#define AT_ONCE 4

/* The lanes of an access, from low to high. */
struct distances {
    uint64_t of[RP_WARP_LANES + AT_ONCE]; /* from where they are thought to be, zigzag-coded; behind the last one 0 */
    unsigned count;
    uint64_t all; /* or-ed */
};

/* How far lanes are from `base` + stride × their distance to the lowest, which is itself `first` from there. */
static void measure(struct distances *d, const struct rp_chunk *c, rp_lanemask lanes, uint32_t shape, uint64_t first,
                    uint64_t stride)
{
    const unsigned lowest = (unsigned)__builtin_ctz(lanes);
    const bool even = !shape_lanes(c, shape);
    const uint64_t *offset = shape_offsets(c, shape), more = even ? *offset - stride : 0;
    d->of[0] = d->all = zigzag_encode(first);
    d->count = 1;
    for (rp_lanemask rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
        const uint64_t away = (unsigned)__builtin_ctz(rest) - lowest;
        const uint64_t code = zigzag_encode(first + (even ? more * away : *offset++ - stride * away));
        d->of[d->count++] = code;
        d->all |= code;
    }
    memset(&d->of[d->count], 0, AT_ONCE * sizeof *d->of);
}

static uint8_t *put_bytes(uint8_t *at, const struct distances *d, unsigned from)
{
    for (unsigned i = from; i < d->count; i += AT_ONCE)
        for (unsigned k = i; k < i + AT_ONCE; k++)
            at[k - from] = (uint8_t)d->of[k];
    return at + (d->count - from);
}

/* Distances below 2^14. */
static uint8_t *put_pairs(uint8_t *at, const struct distances *d, unsigned from)
{
    for (unsigned i = from; i < d->count; i += AT_ONCE)
        for (unsigned k = i; k < i + AT_ONCE; k++) {
            const uint64_t code = d->of[k];
            const unsigned two = code >= 0x80;
            at[0] = (uint8_t)((code & 0x7f) | two << 7);
            at[1] = (uint8_t)(code >> 7);
            at += k < d->count ? 1 + two : 0;
        }
    return at;
}

static void emit_distances(struct buffer *column, const struct distances *d, unsigned from)
{
    const size_t most = RP_WARP_LANES * VARINT_BYTES;
    if (column->capacity - column->size < most && !buffer_reserve(column, most))
        return;
    uint8_t *at = column->data + column->size;
    if (d->all < 0x80)
        at = put_bytes(at, d, from);
    else if (d->all < 0x4000)
        at = put_pairs(at, d, from);
    else
        for (unsigned i = from; i < d->count; i++)
            at = varint_put(at, d->of[i]);
    column->size = (size_t)(at - column->data);
}

/* From the lowest lane to the highest. */
static int span(rp_lanemask lanes) { return 31 - __builtin_clz(lanes) - __builtin_ctz(lanes); }

/* What lies between neighbouring lanes on average, rounded to lines or, where it is large, to pages. Each lane has data
 * of its own, mostly at equal distances, and is at another place in them. */
static uint64_t mean_stride(const struct rp_chunk *c, rp_lanemask lanes, uint32_t shape)
{
    const int apart = span(lanes);
    if (!shape_lanes(c, shape))
        return shape_stride(c, shape);
    const int64_t mean = (int64_t)shape_offsets(c, shape)[rp_lane_count(lanes) - 2] / apart;
    const int64_t unit = mean < 8192 && mean > -8192 ? 64 : 4096;
    return (uint64_t)((mean + (mean < 0 ? -unit : unit) / 2) / unit * unit);
}

/* ---- leaders -------------------------------------------------------------------------------------------------------
 */

static void emit(struct encoder *e, uint64_t gap, enum scattered_code code)
{
    e->chunk->decoded_bytes += sizeof(struct exception) + sizeof(struct rp_pattern);
    buffer_varint(&e->column[CHUNK_EXCEPTION_GAP], gap);
    buffer_varint(&e->column[CHUNK_EXCEPTION_PATTERN], code);
}

/* The pattern, with a stride of its own. */
static void emit_shape(struct encoder *e, rp_lanemask lanes, uint32_t shape, uint64_t stride, bool even)
{
    struct distances d;
    buffer_zigzag(&e->column[CHUNK_PATTERN_STRIDE], stride);
    if (even)
        return;
    measure(&d, e->chunk, lanes, shape, 0, stride);
    e->chunk->decoded_bytes += d.count * sizeof(int32_t);
    emit_distances(&e->column[CHUNK_PATTERN_OFFSET], &d, 1);
}

/* Whether distances about the origin, of more than a byte, are a byte about the mean stride. */
static bool is_mean_better(const struct rp_chunk *c, rp_lanemask lanes, uint32_t shape, const struct distances *d,
                           uint64_t stride)
{
    struct distances about_base;
    const uint64_t mean = d->all >= 0x80 && span(lanes) >= FAR_APART ? mean_stride(c, lanes, shape) : stride;
    if (mean == stride)
        return false;
    measure(&about_base, c, lanes, shape, 0, mean);
    return about_base.all < 0x80;
}

/* An access whose pattern is not the predicted one, or a lane alone where others are about the origin. */
static void emit_unforeseen(struct encoder *e, struct scattered_state *s, rp_lanemask lanes, uint32_t shape,
                            uint64_t base, uint64_t gap)
{
    const struct rp_chunk *c = e->chunk;
    const unsigned lowest = (unsigned)__builtin_ctz(lanes);
    const uint64_t predicted = leader_predict(&s->predicted.origin);
    const uint64_t first = base - predicted - s->predicted.stride * lowest;
    const bool even = !shape_lanes(c, shape);
    struct distances d;
    measure(&d, c, lanes, shape, first, s->predicted.stride);
    if (d.all < NEAR * 2 && !(even && d.count > CHANCE_LANES) &&
        !is_mean_better(c, lanes, shape, &d, s->predicted.stride)) {
        s->about = true;
        e->chunk->decoded_bytes += d.count * sizeof(int32_t);
        emit(e, gap, PATTERN_ABOUT_ORIGIN);
        emit_distances(&e->column[CHUNK_PATTERN_OFFSET], &d, 0);
        leader_update(&s->predicted.origin, predicted);
        return;
    }
    const uint64_t stride = mean_stride(c, lanes, shape);
    s->about = !even;
    emit(e, gap, even ? PATTERN_EVEN : PATTERN_ABOUT_BASE);
    buffer_zigzag(&e->column[CHUNK_EXCEPTION_BASE], first);
    emit_shape(e, lanes, shape, stride, even);
    origin_turn(&s->predicted, stride, lowest);
    leader_update(&s->predicted.origin, base - stride * lowest);
}

/* True: it was predicted. */
static bool encode_access(struct encoder *e, struct scattered_state *s, rp_lanemask lanes, const struct rp_access *a,
                          uint64_t gap)
{
    const struct rp_chunk *c = e->chunk;
    const uint64_t origin = a->base - s->predicted.stride * (unsigned)__builtin_ctz(lanes);
    const uint64_t residual = origin - leader_predict(&s->predicted.origin);
    const bool alike =
        s->mask == lanes ? shape_equal(c, s->shape, a->pattern) : is_even(c, lanes, a->pattern, s->predicted.stride);
    const bool alone = !(lanes & (lanes - 1));
    s->mask = lanes;
    s->shape = a->pattern;
    if (!alike || (residual && alone && s->about && zigzag_encode(residual) < NEAR * 2)) {
        emit_unforeseen(e, s, lanes, a->pattern, a->base, gap);
        return false;
    }
    if (residual) {
        emit(e, gap, PATTERN_PREDICTED);
        buffer_zigzag(&e->column[CHUNK_EXCEPTION_BASE], residual);
    }
    leader_update(&s->predicted.origin, origin);
    return !residual;
}

static void begin_ranks(struct encoder *e, const struct known_path *k)
{
    const struct path *p = &k->path;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        const uint32_t at = p->first_at[r];
        struct extrapolation *first = &e->chunk->slot_first[p->slot[r]];
        const uint64_t origin = k->leader->accesses[at].base - first->stride * (unsigned)__builtin_ctz(k->lanes[at]);
        buffer_zigzag(&e->column[CHUNK_FIRST], origin - extrapolate(first));
        extrapolation_update(first, origin);
        e->chunk->scattered_state[r] =
            (struct scattered_state){.predicted = {{.last = origin}, .stride = first->stride}};
    }
}

bool encode_scattered_leader(struct encoder *e, const struct known_path *k)
{
    struct scattered_state *state = e->chunk->scattered_state;
    const struct path *p = &k->path;
    uint64_t exceptions = 0, gap = 0;
    begin_ranks(e, k);
    for (size_t i = 0; i < p->access_count; i++) {
        const struct rp_access *a = &k->leader->accesses[i];
        struct scattered_state *s = &state[p->rank[i]];
        if ((a->pattern != s->shape || k->lanes[i] != s->mask) && !check_lanes(e, k->lanes[i], a->pattern))
            return false;
        const bool foreseen = encode_access(e, s, k->lanes[i], a, gap);
        exceptions += !foreseen;
        gap = foreseen ? gap + 1 : 0;
    }
    buffer_varint(&e->column[CHUNK_EXCEPTIONS], exceptions);
    for (uint32_t r = 0; r < p->rank_count; r++)
        e->chunk->slot_first[p->slot[r]].stride = state[r].predicted.stride;
    return true;
}

/* ---- followers -----------------------------------------------------------------------------------------------------
 */

/* How a follower differs from its leader at one rank. */
struct follower {
    uint64_t difference;
    rp_lanemask lanes; /* 0: there is no pair of shapes */
    uint32_t from, to; /* where the leader has shape `from`, the follower has `to` */
};

static struct follower *begin_follower(struct encoder *e, struct known_path *k, const struct rp_warp_log *log)
{
    const struct path *p = &k->path;
    struct follower *state = pool_alloc(&e->work, p->rank_count, sizeof *state);
    for (uint32_t r = 0; state && r < p->rank_count; r++) {
        const uint32_t at = p->first_at[r];
        state[r].difference = log->accesses[at].base - k->leader->accesses[at].base;
        buffer_zigzag(&e->column[CHUNK_FIRST], state[r].difference - extrapolate(&k->first[r]));
        extrapolation_update(&k->first[r], state[r].difference);
    }
    return state;
}

/* True: it was predicted. */
static bool encode_following(struct encoder *e, struct follower *s, rp_lanemask lanes, const struct rp_access *a,
                             const struct rp_access *leader, uint64_t gap)
{
    const struct rp_chunk *c = e->chunk;
    const uint64_t residual = a->base - leader->base - s->difference;
    const uint32_t shape = a->pattern, leading = leader->pattern;
    const bool mapped = s->lanes == lanes && shape_equal(c, s->from, leading);
    const bool alike = shape_equal(c, shape, mapped ? s->to : leading), even = !shape_lanes(c, shape);
    if (!residual && alike)
        return true;
    s->difference += residual;
    emit(e, gap, alike ? PATTERN_PREDICTED : even ? PATTERN_EVEN : PATTERN_ABOUT_BASE);
    buffer_zigzag(&e->column[CHUNK_EXCEPTION_BASE], residual);
    if (!alike) {
        emit_shape(e, lanes, shape, mean_stride(c, lanes, shape), even);
        *s = (struct follower){s->difference, lanes, leading, shape};
    }
    return false;
}

/* The first access from `i` on that is not where its leader's is but for the difference of its rank, or at whose rank a
 * pair of shapes is known: most are, and none is. */
static __attribute__((noinline)) size_t skip_following(const struct follower *state, const uint32_t *rank,
                                                       const struct rp_access *accesses,
                                                       const struct rp_access *leaders, size_t i, size_t count)
{
    for (; i < count; i++) {
        const struct follower *s = &state[rank[i]];
        const uint32_t other = (accesses[i].pattern ^ leaders[i].pattern) | s->lanes;
        __builtin_prefetch(&accesses[i + ACCESSES_AHEAD]);
        if (accesses[i].base - leaders[i].base != s->difference || other)
            break;
    }
    return i;
}

bool encode_scattered_follower(struct encoder *e, struct known_path *k, const struct rp_warp_log *log)
{
    struct follower *state = begin_follower(e, k, log);
    const struct rp_access *accesses = log->accesses, *leaders = k->leader->accesses;
    const uint32_t *rank = k->path.rank;
    const size_t count = log->access_count;
    uint64_t exceptions = 0;
    if (!state)
        return rp_fail(e->err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
    for (size_t i = 0, from = 0; (i = skip_following(state, rank, accesses, leaders, i, count)) < count; i++) {
        const struct rp_access *a = &accesses[i], *leader = &leaders[i];
        if (a->pattern != leader->pattern && !check_lanes(e, k->lanes[i], a->pattern))
            return false;
        if (encode_following(e, &state[rank[i]], k->lanes[i], a, leader, i - from))
            continue;
        exceptions++;
        from = i + 1;
    }
    buffer_varint(&e->column[CHUNK_EXCEPTIONS], exceptions);
    return true;
}
