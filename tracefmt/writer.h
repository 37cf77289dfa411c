/* Writing a trace.
 *
 * Two halves. The *writer* owns the file: one thread at a time may call it, in the order in which things shall stand in
 * the file. A *chunk* collects what the warps of a few consecutive blocks did and turns it into one compressed frame:
 * it belongs to one thread, needs no lock, and many may be under way at once. So the cost of encoding is spread over
 * all threads, and the file depends only on the order of rp_writer_commit, never on timing.
 *
 *     writer = rp_writer_open(...); rp_writer_add_kernel(...); launch = rp_writer_begin_launch(...)
 *     per thread: chunk = rp_chunk_new(...); for each block: rp_chunk_begin_block, log..., rp_chunk_end_block;
 *                 rp_chunk_finish -> frame
 *     in block order: rp_writer_commit(frame)
 *     rp_writer_end_launch; rp_writer_close
 *
 * Several launches may be open at once, and chunks of different launches may be committed in turns.
 *
 * The file is written under a temporary name beside its final one and renamed by rp_writer_close. Until then the
 * process holds a lock on all of it (fcntl(2)), which ends with the process: by that rp_trace_recover knows what is
 * left over.
 */
#ifndef REPRISE_TRACEFMT_WRITER_H
#define REPRISE_TRACEFMT_WRITER_H

#include "tracefmt/error.h"
#include "tracefmt/trace.h"

struct rp_writer;
struct rp_chunk;

struct rp_writer_options {
    int level;    /* zstd compression level, 0: the default (3) */
    bool scratch; /* the file has no name from the beginning and goes with the writer: for rp_writer_read only */
};

struct rp_writer *rp_writer_open(const char *path, const struct rp_provenance *, const struct rp_writer_options *,
                                 struct rp_error *);
/* *id is its index in the trace; one that was added before, by its identity, keeps its index. */
bool rp_writer_add_module(struct rp_writer *, const struct rp_module *, uint32_t *id, struct rp_error *);
/* What the host did since the last launch began (or operation was added); `launch` is filled in. A few bytes each: an
 * allocation told this way costs later launches nothing. */
bool rp_writer_add_host_operation(struct rp_writer *, const struct rp_host_operation *, struct rp_error *);
/* Copies the kernel; *id is its index in the trace. One that was added before, by its identity, keeps its index;
 * without an identity it is another one every time. */
bool rp_writer_add_kernel(struct rp_writer *, const struct rp_kernel *, uint32_t *id, struct rp_error *);
bool rp_writer_begin_launch(struct rp_writer *, const struct rp_launch *, uint32_t *id, struct rp_error *);
bool rp_writer_end_launch(struct rp_writer *, uint32_t launch, const struct rp_launch_end *, struct rp_error *);
/* Writes index and footer, syncs, renames. Frees the writer in every case; on failure removes the temporary file. */
bool rp_writer_close(struct rp_writer *, struct rp_error *);
/* Removes the temporary file and frees the writer. NULL is fine. Async-signal use: see rp_writer_temporary. */
void rp_writer_abandon(struct rp_writer *);
/* The temporary file's name, so that a signal handler can unlink it. */
const char *rp_writer_temporary(const struct rp_writer *);
uint64_t rp_writer_bytes(const struct rp_writer *); /* bytes written so far */
/* A number that no other writer of the process has, also after this one is gone. Never 0. */
uint64_t rp_writer_identity(const struct rp_writer *);

/* So that rp_trace_recover finds what has ended if the process is killed; the file that rp_writer_close completes is
 * the same with and without. A checkpoint puts all that was written so far into the file. A flush may come from any
 * thread at any time, until the writer is closed or abandoned; it leaves out small tables that wait for more, such as
 * the end of the last launch. A call of the system or two each. */
bool rp_writer_checkpoint(struct rp_writer *, struct rp_error *);
bool rp_writer_flush(struct rp_writer *, struct rp_error *);

/* What has been written so far, opened as a trace of its own (reader.h), while no launch is open. The writer may go on,
 * or go; the launches that the trace knows stay as they are. Not for rp_trace_sha256 and rp_trace_verify, which read
 * the file. */
