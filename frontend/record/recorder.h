/* Recording of a launch: its entry in the trace, and chunks that become frames. */
#ifndef REPRISE_FRONTEND_RECORD_RECORDER_H
#define REPRISE_FRONTEND_RECORD_RECORDER_H

#include "frontend/core/engine.h"
#include "tracefmt/writer.h"

/* A chunk that holds this much becomes a frame before its blocks are done. */
#define RECORD_CHUNK_BYTES (16u << 20)
/* A chunk that holds less shares a frame with its neighbours, because every frame has an overhead of some hundred
 * bytes. */
#define RECORD_SMALL_BYTES (256u << 10)

struct recorder {
    struct rp_writer *writer; /* NULL: no recording */
    const struct rp_kernel *kernel;
    uint32_t number, launch; /* the indices of the kernel and of the launch in the trace */
    struct rp_writer_mark start;
};

/* Writes to the trace the host operations since the last call: what the memory's log has, or all allocations.
 * *logged_to: the identity of the writer for which the log was last cleared; 0: none. */
bool recorder_write_operations(struct rp_writer *, struct memory *, uint64_t *logged_to, struct rp_error *);
/* Adds the kernel and its module to the trace. PTX's registers are an estimate: of a kernel that runs in such blocks
 * they are no more than lets a block fit on an SM. */
bool recorder_add_kernel(struct recorder *, struct rp_writer *, const struct program *, const struct module *,
                         const uint32_t block[3], struct rp_error *);
/* Then adds the launch; only stream, parent and dependencies of `like` are used. */
bool recorder_begin(struct recorder *, const struct grid *, const struct rp_launch *like, struct rp_error *);
/* Marks the point to which recorder_restart rolls back. */
void recorder_mark(struct recorder *);
/* Rolls the trace back to recorder_mark. */
bool recorder_restart(struct recorder *, struct rp_error *);
/* Ends the launch; `fault` is the report, or NULL. */
bool recorder_end(struct recorder *, const char *fault, struct rp_error *);

/* The frames of one batch of blocks, in order. */
struct frame_list {
    struct rp_frame **frames;
    size_t count, capacity;
};
/* Makes a frame of the chunk's content and appends it. */
bool frames_finish(struct frame_list *, struct rp_chunk *, struct rp_error *);
/* Commits the frames and clears the list; on failure, drops the rest. */
bool frames_commit(struct frame_list *, struct recorder *, struct rp_error *);
void frames_free(struct frame_list *);

#endif
