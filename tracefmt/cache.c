/* Loading chunks, and keeping those in use and the last few. */
#include <inttypes.h>
#include <stdlib.h>

#include "tracefmt/frame.h"
#include "tracefmt/reader_internal.h"

bool trace_read_frame(const struct rp_trace *t, size_t frame, struct buffer *raw, struct rp_error *err)
{
    const struct frame_entry *f = &t->index.frames[frame];
    struct rp_error why = {0};
    struct buffer data = {0};
    bool ok = f->bytes <= SIZE_MAX && buffer_reserve(&data, (size_t)f->bytes);
    if (!ok)
        rp_fail(&why, RP_SYSTEM, "out of memory");
    ok = ok && trace_read(t, f->offset, data.data, (size_t)f->bytes, &why) &&
         frame_decompress(data.data, (size_t)f->bytes, raw, &why);
    buffer_free(&data);
    if (ok && raw->size != f->raw_bytes) {
        ok = rp_fail(&why, RP_BAD_INPUT, "it holds %zu bytes, the index says %" PRIu64, raw->size, f->raw_bytes);
    }
    return ok || rp_fail(err, why.status, "%s: frame %zu at offset %" PRIu64 " is damaged: %s", t->path, frame,
                         f->offset, why.text);
}

/* What the index says about the chunk must be so. */
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

struct chunk *trace_load_chunk(const struct rp_trace *t, size_t number, struct rp_error *err)
{
    const struct chunk_entry *e = &t->index.chunks[number];
    struct buffer raw = {0};
    struct rp_error why = {0};
    struct chunk *c = NULL;
    if (trace_read_frame(t, e->frame, &raw, err)) {
        struct decode_context context = trace_context(t);
        c = chunk_decode(raw.data, raw.size, &context, &why);
        if (c && !matches_index(t, e, c, &why)) {
            chunk_free(c);
            c = NULL;
        }
        if (!c)
            rp_fail(err, why.status, "%s: frame %zu at offset %" PRIu64 " is damaged: %s", t->path, e->frame,
                    t->index.frames[e->frame].offset, why.text);
    }
    buffer_free(&raw);
    return c;
}

/* ---- cache ------------------------------------------------------------------------------------------------------- */

static struct cached_chunk *find(struct rp_trace *t, size_t number)
{
    struct cached_chunk *e = t->cache;
    while (e && e->number != number)
        e = e->next;
    return e;
}

static void drop(struct rp_trace *t, struct cached_chunk *entry)
{
    struct cached_chunk **at = &t->cache;
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    chunk_free(entry->chunk);
    free(entry);
}

/* Drops the idle chunks used longest ago while they take too much. */
static void trim(struct rp_trace *t)
{
    for (;;) {
        struct cached_chunk *oldest = NULL;
        size_t bytes = 0;
        for (struct cached_chunk *e = t->cache; e; e = e->next) {
            if (e->users || e->loading)
                continue;
            bytes += e->chunk->pool.used;
            if (!oldest || e->last_use < oldest->last_use)
                oldest = e;
        }
        if (bytes <= IDLE_CHUNK_BYTES)
            return;
        drop(t, oldest);
    }
}

struct chunk *trace_acquire_chunk(struct rp_trace *t, size_t number, struct rp_error *err)
{
    pthread_mutex_lock(&t->lock);
    struct cached_chunk *e;
    while ((e = find(t, number)) && e->loading)
        pthread_cond_wait(&t->loaded, &t->lock);
    if (!e && (e = calloc(1, sizeof *e))) {
        *e = (struct cached_chunk){.next = t->cache, .number = number, .loading = true};
        t->cache = e;
        pthread_mutex_unlock(&t->lock);
        struct chunk *loaded = trace_load_chunk(t, number, err);
        pthread_mutex_lock(&t->lock);
        e->chunk = loaded;
        e->loading = false;
        pthread_cond_broadcast(&t->loaded);
        if (!loaded) {
            drop(t, e);
            pthread_mutex_unlock(&t->lock);
            return NULL;
        }
    }
    struct chunk *result = NULL;
    if (e) {
        e->users++;
        e->last_use = ++t->clock;
        result = e->chunk;
    } else {
        rp_fail(err, RP_SYSTEM, "%s: out of memory while reading the trace", t->path);
    }
    pthread_mutex_unlock(&t->lock);
    return result;
}

void trace_release_chunk(struct rp_trace *t, struct chunk *chunk)
{
    if (!chunk)
        return;
    pthread_mutex_lock(&t->lock);
    for (struct cached_chunk *e = t->cache; e; e = e->next)
        if (e->chunk == chunk && !--e->users) {
            trim(t);
            break;
        }
    pthread_mutex_unlock(&t->lock);
}

void trace_free_cache(struct rp_trace *t)
{
    while (t->cache)
        drop(t, t->cache);
}
