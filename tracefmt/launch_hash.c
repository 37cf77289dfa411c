/* A hash of what a launch's blocks did. A chunk's bytes follow from that alone, but for the number of its launch. */
#include "tracefmt/chunk_format.h"
#include "tracefmt/hash.h"
#include "tracefmt/reader_internal.h"
#include "tracefmt/wire.h"

#define SECOND 0x6a09e667f3bcc908u /* another beginning: the second word is of another hash */

/* Moves past a field with this tag, if it is next: its value, or the length of its bytes. */
static void pass(struct span *s, uint8_t tag)
{
    uint64_t value;
    if (s->at < s->end && *s->at == tag) {
        s->at++;
        span_varint(s, &value);
    }
}

/* The content of the one field of the frame, behind Chunk.launch, which writers put first. */
static struct span content_of(const struct buffer *raw)
{
    struct span s = {raw->data, raw->data + raw->size};
    pass(&s, TRACE_FIELD_CHUNK << 3 | WIRE_BYTES);
    pass(&s, CHUNK_LAUNCH << 3 | WIRE_VARINT);
    return s;
}

bool rp_trace_launch_hash(struct rp_trace *t, uint32_t launch, struct rp_launch_hash *hash, struct rp_error *err)
{
    const struct launch_chunks *l = &t->launches[launch];
    struct buffer raw = {0};
    bool fine = true;
    *hash = (struct rp_launch_hash){{0, SECOND}};
    for (size_t i = 0; fine && i < l->chunk_count; i++) {
        fine = trace_read_frame(t, t->index.chunks[t->chunks[l->chunk_at + i]].frame, &raw, err);
        struct span s = fine ? content_of(&raw) : (struct span){0};
        for (unsigned w = 0; fine && w < 2; w++)
            hash->word[w] = hash_bytes(hash->word[w], s.at, (size_t)(s.end - s.at));
    }
    buffer_free(&raw);
    return fine;
}
