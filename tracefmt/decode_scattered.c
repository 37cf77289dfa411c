/* The accesses of a chunk with SCATTERED_LANES. docs/trace-format.md, "Scattered chunks". */
#include <string.h>

#include "tracefmt/decoder.h"
#include "tracefmt/hash.h"

/* The patterns of the chunk, each once: streams of followers compare them by their places. */
struct pattern_set {
    const struct rp_pattern **table; /* open addressing by hash; a power of two, at most half full */
    size_t size, count;
    const struct rp_pattern *even[1024]; /* the last one of each hash of lanes and stride */
};

/* At a rank of a leader. */
struct leading {
    struct origin_state predicted; /* of the file */
    struct leader_state stream;    /* of bases, as streams predict them */
    const struct rp_pattern *pattern;
};

bool decode_scattered_prepare(struct decoder *d)
{
    if (d->coding != SCATTERED_LANES)
        return true;
    if (!whereabouts_new(&d->whereabouts, &d->work, d->map->kernel->instruction_count) ||
        !(d->set = pool_alloc(&d->work, 1, sizeof *d->set)))
        return decode_no_memory(d);
    whereabouts_forget(&d->whereabouts);
    return true;
}

/* ---- patterns ------------------------------------------------------------------------------------------------------
 */

static bool grow_set(struct decoder *d)
{
    struct pattern_set *s = d->set;
    const size_t size = s->size ? 2 * s->size : 256;
    const struct rp_pattern **table = pool_alloc(&d->work, size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < s->size; i++) {
        size_t at = s->table[i] ? s->table[i]->hash & (size - 1) : 0;
        while (s->table[i] && table[at])
            at = (at + 1) & (size - 1);
        if (s->table[i])
            table[at] = s->table[i];
    }
    s->table = table;
    s->size = size;
    return true;
}

static bool same_pattern(const struct rp_pattern *a, const struct rp_pattern *b)
{
    return a->hash == b->hash && a->mask == b->mask && a->kind == b->kind && a->stride == b->stride &&
           a->width == b->width && (!a->width || !memcmp(a->offset, b->offset, rp_pattern_bytes(a)));
}

/* The pattern with this content. NULL: out of memory. */
static const struct rp_pattern *find_pattern(struct decoder *d, const struct wide_pattern *wide)
{
    struct pattern_set *s = d->set;
    struct rp_pattern p;
    if ((2 * (s->count + 1) > s->size && !grow_set(d)) || !pattern_narrow(&p, wide, &d->chunk->pool))
        return NULL;
    size_t at = p.hash & (s->size - 1);
    for (; s->table[at]; at = (at + 1) & (s->size - 1))
        if (same_pattern(s->table[at], &p))
            return s->table[at];
    s->table[at] = pool_copy(&d->chunk->pool, &p, 1, sizeof p);
    s->count += s->table[at] != NULL;
    return s->table[at];
}

static const struct rp_pattern *even_pattern(struct decoder *d, rp_lanemask lanes, uint64_t stride)
{
    struct wide_pattern wide = {.mask = lanes};
    wide.stride = lanes & (lanes - 1) ? (int64_t)stride : 0;
    wide.kind = wide.stride ? RP_PATTERN_AFFINE : RP_PATTERN_UNIFORM;
    const struct rp_pattern **known =
        &d->set->even[hash_word(lanes, (uint64_t)wide.stride) % (sizeof d->set->even / sizeof *d->set->even)];
    if (*known && (*known)->mask == lanes && (*known)->stride == wide.stride)
        return *known;
    pattern_expand(&wide);
    return *known = find_pattern(d, &wide);
}

/* Of these offsets of lanes. */
static const struct rp_pattern *listed_pattern(struct decoder *d, struct wide_pattern *wide)
{
    pattern_classify(wide);
    return find_pattern(d, wide);
}

/* The pattern of PATTERN_EVEN and PATTERN_ABOUT_BASE. False: the column ends too early, or memory. */
static bool decode_shape(struct decoder *d, rp_lanemask lanes, bool even, uint64_t *stride,
                         const struct rp_pattern **pattern)
{
    struct wide_pattern wide = {.mask = lanes};
    const unsigned lowest = (unsigned)__builtin_ctz(lanes);
    if (!decode_signed(d, CHUNK_PATTERN_STRIDE, stride))
        return false;
    for (rp_lanemask rest = even ? 0 : lanes & (lanes - 1); rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t distance;
        if (!decode_signed(d, CHUNK_PATTERN_OFFSET, &distance))
            return false;
        wide.offset[lane] = (int64_t)(distance + *stride * (lane - lowest));
    }
    *pattern = even ? even_pattern(d, lanes, *stride) : listed_pattern(d, &wide);
    return *pattern || decode_no_memory(d);
}

