/* Reading a damaged or cut trace: frame after frame from the start, keeping every whole one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/frame.h"
#include "tracefmt/plural.h"
#include "tracefmt/reader_internal.h"

#define ZSTD_FRAME_MAGIC 0xfd2fb528u     /* RFC 8878, 3.1.1 */
#define ZSTD_SKIPPABLE_MAGIC 0x184d2a50u /* and the 15 numbers after it: RFC 8878, 3.1.2 */
#define SCAN_WINDOW_LOG 25               /* 32 MiB: all levels below 21 */
#define SCAN_BUFFER ((size_t)1 << 17)

struct scan {
    struct rp_trace *trace;
    ZSTD_DCtx *ctx;
    uint8_t *in;
    struct buffer raw;
    size_t charged; /* bytes charged for raw */
    uint64_t offset;
    uint64_t lost_frames;
    struct rp_error first; /* the first damage */
    uint64_t first_offset;
};

/* Makes room for more content, charged to the trace's budget. */
static bool reserve(struct scan *s, struct rp_error *err)
{
    size_t before = s->raw.capacity;
    if (!buffer_reserve(&s->raw, ZSTD_DStreamOutSize()))
        return rp_fail(err, RP_SYSTEM, "out of memory");
    s->charged += s->raw.capacity - before;
    if (budget_charge(&s->trace->budget, s->raw.capacity - before))
        return true;
    s->charged -= s->raw.capacity - before;
    buffer_free(&s->raw);
    budget_refund(&s->trace->budget, s->charged);
    s->charged = 0;
    return rp_fail(err, RP_BAD_INPUT, "with it the trace would take more memory than a file of its size may");
}

/* Decompresses the frame at s->offset into s->raw; *bytes: its compressed size. */
static bool read_frame(struct scan *s, uint64_t *bytes, struct rp_error *err)
{
    uint64_t at = s->offset, end = s->trace->bytes;
    size_t left = 1;
    s->raw.size = 0;
    ZSTD_DCtx_reset(s->ctx, ZSTD_reset_session_only);
    while (left) {
        size_t part = end - at < SCAN_BUFFER ? (size_t)(end - at) : SCAN_BUFFER;
        if (!part)
            return rp_fail(err, RP_BAD_INPUT, "the file ends within it");
        if (!trace_read(s->trace, at, s->in, part, err))
            return false;
        ZSTD_inBuffer in = {s->in, part, 0};
        bool full = true;
        while (left && (in.pos < in.size || full)) {
            if (s->raw.size >= FRAME_RAW_LIMIT)
                return rp_fail(err, RP_BAD_INPUT, "it decompresses to more than %zu bytes", FRAME_RAW_LIMIT);
            if (!reserve(s, err))
                return false;
            ZSTD_outBuffer out = {s->raw.data + s->raw.size, ZSTD_DStreamOutSize(), 0};
            left = ZSTD_decompressStream(s->ctx, &out, &in);
            if (ZSTD_isError(left))
                return rp_fail(err, RP_BAD_INPUT, "zstd says: %s", ZSTD_getErrorName(left));
            s->raw.size += out.pos;
            full = out.pos == out.size;
        }
        at += in.pos;
    }
    *bytes = at - s->offset;
    return true;
}

/* Adds a frame's tables. What came before the damage in a frame stays; kernels there get their maps. */
static bool take_tables(struct rp_trace *t, const struct buffer *raw, struct rp_error *err)
{
    bool ok = tables_unpack(&t->tables, raw->data, raw->size, err);
    return trace_add_maps(t, err) && ok;
}

static bool take_frame(struct scan *s, uint64_t bytes, struct rp_error *err)
{
    struct rp_trace *t = s->trace;
    if (!s->raw.size || s->raw.data[0] != (TRACE_FIELD_CHUNK << 3 | 2))
        return take_tables(t, &s->raw, err) && index_add_tables(&t->index, s->offset, bytes, s->raw.size, err);
    struct decode_context context = trace_context(t);
    bool over;
    struct chunk *c = chunk_decode(s->raw.data, s->raw.size, &context, &over, err);
    if (!c)
        return false;
    bool ok = trace_index_chunk(t, s->offset, bytes, s->raw.size, c, err);
    chunk_free(c);
    return ok;
}

