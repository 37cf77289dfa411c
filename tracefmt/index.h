/* The index: where each frame lies and what each chunk holds. */
#ifndef REPRISE_TRACEFMT_INDEX_H
#define REPRISE_TRACEFMT_INDEX_H

#include "tracefmt/buffer.h"
#include "tracefmt/error.h"
#include "tracefmt/pool.h"

enum frame_kind { FRAME_TABLES, FRAME_CHUNK, FRAME_UNKNOWN /* of a later version: passed over */ };

/* Kept small: there may be millions. */
struct frame_entry {
    uint64_t offset;
    uint32_t bytes, raw_bytes;
    uint8_t kind; /* enum frame_kind */
};
struct chunk_entry {
    uint64_t first_block; /* of the blocks that begin here; 0 if none does */
    uint64_t warp_instructions, thread_instructions;
    uint32_t launch, frame;
    uint32_t blocks; /* number of blocks that begin here */
    uint32_t carried_at,
        carried_count; /* blocks carried over from earlier chunks: index.carried[carried_at...], ascending */
};
struct index {
    struct frame_entry *frames;
    struct chunk_entry *chunks;
    uint64_t *carried;
    size_t frame_count, frame_capacity, chunk_count, chunk_capacity, carried_count, carried_capacity;
    size_t held, limit;    /* bytes of the arrays; limit 0: none */
    struct budget *budget; /* is charged with `held`; NULL: none */
    bool over;             /* the limit or the budget was exceeded */
};

bool index_add_tables(struct index *, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, struct rp_error *);
/* Takes frame and carried_at from the index itself. */
bool index_add_chunk(struct index *, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, const struct chunk_entry *,
                     const uint64_t *carried, struct rp_error *);
void index_truncate(struct index *, size_t frame_count);
void index_free(struct index *);

/* The whole skippable frame: header, message Index, SHA-256, size, magic. docs/trace-format.md, "Index". */
bool index_pack(const struct index *, struct buffer *, struct rp_error *);

#define INDEX_FOOTER_BYTES 48 /* SHA-256 of the message, its size as 64 bits little-endian, INDEX_MAGIC */
#define INDEX_MAGIC "RPRINDEX"
#define INDEX_HEADER_BYTES 8
#define INDEX_SKIPPABLE_MAGIC 0x184d2a52u /* one of zstd's 16 numbers for skippable frames, RFC 8878, 3.1.2 */

/* The size of the message, if this is the end of a whole file. */
bool index_footer_size(const uint8_t footer[INDEX_FOOTER_BYTES], uint64_t *size);
/* The message of an index within a file or in memory. It is read piece by piece, so that only the resulting index is in
 * memory. */
struct index_source {
    bool (*read)(const void *from, uint64_t offset, void *data, size_t size, struct rp_error *);
    const void *from;
    uint64_t offset, size;
};
/* Checks SHA-256 and consistency; the frames must fill [0, frames_end) exactly. Keeps limit and budget of the index. */
bool index_unpack(struct index *, const struct index_source *, const uint8_t footer[INDEX_FOOTER_BYTES],
                  uint64_t frames_end, struct rp_error *);

#endif