/* The access of PATTERN_ABOUT_ORIGIN. */
static bool decode_about_origin(struct decoder *d, rp_lanemask lanes, uint64_t origin, uint64_t stride, uint64_t *base,
                                const struct rp_pattern **pattern)
{
    struct wide_pattern wide = {.mask = lanes};
    const unsigned lowest = (unsigned)__builtin_ctz(lanes);
    for (rp_lanemask rest = lanes; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t distance;
        if (!decode_signed(d, CHUNK_PATTERN_OFFSET, &distance))
            return false;
        const uint64_t address = origin + stride * lane + distance;
        if (lane == lowest)
            *base = address;
        wide.offset[lane] = (int64_t)(address - *base);
    }
    *pattern = listed_pattern(d, &wide);
    return *pattern || decode_no_memory(d);
}

/* ---- leaders -------------------------------------------------------------------------------------------------------
 */

/* Decodes an exception. */
static bool decode_unforeseen(struct decoder *d, struct leading *s, rp_lanemask lanes, uint64_t *base)
{
    const unsigned lowest = (unsigned)__builtin_ctz(lanes);
    const uint64_t predicted = leader_predict(&s->predicted.origin);
    uint64_t residual, stride = s->predicted.stride;
    uint32_t code;
    if (!decode_below(d, CHUNK_EXCEPTION_PATTERN, PATTERN_ABOUT_BASE + 1, &code))
        return false;
    if (code == PATTERN_ABOUT_ORIGIN) {
        leader_update(&s->predicted.origin, predicted);
        return decode_about_origin(d, lanes, predicted, stride, base, &s->pattern);
    }
    if (!decode_signed(d, CHUNK_EXCEPTION_BASE, &residual))
        return false;
    *base = predicted + stride * lowest + residual;
    if (code != PATTERN_PREDICTED && !decode_shape(d, lanes, code == PATTERN_EVEN, &stride, &s->pattern))
        return false;
    origin_turn(&s->predicted, stride, lowest);
    leader_update(&s->predicted.origin, *base - stride * lowest);
    return true;
}

static bool add_exception(struct decoder *d, uint32_t count, const struct exception *x)
{
    if (count == d->exception_capacity) {
        const size_t capacity = d->exception_capacity ? 2 * d->exception_capacity : 256;
        struct exception *larger = pool_alloc(&d->work, capacity, sizeof *larger);
        if (!larger)
            return decode_no_memory(d);
        if (count)
            memcpy(larger, d->exceptions, count * sizeof *larger);
        d->exceptions = larger;
        d->exception_capacity = capacity;
    }
    d->exceptions[count] = *x;
    return true;
}

/* Adds an exception if streams do not predict the access, which comes behind the first one of its rank. */
static bool add_access(struct decoder *d, struct chunk_warp *w, struct leading *s, const struct rp_pattern *before,
                       uint64_t base, uint32_t at)
{
    const uint64_t residual = base - leader_predict(&s->stream);
    if ((residual || before != s->pattern) &&
        !add_exception(d, w->exception_count++,
                       &(struct exception){residual, before != s->pattern ? s->pattern : NULL, at}))
        return false;
    leader_update(&s->stream, base);
    return true;
}

/* The first values of all ranks: origins of first accesses. */
static bool decode_origins(struct decoder *d, const struct path *p, struct leading *state)
{
    for (uint32_t r = 0; r < p->rank_count; r++) {
        struct extrapolation *e = &d->slot_first[p->slot[r]];
        uint64_t residual;
        if (!decode_signed(d, CHUNK_FIRST, &residual))
            return false;
        const uint64_t origin = extrapolate(e) + residual;
        extrapolation_update(e, origin);
        state[r].predicted = (struct origin_state){{.last = origin}, e->stride};
    }
    return true;
}

