/* From logs to the columns of message Chunk. docs/trace-format.md describes the coding. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/decode.h"
#include "tracefmt/encoder.h"
#include "tracefmt/hash.h"

bool block_is_silent(const struct open_block *b)
{
    if (b->piece == 0 || b->ended)
        return false;
    for (uint32_t w = 0; w < b->warps; w++)
        if (b->logs[w].run_count)
            return false;
    return true;
}

static bool no_memory(struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool same_bytes(const void *a, const void *b, size_t size) { return !size || !memcmp(a, b, size); }

static bool path_equals(const struct known_path *k, uint64_t hash, const struct rp_warp_log *log)
{
    return k->hash == hash && k->path.run_count == log->run_count && k->path.guard_count == log->guard_count &&
           same_bytes(k->path.runs, log->runs, log->run_count * sizeof *log->runs) &&
           same_bytes(k->path.guards, log->guards, log->guard_count * sizeof *log->guards);
}

/* The code of a guard mask. before: that of the instruction's last execution in the path. */
static inline uint64_t guard_code(bool scattered, rp_lanemask executed, rp_lanemask active, rp_lanemask before)
{
    const bool some = executed && executed != active; /* whether all do or none is hard to predict: no branch */
    if (some && executed != before)
        return GUARD_EXPLICIT + (uint64_t)(scattered ? lanes_pack(executed, active) : executed);
    return some ? GUARD_PREVIOUS : executed ? GUARD_ALL : GUARD_NONE;
}

static void emit_guards(struct encoder *e, const struct path *p)
{
    struct buffer *column = &e->column[CHUNK_GUARD];
    const struct kernel_map *m = e->chunk->map;
    const rp_lanemask *guard = p->guards;
    rp_lanemask *previous = e->chunk->previous_guard;
    if (!buffer_reserve(column, p->guard_count * VARINT_BYTES))
        return;
    uint8_t *code = column->data + column->size;
    memset(previous, 0, m->kernel->instruction_count * sizeof *previous);
    for (size_t i = 0; i < p->run_count; i++) {
        uint32_t end = p->runs[i].start + p->runs[i].length;
        for (uint32_t at = m->next_guarded[p->runs[i].start]; at < end; at = m->next_guarded[at + 1]) {
            code = varint_put(code, guard_code(e->chunk->scattered, *guard, p->runs[i].active, previous[at]));
            previous[at] = *guard++;
        }
    }
    column->size = (size_t)(code - column->data);
}

static uint8_t *put_masks(const struct path *p, uint8_t *at)
{
    rp_lanemask mask = RUN_MASK_START;
    for (size_t i = 0; i < p->run_count; i++) {
        at = varint_put(at, p->runs[i].active ^ mask);
        mask = p->runs[i].active;
    }
    return at;
}

static void emit_runs(struct encoder *e, const struct path *p)
{
    struct buffer *starts = &e->column[CHUNK_RUN_START], *lengths = &e->column[CHUNK_RUN_LENGTH];
    struct buffer *masks = &e->column[CHUNK_RUN_MASK];
    const size_t most = p->run_count * VARINT_BYTES;
    uint32_t expected = 0;
    if (!buffer_reserve(starts, most) || !buffer_reserve(lengths, most) || !buffer_reserve(masks, most))
        return;
    uint8_t *start = starts->data + starts->size, *length = lengths->data + lengths->size;
    uint8_t *code = masks->data + masks->size;
    for (size_t i = 0; i < p->run_count; i++) {
        const struct rp_run *r = &p->runs[i];
        start = varint_put_pair(start, zigzag_encode((uint64_t)r->start - expected));
        length = varint_put(length, r->length);
        expected = r->start + r->length;
    }
    code =
        e->chunk->scattered ? whereabouts_put(&e->chunk->whereabouts, p->runs, p->run_count, code) : put_masks(p, code);
    starts->size = (size_t)(start - starts->data);
    lengths->size = (size_t)(length - lengths->data);
    masks->size = (size_t)(code - masks->data);
}

