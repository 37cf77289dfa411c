/* Blocks and cursors. */
#include <inttypes.h>
#include <stdlib.h>

#include "tracefmt/reader_internal.h"

struct rp_block {
    struct rp_trace *trace;
    uint32_t launch;
    uint64_t index;
    size_t piece_count;
    size_t pieces[]; /* chunks, in file order */
};

/* The cursor's state in its current piece. */
struct piece {
    struct chunk *chunk;
    const struct chunk_warp *warp;
    uint32_t segment; /* the next segment */
    bool streamed, over;
    struct stream stream;
    struct rp_dynamic_access *buffer;
    uint32_t capacity;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The chunk in which the block must begin, if it is in the trace. */
static bool find_beginning(const struct rp_trace *t, uint32_t launch, uint64_t block, size_t *chunk)
{
    const uint32_t *begun = t->begun + t->launches[launch].begun_at;
    size_t low = 0, high = t->launches[launch].begun_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->index.chunks[begun[middle]].first_block <= block)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    *chunk = begun[low - 1];
    return true;
}

static const struct carried *find_carried(const struct rp_trace *t, uint32_t launch, uint64_t block, size_t *count)
{
    const struct carried *list = t->carried + t->launches[launch].carried_at;
    size_t low = 0, all = t->launches[launch].carried_count, high = all;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < all && list[low + *count].block == block)
        ++*count;
    return list + low;
}

/* The block's piece in its chunk, checked to be the one expected. NULL: err says why. */
static const struct chunk_block *expect_piece(const struct rp_block *b, const struct chunk *c, size_t piece,
                                              struct rp_error *err)
{
    const struct chunk_block *found = chunk_find_block(c, b->index);
    if (!found && !piece)
        rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " of launch %" PRIu32 " is not in the trace", b->trace->path,
                b->index, b->launch);
    else if (!found || found->piece != piece || (found->end && piece + 1 < b->piece_count)) {
        rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " of launch %" PRIu32 ": part %zu of its story is missing",
                b->trace->path, b->index, b->launch, piece);
        found = NULL;
    }
    return found;
}

struct rp_block *rp_block_open(struct rp_trace *t, uint32_t launch, uint64_t block, struct rp_error *err)
{
    if (launch >= t->tables.launch_count || block >= rp_launch_blocks(t->tables.launches[launch])) {
        rp_fail(err, RP_BAD_INPUT, "%s has no block %" PRIu64 " in launch %" PRIu32, t->path, block, launch);
        return NULL;
    }
    size_t beginning, count;
    if (!find_beginning(t, launch, block, &beginning)) {
        rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " of launch %" PRIu32 " is not in the trace", t->path, block,
                launch);
        return NULL;
    }
    const struct carried *carried = find_carried(t, launch, block, &count);
    struct rp_block *b = malloc(sizeof *b + (count + 1) * sizeof *b->pieces);
    if (!b) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory while opening a block", t->path);
        return NULL;
    }
    *b = (struct rp_block){.trace = t, .launch = launch, .index = block, .piece_count = count + 1};
    b->pieces[0] = beginning;
    for (size_t i = 0; i < count; i++)
        b->pieces[i + 1] = carried[i].chunk;
    struct chunk *c = trace_acquire_chunk(t, beginning, err);
    bool ok = c && expect_piece(b, c, 0, err);
    trace_release_chunk(t, c);
    if (ok)
        return b;
    free(b);
    return NULL;
}

void rp_block_close(struct rp_block *b) { free(b); }
uint32_t rp_block_warps(const struct rp_block *b) { return rp_launch_warps(b->trace->tables.launches[b->launch]); }

/* ---- cursors ----------------------------------------------------------------------------------------------------- */

/* Room for the accesses of one segment. */
static bool reserve(struct piece *p, uint32_t accesses)
{
    if (accesses <= p->capacity)
        return true;
    free(p->buffer);
    p->buffer = malloc(accesses * sizeof *p->buffer);
    p->capacity = p->buffer ? accesses : 0;
    return p->buffer;
}

/* Prepares the cursor for piece number c->piece. */
static bool enter_piece(struct rp_cursor *c, struct rp_error *err)
{
    struct piece *p = c->piece_data;
    struct chunk *chunk = trace_acquire_chunk(c->block->trace, c->block->pieces[c->piece], err);
    const struct chunk_block *found = chunk ? expect_piece(c->block, chunk, c->piece, err) : NULL;
    trace_release_chunk(c->block->trace, p->chunk);
    p->chunk = chunk;
    if (!found)
        return false;
    p->warp = &found->warps[c->warp];
    const struct chunk_path *path = p->warp->path;
    p->segment = 0;
    p->streamed = path->path.access_count && !(path->leading && (!p->warp->follows || p->warp->same));
    if (p->streamed && (!stream_begin(&p->stream, p->warp) || !reserve(p, path->segment_accesses)))
        return rp_fail(err, RP_SYSTEM, "%s: out of memory while reading", c->block->trace->path);
    c->run = c->run_end = path->path.runs;
    c->guard = path->path.guards;
    c->aux = p->warp->aux;
    return true;
}

