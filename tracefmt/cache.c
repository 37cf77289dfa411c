/* Loading chunks, and keeping those in use and the last few. */
#include <inttypes.h>
#include <stdlib.h>

#include "tracefmt/frame.h"
#include "tracefmt/reader_internal.h"

/* Keeps one context for the next frame: creating one takes longer than decompressing a small frame. */
static ZSTD_DCtx *take_decompressor(struct rp_trace *t)
{
    ZSTD_DCtx *kept = atomic_exchange(&t->decompressor, NULL);
    return kept ? kept : ZSTD_createDCtx();
}

static void give_decompressor(struct rp_trace *t, ZSTD_DCtx *ctx)
{
    ZSTD_freeDCtx(atomic_exchange(&t->decompressor, ctx));
}

static bool read_compressed(struct rp_trace *t, const struct frame_entry *f, struct buffer *raw, struct rp_error *err)
{
    struct buffer data = {0};
    ZSTD_DCtx *ctx = take_decompressor(t);
    bool ok =
        (ctx && buffer_reserve(&data, f->bytes)) || rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
    ok = ok && trace_read(t, f->offset, data.data, f->bytes, err) &&
         frame_decompress(ctx, data.data, f->bytes, f->raw_bytes, raw, err);
    give_decompressor(t, ctx);
    buffer_free(&data);
    return ok && (raw->size == f->raw_bytes ||
                  rp_fail(err, RP_BAD_INPUT, "it holds %zu bytes, the index says %" PRIu32, raw->size, f->raw_bytes));
}

bool trace_read_frame(struct rp_trace *t, size_t frame, struct buffer *raw, struct rp_error *err)
{
    const struct frame_entry *f = &t->index.frames[frame];
    struct rp_error why = {0};
    return read_compressed(t, f, raw, &why) ||
           rp_fail(err, why.status, "%s: frame %zu at offset %" PRIu64 " is damaged: %s", t->path, frame, f->offset,
                   why.text);
}

/* Checks the chunk against its index entry. */
static bool matches_index(const struct rp_trace *t, const struct chunk_entry *e, const struct chunk *c,
                          struct rp_error *err)
{
    uint64_t begun = 0, first = 0;
    size_t carried = 0;
    bool same = c->launch == e->launch && c->warp_instructions == e->warp_instructions &&
                c->thread_instructions == e->thread_instructions;
    for (uint32_t i = 0; same && i < c->block_count; i++) {
        const struct chunk_block *b = &c->blocks[i];
        if (!b->piece) {
            first = begun++ ? first : b->index;
        } else {
            same = carried < e->carried_count && t->index.carried[e->carried_at + carried] == b->index;
            carried++;
        }
    }
    return (same && begun == e->blocks && first == e->first_block && carried == e->carried_count) ||
           rp_fail(err, RP_BAD_INPUT, "it does not hold what the index says");
}

/* NULL with *over: the budget had no room for the chunk. */
static struct chunk *load(struct rp_trace *t, size_t number, bool *over, struct rp_error *err)
{
    const struct chunk_entry *e = &t->index.chunks[number];
    const struct frame_entry *f = &t->index.frames[e->frame];
    size_t transient = (size_t)f->bytes + f->raw_bytes;
    struct rp_error why = {0};
    struct buffer raw = {0};
    struct chunk *c = NULL;
    bool charged = budget_charge(&t->budget, transient);
    *over = !charged;
    if (!charged) {
        rp_fail(&why, RP_BAD_INPUT, "with it the trace would take more memory than a file of its size may");
    } else if (read_compressed(t, f, &raw, &why)) {
        struct decode_context context = trace_context(t);
        c = chunk_decode(raw.data, raw.size, &context, over, &why);
        if (c && !matches_index(t, e, c, &why)) {
            chunk_free(c);
            c = NULL;
        }
    }
    if (!c)
        rp_fail(err, why.status, "%s: frame %" PRIu32 " at offset %" PRIu64 " %s: %s", t->path, e->frame, f->offset,
                *over ? "cannot be read" : "is damaged", why.text);
    else
        c->number = (uint32_t)number;
    buffer_free(&raw);
    if (charged)
        budget_refund(&t->budget, transient);
    return c;
}

/* ---- idle chunks --------------------------------------------------------------------------------------------------
 */

static size_t chunk_bytes(const struct chunk *c) { return c->pool.held + sizeof *c + sizeof(struct cached_chunk); }