static void emit_path(struct encoder *e, const struct path *p)
{
    buffer_varint(&e->column[CHUNK_PATH_RUNS], p->run_count);
    whereabouts_begin(&e->chunk->whereabouts);
    emit_runs(e, p);
    if (p->guard_count)
        emit_guards(e, p);
}

static struct known_path *add_path(struct encoder *e, uint64_t hash, const struct rp_warp_log *log)
{
    struct known_path *k = &e->paths[e->path_count];
    *k = (struct known_path){.leader = log, .hash = hash};
    k->path = (struct path){
        .runs = log->runs, .run_count = log->run_count, .guards = log->guards, .guard_count = log->guard_count};
    const size_t lanes = e->chunk->scattered ? log->access_count + RANK_ROOM : 0;
    if (!(k->lanes = pool_alloc(&e->work, lanes, sizeof *k->lanes))) {
        no_memory(e->err);
        return NULL;
    }
    if (!path_measure_and_rank(&k->path, e->chunk->map, &e->work, log->access_count, e->chunk->scratch,
                               lanes ? k->lanes : NULL, e->err))
        return NULL;
    if (!(k->first = pool_alloc(&e->work, k->path.rank_count, sizeof *k->first))) {
        no_memory(e->err);
        return NULL;
    }
    e->path_count++;
    e->chunk->decoded_bytes += sizeof(struct chunk_path) + log->run_count * sizeof *log->runs +
                               log->guard_count * sizeof *log->guards + k->path.access_count * sizeof *k->path.rank +
                               k->path.rank_count * 2 * sizeof *k->path.slot;
    emit_path(e, &k->path);
    return k;
}

/* Paths of scattered chunks are long, and mostly differ in the last runs, too. */
#define SAMPLE_RUNS 16

