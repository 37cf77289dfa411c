/* Writing a trace.
 *
 * There are two parts. The *writer* owns the file: one thread at a time may call it, and the order of the calls is the
 * order in the file. A *chunk* collects what the warps of a few consecutive blocks did and turns it into one compressed
 * frame: it belongs to one thread, needs no lock, and many may be in use at once. So all threads share the cost of
 * encoding, and the file depends only on the order of rp_writer_commit, never on timing.
 *
 *     writer = rp_writer_open(...); rp_writer_add_kernel(...); launch = rp_writer_begin_launch(...)
 *     per thread: chunk = rp_chunk_new(...); for each block: rp_chunk_begin_block, log..., rp_chunk_end_block;
 *                 rp_chunk_finish -> frame
 *     in block order: rp_writer_commit(frame)
 *     rp_writer_end_launch; rp_writer_close
 *
 * Several launches may be open at once, and their chunks may be committed in any interleaving.
 *
 * The file is written under a temporary name beside its final one and renamed by rp_writer_close. Until then the
 * process holds a lock on the whole file (fcntl(2)). The lock ends with the process, so rp_trace_recover can tell a
 * file that was left over. */
#ifndef REPRISE_TRACEFMT_WRITER_H
#define REPRISE_TRACEFMT_WRITER_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct rp_writer;
struct rp_chunk;

/* zstd's level 1 that looks for longer matches only, in a smaller table: for what repeats rarely. */
#define RP_QUICK_LEVEL 1

struct rp_writer_options {
    int level;      /* zstd compression level, 0: the default (3), or RP_QUICK_LEVEL */
    bool scattered; /* of a chunk: lanes diverge, and each mostly has data of its own and is at another place in them,
                     * so that hardly a pattern comes twice. Accesses must have the lanes of their executions. Readers
                     * of before do not know how such chunks are coded. */
    bool scratch;   /* the file has no name from the start and is deleted with the writer: for rp_writer_read only */
};

struct rp_writer *rp_writer_open(const char *path, const struct rp_provenance *, const struct rp_writer_options *,
                                 struct rp_error *);
/* *id is the module's index in the trace. A module that was added before, known by its identity, keeps its index. */
bool rp_writer_add_module(struct rp_writer *, const struct rp_module *, uint32_t *id, struct rp_error *);
/* Adds an operation that the host made since the last launch began or the last operation was added; `launch` is filled
 * in. An operation takes a few bytes; an allocation recorded this way costs later launches nothing. */
bool rp_writer_add_host_operation(struct rp_writer *, const struct rp_host_operation *, struct rp_error *);
/* Copies the kernel; *id is its index in the trace. A kernel that was added before, known by its identity, keeps its
 * index, unless it now has fewer registers; without an identity it gets a new index every time. */
bool rp_writer_add_kernel(struct rp_writer *, const struct rp_kernel *, uint32_t *id, struct rp_error *);
bool rp_writer_begin_launch(struct rp_writer *, const struct rp_launch *, uint32_t *id, struct rp_error *);
bool rp_writer_end_launch(struct rp_writer *, uint32_t launch, const struct rp_launch_end *, struct rp_error *);
/* Writes index and footer, syncs, renames. Frees the writer, also on failure; on failure removes the temporary file. */
bool rp_writer_close(struct rp_writer *, struct rp_error *);
/* Removes the temporary file and frees the writer. NULL is allowed. For signal handlers see rp_writer_temporary. */
void rp_writer_abandon(struct rp_writer *);
/* The temporary file's name; a signal handler may unlink it. */
const char *rp_writer_temporary(const struct rp_writer *);
uint64_t rp_writer_bytes(const struct rp_writer *); /* bytes written so far */
/* A number that no other writer of the process ever has. Never 0. */
uint64_t rp_writer_identity(const struct rp_writer *);

/* Put what has ended into the file, so that rp_trace_recover finds it if the process is killed. They do not change the
 * file that rp_writer_close completes. A checkpoint writes everything so far. A flush may come from any thread at any
 * time, until the writer is closed or abandoned; it leaves out small tables that wait for more, such as the end of the
 * last launch. Each takes one or two system calls. */
bool rp_writer_checkpoint(struct rp_writer *, struct rp_error *);
bool rp_writer_flush(struct rp_writer *, struct rp_error *);

/* What has been written so far, opened as a trace of its own (reader.h), while no launch is open. The writer may go on
 * or be freed; the launches that the trace knows stay as they are. Not for rp_trace_sha256 and rp_trace_verify, which
 * read the file. */
struct rp_trace;
struct rp_trace *rp_writer_read(struct rp_writer *, struct rp_error *);

/* A point to which the file can be rolled back, as long as only chunks were added since: they are dropped. For
 * executions that must be repeated in another order. */
struct rp_writer_mark {
    uint64_t offset, state, tables, features;
};
struct rp_writer_mark rp_writer_mark(struct rp_writer *);
bool rp_writer_rollback(struct rp_writer *, struct rp_writer_mark, struct rp_error *);

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

struct rp_access {
    uint64_t base;
    uint32_t pattern;
};

/* What one warp did since its block, or this piece of its block, began in the chunk. The inline functions below append
 * to it. */
