#include "tracefmt/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/sha256.h"
#include "tracefmt/trace.pb-c.h"

static bool reserve(void **array, size_t *capacity, size_t count, size_t element, struct rp_error *err)
{
    if (count <= *capacity)
        return true;
    size_t wanted = count * 2 + 16;
    void *larger = wanted > SIZE_MAX / element ? NULL : realloc(*array, wanted * element);
    if (!larger)
        return rp_fail(err, RP_SYSTEM, "out of memory for the index of the trace (%zu entries)", count);
    *array = larger;
    *capacity = wanted;
    return true;
}

static bool add_frame(struct index *x, struct frame_entry frame, struct rp_error *err)
{
    if (!reserve((void **)&x->frames, &x->frame_capacity, x->frame_count + 1, sizeof *x->frames, err))
        return false;
    x->frames[x->frame_count++] = frame;
    return true;
}

bool index_add_tables(struct index *x, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, struct rp_error *err)
{
    return add_frame(x, (struct frame_entry){offset, bytes, raw_bytes, FRAME_TABLES}, err);
}

bool index_add_chunk(struct index *x, uint64_t offset, uint64_t bytes, uint64_t raw_bytes,
                     const struct chunk_entry *chunk, const uint64_t *carried, struct rp_error *err)
{
    size_t count = chunk->carried_count;
    if (!reserve((void **)&x->chunks, &x->chunk_capacity, x->chunk_count + 1, sizeof *x->chunks, err) ||
        !reserve((void **)&x->carried, &x->carried_capacity, x->carried_count + count, sizeof *x->carried, err) ||
        !add_frame(x, (struct frame_entry){offset, bytes, raw_bytes, FRAME_CHUNK}, err))
        return false;
    struct chunk_entry *new = &x->chunks[x->chunk_count++];
    *new = *chunk;
    new->frame = x->frame_count - 1;
    new->carried_at = x->carried_count;
    if (count)
        memcpy(x->carried + x->carried_count, carried, count * sizeof *carried);
    x->carried_count += count;
    return true;
}

void index_truncate(struct index *x, size_t frame_count)
{
    if (frame_count < x->frame_count)
        x->frame_count = frame_count;
    while (x->chunk_count && x->chunks[x->chunk_count - 1].frame >= x->frame_count)
        x->carried_count = x->chunks[--x->chunk_count].carried_at;
}

