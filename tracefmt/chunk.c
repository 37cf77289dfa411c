/* Chunks: opening and closing blocks, and finishing into a frame. */
#include "tracefmt/chunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/decode.h"
#include "tracefmt/frame.h"
#include "tracefmt/shape.h"
#include "tracefmt/slice.h"

/* What a pattern adds to rp_chunk_bytes. Chunks end by it, so it is a constant: files do not depend on what patterns
 * take in memory. */
#define PATTERN_CHARGE 536u

static bool chunk_allocate(struct rp_chunk *c)
{
    if (!(c->map = kernel_map_new(&c->fixed, c->kernel)))
        return false;
    size_t slots = c->map->slot_count;
    c->last_pattern = pool_alloc(&c->fixed, slots, sizeof *c->last_pattern);
    c->scratch = pool_alloc(&c->fixed, RANK_SCRATCH(slots), sizeof *c->scratch);
    c->previous_guard = pool_alloc(&c->fixed, c->kernel->instruction_count, sizeof *c->previous_guard);
    c->slot_first = pool_alloc(&c->fixed, slots, sizeof *c->slot_first);
    c->leader_state = pool_alloc(&c->fixed, slots, sizeof *c->leader_state);
    c->follower_state = pool_alloc(&c->fixed, slots, sizeof *c->follower_state);
    c->scattered_state = pool_alloc(&c->fixed, c->scattered ? slots : 0, sizeof *c->scattered_state);
    if (!c->compressor)
        c->compressor = ZSTD_createCCtx();
    if (!c->last_pattern || !c->scratch || !c->previous_guard || !c->slot_first || !c->leader_state ||
        !c->follower_state || !c->scattered_state || !c->compressor ||
        !whereabouts_new(&c->whereabouts, &c->fixed, c->scattered ? c->kernel->instruction_count : 0))
        return false;
    memset(c->scratch, 0xff, RANK_SCRATCH(slots) * sizeof *c->scratch);
    return true;
}

struct rp_chunk *rp_chunk_new(const struct rp_kernel *kernel, uint32_t launch, const struct rp_writer_options *options)
{
    struct rp_chunk *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kernel = kernel;
    c->identity = kernel->identity;
    c->differs = pattern_differs();
    c->last_even = NO_PATTERN;
    c->launch = launch;
    c->level = options ? options->level : 0;
    c->scattered = options && options->scattered;
    if (!chunk_allocate(c)) {
        rp_chunk_free(c);
        return NULL;
    }
    return c;
}

static void leave_reserve(struct rp_warp_log *log, const struct rp_log_reserve *reserve)
{
    if (log->runs == &reserve->run)
        log->runs = NULL, log->run_capacity = 0;
    if (log->guards == &reserve->guard)
        log->guards = NULL, log->guard_capacity = 0;
    if (log->aux == &reserve->aux)
        log->aux = NULL, log->aux_capacity = 0;
    if (log->accesses == &reserve->access)
        log->accesses = NULL, log->access_capacity = 0;
}

static void free_block(struct open_block *b)
{
    for (uint32_t w = 0; b->logs && w < b->warps; w++) {
        struct rp_warp_log *log = &b->logs[w];
        leave_reserve(log, &b->reserve[w]);
        free(log->runs);
        free(log->guards);
        free(log->aux);
        free(log->accesses);
    }
    free(b->logs);
    free(b->reserve);
    free(b);
}

void rp_chunk_free(struct rp_chunk *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->block_count; i++)
        free_block(c->blocks[i]);
    while (c->spare) {
        struct open_block *next = c->spare->next_spare;
        free_block(c->spare);
        c->spare = next;
    }
    for (int f = 0; f < CHUNK_FIELDS; f++)
        buffer_free(&c->column[f]);
    buffer_free(&c->raw);
    free(c->blocks);
    free(c->patterns);
    free(c->shapes);
    free(c->pattern_table);
    ZSTD_freeCCtx(c->compressor);
    pool_free(&c->fixed);
    free(c);
}

static void empty_logs(struct open_block *b)
{
    for (uint32_t w = 0; w < b->warps; w++)
        b->logs[w].run_count = b->logs[w].guard_count = b->logs[w].aux_count = b->logs[w].access_count = 0;
}

/* NULL: out of memory. */
static struct open_block *new_block(uint32_t warps)
{
    struct open_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->warps = warps;
    b->logs = calloc(warps ? warps : 1, sizeof *b->logs);
    b->reserve = b->logs ? calloc(warps ? warps : 1, sizeof *b->reserve) : NULL;
    if (b->reserve)
        return b;
    free(b->logs);
    free(b);
    return NULL;
}

