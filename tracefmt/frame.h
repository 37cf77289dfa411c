/* One zstd frame, with content checksum, in memory. */
#ifndef REPRISE_TRACEFMT_FRAME_H
#define REPRISE_TRACEFMT_FRAME_H

#include <zstd.h>

#include "tracefmt/buffer.h"
#include "tracefmt/error.h"

#define FRAME_DEFAULT_LEVEL 3

/* Appends the frame to out. */
bool frame_compress(ZSTD_CCtx *, int level, const struct buffer *raw, struct buffer *out, struct rp_error *);
/* Decompresses exactly one frame of `raw_size` bytes, at most FRAME_RAW_LIMIT, into *raw, whose content it replaces. */
bool frame_decompress(ZSTD_DCtx *, const uint8_t *data, size_t size, size_t raw_size, struct buffer *raw,
                      struct rp_error *);

#endif