static struct known_path *find_path(struct encoder *e, const struct rp_warp_log *log)
{
    const size_t runs = e->chunk->scattered && log->run_count > SAMPLE_RUNS ? SAMPLE_RUNS : log->run_count;
    uint64_t hash = hash_bytes(log->run_count, log->runs + (log->run_count - runs), runs * sizeof *log->runs);
    if (runs == log->run_count)
        hash = hash_bytes(hash, log->guards, log->guard_count * sizeof *log->guards);
    size_t at = hash & (e->table_size - 1);
    for (; e->table[at]; at = (at + 1) & (e->table_size - 1))
        if (path_equals(&e->paths[e->table[at] - 1], hash, log))
            return &e->paths[e->table[at] - 1];
    e->table[at] = e->path_count + 1;
    return add_path(e, hash, log);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static void emit_offsets(struct buffer *column, const struct wide_pattern *p)
{
    uint64_t last = 0;
    for (rp_lanemask rest = p->mask & (p->mask - 1); rest; rest &= rest - 1) {
        const uint64_t offset = (uint64_t)p->offset[__builtin_ctz(rest)];
        buffer_zigzag(column, offset - last);
        last = offset;
    }
}

static void emit_pattern(struct encoder *e, const struct wide_pattern *p)
{
    buffer_varint(&e->column[CHUNK_PATTERN_MASK], p->mask);
    buffer_varint(&e->column[CHUNK_PATTERN_KIND], p->kind);
    buffer_zigzag(&e->column[CHUNK_PATTERN_STRIDE], (uint64_t)p->stride);
    if (p->kind == RP_PATTERN_GENERAL)
        emit_offsets(&e->column[CHUNK_PATTERN_OFFSET], p);
}

/* The pattern's number in the file + 1. Numbers follow the first use when warps are taken in order, so they do not
 * depend on the order in which warps ran. */
static uint64_t pattern_number(struct encoder *e, uint32_t pattern)
{
    if (!e->pattern_id[pattern]) {
        const struct wide_pattern *p = &e->chunk->patterns[pattern];
        e->pattern_id[pattern] = ++e->patterns_used;
        e->chunk->decoded_bytes += pattern_decoded_bytes(p);
        emit_pattern(e, p);
    }
    return e->pattern_id[pattern];
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static void emit_exception(struct encoder *e, uint64_t gap, uint64_t residual, uint32_t pattern, bool predicted)
{
    e->chunk->decoded_bytes += sizeof(struct exception);
    buffer_varint(&e->column[CHUNK_EXCEPTION_GAP], gap);
    buffer_zigzag(&e->column[CHUNK_EXCEPTION_BASE], residual);
    buffer_varint(&e->column[CHUNK_EXCEPTION_PATTERN], predicted ? 0 : pattern_number(e, pattern));
}

static void encode_leader(struct encoder *e, const struct known_path *k, const struct rp_warp_log *log)
{
    struct leader_state *state = e->chunk->leader_state;
    const struct path *p = &k->path;
    uint32_t *last = e->chunk->scratch; /* per rank: the last pattern; restored before returning */
    for (uint32_t r = 0; r < p->rank_count; r++) {
        const struct rp_access *a = &log->accesses[p->first_at[r]];
        struct extrapolation *first = &e->chunk->slot_first[p->slot[r]];
        buffer_zigzag(&e->column[CHUNK_FIRST], a->base - extrapolate(first));
        buffer_varint(&e->column[CHUNK_FIRST_PATTERN],
                      first->seen && first->pattern == a->pattern ? 0 : pattern_number(e, a->pattern));
        extrapolation_update(first, a->base);
        first->pattern = a->pattern;
        state[r] = (struct leader_state){.last = a->base};
        last[r] = a->pattern;
    }
    uint64_t exceptions = 0, gap = 0;
    for (size_t i = 0; i < log->access_count; i++) {
        const struct rp_access *a = &log->accesses[i];
        uint32_t r = p->rank[i];
        uint64_t residual = a->base - leader_predict(&state[r]);
        bool predicted = a->pattern == last[r];
        if (residual || !predicted) {
            emit_exception(e, gap, residual, a->pattern, predicted);
            exceptions++;
            gap = 0;
        } else {
            gap++;
        }
        leader_update(&state[r], a->base);
        last[r] = a->pattern;
    }
    buffer_varint(&e->column[CHUNK_EXCEPTIONS], exceptions);
    for (uint32_t r = 0; r < p->rank_count; r++)
        last[r] = UINT32_MAX;
}

static void encode_follower(struct encoder *e, struct known_path *k, const struct rp_warp_log *log)
{
    struct follower_state *state = e->chunk->follower_state;
    const struct path *p = &k->path;
    const struct rp_access *leader = k->leader->accesses;
    for (uint32_t r = 0; r < p->rank_count; r++) {
        uint64_t difference = log->accesses[p->first_at[r]].base - leader[p->first_at[r]].base;
        buffer_zigzag(&e->column[CHUNK_FIRST], difference - extrapolate(&k->first[r]));
        extrapolation_update(&k->first[r], difference);
        state[r] = (struct follower_state){difference, UINT32_MAX, UINT32_MAX};
    }
    uint64_t exceptions = 0, gap = 0;
    for (size_t i = 0; i < log->access_count; i++, gap++) {
        const struct rp_access *a = &log->accesses[i];
        struct follower_state *s = &state[p->rank[i]];
        uint64_t residual = a->base - leader[i].base - s->difference;
        bool predicted = a->pattern == (s->from == leader[i].pattern ? s->to : leader[i].pattern);
        if (!residual && predicted)
            continue;
        emit_exception(e, gap, residual, a->pattern, predicted);
        exceptions++;
        gap = UINT64_MAX; /* becomes 0 */
        s->difference += residual;
        if (!predicted) {
            s->from = leader[i].pattern;
            s->to = a->pattern;
        }
    }
    buffer_varint(&e->column[CHUNK_EXCEPTIONS], exceptions);
}

static void encode_aux(struct encoder *e, const struct rp_warp_log *leader, const struct rp_warp_log *log)
{
    for (size_t i = 0; i < log->aux_count; i++) {
        uint64_t predicted = leader != log ? leader->aux[i] : i ? log->aux[i - 1] : 0;
        buffer_zigzag(&e->column[CHUNK_AUX], log->aux[i] - predicted);
    }
}

/* ---- the chunk --------------------------------------------------------------------------------------------------- */

static bool encode_accesses(struct encoder *e, struct known_path *k, const struct rp_warp_log *log)
{
    if (e->chunk->scattered)
        return log == k->leader ? encode_scattered_leader(e, k) : encode_scattered_follower(e, k, log);
    if (log == k->leader)
        encode_leader(e, k, log);
    else
        encode_follower(e, k, log);
    return true;
}

static bool encode_warp(struct encoder *e, const struct rp_warp_log *log)
{
    struct known_path *k = find_path(e, log);
    if (!k)
        return false;
    if (log->access_count != k->path.access_count || log->aux_count != k->path.aux_count)
        return rp_fail(e->err, RP_SYSTEM,
                       "it logged %zu accesses and %zu aux values where its path demands %" PRIu64 " and %" PRIu64,
                       log->access_count, log->aux_count, k->path.access_count, k->path.aux_count);
    buffer_varint(&e->column[CHUNK_WARP_PATH], (uint64_t)(k - e->paths));
    e->chunk->decoded_bytes +=
        sizeof(struct chunk_warp) + 2 * k->path.rank_count * sizeof(uint64_t) + log->aux_count * sizeof *log->aux;
    if (log != k->leader && !k->followed) {
        k->followed = true;
        e->chunk->decoded_bytes += k->path.access_count * sizeof(struct rp_dynamic_access);
    }
    e->chunk->summary.warp_instructions += k->path.warp_instructions;
    e->chunk->summary.thread_instructions += k->path.thread_instructions;
    if (!encode_accesses(e, k, log))
        return false;
    encode_aux(e, k->leader, log);
    return true;
}

static bool encode_block(struct encoder *e, const struct open_block *b, uint64_t *last)
{
    buffer_varint(&e->column[CHUNK_BLOCK], b->index - *last);
    buffer_varint(&e->column[CHUNK_BLOCK_PIECE], b->piece);
    buffer_varint(&e->column[CHUNK_BLOCK_END], b->ended);
    *last = b->index;
    for (uint32_t w = 0; w < b->warps; w++)
        if (!encode_warp(e, &b->logs[w]))
            return rp_fail(e->err, RP_SYSTEM, "cannot encode block %" PRIu64 ", warp %" PRIu32 ": %s", b->index, w,
                           e->err ? e->err->text : "");
    return true;
}

static bool prepare(struct encoder *e)
{
    struct rp_chunk *c = e->chunk;
    size_t warps = 0;
    for (size_t i = 0; i < c->block_count; i++)
        warps += c->blocks[i]->warps;
    e->table_size = 16;
    while (e->table_size < 2 * warps)
        e->table_size *= 2;
    e->table = pool_alloc(&e->work, e->table_size, sizeof *e->table);
    e->paths = pool_alloc(&e->work, warps, sizeof *e->paths);
    e->pattern_id = pool_alloc(&e->work, c->pattern_count, sizeof *e->pattern_id);
    memset(c->slot_first, 0, c->map->slot_count * sizeof *c->slot_first);
    for (int f = 0; f < CHUNK_FIELDS; f++)
        c->column[f].size = 0;
    if (c->scattered) {
        buffer_varint(&c->column[CHUNK_SCATTERED], SCATTERED_LANES);
        whereabouts_forget(&c->whereabouts);
    }
    c->summary = (struct chunk_entry){.launch = c->launch};
    c->decoded_bytes = 0;
    return e->table && e->paths && e->pattern_id;
}

bool chunk_encode(struct rp_chunk *c, struct rp_error *err)
{
    struct encoder e = {.chunk = c, .column = c->column, .err = err};
    bool ok = prepare(&e) || no_memory(err);
    uint64_t last = 0;
    for (size_t i = 0; ok && i < c->block_count; i++)
        if (!block_is_silent(c->blocks[i]))
            ok = encode_block(&e, c->blocks[i], &last);
    for (int f = 0; ok && f < CHUNK_FIELDS; f++)
        ok = !c->column[f].failed || no_memory(err);
    pool_free(&e.work);
    return ok;
}
