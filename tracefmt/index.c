#include "tracefmt/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracefmt/sha256.h"
#include "tracefmt/trace.pb-c.h"

/* Makes room for `count` elements. */
static bool reserve(struct index *x, void **array, size_t *capacity, size_t count, size_t element, struct rp_error *err)
{
    if (count <= *capacity)
        return true;
    size_t wanted = count + count / 2 + 16, more = (wanted - *capacity) * element;
    if (count > UINT32_MAX || (x->limit && (x->held > x->limit || more > x->limit - x->held)) ||
        !budget_charge(x->budget, more)) {
        x->over = true;
        return rp_fail(err, RP_BAD_INPUT, "the index of the trace is too large (%zu entries)", count);
    }
    void *larger = realloc(*array, wanted * element);
    if (!larger) {
        budget_refund(x->budget, more);
        return rp_fail(err, RP_SYSTEM, "out of memory for the index of the trace (%zu entries)", count);
    }
    x->held += more;
    *array = larger;
    *capacity = wanted;
    return true;
}

static bool add_frame(struct index *x, struct frame_entry frame, struct rp_error *err)
{
    if (!reserve(x, (void **)&x->frames, &x->frame_capacity, x->frame_count + 1, sizeof *x->frames, err))
        return false;
    x->frames[x->frame_count++] = frame;
    return true;
}

bool index_add_tables(struct index *x, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, struct rp_error *err)
{
    return add_frame(x, (struct frame_entry){offset, (uint32_t)bytes, (uint32_t)raw_bytes, FRAME_TABLES}, err);
}

bool index_add_chunk(struct index *x, uint64_t offset, uint64_t bytes, uint64_t raw_bytes,
                     const struct chunk_entry *chunk, const uint64_t *carried, struct rp_error *err)
{
    size_t count = chunk->carried_count;
    if (!reserve(x, (void **)&x->chunks, &x->chunk_capacity, x->chunk_count + 1, sizeof *x->chunks, err) ||
        !reserve(x, (void **)&x->carried, &x->carried_capacity, x->carried_count + count, sizeof *x->carried, err) ||
        !add_frame(x, (struct frame_entry){offset, (uint32_t)bytes, (uint32_t)raw_bytes, FRAME_CHUNK}, err))
        return false;
    struct chunk_entry *new = &x->chunks[x->chunk_count++];
    *new = *chunk;
    new->frame = (uint32_t)(x->frame_count - 1);
    new->carried_at = (uint32_t)x->carried_count;
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
    budget_refund(x->budget, x->held);
    *x = (struct index){.limit = x->limit, .budget = x->budget};
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

/* Fills the message's columns; they lie in one allocation, *columns. */
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
        message->chunk_carried[i] = x->chunks[i].carried_count;
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

/* A packed column of the message, read through a small buffer. */
#define WINDOW 4096
struct column {
    const struct index_source *source;
    uint64_t at, end; /* offsets of the bytes that are not in the window yet */
    uint8_t window[WINDOW];
    uint32_t used, filled;
};

static bool next_byte(struct column *c, uint8_t *byte, struct rp_error *err)
{
    if (c->used == c->filled) {
        uint64_t left = c->end - c->at;
        c->filled = left < WINDOW ? (uint32_t)left : WINDOW;
        c->used = 0;
        if (!c->filled)
            return rp_fail(err, RP_BAD_INPUT, "a column of the index ends too early");
        if (!c->source->read(c->source->from, c->at, c->window, c->filled, err))
            return false;
        c->at += c->filled;
    }
    *byte = c->window[c->used++];
    return true;
}

static bool at_end(const struct column *c) { return c->used == c->filled && c->at == c->end; }

static bool next_value(struct column *c, uint64_t limit, uint64_t *value, struct rp_error *err)
{
    uint8_t byte = 0x80;
    *value = 0;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        if (!next_byte(c, &byte, err))
            return false;
        if (shift > 63 || (shift == 63 && byte > 1))
            return rp_fail(err, RP_BAD_INPUT, "a value of the index has more than 64 bits");
        *value |= (uint64_t)(byte & 0x7f) << shift;
    }
    return *value <= limit || rp_fail(err, RP_BAD_INPUT, "a value of the index is out of range");
}

/* Fields of message Index in trace.proto. */
enum index_field {
    INDEX_FRAME_BYTES = 1,
    INDEX_FRAME_RAW_BYTES,
    INDEX_FRAME_KIND,
    INDEX_CHUNK_LAUNCH,
    INDEX_CHUNK_FIRST_BLOCK,
    INDEX_CHUNK_BLOCKS,
    INDEX_CHUNK_WARP_INSTRUCTIONS,
    INDEX_CHUNK_THREAD_INSTRUCTIONS,
    INDEX_CHUNK_CARRIED,
    INDEX_CARRIED_BLOCK,
    INDEX_FIELDS
};

struct message {
    struct column all; /* all fields of the message */
    struct column column[INDEX_FIELDS];
};

/* Finds the position of each column; skips fields of later versions. */
static bool find_columns(struct message *m, struct rp_error *err)
{
    while (!at_end(&m->all)) {
        uint64_t tag, size, field;
        if (!next_value(&m->all, UINT32_MAX, &tag, err) || !next_value(&m->all, UINT64_MAX, &size, err))
            return false;
        field = tag >> 3;
        if ((tag & 7) == 0)
            continue; /* a varint field: its value was read into `size` */
        uint64_t begin = m->all.at - (m->all.filled - m->all.used);
        if ((tag & 7) != 2 || size > m->all.end - begin)
            return rp_fail(err, RP_BAD_INPUT, "a field of the index is damaged");
        if (field > 0 && field < INDEX_FIELDS) {
            if (m->column[field].source)
                return rp_fail(err, RP_BAD_INPUT, "a column of the index comes twice");
            m->column[field] = (struct column){.source = m->all.source, .at = begin, .end = begin + size};
        }
        m->all.at = begin + size;
        m->all.used = m->all.filled = 0;
    }
    return true;
}