/* Records the damage and moves to the next position that looks like the start of a frame, or to the end. */
static bool resume(struct scan *s, const struct rp_error *why, struct rp_error *err)
{
    if (!s->lost_frames++) {
        s->first = *why;
        s->first_offset = s->offset;
    }
    uint64_t at = s->offset + 1;
    while (at + 4 <= s->trace->bytes) {
        size_t part = s->trace->bytes - at < SCAN_BUFFER ? (size_t)(s->trace->bytes - at) : SCAN_BUFFER;
        if (!trace_read(s->trace, at, s->in, part, err))
            return false;
        for (size_t i = 0; i + 4 <= part; i++)
            if (s->in[i] == 0x28 && s->in[i + 1] == 0xb5 && s->in[i + 2] == 0x2f && s->in[i + 3] == 0xfd) {
                s->offset = at + i;
                return true;
            }
        at += part - 3;
    }
    s->offset = s->trace->bytes;
    return true;
}

/* Skips the index, whole or truncated, and skippable frames of later versions. */
static bool skip_frame(struct scan *s, uint32_t magic, uint32_t size)
{
    uint64_t left = s->trace->bytes - s->offset;
    if (magic != INDEX_SKIPPABLE_MAGIC && (magic & ~15u) == ZSTD_SKIPPABLE_MAGIC && size + (uint64_t)8 <= left) {
        s->offset += size + (uint64_t)8;
        return true;
    }
    if (magic != INDEX_SKIPPABLE_MAGIC || size + (uint64_t)8 < left)
        return false;
    s->offset = s->trace->bytes;
    return true;
}

static bool step(struct scan *s, struct rp_error *err)
{
    uint8_t head[8] = {0};
    uint64_t left = s->trace->bytes - s->offset, bytes = 0;
    struct rp_error why = {0};
    if (!trace_read(s->trace, s->offset, head, left < 8 ? (size_t)left : 8, err))
        return false;
    uint32_t word[2];
    for (int i = 0; i < 2; i++)
        word[i] = head[4 * i] | (uint32_t)head[4 * i + 1] << 8 | (uint32_t)head[4 * i + 2] << 16 |
                  (uint32_t)head[4 * i + 3] << 24;
    if (s->trace->tables.has_header && skip_frame(s, word[0], word[1]))
        return true;
    if (word[0] != ZSTD_FRAME_MAGIC) {
        rp_fail(&why, RP_BAD_INPUT, "no frame begins there");
    } else if (read_frame(s, &bytes, &why) && take_frame(s, bytes, &why)) {
        s->offset += bytes;
        return true;
    }
    if (why.status == RP_SYSTEM || !s->trace->tables.has_header || s->trace->tables.refused || s->trace->index.over)
        return rp_fail(err, why.status, "%s", why.text);
    return resume(s, &why, err);
}

static bool describe(struct scan *s, const char *reason, struct rp_error *err)
{
    struct rp_trace *t = s->trace;
    struct rp_error d;
    if (s->lost_frames)
        rp_fail(&d, RP_BAD_INPUT, "%s: damaged at offset %" PRIu64 " of %" PRIu64 ": %s; %zu whole frame%s salvaged",
                t->path, s->first_offset, t->bytes, s->first.text, t->index.frame_count,
                t->index.frame_count == 1 ? " was" : "s were");
    else
        rp_fail(&d, RP_BAD_INPUT, "%s: %s; %s%zu frame%s before it %s whole", t->path, reason,
                t->index.frame_count == 1 ? "the " : "all ", t->index.frame_count, rp_plural(t->index.frame_count),
                t->index.frame_count == 1 ? "is" : "are");
    if (!t->tables.launch_count)
        return rp_fail(err, RP_BAD_INPUT, "%s, but no launch", d.text);
    t->damage = strdup(d.text);
    return t->damage || rp_fail(err, RP_SYSTEM, "%s: out of memory", t->path);
}

bool trace_scan(struct rp_trace *t, const char *reason, struct rp_error *err)
{
    struct scan s = {.trace = t, .ctx = ZSTD_createDCtx(), .in = malloc(SCAN_BUFFER)};
    struct rp_error why = {0};
    bool ok = (s.ctx && s.in && !ZSTD_isError(ZSTD_DCtx_setParameter(s.ctx, ZSTD_d_windowLogMax, SCAN_WINDOW_LOG))) ||
              rp_fail(&why, RP_SYSTEM, "out of memory");
    if (ok && !t->bytes)
        ok = rp_fail(&why, RP_BAD_INPUT, "it is empty");
    while (ok && s.offset < t->bytes)
        ok = step(&s, &why);
    if (!ok)
        rp_fail(err, why.status, t->tables.has_header ? "%s: %s" : "%s is not a Reprise trace that can be read: %s",
                t->path, why.text);
    ok = ok && describe(&s, reason, err);
    budget_refund(&t->budget, s.charged);
    ZSTD_freeDCtx(s.ctx);
    free(s.in);
    buffer_free(&s.raw);
    return ok;
}