static struct open_block *take_block(struct rp_chunk *c, uint32_t warps)
{
    struct open_block *b = c->spare;
    if (!b || b->warps != warps)
        return new_block(warps);
    c->spare = b->next_spare;
    *b = (struct open_block){.warps = warps, .logs = b->logs, .reserve = b->reserve};
    empty_logs(b);
    for (uint32_t w = 0; w < warps; w++)
        leave_reserve(&b->logs[w], &b->reserve[w]);
    return b;
}

/* Takes ownership of the block, also on failure. */
static bool append_block(struct rp_chunk *c, struct open_block *b)
{
    if (c->block_count == c->block_capacity) {
        size_t capacity = c->block_capacity ? 2 * c->block_capacity : 16;
        struct open_block **larger = realloc(c->blocks, capacity * sizeof *larger);
        if (!larger) {
            free_block(b);
            c->failed = true;
            return false;
        }
        c->blocks = larger;
        c->block_capacity = capacity;
    }
    c->blocks[c->block_count++] = b;
    return true;
}

struct rp_warp_log *rp_chunk_begin_block(struct rp_chunk *c, uint64_t block, uint32_t warps)
{
    struct open_block *b = take_block(c, warps);
    if (!b) {
        c->failed = true;
        return NULL;
    }
    b->index = block;
    for (uint32_t w = 0; w < warps; w++) {
        b->logs[w].chunk = c;
        b->logs[w].reserve = &b->reserve[w];
    }
    if (!append_block(c, b))
        return NULL;
    c->open_count++;
    return b->logs;
}

bool rp_chunk_failed(const struct rp_chunk *c) { return c->failed; }

static size_t log_bytes(const struct open_block *b)
{
    size_t bytes = 0;
    for (uint32_t w = 0; w < b->warps; w++) {
        const struct rp_warp_log *log = &b->logs[w];
        bytes += log->run_count * sizeof *log->runs + log->guard_count * sizeof *log->guards +
                 log->aux_count * sizeof *log->aux + log->access_count * sizeof *log->accesses;
    }
    return bytes;
}

void rp_chunk_end_block(struct rp_chunk *c, uint64_t block)
{
    size_t i = c->block_count;
    while (i > 0 && c->blocks[i - 1]->index != block)
        i--;
    if (!i || c->blocks[i - 1]->ended)
        return;
    c->blocks[i - 1]->ended = true;
    c->ended_bytes += log_bytes(c->blocks[i - 1]);
    c->open_count--;
}