struct rp_warp_log {
    struct rp_run *runs; /* in program order; consecutive runs that continue one another are merged */
    size_t run_count, run_capacity;
    rp_lanemask *guards; /* one per executed instruction with RP_GUARDED: the active lanes whose guard is true */
    size_t guard_count, guard_capacity;
    uint64_t *aux; /* rp_aux_count per executed instruction with RP_HAS_AUX and a non-empty mask */
    size_t aux_count, aux_capacity;
    struct rp_access *accesses; /* one per memory operand of each executed memory instruction with a non-empty mask */
    size_t access_count, access_capacity;
    struct rp_chunk *chunk;
    struct rp_log_reserve *reserve; /* where logging continues when memory has run out */
};

/* `kernel` must outlive the chunk. */
struct rp_chunk *rp_chunk_new(const struct rp_kernel *kernel, uint32_t launch, const struct rp_writer_options *);
void rp_chunk_free(struct rp_chunk *);
/* Prepares a chunk for another launch, of this kernel or another, as if it were new. False: out of memory; free the
 * chunk. */
bool rp_chunk_renew(struct rp_chunk *, const struct rp_kernel *, uint32_t launch);

/* Opens block `block` (linear index, x fastest) with `warps` warps, all logs empty, and returns its logs, an array of
 * `warps` that stays at its address until the chunk is finished or the block moves to another chunk. Blocks must begin
 * in ascending order of their index, also across the chunks of a launch in commit order. Several may be open at once.
 * NULL: out of memory. */
struct rp_warp_log *rp_chunk_begin_block(struct rp_chunk *, uint64_t block, uint32_t warps);
void rp_chunk_end_block(struct rp_chunk *, uint64_t block);

/* Whether memory ran out while logging or absorbing: the chunk is incomplete and stays so, and rp_chunk_finish fails.
 * Callers should ask now and then, so as not to log in vain. */
bool rp_chunk_failed(const struct rp_chunk *);

/* Moves the blocks that `from`, a chunk of the same launch, has logged to `to`. They must have ended and follow the
 * blocks of `to`. Afterwards `from` is as new. */
void rp_chunk_absorb(struct rp_chunk *to, struct rp_chunk *from);

/* Bytes buffered now; callers finish a chunk when this exceeds their limit. Chunks of 1 to 16 MiB are good: smaller
 * ones share less, larger ones make readers hold more. Beyond 64 MiB, rp_chunk_finish refuses. This adds up the logs of
 * all open blocks: call it now and then, not at every step. */
size_t rp_chunk_bytes(const struct rp_chunk *);
/* An estimate of what a scattered chunk takes in a reader; 0 of others. What takes more than 1 MiB is cut into slices,
 * each with a part of what every warp did, which takes longer than to finish chunks earlier. */
size_t rp_chunk_decoded_bytes(const struct rp_chunk *);

/* A finished chunk: a zstd frame and its index entry, or several frames if its content does not repeat (slice.h). */
struct rp_frame;
/* Encodes and compresses the logs and empties the chunk for reuse. Blocks that are still open continue in the emptied
 * chunk as their next piece: their array of logs keeps its address, and the logs are empty. NULL on failure. */
struct rp_frame *rp_chunk_finish(struct rp_chunk *, struct rp_error *);
/* Appends the frame to the file. Frees it, also on failure. */
bool rp_writer_commit(struct rp_writer *, struct rp_frame *, struct rp_error *);
void rp_frame_free(struct rp_frame *);

/* ---- logging: called once per straight run, guard, access; hot --------------------------------------------------- */

/* Called when an array is full. They always make room: without memory they drop what the array holds, and the chunk has
 * failed. */
void rp_log_grow_runs(struct rp_warp_log *);
void rp_log_grow_guards(struct rp_warp_log *);
void rp_log_grow_aux(struct rp_warp_log *);

/* The warp executed `length` instructions from index `start` under `active`. */
static inline void rp_log_run(struct rp_warp_log *log, uint32_t start, uint32_t length, rp_lanemask active)
{
    if (log->run_count) {
        struct rp_run *last = &log->runs[log->run_count - 1];
        if (last->active == active && last->start + last->length == start) {
            last->length += length;
            return;
        }
    }
    if (log->run_count == log->run_capacity)
        rp_log_grow_runs(log);
    log->runs[log->run_count++] = (struct rp_run){start, length, active};
}

static inline void rp_log_guard(struct rp_warp_log *log, rp_lanemask executed)
{
    if (log->guard_count == log->guard_capacity)
        rp_log_grow_guards(log);
    log->guards[log->guard_count++] = executed;
}

static inline void rp_log_aux(struct rp_warp_log *log, uint64_t value)
{
    if (log->aux_count == log->aux_capacity)
        rp_log_grow_aux(log);
    log->aux[log->aux_count++] = value;
}

/* Logs the addresses of memory operand `operand` of static instruction `instruction`, for the lanes in `mask` (not
 * empty). */
void rp_log_access(struct rp_warp_log *, uint32_t instruction, uint32_t operand, rp_lanemask mask,
                   const uint64_t address[RP_WARP_LANES]);
/* The same for all 32 lanes at equal distances: lane l accesses base + l × stride. */
void rp_log_affine_access(struct rp_warp_log *, uint32_t instruction, uint32_t operand, uint64_t base, int64_t stride);

#endif
