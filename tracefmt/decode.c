/* From message Chunk to a decoded chunk. docs/trace-format.md describes the coding. */
#include "tracefmt/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/decoder.h"

/* A cursor's buffer holds about this many accesses: small enough that the buffers of many warps fit in the first-level
 * cache. */
#define SEGMENT_ACCESSES 128

static const char *const column_names[CHUNK_FIELDS] = {[CHUNK_BLOCK] = "block",
                                                       [CHUNK_BLOCK_PIECE] = "block_piece",
                                                       [CHUNK_BLOCK_END] = "block_end",
                                                       [CHUNK_WARP_PATH] = "warp_path",
                                                       [CHUNK_PATH_RUNS] = "path_runs",
                                                       [CHUNK_RUN_START] = "run_start",
                                                       [CHUNK_RUN_LENGTH] = "run_length",
                                                       [CHUNK_RUN_MASK] = "run_mask",
                                                       [CHUNK_GUARD] = "guard",
                                                       [CHUNK_PATTERN_MASK] = "pattern_mask",
                                                       [CHUNK_PATTERN_KIND] = "pattern_kind",
                                                       [CHUNK_PATTERN_STRIDE] = "pattern_stride",
                                                       [CHUNK_PATTERN_OFFSET] = "pattern_offset",
                                                       [CHUNK_FIRST] = "first",
                                                       [CHUNK_FIRST_PATTERN] = "first_pattern",
                                                       [CHUNK_EXCEPTIONS] = "exceptions",
                                                       [CHUNK_EXCEPTION_GAP] = "exception_gap",
                                                       [CHUNK_EXCEPTION_BASE] = "exception_base",
                                                       [CHUNK_EXCEPTION_PATTERN] = "exception_pattern",
                                                       [CHUNK_AUX] = "aux",
                                                       [CHUNK_SCATTERED] = "scattered"};

bool decode_bad(struct decoder *d, enum chunk_field f, const char *what)
{
    rp_fail(d->err, RP_BAD_INPUT, "column %s: %s", column_names[f], what);
    return false; /* explicit, so that compilers see that no uninitialised value is used */
}

