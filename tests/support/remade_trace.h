/* A trace taken apart into the contents of its frames and put together again, with checksums that fit: so tests reach
 * what the checksums guard. */
#ifndef REPRISE_TESTS_REMADE_TRACE_H
#define REPRISE_TESTS_REMADE_TRACE_H

#include "tracefmt/buffer.h"
#include "tracefmt/index.h"

struct remade_frame {
    struct buffer raw; /* the content; tests may change it */
    uint8_t kind;      /* enum frame_kind */
    struct chunk_entry entry;
    uint64_t *carried; /* entry.carried_count */
};
struct remade_trace {
    struct remade_frame *frames; /* in file order; tests may drop them or change their order */
    size_t count;
};

bool remade_take(struct remade_trace *, const char *path, struct rp_error *);
/* `with_index`: what it says of chunks is as it was in the original. */
bool remade_write(const struct remade_trace *, const char *path, bool with_index, struct rp_error *);
/* Appends a frame to `to`; both may be of no file. */
bool remade_frame_append(struct buffer *to, const struct buffer *raw, struct rp_error *);
void remade_free(struct remade_trace *);

/* Writes a small trace in which everything occurs that a trace can tell: two modules, inlined calls, launches in
 * streams with dependencies, two whose chunks lie in turns, one that ends with a fault, what the host did, several aux
 * values. `objects`: also barrier objects, bulk copies and textures, which no machine model times. */
bool rich_trace_write(const char *path, bool objects, struct rp_error *);

#endif
