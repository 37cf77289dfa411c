#include "tracefmt/frame.h"

#include "tracefmt/chunk_format.h"

bool frame_compress(ZSTD_CCtx *ctx, int level, const struct buffer *raw, struct buffer *out, struct rp_error *err)
{
    if (raw->size > FRAME_RAW_LIMIT)
        return rp_fail(err, RP_SYSTEM, "a frame of the trace would hold %zu bytes, the limit is %zu", raw->size,
                       FRAME_RAW_LIMIT);
    size_t bound = ZSTD_compressBound(raw->size);
    if (!buffer_reserve(out, bound))
        return rp_fail(err, RP_SYSTEM, "out of memory while compressing the trace");
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level ? level : FRAME_DEFAULT_LEVEL);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(ctx, out->data + out->size, bound, raw->data, raw->size);
    if (ZSTD_isError(size))
        return rp_fail(err, RP_SYSTEM, "cannot compress the trace: %s", ZSTD_getErrorName(size));
    out->size += size;
    return true;
}

/* Decompresses bit by bit: what a header promises is not believed, memory grows with the data that really comes. */
static bool inflate(ZSTD_DCtx *ctx, const uint8_t *data, size_t size, struct buffer *raw, struct rp_error *err)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left = 1;
    raw->size = 0;
    while (left) {
        if (raw->size >= FRAME_RAW_LIMIT)
            return rp_fail(err, RP_BAD_INPUT, "it decompresses to more than %zu bytes", FRAME_RAW_LIMIT);
        if (!buffer_reserve(raw, ZSTD_DStreamOutSize()))
            return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
        size_t room = raw->capacity - raw->size;
        if (room > FRAME_RAW_LIMIT - raw->size)
            room = FRAME_RAW_LIMIT - raw->size;
        ZSTD_outBuffer out = {raw->data + raw->size, room, 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(ctx, &out, &in);
        if (ZSTD_isError(left))
            return rp_fail(err, RP_BAD_INPUT, "zstd says: %s", ZSTD_getErrorName(left));
        raw->size += out.pos;
        if (left && in.pos == before && !out.pos)
            return rp_fail(err, RP_BAD_INPUT, "its compressed data end early");
    }
    if (in.pos != size)
        return rp_fail(err, RP_BAD_INPUT, "%zu bytes follow its end", size - in.pos);
    return true;
}

bool frame_decompress(const uint8_t *data, size_t size, struct buffer *raw, struct rp_error *err)
{
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    if (!ctx)
        return rp_fail(err, RP_SYSTEM, "out of memory while reading the trace");
    bool ok = inflate(ctx, data, size, raw, err);
    ZSTD_freeDCtx(ctx);
    return ok;
}