struct rp_trace;
struct rp_trace *rp_writer_read(struct rp_writer *, struct rp_error *);

/* A point to which the file can be taken back, as long as only chunks were added since: they are dropped. For
 * executions that must be run again in another order. */
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

/* What one warp did since its block (or piece of a block) began in this chunk. Grown by the inline functions below. */
struct rp_warp_log {
    struct rp_run *runs; /* in program order; neighbours are merged where they continue each other */
    size_t run_count, run_capacity;
    rp_lanemask *guards; /* one per executed instruction with RP_GUARDED: active and guard true */
    size_t guard_count, guard_capacity;
    uint64_t *aux; /* rp_aux_count per executed instruction with RP_HAS_AUX and a non-empty mask */
    size_t aux_count, aux_capacity;
    struct rp_access *accesses; /* one per memory operand of each executed memory instruction with a non-empty mask */
    size_t access_count, access_capacity;
    struct rp_chunk *chunk;
    struct rp_log_reserve *reserve; /* where logging goes on when memory has run out */
};

/* `kernel` must outlive the chunk. */
struct rp_chunk *rp_chunk_new(const struct rp_kernel *kernel, uint32_t launch, const struct rp_writer_options *);
void rp_chunk_free(struct rp_chunk *);
/* Makes a chunk serve another launch, of this kernel or another, as a new one would. False: no memory; free it. */
bool rp_chunk_renew(struct rp_chunk *, const struct rp_kernel *, uint32_t launch);

/* Opens block `block` (linear index, x fastest) with `warps` warps, all logs empty, and returns its logs, an array of
 * `warps` that stays at its address until the chunk is finished or the block is taken out. Blocks must be begun in
 * ascending order of their index, across the chunks of a launch in commit order, too. Several may be open at once.
 * NULL: out of memory. */
struct rp_warp_log *rp_chunk_begin_block(struct rp_chunk *, uint64_t block, uint32_t warps);
void rp_chunk_end_block(struct rp_chunk *, uint64_t block);

/* Whether memory ran out while something was logged or taken over: the chunk is not whole any more and never will be,
 * rp_chunk_finish says so. Ask once in a while, so as not to log in vain. */
bool rp_chunk_failed(const struct rp_chunk *);

/* Takes over what `from`, of the same launch, has logged: blocks that have ended and come after those of `to`. `from`
 * is as new afterwards. */
void rp_chunk_absorb(struct rp_chunk *to, struct rp_chunk *from);

/* Bytes buffered now: callers finish a chunk early once this passes their limit. Chunks of 1 to 16 MiB are good:
 * smaller ones share less, larger ones make readers hold more. Beyond 64 MiB, rp_chunk_finish refuses. Adds up the logs
 * of all open blocks: ask once in a while, not at every step. */
size_t rp_chunk_bytes(const struct rp_chunk *);

/* A finished chunk: a zstd frame and its index entry, or several where its content does not repeat (slice.h). */
struct rp_frame;
/* Encodes and compresses what was logged and empties the chunk for reuse. Blocks still open go on in the emptied chunk
 * as their next piece: the same logs array address is kept, its logs are empty. Returns NULL on failure. */
struct rp_frame *rp_chunk_finish(struct rp_chunk *, struct rp_error *);
/* Appends and frees the frame, in every case. */
bool rp_writer_commit(struct rp_writer *, struct rp_frame *, struct rp_error *);
void rp_frame_free(struct rp_frame *);

/* ---- logging: called once per straight run, guard, access; hot --------------------------------------------------- */

/* Out of line, when an array is full. They always make room: out of memory, by dropping what the array held, after
 * which the chunk has failed. */
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

/* The addresses of memory operand `operand` of static instruction `instruction`, for the lanes in `mask` (not empty).
 */
void rp_log_access(struct rp_warp_log *, uint32_t instruction, uint32_t operand, rp_lanemask mask,
                   const uint64_t address[RP_WARP_LANES]);
/* The same for all 32 lanes at equal distances: lane l at base + l × stride. */
void rp_log_affine_access(struct rp_warp_log *, uint32_t instruction, uint32_t operand, uint64_t base, int64_t stride);

#endif