static void leave_idle(struct rp_trace *t, struct cached_chunk *e)
{
    *(e->newer ? &e->newer->older : &t->newest) = e->older;
    *(e->older ? &e->older->newer : &t->oldest) = e->newer;
    t->idle_bytes -= chunk_bytes(e->chunk);
}

static void become_idle(struct rp_trace *t, struct cached_chunk *e)
{
    e->newer = NULL;
    e->older = t->newest;
    *(t->newest ? &t->newest->newer : &t->oldest) = e;
    t->newest = e;
    t->idle_bytes += chunk_bytes(e->chunk);
}

/* Frees the least recently used idle chunks until the rest take at most `most` bytes. */
static void trim(struct rp_trace *t, size_t most)
{
    while (t->idle_bytes > most) {
        struct cached_chunk *e = t->oldest;
        leave_idle(t, e);
        t->cache[e->number] = NULL;
        chunk_free(e->chunk);
        free(e);
    }
}

/* ---- loading ------------------------------------------------------------------------------------------------------
 */

/* Called with the lock held; releases it while loading. Concurrent loads may use up the room that this one needs
 * temporarily: then it waits until they end and tries again alone. */
static struct chunk *load_locked(struct rp_trace *t, size_t number, struct rp_error *err)
{
    bool over;
    while (t->exclusive)
        pthread_cond_wait(&t->loaded, &t->lock);
    t->loads++;
    pthread_mutex_unlock(&t->lock);
    struct chunk *c = load(t, number, &over, err);
    pthread_mutex_lock(&t->lock);
    t->loads--;
    pthread_cond_broadcast(&t->loaded);
    if (c || !over)
        return c;
    while (t->exclusive || t->loads)
        pthread_cond_wait(&t->loaded, &t->lock);
    t->exclusive = true;
    trim(t, 0);
    pthread_mutex_unlock(&t->lock);
    c = load(t, number, &over, err);
    pthread_mutex_lock(&t->lock);
    t->exclusive = false;
    pthread_cond_broadcast(&t->loaded);
    return c;
}

struct chunk *trace_load_chunk(struct rp_trace *t, size_t number, struct rp_error *err)
{
    pthread_mutex_lock(&t->lock);
    struct chunk *c = load_locked(t, number, err);
    pthread_mutex_unlock(&t->lock);
    return c;
}

static struct cached_chunk *no_memory(const struct rp_trace *t, struct rp_error *err)
{
    rp_fail(err, RP_SYSTEM, "%s: out of memory while reading the trace", t->path);
    return NULL;
}

/* The cache entry with its chunk loaded and its user count raised by one. NULL: out of memory, or the error of
 * load_locked. */
static struct cached_chunk *acquire(struct rp_trace *t, size_t number, struct rp_error *err)
{
    if (!t->cache && !(t->cache = calloc(t->index.chunk_count + 1, sizeof *t->cache)))
        return no_memory(t, err);
    struct cached_chunk *e;
    while ((e = t->cache[number]) && !e->chunk)
        pthread_cond_wait(&t->loaded, &t->lock);
    if (e) {
        if (!e->users++)
            leave_idle(t, e);
        return e;
    }
    if (!(e = calloc(1, sizeof *e)))
        return no_memory(t, err);
    e->number = (uint32_t)number;
    e->users = 1;
    t->cache[number] = e;
    e->chunk = load_locked(t, number, err);
    pthread_cond_broadcast(&t->loaded);
    if (e->chunk)
        return e;
    t->cache[number] = NULL;
    free(e);
    return NULL;
}

struct chunk *trace_acquire_chunk(struct rp_trace *t, size_t number, struct rp_error *err)
{
    struct rp_error why; /* filled in by acquire() when it fails */
    pthread_mutex_lock(&t->lock);
    struct cached_chunk *e = acquire(t, number, &why);
    struct chunk *c = e ? e->chunk : NULL;
    pthread_mutex_unlock(&t->lock);
    if (!c)
        rp_fail(err, why.status, "%s", why.text);
    return c;
}

void trace_release_chunk(struct rp_trace *t, struct chunk *chunk)
{
    if (!chunk)
        return;
    pthread_mutex_lock(&t->lock);
    struct cached_chunk *e = t->cache[chunk->number];
    if (!--e->users) {
        become_idle(t, e);
        trim(t, IDLE_CHUNK_BYTES);
    }
    pthread_mutex_unlock(&t->lock);
}

void trace_free_cache(struct rp_trace *t)
{
    trim(t, 0);
    free(t->cache);
    t->cache = NULL;
}