static bool next_in(struct message *m, enum index_field f, uint64_t limit, uint64_t *value, struct rp_error *err)
{
    return next_value(&m->column[f], limit, value, err);
}

static uint64_t left(const struct column *c) { return c->end - c->at + c->filled - c->used; }

static bool take_carried(struct index *x, struct message *m, uint64_t count, struct rp_error *err)
{
    if (count > left(&m->column[INDEX_CARRIED_BLOCK]))
        return rp_fail(err, RP_BAD_INPUT, "a column of the index ends too early");
    if (!reserve(x, (void **)&x->carried, &x->carried_capacity, x->carried_count + count, sizeof *x->carried, err))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!next_in(m, INDEX_CARRIED_BLOCK, UINT64_MAX, &x->carried[x->carried_count + i], err))
            return false;
    x->carried_count += count;
    return true;
}

static bool take_chunk(struct index *x, struct message *m, struct rp_error *err)
{
    struct chunk_entry c = {.frame = (uint32_t)(x->frame_count - 1), .carried_at = (uint32_t)x->carried_count};
    uint64_t launch, blocks, carried;
    if (!next_in(m, INDEX_CHUNK_LAUNCH, UINT32_MAX, &launch, err) ||
        !next_in(m, INDEX_CHUNK_FIRST_BLOCK, UINT64_MAX, &c.first_block, err) ||
        !next_in(m, INDEX_CHUNK_BLOCKS, UINT32_MAX, &blocks, err) ||
        !next_in(m, INDEX_CHUNK_WARP_INSTRUCTIONS, UINT64_MAX, &c.warp_instructions, err) ||
        !next_in(m, INDEX_CHUNK_THREAD_INSTRUCTIONS, UINT64_MAX, &c.thread_instructions, err) ||
        !next_in(m, INDEX_CHUNK_CARRIED, UINT32_MAX, &carried, err) || !take_carried(x, m, carried, err) ||
        !reserve(x, (void **)&x->chunks, &x->chunk_capacity, x->chunk_count + 1, sizeof *x->chunks, err))
        return false;
    c.launch = (uint32_t)launch;
    c.blocks = (uint32_t)blocks;
    c.carried_count = (uint32_t)carried;
    x->chunks[x->chunk_count++] = c;
    return true;
}

static bool take_frame(struct index *x, struct message *m, uint64_t offset, uint64_t left, struct rp_error *err)
{
    uint64_t bytes, raw_bytes, kind;
    if (!next_in(m, INDEX_FRAME_BYTES, UINT32_MAX, &bytes, err) ||
        !next_in(m, INDEX_FRAME_RAW_BYTES, UINT32_MAX, &raw_bytes, err) ||
        !next_in(m, INDEX_FRAME_KIND, UINT32_MAX, &kind, err))
        return false;
    if (!bytes || bytes > left)
        return rp_fail(err, RP_BAD_INPUT, "frame %zu in the index does not fit the file", x->frame_count);
    return add_frame(x,
                     (struct frame_entry){offset, (uint32_t)bytes, (uint32_t)raw_bytes,
                                          kind < FRAME_UNKNOWN ? (uint8_t)kind : FRAME_UNKNOWN},
                     err);
}

static bool take(struct index *x, struct message *m, uint64_t frames_end, struct rp_error *err)
{
    uint64_t offset = 0;
    while (!at_end(&m->column[INDEX_FRAME_BYTES])) {
        if (!take_frame(x, m, offset, frames_end - offset, err) ||
            (x->frames[x->frame_count - 1].kind == FRAME_CHUNK && !take_chunk(x, m, err)))
            return false;
        offset += x->frames[x->frame_count - 1].bytes;
    }
    for (int f = 1; f < INDEX_FIELDS; f++)
        if (!at_end(&m->column[f]))
            return rp_fail(err, RP_BAD_INPUT, "the columns of the index differ in length");
    return offset == frames_end || rp_fail(err, RP_BAD_INPUT, "the index does not describe the whole file");
}

static bool check_sha256(const struct index_source *s, uint8_t *window, const uint8_t expected[32],
                         struct rp_error *err)
{
    struct sha256 sha;
    uint8_t digest[32];
    sha256_begin(&sha);
    for (uint64_t at = 0; at < s->size; at += WINDOW) {
        size_t part = s->size - at < WINDOW ? (size_t)(s->size - at) : WINDOW;
        if (!s->read(s->from, s->offset + at, window, part, err))
            return false;
        sha256_add(&sha, window, part);
    }
    sha256_end(&sha, digest);
    return !memcmp(digest, expected, sizeof digest) || rp_fail(err, RP_BAD_INPUT, "the checksum of the index is wrong");
}

bool index_unpack(struct index *x, const struct index_source *s, const uint8_t footer[INDEX_FOOTER_BYTES],
                  uint64_t frames_end, struct rp_error *err)
{
    struct message *m = calloc(1, sizeof *m);
    if (!m)
        return rp_fail(err, RP_SYSTEM, "out of memory for the index");
    m->all = (struct column){.source = s, .at = s->offset, .end = s->offset + s->size};
    bool ok = check_sha256(s, m->all.window, footer, err) && find_columns(m, err) && take(x, m, frames_end, err);
    free(m);
    if (!ok) {
        bool over = x->over;
        index_free(x);
        x->over = over;
    }
    return ok;
}
