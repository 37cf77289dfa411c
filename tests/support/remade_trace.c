#include "tests/support/remade_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/frame.h"
#include "tracefmt/reader_internal.h"

static bool take_frame(struct rp_trace *t, size_t number, struct remade_frame *to, size_t *chunk, struct rp_error *err)
{
    to->kind = t->index.frames[number].kind;
    if (to->kind == FRAME_CHUNK) {
        to->entry = t->index.chunks[(*chunk)++];
        size_t bytes = to->entry.carried_count * sizeof *to->carried;
        if (!(to->carried = malloc(bytes + 1)))
            return rp_fail(err, RP_SYSTEM, "out of memory");
        if (bytes)
            memcpy(to->carried, t->index.carried + to->entry.carried_at, bytes);
    }
    return trace_read_frame(t, number, &to->raw, err);
}

bool remade_take(struct remade_trace *r, const char *path, struct rp_error *err)
{
    *r = (struct remade_trace){0};
    struct rp_trace *t = rp_trace_open(path, err);
    if (!t)
        return false;
    size_t chunk = 0;
    bool ok = (r->frames = calloc(t->index.frame_count + 1, sizeof *r->frames)) != NULL;
    for (; ok && r->count < t->index.frame_count; r->count++)
        ok = take_frame(t, r->count, &r->frames[r->count], &chunk, err);
    rp_trace_close(t);
    if (!ok)
        remade_free(r);
    return ok;
}

bool remade_frame_append(struct buffer *to, const struct buffer *raw, struct rp_error *err)
{
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    bool ok = ctx ? frame_compress(ctx, 1, raw, to, err) : rp_fail(err, RP_SYSTEM, "out of memory");
    ZSTD_freeCCtx(ctx);
    return ok;
}

bool remade_write(const struct remade_trace *r, const char *path, bool with_index, struct rp_error *err)
{
    struct buffer out = {0};
    struct index index = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < r->count; i++) {
        const struct remade_frame *f = &r->frames[i];
        uint64_t at = out.size;
        ok = remade_frame_append(&out, &f->raw, err) &&
             (f->kind == FRAME_CHUNK
                  ? index_add_chunk(&index, at, out.size - at, f->raw.size, &f->entry, f->carried, err)
                  : index_add_tables(&index, at, out.size - at, f->raw.size, err));
    }
    ok = ok && (!with_index || index_pack(&index, &out, err));
    FILE *to = ok ? fopen(path, "wb") : NULL;
    if (ok && (!to || fwrite(out.data, 1, out.size, to) != out.size))
        ok = rp_fail(err, RP_SYSTEM, "cannot write '%s'", path);
    if (to && fclose(to))
        ok = rp_fail(err, RP_SYSTEM, "cannot write '%s'", path);
    index_free(&index);
    buffer_free(&out);
    return ok;
}

void remade_free(struct remade_trace *r)
{
    for (size_t i = 0; i < r->count; i++) {
        buffer_free(&r->frames[i].raw);
        free(r->frames[i].carried);
    }
    free(r->frames);
    *r = (struct remade_trace){0};
}
