/* The index: where each frame lies and what each chunk holds. */
#ifndef REPRISE_TRACEFMT_INDEX_H
#define REPRISE_TRACEFMT_INDEX_H

#include "tracefmt/buffer.h"
#include "tracefmt/error.h"

enum frame_kind { FRAME_TABLES, FRAME_CHUNK, FRAME_UNKNOWN /* of a later version: passed over */ };

struct frame_entry {
    uint64_t offset, bytes, raw_bytes;
    uint8_t kind; /* enum frame_kind */
};
struct chunk_entry {
    size_t frame;
    uint32_t launch;
    uint64_t first_block, blocks; /* that begin here; first_block is 0 without any */
    uint64_t warp_instructions, thread_instructions;
    size_t carried_at, carried_count; /* blocks that go on here: index.carried[carried_at...], ascending */
};
struct index {
    struct frame_entry *frames;
    struct chunk_entry *chunks;
    uint64_t *carried;
    size_t frame_count, frame_capacity, chunk_count, chunk_capacity, carried_count, carried_capacity;
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
/* Checks SHA-256 and consistency; the frames must fill [0, file_bytes of frames) exactly. */
bool index_unpack(struct index *, const uint8_t *message, size_t size, const uint8_t footer[INDEX_FOOTER_BYTES],
                  uint64_t frames_end, struct rp_error *);

#endif