/* The gap before the next exception, of `left`; UINT64_MAX: there is none. */
static bool next_gap(struct decoder *d, uint32_t left, uint64_t *gap)
{
    *gap = UINT64_MAX;
    return !left || decode_next(d, CHUNK_EXCEPTION_GAP, gap);
}

static bool decode_leader_accesses(struct decoder *d, struct chunk_warp *w, struct leading *state, uint64_t *first)
{
    const struct path *p = &w->path->path;
    const rp_lanemask *lanes = d->path_lanes[w->path - d->chunk->paths];
    uint64_t gap;
    uint32_t left;
    if (!decode_below(d, CHUNK_EXCEPTIONS, p->access_count + 1, &left) || !next_gap(d, left, &gap))
        return false;
    for (uint32_t i = 0; i < p->access_count; i++) {
        const uint32_t r = p->rank[i];
        struct leading *s = &state[r];
        const struct rp_pattern *before = s->pattern;
        uint64_t base = leader_predict(&s->predicted.origin) + s->predicted.stride * (unsigned)__builtin_ctz(lanes[i]);
        if ((!before || before->mask != lanes[i]) && !(s->pattern = even_pattern(d, lanes[i], s->predicted.stride)))
            return decode_no_memory(d);
        if (gap) {
            gap -= left > 0;
            leader_update(&s->predicted.origin, leader_predict(&s->predicted.origin));
        } else if (!decode_unforeseen(d, s, lanes[i], &base) || !next_gap(d, --left, &gap)) {
            return false;
        }
        if (i == p->first_at[r]) {
            first[r] = base;
            w->first_pattern[r] = before = s->pattern;
            s->stream.last = base;
        }
        if (!add_access(d, w, s, before, base, i))
            return false;
    }
    return !left || decode_bad(d, CHUNK_EXCEPTION_GAP, "lies behind the last access");
}

bool decode_scattered_leader(struct decoder *d, struct chunk_warp *w)
{
    const struct path *p = &w->path->path;
    struct leading *state = pool_alloc(&d->work, p->rank_count, sizeof *state);
    uint64_t *first = pool_alloc(&d->chunk->pool, p->rank_count, sizeof *first);
    w->first = first;
    w->first_pattern = pool_alloc(&d->chunk->pool, p->rank_count, sizeof *w->first_pattern);
    if (!state || !first || !w->first_pattern)
        return decode_no_memory(d);
    if (!decode_origins(d, p, state) || !decode_leader_accesses(d, w, state, first))
        return false;
    for (uint32_t r = 0; r < p->rank_count; r++)
        d->slot_first[p->slot[r]].stride = state[r].predicted.stride;
    w->exceptions = pool_copy(&d->chunk->pool, d->exceptions, w->exception_count, sizeof *w->exceptions);
    return w->exceptions || decode_no_memory(d);
}

/* ---- followers -----------------------------------------------------------------------------------------------------
 */

bool decode_scattered_exceptions(struct decoder *d, struct chunk_warp *w)
{
    const uint64_t accesses = w->path->path.access_count;
    const rp_lanemask *lanes = d->path_lanes[w->path - d->chunk->paths];
    uint64_t at = 0, gap, stride;
    uint32_t count, code;
    if (!decode_below(d, CHUNK_EXCEPTIONS, accesses + 1, &count))
        return false;
    struct exception *list = pool_alloc(&d->chunk->pool, count, sizeof *list);
    if (!list)
        return decode_no_memory(d);
    for (uint32_t i = 0; i < count; i++, at++) {
        if (!decode_next(d, CHUNK_EXCEPTION_GAP, &gap) ||
            !decode_below(d, CHUNK_EXCEPTION_PATTERN, PATTERN_ABOUT_BASE + 1, &code) ||
            !decode_signed(d, CHUNK_EXCEPTION_BASE, &list[i].base))
            return false;
        if (code == PATTERN_ABOUT_ORIGIN)
            return decode_bad(d, CHUNK_EXCEPTION_PATTERN, "a value is out of range");
        if (at >= accesses || gap >= accesses - at)
            return decode_bad(d, CHUNK_EXCEPTION_GAP, "lies behind the last access");
        at += gap;
        list[i].at = (uint32_t)at;
        if (code != PATTERN_PREDICTED && !decode_shape(d, lanes[at], code == PATTERN_EVEN, &stride, &list[i].pattern))
            return false;
    }
    w->exceptions = list;
    w->exception_count = count;
    w->same &= !count;
    return true;
}