/* Moves to the next segment, if there is one. */
static bool enter_segment(struct rp_cursor *c)
{
    struct piece *p = c->piece_data;
    const struct chunk_path *path = p->warp->path;
    if (!p->streamed) {
        bool more = !p->segment++ && path->path.run_count;
        c->run_end = path->path.runs + path->path.run_count;
        c->access = path->leading;
        return more;
    }
    if (p->segment == path->segment_count)
        return false;
    const struct segment *s = &path->segments[p->segment++];
    stream_fill(&p->stream, p->buffer, s->access_end);
    c->run_end = path->path.runs + s->run_end;
    c->access = p->buffer;
    return true;
}

int rp_cursor_refill(struct rp_cursor *c, struct rp_error *err)
{
    struct piece *p = c->piece_data;
    while (!p->over) {
        if (enter_segment(c))
            return 1;
        if (c->piece + 1 == c->block->piece_count) {
            p->over = true;
            break;
        }
        c->piece++;
        if (!enter_piece(c, err)) {
            p->over = true;
            return -1;
        }
    }
    return 0;
}

/* Passes over the rest of the run. */
static void pass_run(struct rp_cursor *c)
{
    for (uint32_t index = c->run->start + c->at, end = c->run->start + c->run->length; index < end; index++) {
        const struct rp_instruction *in = &c->instructions[index];
        rp_lanemask executed = in->flags & RP_GUARDED ? *c->guard++ : c->run->active;
        if (!executed)
            continue;
        c->aux += rp_aux_count(in);
        c->access += in->memory_count;
    }
    c->run++;
    c->at = 0;
}

int rp_cursor_next_of(struct rp_cursor *c, unsigned lane, struct rp_step *step, struct rp_error *err)
{
    for (;;) {
        if (c->run == c->run_end) {
            int more = rp_cursor_refill(c, err);
            if (more <= 0)
                return more;
        } else if (c->run->active >> lane & 1) {
            return rp_cursor_next(c, step, err);
        } else {
            pass_run(c);
        }
    }
}

bool rp_cursor_open(struct rp_cursor *c, struct rp_block *b, uint32_t warp, struct rp_error *err)
{
    const struct rp_launch *launch = b->trace->tables.launches[b->launch];
    *c = (struct rp_cursor){
        .block = b, .warp = warp, .instructions = b->trace->tables.kernels[launch->kernel]->instructions};
    if (warp >= rp_launch_warps(launch))
        return rp_fail(err, RP_BAD_INPUT, "%s: block %" PRIu64 " has no warp %" PRIu32, b->trace->path, b->index, warp);
    if (!(c->piece_data = calloc(1, sizeof(struct piece))))
        return rp_fail(err, RP_SYSTEM, "%s: out of memory while reading", b->trace->path);
    if (enter_piece(c, err))
        return true;
    rp_cursor_close(c);
    return false;
}

/* Counts the instructions from number `at` of the run on, as rp_cursor_left() does. */
static uint64_t count_left(const struct rp_run *run, const struct rp_run *end, uint32_t at, uint32_t exits,
                           uint64_t enough)
{
    uint64_t left = 0, not_counted = exits + (uint64_t)at;
    for (; run < end && left < enough; run++) {
        left += run->length > not_counted ? run->length - not_counted : 0;
        not_counted = exits;
    }
    return left;
}

uint64_t rp_cursor_left(const struct rp_cursor *c, uint32_t exits, uint64_t enough)
{
    const struct piece *p = c->piece_data;
    const struct chunk_path *path = p->over ? NULL : p->warp->path;
    return path ? count_left(c->run, path->path.runs + path->path.run_count, c->at, exits, enough) : 0;
}

bool rp_trace_peek(struct rp_trace *t, uint32_t launch, uint64_t block, uint32_t warp, uint32_t exits, uint64_t enough,
                   struct rp_run *first, uint64_t *left)
{
    size_t beginning;
    struct chunk *c = find_beginning(t, launch, block, &beginning) ? trace_acquire_chunk(t, beginning, NULL) : NULL;
    const struct chunk_block *found = c ? chunk_find_block(c, block) : NULL;
    const struct path *path = found && !found->piece ? &found->warps[warp].path->path : NULL;
    bool any = path && path->run_count;
    if (any) {
        *first = path->runs[0];
        *left = count_left(path->runs, path->runs + path->run_count, 0, exits, enough);
    }
    trace_release_chunk(t, c);
    return any;
}

void rp_cursor_close(struct rp_cursor *c)
{
    struct piece *p = c->piece_data;
    if (!p)
        return;
    trace_release_chunk(c->block->trace, p->chunk);
    stream_free(&p->stream);
    free(p->buffer);
    free(p);
    c->piece_data = NULL;
}

/* The length of the paths of a warp's pieces. */
static bool warp_instructions(struct rp_block *b, uint32_t warp, uint64_t *instructions, struct rp_error *err)
{
    bool fine = true;
    for (size_t piece = 0; fine && piece < b->piece_count; piece++) {
        struct chunk *c = trace_acquire_chunk(b->trace, b->pieces[piece], err);
        const struct chunk_block *found = c ? expect_piece(b, c, piece, err) : NULL;
        for (uint32_t i = 0; found && i < found->warps[warp].path->path.run_count; i++)
            *instructions += found->warps[warp].path->path.runs[i].length;
        trace_release_chunk(b->trace, c);
        fine = found;
    }
    return fine;
}

bool rp_block_instructions(struct rp_block *b, uint64_t *instructions, struct rp_error *err)
{
    bool fine = true;
    *instructions = 0;
    for (uint32_t w = 0; fine && w < rp_block_warps(b); w++)
        fine = warp_instructions(b, w, instructions, err);
    return fine;
}