void index_free(struct index *x)
{
    free(x->frames);
    free(x->chunks);
    free(x->carried);
    *x = (struct index){0};
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

static void put32(struct buffer *b, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    buffer_append(b, bytes, sizeof bytes);
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

/* The message's columns, in one allocation that `columns` points to. */
static bool fill(const struct index *x, Reprise__Index *message, uint64_t **columns)
{
    size_t frames = x->frame_count, chunks = x->chunk_count;
    uint64_t *wide = calloc(frames * 4 + chunks * 6 + 1, sizeof *wide);
    if (!(*columns = wide))
        return false;
    message->frame_bytes = wide;
    message->frame_raw_bytes = wide + frames;
    message->frame_kind = (uint32_t *)(wide + 2 * frames);
    wide += 3 * frames;
    message->chunk_first_block = wide;
    message->chunk_blocks = wide + chunks;
    message->chunk_warp_instructions = wide + 2 * chunks;
    message->chunk_thread_instructions = wide + 3 * chunks;
    message->chunk_launch = (uint32_t *)(wide + 4 * chunks);
    message->chunk_carried = (uint32_t *)(wide + 5 * chunks);
    message->carried_block = x->carried;
    message->n_frame_bytes = message->n_frame_raw_bytes = message->n_frame_kind = frames;
    message->n_chunk_first_block = message->n_chunk_blocks = message->n_chunk_warp_instructions = chunks;
    message->n_chunk_thread_instructions = message->n_chunk_launch = message->n_chunk_carried = chunks;
    message->n_carried_block = x->carried_count;
    for (size_t i = 0; i < frames; i++) {
        message->frame_bytes[i] = x->frames[i].bytes;
        message->frame_raw_bytes[i] = x->frames[i].raw_bytes;
        message->frame_kind[i] = x->frames[i].kind;
    }
    for (size_t i = 0; i < chunks; i++) {
        message->chunk_launch[i] = x->chunks[i].launch;
        message->chunk_first_block[i] = x->chunks[i].first_block;
        message->chunk_blocks[i] = x->chunks[i].blocks;
        message->chunk_warp_instructions[i] = x->chunks[i].warp_instructions;
        message->chunk_thread_instructions[i] = x->chunks[i].thread_instructions;
        message->chunk_carried[i] = (uint32_t)x->chunks[i].carried_count;
    }
    return true;
}

static void put_footer(struct buffer *out, const uint8_t *message, size_t size)
{
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    sha256_add(&sha, message, size);
    sha256_end(&sha, digest);
    buffer_append(out, digest, sizeof digest);
    put32(out, (uint32_t)size);
    put32(out, (uint32_t)((uint64_t)size >> 32));
    buffer_append(out, INDEX_MAGIC, 8);
}

bool index_pack(const struct index *x, struct buffer *out, struct rp_error *err)
{
    Reprise__Index message = REPRISE__INDEX__INIT;
    uint64_t *columns = NULL;
    if (!fill(x, &message, &columns))
        return rp_fail(err, RP_SYSTEM, "out of memory for the index of the trace");
    size_t size = reprise__index__get_packed_size(&message);
    bool ok = size <= UINT32_MAX - INDEX_FOOTER_BYTES;
    if (!ok)
        rp_fail(err, RP_SYSTEM, "the index of the trace would take %zu bytes, more than a frame can hold", size);
    if (ok && !(ok = buffer_reserve(out, size + INDEX_HEADER_BYTES + INDEX_FOOTER_BYTES)))
        rp_fail(err, RP_SYSTEM, "out of memory for the index of the trace");
    if (ok) {
        put32(out, INDEX_SKIPPABLE_MAGIC);
        put32(out, (uint32_t)(size + INDEX_FOOTER_BYTES));
        reprise__index__pack(&message, out->data + out->size);
        out->size += size;
        put_footer(out, out->data + out->size - size, size);
    }
    free(columns);
    return ok;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

bool index_footer_size(const uint8_t footer[INDEX_FOOTER_BYTES], uint64_t *size)
{
    *size = get64(footer + 32);
    return !memcmp(footer + 40, INDEX_MAGIC, 8);
}

static bool columns_agree(const Reprise__Index *m)
{
    size_t frames = m->n_frame_bytes, chunks = m->n_chunk_launch;
    return m->n_frame_raw_bytes == frames && m->n_frame_kind == frames && m->n_chunk_first_block == chunks &&
           m->n_chunk_blocks == chunks && m->n_chunk_warp_instructions == chunks &&
           m->n_chunk_thread_instructions == chunks && m->n_chunk_carried == chunks;
}

static bool take_chunk(struct index *x, const Reprise__Index *m, size_t frame, uint64_t offset, size_t *carried,
                       struct rp_error *err)
{
    size_t i = x->chunk_count;
    if (i >= m->n_chunk_launch || m->chunk_carried[i] > m->n_carried_block - *carried)
        return rp_fail(err, RP_BAD_INPUT, "the index lists more chunks than it describes");
    struct chunk_entry chunk = {.launch = m->chunk_launch[i],
                                .first_block = m->chunk_first_block[i],
                                .blocks = m->chunk_blocks[i],
                                .warp_instructions = m->chunk_warp_instructions[i],
                                .thread_instructions = m->chunk_thread_instructions[i],
                                .carried_count = m->chunk_carried[i]};
    const uint64_t *list = m->carried_block + *carried;
    *carried += chunk.carried_count;
    return index_add_chunk(x, offset, m->frame_bytes[frame], m->frame_raw_bytes[frame], &chunk, list, err);
}

static bool take(struct index *x, const Reprise__Index *m, uint64_t frames_end, struct rp_error *err)
{
    if (!columns_agree(m))
        return rp_fail(err, RP_BAD_INPUT, "the columns of the index differ in length");
    uint64_t offset = 0;
    size_t carried = 0;
    for (size_t i = 0; i < m->n_frame_bytes; i++) {
        uint64_t bytes = m->frame_bytes[i];
        if (!bytes || bytes > frames_end - offset)
            return rp_fail(err, RP_BAD_INPUT, "frame %zu in the index does not fit the file", i);
        struct frame_entry f = {offset, bytes, m->frame_raw_bytes[i], (uint8_t)m->frame_kind[i]};
        if (m->frame_kind[i] == FRAME_CHUNK) {
            if (!take_chunk(x, m, i, offset, &carried, err))
                return false;
        } else {
            f.kind = m->frame_kind[i] < FRAME_UNKNOWN ? f.kind : FRAME_UNKNOWN;
            if (!add_frame(x, f, err))
                return false;
        }
        offset += bytes;
    }
    if (offset != frames_end || x->chunk_count != m->n_chunk_launch || carried != m->n_carried_block)
        return rp_fail(err, RP_BAD_INPUT, "the index does not describe the whole file");
    return true;
}

bool index_unpack(struct index *x, const uint8_t *message, size_t size, const uint8_t footer[INDEX_FOOTER_BYTES],
                  uint64_t frames_end, struct rp_error *err)
{
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    sha256_add(&sha, message, size);
    sha256_end(&sha, digest);
    if (memcmp(digest, footer, sizeof digest))
        return rp_fail(err, RP_BAD_INPUT, "the checksum of the index is wrong");
    Reprise__Index *m = reprise__index__unpack(NULL, size, message);
    if (!m)
        return rp_fail(err, RP_BAD_INPUT, "the index cannot be decoded");
    bool ok = take(x, m, frames_end, err);
    reprise__index__free_unpacked(m, NULL);
    if (!ok)
        index_free(x);
    return ok;
}