bool decode_no_memory(struct decoder *d)
{
    if (d->chunk->pool.over || d->work.over)
        return rp_fail(d->err, RP_BAD_INPUT, "with it the trace would take more memory than a file of its size may");
    return rp_fail(d->err, RP_SYSTEM, "out of memory while decoding a chunk of the trace");
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool take_field(struct decoder *d, const struct wire_field *f)
{
    if (f->number >= CHUNK_FIELDS)
        return true; /* from a later version of the format */
    enum wire_type type = f->number < CHUNK_FIRST_COLUMN ? WIRE_VARINT : WIRE_BYTES;
    if (f->type != type || d->seen[f->number])
        return rp_fail(d->err, RP_BAD_INPUT, "field %" PRIu32 " has the wrong type or comes twice", f->number);
    d->seen[f->number] = true;
    if (type == WIRE_VARINT)
        d->scalar[f->number] = f->value;
    else
        d->column[f->number] = f->body;
    return true;
}

static bool take_fields(struct decoder *d, struct span content)
{
    struct wire_field f;
    if (!span_field(&content, &f) || f.number != TRACE_FIELD_CHUNK || f.type != WIRE_BYTES || content.at != content.end)
        return rp_fail(d->err, RP_BAD_INPUT, "it does not hold one chunk");
    for (struct span body = f.body; body.at < body.end;)
        if (!span_field(&body, &f) || !take_field(d, &f))
            return rp_fail(d->err, RP_BAD_INPUT, "a field of the chunk is damaged");
    return true;
}

static bool prepare(struct decoder *d, const struct decode_context *context)
{
    if (d->scalar[CHUNK_LAUNCH] >= context->launch_count)
        return rp_fail(d->err, RP_BAD_INPUT, "it belongs to launch %" PRIu64 ", which is not in the trace",
                       d->scalar[CHUNK_LAUNCH]);
    struct chunk *c = d->chunk;
    c->launch = (uint32_t)d->scalar[CHUNK_LAUNCH];
    c->warp_instructions = d->scalar[CHUNK_WARP_INSTRUCTIONS];
    c->thread_instructions = d->scalar[CHUNK_THREAD_INSTRUCTIONS];
    d->launch = context->launches[c->launch];
    d->map = context->maps[d->launch->kernel];
    c->warps_per_block = rp_launch_warps(d->launch);
    size_t slots = d->map->slot_count;
    d->scratch = pool_alloc(&d->work, RANK_SCRATCH(slots), sizeof *d->scratch);
    d->slot_first = pool_alloc(&d->work, slots, sizeof *d->slot_first);
    d->previous_guard = pool_alloc(&d->work, d->map->kernel->instruction_count, sizeof *d->previous_guard);
    d->guard_path = pool_alloc(&d->work, d->map->kernel->instruction_count, sizeof *d->guard_path);
    if (!d->scratch || !d->slot_first || !d->previous_guard || !d->guard_path)
        return decode_no_memory(d);
    memset(d->scratch, 0xff, RANK_SCRATCH(slots) * sizeof *d->scratch);
    return true;
}

static bool decode_coding(struct decoder *d)
{
    const struct span *column = &d->column[CHUNK_SCATTERED];
    if (column->at == column->end)
        return true;
    if (!decode_below(d, CHUNK_SCATTERED, SCATTERED_LANES + 1, &d->coding))
        return false;
    return d->coding || decode_bad(d, CHUNK_SCATTERED, "a value is out of range");
}

/* ---- blocks and warps -------------------------------------------------------------------------------------------- */

static bool decode_blocks(struct decoder *d)
{
    struct chunk *c = d->chunk;
    uint64_t blocks = rp_launch_blocks(d->launch), index = 0, delta;
    size_t count = span_count(d->column[CHUNK_BLOCK]), warps = span_count(d->column[CHUNK_WARP_PATH]);
    if (!count || count > UINT32_MAX / LAUNCH_WARPS_LIMIT || count * c->warps_per_block != warps)
        return decode_bad(d, CHUNK_WARP_PATH, "does not hold one value for each warp of each block");
    c->block_count = (uint32_t)count;
    d->warp_count = (uint32_t)warps;
    c->blocks = pool_alloc(&c->pool, count, sizeof *c->blocks);
    c->warps = pool_alloc(&c->pool, warps, sizeof *c->warps);
    if (!c->blocks || !c->warps)
        return decode_no_memory(d);
    for (uint32_t i = 0; i < c->block_count; i++) {
        struct chunk_block *b = &c->blocks[i];
        uint32_t end;
        if (!decode_next(d, CHUNK_BLOCK, &delta))
            return false;
        if ((i && !delta) || delta >= blocks - index)
            return decode_bad(d, CHUNK_BLOCK, "blocks do not ascend within the grid");
        b->index = index += delta;
        b->warps = c->warps + (size_t)i * c->warps_per_block;
        if (!decode_below(d, CHUNK_BLOCK_PIECE, UINT32_MAX, &b->piece) || !decode_below(d, CHUNK_BLOCK_END, 2, &end))
            return false;
        b->end = end;
    }
    return true;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* From the differences between neighbouring lanes, less stride × their distance. */
static bool decode_offsets(struct decoder *d, struct wide_pattern *p, uint64_t stride)
{
    uint64_t delta, offset = 0 - stride * (uint64_t)__builtin_ctz(p->mask);
    for (rp_lanemask rest = p->mask & (p->mask - 1); rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (!decode_signed(d, CHUNK_PATTERN_OFFSET, &delta))
            return false;
        offset += delta;
        p->offset[lane] = (int64_t)(offset + stride * lane);
    }
    return true;
}

static bool decode_pattern(struct decoder *d, struct rp_pattern *out)
{
    struct wide_pattern wide = {0}, *p = &wide;
    uint64_t stride;
    uint32_t kind;
    if (!decode_below(d, CHUNK_PATTERN_MASK, (uint64_t)UINT32_MAX + 1, &p->mask) ||
        !decode_below(d, CHUNK_PATTERN_KIND, (d->coding ? PATTERN_ABOUT_STRIDE : RP_PATTERN_AFFINE) + 1, &kind) ||
        !decode_signed(d, CHUNK_PATTERN_STRIDE, &stride))
        return false;
    if (!p->mask)
        return decode_bad(d, CHUNK_PATTERN_MASK, "an empty mask");
    if (kind < RP_PATTERN_AFFINE && stride)
        return decode_bad(d, CHUNK_PATTERN_STRIDE, "a stride where none belongs");
    p->kind = kind == PATTERN_ABOUT_STRIDE ? RP_PATTERN_GENERAL : (uint8_t)kind;
    p->stride = kind == RP_PATTERN_AFFINE ? (int64_t)stride : 0;
    if (p->kind == RP_PATTERN_GENERAL && !decode_offsets(d, p, stride))
        return false;
    pattern_expand(p);
    return pattern_narrow(out, p, &d->chunk->pool) || decode_no_memory(d);
}

static bool decode_patterns(struct decoder *d)
{
    struct chunk *c = d->chunk;
    size_t count = span_count(d->column[CHUNK_PATTERN_MASK]);
    if (count >= UINT32_MAX || !(c->patterns = pool_alloc(&c->pool, count, sizeof *c->patterns)))
        return decode_no_memory(d);
    c->pattern_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        if (!decode_pattern(d, &c->patterns[i]))
            return false;
    return true;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool decode_runs(struct decoder *d, struct rp_run *runs, size_t count)
{
    uint32_t expected = 0, instructions = d->map->kernel->instruction_count;
    rp_lanemask mask = RUN_MASK_START;
    whereabouts_begin(&d->whereabouts);
    for (size_t i = 0; i < count; i++) {
        uint64_t delta, code;
        if (!decode_signed(d, CHUNK_RUN_START, &delta) ||
            !decode_below(d, CHUNK_RUN_LENGTH, (uint64_t)instructions + 1, &runs[i].length) ||
            !decode_next(d, CHUNK_RUN_MASK, &code))
            return false;
        if (delta + expected >= instructions)
            return decode_bad(d, CHUNK_RUN_START, "a value is out of range");
        runs[i].start = (uint32_t)(delta + expected);
        if (d->coding == SCATTERED_LANES ? !whereabouts_decode(&d->whereabouts, &runs[i], code) : code > UINT32_MAX)
            return decode_bad(d, CHUNK_RUN_MASK, "a value is out of range");
        if (d->coding != SCATTERED_LANES)
            runs[i].active = mask ^= (rp_lanemask)code;
        expected = runs[i].start + runs[i].length;
    }
    return true;
}

/* Guards of path `number` into *guards, at most `room` of them. */
static bool decode_guards(struct decoder *d, uint32_t number, rp_lanemask *guards, size_t room)
{
    struct path *p = &d->chunk->paths[number].path;
    uint32_t count = d->map->kernel->instruction_count;
    for (size_t i = 0; i < p->run_count; i++) {
        const struct rp_run *r = &p->runs[i];
        uint32_t end = r->length > count - r->start ? count : r->start + r->length;
        for (uint32_t at = d->map->next_guarded[r->start]; at < end; at = d->map->next_guarded[at + 1]) {
            uint64_t code;
            if (p->guard_count == room || !decode_next(d, CHUNK_GUARD, &code))
                return decode_bad(d, CHUNK_GUARD, "ends too early");
            if (code > GUARD_EXPLICIT + (uint64_t)UINT32_MAX)
                return decode_bad(d, CHUNK_GUARD, "a value is out of range");
            rp_lanemask previous = d->guard_path[at] == number + 1 ? d->previous_guard[at] : 0;
            rp_lanemask executed = code == GUARD_ALL              ? r->active
                                   : code == GUARD_NONE           ? 0
                                   : code == GUARD_PREVIOUS       ? previous
                                   : d->coding == SCATTERED_LANES ? lanes_unpack(code - GUARD_EXPLICIT, r->active)
                                                                  : (rp_lanemask)(code - GUARD_EXPLICIT);
            d->guard_path[at] = number + 1;
            d->previous_guard[at] = guards[p->guard_count++] = executed;
        }
    }
    return true;
}

/* Cuts the path into segments of about SEGMENT_ACCESSES accesses. */
static bool cut_segments(struct decoder *d, struct chunk_path *cp)
{
    const struct path *p = &cp->path;
    const rp_lanemask *guard = p->guards;
    size_t most = p->access_count / SEGMENT_ACCESSES + 1;
    cp->segments = pool_alloc(&d->chunk->pool, most, sizeof *cp->segments);
    if (!cp->segments)
        return decode_no_memory(d);
    uint32_t accesses = 0, begun = 0;
    for (size_t i = 0; i < p->run_count; i++) {
        uint32_t end = p->runs[i].start + p->runs[i].length;
        const struct notable *n = &d->map->notable[p->runs[i].start];
        for (; n->at < end; n = &d->map->notable[n->at + 1])
            if (!n->guarded || *guard++)
                accesses += n->memory;
        if (accesses - begun < SEGMENT_ACCESSES && i + 1 < p->run_count)
            continue;
        cp->segments[cp->segment_count++] = (struct segment){(uint32_t)i + 1, accesses};
        if (accesses - begun > cp->segment_accesses)
            cp->segment_accesses = accesses - begun;
        begun = accesses;
    }
    return true;
}

static bool finish_path(struct decoder *d, struct chunk_path *cp)
{
    rp_lanemask *lanes = NULL;
    if (!path_measure(&cp->path, d->map, d->err))
        return false;
    if (d->coding == SCATTERED_LANES) {
        lanes = pool_alloc(&d->work, cp->path.access_count + RANK_ROOM, sizeof *lanes);
        d->path_lanes[cp - d->chunk->paths] = lanes;
        if (!lanes)
            return decode_no_memory(d);
    }
    if (!path_rank(&cp->path, d->map, &d->chunk->pool, d->scratch, lanes))
        return decode_no_memory(d);
    return cut_segments(d, cp);
}

static bool decode_paths(struct decoder *d)
{
    struct chunk *c = d->chunk;
    size_t count = span_count(d->column[CHUNK_PATH_RUNS]), runs = span_count(d->column[CHUNK_RUN_LENGTH]);
    size_t guards = span_count(d->column[CHUNK_GUARD]);
    struct rp_run *run = pool_alloc(&c->pool, runs, sizeof *run);
    rp_lanemask *guard = pool_alloc(&c->pool, guards, sizeof *guard);
    c->paths = pool_alloc(&c->pool, count, sizeof *c->paths);
    d->path_first = pool_alloc(&d->work, count, sizeof *d->path_first);
    d->path_lanes = pool_alloc(&d->work, count, sizeof *d->path_lanes);
    if (!run || !guard || !c->paths || !d->path_first || !d->path_lanes)
        return decode_no_memory(d);
    c->path_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct path *p = &c->paths[i].path;
        uint64_t here;
        if (!decode_next(d, CHUNK_PATH_RUNS, &here))
            return false;
        if (here > runs || here >= UINT32_MAX)
            return decode_bad(d, CHUNK_PATH_RUNS, "more runs than there are");
        p->runs = run;
        p->run_count = here;
        p->guards = guard;
        if (!decode_runs(d, run, here) || !decode_guards(d, (uint32_t)i, guard, guards) ||
            !finish_path(d, &c->paths[i]))
            return rp_fail(d->err, RP_BAD_INPUT, "path %zu: %s", i, d->err ? d->err->text : "");
        run += here;
        runs -= here;
        guard += p->guard_count;
        guards -= p->guard_count;
    }
    return true;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool next_pattern(struct decoder *d, enum chunk_field f, const struct rp_pattern **pattern)
{
    const struct rp_pattern *patterns = d->chunk->patterns;
    const uint32_t count = d->chunk->pattern_count, first = d->coding ? NAMED_FIRST : 1;
    uint32_t name;
    if (!decode_below(d, f, (uint64_t)count + first, &name))
        return false;
    if (d->coding && name == NAMED_NEXT) {
        *pattern = &patterns[d->named];
        return d->named++ < count || decode_bad(d, f, "names more patterns than there are");
    }
    *pattern = name ? &patterns[name - first] : NULL;
    return true;
}

static bool decode_leader_firsts(struct decoder *d, struct chunk_warp *w)
{
    const struct path *p = &w->path->path;
    uint64_t *first = pool_alloc(&d->chunk->pool, p->rank_count, sizeof *first);
    w->first = first;
    w->first_pattern = pool_alloc(&d->chunk->pool, p->rank_count, sizeof *w->first_pattern);
    if (!first || !w->first_pattern)
        return decode_no_memory(d);
    for (uint32_t r = 0; r < p->rank_count; r++) {
        struct extrapolation *e = &d->slot_first[p->slot[r]];
        const struct rp_pattern *pattern;
        uint64_t residual;
        if (!decode_signed(d, CHUNK_FIRST, &residual) || !next_pattern(d, CHUNK_FIRST_PATTERN, &pattern))
            return false;
        if (!pattern && !e->seen)
            return decode_bad(d, CHUNK_FIRST_PATTERN, "refers to a pattern before there is one");
        first[r] = extrapolate(e) + residual;
        w->first_pattern[r] = pattern ? pattern : &d->chunk->patterns[e->pattern];
        e->pattern = (uint32_t)(w->first_pattern[r] - d->chunk->patterns);
        extrapolation_update(e, first[r]);
    }
    return true;
}

static bool decode_follower_firsts(struct decoder *d, struct chunk_warp *w)
{
    const struct path *p = &w->path->path;
    struct extrapolation *e = d->path_first[w->path - d->chunk->paths];
    uint64_t *first = pool_alloc(&d->chunk->pool, p->rank_count, sizeof *first);
    if (!first)
        return decode_no_memory(d);
    w->first = first;
    w->same = true;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        uint64_t residual;
        if (!decode_signed(d, CHUNK_FIRST, &residual))
            return false;
        first[r] = extrapolate(&e[r]) + residual;
        extrapolation_update(&e[r], first[r]);
        w->same &= !first[r];
    }
    return true;
}

static bool decode_exceptions(struct decoder *d, struct chunk_warp *w)
{
    uint64_t accesses = w->path->path.access_count, at = 0, gap;
    uint32_t count;
    if (!decode_below(d, CHUNK_EXCEPTIONS, accesses + 1, &count))
        return false;
    struct exception *list = pool_alloc(&d->chunk->pool, count, sizeof *list);
    if (!list)
        return decode_no_memory(d);
    for (uint32_t i = 0; i < count; i++) {
        if (!decode_next(d, CHUNK_EXCEPTION_GAP, &gap) || !decode_signed(d, CHUNK_EXCEPTION_BASE, &list[i].base) ||
            !next_pattern(d, CHUNK_EXCEPTION_PATTERN, &list[i].pattern))
            return false;
        if (at >= accesses || gap >= accesses - at)
            return decode_bad(d, CHUNK_EXCEPTION_GAP, "lies behind the last access");
        list[i].at = (uint32_t)(at + gap);
        at += gap + 1;
    }
    w->exceptions = list;
    w->exception_count = count;
    w->same &= !count;
    return true;
}

static bool decode_aux(struct decoder *d, struct chunk_warp *w)
{
    uint64_t count = w->path->path.aux_count;
    const uint64_t *leader = d->chunk->warps[w->path->leader].aux;
    uint64_t *aux = pool_alloc(&d->chunk->pool, count, sizeof *aux);
    if (!aux)
        return decode_no_memory(d);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t residual;
        if (!decode_signed(d, CHUNK_AUX, &residual))
            return false;
        aux[i] = residual + (w->follows ? leader[i] : i ? aux[i - 1] : 0);
    }
    w->aux = aux;
    return true;
}

static bool decode_warp(struct decoder *d, uint32_t number)
{
    struct chunk *c = d->chunk;
    struct chunk_warp *w = &c->warps[number];
    uint32_t path;
    if (!decode_below(d, CHUNK_WARP_PATH, c->path_count, &path))
        return false;
    w->path = &c->paths[path];
    w->follows = w->path->users++;
    if (!w->follows) {
        w->path->leader = number;
    } else if (!d->path_first[path]) {
        d->path_first[path] = pool_alloc(&d->work, w->path->path.rank_count, sizeof **d->path_first);
        if (!d->path_first[path])
            return decode_no_memory(d);
    }
    if (d->coding == SCATTERED_LANES && !w->follows)
        return decode_scattered_leader(d, w) && decode_aux(d, w);
    return (w->follows ? decode_follower_firsts(d, w) : decode_leader_firsts(d, w)) &&
           (d->coding == SCATTERED_LANES ? decode_scattered_exceptions(d, w) : decode_exceptions(d, w)) &&
           decode_aux(d, w);
}

/* Stores the accesses of a leader that has followers as an array. */
static bool lay_out(struct decoder *d, struct chunk_path *cp)
{
    uint32_t count = (uint32_t)cp->path.access_count;
    struct rp_dynamic_access *leading = pool_alloc(&d->chunk->pool, count, sizeof *leading);
    struct stream s = {0};
    if (!leading || !stream_begin(&s, &d->chunk->warps[cp->leader]))
        return decode_no_memory(d);
    stream_fill(&s, leading, count);
    stream_free(&s);
    cp->leading = leading;
    return true;
}

static bool decode_warps(struct decoder *d)
{
    struct chunk *c = d->chunk;
    for (uint32_t w = 0; w < d->warp_count; w++)
        if (!decode_warp(d, w))
            return rp_fail(d->err, d->err ? d->err->status : RP_BAD_INPUT, "block %" PRIu64 ", warp %" PRIu32 ": %s",
                           c->blocks[w / c->warps_per_block].index, w % c->warps_per_block, d->err ? d->err->text : "");
    for (uint32_t p = 0; p < c->path_count; p++) {
        if (!c->paths[p].users)
            return decode_bad(d, CHUNK_PATH_RUNS, "a path that no warp takes");
        if (c->paths[p].users > 1 && !lay_out(d, &c->paths[p]))
            return false;
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool check_sums(struct decoder *d)
{
    struct chunk *c = d->chunk;
    uint64_t warp_instructions = 0, thread_instructions = 0;
    for (uint32_t p = 0; p < c->path_count; p++) {
        warp_instructions += c->paths[p].users * c->paths[p].path.warp_instructions;
        thread_instructions += c->paths[p].users * c->paths[p].path.thread_instructions;
    }
    if (warp_instructions != c->warp_instructions || thread_instructions != c->thread_instructions)
        return rp_fail(d->err, RP_BAD_INPUT,
                       "it says that it holds %" PRIu64 " warp and %" PRIu64 " thread instructions, but holds %" PRIu64
                       " and %" PRIu64,
                       c->warp_instructions, c->thread_instructions, warp_instructions, thread_instructions);
    for (int f = CHUNK_FIRST_COLUMN; f < CHUNK_FIELDS; f++)
        if (d->column[f].at != d->column[f].end)
            return decode_bad(d, (enum chunk_field)f, "has more values than the rest of the chunk asks for");
    return true;
}

struct chunk *chunk_decode(const uint8_t *content, size_t size, const struct decode_context *context, bool *over,
                           struct rp_error *err)
{
    *over = false;
    struct chunk *c = calloc(1, sizeof *c);
    if (!c) {
        rp_fail(err, RP_SYSTEM, "out of memory while decoding a chunk of the trace");
        return NULL;
    }
    c->pool.limit = CHUNK_MEMORY_LIMIT;
    c->pool.budget = context->budget;
    struct decoder d = {.chunk = c, .err = err, .work = {.limit = CHUNK_MEMORY_LIMIT, .budget = context->budget}};
    bool ok = take_fields(&d, (struct span){content, content + size}) && prepare(&d, context) && decode_coding(&d) &&
              decode_scattered_prepare(&d) && decode_blocks(&d) && decode_patterns(&d) && decode_paths(&d) &&
              decode_warps(&d) && check_sums(&d);
    *over = !ok && (d.work.over || c->pool.over);
    pool_free(&d.work);
    if (!ok) {
        chunk_free(c);
        return NULL;
    }
    return c;
}

void chunk_free(struct chunk *c)
{
    if (!c)
        return;
    pool_free(&c->pool);
    free(c);
}

const struct chunk_block *chunk_find_block(const struct chunk *c, uint64_t block)
{
    size_t low = 0, high = c->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->blocks[middle].index < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->block_count && c->blocks[low].index == block ? &c->blocks[low] : NULL;
}
