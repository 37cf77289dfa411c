/* The inside of struct rp_trace, shared by the files that make up the reader. */
#ifndef REPRISE_TRACEFMT_READER_INTERNAL_H
#define REPRISE_TRACEFMT_READER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <zstd.h>

#include "tracefmt/decode.h"
#include "tracefmt/tables.h"

/* Limit on chunks that no block uses. They are kept up to here because the next block is likely in one of them. */
#define IDLE_CHUNK_BYTES ((size_t)64 << 20)

struct cached_chunk {
    struct cached_chunk *newer, *older; /* list by last use, while no block uses the chunk */
    uint32_t number;                    /* in the index */
    unsigned users;
    struct chunk *chunk; /* NULL: it is being loaded */
};

/* Limit on the memory of an open trace: a fixed part, plus what a large file may be expected to need. Small files that
 * expand to much more are refused. */
#define TRACE_MEMORY ((size_t)160 << 20)
#define TRACE_MEMORY_PER_BYTE 4
/* The part of it for the index. */
#define INDEX_MEMORY ((size_t)96 << 20)

/* A block that continues in a later chunk. */
struct carried {
    uint64_t block;
    uint32_t chunk;
};

struct launch_chunks {
    size_t begun_at, begun_count;     /* in rp_trace.begun */
    size_t carried_at, carried_count; /* in rp_trace.carried */
    size_t chunk_at, chunk_count;     /* in rp_trace.chunks */
};

struct rp_trace {
    char *path;
    int fd;
    uint64_t bytes;
    struct timespec modified; /* the file, when it was opened */
    struct tables tables;
    struct index index;
    _Atomic(ZSTD_DCtx *) decompressor; /* kept for the next frame; NULL: in use, or none yet */
    struct budget budget;              /* for all of the following */
    struct pool pool;                  /* holds the maps */
    struct kernel_map **maps;          /* per kernel */
    uint32_t map_capacity, map_count;
    struct launch_chunks *launches;
    uint32_t *chunks;        /* per launch: its chunks, ascending */
    uint32_t *begun;         /* per launch: the chunks in which blocks begin */
    struct carried *carried; /* per launch: ascending by block, then chunk */
    char *damage;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t loaded;
    struct cached_chunk **cache; /* per chunk of the index, made with the first */
    struct cached_chunk *newest, *oldest;
    size_t idle_bytes; /* total size of the chunks in this list */
    unsigned loads;    /* loads in progress */
    bool exclusive;    /* one load, in addition, that may use all the room */
    char sha256[65];
};

/* A new, empty trace for the open file. It takes ownership of fd, also on failure. */
struct rp_trace *trace_new(int fd, const char *path, struct rp_error *);
/* Opens a trace from a descriptor; path is for messages only. */
struct rp_trace *trace_open_fd(int fd, const char *path, struct rp_error *);
bool trace_read(const struct rp_trace *, uint64_t offset, void *data, size_t size, struct rp_error *);
/* Adds maps for kernels that have none yet. */
bool trace_add_maps(struct rp_trace *, struct rp_error *);
struct decode_context trace_context(struct rp_trace *);

/* Reads frame after frame without an index and builds one; sets damage, citing `reason` (what is wrong with the index).
 * False: there is not even a header. */
bool trace_scan(struct rp_trace *, const char *reason, struct rp_error *);
/* Adds a decoded chunk to the index. */
bool trace_index_chunk(struct rp_trace *, uint64_t offset, uint64_t bytes, uint64_t raw_bytes, const struct chunk *,
                       struct rp_error *);

/* Decompresses a frame into *raw. Errors name file, frame and offset. */
bool trace_read_frame(struct rp_trace *, size_t frame, struct buffer *raw, struct rp_error *);
/* Reads and decodes a chunk and compares it with the index; bypasses the cache. */
struct chunk *trace_load_chunk(struct rp_trace *, size_t number, struct rp_error *);
/* Gets a chunk from the cache. Least recently used idle chunks make room; it is an error if the chunks in use need too
 * much. */
struct chunk *trace_acquire_chunk(struct rp_trace *, size_t number, struct rp_error *);
void trace_release_chunk(struct rp_trace *, struct chunk *);
void trace_free_cache(struct rp_trace *);

#endif