size_t rp_chunk_bytes(const struct rp_chunk *c)
{
    size_t bytes = c->pattern_count * PATTERN_CHARGE + c->ended_bytes, open = c->open_count;
    bytes += (c->shape_words + c->shapes_shared * EVEN_WORDS) * sizeof *c->shapes;
    for (size_t i = c->block_count; open && i-- > 0;)
        if (!c->blocks[i]->ended) {
            bytes += log_bytes(c->blocks[i]);
            open--;
        }
    return bytes;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

static void put_tag(struct buffer *b, unsigned field, unsigned type) { buffer_varint(b, field << 3 | type); }

static unsigned varint_size(uint64_t value)
{
    unsigned size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

/* Writes the columns into raw, as field `chunk` of message Trace. */
static void serialise(struct rp_chunk *c)
{
    uint64_t scalar[] = {[CHUNK_LAUNCH] = c->summary.launch,
                         [CHUNK_WARP_INSTRUCTIONS] = c->summary.warp_instructions,
                         [CHUNK_THREAD_INSTRUCTIONS] = c->summary.thread_instructions};
    size_t size = 0;
    for (unsigned f = 1; f < CHUNK_FIRST_COLUMN; f++)
        size += 1 + varint_size(scalar[f]);
    for (unsigned f = CHUNK_FIRST_COLUMN; f < CHUNK_FIELDS; f++)
        if (c->column[f].size)
            size += varint_size(f << 3) + varint_size(c->column[f].size) + c->column[f].size;
    c->raw.size = 0;
    put_tag(&c->raw, TRACE_FIELD_CHUNK, 2);
    buffer_varint(&c->raw, size);
    for (unsigned f = 1; f < CHUNK_FIRST_COLUMN; f++) {
        put_tag(&c->raw, f, 0);
        buffer_varint(&c->raw, scalar[f]);
    }
    for (unsigned f = CHUNK_FIRST_COLUMN; f < CHUNK_FIELDS; f++)
        if (c->column[f].size) {
            put_tag(&c->raw, f, 2);
            buffer_varint(&c->raw, c->column[f].size);
            buffer_append(&c->raw, c->column[f].data, c->column[f].size);
        }
}

/* Lists the blocks that begin in the chunk and those that are carried over from earlier chunks. */
static bool summarise(const struct rp_chunk *c, struct rp_frame *f)
{
    f->summary = c->summary;
    f->carried = malloc((c->block_count + 1) * sizeof *f->carried);
    if (!f->carried)
        return false;
    for (size_t i = 0; i < c->block_count; i++) {
        const struct open_block *b = c->blocks[i];
        if (block_is_silent(b))
            continue;
        f->warps = b->warps;
        if (b->piece) {
            f->carried[f->summary.carried_count++] = b->index;
        } else {
            if (!f->summary.blocks++)
                f->summary.first_block = b->index;
            f->last_block = b->index;
        }
    }
    return true;
}

/* Frees blocks that have ended; empties the logs of open ones. */
static void empty(struct rp_chunk *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->block_count; i++) {
        struct open_block *b = c->blocks[i];
        if (b->ended) {
            b->next_spare = c->spare;
            c->spare = b;
            continue;
        }
        b->piece += !block_is_silent(b);
        empty_logs(b);
        c->blocks[kept++] = b;
    }
    c->block_count = c->open_count = kept;
    c->ended_bytes = 0;
    c->pattern_count = 0;
    c->pattern_bytes = 0;
    c->shape_words = c->shape_count = c->shapes_shared = 0;
    c->last_even = NO_PATTERN;
    memset(c->alone, 0, sizeof c->alone);
    if (c->pattern_table)
        memset(c->pattern_table, 0, c->pattern_table_size * sizeof *c->pattern_table);
    memset(c->last_pattern, 0, c->map->slot_count * sizeof *c->last_pattern);
}

/* Replaces the pattern numbers in `from`'s accesses by the numbers of the same patterns in `to`. */
static bool renumber_patterns(struct rp_chunk *to, struct rp_chunk *from)
{
    uint32_t *pattern = malloc(((size_t)from->pattern_count + 1) * sizeof *pattern);
    if (!pattern)
        return false;
    for (uint32_t i = 0; i < from->pattern_count; i++)
        pattern[i] = chunk_intern(to, &from->patterns[i]);
    for (size_t i = 0; i < from->block_count; i++) {
        struct open_block *b = from->blocks[i];
        for (uint32_t w = 0; w < b->warps; w++)
            for (size_t a = 0; a < b->logs[w].access_count; a++)
                b->logs[w].accesses[a].pattern = pattern[b->logs[w].accesses[a].pattern];
    }
    free(pattern);
    return !to->failed;
}

/* The same of shapes. */
static bool renumber_shapes(struct rp_chunk *to, struct rp_chunk *from)
{
    uint32_t greater;
    if (!shape_absorb(to, from, &greater))
        return false;
    for (size_t i = 0; i < from->block_count; i++) {
        struct open_block *b = from->blocks[i];
        for (uint32_t w = 0; w < b->warps; w++)
            for (size_t a = 0; a < b->logs[w].access_count; a++)
                b->logs[w].accesses[a].pattern += b->logs[w].accesses[a].pattern == SHAPE_UNIFORM ? 0 : greater;
    }
    return true;
}

void rp_chunk_absorb(struct rp_chunk *to, struct rp_chunk *from)
{
    to->failed |= from->failed;
    if (!to->failed && !(to->scattered ? renumber_shapes(to, from) : renumber_patterns(to, from)))
        to->failed = true;
    if (!to->failed) {
        for (size_t i = 0; i < from->block_count; i++)
            append_block(to, from->blocks[i]);
        from->block_count = 0;
        to->ended_bytes += from->ended_bytes;
    }
    empty(from);
    while (to->spare) { /* give `from` as many spare blocks as `to` took over */
        struct open_block *b = to->spare;
        to->spare = b->next_spare;
        b->next_spare = from->spare;
        from->spare = b;
    }
}

bool rp_chunk_renew(struct rp_chunk *c, const struct rp_kernel *kernel, uint32_t launch)
{
    if (c->failed)
        return false;
    for (size_t i = 0; i < c->block_count; i++)
        c->blocks[i]->ended = true;
    empty(c);
    c->launch = launch;
    if (kernel->identity && kernel->identity == c->identity)
        return true;
    pool_free(&c->fixed);
    c->kernel = kernel;
    c->identity = kernel->identity;
    return chunk_allocate(c);
}

static bool check_blocks(const struct rp_chunk *c, struct rp_error *err)
{
    for (size_t i = 1; i < c->block_count; i++)
        if (c->blocks[i]->index <= c->blocks[i - 1]->index || c->blocks[i]->warps != c->blocks[0]->warps)
            return rp_fail(err, RP_SYSTEM,
                           "blocks of a chunk must ascend and have equally many warps (block %" PRIu64 ")",
                           c->blocks[i]->index);
    if (rp_chunk_bytes(c) > CHUNK_LOG_LIMIT)
        return rp_fail(err, RP_SYSTEM, "a chunk holds %zu bytes of logs, the limit is %zu: finish chunks earlier",
                       rp_chunk_bytes(c), CHUNK_LOG_LIMIT);
    return true;
}

/* The columns that were encoded last, as a frame. */
static bool build_frame(struct rp_chunk *c, struct rp_frame *f, struct rp_error *err)
{
    serialise(c);
    if (c->raw.failed || !summarise(c, f))
        return rp_fail(err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
    struct buffer out = {0};
    bool ok = frame_compress(c->compressor, c->level, &c->raw, &out, err);
    f->raw_bytes = c->raw.size;
    f->scattered = c->scattered;
    f->data = out.data;
    f->bytes = out.size;
    return ok;
}

/* Encodes the chunk as several frames; the first of them is *f. */
static bool build_slices(struct rp_chunk *c, struct rp_frame *f, uint32_t slices, struct rp_error *err)
{
    struct slicer *s = slicer_new(c, slices);
    bool ok = s || rp_fail(err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
    for (uint32_t i = 0; ok && i < slices; i++) {
        slicer_next(s);
        ok = chunk_encode(c, err) && build_frame(c, f, err);
        slicer_done(s);
        if (ok && i + 1 < slices && !(f = f->next = calloc(1, sizeof *f)))
            ok = rp_fail(err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
    }
    if (s)
        slicer_free(s);
    return ok;
}

#define EXCEPTIONS_OF_SHAPE 4 /* an exception has a shape that is new, or lanes that others have */

/* An estimate of what a scattered chunk takes in a reader, without encoding it: of warps that executed as many runs as
 * the one before, and made as many accesses, the path is not counted again. */
static size_t estimated_bytes(const struct rp_chunk *c)
{
    size_t bytes = c->pattern_bytes, accesses = 0;
    const struct rp_warp_log none = {0}, *last = &none;
    for (size_t i = 0; i < c->block_count; i++)
        for (uint32_t w = 0; w < c->blocks[i]->warps; w++) {
            const struct rp_warp_log *l = &c->blocks[i]->logs[w];
            if (l->run_count != last->run_count || l->access_count != last->access_count)
                bytes += l->run_count * sizeof *l->runs + l->guard_count * sizeof *l->guards +
                         l->access_count * sizeof(uint32_t);
            accesses += l->access_count;
            last = l;
        }
    const size_t exceptions = c->shape_count * EXCEPTIONS_OF_SHAPE;
    return bytes + (exceptions < accesses ? exceptions : accesses) * sizeof(struct exception);
}

size_t rp_chunk_decoded_bytes(const struct rp_chunk *c) { return c->scattered ? estimated_bytes(c) : 0; }

static bool build_frames(struct rp_chunk *c, struct rp_frame *f, struct rp_error *err)
{
    if (c->failed)
        return rp_fail(err, RP_SYSTEM, "out of memory while recording");
    if (!check_blocks(c, err))
        return false;
    const size_t estimate = rp_chunk_decoded_bytes(c);
    if (estimate > SLICE_LIMIT)
        return build_slices(c, f, (uint32_t)(estimate / SLICE_BYTES) + 1, err);
    if (!chunk_encode(c, err))
        return false;
    return c->decoded_bytes <= SLICE_LIMIT ? build_frame(c, f, err)
                                           : build_slices(c, f, (uint32_t)(c->decoded_bytes / SLICE_BYTES) + 1, err);
}

struct rp_frame *rp_chunk_finish(struct rp_chunk *c, struct rp_error *err)
{
    struct rp_frame *f = calloc(1, sizeof *f);
    if (!f)
        rp_fail(err, RP_SYSTEM, "out of memory while encoding a chunk of the trace");
    if (f && !build_frames(c, f, err)) {
        rp_frame_free(f);
        f = NULL;
    }
    empty(c);
    return f;
}

void rp_frame_free(struct rp_frame *f)
{
    while (f) {
        struct rp_frame *next = f->next;
        free(f->data);
        free(f->carried);
        free(f);
        f = next;
    }
}
